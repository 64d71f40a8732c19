/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the examples of OpenSHMEM's specification do, 1.5, call by call, written anew after their
 * descriptions: small programs of a few PEs each, one behind the other. Here what they print is
 * computed alone and compared. Prints "right".
 */
#include <shmem.h>
#include <string.h>

#include "tests/compat/right.h"

/* ---- who is there, and what is symmetric ---- */

static void hello(void)
{
    static int from = -1, here;
    int automatic = 0, *heap = shmem_malloc(sizeof *heap);
    char name[SHMEM_MAX_NAME_LEN];
    int major, minor;
    shmem_info_get_name(name);
    shmem_info_get_version(&major, &minor);
    RIGHT(strcmp(name, SHMEM_VENDOR_STRING) == 0 && major == 1 && minor == 6);
    RIGHT(shmem_pe_accessible(me) && shmem_pe_accessible(n - 1) && !shmem_pe_accessible(n));
    RIGHT(shmem_addr_accessible(&here, n - 1) && shmem_addr_accessible(heap, 0));
    RIGHT(!shmem_addr_accessible(&automatic, n - 1));
    shmem_int_p(&from, me, (me + 1) % n);
    int *mine = shmem_ptr(&here, me);
    RIGHT(mine == NULL || mine == &here);
    shmem_barrier_all();
    RIGHT(from == (me + n - 1) % n);
    shmem_free(heap);
}

static void memory(void)
{
    long *zeros = shmem_calloc(100, sizeof *zeros), *aligned = shmem_align(4096, 100);
    long *hinted = shmem_malloc_with_hints(sizeof *hinted, SHMEM_MALLOC_ATOMICS_REMOTE |
                                                               SHMEM_MALLOC_SIGNAL_REMOTE);
    RIGHT(zeros[0] == 0 && zeros[99] == 0 && (uintptr_t)aligned % 4096 == 0);
    *hinted = 0;
    zeros[99] = me;
    zeros = shmem_realloc(zeros, 5000 * sizeof *zeros);
    RIGHT(zeros[0] == 0 && zeros[99] == me);
    shmem_long_atomic_add(hinted, 3, 0);
    shmem_barrier_all();
    RIGHT(me != 0 || *hinted == 3L * n);
    shmem_free(hinted);
    shmem_free(aligned);
    shmem_free(zeros);
}

/* ---- put and get ---- */

static long target[10], source[10];

/* PE 0 to PE 1, in a row and with distances. */
static void to_one(void)
{
    for (int i = 0; i < 10; i++)
        source[i] = i + 1, target[i] = 0;
    shmem_barrier_all();
    if (me == 0)
        shmem_long_put(target, source, 10, 1);
    shmem_barrier_all();
    RIGHT(me != 1 || memcmp(target, source, sizeof source) == 0);
    shmem_barrier_all();
    if (me == 0)
        shmem_long_iput(target, source, 1, 2, 5, 1);
    shmem_barrier_all();
    for (int i = 0; me == 1 && i < 5; i++)
        RIGHT(target[i] == 2 * i + 1 && target[i + 5] == i + 6);
    shmem_barrier_all();
}

/* PE 0 sees what the others have. */
static void from_all(void)
{
    static int mine;
    static float every[16];
    float got[8];
    mine = 10 * me + 1;
    for (int i = 0; i < 16; i++)
        every[i] = (float)(me * 16 + i);
    shmem_barrier_all();
    for (int pe = 0; me == 0 && pe < n; pe++) {
        int seen[2] = { 0, 0 };
        RIGHT(shmem_int_g(&mine, pe) == 10 * pe + 1);
        shmem_int_get(&seen[1], &mine, 1, pe);
        shmem_float_iget(got, every, 1, 2, 8, pe);
        RIGHT(seen[0] == 0 && seen[1] == 10 * pe + 1 && got[7] == (float)(pe * 16 + 14));
    }
    shmem_barrier_all();
}

/* Data before its flag (fence), and two of PE 0's puts before what others read behind (quiet). */
static void in_order(void)
{
    static long data[3], flag;
    if (me == 0) {
        for (int pe = 1; pe < n; pe++) {
            shmem_long_put(data, (long[]){ pe, 2, 3 }, 3, pe);
            shmem_fence();
            shmem_long_p(&flag, 1, pe);
        }
        shmem_long_put_nbi(target, (long[]){ 7, 8 }, 2, n - 1);
        shmem_quiet();
        RIGHT(shmem_long_g(&target[1], n - 1) == 8);
    } else {
        shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
        RIGHT(data[0] == me && data[1] == 2 && data[2] == 3);
    }
    shmem_barrier_all();
}

/* ---- atomic operations ---- */

