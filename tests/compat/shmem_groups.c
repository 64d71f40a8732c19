/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * OpenSHMEM's teams, collectives, active sets and reductions, and the names without a type: against
 * the same computed here alone. Prints "right".
 */
#include <shmem.h>
#include <string.h>

#include "tests/compat/right.h"

/* ---- collectives ---- */

static long psync[2][SHMEM_SYNC_SIZE], pbarrier[SHMEM_BARRIER_SYNC_SIZE];
static double pwork[SHMEM_REDUCE_MIN_WRKDATA_SIZE + 2000];

/* Of a team whose member i is PE start + i * stride. */
static void of_team(shmem_team_t team, int start, int stride)
{
    static long in[3000], out[3000], far[6000];
    int size = shmem_team_n_pes(team), mine = shmem_team_my_pe(team);
    RIGHT(start + mine * stride == me);
    for (int root = 0; root < size; root++) {
        for (int i = 0; i < 100; i++)
            in[i] = me * 1000 + i, out[i] = -1;
        shmem_team_sync(team);
        RIGHT(shmem_long_broadcast(team, out, in, 100, root) == 0);
        for (int i = 0; i < 100; i++)
            RIGHT(out[i] == (start + root * stride) * 1000 + i);
        shmem_team_sync(team);
    }
    for (int i = 0; i < 1500; i++)
        in[i] = (mine + 1) * (i + 1);
    long sum = 0;
    for (int k = 1; k <= size; k++)
        sum += k;
    shmem_long_sum_reduce(team, out, in, 1500);
    for (int i = 0; i < 1500; i++)
        RIGHT(out[i] == sum * (i + 1) && in[i] == (mine + 1) * (i + 1));
    shmem_team_sync(team);
    shmem_long_max_reduce(team, in, in, 1500); /* in place */
    RIGHT(in[0] == size && in[1499] == 1500 * size);
    shmem_team_sync(team);
    for (int i = 0; i < 7; i++)
        in[i] = 10 * mine + i;
    shmem_long_fcollect(team, far, in, 7);
    for (int k = 0; k < size; k++)
        for (int i = 0; i < 7; i++)
            RIGHT(far[7 * k + i] == 10 * k + i);
    shmem_team_sync(team);
    shmem_long_collect(team, far, in, (size_t)(mine % 3)); /* some have nothing */
    for (int k = 0, at = 0; k < size; at += k % 3, k++)
        for (int i = 0; i < k % 3; i++)
            RIGHT(far[at + i] == 10 * k + i);
    shmem_team_sync(team);
    for (int i = 0; i < 6 * size; i++)
        in[i] = mine * 1000 + i;
    memset(far, 0, sizeof far);
    shmem_team_sync(team);
    shmem_long_alltoall(team, far, in, 3);
    for (int k = 0; k < size; k++)
        for (int i = 0; i < 3; i++)
            RIGHT(far[3 * k + i] == k * 1000 + 3 * mine + i);
    shmem_team_sync(team);
    memset(far, 0, sizeof far);
    shmem_team_sync(team);
    shmem_long_alltoalls(team, far, in, 3, 2, 2);
    for (int k = 0; k < size; k++)
        for (int i = 0; i < 2; i++)
            RIGHT(far[(2 * k + i) * 3] == k * 1000 + (2 * mine + i) * 2 && far[1] == 0);
    shmem_team_sync(team);
}

static void teams(void)
{
    shmem_team_t even, x, y, nested;
    shmem_team_config_t config = { 3 };
    of_team(SHMEM_TEAM_WORLD, 0, 1);
    RIGHT(shmem_team_n_pes(SHMEM_TEAM_SHARED) == 1 && shmem_team_my_pe(SHMEM_TEAM_INVALID) == -1);
    for (int again = 0; again < 3; again++) {
        int half = (n + 1) / 2;
        RIGHT(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, half, &config,
                                       SHMEM_TEAM_NUM_CONTEXTS, &even) == 0);
        RIGHT((even == SHMEM_TEAM_INVALID) == (me % 2 == 1));
        if (even != SHMEM_TEAM_INVALID) {
            config.num_contexts = 0;
            shmem_team_get_config(even, SHMEM_TEAM_NUM_CONTEXTS, &config);
            RIGHT(config.num_contexts == 3);
            of_team(even, 0, 2);
            RIGHT(shmem_team_translate_pe(even, half - 1, SHMEM_TEAM_WORLD) == 2 * (half - 1));
            RIGHT(shmem_team_translate_pe(SHMEM_TEAM_WORLD, n > 1, even) == (n > 1 ? -1 : 0));
            /* the other way around */
            shmem_team_split_strided(even, half - 1, -1, half, NULL, 0, &nested);
            of_team(nested, 2 * (half - 1), -2);
            shmem_team_destroy(nested);
        }
        shmem_team_destroy(even);
    }
    RIGHT(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n + 1, NULL, 0, &even) != 0);
    RIGHT(shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, NULL, 0, &x, NULL, 0, &y) == 0);
    of_team(x, me / 2 * 2, 1);
    of_team(y, me % 2, 2);
    shmem_team_destroy(x);
    shmem_team_destroy(y);
}

