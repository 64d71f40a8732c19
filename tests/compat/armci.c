/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Every call of ARMCI's interface, and programs in its style: each against what it promises, or
 * against the same computed here alone. Prints "right". With a word for argument, one of the
 * mistakes that end the job with a line.
 */
#include <armci.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/compat/right.h"

/* Each has as much as it asked for; the last one nothing. */
static void memory(void)
{
    void **at = malloc((size_t)n * sizeof *at);
    int mine = me == n - 1 && n > 1 ? 0 : 100 * (me + 1);
    RIGHT(ARMCI_Malloc(at, mine) == 0);
    for (int p = 0; p < n; p++)
        RIGHT((at[p] == NULL) == (p == n - 1 && n > 1));
    if (mine) {
        memset(at[me], me, (size_t)mine);
        ARMCI_Barrier();
        int p = n > 2 ? (me + 1) % (n - 1) : 0;
        char last;
        RIGHT(ARMCI_Get((char *)at[p] + 100 * (p + 1) - 1, &last, 1, p) == 0 && last == p);
    } else {
        ARMCI_Barrier();
    }
    RIGHT(ARMCI_Free(at[me]) == 0);
    char *local = ARMCI_Malloc_local(100);
    RIGHT(local && ARMCI_Free_local(local) == 0);
    free(at);
}

/* ---- sections ---- */

enum { A = 6, B = 7, C = 8 };
typedef double cube[A][B][C];

static double value(int who, int a, int b, int c)
{
    return who * 10000 + a * 100 + b * 10 + c;
}

/* The middle of an array of three dimensions, to the next process and back, and added to. */
static void sections(void **at)
{
    cube *there = at[(me + 1) % n], *mine = at[me], local, back;
    int next = (me + 1) % n, before = (me + n - 1) % n, count[] = { 3 * sizeof(double), 4, 2 },
        stride[] = { C * sizeof(double), B * C * sizeof(double) };
    memset(*mine, 0, sizeof *mine);
    memset(back, 0, sizeof back);
    for (int a = 0; a < A; a++)
        for (int b = 0; b < B; b++)
            for (int c = 0; c < C; c++)
                local[a][b][c] = value(me, a, b, c);
    ARMCI_Barrier();
    RIGHT(ARMCI_PutS(&local[1][2][3], stride, &(*there)[2][1][4], stride, count, 2, next) == 0);
    RIGHT(ARMCI_GetS(&(*there)[2][1][4], stride, &back[1][2][3], stride, count, 2, next) == 0);
    ARMCI_Barrier();
    for (int a = 0; a < A; a++)
        for (int b = 0; b < B; b++)
            for (int c = 0; c < C; c++) {
                int in = a >= 2 && a < 4 && b >= 1 && b < 5 && c >= 4 && c < 7,
                    got = a >= 1 && a < 3 && b >= 2 && b < 6 && c >= 3 && c < 6;
                RIGHT((*mine)[a][b][c] == (in ? value(before, a - 1, b + 1, c - 1) : 0));
                RIGHT(back[a][b][c] == (got ? local[a][b][c] : 0));
            }
    ARMCI_Barrier();
    double half = 0.5;
    for (int p = 0; p < n; p++) /* everybody, at everybody's */
        ARMCI_AccS(ARMCI_ACC_DBL, &half, &local[0][0][0], stride, (*(cube *)at[p])[0][0], stride,
                   count, 2, p);
    ARMCI_Barrier();
    double sum = 0;
    for (int p = 0; p < n; p++)
        sum += 0.5 * value(p, 1, 3, 2);
    RIGHT((*mine)[1][3][2] == sum && (*mine)[1][4][2] == 0);
    ARMCI_Barrier();
}

/* ---- lists ---- */

