/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A job whose statistics can be told in advance, for totals.sh: node n takes n + 1 locks and passes
 * two barriers. "figures reset" starts the count anew when all have met: what went before is in no
 * figure. "figures threads N": N threads besides the first use shared memory at once, for the limit
 * on them. "figures end HOW": once all have passed the first barrier node 1 ends so, or (wait) no
 * node does, and a file "ready" is there.
 */
#include <hlrc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 64 };

static void take(int count)
{
    for (int i = 0; i < count; i++) {
        hlrc_lock((hlrc_lock_t)hlrc_node_id());
        hlrc_unlock((hlrc_lock_t)hlrc_node_id());
    }
}

static pthread_barrier_t all_here;

static void *thread_main(void *unused)
{
    take(1);
    pthread_barrier_wait(&all_here);
    return unused;
}

static void take_in_threads(unsigned count)
{
    pthread_t threads[MOST];
    pthread_barrier_init(&all_here, NULL, count);
    for (unsigned i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, thread_main, NULL) != 0)
            exit(3);
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

/* The word counts who is past the barrier. */
static void end(const char *how, hlrc_atomic_t passed)
{
    static volatile int *volatile nowhere;
    hlrc_atomic_fetch_add(passed, 1);
    if (hlrc_node_id() != 1)
        for (;;)
            pause();
    while (hlrc_atomic_load(passed) < (uint64_t)hlrc_node_count())
        usleep(1000);
    if (strcmp(how, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(how, "segv") == 0)
        nowhere[4] = 1;
    if (strcmp(how, "misuse") == 0)
        hlrc_unlock(1);
    if (strcmp(how, "exit") == 0)
        exit(3);
    FILE *ready = fopen("ready", "we");
    if (ready)
        fclose(ready);
    for (;;)
        pause();
}

static hlrc_atomic_t word_of_all(void)
{
    hlrc_atomic_t word = { 0 };
    if (hlrc_node_id() == 0 && hlrc_atomic_create(&word, 0) != 0)
        exit(4);
    if (hlrc_broadcast(&word, sizeof word, 0) != 0)
        exit(4);
    hlrc_stats_reset();
    return word;
}

int main(int argc, char **argv)
{
    if (hlrc_init(&argc, &argv) != 0)
        return 1;
    if (argc > 1 && strcmp(argv[1], "reset") == 0) {
        take(100);
        hlrc_barrier();
        hlrc_stats_reset();
    }
    if (argc > 2 && strcmp(argv[1], "threads") == 0)
        take_in_threads((unsigned)atoi(argv[2]) % MOST);
    int ends = argc > 2 && strcmp(argv[1], "end") == 0;
    hlrc_atomic_t passed = { 0 };
    if (ends)
        passed = word_of_all();
    take(hlrc_node_id() + 1);
    hlrc_barrier();
    if (ends)
        end(argv[2], passed);
    hlrc_finalize();
    return 0;
}