/* Calls on no elements, with NULL, and on no context. */
static void nothing(void)
{
    static int one = 5, got[2] = { -1, -1 };
    int last = me == n - 1;
    RIGHT(shmem_int_broadcast(SHMEM_TEAM_WORLD, NULL, NULL, 0, 0) == 0);
    RIGHT(shmem_int_collect(SHMEM_TEAM_WORLD, NULL, NULL, 0) == 0);
    RIGHT(shmem_int_fcollect(SHMEM_TEAM_WORLD, NULL, NULL, 0) == 0);
    RIGHT(shmem_int_alltoall(SHMEM_TEAM_WORLD, NULL, NULL, 0) == 0);
    RIGHT(shmem_int_alltoalls(SHMEM_TEAM_WORLD, NULL, NULL, 1, 1, 0) == 0);
    RIGHT(shmem_int_sum_reduce(SHMEM_TEAM_WORLD, NULL, NULL, 0) == 0);
    shmem_collect32(NULL, NULL, 0, 0, 0, n, psync[0]);
    shmem_collect64(NULL, NULL, 0, 0, 0, n, psync[1]);
    shmem_int_put(NULL, NULL, 0, 0);
    shmem_int_collect(SHMEM_TEAM_WORLD, got, last ? &one : NULL, (size_t)last);
    RIGHT(got[0] == 5 && got[1] == -1);
    shmem_ctx_quiet(SHMEM_CTX_INVALID);
    shmem_ctx_fence(SHMEM_CTX_INVALID);
    shmem_ctx_destroy(SHMEM_CTX_INVALID);
    shmem_barrier_all();
}

static void clear_syncs(void)
{
    for (int i = 0; i < SHMEM_SYNC_SIZE; i++)
        RIGHT(psync[0][i] == SHMEM_SYNC_VALUE && psync[1][i] == SHMEM_SYNC_VALUE);
}

/* Vectors of which each PE has a part; several of them, with the work arrays in turn. */
static void dot_product(void)
{
    static double part[1500], whole[1500];
    static int low, lowest;
    static int iwork[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 1500; i++)
            part[i] = 0.25 * (me + 1) * (i + round);
        shmem_double_sum_to_all(whole, part, 1500, 0, 0, n, pwork, psync[round % 2]);
        for (int i = 0; i < 1500; i++)
            RIGHT(whole[i] == 0.125 * n * (n + 1) * (i + round));
        shmem_barrier_all();
    }
    low = 100 - me;
    shmem_int_min_to_all(&lowest, &low, 1, 0, 0, n, iwork, psync[0]);
    RIGHT(lowest == 100 - (n - 1));
    shmem_barrier_all();
    clear_syncs();
}

static void active_sets(void)
{
    static int32_t in[40], out[40 * 32];
    int half = (n + 1) / 2;
    for (int i = 0; i < 40; i++)
        in[i] = 100 * me + i;
    memset(out, 0xff, sizeof out);
    shmem_barrier_all();
    if (me % 2 == 0) {
        for (int k = 0; k < 30; k++)
            shmem_barrier(0, 1, half, pbarrier);
        shmem_broadcast32(out, in, 40, half - 1, 0, 1, half, psync[0]);
        RIGHT(out[39] == (me == 2 * (half - 1) ? -1 : 200 * (half - 1) + 39)); /* not at the root */
        shmem_sync(0, 1, half, pbarrier);
        shmem_fcollect32(out, in, 5, 0, 1, half, psync[1]);
        for (int k = 0; k < half; k++)
            RIGHT(out[5 * k + 4] == 200 * k + 4);
        shmem_sync(0, 1, half, pbarrier);
        shmem_collect32(out, in, (size_t)me / 2 + 1, 0, 1, half, psync[0]);
        for (int k = 0, at = 0; k < half; k++, at += k)
            RIGHT(out[at] == 200 * k && out[at + k] == 200 * k + k);
        shmem_sync(0, 1, half, pbarrier);
        shmem_alltoall32(out, in, 1, 0, 1, half, psync[1]);
        for (int k = 0; k < half; k++)
            RIGHT(out[k] == 200 * k + me / 2);
    }
    shmem_barrier_all();
    clear_syncs();
    for (int i = 0; i < SHMEM_BARRIER_SYNC_SIZE; i++)
        RIGHT(pbarrier[i] == SHMEM_SYNC_VALUE);
}

