/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A job of two nodes or more with a race, or without, for races.sh (races/races.h):
 *
 *   race same      nodes 0 and 1 write bytes 24 to 27 between the same two barriers
 *                  [races.last-writers]
 *   race locks     the same, each under a lock of its own
 *   race home      as same, but the page is at home with node 0 before [races.tracked]
 *   race word      as home, and node 0 operates on the word behind its stores [word.ordered]
 *   race before F  node 1 writes before it takes the lock under which node 0 has written
 *   race after F   node 0 writes behind the unlock, then node 1 takes the lock and writes
 *   race joined F  node 1 writes in more intervals than a page's home keeps apart; node 2
 *                  knows of the first, and writes what that has written
 *   race open F    what node 0, the home, has stored and not closed is compared with node 1's diff
 *                  while node 0 closes it; node 1 writes the same bytes behind a barrier
 *                  [races.last-writers]
 *   race over F    node 1's diff overwrites stores of node 0, the home, that are not flushed yet:
 *                  node 2 has read a page with the diff before they are [races.last-writers]
 *   race reads     node 0 writes bytes 24 to 27, node 1 reads them, between the same two barriers
 *   race read-locks     the same, each under a lock of its own
 *   race read-before F  node 1 reads before it takes the lock under which node 0 has written
 *   race read-early F   node 1 reads, and its interval ends, before anybody has written the page;
 *                  node 0 writes it then [races.reads-first]
 *   race read-behind    node 0 notes reads at its home under the lock under which node 1 has
 *                  written, each time before it has taken in what that was: no race
 *   race clean     all that looks like it: other bytes, one lock, chains of locks, operations
 *                  on a word of a page that the home writes, blocks that are freed and used again
 *
 * F is a file, or with a number the first of some, that a node makes when another may go on: which
 * orders nothing here. race_reads is the same, compiled so that reads are noted.
 */
#include <fcntl.h>
#include <hlrc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define AT    24
#define TURNS 200

static int me, nodes;

static void write_first(volatile char *page)
{
    for (int i = 0; i < 4; i++)
        page[AT + i] = (char)(me + 1); /* line of node 0 */
}

static void write_second(volatile char *page)
{
    for (int i = 0; i < 4; i++)
        page[AT + i] = (char)(me + 1); /* line of node 1 */
}

static int read_second(volatile char *page)
{
    int sum = 0;
    for (int i = 0; i < 4; i++)
        sum += page[AT + i]; /* reads of node 1 */
    return sum;
}

static void write_both(volatile char *page)
{
    if (me == 0)
        write_first(page);
    else if (me == 1)
        write_second(page);
}

static void go_on(const char *file)
{
    close(open(file, O_CREAT | O_WRONLY, 0600));
}

static void wait_for(const char *file)
{
    while (access(file, F_OK) != 0)
        usleep(1000);
}

/* Node 1 writes, or reads, before it takes the lock under which node 0 has written. */
static int before(volatile char *page, const char *file, bool reads)
{
    int sum = 0;
    if (me == 1) {
        if (reads)
            sum = read_second(page);
        else
            write_second(page);
        wait_for(file);
    }
    if (me <= 1)
        hlrc_lock(1);
    if (me == 0)
        write_first(page);
    if (me <= 1)
        hlrc_unlock(1);
    if (me == 0)
        go_on(file);
    return sum;
}

static int early(volatile char *page, const char *file)
{
    int sum = 0;
    if (me == 1) {
        hlrc_lock(1);
        sum = read_second(page);
        hlrc_unlock(1);
        go_on(file);
    } else if (me == 0) {
        wait_for(file);
        write_first(page);
    }
    return sum;
}

static void after(volatile char *page, const char *file)
{
    if (me == 0) {
        hlrc_lock(1);
        hlrc_unlock(1);
        write_first(page);
        go_on(file);
    } else if (me == 1) {
        wait_for(file);
        hlrc_lock(1);
        write_second(page);
        hlrc_unlock(1);
    }
}

static const char *numbered(const char *file, int number)
{
    static char name[4096];
    snprintf(name, sizeof name, "%s%d", file, number);
    return name;
}

static void locked_write(volatile char *page, int at)
{
    hlrc_lock(1);
    page[at] = (char)(me + 1);
    hlrc_unlock(1);
}

static void joined(volatile char *page, const char *file)
{
    if (me == 1) {
        locked_write(page, 0);
        go_on(numbered(file, 1));
        wait_for(numbered(file, 2));
        for (int i = 1; i < 12; i++)
            locked_write(page, i);
        go_on(numbered(file, 3));
    } else if (me == 2) {
        wait_for(numbered(file, 1));
        hlrc_lock(1);
        hlrc_unlock(1);
        go_on(numbered(file, 2));
        wait_for(numbered(file, 3));
        page[0] = 3;
    }
}

static void open_stores(volatile char *page, const char *file)
{
    for (int turn = 0; turn < 10; turn++) {
        if (me == 0) {
            write_first(page);
            page[AT] = (char)(turn + 10);
            wait_for(numbered(file, turn));
        } else if (me == 1) {
            locked_write(page, 100 + turn);
            go_on(numbered(file, turn));
        }
        hlrc_barrier();
        if (me == 1) {
            page[AT] = (char)(turn + 100);
            write_second(page);
        }
        hlrc_barrier();
    }
}

