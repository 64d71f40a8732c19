/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * For tests of tools that watch a program. All nodes write an array, by turns and in rounds; two
 * threads of each count under a lock, and one hands blocks to the other; those of node 0 learn of
 * each other's doing over node 1, too; node 0 prints the sum and the count. Arguments plant bugs:
 *
 *   heap   node 0 writes a byte behind a private block
 *   race   the threads of a node count without the lock, too
 *   lock   likewise, each under a lock of its own
 */
#include <hlrc.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 1 << 14, ROUNDS = 3, TIMES = 50, BLOCKS = 20 };

/* What the two threads of a node share, in a page of its own: other nodes do not race with them. */
struct pair {
    int *block; /* handed from the first to the second; NULL: taken */
    long unguarded;
    hlrc_lock_t lock, own[2];
    hlrc_cond_t changed;
};

/* First thread of node 0, lock 1, node 1, lock 2, second thread of node 0. */
struct detour {
    long sent, at_node_1, back;
};

static long *words, *counter;
static struct detour *detour;
static struct pair *pair;
static long private_counter;
static int races, locks, wrong;

/* Before the thread has acquired anything: what it acquires may order it behind the other one. */
static void count_unguarded(int which)
{
    if (locks)
        hlrc_lock(pair->own[which]);
    if (races || locks)
        ++pair->unguarded;
    if (locks)
        hlrc_unlock(pair->own[which]);
}

static void count(void)
{
    for (int i = 0; i < TIMES; i++) {
        hlrc_lock(0);
        ++*counter;
        ++private_counter;
        hlrc_unlock(0);
    }
}

static void set_under(hlrc_lock_t lock, long *flag)
{
    hlrc_lock(lock);
    *flag = 1;
    hlrc_unlock(lock);
}

static void await_under(hlrc_lock_t lock, const long *flag)
{
    for (long set = 0; !set;) {
        hlrc_lock(lock);
        set = *flag;
        hlrc_unlock(lock);
        /* valgrind runs one thread at a time and switches after a fixed number of blocks, at worst
         * always within the unlock, where another thread cannot serve a request for the lock */
        sched_yield();
    }
}

static void *first(void *unused)
{
    count_unguarded(0);
    if (hlrc_node_id() == 0) {
        detour->sent = 42;
        set_under(1, &detour->at_node_1);
    } else if (hlrc_node_id() == 1) {
        await_under(1, &detour->at_node_1);
        set_under(2, &detour->back);
    }
    count();
    for (int i = 0; i < BLOCKS; i++) {
        int *block = hlrc_malloc(64);
        if (!block)
            exit(3);
        *block = i;
        hlrc_lock(pair->lock);
        while (pair->block)
            hlrc_cond_wait(pair->changed, pair->lock);
        pair->block = block;
        hlrc_cond_broadcast(pair->changed);
        hlrc_unlock(pair->lock);
    }
    return unused;
}

static void *second(void *unused)
{
    count_unguarded(1);
    if (hlrc_node_id() == 0 && hlrc_node_count() > 1) {
        await_under(2, &detour->back);
        wrong += detour->sent != 42;
    }
    count();
    for (int i = 0; i < BLOCKS; i++) {
        hlrc_lock(pair->lock);
        while (!pair->block)
            hlrc_cond_wait(pair->changed, pair->lock);
        int *block = pair->block;
        pair->block = NULL;
        hlrc_cond_broadcast(pair->changed);
        hlrc_unlock(pair->lock);
        wrong += *block != i;
        hlrc_free(block);
    }
    return unused;
}

/* Locks that this node has had last are taken without a word from others. */
static int pair_make(void)
{
    int rc = hlrc_cond_create(&pair->changed);
    rc = rc ? rc : hlrc_lock_create(&pair->lock);
    for (int i = 0; i < 2 && rc == 0; i++) {
        rc = hlrc_lock_create(&pair->own[i]);
        if (rc == 0) {
            hlrc_lock(pair->own[i]);
            hlrc_unlock(pair->own[i]);
        }
    }
    return rc;
}

static int run_threads(void)
{
    pthread_t threads[2];
    if (pair_make() != 0 || pthread_create(&threads[0], NULL, first, NULL) != 0 ||
        pthread_create(&threads[1], NULL, second, NULL) != 0)
        return -1;
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return private_counter == 2 * TIMES && wrong == 0 ? 0 : -1;
}

static void write_behind(void)
{
    static volatile size_t length = 10; /* the compiler shall not know it */
    volatile char *block = malloc(length);
    if (block)
        block[length] = 1;
    free((void *)(uintptr_t)block);
}

int main(int argc, char **argv)
{
    if (hlrc_init(&argc, &argv) != 0)
        return 1;
    const char *bug = argc > 1 ? argv[1] : "";
    int me = hlrc_node_id(), nodes = hlrc_node_count();
    races = strcmp(bug, "race") == 0;
    locks = strcmp(bug, "lock") == 0;
    words = hlrc_malloc_all(WORDS * sizeof *words);
    counter = hlrc_malloc_all(sizeof *counter);
    char *pages = hlrc_malloc_all((size_t)nodes * 4096);
    detour = hlrc_malloc_all(sizeof *detour);
    if (!words || !counter || !pages || !detour)
        return 1;
    pair = (struct pair *)(void *)(pages + (size_t)me * 4096);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = (me + round) % nodes; i < WORDS; i += nodes)
            words[i] += i + round;
        hlrc_barrier();
    }
    if (run_threads() != 0)
        return 2;
    long sum = 0;
    for (int i = 0; i < WORDS; i++)
        sum += words[i];
    if (me == 0 && strcmp(bug, "heap") == 0)
        write_behind();
    hlrc_barrier();
    if (me == 0)
        printf("%ld %ld\n", sum, *counter);
    hlrc_finalize();
    return 0;
}