static void reductions(void)
{
    static unsigned char flags[3], both[3];
    static float _Complex z, product;
    static short least, low;
    for (int i = 0; i < 3; i++)
        flags[i] = (unsigned char)(i == 0 ? 1 << me % 8 : i == 1 ? ~(1 << me % 8) : 6);
    shmem_uchar_or_reduce(SHMEM_TEAM_WORLD, both, flags, 3);
    RIGHT(both[0] == (1 << n) - 1 && both[2] == 6);
    shmem_barrier_all();
    shmem_uchar_and_reduce(SHMEM_TEAM_WORLD, both, flags, 3);
    RIGHT(both[1] == (unsigned char)~((1 << n) - 1) && both[2] == 6);
    shmem_barrier_all();
    shmem_uchar_xor_reduce(SHMEM_TEAM_WORLD, both, flags, 3);
    RIGHT(both[2] == (n % 2 ? 6 : 0));
    z = __builtin_complex(0.0F, 1.0F);
    shmem_complexf_prod_reduce(SHMEM_TEAM_WORLD, &product, &z, 1);
    float _Complex power = 1;
    for (int i = 0; i < n; i++)
        power *= z;
    RIGHT(product == power);
    low = (short)(-5 * me);
    shmem_short_min_reduce(SHMEM_TEAM_WORLD, &least, &low, 1);
    RIGHT(least == -5 * (n - 1));
    shmem_barrier_all();
}

/* The names without a type that are deprecated. */
static void generic_old(void)
{
    static unsigned int count;
    static long whole;
    static double real;
    static unsigned short flag;
    int next = (me + 1) % n;
    shmem_add(&count, 2U, 0);
    shmem_inc(&count, 0);
    shmem_barrier_all();
    RIGHT(shmem_fetch(&count, 0) == 3 * (unsigned)n);
    RIGHT(shmem_fadd(&whole, 7L, next) == 0 && shmem_finc(&whole, next) == 7);
    RIGHT(shmem_cswap(&whole, 8L, 5L, next) == 8);
    RIGHT(shmem_swap(&real, 0.5, next) == 0);
    shmem_set(&real, 1.5, next);
    shmem_p(&flag, 3, next);
    shmem_wait(&flag, 0);
    shmem_wait_until(&flag, SHMEM_CMP_EQ, 3);
    shmem_barrier_all();
    RIGHT(whole == 5 && real == 1.5 && flag == 3 && shmem_test(&flag, SHMEM_CMP_LT, 4));
    (shmem_wait_until)(&whole, SHMEM_CMP_EQ, 5);
    (shmem_wait)(&whole, 4);
}

/* The names without a type. */
static void generic(void)
{
    static float real, reals[8];
    static unsigned long word;
    shmem_ctx_t ctx;
    RIGHT(shmem_ctx_create(0, &ctx) == 0);
    float mine[] = { 1, 2, 3, 4 };
    shmem_put(reals, mine, 2, (me + 1) % n);
    shmem_put(ctx, reals + 2, mine + 2, 2, (me + 1) % n);
    shmem_p(&real, 0.5F, (me + 1) % n);
    shmem_p(ctx, &reals[5], 6.0F, (me + 1) % n);
    shmem_atomic_add(ctx, &word, 2, 0);
    shmem_atomic_or(&word, 1UL << 40, 0);
    shmem_ctx_destroy(ctx);
    shmem_barrier_all();
    RIGHT(real == 0.5F && reals[1] == 2 && reals[3] == 4 && shmem_g(&reals[5], me) == 6);
    RIGHT(shmem_atomic_fetch(&word, 0) == (1UL << 40) + 2 * (unsigned long)n);
    shmem_wait_until(&word, SHMEM_CMP_GE, 0);
    shmem_sync(SHMEM_TEAM_WORLD);
    reals[0] = 1;
    shmem_sum_reduce(SHMEM_TEAM_WORLD, &real, reals, 1);
    RIGHT(real == (float)n);
    shmem_barrier_all();
}

/* ---- new in 1.6 ---- */