static void lists(void **at)
{
    enum { PIECES = 50 };
    static int local[2 * PIECES], back[2 * PIECES];
    int *mine = at[me], *there = at[(me + 1) % n], next = (me + 1) % n, before = (me + n - 1) % n;
    void *src[PIECES], *dst[PIECES], *here[PIECES];
    for (int i = 0; i < PIECES; i++) {
        local[2 * i] = me * 1000 + i;
        local[2 * i + 1] = -i;
        src[i] = &local[2 * i];
        dst[i] = &there[4 * (i * 7 % PIECES)];
        here[i] = &back[2 * i];
    }
    memset(mine, 0, 4 * PIECES * sizeof *mine);
    armci_giov_t put[] = { { src, dst, 8, 20 }, { src + 20, dst + 20, 8, 30 } },
                 get = { dst, here, 8, PIECES };
    ARMCI_Barrier();
    RIGHT(ARMCI_PutV(put, 2, next) == 0);
    RIGHT(ARMCI_GetV(&get, 1, next) == 0 && memcmp(back, local, sizeof local) == 0);
    ARMCI_Barrier();
    for (int i = 0; i < PIECES; i++)
        RIGHT(mine[4 * (i * 7 % PIECES)] == before * 1000 + i && mine[4 * i + 2] == 0);
    ARMCI_Barrier();
    int three = 3;
    put[0].bytes = put[1].bytes = 4;
    ARMCI_AccV(ARMCI_ACC_INT, &three, put, 2, next);
    ARMCI_Barrier();
    for (int i = 0; i < PIECES; i++)
        RIGHT(mine[4 * (i * 7 % PIECES)] == 4 * (before * 1000 + i));
    ARMCI_Barrier();
    armci_hdl_t handle, several;
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_INIT_HANDLE(&several);
    RIGHT(ARMCI_NbAccV(ARMCI_ACC_INT, &three, put, 1, next, &handle) == 0);
    RIGHT(ARMCI_NbAccV(ARMCI_ACC_INT, &three, put, 2, next, &several) == 0);
    RIGHT(ARMCI_NbAccV(ARMCI_ACC_INT, &three, put + 1, 1, next, NULL) == 0);
    RIGHT(ARMCI_Wait(&handle) == 0 && ARMCI_Wait(&several) == 0 && ARMCI_WaitProc(next) == 0);
    ARMCI_Barrier();
    for (int i = 0; i < PIECES; i++)
        RIGHT(mine[4 * (i * 7 % PIECES)] == 10 * (before * 1000 + i));
    ARMCI_Barrier();
}

static void accumulate(void **at)
{
    long *words = at[me];
    armci_hdl_t strided;
    ARMCI_INIT_HANDLE(&strided);
    memset(words, 0, 256);
    ARMCI_Barrier();
    for (int p = 0; p < n; p++) {
        long one[] = { 1, me }, by = 2;
        float real = 0.5F, unit = 1;
        dcomplex_t z = { 1, me }, i = { 0, 1 };
        complex_t w = { 1, 0 }, two = { 2, 0 };
        ARMCI_Acc(ARMCI_ACC_LNG, &by, one, (long *)at[p], sizeof one, p);
        ARMCI_Acc(ARMCI_ACC_FLT, &unit, &real, (char *)at[p] + 16, sizeof real, p);
        ARMCI_NbAcc(ARMCI_ACC_DCP, &i, &z, (char *)at[p] + 32, sizeof z, p, NULL);
        int words_in[2][2] = { { 1, 2 }, { me, 3 } }, far[] = { 16 }, near[] = { 8 },
            eight[] = { 8, 2 }, unity = 1;
        ARMCI_NbAccS(ARMCI_ACC_INT, &unity, words_in, near, (char *)at[p] + 64, far, eight, 1, p,
                     p % 2 ? &strided : NULL);
        z = (dcomplex_t){ 0, 0 }; /* it has been read */
        ARMCI_Acc(ARMCI_ACC_CPL, &two, &w, (char *)at[p] + 24, sizeof w, p);
    }
    ARMCI_WaitAll();
    ARMCI_Barrier();
    int sum = n * (n - 1) / 2;
    const double *z = (const double *)(words + 4);
    RIGHT(words[0] == 2 * n && words[1] == 2 * sum && *(float *)(words + 2) == 0.5F * (float)n);
    const int *s = (const int *)(words + 8);
    RIGHT(s[0] == n && s[1] == 2 * n && s[2] == 0 && s[3] == 0 && s[4] == sum && s[5] == 3 * n);
    RIGHT(z[0] == -sum && z[1] == n && *(float *)(words + 3) == 2 * (float)n);
    ARMCI_Barrier();
}

/* ---- operations that are begun ---- */

