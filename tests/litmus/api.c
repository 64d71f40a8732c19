/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The calls that 1.0 added: waits with a limit, a barrier that is tested, data of groups, groups
 * that are freed and made again, allocation by options, signals, words with types and orders. Each
 * result is what one thread would compute. */
#include "tests/litmus/litmus.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

LITMUS("the calls that 1.0 added", 1, 2, 3, 18)

#define MS     INT64_C(1000000)
#define LOCK   7
#define ROUNDS 20u

static volatile uint64_t *data;
static hlrc_cond_t cond, never; /* of all; of this node */
static hlrc_atomic_t step, word;

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 * MS + t.tv_nsec;
}

static void texts(void)
{
    expect(strcmp(hlrc_strerror(-EINVAL), hlrc_strerror(EINVAL)) == 0 &&
               strcmp(hlrc_strerror(0), "no error") == 0 &&
               strcmp(hlrc_strerror(12345), "unknown error") == 0 &&
               strcmp(hlrc_strerror(-EIO), strerror(EIO)) == 0,
           "hlrc_strerror");
    for (int e = -300; e < 300; e++)
        expect(hlrc_strerror(e) && hlrc_strerror(e)[0], "no text for %d", e);
}

/* ---- waits with a limit ---- */

static void timed_locks(void)
{
    if (me == 0)
        hlrc_lock(LOCK);
    hlrc_barrier();
    if (me != 0 && nodes < 4) {
        int64_t begin = now();
        expect(hlrc_lock_for(LOCK, 0) == -ETIMEDOUT, "a held lock");
        expect(hlrc_lock_for(LOCK, 20 * MS) == -ETIMEDOUT && now() - begin >= 20 * MS,
               "a held lock for 20 ms");
    }
    hlrc_barrier();
    if (me == 0) {
        data[0] = 41;
        hlrc_unlock(LOCK);
    }
    expect(hlrc_lock_for(LOCK, me % 2 ? HLRC_FOREVER : 60000 * MS) == 0, "a lock that gets free");
    expect(data[0]++ >= 41, "what the lock orders");
    hlrc_unlock(LOCK);
    hlrc_barrier();
    expect_word(data[0], 41 + (uint64_t)nodes, "each node had the lock");
    hlrc_barrier();
}

/* The wait ends without a signal, and the lock is held again; and each signal has an effect
 * although some waits time out. */
static void timed_conds(void)
{
    int64_t begin = now();
    hlrc_lock(LOCK);
    expect(hlrc_cond_wait_for(never, LOCK, 5 * MS) == -ETIMEDOUT && now() - begin >= 5 * MS,
           "a condition that nothing signals");
    data[1]++;
    hlrc_unlock(LOCK);
    hlrc_barrier();
    expect_word(data[1], (uint64_t)nodes, "under the lock again");
    hlrc_barrier();
    for (uint64_t turn = 0; turn < ROUNDS; turn++) {
        hlrc_lock(LOCK);
        while (data[2] % (uint64_t)nodes != (uint64_t)me)
            if (me % 2)
                hlrc_cond_wait(cond, LOCK);
            else
                (void)hlrc_cond_wait_for(cond, LOCK, turn % 2 ? 60000 * MS : MS / 10);
        data[2]++;
        hlrc_cond_broadcast(cond);
        hlrc_unlock(LOCK);
    }
    hlrc_barrier();
    expect_word(data[2], ROUNDS * (uint64_t)nodes, "turns");
    if (me == 0) { /* a signal that comes in time: by another thread's wait, none is pending */
        hlrc_lock(LOCK);
        expect(hlrc_cond_wait_for(cond, LOCK, 0) == -ETIMEDOUT, "no time at all");
        hlrc_unlock(LOCK);
    }
    hlrc_barrier();
    hlrc_lock(LOCK);
    if (me == 1) {
        data[3] = 1;
        hlrc_cond_signal(cond);
    }
    while (me == 0 && nodes > 1 && data[3] == 0)
        expect(hlrc_cond_wait_for(cond, LOCK, 60000 * MS) == 0, "a signal in time");
    hlrc_unlock(LOCK);
    hlrc_barrier();
}

