/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Windows (hlrc/rma): bytes that are put are where they were put and nowhere else, at any place and
 * of any length (window.h), whatever memory they come from [thread.no-fault]; operations that are
 * begun end (handle.h); words (accumulate.c) and mutexes; a part is reached while its node stands;
 * a window that is made where one was is zero.
 */
#include "tests/litmus/litmus.h"

#include <errno.h>
#include <string.h>

LITMUS("windows", 1, 2, 3, 5)

#define SLOT    131072u /* of a window, for each node that puts there */
#define THREADS 3
#define COUNT   40
#define FLAG    (8u * PAGE) /* of `window`: words; the slots lie behind */
#define GUARD   0xee
#define FAR     (17u << 20) /* behind the slots: more than an adapter registers at once */

static const size_t lengths[] = { 0, 1, 3, 7, 8, 9, 64, 100, 4095, 4096, 4097, 20000, 100000 };
#define LENGTHS (sizeof lengths / sizeof lengths[0])

static unsigned char *window;
static volatile unsigned char *shared; /* SLOT bytes for each node */

static unsigned char *slot_of(int node)
{
    return window + FLAG + (size_t)node * SLOT;
}

static unsigned char pattern(int from, int to, size_t k, size_t i)
{
    return (unsigned char)(from * 31 + to * 17 + (int)(k * 7 + i * 13 + i / 251));
}

static void fill(unsigned char *at, int from, int to, size_t k)
{
    for (size_t i = 0; i < lengths[k]; i++)
        at[i] = pattern(from, to, k, i);
}

/* The bytes from `at` on that k says, and guards around them. */
static void check(const unsigned char *at, int from, int to, size_t k, const char *what)
{
    size_t n = lengths[k];
    for (size_t i = 0; i < n; i++)
        expect(at[i] == pattern(from, to, k, i), "%s: byte %zu of %zu, from node %d to node %d",
               what, i, n, from, to);
    expect(at[-1] == GUARD && at[n] == GUARD, "%s: beside %zu bytes, from node %d to node %d", what,
           n, from, to);
}

/* Where the bytes come from, and go to: the heap, another window, shared memory. */
enum { PRIVATE, OWN, SHARED, KINDS };

static unsigned char *buffer_of(int kind)
{
    static unsigned char heap[SLOT];
    return kind == PRIVATE ? heap
           : kind == OWN   ? slot_of(nodes)
                           : (unsigned char *)(uintptr_t)shared + (size_t)me * SLOT;
}

/* To every node, and back from it; each node then looks at what it has. */
static void copies(int kind, size_t k)
{
    unsigned char *mine = buffer_of(kind) + 1 + k % 5;
    for (int n = 0; n < nodes; n++)
        memset(slot_of(n), GUARD, lengths[k] + 64);
    hlrc_barrier();
    for (int n = 0; n < nodes; n++) {
        fill(mine, me, n, k);
        hlrc_put(slot_of(me) + 1 + k % 3, mine, lengths[k], n);
        memset(mine - 1, GUARD, lengths[k] + 2);
        hlrc_get(mine, slot_of(me) + 1 + k % 3, lengths[k], n);
        check(mine, me, n, k, "got back");
    }
    hlrc_barrier();
    for (int n = 0; n < nodes; n++)
        check(slot_of(n) + 1 + k % 3, n, me, k, "put here");
    hlrc_barrier();
}

/* What a node has stored before a barrier, others get behind it, page by page from home to home. */
static void by_way_of_shared_memory(void)
{
    size_t k = LENGTHS - 1;
    int next = (me + 1) % nodes;
    unsigned char *theirs = (unsigned char *)(uintptr_t)shared + (size_t)next * SLOT + 9;
    memset(slot_of(me), GUARD, SLOT);
    fill((unsigned char *)(uintptr_t)shared + (size_t)me * SLOT + 9, me, me, k);
    hlrc_barrier();
    hlrc_put(slot_of(me) + 8, theirs, lengths[k], me); /* faults */
    check(slot_of(me) + 8, next, next, k, "put from shared memory");
    hlrc_barrier();
}

/* ---- operations that are begun ---- */

#define BEGUN 24

