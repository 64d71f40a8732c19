/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Programs whose nodes share pages falsely, and some that do not, for profile.sh:
 *
 *   sharing CASE [TURNS]   0 to 19 are planted, the clean ones have names
 *   sharing packed|padded [TURNS [ELEMENTS [locks]]]   one of them, as it is or cured: the time it
 *                                                      takes
 *
 * Each line of the tables has what a node does in one turn; between turns there is a barrier, or a
 * lock. */
#include <hlrc.h>
#include <hlrc_rma.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PAGE 4096

static int me, nodes, turns = 60;
static volatile char *mem; /* of the case; zero */
static volatile char *two; /* another block in the same page */
static _Alignas(PAGE) struct {
    int64_t counter[PAGE / 8];
} globals;

static void add(volatile void *at, int64_t by)
{
    *(volatile int64_t *)at += by;
}

static void fill(volatile char *at, size_t bytes, int turn)
{
    for (size_t i = 0; i < bytes; i++)
        at[i] = (char)(turn + (int)i % 7 + 1);
}

static void allocate(size_t bytes)
{
    mem = hlrc_malloc_all(bytes);
    if (me == 0)
        memset((char *)(uintptr_t)mem, 0, bytes);
    hlrc_barrier();
}

static void allocate_two(void)
{
    char *of[2] = { NULL, NULL };
    if (me == 0) {
        of[0] = hlrc_malloc(64);
        of[1] = hlrc_malloc(60);
        memset(of[0], 0, 64);
        memset(of[1], 0, 60);
    }
    hlrc_broadcast(of, sizeof of, 0);
    mem = of[0];
    two = of[1];
}

/* ---- planted ---- */

static void counters(int turn) /* two counters side by side */
{
    if (me < 2)
        add(mem + 8 * me, turn);
}

static void counters_apart(int turn) /* in the same page, far from each other */
{
    add(mem + PAGE / nodes / 8 * 8 * me, turn);
}

static void slots(int turn) /* a slot for each node */
{
    add(mem + 64 * me, turn);
}

static void bytes(int turn)
{
    mem[me] = (char)turn;
}

static void elements(int turn) /* an array by index mod nodes */
{
    for (int i = me; i < 256; i += nodes)
        add(mem + 16 * i, turn);
}

static void elements_many(int turn) /* over several pages */
{
    for (int i = me; i < 1024; i += nodes)
        add(mem + 24 * i, turn);
}

static void rows(int turn) /* 3,000 bytes each, in blocks: the borders are in one page */
{
    for (int row = 4 * me; row < 4 * me + 4; row++)
        fill(mem + 3000 * row, 3000, turn);
}

static void rows_cyclic(int turn)
{
    for (int row = me; row < 12; row += nodes)
        fill(mem + 1000 * row, 1000, turn);
}

static void halves(int turn)
{
    size_t part = PAGE / (size_t)nodes;
    fill(mem + part * (size_t)me, part, turn);
}

static void border(int turn) /* of two large parts: 8 bytes on each side */
{
    if (me < 2)
        add(mem + 10 * PAGE + 2000 + (me ? 0 : -8), turn);
}

static void blocks(int turn) /* two of hlrc_malloc in one page */
{
    if (me < 2)
        add(me ? two : mem, turn);
}

static void statics(int turn) /* of hlrc_share */
{
    globals.counter[me] += turn;
}

static void structs(int turn) /* a field of each node's in every element */
{
    for (int i = 0; i < 32; i++)
        add(mem + 64 * i + 8 * me, turn);
}

static void own_locks(int turn) /* each under a lock of its own */
{
    hlrc_lock((hlrc_lock_t)me);
    add(mem + 8 * me, turn);
    hlrc_unlock((hlrc_lock_t)me);
}

static void one_lock(int turn) /* under the same lock, though each has its own bytes */
{
    hlrc_lock(5);
    add(mem + 8 * me, turn);
    hlrc_unlock(5);
}

static void doubles(int turn)
{
    volatile double *d = (volatile double *)(volatile void *)mem;
    for (int i = 32 * me; i < 32 * me + 32; i++)
        d[i] += turn;
}

static void seldom(int turn) /* one node writes in each turn, the other in every third */
{
    if (me == 0 || turn % 3 == 0)
        add(mem + 8 * me, turn);
}

static void alternate(int turn) /* one writes in even turns, another in odd ones */
{
    if (me < 2 && turn % 2 == me)
        add(mem + 8 * me, turn);
}

static void untouched(int turn) /* behind a header that all read and nobody writes */
{
    if (mem[0] == 0)
        add(mem + 128 + 8 * me, turn);
}

static void last_read(int turn) /* one node adds up in the end */
{
    add(mem + 8 * me, turn);
    if (turn == turns && me == 0)
        for (int i = 0; i < nodes; i++)
            (void)mem[8 * i];
}

/* ---- clean ---- */

static void aligned(int turn) /* what each writes has pages of its own; the neighbour's is read */
{
    fill(mem + PAGE * me, PAGE, turn);
    hlrc_barrier();
    (void)mem[PAGE * ((me + 1) % nodes)];
}

static void producer(int turn) /* one writes, the others read */
{
    if (me == 0)
        fill(mem, 256, turn);
    hlrc_barrier();
    (void)mem[turn % 256];
}

static void locked(int turn) /* a counter that all write */
{
    (void)turn;
    hlrc_lock(3);
    add(mem, 1);
    hlrc_unlock(3);
}

static void migrates(int turn) /* data that go from node to node */
{
    if (turn % nodes == me)
        fill(mem, 512, turn);
}

