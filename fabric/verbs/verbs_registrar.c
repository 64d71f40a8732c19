/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * verbs_registrar.c - the thread that registers memory during the job; see verbs.h.
 *
 * Registering allocates, takes locks of the library and the kernel, and pins megabytes: not
 * allowed in a fault handler, nor for a serving thread. Both request a piece, and the registrar
 * registers it; they wait until the piece is known, or continue.
 *
 *    unknown ------------> wanted -------------> known: registered, its key in every peer's table
 *            verbs_want            serve_piece
 *
 * Invariants
 *   - A bit of `wanted` is set by a thread that requests the piece, and cleared by the registrar
 *     before it serves the piece: if it is set again, the registrar serves the piece again.
 *   - `asked` is raised after the bit was set; the registrar reads it before it searches for bits,
 *     and sleeps only if it has not changed.
 *   - `served` is raised after the piece's bit of `known` was set; a waiter reads it before it
 *     tests that bit, and sleeps only if it has not changed.
 *   - The registrar waits for peers' adapters, never for their CPUs: it works while no thread
 *     serves, and finishes its requests before it ends (verbs_registrar_stop).
 */
#include "fabric/verbs/verbs_parts.h"

#include <limits.h>

#include "base/futex.h"
#include "base/quiet_thread.h"
#include "base/tasks.h"

static void verbs_registrar_raise_and_wake(_Atomic uint32_t *word, int wake)
{
    atomic_fetch_add(word, 1);
    futex_wake(word, wake);
}

static uint64_t verbs_registrar_bit_of(size_t piece)
{
    return UINT64_C(1) << piece % 64;
}

bool verbs_known(const struct verbs_window *w, size_t piece)
{
    return atomic_load_explicit(&w->known[piece / 64], memory_order_acquire) &
           verbs_registrar_bit_of(piece);
}

void verbs_set_known(struct verbs_fabric *v, struct verbs_window *w, size_t piece)
{
    atomic_fetch_or(&w->known[piece / 64], verbs_registrar_bit_of(piece));
    verbs_registrar_raise_and_wake(&v->served, INT_MAX);
}

void verbs_want(struct verbs_fabric *v, int win, size_t piece)
{
    struct verbs_window *w = &v->window[win];
    if (verbs_known(w, piece) ||
        atomic_fetch_or(&w->wanted[piece / 64], verbs_registrar_bit_of(piece)) &
            verbs_registrar_bit_of(piece))
        return;
    verbs_registrar_raise_and_wake(&v->asked, 1);
}

void verbs_registrar_look(struct verbs_fabric *v)
{
    verbs_registrar_raise_and_wake(&v->asked, 1);
}

void verbs_await_known(struct verbs_fabric *v, int win, size_t piece)
{
    struct verbs_window *w = &v->window[win];
    while (!verbs_known(w, piece)) {
        uint32_t seen = atomic_load(&v->served);
        if (!verbs_known(w, piece))
            futex_wait(&v->served, seen, -1);
    }
}

static void verbs_registrar_serve_window(struct verbs_fabric *v, int win)
{
    struct verbs_window *w = &v->window[win];
    for (size_t i = 0; i < (w->pieces + 63) / 64; i++) {
        if (atomic_load_explicit(&w->wanted[i], memory_order_relaxed) == 0)
            continue;
        uint64_t bits = atomic_exchange(&w->wanted[i], 0);
        for (size_t piece = 64 * i; bits; piece++, bits >>= 1)
            if ((bits & 1) && !verbs_known(w, piece))
                verbs_make_known(v, win, piece);
    }
}

static void *verbs_registrar_main(void *arg)
{
    struct verbs_fabric *v = arg;
    verbs_may_register(true);
    tasks_own(1);
    for (bool last = false; !last;) {
        uint32_t seen = atomic_load(&v->asked);
        last = atomic_load(&v->registrar_stops);
        verbs_regions_reap(v);
        int windows = atomic_load_explicit(&v->windows, memory_order_acquire);
        for (int win = 0; win < windows; win++)
            verbs_registrar_serve_window(v, win);
        if (!last)
            futex_wait(&v->asked, seen, -1);
    }
    tasks_own(-1);
    return NULL;
}

int verbs_registrar_start(struct verbs_fabric *v)
{
    int rc = quiet_thread_create(&v->registrar, NULL, verbs_registrar_main, v);
    v->registrar_runs = rc == 0;
    return rc;
}

void verbs_registrar_stop(struct verbs_fabric *v)
{
    if (!v->registrar_runs)
        return;
    atomic_store(&v->registrar_stops, true);
    verbs_registrar_raise_and_wake(&v->asked, 1);
    pthread_join(v->registrar, NULL);
    v->registrar_runs = false;
}