/* Two threads wait; the time of the one that is second in the queue is over first. */
static void timed_behind_another(void)
{
    hlrc_lock(LOCK);
    while (me == 1 && data[6] == 0) {
        hlrc_unlock(LOCK);
        sched_yield();
        hlrc_lock(LOCK);
    }
    if (me == 1) {
        expect(hlrc_cond_wait_for(cond, LOCK, 2 * MS) == -ETIMEDOUT, "second in the queue");
        data[5] = 1;
        hlrc_cond_broadcast(cond);
    }
    data[6] = 1;
    while (me == 0 && nodes > 1 && data[5] == 0)
        hlrc_cond_wait(cond, LOCK);
    hlrc_unlock(LOCK);
    hlrc_barrier();
}

static void tested_barrier(void)
{
    for (uint64_t k = 1; k <= 3; k++) {
        if (me == 0 && nodes > 1) { /* the last to arrive, after all others have tested */
            await_atomic(step, k * (uint64_t)(nodes - 1));
            data[4] = k;
            hlrc_barrier_arrive();
        } else {
            hlrc_barrier_arrive();
            expect(hlrc_barrier_test() == (nodes == 1), "a barrier without node 0");
            hlrc_atomic_fetch_add(step, 1);
        }
        while (!hlrc_barrier_test())
            sched_yield();
        hlrc_barrier_depart();
        expect(nodes == 1 || data[4] == k, "departed after the test");
        hlrc_barrier();
    }
}

/* ---- groups ---- */

#define VALUES 777 /* more than one slot takes */

static void group_data(hlrc_group_t g, const int *list, int count)
{
    static double x[VALUES];
    static int64_t sum[VALUES];
    char text[3000];
    int root = list[count / 2];
    for (int i = 0; i < VALUES; i++)
        sum[i] = (me + 1) * (i + 1), x[i] = me * (i % 3 - 1);
    expect(hlrc_group_reduce(g, sum, sum, VALUES, HLRC_INT64, HLRC_SUM) == 0 &&
               hlrc_group_reduce(g, x, x, VALUES, HLRC_DOUBLE, HLRC_MAX) == 0,
           "hlrc_group_reduce");
    int64_t all = 0;
    int most = 0, least = HLRC_MAX_NODES;
    for (int i = 0; i < count; i++) {
        all += list[i] + 1;
        most = list[i] > most ? list[i] : most;
        least = list[i] < least ? list[i] : least;
    }
    for (int i = 0; i < VALUES; i++)
        expect(sum[i] == all * (i + 1) && x[i] == (i % 3 == 0   ? -least
                                                   : i % 3 == 1 ? 0
                                                                : most),
               "value %d: %jd, %g", i, (intmax_t)sum[i], x[i]);
    memset(text, me == root ? 'r' : 'x', sizeof text);
    text[2999] = (char)me;
    expect(hlrc_group_broadcast(g, text, sizeof text, root) == 0 && text[0] == 'r' &&
               text[2998] == 'r' && text[2999] == (char)root,
           "hlrc_group_broadcast");
    expect(hlrc_group_broadcast(g, text, 1, -1) == -EINVAL &&
               hlrc_group_reduce(g, x, x, 1, HLRC_DOUBLE, HLRC_AND) == -EINVAL &&
               hlrc_group_reduce(g, NULL, NULL, 0, HLRC_DOUBLE, HLRC_SUM) == 0,
           "arguments");
}

