/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Every call of TreadMarks' interface, and programs in its style: each against what it promises, or
 * against the same computed here alone. Prints "right". With a word for argument, one of the
 * mistakes that end the job with a line.
 */
#include <Tmk.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ALL 0 /* the barrier */

static struct shared {
    int counter, turn, round, full, taken, sum, waiting, go;
    unsigned ran[TMK_NPROCS];
    int next_city, best;
} * shared;

static void right(int condition, const char *what)
{
    if (!condition)
        Tmk_errexit("process %u: %s\n", Tmk_proc_id, what);
}

/* ---- Tmk_distribute ---- */

static char big[20000];
static long level, behind;

static void distribute_big(void)
{
    if (Tmk_proc_id == Tmk_nprocs - 1) {
        for (unsigned i = 0; i < sizeof big; i++)
            big[i] = (char)(i * 7 % 101);
        Tmk_distribute(big, sizeof big);
    }
    Tmk_barrier(ALL);
    for (unsigned i = 0; i < sizeof big; i++)
        right(big[i] == (char)(i * 7 % 101), "an array that was distributed");
}

/* One writer after the other, each behind a barrier; more than are kept. */
static void distribute_in_turn(void)
{
    for (unsigned i = 0; i < 60; i++) {
        if (i % Tmk_nprocs == Tmk_proc_id) {
            behind = 1000 + (long)i;
            Tmk_distribute(&behind, sizeof behind);
        }
        Tmk_barrier(1 + i % (TMK_NBARRIERS - 1));
        right(behind == 1000 + (long)i, "a value behind the barrier");
        Tmk_barrier(ALL);
    }
}

/* With a barrier between: process 0 may be ahead of the others while they take what is older. */
static void distribute_ahead(void)
{
    static int round;
    for (int i = 1; i <= 100; i++) {
        if (Tmk_proc_id == 0) {
            round = i;
            Tmk_distribute(&round, sizeof round);
        }
        Tmk_barrier(ALL);
        right(round == i || (round == i + 1 && Tmk_proc_id != 0), "a value of the next round");
    }
    Tmk_barrier(ALL);
    right(round == 100, "the value of the last round");
}

/* What was distributed within a lock is there in the next one's turn. */
static void distribute_in_lock(void)
{
    for (int i = 0; i < 40; i++) {
        Tmk_lock_acquire(TMK_NLOCKS - 1);
        right(shared->round == 0 || level == shared->round, "a value in the lock");
        level = ++shared->round;
        Tmk_distribute(&level, sizeof level);
        Tmk_lock_release(TMK_NLOCKS - 1);
    }
    Tmk_barrier(ALL);
    right(level == 40 * (long)Tmk_nprocs, "the last value");
}

/* Several at a time: in the end all processes have the same one's. */
static void distribute_at_once(void)
{
    static unsigned who;
    for (int i = 0; i < 10; i++) {
        who = 1 + Tmk_proc_id;
        Tmk_distribute(&who, sizeof who);
        Tmk_barrier(ALL);
        shared->ran[Tmk_proc_id] = who;
        Tmk_barrier(ALL);
        for (unsigned p = 0; p < Tmk_nprocs; p++)
            right(shared->ran[p] == who, "a value that all distribute at once");
        Tmk_barrier(ALL);
    }
    shared->ran[Tmk_proc_id] = 0;
}

/* ---- locks and conditions ---- */

static void count(void)
{
    for (int i = 0; i < 50; i++) {
        Tmk_lock_acquire(3);
        shared->counter++;
        Tmk_lock_release(3);
    }
    Tmk_barrier(2);
    right(shared->counter == 50 * (int)Tmk_nprocs, "a counter under a lock");
}

