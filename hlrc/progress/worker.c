/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* worker.c - see worker.h for the invariants. */
#include "hlrc/progress/worker.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/futex.h"
#include "base/quiet_thread.h"
#include "base/race.h"
#include "base/tasks.h"
#include "hlrc/probe/probe.h"
#include "hlrc/probe/stats.h"
#include "hlrc/progress/thread.h"

static void (*work)(void);     /* set before the thread starts */
static _Atomic uint32_t calls; /* futex word: raised by each call */
static _Atomic bool stopping;
static pthread_t worker;
static bool runs;

static void *worker_main(void *arg)
{
    (void)arg;
    struct thread *t = thread_own(THREAD_WORKER);
    uint32_t seen = 0;
    tasks_own(1);
    race_ignore_begin();
    while (!atomic_load(&stopping)) {
        uint32_t now = atomic_load(&calls);
        if (now == seen) {
            futex_wait(&calls, seen, -1);
            continue;
        }
        seen = now; /* before the work */
        PROBE(worker_woken);
        t->inside++;
        work();
        t->inside--;
    }
    race_ignore_end();
    tasks_own(-1);
    return NULL;
}

int worker_start(void)
{
    atomic_store(&stopping, false);
    atomic_store(&calls, 0);
    int rc = quiet_thread_create(&worker, NULL, worker_main, NULL);
    runs = rc == 0;
    clockid_t clock;
    if (runs && pthread_getcpuclockid(worker, &clock) == 0)
        stats_own_clock(STATS_WORKER, &clock);
    return rc;
}

void worker_stop(void)
{
    if (!runs)
        return;
    stats_own_clock(STATS_WORKER, NULL);
    atomic_store(&stopping, true);
    worker_call();
    pthread_join(worker, NULL);
    runs = false;
}

void worker_handle(void (*what)(void))
{
    work = what;
}

void worker_call(void)
{
    atomic_fetch_add(&calls, 1);
    futex_wake(&calls, 1);
}