/* More groups than can exist at a time, with other members each time. */
static void groups_again(void)
{
    static int list[HLRC_MAX_NODES];
    for (int i = 0; i < nodes; i++)
        list[i] = nodes - 1 - i;
    for (int k = 0; k < HLRC_MAX_GROUPS + 6; k++) {
        int count = nodes > 2 && k % 3 == 1 ? nodes - 1 : nodes; /* node 0 is not in it */
        hlrc_group_t g;
        if (me < nodes - count)
            continue;
        expect(hlrc_group_create(list, count, &g) == 0, "group %d", k);
        if (k % 30 < 2)
            group_data(g, list, count);
        data[16 + me] = (uint64_t)k + 1;
        hlrc_group_barrier(g);
        for (int i = 0; i < count; i++)
            expect_word(data[16 + list[i]], (uint64_t)k + 1, "node %d's word, group %d", list[i],
                        k);
        if (k % 4 == 3)
            hlrc_group_barrier(g);
        hlrc_group_free(g);
    }
    hlrc_barrier();
}

/* ---- memory, signals, words ---- */

static void allocations(void)
{
    struct hlrc_alloc_options o = { sizeof o, .align = 256 };
    char *mine = hlrc_alloc(100, &o);
    expect(mine && (uintptr_t)mine % 256 == 0 && mine[99] == 0, "aligned");
    hlrc_free(mine);
    hlrc_free(hlrc_alloc(10, NULL));
    o = (struct hlrc_alloc_options){ sizeof o, .flags = HLRC_ALLOC_ALL | HLRC_ALLOC_PLACED,
                                     .placement = HLRC_AT, .unit = (size_t)nodes - 1 };
    char *all = hlrc_alloc(3 * PAGE, &o);
    expect(all && hlrc_home(all + PAGE) == nodes - 1, "placed");
    hlrc_free_all(all);
    o.flags = HLRC_ALLOC_PLACED;
    errno = 0;
    expect(!hlrc_alloc(1, &o) && errno == EINVAL, "placed by one node");
    o.flags = 64;
    errno = 0;
    expect(!hlrc_alloc(1, &o) && errno == EINVAL, "an unknown flag");
    struct {
        struct hlrc_alloc_options o;
        uint64_t later;
    } newer = { { sizeof newer, .align = 64 }, 0 };
    hlrc_free(hlrc_alloc(1, &newer.o));
    newer.later = 1;
    errno = 0;
    expect(!hlrc_alloc(1, &newer.o) && errno == EINVAL, "a field that this library does not know");
    hlrc_barrier();
}

#define PUT 32768u /* words: to copy them takes some time */

/* Round the ring: data put before the signal have arrived after the wait. */
static void signals(void)
{
    static uint64_t out[PUT];
    uint64_t *window = hlrc_window_create((64 + PUT) * sizeof *window);
    if (!window) {
        expect(errno == ENOTSUP, "hlrc_window_create");
        return;
    }
    int to = (me + 1) % nodes;
    for (uint64_t k = 1; k <= ROUNDS; k++) {
        for (size_t i = 0; i < PUT; i++)
            out[i] = k * 1000000 + i;
        hlrc_barrier();
        expect(hlrc_put_signal(window + 64, out, sizeof out, &window[0], k % 2 ? 1 : k,
                               k % 2 ? HLRC_SUM : HLRC_REPLACE, to) == 0,
               "hlrc_put_signal");
        expect(hlrc_wait_until(&window[0], HLRC_UINT64, HLRC_GE, &k, 60000 * MS) == 0, "a signal");
        for (size_t i = PUT; i-- > 0;)
            expect_word(window[64 + i], k * 1000000 + i, "round %ju, word %zu", (uintmax_t)k, i);
        hlrc_barrier();
    }
    int32_t below = -5, bound = -4;
    memcpy(&window[8], &below, sizeof below);
    expect(hlrc_wait_until(&window[8], HLRC_INT32, HLRC_LT, &bound, 0) == 0 &&
               hlrc_wait_until(&window[8], HLRC_UINT32, HLRC_LT, &bound, 0) == 0 &&
               hlrc_wait_until(&window[8], HLRC_INT32, HLRC_GT, &bound, MS) == -ETIMEDOUT &&
               hlrc_wait_until(&window[8], HLRC_INT32, HLRC_NE, &below, 0) == -ETIMEDOUT &&
               hlrc_wait_until(&window[8], HLRC_INT32, HLRC_EQ, &below, 0) == 0 &&
               hlrc_wait_until(&window[8], HLRC_DOUBLE, HLRC_EQ, &out, 0) == -EINVAL &&
               hlrc_wait_until((char *)window + 1, HLRC_INT32, HLRC_EQ, &out, 0) == -EINVAL &&
               hlrc_put_signal(window, out, 8, &window[1], 1, HLRC_XOR, to) == -EINVAL,
           "comparisons");
    hlrc_barrier();
    hlrc_window_free(window);
}

