/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* queue.c - see queue.h. */
#include "microbench/queue.h"

#include "microbench/job.h"

#include <sched.h>
#include <stdatomic.h>

#define CHECKS 100 /* additions of a node */

/* Of this node, in a window; other nodes put. */
static struct {
    _Atomic uint64_t next;   /* node + 1 of the successor */
    _Atomic uint64_t locked; /* 1: waits for the predecessor */
} * own;

static hlrc_atomic_t tail;    /* node + 1 of the last in the queue; 0: free */
static hlrc_atomic_t counter; /* queue_check */

static void make_word(hlrc_atomic_t *word, int home)
{
    if (hlrc_node_id() == home)
        job_check(hlrc_atomic_create(word, 0), "hlrc_atomic_create");
    job_broadcast(word, sizeof *word, home);
}

void queue_make(int home)
{
    make_word(&tail, home);
    make_word(&counter, home);
    own = hlrc_window_create(sizeof *own);
    if (own == NULL)
        bench_fail(1, "no window for the queue lock; raise --memory");
}

static void put_word(_Atomic uint64_t *at, uint64_t value, int node)
{
    hlrc_put(at, &value, sizeof value, node);
}

/* The predecessor or the successor may need this core. */
static void await_word(_Atomic uint64_t *word, bool zero)
{
    while ((atomic_load_explicit(word, memory_order_acquire) == 0) != zero)
        sched_yield();
}

void queue_lock(void)
{
    uint64_t me = (uint64_t)hlrc_node_id() + 1;

    atomic_store_explicit(&own->next, 0, memory_order_relaxed);
    atomic_store_explicit(&own->locked, 1, memory_order_relaxed);
    uint64_t before = hlrc_atomic_exchange(tail, me);
    if (before == 0)
        return;
    put_word(&own->next, me, (int)before - 1);
    await_word(&own->locked, true);
}

void queue_unlock(void)
{
    uint64_t me = (uint64_t)hlrc_node_id() + 1;

    if (atomic_load_explicit(&own->next, memory_order_acquire) == 0) {
        if (hlrc_atomic_compare_exchange(tail, &me, 0))
            return;
        await_word(&own->next, false); /* a successor has queued itself and will say so */
    }
    put_word(&own->locked, 0, (int)atomic_load_explicit(&own->next, memory_order_acquire) - 1);
}

/* Reads and writes the counter separately, so that two holders at once lose an addition. */
static void check_add(void)
{
    queue_lock();
    uint64_t value = hlrc_atomic_load(counter);
    (void)hlrc_atomic_exchange(counter, value + 1);
    queue_unlock();
}

uint64_t queue_check(int count)
{
    static uint64_t all;

    for (int i = 0; hlrc_node_id() < count && i < CHECKS; i++)
        check_add();
    hlrc_barrier();
    all += CHECKS * (uint64_t)count;
    uint64_t lost = all - hlrc_atomic_load(counter);
    hlrc_barrier();
    return lost;
}
