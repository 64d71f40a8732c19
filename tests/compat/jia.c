/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Every call of JIAJIA's interface, and two programs in its style: each against what it promises,
 * or against the same computed here alone. Prints "right". With a word for argument, one of the
 * mistakes that end the job with a line.
 */
#include <hlrc.h>
#include <jia.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE 4096

static void right(int condition, const char *what)
{
    if (!condition)
        jia_error("host %d: %s", jiapid, what);
}

/* ---- allocation: where pages live ---- */

static void lives(unsigned long mem, int page, int host, const char *what)
{
    right(hlrc_home((char *)mem + (size_t)page * PAGE) == host % jiahosts, what);
}

static void allocate(void)
{
    int blocks[2] = { PAGE, 2 * PAGE - 1 };
    unsigned long first = jia_alloc(3 * PAGE), second = jia_alloc(1), mem;
    for (int page = 0; page < 3; page++)
        lives(first, page, 0, "jia_alloc, the first");
    lives(second, 0, 1, "jia_alloc, the second");
    mem = jia_alloc1(2 * PAGE);
    lives(mem, 0, 0, "jia_alloc1");
    lives(mem, 1, 0, "jia_alloc1");
    mem = jia_alloc2(8 * PAGE, 2 * PAGE);
    for (int page = 0; page < 8; page++)
        lives(mem, page, page / 2, "jia_alloc2");
    mem = jia_alloc2p(2 * PAGE, jiahosts - 1);
    lives(mem, 1, jiahosts - 1, "jia_alloc2p");
    mem = jia_alloc3(5 * PAGE, 1, jiahosts - 1);
    for (int page = 0; page < 5; page++)
        lives(mem, page, jiahosts - 1 + page, "jia_alloc3");
    /* a round of one page each, then one of two pages each, then one again */
    mem = jia_alloc4((size_t)(4 * jiahosts) * PAGE, blocks, 2, 0);
    for (int page = 0; page < 4 * jiahosts; page++)
        lives(mem, page,
              page < jiahosts       ? page
              : page < 3 * jiahosts ? (page - jiahosts) / 2
                                    : page - 3 * jiahosts,
              "jia_alloc4");
    mem = jia_alloc3b((size_t)(3 * jiahosts - 1) * PAGE, blocks, 1 % jiahosts);
    int one = jiahosts == 1 ? 1 : jiahosts - 1; /* what is left of the first round */
    for (int page = 0; page < 3 * jiahosts - 1; page++)
        lives(mem, page, page < one ? jiahosts - one + page : (page - one) / 2, "jia_alloc3b");
    for (size_t i = 0; i < (size_t)(3 * jiahosts - 1) * PAGE; i++)
        right(((char *)mem)[i] == 0, "zeros");
}

/* ---- order ---- */

static void order(void)
{
    long *count = (long *)jia_alloc1(PAGE);
    LOCKDEC(lock)
    ALOCKDEC(locks, 3)
    LOCKINIT(lock)
    ALOCKINIT(locks, 3)
    right(locks[2] == lock + 3, "numbers of locks");
    for (int i = 0; i < 40; i++) {
        LOCK(lock)
        count[0]++;
        UNLOCK(lock)
        ALOCK(locks, 1)
        count[1]++;
        AULOCK(locks, 1)
        jia_lock(Maxlocks - 1);
        count[2]++;
        jia_unlock(Maxlocks - 1);
    }
    BARRIER(start, jiahosts)
    for (int i = 0; i < 3; i++)
        right(count[i] == 40 * jiahosts, "a counter under a lock");
    jia_wait();
    /* host 0 sets a flag twice, the others wait for it */
    for (int round = 1; round <= 2; round++) {
        if (jiapid == 0) {
            count[3] = round;
            jia_setcv(Maxcvs - 1);
        } else {
            jia_waitcv(Maxcvs - 1);
            jia_waitcv(Maxcvs - 1); /* still set */
            right(count[3] == round, "what was written before the flag");
        }
        jia_barrier();
        if (jiapid == 0)
            jia_resetcv(Maxcvs - 1);
        jia_barrier();
    }
}

/* ---- messages ---- */

static void messages(void)
{
    int next = (jiapid + 1) % jiahosts, before = (jiapid + jiahosts - 1) % jiahosts;
    static char text[10000], came[10000];
    for (int i = 0; i < 30; i++) {
        int word = 100 * jiapid + i;
        jia_send(&word, sizeof word, next, i % 3);
    }
    memset(text, 'a' + jiapid, sizeof text);
    jia_send(text, sizeof text, next, 7);
    right(jia_recv(came, 5000, before, 7) == 5000 && came[4999] == 'a' + before,
          "a message that is cut off");
    for (int tag = 2; tag >= 0; tag--) {
        for (int i = tag; i < 30; i += 3) {
            int word = -1, got = jia_recv(&word, sizeof word, tag ? before : MSG_PROC_ALL,
                                          tag ? tag : MSG_TAG_ALL);
            right(got == sizeof word && word == 100 * before + i, "messages in order");
        }
    }
    jia_send(text, 0, jiapid, 1);
    right(jia_recv(came, 10, jiapid, 1) == 0, "an empty message to oneself");
    jia_barrier();
}