/* A buffer of one: process 0 puts, the others take; the signal comes once without the lock. */
static void pass_on(void)
{
    int each = 20, all = each * ((int)Tmk_nprocs - 1);
    if (Tmk_proc_id == 0) {
        for (int i = 1; i <= all; i++) {
            Tmk_lock_acquire(9);
            while (shared->full)
                Tmk_lock_cond_wait(9, 0);
            shared->full = i;
            if (i % 2)
                Tmk_lock_cond_broadcast(9, TMK_NCONDS - 1);
            Tmk_lock_release(9);
            if (i % 2 == 0)
                Tmk_lock_cond_broadcast(9, TMK_NCONDS - 1);
        }
    } else {
        for (int i = 0; i < each; i++) {
            Tmk_lock_acquire(9);
            while (!shared->full)
                Tmk_lock_cond_wait(9, TMK_NCONDS - 1);
            shared->sum += shared->full;
            shared->full = 0;
            shared->taken++;
            Tmk_lock_cond_signal(9, 0);
            Tmk_lock_release(9);
        }
    }
    Tmk_barrier(ALL);
    right(shared->taken == all && shared->sum == all * (all + 1) / 2, "what was passed on");
}

/* ---- programs ---- */

#define N 66

static void jacobi_step(float (*from)[N], float (*to)[N], int begin, int end)
{
    for (int i = begin; i < end; i++)
        for (int j = 1; j < N - 1; j++)
            to[i][j] = (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]) / 4;
}

static void jacobi_begin(float (*grid)[N])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            grid[i][j] = i == 0 || j == 0 || i == N - 1 || j == N - 1 ? 100.0F : 0.0F;
}

static float (*grid)[N];

static void jacobi(void)
{
    static float scratch[N][N], alone[N][N];
    int rows = N - 2, begin = 1 + rows * (int)Tmk_proc_id / (int)Tmk_nprocs,
        end = 1 + rows * ((int)Tmk_proc_id + 1) / (int)Tmk_nprocs;
    if (Tmk_proc_id == 0) {
        if ((grid = Tmk_sbrk(sizeof(float[N][N]))) == 0)
            Tmk_errexit("out of shared memory");
        jacobi_begin(grid);
        Tmk_distribute((char *)&grid, sizeof grid);
    }
    jacobi_begin(alone);
    Tmk_barrier(0);
    for (int k = 0; k < 20; k++) {
        jacobi_step(grid, scratch, begin, end);
        Tmk_barrier(1);
        for (int i = begin; i < end; i++)
            memcpy(&grid[i][1], &scratch[i][1], (N - 2) * sizeof(float));
        Tmk_barrier(2);
    }
    for (int k = 0; k < 20; k++) {
        jacobi_step(alone, scratch, 1, N - 1);
        for (int i = 1; i < N - 1; i++)
            memcpy(&alone[i][1], &scratch[i][1], (N - 2) * sizeof(float));
    }
    right(memcmp(grid, alone, sizeof alone) == 0, "the grid");
    Tmk_barrier(0);
}

#define CITIES 8

static int distance(int a, int b)
{
    return 10 + (a * 37 + b * 37 + a * b * 11) % 90;
}

/* The shortest tour that begins with what is in path; `bound` is known to be possible. */
static int shortest(int *path, int len, int so_far, int bound)
{
    if (so_far >= bound)
        return bound;
    if (len == CITIES) {
        int all = so_far + distance(path[CITIES - 1], path[0]);
        return all < bound ? all : bound;
    }
    for (int city = 1; city < CITIES; city++) {
        int used = 0;
        for (int i = 1; i < len; i++)
            used |= path[i] == city;
        if (used)
            continue;
        path[len] = city;
        bound = shortest(path, len + 1, so_far + distance(path[len - 1], city), bound);
    }
    return bound;
}

/* Processes take the second city of a tour from a pool. */
static void travel(void)
{
    enum { QUEUE, TOUR };
    int path[CITIES] = { 0 };
    if (Tmk_proc_id == 0)
        shared->next_city = 1, shared->best = 1000000;
    Tmk_barrier(0);
    for (;;) {
        Tmk_lock_acquire(QUEUE);
        int city = shared->next_city++;
        Tmk_lock_release(QUEUE);
        if (city >= CITIES)
            break;
        path[1] = city;
        int found = shortest(path, 2, distance(0, city), 1000000);
        Tmk_lock_acquire(TOUR);
        if (found < shared->best)
            shared->best = found;
        Tmk_lock_release(TOUR);
    }
    Tmk_barrier(0);
    right(shared->best == shortest(path, 1, 0, 1000000), "the tour");
}

