/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * verbs_long.c - long transfers from and to memory outside of windows.
 *
 * Through slots, as for short ones, each FABRIC_INLINE bytes would need a work request and a copy.
 * So the memory is registered, CHUNK bytes at a time: while one chunk is in flight the next is
 * being registered (the third scheme of Nieplocha, Ju and Apra, One-sided Communication on the
 * Myrinet-based SMP Clusters using the GM Message-Passing Library).
 *
 *          take                       last completion             registrar, or the next taker
 *  FREE ----------> USED, registered -----------------> ENDED ----------------> FREE, deregistered
 *
 * Invariants
 *   - A region serves only the operations that it was registered for, and none after them: the
 *     program may unmap its memory then, and the fabric is not notified of that.
 *   - The thread that completes an operation may be in a fault handler: it frees nothing, but
 *     requests from the registrar to deregister the region, soon, since the region pins memory
 *     until then.
 *   - If no region is free, or memory cannot be locked, a chunk goes through slots: slower, but no
 *     failure.
 */
#include <assert.h>

#include "fabric/verbs/verbs_parts.h"

#define CHUNK ((size_t)256 << 10)

enum { FREE, TAKEN, USED, ENDED };

static void verbs_long_deregister(struct verbs_region *r)
{
    ibv_dereg_mr(r->mr);
    r->mr = NULL;
}

/* A FREE region, or an ENDED one after deregistering it; NULL: all are in use. */
static struct verbs_region *verbs_long_take_region(struct verbs_fabric *v)
{
    for (struct verbs_region *r = v->region; r < v->region + VERBS_REGIONS; r++) {
        int state = atomic_load_explicit(&r->state, memory_order_relaxed);
        if ((state != FREE && state != ENDED) ||
            !atomic_compare_exchange_strong(&r->state, &state, TAKEN))
            continue;
        if (state == ENDED)
            verbs_long_deregister(r);
        return r;
    }
    return NULL;
}

static struct verbs_region *verbs_long_register_chunk(struct verbs_fabric *v, void *at, size_t len,
                                                      unsigned access)
{
    struct verbs_region *r = verbs_long_take_region(v);
    if (!r)
        return NULL;
    r->mr = ibv_reg_mr(v->pd, at, len, access);
    if (!r->mr) {
        atomic_store_explicit(&r->state, FREE, memory_order_release);
        return NULL;
    }
    atomic_store_explicit(&r->users, 1, memory_order_relaxed); /* the caller, until all posted */
    atomic_store_explicit(&r->state, USED, memory_order_relaxed);
    return r;
}

void verbs_region_done(struct verbs_fabric *v, struct verbs_region *r)
{
    assert(atomic_load_explicit(&r->state, memory_order_relaxed) == USED);
    if (atomic_fetch_sub_explicit(&r->users, 1, memory_order_acq_rel) != 1)
        return;
    atomic_store_explicit(&r->state, ENDED, memory_order_release);
    verbs_registrar_look(v);
}

void verbs_regions_reap(struct verbs_fabric *v)
{
    for (struct verbs_region *r = v->region; r < v->region + VERBS_REGIONS; r++) {
        int ended = ENDED;
        if (!atomic_compare_exchange_strong(&r->state, &ended, TAKEN))
            continue;
        verbs_long_deregister(r);
        atomic_store_explicit(&r->state, FREE, memory_order_release);
    }
}

/* One work request for each piece in which the peer's memory is registered. */
static void verbs_long_start_registered(struct verbs_fabric *v, struct verbs_order *o, int win,
                                        size_t off, size_t len)
{
    struct verbs_region *r = o->region;
    o->bounce = -1;
    o->lkey = r->mr->lkey;
    for (; len; len -= o->len, off += o->len, o->local = (char *)o->local + o->len) {
        o->len = len;
        o->rkey = verbs_remote_key(v, o->peer, win, off, &o->len);
        o->remote = verbs_remote_at(v, o->peer, win, off);
        atomic_fetch_add_explicit(&r->users, 1, memory_order_relaxed);
        verbs_post(v, o);
    }
    verbs_region_done(v, r);
}

static void verbs_long_count(struct verbs_fabric *v, bool reads, int peer, size_t len)
{
    struct verbs_count *c = &v->count[peer];
    atomic_fetch_add_explicit(reads ? &v->reads : &v->writes, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(reads ? &c->read_bytes : &c->written_bytes, len,
                              memory_order_relaxed);
}

static void verbs_long_start(struct verbs_fabric *v, enum verbs_kind kind, int peer, int win,
                             size_t off, char *local, size_t len, struct fabric_op *op)
{
    verbs_long_count(v, kind == VERBS_READ, peer, len);
    for (size_t n; len; len -= n, off += n, local += n) {
        struct verbs_order o = { .kind = kind, .peer = peer, .op = op, .local = local };
        n = len < CHUNK ? len : CHUNK;
        o.region =
            verbs_long_register_chunk(v, local, n, kind == VERBS_READ ? IBV_ACCESS_LOCAL_WRITE : 0);
        if (o.region)
            verbs_long_start_registered(v, &o, win, off, n);
        else
            verbs_transfer(v, &o, win, off, local, n);
    }
}

void verbs_read_long(struct fabric *f, int peer, int win, size_t off, void *dst, size_t len,
                     struct fabric_op *op)
{
    struct verbs_fabric *v = verbs_of(f);
    if (v->peer[peer].near || verbs_in_window(v, dst))
        verbs_read(f, peer, win, off, dst, len, op);
    else
        verbs_long_start(v, VERBS_READ, peer, win, off, dst, len, op);
}

void verbs_write_long(struct fabric *f, int peer, int win, size_t off, const void *src, size_t len,
                      struct fabric_op *op)
{
    struct verbs_fabric *v = verbs_of(f);
    if (v->peer[peer].near || verbs_in_window(v, src))
        verbs_write(f, peer, win, off, src, len, op);
    else
        verbs_long_start(v, VERBS_WRITE, peer, win, off, (char *)(uintptr_t)src, len, op);
}