static void begun(int how)
{
    static unsigned char out[BEGUN][5000], in[BEGUN][5000];
    hlrc_handle_t handle[2 * BEGUN];
    int to = (me + 1) % nodes;
    for (size_t i = 0; i < BEGUN; i++) {
        memset(out[i], (int)(i + 1 + (size_t)how), sizeof out[i]);
        hlrc_put_nb(slot_of(me) + i * 5000, out[i], 5000 - i, to, how ? &handle[i] : NULL);
    }
    if (how == 0)
        hlrc_fence(to);
    for (size_t i = BEGUN; how == 1 && i-- > 0;)
        hlrc_wait(handle[i]);
    for (size_t i = 0; how == 2 && i < BEGUN; i++)
        while (!hlrc_test(handle[i]))
            ;
    if (how == 3) /* the handles are still to be ended */
        hlrc_fence_all();
    for (size_t i = 0; i < BEGUN; i++)
        hlrc_get_nb(in[i], slot_of(me) + i * 5000, 5000 - i, to, &handle[BEGUN + i]);
    for (size_t i = how == 3 ? 0 : BEGUN; i < (size_t)2 * BEGUN; i++)
        hlrc_wait(handle[i]);
    for (size_t i = 0; i < BEGUN; i++)
        expect(memcmp(in[i], out[i], 5000 - i) == 0, "way %d: operation %zu was not over", how, i);
    hlrc_barrier();
}

/* A word says that the bytes before it are there. */
static void fenced(void)
{
    static unsigned char out[20000];
    int to = (me + 1) % nodes, from = (me + nodes - 1) % nodes;
    uint64_t *mine = (uint64_t *)(void *)window + me * 8,
             *its = (uint64_t *)(void *)window + from * 8;
    uint64_t seen, round;
    for (round = 1; round <= 6; round++) {
        hlrc_handle_t handle = { 0 };
        memset(out, (int)round, sizeof out);
        hlrc_put_nb(slot_of(me), out, sizeof out, to, round & 1 ? &handle : NULL);
        hlrc_fence(to);
        expect(hlrc_word_fetch(hlrc_word_window(mine, to), HLRC_UINT64, HLRC_REPLACE, &round, NULL,
                               HLRC_RELAXED) == 0,
               "hlrc_word_fetch");
        do
            expect(hlrc_word_fetch(hlrc_word_window(its, me), HLRC_UINT64, HLRC_NO_OP, NULL, &seen,
                                   HLRC_RELAXED) == 0,
                   "hlrc_word_fetch");
        while (seen < round);
        for (size_t i = 0; i < sizeof out; i++)
            expect(slot_of(from)[i] == (unsigned char)round, "fence %d: byte %zu is %d", (int)round,
                   i, slot_of(from)[i]);
        if (handle.id)
            hlrc_wait(handle);
        hlrc_barrier();
    }
}

/* ---- words ---- */

#define CHECK(T, type, op, before, value, after)                                                  \
    do {                                                                                          \
        T b = (before), v = (value), a = (after), old = 0, got = 0,                               \
          *w = (T *)(void *)(slot_of(me) + 64);                                                   \
        hlrc_word_fetch(hlrc_word_window(w, to), type, HLRC_REPLACE, &b, NULL, HLRC_RELAXED);     \
        int rc = hlrc_word_fetch(hlrc_word_window(w, to), type, op, &v, &old, HLRC_RELAXED);      \
        hlrc_word_fetch(hlrc_word_window(w, to), type, HLRC_NO_OP, NULL, &got, HLRC_RELAXED);     \
        expect(rc == 0 && old == b && got == a, #type ", " #op ": %d, %g was %g, becomes %g", rc, \
               (double)b, (double)old, (double)got);                                              \
    } while (0)

static void each_operation(void)
{
    int to = (me + 1) % nodes;
    CHECK(int32_t, HLRC_INT32, HLRC_SUM, INT32_MAX, 1, INT32_MIN);
    CHECK(uint32_t, HLRC_UINT32, HLRC_REPLACE, 5, 6, 6);
    CHECK(int64_t, HLRC_INT64, HLRC_SUM, -5, -6, -11);
    CHECK(int64_t, HLRC_INT64, HLRC_MIN, 5, -6, -6);
    CHECK(uint64_t, HLRC_UINT64, HLRC_XOR, 12, 10, 6);
    CHECK(uint64_t, HLRC_UINT64, HLRC_REPLACE, 12, 10, 10);
    CHECK(double, HLRC_DOUBLE, HLRC_SUM, 0.5, 0.25, 0.75);
    uint64_t v = 1;
    uint32_t seen = 7, want = 9, *half = (uint32_t *)(void *)(slot_of(me) + 68);
    expect(hlrc_word_fetch(hlrc_word_window(half, to), HLRC_UINT32, HLRC_REPLACE, &seen, NULL,
                           HLRC_RELAXED) == 0,
           "set");
    seen = 8;
    expect(hlrc_word_compare(hlrc_word_window(half, to), HLRC_UINT32, &seen, &want, HLRC_RELAXED) ==
                   0 &&
               seen == 7,
           "a miss");
    expect(hlrc_word_compare(hlrc_word_window(half, to), HLRC_UINT32, &seen, &want, HLRC_RELAXED) ==
                   1 &&
               seen == 7,
           "a hit");
    hlrc_get(&seen, half, sizeof seen, to);
    expect(seen == 9, "swapped: %u", seen);
    expect(hlrc_word_fetch(hlrc_word_window((char *)half + 2, to), HLRC_UINT32, HLRC_SUM, &v, NULL,
                           HLRC_RELAXED) == -EINVAL,
           "aligned");
    expect(hlrc_word_fetch(hlrc_word_window(half, to), HLRC_DOUBLE, HLRC_XOR, &v, NULL,
                           HLRC_RELAXED) == -EINVAL,
           "bits of a double");
    hlrc_barrier();
}

