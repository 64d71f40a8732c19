/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Windows (hlrc/rma), pieces: strided, in up to eight levels, and listed ones are copied as one
 * byte after the other would be, and what lies between them is left alone; from and to private
 * memory, windows, and shared memory (window.h, [thread.no-fault]).
 */
#include "tests/litmus/litmus.h"

#include <string.h>

LITMUS("windows, pieces", 1, 2, 3, 5)

#define SLOT   (64u * 1024u) /* of a window and of other memory, for each node */
#define ROUNDS 60
#define LISTED 150

static unsigned char *window;
static volatile unsigned char *shared;
static uint64_t state;

static size_t draw(size_t below)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (size_t)(state >> 33) % below;
}

static unsigned char *slot_of(int node)
{
    return window + (size_t)node * SLOT;
}

/* Of three kinds, each SLOT bytes. */
static unsigned char *buffer_of(size_t kind)
{
    static unsigned char private[SLOT];
    return kind == 0   ? private
           : kind == 1 ? slot_of(nodes)
                       : (unsigned char *)(uintptr_t)shared + (size_t)me * SLOT;
}

struct section {
    int levels;
    size_t counts[HLRC_STRIDE_LEVELS + 1], far[HLRC_STRIDE_LEVELS], near[HLRC_STRIDE_LEVELS];
    size_t there, here; /* of the first piece, in a slot and in a buffer */
};

/* Strides that keep pieces apart, or join them; all of it fits into SLOT. */
static struct section draw_section(void)
{
    struct section s = { .levels = (int)draw(HLRC_STRIDE_LEVELS + 1) };
    size_t far = s.counts[0] = draw(10) ? 1 + draw(40) : 0, near = far;
    if (draw(10) == 0)
        far = near = s.counts[0] = 1 + draw(6000);
    for (int i = 0; i < s.levels; i++) {
        size_t wide = far > near ? far : near, fit = SLOT / 2 / (wide + 20);
        s.far[i] = draw(3) ? far + draw(17) : far;
        s.near[i] = draw(3) ? near + draw(5) : near;
        s.counts[i + 1] = fit < 2    ? 1
                          : draw(20) ? 1 + draw(fit < 9     ? fit
                                                : i         ? 3
                                                : 200 < fit ? 200
                                                            : fit)
                                     : 0;
        far = s.far[i] * (s.counts[i + 1] ? s.counts[i + 1] : 1);
        near = s.near[i] * (s.counts[i + 1] ? s.counts[i + 1] : 1);
    }
    s.there = draw(64);
    s.here = draw(64);
    return s;
}

/* One byte after the other: to `far` from `near`, or back. */
static void simulate(const struct section *s, int level, unsigned char *far, unsigned char *near,
                     bool put)
{
    if (level == 0) {
        for (size_t i = 0; i < s->counts[0]; i++)
            *(put ? far + i : near + i) = *(put ? near + i : far + i);
        return;
    }
    for (size_t i = 0; i < s->counts[level]; i++)
        simulate(s, level - 1, far + i * s->far[level - 1], near + i * s->near[level - 1], put);
}

static void fill(unsigned char *at)
{
    for (size_t i = 0; i < SLOT; i++)
        at[i] = (unsigned char)(draw(251) + 1);
}

static unsigned char there[SLOT], here[SLOT]; /* what should be */

static void put(const struct section *s, unsigned char *buffer, int to, bool begun)
{
    hlrc_handle_t handle;
    if (!begun) {
        hlrc_put_strided(slot_of(me) + s->there, s->far, buffer + s->here, s->near, s->counts,
                         s->levels, to);
        return;
    }
    hlrc_put_strided_nb(slot_of(me) + s->there, s->far, buffer + s->here, s->near, s->counts,
                        s->levels, to, &handle);
    hlrc_wait(handle);
}