static void begun(void **at)
{
    enum { MANY = 5000, LEN = 16 };
    static int out[MANY][LEN], in[MANY][LEN];
    int *there = at[(me + 1) % n], next = (me + 1) % n;
    armci_hdl_t handle, many, used[4];
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_SET_AGGREGATE_HANDLE(&many);
    for (int i = 0; i < MANY; i++)
        for (int k = 0; k < LEN; k++)
            out[i][k] = me * MANY + i + k;
    for (int i = 0; i < 4; i++)
        ARMCI_INIT_HANDLE(&used[i]);
    ARMCI_Barrier();
    for (int i = 0; i < MANY; i++) /* more than the table has, and few of them waited for */
        ARMCI_NbPut(out[i], there + i * LEN, sizeof out[i], next,
                    i % 3 ? i % 5 ? &used[i % 4] : &many : NULL);
    RIGHT(ARMCI_Wait(&used[1]) == 0 && ARMCI_Wait(&many) == 0 && ARMCI_WaitProc(next) == 0);
    for (int i = 0; i < MANY; i++) {
        armci_hdl_t lost;
        ARMCI_INIT_HANDLE(&lost);
        ARMCI_NbGet(there + i * LEN, in[i], sizeof in[i], next, &lost);
    }
    ARMCI_NbGet(there, in[0], sizeof in[0], next, &handle);
    while (ARMCI_Test(&handle))
        continue;
    RIGHT(in[0][1] == out[0][1] && ARMCI_Test(&handle) == 0 && ARMCI_Wait(&handle) == 0);
    ARMCI_WaitAll();
    RIGHT(memcmp(in, out, sizeof in) == 0 && ARMCI_Wait(&used[2]) == 0);
    ARMCI_Barrier();
    int count[] = { 2 * sizeof(int), 6 }, stride = LEN * sizeof(int);
    memset(in, 0, sizeof in);
    ARMCI_NbGetS(there, &stride, in, &stride, count, 1, next, &handle);
    ARMCI_Wait(&handle);
    RIGHT(in[5][1] == out[5][1] && in[5][2] == 0 && in[6][0] == 0);
    out[0][0] = -1;
    ARMCI_NbPutS(out, &stride, there, &stride, count, 1, next, &handle);
    ARMCI_Wait(&handle);
    void *src[] = { there + 3, there }, *dst[] = { &in[8][0], &in[9][0] };
    armci_giov_t v = { src, dst, sizeof(int), 2 };
    ARMCI_NbGetV(&v, 1, next, &handle);
    ARMCI_Wait(&handle);
    RIGHT(in[8][0] == out[0][3] && in[9][0] == -1);
    ARMCI_Barrier();
}

/* ---- words, flags and mutexes ---- */

/* Tickets: each is given out once. */
static void words(void **at)
{
    int last = n - 1, *ticket = at[last], mine, sum = 0;
    long *wide = (long *)at[last] + 1, old = 77;
    memset(at[me], 0, 4096);
    ARMCI_Barrier();
    for (int i = 0; i < 50; i++) {
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &mine, ticket, 1, last);
        sum += mine;
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, wide, -2, last);
    }
    ARMCI_Barrier();
    armci_msg_igop(&sum, 1, "+");
    RIGHT(sum == 50 * n * (50 * n - 1) / 2 && ARMCI_GetValueInt(ticket, last) == 50 * n);
    RIGHT(ARMCI_GetValueLong(wide, last) == -100 * n);
    ARMCI_Barrier();
    mine = me + 1;
    ARMCI_Rmw(ARMCI_SWAP, &mine, ticket, 0, last); /* a chain of all */
    ARMCI_Barrier();
    sum = mine;
    armci_msg_igop(&sum, 1, "+");
    RIGHT(sum + ARMCI_GetValueInt(ticket, last) == 50 * n + n * (n + 1) / 2);
    if (me == 0) {
        old = 5;
        ARMCI_Rmw(ARMCI_SWAP_LONG, &old, wide, 0, last);
        RIGHT(old == -100 * n && ARMCI_GetValueLong(wide, last) == 5);
    }
    ARMCI_Barrier();
}