/* Where atomics of the fabric do not leave the bytes beside a word alone, 4 are written. */
static void beside_others(void)
{
    const char *fabric = getenv("HLRC_FABRIC");
    uint32_t one = 1, *half = (uint32_t *)(void *)(slot_of(me) + 68);
    if (!fabric || !strstr(fabric, "-noswap") || nodes == 1)
        return;
    struct hlrc_stats before = stats();
    for (int i = 0; i < 1000; i++)
        hlrc_word_fetch(hlrc_word_window(half, (me + 1) % nodes), HLRC_UINT32, HLRC_SUM, &one, NULL,
                        HLRC_RELAXED);
    struct hlrc_stats after = stats();
    expect(after.rdma_writes - before.rdma_writes >= 1000, "%ju writes for 1000 words of 4 bytes",
           (uintmax_t)(after.rdma_writes - before.rdma_writes));
    hlrc_barrier();
}

/* Each ticket is given out once; half a word beside another half. */
static unsigned char taken[5 * THREADS * COUNT];

static void tickets(int thread)
{
    uint64_t *words = (uint64_t *)(void *)(window + PAGE),
             total = (uint64_t)(nodes * THREADS * COUNT);
    int last = nodes - 1;
    for (int i = 0; i < COUNT; i++) {
        uint64_t one = 1, mine = 0, seen, next;
        hlrc_word_fetch(hlrc_word_window(&words[0], last), HLRC_UINT64, HLRC_SUM, &one, &mine,
                        HLRC_RELAXED);
        expect(mine < total, "ticket %ju of %ju", (uintmax_t)mine, (uintmax_t)total);
        taken[mine] = 1;
        hlrc_word_fetch(hlrc_word_window((uint32_t *)&words[1] + thread % 2, last), HLRC_UINT32,
                        HLRC_SUM, &one, NULL, HLRC_RELAXED);
        hlrc_word_fetch(hlrc_word_window(&words[2], last), HLRC_UINT64, HLRC_NO_OP, NULL, &seen,
                        HLRC_RELAXED);
        do
            next = seen + 3;
        while (hlrc_word_compare(hlrc_word_window(&words[2], last), HLRC_UINT64, &seen, &next,
                                 HLRC_RELAXED) == 0);
    }
}

/* ---- words, many at a time ---- */

#define MANY 600 /* of three threads more than HLRC keeps */

/* Sums without an end of their own; tickets with a handle each, of which each is given once. */
static void queued(int thread)
{
    static uint64_t got[THREADS][MANY];
    hlrc_handle_t handle[MANY];
    uint64_t *words = (uint64_t *)(void *)(window + PAGE) + 8, one = 1, bit = (uint64_t)1 << thread;
    int last = nodes - 1;
    for (int i = 0; i < MANY; i++) {
        hlrc_word_fetch_nb(hlrc_word_window(&words[i % 3], last), HLRC_UINT64, HLRC_SUM, &one, NULL,
                           NULL);
        hlrc_word_fetch_nb(hlrc_word_window(&words[3], last), HLRC_UINT64, HLRC_XOR, &bit, NULL,
                           NULL);
        expect(hlrc_word_fetch_nb(hlrc_word_window(&words[4], last), HLRC_INT64, HLRC_SUM, &one,
                                  &got[thread][i], &handle[i]) == 0,
               "hlrc_word_fetch_nb");
        one = 1;
    }
    for (int i = MANY - 1; i >= 0; i--)
        if (i % 2)
            hlrc_wait(handle[i]);
        else
            while (!hlrc_test(handle[i]))
                ;
    for (int i = 0; i < MANY; i++) {
        one = (uint64_t)1 << got[thread][i] % 64;
        hlrc_word_fetch_nb(hlrc_word_window(&words[8 + got[thread][i] / 64], last), HLRC_UINT64,
                           i % 2 ? HLRC_OR : HLRC_XOR, &one, NULL, NULL);
    }
    hlrc_fence(last);
}