/* Node 2 reads a version that the home has once it has applied node 1's diff. */
static void over(volatile char *page, const char *file)
{
    if (me == 0) {
        write_first(page);
        go_on(numbered(file, 1));
        wait_for(numbered(file, 3));
    } else if (me == 1) {
        wait_for(numbered(file, 1));
        hlrc_lock(1);
        write_second(page);
        hlrc_unlock(1);
        go_on(numbered(file, 2));
    } else if (me == 2) {
        wait_for(numbered(file, 2));
        hlrc_lock(1);
        (void)page[AT];
        hlrc_unlock(1);
        go_on(numbered(file, 3));
    }
}

static int read_or_write(volatile char *page)
{
    if (me == 0)
        write_first(page);
    return me == 1 ? read_second(page) : 0;
}

static int turn_of(volatile int *turn, int more)
{
    hlrc_lock(5);
    int now = *turn += more;
    hlrc_unlock(5);
    return now;
}

/* A value goes round by two locks: who takes it by one lets the next have it by the other. */
static void chain(volatile int *value, volatile int *turn)
{
    for (int done = 0; done < TURNS; done = turn_of(turn, 0)) {
        if (done % nodes != me)
            continue;
        hlrc_lock(2 + (hlrc_lock_t)(me % 2));
        ++*value;
        hlrc_unlock(2 + (hlrc_lock_t)(me % 2));
        (void)turn_of(turn, 1);
    }
}

static void blocks(char *volatile *shared)
{
    for (int i = 0; i < TURNS; i++) {
        hlrc_lock(6);
        hlrc_free(*shared);
        *shared = hlrc_malloc(100 + 50 * (size_t)(i % 40));
        if (*shared)
            memset(*shared, me + 1, 100);
        hlrc_unlock(6);
    }
}

/* Each part of a page is written by one node after the other, with a barrier between. */
static void rotate(volatile char *page)
{
    for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < 64; i++)
            page[(me + turn) % nodes * 64 + i] = (char)(turn + i);
        hlrc_barrier();
    }
}

/* Who tries a lock serves nothing, and notes before it reads. */
static void read_behind(volatile char *page)
{
    for (int turn = 0; turn < 10 * TURNS && me < 2; turn++) {
        while (hlrc_trylock(1) != 0)
            (void)usleep(1);
        if (me == 1)
            page[AT] = (char)turn;
        else
            hlrc_note_read((const char *)page + AT, 1, NULL);
        hlrc_unlock(1);
    }
}

static void clean(char *page)
{
    int64_t one = 1;
    for (int turn = 0; turn < 3; turn++) {
        for (int i = 0; i < TURNS; i++) {
            page[i * nodes + me] = (char)(turn + i);
            hlrc_word_fetch(hlrc_word_shared(page + 4000), HLRC_INT64, HLRC_SUM, &one, NULL,
                            HLRC_RELAXED);
            if (i % 50 == 0) {
                hlrc_lock(1);
                ++*(int *)(page + 3000);
                hlrc_unlock(1);
            }
        }
        hlrc_barrier();
        if (turn % nodes == me)
            memset(page, me, 2000);
        hlrc_barrier();
    }
    rotate(page);
    chain((int *)(page + 3100), (int *)(page + 3104));
    blocks((char **)(page + 3200));
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "", *file = argc > 2 ? argv[2] : "";
    if (hlrc_init(&argc, &argv) != 0)
        return 1;
    me = hlrc_node_id();
    nodes = hlrc_node_count();
    char *page = hlrc_malloc_all(4096);
    if (!page)
        return 1;
    bool at_home = strcmp(what, "home") == 0 || strcmp(what, "word") == 0 ||
                   strcmp(what, "open") == 0 || strcmp(what, "over") == 0 ||
                   (strncmp(what, "read", 4) == 0 && strcmp(what, "read-early") != 0);
    if (at_home && me == 0)
        page[0] = 1; /* its home is here */
    hlrc_barrier();
    for (int turn = 0; turn < 3 && strcmp(what, "same") == 0; turn++) {
        write_both(page);
        hlrc_barrier();
        memset(page, 0, me == 2 ? 100 : 0);
        hlrc_barrier();
    }
    if (strcmp(what, "home") == 0 || strcmp(what, "word") == 0)
        write_both(page);
    const int64_t nothing = 0;
    if (strcmp(what, "word") == 0 && me == 0)
        hlrc_word_fetch(hlrc_word_shared(page + AT), HLRC_INT64, HLRC_SUM, &nothing, NULL,
                        HLRC_RELAXED);
    int sum = strcmp(what, "reads") == 0 ? read_or_write(page) : 0;
    if (strcmp(what, "locks") == 0) {
        hlrc_lock(1 + (hlrc_lock_t)me);
        write_both(page);
        hlrc_unlock(1 + (hlrc_lock_t)me);
    }
    if (strcmp(what, "read-locks") == 0) {
        hlrc_lock(1 + (hlrc_lock_t)me);
        sum += read_or_write(page);
        hlrc_unlock(1 + (hlrc_lock_t)me);
    }
    if (strcmp(what, "read-before") == 0)
        sum += before(page, file, true);
    if (strcmp(what, "read-early") == 0)
        sum += early(page, file);
    if (strcmp(what, "open") == 0)
        open_stores(page, file);
    if (strcmp(what, "over") == 0)
        over(page, file);
    if (strcmp(what, "joined") == 0)
        joined(page, file);
    if (strcmp(what, "before") == 0)
        (void)before(page, file, false);
    if (strcmp(what, "after") == 0)
        after(page, file);
    if (strcmp(what, "read-behind") == 0)
        read_behind(page);
    if (strcmp(what, "clean") == 0)
        clean(page);
    hlrc_barrier();
    hlrc_finalize();
    return sum > 1000;
}
