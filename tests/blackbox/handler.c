/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A signal handler that touches shared memory while its thread waits in hlrc_lock (hlrc/thread.h T1). With --signals mask
 * it comes when the call is over, and reads what is there; else the touch ends the job with one line. Run under hlrcrun
 * with two nodes: handler MILLISECONDS, for which node 0 holds the lock.
 */
#include <hlrc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PAGE 4096u
#define PAGES 4096u
#define WORDS (PAGE / sizeof(uint32_t))
#define LOCK 1

static volatile uint32_t *data;
static _Atomic unsigned touched; /* pages that the handler has read */
static _Atomic bool waiting, wrong;

static void nap(long ms)
{
    struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
    nanosleep(&t, NULL);
}

/* Each time another page, which this node has not read yet. */
static void on_signal(int sig)
{
    unsigned page = atomic_load(&touched);
    (void)sig;
    if (page == PAGES)
        return;
    if (data[page * WORDS] != page + 1)
        atomic_store(&wrong, true);
    atomic_store(&touched, page + 1);
}

static void *send_signals(void *to)
{
    while (atomic_load(&waiting)) {
        pthread_kill(*(pthread_t *)to, SIGUSR1);
        nap(5);
    }
    return NULL;
}

static void hold(long ms)
{
    for (unsigned page = 0; page < PAGES; page++)
        data[page * WORDS] = page + 1;
    hlrc_lock(LOCK);
    hlrc_barrier();
    nap(ms); /* the other node waits for the lock */
    hlrc_unlock(LOCK);
}

static int wait_for_lock(void)
{
    struct sigaction act = { .sa_handler = on_signal };
    pthread_t self = pthread_self(), sender;
    hlrc_barrier();
    sigaction(SIGUSR1, &act, NULL);
    atomic_store(&waiting, true);
    if (pthread_create(&sender, NULL, send_signals, &self) != 0)
        return 2;
    hlrc_lock(LOCK);
    atomic_store(&waiting, false);
    pthread_join(sender, NULL);
    hlrc_unlock(LOCK);
    while (atomic_load(&touched) == 0) /* it was held back, and comes now at the latest */
        nap(1);
    return atomic_load(&wrong);
}

int main(int argc, char **argv)
{
    if (hlrc_init(&argc, &argv) != 0)
        return 1;
    data = hlrc_malloc_all(PAGES * PAGE);
    int status = 0;
    if (hlrc_node_id() == 0)
        hold(argc > 1 ? atol(argv[1]) : 300);
    else
        status = wait_for_lock();
    hlrc_barrier();
    hlrc_finalize();
    return status;
}