/* Each node adds in turn, by the word only: an acquire sees all that the releases before wrote. */
static void pass_on(hlrc_word_t w, uint64_t k)
{
    volatile uint64_t *mine = data + 600;
    uint64_t at = k * (uint64_t)nodes + (uint64_t)me, seen;
    while ((seen = hlrc_word_fetch_uint64(w, HLRC_NO_OP, 0, HLRC_ACQUIRE)) < at)
        sched_yield();
    expect_word(mine[(uint64_t)me], k, "own word");
    for (int n = 0; n < nodes; n++)
        expect_word(mine[n], k + (n < me), "round %ju, word of node %d", (uintmax_t)k, n);
    mine[me] = k + 1;
    expect(hlrc_word_compare_uint64(w, &seen, seen + 1, HLRC_RELEASE) == 1, "turn %ju",
           (uintmax_t)at);
}

static void ordered_words(hlrc_word_t w)
{
    for (uint64_t k = 0; k < 10; k++)
        pass_on(w, k);
    hlrc_barrier();
    data[600 + me] = 0;
    hlrc_barrier();
}

static void plain_words(void)
{
    hlrc_word_t shared = hlrc_word_shared((void *)(uintptr_t)(data + 900)),
                made = hlrc_word_atomic(word);
    uint64_t one = 1, old = 0;
    (void)hlrc_word_fetch_double(hlrc_word_shared((void *)(uintptr_t)(data + 901)), HLRC_SUM, 0.5,
                                 HLRC_RELAXED);
    (void)hlrc_word_fetch_int64(shared, HLRC_MAX, me - 100, HLRC_RELAXED);
    expect(hlrc_word_fetch(made, HLRC_UINT64, HLRC_OR, &one, &old, HLRC_RELAXED) == 0, "or");
    expect(hlrc_word_fetch(made, HLRC_INT32, HLRC_SUM, &one, NULL, HLRC_RELAXED) == -EINVAL &&
               hlrc_word_fetch(shared, HLRC_FLOAT, HLRC_AND, &one, NULL, HLRC_RELAXED) == -EINVAL &&
               hlrc_word_fetch(shared, HLRC_INT64, HLRC_SUM, &one, NULL, (hlrc_order)9) == -EINVAL,
           "words that do not fit");
    hlrc_barrier();
    double halves = hlrc_word_fetch_double(hlrc_word_shared((void *)(uintptr_t)(data + 901)),
                                           HLRC_NO_OP, 0, HLRC_RELAXED);
    expect(halves == 0.5 * nodes &&
               hlrc_word_fetch_int64(shared, HLRC_NO_OP, 0, HLRC_RELAXED) == 0 &&
               hlrc_word_fetch_uint64(made, HLRC_NO_OP, 0, HLRC_RELAXED) == 1,
           "halves %g", halves);
    hlrc_barrier();
    int64_t wrong = 7;
    if (me == 0)
        expect(!hlrc_word_compare_int64(made, &wrong, 3, HLRC_ACQ_REL) && wrong == 1 &&
                   hlrc_word_compare_int64(made, &wrong, 0, HLRC_ACQ_REL) == 1,
               "compare");
    hlrc_barrier();
}

