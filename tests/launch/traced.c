/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * traced - a program of two threads at each node that does some of everything that a timeline
 * shows, and prints "sum N": what all have counted under a lock.
 *
 * traced HOW    at its end, node 1 dies by SIGKILL (kill) or of an access to nothing (segv), with
 *               lock 7
 * traced many   takes a lock some ten thousand times
 */
#include <hlrc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 24, ROUNDS = 3, TIMES = 12, SUM = 3, OTHER = 4, FLAG = 5, OWN = 20 };

/* A page each: the sum, the flag; those of the nodes, in turn. */
static volatile unsigned char *shared;
static hlrc_cond_t *condition;

static volatile uint32_t *word(unsigned page)
{
    return (volatile uint32_t *)(volatile void *)(shared + (size_t)page * PAGE);
}

static void count(unsigned thread)
{
    hlrc_lock(SUM);
    word(0)[0]++;
    word(0)[16 + 2 * hlrc_node_id() + (int)thread]++; /* beside what others write */
    hlrc_unlock(SUM);
}

static void *work(void *arg)
{
    unsigned thread = arg ? 1 : 0;
    for (int i = 0; i < TIMES; i++) {
        count(thread);
        hlrc_lock(OWN + (hlrc_lock_t)hlrc_node_id());
        hlrc_unlock(OWN + (hlrc_lock_t)hlrc_node_id());
        if (hlrc_trylock(OTHER) == 0)
            hlrc_unlock(OTHER);
    }
    return NULL;
}

static void in_two_threads(void *(*run)(void *))
{
    static char second;
    pthread_t other;
    if (pthread_create(&other, NULL, run, &second) != 0)
        exit(3);
    (void)run(NULL);
    pthread_join(other, NULL);
}

/* The second thread of node 0 waits, the first of the last node signals. */
static void *signal_and_wait(void *arg)
{
    if (arg && hlrc_node_id() == 0) {
        hlrc_lock(FLAG);
        while (word(1)[0] == 0)
            hlrc_cond_wait(*condition, FLAG);
        hlrc_unlock(FLAG);
    } else if (!arg && hlrc_node_id() == hlrc_node_count() - 1) {
        usleep(50000); /* the more likely there is a wait */
        hlrc_lock(FLAG);
        word(1)[0] = 1;
        hlrc_cond_signal(*condition);
        hlrc_unlock(FLAG);
    }
    return NULL;
}

/* Each writes some pages, and reads those of the next. */
static void pass_on(void)
{
    unsigned me = (unsigned)hlrc_node_id(), nodes = (unsigned)hlrc_node_count();
    for (unsigned p = me; p < PAGES; p += nodes)
        word(4 + p)[me]++;
    hlrc_barrier();
    (void)hlrc_prefetch((const void *)(uintptr_t)word(4 + (me + 1) % nodes), PAGE);
    for (unsigned p = (me + 1) % nodes; p < PAGES; p += nodes)
        if (word(4 + p)[(me + 1) % nodes] == 0)
            exit(4);
    hlrc_barrier_arrive();
    hlrc_barrier_depart();
}

static void die(const char *how)
{
    static volatile int *volatile nowhere;
    hlrc_barrier();
    if (hlrc_node_id() == 1) {
        hlrc_lock(7);
        if (strcmp(how, "kill") == 0)
            raise(SIGKILL);
        nowhere[4] = 1;
    }
    for (;;)
        pause();
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    if (hlrc_init(&argc, &argv) != 0)
        return 1;
    shared = hlrc_malloc_all((size_t)(4 + PAGES) * PAGE);
    condition = hlrc_malloc_all(sizeof *condition);
    if (!shared || !condition)
        return 2;
    if (hlrc_node_id() == 0 && hlrc_cond_create(condition) != 0)
        return 2;
    for (int round = 0; round < ROUNDS; round++) {
        in_two_threads(work);
        pass_on();
    }
    in_two_threads(signal_and_wait);
    if (*how && strcmp(how, "many") != 0)
        die(how);
    for (int i = 0; *how && i < 10000; i++) {
        hlrc_lock(OWN + (hlrc_lock_t)hlrc_node_id());
        hlrc_unlock(OWN + (hlrc_lock_t)hlrc_node_id());
    }
    hlrc_barrier();
    if (hlrc_node_id() == 0)
        printf("sum %u\n", (unsigned)word(0)[0]);
    hlrc_barrier();
    hlrc_finalize();
    return 0;
}