static void flags(void **at)
{
    int next = (me + 1) % n, before = (me + n - 1) % n, data[200], *mine = at[me];
    volatile int *flag = (volatile int *)mine + 500;
    memset(mine, 0, 4096);
    ARMCI_Barrier();
    for (int i = 0; i < 200; i++)
        data[i] = me + i;
    ARMCI_Put_flag(data, at[next], sizeof data, (int *)at[next] + 500, 1, next);
    while (*flag != 1)
        continue;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    RIGHT(mine[0] == before && mine[199] == before + 199);
    ARMCI_Barrier();
    int count[] = { 8, 10 }, stride = 16;
    ARMCI_PutS_flag(data, &stride, (int *)at[next] + 300, &stride, count, 1, (int *)at[next] + 500,
                    2, next);
    while (*flag != 2)
        continue;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    RIGHT(mine[300 + 36] == before + 36 && mine[300 + 38] == 0);
    ARMCI_PutValueDouble(me + 0.25, (double *)at[next] + 400, next);
    ARMCI_PutValueFloat((float)me + 0.5F, (float *)at[next] + 900, next);
    ARMCI_NbPutValueInt(me, (int *)at[next] + 950, next, NULL);
    ARMCI_AllFence();
    ARMCI_Fence(next);
    ARMCI_Barrier();
    RIGHT(((double *)mine)[400] == before + 0.25 && mine[950] == before);
    RIGHT(ARMCI_GetValueFloat((float *)at[next] + 900, next) == (float)me + 0.5F);
    RIGHT(ARMCI_GetValueDouble((double *)at[next] + 400, next) == me + 0.25);
    ARMCI_Barrier();
}

static void mutexes(void **at)
{
    memset(at[me], 0, 64);
    ARMCI_Create_mutexes(me == 0 ? 2 : 1);
    ARMCI_Barrier();
    for (int i = 0; i < 30; i++) {
        int which = i % 2, counter;
        ARMCI_Lock(which, 0);
        ARMCI_Get((int *)at[n - 1] + which, &counter, sizeof counter, n - 1);
        counter++;
        ARMCI_NbPut(&counter, (int *)at[n - 1] + which, sizeof counter, n - 1, NULL);
        ARMCI_Unlock(which, 0);
    }
    ARMCI_Lock(0, n - 1);
    ARMCI_Unlock(0, n - 1);
    ARMCI_Barrier();
    RIGHT(ARMCI_GetValueInt((int *)at[n - 1] + 1, n - 1) == 15 * n);
    ARMCI_Destroy_mutexes();
}

static void messages(void)
{
    double d[] = { me % 2 ? -me : me, 1 };
    float f = (float)me;
    long l = 1L << me;
    long long ll = me + 1;
    int word = me == n - 1 ? 4711 : 0;
    armci_msg_dgop(d, 2, "absmax");
    armci_msg_fgop(&f, 1, "min");
    armci_msg_lgop(&l, 1, "or");
    armci_msg_llgop(&ll, 1, "*");
    armci_msg_bcast(&word, sizeof word, n - 1);
    armci_msg_barrier();
    long long factorial = 1;
    for (int i = 1; i <= n; i++)
        factorial *= i;
    RIGHT(d[0] == n - 1 && f == 0 && l == (1L << n) - 1 && ll == factorial && word == 4711);
    RIGHT(ARMCI_Same_node(me) == 1 && ARMCI_Uses_shm() == 0 && armci_timer() > 0);
    int truth[] = { me == 0, 7, 0 }, any[] = { me == 1, 0 };
    armci_msg_igop(truth, 3, "&&");
    armci_msg_igop(any, 2, "||");
    RIGHT(truth[0] == (n == 1) && truth[1] == 1 && truth[2] == 0 && any[0] == (n > 1) && !any[1]);
    RIGHT(armci_domain_count(ARMCI_DOMAIN_SMP) == n && armci_domain_my_id(ARMCI_DOMAIN_SMP) == me);
    RIGHT(armci_domain_id(ARMCI_DOMAIN_SMP, n - 1) == n - 1);
    RIGHT(armci_domain_nprocs(ARMCI_DOMAIN_SMP, -1) == 1);
    RIGHT(armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, n - 1, 0) == n - 1);
    RIGHT(armci_domain_same_id(ARMCI_DOMAIN_SMP, 0) == (me == 0));
}

/* ---- messages of two processes ---- */

