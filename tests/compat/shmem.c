/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls of OpenSHMEM that one PE makes alone, and programs in its style: each against what the
 * specification promises, or against the same computed here alone. Prints "right". With a word for
 * argument, one of the mistakes that end the job with a line.
 */
#include <pthread.h>

#include <shmem.h>
#include <string.h>

#include "tests/compat/right.h"

/* ---- what is symmetric ---- */

static long with_value = 4711;
static int zero[3000];
static char text[] = "in .data";

static void variables(void)
{
    int next = (me + 1) % n;
    RIGHT(with_value == 4711 && strcmp(text, "in .data") == 0 && zero[2999] == 0);
    shmem_barrier_all();
    shmem_long_p(&with_value, 100 + me, next);
    shmem_int_put(zero, (int[]){ me, 2 * me }, 2, next);
    shmem_putmem(text + 3, "PE", 2, next);
    zero[2999] = me;
    shmem_barrier_all();
    int before = (me + n - 1) % n;
    RIGHT(with_value == 100 + before && zero[0] == before && zero[1] == 2 * before);
    RIGHT(strcmp(text, "in PEata") == 0 && shmem_int_g(&zero[2999], next) == next);
    RIGHT(shmem_addr_accessible(zero, next) && !shmem_addr_accessible(&next, next));
    RIGHT(shmem_ptr(zero, me) == zero && (n == 1 || !shmem_ptr(zero, next)));
    shmem_barrier_all();
}

static void heap(void)
{
    long *a = shmem_malloc(1000 * sizeof *a), *b = shmem_align(4096, 64), *c;
    RIGHT(a && b && (size_t)b % 4096 == 0 && !shmem_malloc(0));
    long *first = shmem_calloc(3, sizeof *first);
    RIGHT(first[0] == 0 && first[2] == 0);
    for (int i = 0; i < 1000; i++)
        a[i] = i;
    shmem_long_p(&first[1], (long)(size_t)a, (me + 1) % n);
    shmem_barrier_all();
    RIGHT(first[1] == (long)(size_t)a); /* the same address everywhere */
    c = shmem_realloc(a, 2000 * sizeof *a);
    RIGHT(c && c[999] == 999 && shmem_long_g(&c[500], (me + 1) % n) == 500);
    shmem_free(b);
    shmem_free(c);
    shmem_free(first);
    void *again = shmem_malloc(16000), *large = shmem_malloc((size_t)40 << 20);
    RIGHT(large && again == (void *)a); /* where the first was */
    shmem_char_p((char *)large + ((size_t)40 << 20) - 1, 'z', (me + 1) % n);
    shmem_barrier_all();
    RIGHT(((char *)large)[((size_t)40 << 20) - 1] == 'z');
    RIGHT(!shmem_malloc((size_t)1 << 60) && !shmem_align(48, 8));
    shmem_free(again);
    shmem_free(large);
}

/* ---- put and get ---- */

#define ROWS 12

/* A matrix of which each PE has some rows, turned over: rows become columns by iput. */
static void transpose(void)
{
    int width = ROWS * n;
    double *from = shmem_malloc(sizeof(double) * (size_t)(ROWS * width)),
           *to = shmem_calloc((size_t)(ROWS * width), sizeof(double));
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < width; j++)
            from[i * width + j] = (me * ROWS + i) * 1000 + j;
    shmem_barrier_all();
    for (int pe = 0; pe < n; pe++)
        for (int i = 0; i < ROWS; i++)
            shmem_double_iput(&to[me * ROWS + i], &from[i * width + pe * ROWS], width, 1, ROWS, pe);
    shmem_barrier_all();
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < width; j++)
            RIGHT(to[i * width + j] == j * 1000 + me * ROWS + i);
    double column[ROWS * 2];
    shmem_double_iget(column, to, 2, width, ROWS, (me + 1) % n);
    for (int i = 0; i < ROWS; i++)
        RIGHT(column[2 * i] == (me + 1) % n * ROWS + i);
    shmem_free(from);
    shmem_free(to);
}

static void shift(void)
{
    static short there[64];
    static long double big;
    short mine[64], back[64];
    int next = (me + 1) % n, before = (me + n - 1) % n;
    for (int i = 0; i < 64; i++)
        mine[i] = (short)(me * 100 + i);
    shmem_short_put_nbi(there, mine, 64, next);
    shmem_longdouble_p(&big, me + 0.5L, next);
    shmem_quiet();
    shmem_sync_all();
    for (int i = 0; i < 64; i++)
        RIGHT(there[i] == before * 100 + i);
    RIGHT(big == before + 0.5L);
    shmem_short_get_nbi(back, there, 64, next);
    shmem_fence();
    shmem_quiet();
    RIGHT(memcmp(back, mine, sizeof mine) == 0);
    shmem_sync_all();
    shmem_put32(there, mine, 2, next);
    shmem_iput16(there + 10, mine, 3, 2, 4, next);
    shmem_barrier_all();
    RIGHT(there[3] == before * 100 + 3 && there[10] == before * 100 &&
          there[19] == before * 100 + 6);
    RIGHT(there[20] == before * 100 + 20);
    shmem_barrier_all();
}

