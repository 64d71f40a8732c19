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
    armci_giov_t put[] = { { src, dst, 20, 8 }, { src + 20, dst + 20, 30, 8 } },
                 get = { dst, here, PIECES, 8 };
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
    while (!ARMCI_Test(&handle))
        continue;
    RIGHT(in[0][1] == out[0][1] && ARMCI_Test(&handle) && ARMCI_Wait(&handle) == 0);
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
    armci_giov_t v = { src, dst, 2, sizeof(int) };
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
    RIGHT(ARMCI_Same_node(me) == 1 && ARMCI_Uses_shm() == 0);
}

static void mistake(const char *word)
{
    void **at = malloc((size_t)n * sizeof *at);
    int x = 1, one[] = { 4, 2 }, back = -4;
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
    ARMCI_Free(at[me]);
    free(at);
    if (me == 0)
        puts("right");
    ARMCI_Cleanup();
    ARMCI_Finalize();
    ARMCI_Finalize();
    return 0;
}