static void get(const struct section *s, unsigned char *buffer, int from, bool begun)
{
    if (!begun) {
        hlrc_get_strided(buffer + s->here, s->near, slot_of(me) + s->there, s->far, s->counts,
                         s->levels, from);
        return;
    }
    hlrc_get_strided_nb(buffer + s->here, s->near, slot_of(me) + s->there, s->far, s->counts,
                        s->levels, from, NULL);
    hlrc_fence(from);
}

static void check(const unsigned char *got, const unsigned char *want, const char *what, int round)
{
    for (size_t i = 0; i < SLOT; i++)
        expect(got[i] == want[i], "round %d, %s: byte %zu is %d, not %d", round, what, i, got[i],
               want[i]);
}

static void strided(int round)
{
    static unsigned char back[SLOT];
    struct section s = draw_section();
    int to = (me + 1 + round) % nodes;
    unsigned char *buffer = buffer_of((size_t)round % 3);
    fill(buffer);
    memcpy(here, buffer, SLOT);
    hlrc_get(there, slot_of(me), SLOT, to);
    simulate(&s, s.levels, there + s.there, here + s.here, true);
    put(&s, buffer, to, round & 1);
    hlrc_get(back, slot_of(me), SLOT, to);
    check(back, there, "put", round);
    s = draw_section();
    simulate(&s, s.levels, there + s.there, here + s.here, false);
    get(&s, buffer, to, round & 2);
    check(buffer, here, "got", round);
}

/* Pieces of all kinds of memory in one list, in two windows there. */
static void listed(int round)
{
    static unsigned char back[SLOT];
    void *far[LISTED], *near[LISTED];
    const size_t len = draw(300);
    int to = (me + 2 + round) % nodes;
    hlrc_handle_t handle;
    hlrc_get(there, slot_of(me), SLOT, to);
    for (size_t i = 0; i < LISTED; i++) {
        size_t k = (i * 7) % LISTED * 400 + i % 5;
        far[i] = slot_of(me) + k;
        near[i] = buffer_of((i + (size_t)round) % 3) + i * 400 + i % 3;
        for (size_t b = 0; b < len; b++)
            there[k + b] = ((unsigned char *)near[i])[b] = (unsigned char)draw(256);
    }
    hlrc_put_vector_nb(far, (const void *const *)near, LISTED, len, to, &handle);
    hlrc_wait(handle);
    hlrc_get(back, slot_of(me), SLOT, to);
    check(back, there, "put by a list", round);
    hlrc_barrier(); /* what is got goes to pages that another node has written */
    for (size_t i = 0; i < LISTED; i++)
        if ((i + (size_t)round) % 3 == 2)
            near[i] = (unsigned char *)(uintptr_t)shared +
                      (size_t)((me + 1 + round) % nodes) * SLOT + i * 400 + i % 3;
        else
            memset(near[i], 0, len);
    if (round & 1) {
        hlrc_get_vector(near, (const void *const *)far, LISTED, len, to);
    } else {
        hlrc_get_vector_nb(near, (const void *const *)far, LISTED, len, to, NULL);
        hlrc_fence_all();
    }
    for (size_t i = 0; i < LISTED; i++)
        expect(memcmp(near[i], there + ((unsigned char *)far[i] - slot_of(me)), len) == 0,
               "round %d: piece %zu of %zu bytes, got by a list", round, i, len);
    hlrc_put_vector(NULL, NULL, 0, 8, to);
    hlrc_barrier();
}

void litmus_run(void)
{
    window = hlrc_window_create((size_t)(nodes + 1) * SLOT);
    expect(window != NULL, "hlrc_window_create");
    shared = shared_bytes((uint64_t)nodes * SLOT);
    state = (uint64_t)me + 1;
    for (int round = 0; round < ROUNDS; round++) {
        strided(round);
        if (round % 6 == 0)
            listed(round);
        if (round % 10 == 9)
            hlrc_barrier(); /* the pages of shared memory are stale, or closed, afterwards */
    }
    hlrc_barrier();
    hlrc_window_free(window);
}