/* Both send before they receive, more than a slot holds, and receive in another order. */
static void crossing(void)
{
    enum { BIG = 70001 };
    int next = (me + 1) % n, before = (me + n - 1) % n, len = -1;
    char *out = malloc(BIG), *in = malloc(BIG);
    for (int i = 0; i < BIG; i++)
        out[i] = (char)(me + i * 7);
    armci_msg_snd(1, out, BIG, next);
    armci_msg_snd(2, &me, sizeof me, next);
    armci_msg_snd(1, NULL, 0, next);
    int who = -1;
    armci_msg_rcv(2, &who, sizeof who, &len, before);
    RIGHT(who == before && len == sizeof who);
    armci_msg_rcv(1, in, BIG, &len, before);
    RIGHT(len == BIG);
    for (int i = 0; i < BIG; i++)
        RIGHT(in[i] == (char)(before + i * 7));
    armci_msg_rcv(1, in, BIG, NULL, before);
    if (me > 0)
        armci_msg_snd(3, &me, sizeof me, 0);
    for (int i = 1, sum = 0; me == 0 && i < n; i++) {
        int from = armci_msg_rcvany(3, &who, sizeof who, &len);
        RIGHT(from == who && len == sizeof who);
        sum += who;
        RIGHT(i < n - 1 || sum == n * (n - 1) / 2);
    }
    free(out);
    free(in);
}

/* The number of processes, up the tree; and the process that has the least of the odd ones. */
static void trees(void)
{
    int root, up, low, high, below[2] = { 0, 0 }, count = 1;
    armci_msg_bintree(SCOPE_ALL, &root, &up, &low, &high);
    RIGHT(root == 0 && (up < 0) == (me == 0));
    if (low >= 0)
        armci_msg_rcv(4, &below[0], sizeof below[0], NULL, low);
    if (high >= 0)
        armci_msg_rcv(4, &below[1], sizeof below[1], NULL, high);
    count += below[0] + below[1];
    if (up >= 0)
        armci_msg_snd(4, &count, sizeof count, up);
    RIGHT(me != 0 || count == n);
    armci_msg_bintree(SCOPE_NODE, &root, &up, &low, &high);
    RIGHT(root == me && up == -1 && low == -1 && high == -1);
    struct {
        double value;
        int who;
    } best = { 100.0 - me, me };
    armci_msg_sel_scope(SCOPE_ALL, &best, sizeof best, "min", ARMCI_DOUBLE, me % 2);
    int last = (n - 1) % 2 ? n - 1 : n - 2;
    RIGHT(best.who == (n > 1 ? last : me) && best.value == 100.0 - best.who);
    double x[] = { me + 0.5, 2 };
    armci_msg_gop_scope(SCOPE_NODE, x, 2, "+", ARMCI_DOUBLE);
    RIGHT(x[0] == me + 0.5);
    armci_msg_gop_scope(SCOPE_ALL, x, 2, "*", ARMCI_DOUBLE);
    RIGHT(x[1] == (double)(1 << n));
}

/* A section to a buffer and back to another one. */
static void packing(void)
{
    int from[4][6][8], to[4][6][8], buffer[2 * 3 * 4];
    int strides[] = { sizeof from[0][0], sizeof from[0] }, count[] = { 4 * sizeof(int), 3, 2 };
    for (int i = 0; i < 4 * 6 * 8; i++)
        (&from[0][0][0])[i] = i;
    memset(to, 0, sizeof to);
    armci_write_strided(&from[1][2][3], 2, strides, count, (char *)buffer);
    RIGHT(buffer[0] == from[1][2][3] && buffer[4] == from[1][3][3] && buffer[12] == from[2][2][3]);
    armci_read_strided(&to[2][0][1], 2, strides, count, (char *)buffer);
    RIGHT(to[2][0][1] == from[1][2][3] && to[3][2][4] == from[2][4][6] && to[3][2][5] == 0);
}

/* ---- groups ---- */