/* A message and its signal, around the ring. */
static void signals(void)
{
    static uint64_t signal, sum;
    static int message[500];
    int mine[500], next = (me + 1) % n;
    for (int round = 1; round <= 8; round++) {
        for (int i = 0; i < 500; i++)
            mine[i] = me * round + i;
        shmem_int_put_signal(message, mine, 500, &signal, (uint64_t)round, SHMEM_SIGNAL_SET, next);
        RIGHT(shmem_signal_wait_until(&signal, SHMEM_CMP_GE, (uint64_t)round) == (uint64_t)round);
        for (int i = 0; i < 500; i++)
            RIGHT(message[i] == (me + n - 1) % n * round + i);
        shmem_sync_all();
    }
    shmem_putmem_signal_nbi(&zero[5], &mine[5], 4, &sum, 3, SHMEM_SIGNAL_ADD, 0);
    shmem_barrier_all();
    RIGHT(me != 0 || shmem_signal_fetch(&sum) == 3 * (uint64_t)n);
    shmem_barrier_all();
}

/* ---- atomic operations ---- */

/* Points of a grid within a quarter of a circle; PEs take rows from a counter. */
static void pi(void)
{
    static int row;
    static long inside;
    long found = 0;
    for (int i; (i = shmem_int_atomic_fetch_inc(&row, 0)) < 200;)
        for (int j = 0; j < 200; j++)
            found += i * i + j * j < 200 * 200;
    shmem_long_atomic_add(&inside, found, 0);
    shmem_barrier_all();
    long all = 0;
    for (int i = 0; i < 200; i++)
        for (int j = 0; j < 200; j++)
            all += i * i + j * j < 200 * 200;
    RIGHT(shmem_long_g(&inside, 0) == all && shmem_int_g(&row, 0) == 200 + n);
    shmem_barrier_all();
}

/* Neighbouring words of 4 bytes, of which PE 0 stores to some while others are operated on. */
static void neighbours(void)
{
    static int words[8];
    static unsigned bits;
    for (int i = 1; i <= 100; i++) {
        shmem_int_atomic_inc(&words[2], 0);
        shmem_int_atomic_add(&words[4], 2, 0);
        if (me == 0) {
            *(volatile int *)&words[3] = i;
            *(volatile int *)&words[5] = -i;
            RIGHT(*(volatile int *)&words[3] == i && *(volatile int *)&words[5] == -i);
        }
    }
    shmem_uint_atomic_or(&bits, 1U << me, n - 1);
    shmem_uint_atomic_xor(&bits, 1U << 30, n - 1);
    shmem_barrier_all();
    RIGHT(shmem_int_g(&words[2], 0) == 100 * n && shmem_int_g(&words[4], 0) == 200 * n);
    RIGHT(me != 0 || (words[3] == 100 && words[5] == -100));
    RIGHT(shmem_uint_atomic_fetch(&bits, n - 1) == (1U << n) - 1 + (n % 2 ? 1U << 30 : 0));
    shmem_barrier_all();
}

static void operations(void)
{
    static double real;
    static long long word;
    static uint32_t small;
    static size_t size;
    if (me == 0) {
        shmem_double_atomic_set(&real, 2.5, n - 1);
        RIGHT(shmem_double_atomic_swap(&real, -1.0, n - 1) == 2.5);
        RIGHT(shmem_double_atomic_fetch(&real, n - 1) == -1.0);
        RIGHT(shmem_longlong_atomic_compare_swap(&word, 1, 5, n - 1) == 0);
        RIGHT(shmem_longlong_atomic_compare_swap(&word, 0, 7, n - 1) == 0);
        RIGHT(shmem_longlong_atomic_fetch_add(&word, -9, n - 1) == 7);
        RIGHT(shmem_uint32_atomic_fetch_or(&small, 12, n - 1) == 0);
        RIGHT(shmem_uint32_atomic_fetch_and(&small, 6, n - 1) == 12);
        RIGHT(shmem_uint32_atomic_fetch_xor(&small, 1, n - 1) == 4);
        size_t old = 1;
        shmem_size_atomic_fetch_inc_nbi(&old, &size, n - 1);
        shmem_quiet();
        RIGHT(old == 0 && shmem_longlong_fadd(&word, 1, n - 1) == -2);
    }
    shmem_barrier_all();
    RIGHT(me != n - 1 || (real == -1.0 && word == -1 && small == 5 && size == 1));
    shmem_barrier_all();
}

