/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * 07-flag: what to use instead of C11 atomics, a flag that is spun on, and mutexes.
 *
 * These work only between the threads of one node. In shared memory they act on this node's copy
 * of a page, and other nodes do not see the change:
 *
 *     atomic_fetch_add(&shared->next, 1);      two nodes get the same number
 *     while (!atomic_load(&shared->ready)) ;   waits for ever: the old copy stays
 *     pthread_mutex_lock(&shared->mutex);      two nodes hold it at once
 *
 * Below, each is replaced by an operation that works between nodes.
 */
#include <hlrc.h>
#include <stdio.h>

#define ROWS 1000

struct shared {
    hlrc_atomic_t next; /* instead of _Atomic long next */
    hlrc_lock_t lock;   /* instead of pthread_mutex_t */
    hlrc_cond_t raised; /* to sleep until the flag is set */
    int ready;          /* the flag: an int, accessed under the lock */
    long row[ROWS];
    long sum;
};

/* A node that finds the flag set also sees node 0's writes before it. */
static void flag_raise(struct shared *s)
{
    hlrc_lock(s->lock);
    s->ready = 1;
    hlrc_cond_broadcast(s->raised);
    hlrc_unlock(s->lock);
}

static void flag_wait(struct shared *s)
{
    hlrc_lock(s->lock);
    while (!s->ready)
        hlrc_cond_wait(s->raised, s->lock);
    hlrc_unlock(s->lock);
}

static int shared_init(struct shared *s)
{
    return hlrc_atomic_create(&s->next, 0) || hlrc_lock_create(&s->lock) ||
           hlrc_cond_create(&s->raised);
}

int main(int argc, char **argv)
{
    if (hlrc_init(&argc, &argv) != 0)
        return 1;
    struct shared *s = hlrc_malloc_all(sizeof *s);
    if (!s || (hlrc_node_id() == 0 && shared_init(s) != 0))
        return 1;
    hlrc_barrier(); /* makes the handles visible */

    if (hlrc_node_id() == 0) {
        for (long i = 0; i < ROWS; i++)
            s->row[i] = (i + 1) * (i + 1);
        flag_raise(s);
    }
    flag_wait(s);
    long mine = 0;
    for (unsigned long i; (i = hlrc_atomic_fetch_add(s->next, 1)) < ROWS;) /* each row once */
        mine += s->row[i];
    hlrc_lock(s->lock);
    s->sum += mine;
    hlrc_unlock(s->lock);
    hlrc_barrier();
    if (hlrc_node_id() == 0)
        printf("sum of the squares up to %d: %ld\n", ROWS, s->sum);
    hlrc_finalize();
    return 0;
}