/* Of a team whose member i is PE start + i * stride. */
static void scans(shmem_team_t team)
{
    static int in[5000], out[5000];
    static double x[3], y[3];
    static float _Complex z[2], w[2];
    int mine = shmem_team_my_pe(team);
    for (int i = 0; i < 5000; i++)
        in[i] = mine + i;
    RIGHT(shmem_int_sum_inscan(team, out, in, 5000) == 0);
    for (int i = 0; i < 5000; i++)
        RIGHT(out[i] == mine * (mine + 1) / 2 + (mine + 1) * i && in[i] == mine + i);
    RIGHT(shmem_sum_exscan(team, in, in, 5000) == 0); /* in place */
    for (int i = 0; i < 5000; i++)
        RIGHT(in[i] == mine * (mine - 1) / 2 + mine * i);
    for (int i = 0; i < 3; i++)
        x[i] = 0.5, y[i] = -1;
    RIGHT(shmem_sum_exscan(team, y, x, 3) == 0 && y[0] == 0.5 * mine && y[2] == y[0]);
    z[0] = z[1] = 1.0f + 2.0f * __extension__ 1.0fi;
    RIGHT(shmem_sum_inscan(team, w, z, 2) == 0 && w[1] == (float)(mine + 1) * z[1]);
    RIGHT(shmem_long_sum_inscan(team, NULL, NULL, 0) == 0);
    shmem_team_sync(team);
}

static void blocks(void)
{
    static long far[60], in[60];
    int next = (me + 1) % n, before = (me + n - 1) % n;
    shmem_ctx_t ctx;
    memset(far, 0, sizeof far);
    for (int i = 0; i < 60; i++)
        in[i] = me * 100 + i;
    shmem_barrier_all();
    shmem_ibput(far, in, 7, 5, 3, 4, next); /* blocks of 3 at 0, 7, 14, 21 from 0, 5, 10, 15 */
    shmem_barrier_all();
    for (int i = 0; i < 60; i++)
        RIGHT(far[i] == (i < 24 && i % 7 < 3 ? before * 100 + i / 7 * 5 + i % 7 : 0));
    RIGHT(shmem_ctx_create(0, &ctx) == 0);
    shmem_ctx_session_start(ctx, SHMEM_CTX_SESSION_BATCH,
                            &(shmem_ctx_session_config_t){ .total_ops = 1 },
                            SHMEM_CTX_SESSION_TOTAL_OPS);
    memset(in, 0, sizeof in);
    shmem_ctx_ibget64(ctx, in, far, 4, 7, 2, 3, next);
    shmem_ctx_session_stop(ctx);
    shmem_ctx_session_start(SHMEM_CTX_INVALID, 0, NULL, 0);
    for (int i = 0; i < 12; i++)
        RIGHT(in[i] == (i % 4 < 2 ? me * 100 + i / 4 * 5 + i % 4 : 0));
    shmem_ctx_destroy(ctx);
    shmem_ibput8(far, in, 1, 1, 0, 7, next); /* nothing */
    shmem_barrier_all();
}

static void signals_alone(void)
{
    static uint64_t word;
    int next = (me + 1) % n;
    shmem_signal_add(&word, 5, next);
    RIGHT(shmem_signal_wait_until(&word, SHMEM_CMP_GE, 5) == 5);
    shmem_barrier_all();
    shmem_signal_set(SHMEM_CTX_DEFAULT, &word, 3, next);
    shmem_signal_wait_until(&word, SHMEM_CMP_EQ, 3);
    shmem_barrier_all();
    RIGHT(shmem_team_ptr(SHMEM_TEAM_WORLD, &word, me) == &word &&
          !shmem_team_ptr(SHMEM_TEAM_INVALID, &word, 0) &&
          !shmem_team_ptr(SHMEM_TEAM_WORLD, &word, n) &&
          shmem_team_ptr(SHMEM_TEAM_SHARED, &word, 0));
}

static void newest(void)
{
    shmem_team_t odd;
    int start = n > 1, major, minor;
    shmem_info_get_version(&major, &minor);
    RIGHT(major == 1 && minor == 6);
    scans(SHMEM_TEAM_WORLD);
    if (shmem_team_split_strided(SHMEM_TEAM_WORLD, start, 2, (n - start + 1) / 2, NULL, 0, &odd) ==
            0 &&
        odd != SHMEM_TEAM_INVALID)
        scans(odd);
    if (odd != SHMEM_TEAM_INVALID)
        shmem_team_destroy(odd);
    blocks();
    signals_alone();
}

/* Calls of shmem_init and shmem_finalize are counted. */
static void again(void)
{
    int begun = 0;
    shmem_init();
    shmem_finalize();
    shmem_query_initialized(&begun);
    RIGHT(begun && shmem_n_pes() == n);
    shmem_barrier_all();
}

int main(void)
{
    int begun = 1;
    shmem_query_initialized(&begun);
    RIGHT(!begun);
    shmem_init();
    me = shmem_my_pe();
    n = shmem_n_pes();
    teams();
    dot_product();
    active_sets();
    reductions();
    generic();
    generic_old();
    nothing();
    newest();
    again();
    if (me == 0)
        puts("right");
    return 0; /* without shmem_finalize */
}