static void collect(int root)
{
    int word = jiapid == root ? 4711 : 0, ints[3] = { jiapid, -jiapid, 1 },
        most[3] = { -1, -1, -1 };
    double half = 0.5 * (jiapid + 1), sum = -1, least = -1;
    float single = (float)jiapid, largest = -1;
    for (int host = 0; host < jiahosts && jiapid == root; host++)
        jia_send(&(int){ -7 }, sizeof word, host, 0); /* which no collective call takes */
    jia_bcast(&word, sizeof word, root);
    right(word == 4711, "jia_bcast");
    jia_reduce(ints, most, 3, MAX_INT, root);
    jia_reduce(&half, &sum, 1, SUM_DOUBLE, root);
    jia_reduce(&half, &least, 1, MIN_DOUBLE, root);
    jia_reduce(&single, &largest, 1, MAX_FLOAT, root);
    if (jiapid == root) {
        right(most[0] == jiahosts - 1 && most[1] == 0 && most[2] == 1, "MAX_INT");
        right(sum == 0.25 * jiahosts * (jiahosts + 1) && least == 0.5, "SUM_DOUBLE, MIN_DOUBLE");
        right(largest == (float)(jiahosts - 1), "MAX_FLOAT");
    } else {
        right(most[0] == -1 && sum == -1, "jia_reduce at another host than root");
    }
    jia_reduce(ints, most, 3, SUM_INT, root);
    right(jiapid != root || (most[0] == jiahosts * (jiahosts - 1) / 2 && most[2] == jiahosts),
          "SUM_INT");
    jia_recv(&word, sizeof word, MSG_PROC_ALL, MSG_TAG_ALL);
    right(word == -7, "a message beside collective calls");
}

/* ---- programs ---- */

#define N 48

static void multiply(void)
{
    typedef double matrix[N][N];
    size_t size = sizeof(matrix);
    matrix *a = (matrix *)jia_alloc3(size, size / (size_t)jiahosts, 0),
           *b = (matrix *)jia_alloc3(size, size / (size_t)jiahosts, 0),
           *c = (matrix *)jia_alloc3(size, size / (size_t)jiahosts, 0);
    if (jiapid == 0)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                (*a)[i][j] = i - j, (*b)[i][j] = i == j ? 2 : 1;
    jia_barrier();
    int begin = 0, end = N - 1;
    jia_divtask(&begin, &end);
    for (int i = begin; i <= end; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                (*c)[i][j] += (*a)[i][k] * (*b)[k][j];
    jia_barrier();
    /* the sum of row i of a is N i - N (N - 1) / 2; b is all ones, with one more on the diagonal */
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            right((*c)[i][j] == N * i - N * (N - 1) / 2.0 + (i - j), "the product");
}

/* Red and black points in turn. */
static void relax(double (*grid)[N], int begin, int end, int color)
{
    for (int i = begin; i <= end; i++)
        for (int j = 1; j < N - 1; j++)
            if ((i + j) % 2 == color)
                grid[i][j] =
                    (grid[i - 1][j] + grid[i + 1][j] + grid[i][j - 1] + grid[i][j + 1]) / 4;
}

static void over_relax(void)
{
    static double alone[N][N];
    double(*grid)[N] = (double(*)[N])jia_alloc(sizeof alone);
    if (jiapid == 0)
        for (int j = 0; j < N; j++)
            grid[0][j] = 1;
    for (int j = 0; j < N; j++)
        alone[0][j] = 1;
    jia_config(LOADBAL, ON);
    jia_barrier();
    for (int k = 0; k < 10; k++) {
        int begin = 1, end = N - 2;
        jia_divtask(&begin, &end);
        for (int color = 0; color < 2; color++) {
            relax(grid, begin, end, color);
            relax(alone, 1, N - 2, color);
            jia_barrier();
        }
        jia_loadcheck();
    }
    right(memcmp(grid, alone, sizeof alone) == 0, "the grid");
    jia_config(LOADBAL, OFF);
    jia_config(HMIG, ON);
}

/* All of it, and no more, whoever has been how fast. */
static void divide(void)
{
    int *done = (int *)jia_alloc(PAGE);
    jia_config(LOADBAL, ON);
    for (int round = 0; round < 3; round++) {
        int begin = 5, end = 104;
        jia_divtask(&begin, &end);
        for (int i = begin; i <= end; i++)
            done[i]++;
        if (jiapid == 0)
            usleep(3000);
        jia_loadcheck();
        jia_barrier();
        for (int i = 0; i < 110; i++)
            right(done[i] == (i >= 5 && i <= 104 ? round + 1 : 0), "a task that was cut");
        jia_barrier();
    }
    int begin = 0, end = 9999;
    jia_divtask(&begin, &end);
    right(jiahosts == 1 || jiapid != 0 || end - begin + 1 < 10000 / jiahosts,
          "who was slow gets less");
    jia_config(LOADBAL, OFF);
}

static void mistake(const char *word)
{
    int none = 0;
    if (strcmp(word, "lock") == 0)
        jia_lock(Maxlocks);
    else if (strcmp(word, "cv") == 0)
        jia_waitcv(-1);
    else if (strcmp(word, "host") == 0)
        jia_alloc2p(1, jiahosts);
    else if (strcmp(word, "block") == 0)
        jia_alloc4(1, &none, 1, 0);
    else if (strcmp(word, "op") == 0)
        jia_reduce(&none, &none, 1, 13, 0);
    else if (strcmp(word, "bcast") == 0)
        jia_bcast(&none, jiapid ? 4 : 3, 0);
    else if (strcmp(word, "return") == 0)
        return;
    jia_exit();
}

int main(int argc, char **argv)
{
    jia_init(argc, argv);
    if (argc > 1) {
        mistake(argv[1]);
        return 0;
    }
    unsigned int from = jia_startstat();
    allocate();
    order();
    messages();
    collect(0);
    collect(jiahosts - 1);
    multiply();
    over_relax();
    divide();
    float now;
    CLOCK(now)
    right(now > 0 && jia_stopstat() > from, "time");
    if (jiapid == 0)
        puts("right");
    jia_exit();
    return 0;
}