/* The group's memory: each member has more than the one before, the last one nothing. */
static void group_memory(ARMCI_Group *g, int rank, int size)
{
    void **at = malloc((size_t)size * sizeof *at);
    int last = rank == size - 1 && size > 1, next = (rank + 1) % size;
    for (int turn = 0; turn < 3; turn++) {
        RIGHT(ARMCI_Malloc_group(at, last ? 0 : 1000 * (rank + 1), g) == 0);
        for (int r = 0; r < size; r++)
            RIGHT((at[r] == NULL) == (r == size - 1 && size > 1));
        if (!last)
            memset(at[rank], me, (size_t)(1000 * (rank + 1)));
        armci_msg_group_barrier(g);
        if (at[next]) {
            int proc = ARMCI_Absolute_id(g, next);
            char end = 0;
            ARMCI_Get((char *)at[next] + 1000 * (next + 1) - 1, &end, 1, proc);
            RIGHT(end == proc);
        }
        RIGHT(ARMCI_Free_group(at[rank], g) == 0);
    }
    RIGHT(ARMCI_Malloc_group_memdev(at, rank == 0 ? 1L << 40 : 8, g, "dram") != 0 && !at[rank]);
    free(at);
}

/* Its collectives, while the other group is in them as well. */
static void group_calls(ARMCI_Group *g, int rank, int size)
{
    for (int turn = 0; turn < 20; turn++) {
        double x[] = { 0.5 * me, -1 };
        long least = 100 - me;
        int sum = 0, word = rank == turn % size ? 77 * turn + me : 0;
        int root = ARMCI_Absolute_id(g, turn % size);
        for (int r = 0; r < size; r++)
            sum += ARMCI_Absolute_id(g, r);
        armci_msg_group_dgop(x, 2, "+", g);
        armci_msg_group_lgop(&least, 1, "min", g);
        RIGHT(x[0] == 0.5 * sum && x[1] == -size);
        armci_msg_group_bcast_scope(SCOPE_ALL, &word, sizeof word, root, g);
        RIGHT(word == 77 * turn + root);
        armci_msg_group_barrier(g);
    }
}

/* Even and odd processes, in falling order; within the even ones the first two; the world. */
static void groups(void)
{
    int *list = malloc((size_t)n * sizeof *list), size = 0, rank = -1, has = -1;
    ARMCI_Group half, pair, all;
    for (int p = n - 1; p >= 0; p--)
        if (p % 2 == me % 2)
            list[size++] = p;
    ARMCI_Group_create(size, list, &half);
    ARMCI_Group_size(&half, &has);
    RIGHT(ARMCI_Group_rank(&half, &rank) == 0 && has == size && list[rank] == me);
    group_calls(&half, rank, size);
    group_memory(&half, rank, size);
    ARMCI_Group_set_default(&half);
    ARMCI_Group_get_default(&pair);
    RIGHT(ARMCI_Uses_shm_grp(&pair) == 0);
    int first[] = { 1, 0 };
    if (size > 1) {
        ARMCI_Group_create(2, first, &pair);
        RIGHT(ARMCI_Group_rank(&pair, &has) == (rank > 1) && has == (rank > 1 ? -1 : 1 - rank));
        if (rank < 2) {
            RIGHT(ARMCI_Absolute_id(&pair, 0) == list[1]);
            group_calls(&pair, 1 - rank, 2);
        }
        ARMCI_Group_free(&pair);
    }
    ARMCI_Group_free(&half);
    ARMCI_Group_get_world(&all);
    ARMCI_Group_get_default(&pair);
    group_calls(&all, me, n);
    group_memory(&pair, me, n);
    free(list);
}

/* More blocks than HLRC has windows. */
static void many_blocks(void)
{
    enum { BLOCKS = 300 };
    void **at = malloc((size_t)(BLOCKS * n) * sizeof *at);
    int next = (me + 1) % n;
    for (int i = 0; i < BLOCKS; i++)
        RIGHT(ARMCI_Malloc(at + i * n, (i + 1) * (me == i % n ? 0L : 4L)) == 0);
    for (int i = 0; i < BLOCKS; i++)
        if (at[i * n + next])
            ARMCI_PutValueInt(i + next, at[i * n + next], next);
    ARMCI_Barrier();
    for (int i = 0; i < BLOCKS; i++)
        RIGHT(!at[i * n + me] || *(int *)at[i * n + me] == i + me);
    for (int i = 0; i < BLOCKS; i++)
        RIGHT(ARMCI_Free(at[i * n + me]) == 0);
    free(at);
}

