/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where threads are: each says the number of its node, in the order of their creation. With an
 * argument: how many can be at once, and that the next one is refused, also where few processes are
 * allowed; by how many processors main and a thread may run; whose memory malloc returns; or that
 * stacks of any size will do. */
#define _GNU_SOURCE
#include <alloca.h>
#include <hlrc.h>
#include <limits.h>
#include <sched.h>
#include <sys/resource.h>

#include "common.h"

static int where[8];
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *tells(void *arg)
{
    where[(long)arg] = hlrc_node_id();
    return NULL;
}

static void *waits(void *arg)
{
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    return arg;
}

static int fill(void)
{
    static pthread_t t[600];
    int n = 0, rc = 0;
    pthread_mutex_lock(&gate);
    while (n < 600 && (rc = pthread_create(&t[n], NULL, waits, NULL)) == 0)
        n++;
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < n; i++)
        EXPECT(pthread_join(t[i], NULL) == 0);
    printf("%d, then %s\n", n, rc == EAGAIN ? "EAGAIN" : strerror(rc));
    return 0;
}

/* ---- the limit on processes, and one that the program sets ---- */

static pthread_t created;

static void *creates(void *arg)
{
    *(int *)arg = pthread_create(&created, NULL, waits, NULL);
    if (*(int *)arg == 0)
        pthread_join(created, NULL);
    return NULL;
}

static void *limits(void *soft)
{
    struct rlimit limit;
    EXPECT(getrlimit(RLIMIT_NPROC, &limit) == 0);
    limit.rlim_cur = soft ? (rlim_t)(long)soft : limit.rlim_max;
    EXPECT(setrlimit(RLIMIT_NPROC, &limit) == 0);
    return NULL;
}

static int processes(void)
{
    static int rc[3];
    pthread_t t;
    fill();
    EXPECT(pthread_create(&t, NULL, limits, (void *)1L) == 0 && pthread_join(t, NULL) == 0);
    (void)creates(&rc[0]);
    (void)creates(&rc[1]);
    (void)limits(NULL);
    (void)creates(&rc[2]);
    for (int i = 0; i < 3; i++)
        printf("%s%s",
               rc[i] == EAGAIN ? "EAGAIN"
               : rc[i] == 0    ? "created"
                               : strerror(rc[i]),
               i < 2 ? ", " : "\n");
    return 0;
}

static void *counts_processors(void *arg)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    EXPECT(sched_getaffinity(0, sizeof set, &set) == 0);
    *(int *)arg = CPU_COUNT(&set);
    return NULL;
}

static int processors(void)
{
    int of_main, of_thread;
    pthread_t t;
    (void)counts_processors(&of_main);
    EXPECT(pthread_create(&t, NULL, counts_processors, &of_thread) == 0 &&
           pthread_join(t, NULL) == 0);
    printf("%d %d\n", of_main, of_thread);
    return 0;
}

static int heap(void)
{
    void *ptr = malloc(100);
    puts(hlrc_touch(ptr, 100, 0) == 0 ? "shared" : "private");
    free(ptr);
    return 0;
}

/* ---- stacks ---- */

enum { WORDS = 100000, LARGE = 24 << 20 };
static long words[WORDS];

static void *stores(void *arg)
{
    for (int i = 0; i < WORDS; i++)
        words[i] += (long)arg;
    return NULL;
}

static void *uses_stack(void *arg)
{
    char *all = alloca(LARGE);
    memset(all, 1, LARGE);
    return stores((void *)((long)arg + all[LARGE / 2]));
}

static void run_with_stack(size_t bytes, void *(*fn)(void *))
{
    pthread_attr_t attr;
    pthread_t t;
    pthread_attr_init(&attr);
    EXPECT(pthread_attr_setstacksize(&attr, bytes) == 0);
    EXPECT(pthread_create(&t, &attr, fn, (void *)1L) == 0);
    EXPECT(pthread_join(t, NULL) == 0);
    pthread_attr_destroy(&attr);
}

static int stacks(void)
{
    run_with_stack((size_t)sysconf(_SC_THREAD_STACK_MIN), stores);
    run_with_stack(LARGE + (1 << 20), uses_stack);
    printf("%ld %ld\n", words[0], words[WORDS - 1]);
    return 0;
}

/* The first allocations hold nothing that the start has left. */
static int fresh(void)
{
    int bytes = 0;
    for (size_t size = 24; size < 4000; size += 16)
        for (int i = 0; i < 10; i++) {
            const volatile char *at = malloc(size);
            for (size_t b = 0; at && b < size; b++)
                bytes += at[b] != 0;
        }
    printf("%d\n", bytes);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return strcmp(argv[1], "all") == 0          ? fill()
               : strcmp(argv[1], "processes") == 0  ? processes()
               : strcmp(argv[1], "processors") == 0 ? processors()
               : strcmp(argv[1], "heap") == 0       ? heap()
               : strcmp(argv[1], "fresh") == 0      ? fresh()
                                                    : stacks();
    with_threads(8, tells);
    for (int i = 0; i < 8; i++)
        printf("%d%s", where[i], i < 7 ? " " : "\n");
    return 0;
}