static void check_queued(void)
{
    uint64_t *words = (uint64_t *)(void *)(window + PAGE) + 8, word[5], bits,
             total = (uint64_t)(nodes * THREADS * MANY);
    hlrc_get(word, words, sizeof word, nodes - 1);
    for (int i = 0; i < 3; i++)
        expect_word(word[i], total / 3, "queued sums");
    expect_word(word[3], 0, "bits, changed an even number of times each");
    expect_word(word[4], total, "queued tickets");
    for (uint64_t i = 0; i < total / 64; i++) {
        hlrc_get(&bits, &words[8 + i], 8, nodes - 1);
        expect_word(bits, UINT64_MAX, "each ticket, once");
    }
    hlrc_barrier();
}

/* The operations that are performed at once, and refusals. */
static void not_queued(void)
{
    uint32_t two = 2, *half = (uint32_t *)(void *)(slot_of(me) + 68), seen = 0;
    uint64_t v = 6, old = 0, *word = (uint64_t *)(void *)(slot_of(me) + 72);
    uint64_t *open = (uint64_t *)(void *)shared + me * 512;
    int to = (me + 1) % nodes;
    hlrc_handle_t handle;
    hlrc_put(half, &two, sizeof two, to);
    hlrc_word_fetch_nb(hlrc_word_window(half, to), HLRC_UINT32, HLRC_SUM, &two, &seen, &handle);
    expect(seen == 2, "at once: %u", seen);
    hlrc_wait(handle);
    hlrc_word_fetch_nb(hlrc_word_window(word, to), HLRC_UINT64, HLRC_REPLACE, &v, &old, NULL);
    hlrc_fence_all();
    hlrc_word_fetch_nb(hlrc_word_window(word, to), HLRC_UINT64, HLRC_SUM, &v, open, &handle);
    expect(*open == 6 && hlrc_test(handle) == 1, "in shared memory: %ju", (uintmax_t)*open);
    v = 8;
    hlrc_word_fetch_nb(hlrc_word_window(word, to), HLRC_UINT64, HLRC_AND, &v, &old, &handle);
    v = 0;
    hlrc_wait(handle);
    expect(old == 12 && hlrc_word_fetch_nb(hlrc_word_window((char *)word + 4, to), HLRC_UINT64,
                                           HLRC_SUM, &v, NULL, NULL) == -EINVAL,
           "aligned");
    hlrc_get(&old, word, sizeof old, to);
    expect_word(old, 8, "and");
    hlrc_barrier();
}

static void check_tickets(void)
{
    uint64_t *words = (uint64_t *)(void *)(window + PAGE),
             total = (uint64_t)(nodes * THREADS * COUNT);
    uint64_t mine = 0, all = 0, word[3];
    for (uint64_t i = 0; i < total; i++)
        mine += taken[i];
    expect(mine == THREADS * COUNT, "%ju tickets came here", (uintmax_t)mine);
    hlrc_get(word, words, sizeof word, nodes - 1);
    uint32_t half[2];
    memcpy(half, &word[1], sizeof half);
    all = (uint64_t)half[0] + half[1];
    expect_word(word[0], total, "the counter of tickets");
    expect(all == total && half[1] == total / THREADS, "halves are %u and %u", half[0], half[1]);
    expect_word(word[2], 3 * total, "by compare-and-swap");
}

/* ---- mutexes ---- */

/* A counter that is got and put again, and in whose neighbour each writes who was there. */
static void counted(int thread)
{
    uint64_t *words = (uint64_t *)(void *)(window + (size_t)(2 + thread % 2) * PAGE);
    for (int i = 0; i < COUNT; i++) {
        uint64_t two[2], me_here = (uint64_t)(me * THREADS + thread + 1);
        int at = nodes - 1;
        hlrc_mutex_lock((unsigned)(thread % 2), at);
        hlrc_get(two, words, sizeof two, at);
        expect(two[1] == 0, "thread %d of node %d is there, too", (int)(two[1] - 1) % THREADS,
               (int)(two[1] - 1) / THREADS);
        hlrc_put(&words[1], &me_here, 8, at);
        two[0]++;
        two[1] = 0;
        hlrc_put(words, two, sizeof two, at);
        hlrc_mutex_unlock((unsigned)(thread % 2), at);
    }
}

