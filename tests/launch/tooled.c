/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * For tests of tools that watch a program. All nodes write an array, by turns and in rounds, and
 * two threads of each count under a lock; node 0 prints the sum and the count. Arguments plant
 * bugs:
 *
 *   heap   node 0 writes a byte behind a private block
 *   race   the threads of a node count without the lock, too
 *   lock   likewise, each under a lock of its own
 */
#include <hlrc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 1 << 14, ROUNDS = 3, THREADS = 2, TIMES = 50 };

static long *words, *counter, *unguarded;
static long private_counter;
static int races, locks;

static void *count(void *arg)
{
    const hlrc_lock_t *own = arg;
    for (int i = 0; i < TIMES; i++) {
        hlrc_lock(0);
        ++*counter;
        ++private_counter;
        hlrc_unlock(0);
    }
    if (locks)
        hlrc_lock(*own);
    if (races || locks)
        ++*unguarded;
    if (locks)
        hlrc_unlock(*own);
    return NULL;
}

static int count_in_threads(void)
{
    static const hlrc_lock_t own[THREADS] = { 1, 2 };
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, count, (void *)(uintptr_t)&own[i]) != 0)
            return -1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return private_counter == (long)THREADS * TIMES ? 0 : -1;
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
    int me = hlrc_node_id(), nodes = hlrc_node_count();
    races = argc > 1 && strcmp(argv[1], "race") == 0;
    locks = argc > 1 && strcmp(argv[1], "lock") == 0;
    words = hlrc_malloc_all(WORDS * sizeof *words);
    counter = hlrc_malloc_all(sizeof *counter);
    unguarded = hlrc_malloc_all((size_t)nodes * 4096);
    if (!words || !counter || !unguarded)
        return 1;
    unguarded += me * 512; /* a page for each node: its threads race, and nobody else */
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = (me + round) % nodes; i < WORDS; i += nodes)
            words[i] += i + round;
        hlrc_barrier();
    }
    if (count_in_threads() != 0)
        return 2;
    long sum = 0;
    for (int i = 0; i < WORDS; i++)
        sum += words[i];
    if (me == 0 && argc > 1 && strcmp(argv[1], "heap") == 0)
        write_behind();
    hlrc_barrier();
    if (me == 0)
        printf("%ld %ld\n", sum, *counter);
    hlrc_finalize();
    return 0;
}