static void exchange(int turn) /* own slots are written, all are read */
{
    add(mem + 8 * me, turn);
    hlrc_barrier();
    for (int i = 0; i < nodes; i++)
        (void)*(volatile int64_t *)(mem + 8 * i);
}

static void own_first(int turn) /* the same, one's own slot first */
{
    add(mem + 8 * me, turn);
    hlrc_barrier();
    for (int i = 0; i < nodes; i++)
        (void)*(volatile int64_t *)(mem + 8 * ((me + i) % nodes));
}

/* Parts that end amid a page: in each turn every other element of one's own is written, and of all
 * parts the others are read. */
static void halo(int turn)
{
    const int elements = 893; /* of 16 bytes: three pages and a half */
    for (int i = me * elements; i < (me + 1) * elements; i++)
        if ((i + turn) % 2 == 0)
            add(mem + 16 * i, turn);
    for (int i = 0; i < nodes * elements; i++)
        if ((i + turn) % 2 != 0)
            (void)mem[16 * i];
}

static void words(int turn) /* all write the same word, and change different bytes of it at first */
{
    hlrc_lock(3);
    if (turn < 8)
        mem[me] = (char)turn;
    else
        fill(mem, 8, turn);
    hlrc_unlock(3);
}

static void alone(int turn) /* one writes what nobody else does */
{
    if (me == 1)
        fill(mem, 100, turn);
}

static void once(int turn) /* each writes its part of one page, once */
{
    if (turn == 1)
        add(mem + 8 * me, turn);
}

/* What node 0 has written the others get and put past their copies, and operate on. In each turn
 * 24 bytes are got, 8 put, and two operations are done, by each of the others. */
static void parts(int turn)
{
    int64_t got[3] = { 0 }, mine = turn * 100 + me, old = 0;
    int64_t *put = (int64_t *)(uintptr_t)mem + 64 + me, *word = (int64_t *)(uintptr_t)mem + 128;
    if (me == 0)
        fill(mem, 24, turn);
    hlrc_barrier();
    if (me == 0)
        return;
    hlrc_get(got, (const void *)(uintptr_t)mem, sizeof got, HLRC_HOMES);
    hlrc_put(put, &mine, sizeof mine, HLRC_HOMES);
    for (int i = 0; i < 2; i++) {
        int64_t one = 1;
        hlrc_word_fetch(hlrc_word_shared(word), HLRC_INT64, HLRC_SUM, &one, &old, HLRC_RELAXED);
    }
    if (memcmp(got, (char[]){ (char)(turn + 1), (char)(turn + 2) }, 2) != 0)
        exit(3);
}

static const struct {
    const char *name;
    size_t bytes;
    void (*turn)(int turn);
} cases[] = {
    { "0", PAGE, counters },
    { "1", PAGE, counters_apart },
    { "2", PAGE, slots },
    { "3", PAGE, bytes },
    { "4", PAGE, elements },
    { "5", 6 * PAGE, elements_many },
    { "6", 48000, rows },
    { "7", 12000, rows_cyclic },
    { "8", PAGE, halves },
    { "9", 20 * PAGE, border },
    { "10", 64, blocks },
    { "11", PAGE, statics },
    { "12", PAGE, structs },
    { "13", PAGE, own_locks },
    { "14", PAGE, one_lock },
    { "15", PAGE, doubles },
    { "16", PAGE, seldom },
    { "17", PAGE, alternate },
    { "18", PAGE, untouched },
    { "19", PAGE, last_read },
    { "aligned", 64 * PAGE, aligned },
    { "producer", PAGE, producer },
    { "locked", PAGE, locked },
    { "migrates", PAGE, migrates },
    { "exchange", PAGE, exchange },
    { "alone", PAGE, alone },
    { "once", PAGE, once },
    { "own_first", PAGE, own_first },
    { "halo", 64 * PAGE, halo },
    { "words", PAGE, words },
    { "parts", PAGE, parts },
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Each node's elements lie `apart` from the next node's: the same work, shared falsely or not.
 * Between turns there is a barrier; or each turn is under a lock. */
static void measure(size_t apart, int elements, bool locks)
{
    allocate(apart * (size_t)(nodes * elements));
    double begin = now();
    for (int turn = 1; turn <= turns; turn++) {
        if (locks)
            hlrc_lock(5);
        for (int i = 0; i < elements; i++)
            add(mem + apart * (size_t)(apart < PAGE ? i * nodes + me : me * elements + i), turn);
        if (locks)
            hlrc_unlock(5);
        else
            hlrc_barrier();
    }
    hlrc_barrier();
    if (me == 0)
        printf("%.6f\n", now() - begin);
}

static void run(const char *name)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(cases[i].name, name) != 0)
            continue;
        allocate(cases[i].bytes);
        if (cases[i].turn == blocks)
            allocate_two();
        for (int turn = 1; turn <= turns; turn++) {
            cases[i].turn(turn);
            hlrc_barrier();
        }
        return;
    }
    exit(2);
}

int main(int argc, char **argv)
{
    if (argc < 2 || hlrc_share(&globals, sizeof globals) != 0 || hlrc_init(&argc, &argv) != 0)
        return 2;
    me = hlrc_node_id();
    nodes = hlrc_node_count();
    turns = argc > 2 ? atoi(argv[2]) : turns;
    if (strcmp(argv[1], "padded") == 0 || strcmp(argv[1], "packed") == 0)
        measure(strcmp(argv[1], "padded") == 0 ? PAGE : 8, argc > 3 ? atoi(argv[3]) : 1,
                argc > 4 && strcmp(argv[4], "locks") == 0);
    else
        run(argv[1]);
    hlrc_barrier();
    hlrc_finalize();
    return 0;
}