static long locks[3];

/* Locks of several places; under each of them a counter. */
static void under_locks(void)
{
    static long counter[3], tried;
    for (int i = 0; i < 30; i++) {
        int k = i % 3, at = k % n;
        shmem_set_lock(&locks[k]);
        shmem_long_p(&counter[k], shmem_long_g(&counter[k], at) + 1, at);
        shmem_clear_lock(&locks[k]);
    }
    while (shmem_test_lock(&locks[0]) != 0)
        continue;
    shmem_set_lock(&locks[2]); /* two at a time */
    shmem_long_put_nbi(&tried, (long[]){ shmem_long_g(&tried, 0) + 1 }, 1, 0);
    shmem_clear_lock(&locks[0]);
    shmem_clear_lock(&locks[2]);
    shmem_barrier_all();
    for (int k = 0; k < 3; k++)
        RIGHT(shmem_long_g(&counter[k], k % n) == 10 * n);
    RIGHT(shmem_long_g(&tried, 0) == n);
    shmem_barrier_all();
    if (me == 0)
        shmem_set_lock(&locks[1]);
    shmem_barrier_all();
    RIGHT(me == 0 || shmem_test_lock(&locks[1]) == 1);
    shmem_barrier_all();
    if (me == 0)
        shmem_clear_lock(&locks[1]);
    RIGHT(locks[0] == 0);
    shmem_barrier_all();
}

/* ---- waiting ---- */

static void waits(void)
{
    static int flags[32];
    static long word = -5;
    int status[32] = { 0 }, left = n, seen[32] = { 0 };
    size_t indices[32];
    for (int pe = 0; pe < n; pe++)
        shmem_int_p(&flags[me], me + 1, pe);
    while (left > 0) {
        size_t i = shmem_int_wait_until_any(flags, (size_t)n, status, SHMEM_CMP_GT, 0);
        RIGHT(i < (size_t)n && flags[i] == (int)i + 1 && !seen[i]);
        seen[i] = status[i] = 1;
        left--;
    }
    RIGHT(shmem_int_wait_until_any(flags, (size_t)n, status, SHMEM_CMP_GT, 0) == SIZE_MAX);
    RIGHT(shmem_int_wait_until_some(flags, (size_t)n, indices, status, SHMEM_CMP_NE, 0) == 0);
    RIGHT(shmem_int_wait_until_some(flags, (size_t)n, indices, NULL, SHMEM_CMP_NE, 0) == (size_t)n);
    shmem_int_wait_until_all(flags, (size_t)n, NULL, SHMEM_CMP_GE, 1);
    int values[32];
    for (int i = 0; i < 32; i++)
        values[i] = i + 1;
    shmem_int_wait_until_all_vector(flags, (size_t)n, NULL, SHMEM_CMP_EQ, values);
    RIGHT(shmem_int_test_all_vector(flags, (size_t)n, NULL, SHMEM_CMP_EQ, values));
    RIGHT(!shmem_int_test(&flags[0], SHMEM_CMP_LT, 1) &&
          shmem_int_test(&flags[0], SHMEM_CMP_LE, 1));
    RIGHT(shmem_long_test(&word, SHMEM_CMP_LT, 0));                   /* with a sign, */
    RIGHT(shmem_ulong_test((unsigned long *)&word, SHMEM_CMP_GT, 0)); /* and without */
    shmem_barrier_all();
    if (n > 1) { /* a word goes around */
        if (me == 0)
            shmem_long_p(&word, 1, 1);
        shmem_long_wait_until(&word, SHMEM_CMP_GT, 0);
        if (me != 0)
            shmem_long_p(&word, word + 1, (me + 1) % n);
        RIGHT(word == (me ? me : n));
    }
    shmem_barrier_all();
}

static void contexts(void)
{
    static int word, there[4];
    shmem_ctx_t ctx, of_last;
    shmem_team_t last, team;
    RIGHT(shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx) == 0 && ctx != SHMEM_CTX_INVALID);
    RIGHT(shmem_ctx_get_team(ctx, &team) == 0 && team == SHMEM_TEAM_WORLD);
    shmem_ctx_int_put(ctx, there, (int[]){ 1, 2, 3, me }, 4, (me + 1) % n);
    shmem_ctx_int_atomic_add(ctx, &word, 5, 0);
    shmem_ctx_quiet(ctx);
    shmem_ctx_destroy(ctx);
    shmem_barrier_all();
    RIGHT(there[3] == (me + n - 1) % n && shmem_int_g(&word, 0) == 5 * n);
    shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, 1, 1, NULL, 0, &last);
    if (last != SHMEM_TEAM_INVALID) { /* number 0 of it is PE n - 1 */
        shmem_team_create_ctx(last, 0, &of_last);
        shmem_ctx_int_p(of_last, &word, 77, 0);
        shmem_ctx_destroy(of_last);
        shmem_team_destroy(last);
        RIGHT(word == 77);
    }
    shmem_barrier_all();
}