/* One wins, the first to come. */
static void race(void)
{
    static int winner = -1, winners;
    if (shmem_int_atomic_compare_swap(&winner, -1, me, 0) == -1)
        shmem_int_atomic_inc(&winners, 0);
    shmem_barrier_all();
    RIGHT(shmem_int_g(&winners, 0) == 1 && shmem_int_g(&winner, 0) < n);
    shmem_barrier_all();
}

/* Neighbours of even number and odd swap what they have. */
static void swap(void)
{
    static long value;
    int other = me ^ 1;
    value = me;
    shmem_barrier_all();
    if (me % 2 == 1) {
        long was = shmem_long_atomic_swap(&value, me, other);
        RIGHT(was == other);
        value = was;
    }
    shmem_barrier_all();
    RIGHT(value == (other < n ? other : me));
    shmem_barrier_all();
}

/* Each takes a number, all of which are other ones; and leaves its bit. */
static void numbers(void)
{
    static unsigned long taken, bits, odd = ~0UL;
    static unsigned char mine[64];
    unsigned long number = shmem_ulong_atomic_fetch_inc(&taken, n - 1);
    RIGHT(number < (unsigned long)n);
    shmem_uchar_p(&mine[number], (unsigned char)(me + 1), 0);
    RIGHT((shmem_ulong_atomic_fetch_or(&bits, 1UL << me, 0) & 1UL << me) == 0);
    if (me % 2 == 1)
        (void)shmem_ulong_atomic_fetch_and(&odd, ~(1UL << me), 0);
    shmem_barrier_all();
    int sum = 0;
    for (int i = 0; me == 0 && i < n; i++)
        sum += mine[i];
    RIGHT(me != 0 || sum == n * (n + 1) / 2);
    RIGHT(shmem_ulong_atomic_fetch(&bits, 0) == (1UL << n) - 1);
    for (int pe = 0; pe < n; pe++)
        RIGHT((shmem_ulong_g(&odd, 0) >> pe & 1) == (pe % 2 == 0));
    shmem_barrier_all();
}

/* Tasks that are taken from the own counter first, then from those of others, by a context each. */
static void stealing(void)
{
    enum { TASKS = 40 };
    static int next, done[TASKS];
    static long sum;
    shmem_ctx_t ctx[2];
    long mine = 0;
    for (int k = 0; k < 2; k++)
        RIGHT(shmem_ctx_create(SHMEM_CTX_SERIALIZED, &ctx[k]) == 0);
    for (int i = 0; i < n; i++) {
        int pe = (me + i) % n;
        for (int task; (task = shmem_ctx_int_atomic_fetch_inc(ctx[i > 0], &next, pe)) < TASKS;) {
            shmem_ctx_int_atomic_inc(ctx[i > 0], &done[task], pe);
            mine += task;
        }
    }
    shmem_ctx_long_atomic_add(ctx[0], &sum, mine, 0);
    for (int k = 0; k < 2; k++) {
        shmem_ctx_quiet(ctx[k]);
        shmem_ctx_destroy(ctx[k]);
    }
    shmem_barrier_all();
    for (int i = 0; i < TASKS; i++)
        RIGHT(done[i] == 1);
    RIGHT(shmem_long_g(&sum, 0) == (long)n * TASKS * (TASKS - 1) / 2);
    shmem_barrier_all();
}

/* ---- locks ---- */

/* The first to have it leaves its mark, the others look on. */
static void locks(void)
{
    static long lock, trial;
    static int count, trials, marked = -1;
    shmem_set_lock(&lock);
    int value = shmem_int_g(&count, 0);
    if (value == 0)
        shmem_int_p(&marked, me, 0);
    shmem_int_p(&count, value + 1, 0);
    shmem_clear_lock(&lock);
    while (shmem_test_lock(&trial) == 1)
        continue;
    shmem_int_p(&trials, shmem_int_g(&trials, 0) + 1, 0);
    shmem_clear_lock(&trial);
    shmem_barrier_all();
    int first = shmem_int_g(&marked, 0);
    RIGHT(shmem_int_g(&count, 0) == n && shmem_int_g(&trials, 0) == n && first >= 0 && first < n);
    shmem_barrier_all();
}

/* ---- signals and waits ---- */

/* From PE 0 around the ring, each sends on what it has got. */
static void around(void)
{
    static uint64_t data[64], signal;
    uint64_t first[64];
    for (int i = 0; i < 64; i++)
        first[i] = (uint64_t)i * 3 + 1;
    if (me == 0 && n > 1)
        shmem_uint64_put_signal(data, first, 64, &signal, 1, SHMEM_SIGNAL_SET, 1);
    if (me != 0) {
        RIGHT(shmem_signal_wait_until(&signal, SHMEM_CMP_EQ, 1) == 1);
        RIGHT(memcmp(data, first, sizeof first) == 0);
        if (me + 1 < n)
            shmem_uint64_put_signal_nbi(data, data, 64, &signal, 1, SHMEM_SIGNAL_SET, me + 1);
        shmem_quiet();
    }
    shmem_barrier_all();
}