static void mutexes(void)
{
    in_threads(THREADS, counted);
    hlrc_barrier();
    uint64_t even, odd;
    hlrc_get(&even, window + (size_t)2 * PAGE, 8, nodes - 1);
    hlrc_get(&odd, window + (size_t)3 * PAGE, 8, nodes - 1);
    expect_word(even, (uint64_t)(nodes * 2 * COUNT), "counted under mutex 0");
    expect_word(odd, (uint64_t)(nodes * COUNT), "counted under mutex 1");
    hlrc_barrier();
}

/* ---- the target does nothing ---- */

static uint64_t requests(void)
{
    return stats().messages;
}

static void while_it_stands(void)
{
    static unsigned char out[30000], in[30000];
    uint64_t one = 1, old, before = requests();
    stop_node(1);
    memset(out, 0x5a, sizeof out);
    hlrc_put(slot_of(me), out, sizeof out, 1);
    hlrc_get(in, slot_of(me), sizeof in, 1);
    expect(memcmp(in, out, sizeof in) == 0, "got something else while it stood");
    hlrc_put_nb(slot_of(nodes + 1) + FAR - 8, in, 8, 1, NULL); /* where nobody has been */
    hlrc_fence(1);
    expect(hlrc_word_fetch(hlrc_word_window(window + (size_t)4 * PAGE, 1), HLRC_UINT64, HLRC_SUM,
                           &one, &old, HLRC_RELAXED) == 0 &&
               old == 0,
           "hlrc_word_fetch");
    hlrc_mutex_lock(9, 1);
    hlrc_mutex_unlock(9, 1);
    expect(requests() == before, "%ju messages were sent", (uintmax_t)(requests() - before));
    continue_node(1);
}

/* ---- windows come and go ---- */

static void again(void)
{
    unsigned char *all[6];
    for (int i = 0; i < 6; i++) {
        all[i] = hlrc_window_create((size_t)i * 5000);
        expect(all[i] != NULL, "window %d", i);
        memset(all[i], i + 1, (size_t)i * 5000);
    }
    for (int i = 0; i < 6; i += 2)
        hlrc_window_free(all[i]);
    for (int i = 0; i < 6; i += 2) {
        unsigned char *w = hlrc_window_create(9000), here[9000];
        uintptr_t address = (uintptr_t)w;
        expect(hlrc_broadcast(&address, sizeof address, 0) == 0 && address == (uintptr_t)w,
               "a window at other addresses");
        hlrc_get(here, w, sizeof here, (me + 1) % nodes);
        for (size_t k = 0; k < sizeof here; k++)
            expect(here[k] == 0 && w[k] == 0, "byte %zu of a new window is %d, %d", k, here[k],
                   w[k]);
        hlrc_barrier();
        hlrc_put(w + me, &(char){ 1 }, 1, (me + 1) % nodes);
        all[i] = w;
    }
    for (int i = 1; i < 6; i += 2)
        for (size_t k = 0; k < (size_t)i * 5000; k++)
            expect(all[i][k] == i + 1, "byte %zu of a window that stayed", k);
    for (int i = 0; i < 6; i++)
        hlrc_window_free(all[i]);
    hlrc_window_free(NULL);
    expect(hlrc_window_create(SIZE_MAX / 2) == NULL && errno == ENOMEM, "more than there is");
    expect(hlrc_window_create(SIZE_MAX) == NULL && errno == ENOMEM, "as much as can be said");
}

void litmus_run(void)
{
    window = hlrc_window_create(FLAG + (size_t)(nodes + 1) * SLOT + FAR);
    expect(window != NULL, "hlrc_window_create");
    shared = shared_bytes((uint64_t)nodes * SLOT);
    meet_pids();
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t k = (size_t)kind % 2; k < LENGTHS; k += kind == PRIVATE ? 1 : 2)
            copies(kind, k);
    by_way_of_shared_memory();
    for (int how = 0; how < 4; how++)
        begun(how);
    fenced();
    each_operation();
    beside_others();
    in_threads(THREADS, tickets);
    hlrc_barrier();
    check_tickets();
    in_threads(THREADS, queued);
    hlrc_barrier();
    check_queued();
    not_queued();
    mutexes();
    if (me == 0 && nodes > 1)
        while_it_stands();
    hlrc_barrier();
    again();
    static const char last = 1;
    hlrc_put_nb(slot_of(me), &last, 1, (me + 1) % nodes, NULL); /* open when it ends */
}