/* ---- several threads ---- */

static long counter, ring[2];

static void *thread(void *arg)
{
    int k = *(int *)arg;
    for (int i = 0; i < 100; i++)
        shmem_long_atomic_inc(&counter, 0);
    shmem_long_p(&ring[k], me + 1, (me + 1) % n);
    shmem_long_wait_until(&ring[k], SHMEM_CMP_NE, 0);
    shmem_set_lock(&locks[1]);
    shmem_long_p(&counter, shmem_long_g(&counter, n - 1) + 1, n - 1);
    shmem_clear_lock(&locks[1]);
    return NULL;
}

static void threads(void)
{
    pthread_t id[2];
    int k[2] = { 0, 1 };
    if (n == 1)
        return;
    for (int i = 0; i < 2; i++)
        RIGHT(pthread_create(&id[i], NULL, thread, &k[i]) == 0);
    for (int i = 0; i < 2; i++)
        pthread_join(id[i], NULL);
    shmem_barrier_all();
    RIGHT(shmem_long_g(&counter, 0) == 200 * n && shmem_long_g(&counter, n - 1) == 2 * n);
    RIGHT(ring[1] == (me + n - 1) % n + 1);
    shmem_barrier_all();
}

static long psync[SHMEM_BARRIER_SYNC_SIZE];

static void mistake(const char *word)
{
    static int here;
    long automatic = 1, *block = shmem_malloc(80);
    shmem_team_t team = SHMEM_TEAM_WORLD;
    int other = (me + 1) % n;
    if (strcmp(word, "pe") == 0)
        shmem_int_p(&here, 1, n);
    else if (strcmp(word, "automatic") == 0)
        shmem_long_p(&automatic, 1, other);
    else if (strcmp(word, "beyond") == 0)
        shmem_long_put(block, block, 11, other);
    else if (strcmp(word, "freed") == 0)
        shmem_free(block), shmem_long_p(block, 1, other);
    else if (strcmp(word, "twice") == 0)
        shmem_free(block), shmem_free(block);
    else if (strcmp(word, "sizes") == 0)
        shmem_malloc(8 + (size_t)me);
    else if (strcmp(word, "lock") == 0)
        shmem_clear_lock(block);
    else if (strcmp(word, "stride") == 0)
        shmem_iput32(&here, &here, 0, 1, 1, other);
    else if (strcmp(word, "context") == 0)
        shmem_ctx_int_p((shmem_ctx_t)9, &here, 1, other);
    else if (strcmp(word, "team") == 0)
        shmem_team_destroy(team);
    else if (strcmp(word, "set") == 0)
        shmem_barrier(0, 1, n, psync);
    else if (strcmp(word, "aligned") == 0)
        shmem_int_atomic_inc((int *)(void *)((char *)block + 2), other);
    else if (strcmp(word, "exit") == 0 && me == 0)
        shmem_global_exit(3);
    else if (strcmp(word, "exit") == 0)
        shmem_barrier_all();
    else if (strcmp(word, "late") == 0)
        shmem_finalize(), shmem_int_p(&here, 1, me);
    exit(0);
}

int main(int argc, char *argv[])
{
    int level, major, minor;
    char name[SHMEM_MAX_NAME_LEN];
    if (argc > 1 && strcmp(argv[1], "early") == 0)
        shmem_my_pe();
    RIGHT(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &level) == 0 && level == SHMEM_THREAD_MULTIPLE);
    me = shmem_my_pe();
    n = shmem_n_pes();
    if (argc > 1)
        mistake(argv[1]);
    shmem_info_get_version(&major, &minor);
    shmem_info_get_name(name);
    RIGHT(major == 1 && minor == 6 && strcmp(name, SHMEM_VENDOR_STRING) == 0);
    RIGHT(shmem_pe_accessible(n - 1) && !shmem_pe_accessible(n));
    void (*const parts[])(void) = { variables,  heap,       transpose,   shift, signals,  pi,
                                    neighbours, operations, under_locks, waits, contexts, threads };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        parts[i]();
    if (me == 0)
        puts("right");
    shmem_finalize();
    RIGHT(with_value == 100 + (me + n - 1) % n); /* variables stay */
    return 0;
}