/* Flags of all PEs at each: in whatever order they come, or tested until all have. */
static void in_any_order(void)
{
    static int flags[64], again[64];
    size_t found[64], got;
    int status[64] = { 0 }, sum = 0, left = n;
    for (int pe = 0; pe < n; pe++)
        shmem_int_p(&flags[me], me + 1, (me + pe) % n);
    while (left > 0) {
        got = shmem_int_wait_until_some(flags, (size_t)n, found, status, SHMEM_CMP_NE, 0);
        for (size_t i = 0; i < got; i++) {
            sum += flags[found[i]];
            status[found[i]] = 1;
        }
        left -= (int)got;
    }
    RIGHT(sum == n * (n + 1) / 2);
    for (int pe = 0; pe < n; pe++)
        shmem_int_atomic_set(&again[me], 7, pe);
    while (!shmem_int_test_all(again, (size_t)n, NULL, SHMEM_CMP_EQ, 7))
        continue;
    RIGHT(shmem_int_test_any(again, (size_t)n, NULL, SHMEM_CMP_EQ, 7) < (size_t)n);
    RIGHT(shmem_int_test_some(again, (size_t)n, found, NULL, SHMEM_CMP_EQ, 7) == (size_t)n);
    RIGHT(shmem_int_test_any(again, (size_t)n, NULL, SHMEM_CMP_EQ, 8) == SIZE_MAX);
    shmem_barrier_all();
}

/* ---- teams and collectives ---- */

/* In three dimensions: what a member of each has is added up along its line. */
static void torus(void)
{
    int x = n % 2 == 0 ? 2 : 1, yz = n / x;
    static long mine, along[3];
    shmem_team_t line[3], plane;
    mine = 1 + me;
    shmem_sync_all();
    RIGHT(shmem_team_split_2d(SHMEM_TEAM_WORLD, x, NULL, 0, &line[0], NULL, 0, &plane) == 0);
    RIGHT(shmem_team_split_2d(plane, yz, NULL, 0, &line[1], NULL, 0, &line[2]) == 0);
    for (int k = 0; k < 3; k++) {
        RIGHT(shmem_long_sum_reduce(line[k], &along[k], &mine, 1) == 0);
        shmem_team_sync(line[k]);
    }
    RIGHT(along[0] == (x == 2 ? 2 * (me / 2 * 2) + 3 : 1 + me) && along[2] == 1 + me);
    long all = 0;
    for (int pe = me % x; pe < n; pe += x)
        all += 1 + pe;
    RIGHT(along[1] == all);
    shmem_team_destroy(line[2]);
    shmem_team_destroy(line[1]);
    shmem_team_destroy(plane);
    shmem_team_destroy(line[0]);
}

/* Of those of even number: the last one's numbers, behind each other's, and all with all. */
static void evens(void)
{
    static int numbers_of[4], all[256];
    static unsigned short bits, anded;
    shmem_team_t team;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (n + 1) / 2, NULL, 0, &team);
    if (team == SHMEM_TEAM_INVALID)
        return;
    int size = shmem_team_n_pes(team), mine = shmem_team_my_pe(team);
    RIGHT(shmem_team_translate_pe(team, mine, SHMEM_TEAM_WORLD) == me);
    for (int i = 0; i < 4; i++)
        numbers_of[i] = 10 * me + i;
    bits = (unsigned short)(0x70 | 1 << mine);
    shmem_team_sync(team);
    shmem_int_broadcast(team, all, numbers_of, 4, size - 1);
    RIGHT(all[3] == 10 * 2 * (size - 1) + 3);
    shmem_team_sync(team);
    shmem_int_fcollect(team, all, numbers_of, 2);
    for (int k = 0; k < size; k++)
        RIGHT(all[2 * k] == 20 * k && all[2 * k + 1] == 20 * k + 1);
    shmem_team_sync(team);
    shmem_int_collect(team, all, numbers_of, (size_t)(mine % 2 + 1));
    for (int k = 0, at = 0; k < size; at += k++ % 2 + 1)
        RIGHT(all[at] == 20 * k);
    shmem_team_sync(team);
    RIGHT(shmem_ushort_and_reduce(team, &anded, &bits, 1) == 0);
    RIGHT(anded == (size == 1 ? 0x71 : 0x70));
    shmem_team_destroy(team);
}

int main(void)
{
    int provided;
    RIGHT(shmem_init_thread(SHMEM_THREAD_FUNNELED, &provided) == 0);
    RIGHT(provided >= SHMEM_THREAD_FUNNELED);
    me = shmem_my_pe();
    n = shmem_n_pes();
    hello();
    memory();
    if (n > 1)
        to_one();
    from_all();
    in_order();
    race();
    swap();
    numbers();
    stealing();
    locks();
    around();
    in_any_order();
    torus();
    evens();
    shmem_finalize();
    if (me == 0)
        puts("right");
    return 0;
}