/* Operations of all nodes that are started: each value is returned once, and no sum is lost. */
static void started_words(hlrc_word_t w)
{
    hlrc_handle_t handle;
    uint64_t one = 1, old = UINT64_MAX;
    expect(hlrc_word_fetch_nb(w, HLRC_UINT64, HLRC_SUM, &one, &old, &handle) == 0, "started");
    hlrc_wait(handle);
    expect(old < 2 * (uint64_t)nodes, "it was %ju", (uintmax_t)old);
    expect(hlrc_word_fetch_nb(w, HLRC_UINT64, HLRC_SUM, &one, NULL, NULL) == 0, "started");
    expect(hlrc_word_fetch_nb(w, HLRC_UINT64, HLRC_NO_OP + 1, &one, NULL, NULL) == -EINVAL, "op");
    hlrc_fence_all();
    hlrc_barrier();
    expect(hlrc_word_fetch_uint64(w, HLRC_NO_OP, 0, HLRC_RELAXED) == 2 * (uint64_t)nodes, "sum");
    hlrc_barrier();
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
/* The names of before 1.0; `there` is a window, or NULL. */
static void deprecated_names(uint64_t *there)
{
    uint64_t *here = (void *)(uintptr_t)(data + 904), one = 1, two = 2, old = 9;
    if (me != 0)
        return;
    expect(hlrc_fetch_op(here, &one, &old, HLRC_UINT64, HLRC_SUM) == 0 && old == 0, "fetch_op");
    expect(hlrc_compare_swap(here, &one, &two, HLRC_UINT64) == 1 &&
               hlrc_compare_swap(here, &one, &old, HLRC_UINT64) == 0 && one == 2,
           "compare_swap");
    if (!there)
        return;
    int last = nodes - 1;
    expect(hlrc_rmw(there, &one, &old, HLRC_UINT64, HLRC_SUM, last) == 0 && old == 0 &&
               hlrc_rmw_nb(there, &one, &old, HLRC_UINT64, HLRC_SUM, last, NULL) == 0,
           "rmw");
    hlrc_fence_all();
    expect(old == 2 && hlrc_rmw_compare(there, &old, &one, HLRC_UINT64, last) == 0 && old == 4,
           "rmw_compare");
}
#pragma GCC diagnostic pop

static void words(void)
{
    plain_words();
    started_words(hlrc_word_shared((void *)(uintptr_t)(data + 903)));
    started_words(hlrc_word_atomic(shared_atomic()));
    ordered_words(hlrc_word_shared((void *)(uintptr_t)(data + 902)));
    ordered_words(hlrc_word_atomic(word));
    uint64_t *window = hlrc_window_create(64);
    if (window)
        ordered_words(hlrc_word_window(&window[2], nodes - 1));
    if (window)
        started_words(hlrc_word_window(&window[3], nodes - 1));
    deprecated_names(window ? &window[4] : NULL);
    hlrc_window_free(window);
    /* by a flag in shared memory */
    if (me == 0) {
        data[950] = 5;
        (void)hlrc_flush();
        data[951] = 1;
        hlrc_release();
    }
    uint64_t yes = 1;
    expect(hlrc_wait_until((const void *)(uintptr_t)&data[951], HLRC_UINT64, HLRC_EQ, &yes,
                           60000 * MS) == 0 &&
               data[950] == 5,
           "a flag");
    hlrc_barrier();
}

void litmus_run(void)
{
    texts();
    data = shared_words(4 * PAGE_WORDS);
    expect(hlrc_cond_create(&never) == 0 && (me || hlrc_cond_create(&cond) == 0),
           "hlrc_cond_create");
    expect(hlrc_broadcast(&cond, sizeof cond, 0) == 0, "hlrc_broadcast");
    step = shared_atomic();
    word = shared_atomic();
    timed_locks();
    timed_conds();
    timed_behind_another();
    tested_barrier();
    groups_again();
    allocations();
    signals();
    words();
}