/* ---- loops that one process deals out ---- */

static void loop(Tmk_sched_arg_t arg)
{
    struct shared *s = arg->shared[0];
    s->ran[Tmk_proc_id] += (unsigned)arg->byvalue[0].int_by_value;
}

static void deal_out(void)
{
    unsigned master = Tmk_nprocs - 1;
    if (Tmk_sched_start(master)) {
        right(Tmk_proc_id == master, "the master");
        struct Tmk_sched_arg arg = { 1, 1, { shared }, { { 0 } } };
        for (int i = 1; i <= 3; i++) {
            arg.byvalue[0].int_by_value = i;
            Tmk_sched_fork(loop, &arg);
            if (i == 2)
                continue; /* the next fork waits, too */
            Tmk_sched_join();
            for (unsigned p = 0; p < Tmk_nprocs; p++)
                right(shared->ran[p] == (i == 1 ? 1 : 6), "a loop that was dealt out");
        }
        Tmk_sched_exit();
    } else {
        right(Tmk_proc_id != master, "a worker");
    }
    Tmk_barrier(ALL);
    right(shared->ran[Tmk_proc_id] == 6, "all loops");
}

/* ---- memory, and what was counted ---- */

static void allocate(void)
{
    char *a = Tmk_malloc(100000), *b = Tmk_sbrk(8), *c = Tmk_sbrk(2 * Tmk_page_size);
    right(a && b && c && (size_t)c % Tmk_page_size == 0 && Tmk_page_size == (unsigned)getpagesize(),
          "memory");
    for (int i = 0; i < 100000; i++)
        right(a[i] == 0, "zeros");
    Tmk_free(a);
    Tmk_barrier(ALL);
    unsigned arrivals = Tmk_stat.arrivals, acquires = Tmk_stat.acquires;
    Tmk_lock_acquire(1);
    Tmk_lock_release(1);
    Tmk_barrier(ALL);
    right(Tmk_stat.arrivals == arrivals + 1 && Tmk_stat.acquires == acquires + 1, "Tmk_stat");
    right(Tmk_nprocs == 1 || (Tmk_stat.signals + Tmk_stat.broadcasts > 0 && Tmk_stat.messages > 0),
          "Tmk_stat");
}

static void mistake(const char *word)
{
    long automatic = 1;
    Tmk_barrier(ALL);
    if (strcmp(word, "automatic") == 0)
        Tmk_distribute(&automatic, sizeof automatic);
    else if (strcmp(word, "malloc") == 0)
        Tmk_distribute(malloc(8), 8);
    else if (strcmp(word, "constant") == 0)
        Tmk_distribute("text", 4);
    else if (strcmp(word, "lock") == 0)
        Tmk_lock_acquire(TMK_NLOCKS);
    else if (strcmp(word, "barrier") == 0)
        Tmk_barrier(TMK_NBARRIERS);
    else if (strcmp(word, "cond") == 0)
        Tmk_lock_cond_wait(0, 0);
    else if (strcmp(word, "perrexit") == 0)
        errno = ENOENT, Tmk_perrexit("%s", "a file");
    else if (strcmp(word, "return") == 0)
        exit(0);
    Tmk_exit(0);
}

int main(int argc, char *argv[])
{
    int c;
    const char *word = NULL;
    while ((c = getopt(argc, argv, "w:")) != -1)
        if (c == 'w')
            word = optarg;
    Tmk_startup(argc, argv);
    if (word)
        mistake(word);
    if (Tmk_proc_id == 0) {
        shared = Tmk_malloc(sizeof *shared);
        if (!shared)
            Tmk_exit(-1);
        Tmk_distribute((char *)&shared, sizeof shared);
    }
    Tmk_barrier(ALL);
    right(shared != NULL, "a pointer that was distributed");
    distribute_big();
    distribute_in_turn();
    distribute_ahead();
    distribute_in_lock();
    distribute_at_once();
    count();
    pass_on();
    jacobi();
    travel();
    deal_out();
    allocate();
    if (Tmk_proc_id == 0) {
        puts("right");
        Tmk_err("%s\n", "said");
    }
    Tmk_exit(0);
}
