/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A job whose statistics can be told in advance, for totals.sh: node n takes n + 1 locks and passes
 * two barriers. "figures reset" starts the count anew when all have met: what went before is in no
 * figure. "figures threads N": N threads besides the first use shared memory at once, for the limit
 * on them.
 */
#include <hlrc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

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
    take(hlrc_node_id() + 1);
    hlrc_barrier();
    hlrc_finalize();
    return 0;
}