static void mistake(const char *word)
{
    void **at = malloc((size_t)n * sizeof *at);
    int x = 1, one[] = { 4, 2 }, back = -4;
    ARMCI_Group g;
    ARMCI_Malloc(at, 100 + me);
    if (strcmp(word, "process") == 0)
        ARMCI_Put(&x, at[0], 4, n);
    else if (strcmp(word, "private") == 0)
        ARMCI_Put(&x, &x, 4, 0);
    else if (strcmp(word, "beyond") == 0)
        ARMCI_Put(&x, (char *)at[0] + 97, 4, 0);
    else if (strcmp(word, "freed") == 0)
        ARMCI_Free(at[me]), ARMCI_Get(at[0], &x, 4, 0);
    else if (strcmp(word, "stride") == 0)
        ARMCI_PutS(&x, &back, at[0], &back, one, 1, 0);
    else if (strcmp(word, "levels") == 0)
        ARMCI_PutS(&x, &back, at[0], &back, one, 9, 0);
    else if (strcmp(word, "type") == 0)
        ARMCI_Acc(7, &x, &x, at[0], 4, 0);
    else if (strcmp(word, "mutex") == 0)
        ARMCI_Create_mutexes(1), ARMCI_Lock(1, 0);
    else if (strcmp(word, "rmw") == 0)
        ARMCI_Rmw(ARMCI_SWAP, &x, (char *)at[0] + 2, 0, 0);
    else if (strcmp(word, "member") == 0)
        ARMCI_Group_create(1, &back, &(ARMCI_Group){ 0 });
    else if (strcmp(word, "other") == 0 && me == 0)
        ARMCI_Group_create(1, &x, &g), armci_msg_group_barrier(&g);
    else if (strcmp(word, "lists") == 0)
        ARMCI_Group_create(2, me ? (int[]){ 0, 1 } : (int[]){ 1, 0 }, &g);
    else if (strcmp(word, "long") == 0)
        armci_msg_snd(0, one, sizeof one, 0), armci_msg_rcv(0, &x, sizeof x, NULL, 0);
    else if (strcmp(word, "operation") == 0)
        armci_msg_igop(&x, 1, "xor");
    else if (strcmp(word, "error") == 0 && me == 0)
        ARMCI_Error("enough", 5);
    else if (strcmp(word, "error") == 0)
        ARMCI_Barrier();
    exit(0);
}

/* A value after a notification, around the processes; each has room for one. */
static void notifications(void **at)
{
    int next = (me + 1) % n, before = (me + n - 1) % n, waited = 0;
    volatile int *mine = at[me];
    for (int turn = 1; turn <= 200; turn++) {
        int value = 1000 * me + turn;
        armci_hdl_t handle;
        ARMCI_INIT_HANDLE(&handle);
        if (turn % 2)
            RIGHT(ARMCI_NbPut(&value, at[next], sizeof value, next, &handle) == 0);
        else
            ARMCI_PutValueInt(value, at[next], next);
        RIGHT(armci_notify(next) == (n > 2 ? turn : 2 * turn - 1));
        RIGHT(armci_notify_wait(before, &waited) >= waited);
        RIGHT(waited == (n > 2 ? turn : 2 * turn - 1));
        RIGHT(*mine == 1000 * before + turn);
        ARMCI_Wait(&handle);
        RIGHT(armci_notify(before) == (n > 2 ? turn : 2 * turn));
        armci_notify_wait(next, &waited);
        RIGHT(waited == (n > 2 ? turn : 2 * turn));
    }
    ARMCI_Barrier();
}

int main(int argc, char *argv[])
{
    ARMCI_Finalize(); /* nothing to end */
    RIGHT(!ARMCI_Initialized());
    if (argc > 1 && strcmp(argv[1], "early") == 0)
        ARMCI_Barrier();
    RIGHT(ARMCI_Init_args(&argc, &argv) == 0 && ARMCI_Initialized());
    me = armci_msg_me();
    n = armci_msg_nproc();
    if (argc > 1)
        mistake(argv[1]);
    void **at = malloc((size_t)n * sizeof *at);
    memory();
    RIGHT(ARMCI_Malloc(at, 400000) == 0);
    void (*const parts[])(void **) = { sections, lists, accumulate,    begun,
                                       words,    flags, notifications, mutexes };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        parts[i](at);
    messages();
    crossing();
    trees();
    packing();
    groups();
    many_blocks();
    ARMCI_Free(at[me]);
    free(at);
    if (me == 0)
        puts("right");
    ARMCI_Cleanup();
    ARMCI_Finalize();
    ARMCI_Finalize();
    return 0;
}
