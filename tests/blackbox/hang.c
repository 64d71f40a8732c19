/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Jobs that stand still for good, and others that only seem to, for hang.sh: `hang CASE`.
 *
 *   abba       takes the lock of its number, then that of the next node
 *   skip       node 1 wants lock 3, which node 0 holds in a barrier
 *   finalize   the same in hlrc_finalize
 *   cond       node 0 waits for a signal, the others in a barrier
 *   conds      all wait for a signal, after others have come
 *   threads    two threads of node 0 want each other's lock, the others wait in a barrier
 *   ended      node 0 wants a lock that a thread of its own has kept, and ended
 *   left       node 0 wants a lock that node 1 holds in a barrier; another thread of node 0
 *              computes, and ends
 *   group      node 1 wants lock 3, which node 0 holds in the barrier of a group
 *   create     the same in hlrc_group_create
 *   split      node 2 holds lock 5 in a barrier that node 0 has arrived at, which wants the lock
 *   relock     node 0 takes lock 3 twice
 *   late       abba, after a time in which the watch has come to rest
 *
 * and those that end well, after some seconds in which all but one thread wait:
 *
 *   compute    node 0 computes while the others wait
 *   sleep      node 0 sleeps, which is no wait of the runtime's
 *   stopped    node 0 has stopped itself
 *   signal     node 0 computes, and then signals what all others wait for
 *   helper     a thread that the runtime has never seen sleeps, and then lets all go on
 *   asked      node 0 holds lock 5 until it gets SIGUSR1, node 1 wants it, node 2 is in a barrier
 *   half       two threads of node 0 want each other's lock, and node 1 sleeps
 *   trickle    two nodes hand a lock on, and hold it for longer than any look takes
 */
#include <hlrc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LONG_MS 4500 /* longer than finding a deadlock takes */

static int me, nodes;
static hlrc_cond_t *cond; /* in shared memory */
static volatile int *ready;

static void pause_ms(int ms)
{
    struct timespec left = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
    while (nanosleep(&left, &left) != 0)
        ;
}

static void compute_ms(int ms)
{
    struct timespec now, begin;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < ms);
}

/* Tells the test which process this is. */
static void write_pid(void)
{
    const char *path = getenv("HLRCTEST_FILE");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file)
        fprintf(file, "%d\n", (int)getpid());
    if (file)
        fclose(file);
}

static void abba(void)
{
    hlrc_lock((hlrc_lock_t)me);
    hlrc_barrier();
    if (me == 0)
        write_pid();
    hlrc_lock((hlrc_lock_t)((me + 1) % nodes));
}

static void relock(void)
{
    if (me == 0) {
        hlrc_lock(3);
        hlrc_lock(3);
    }
    hlrc_barrier();
}

/* Node 0 has a lock, for which node 1 waits. */
static void wait_for_node_0(void)
{
    if (me == 0)
        hlrc_lock(3);
    hlrc_barrier();
    if (me == 1)
        hlrc_lock(3);
}

static void skip(void)
{
    wait_for_node_0();
    hlrc_barrier();
}

static void finalize(void)
{
    wait_for_node_0();
    hlrc_finalize();
    exit(0);
}

static void wait_for_signal(void)
{
    hlrc_lock(7);
    hlrc_cond_wait(*cond, 7);
    hlrc_unlock(7);
}

/* All but node 0 have registered when it has the lock behind all of them. */
static void await_waiters(void)
{
    for (int all = 0; !all;) {
        hlrc_lock(7);
        all = *ready == nodes - 1;
        hlrc_unlock(7);
    }
}

static void be_signalled(void)
{
    hlrc_lock(7);
    ++*ready;
    hlrc_cond_wait(*cond, 7);
    hlrc_unlock(7);
}

static void conds(void)
{
    if (me != 0) {
        be_signalled();
    } else {
        await_waiters();
        hlrc_cond_signal(*cond);
        hlrc_cond_broadcast(*cond);
    }
    hlrc_barrier();
    wait_for_signal();
}

static void one_waits(void)
{
    if (me == 0)
        wait_for_signal();
    hlrc_barrier();
}

static void *want_locks(void *unused)
{
    hlrc_lock(12);
    *ready = 1;
    hlrc_lock(11);
    return unused;
}

static void threads(void)
{
    pthread_t other;
    if (me == 0) {
        hlrc_lock(11);
        if (pthread_create(&other, NULL, want_locks, NULL) != 0)
            exit(2);
        while (!*ready)
            ;
        hlrc_lock(12);
    }
    hlrc_barrier();
}

static void *keep_lock(void *unused)
{
    hlrc_lock(6);
    return unused;
}

static void ended(void)
{
    pthread_t other;
    if (me == 0) {
        if (pthread_create(&other, NULL, keep_lock, NULL) != 0 || pthread_join(other, NULL) != 0)
            exit(2);
        hlrc_lock(6);
    }
    hlrc_barrier();
}

static void *leave_late(void *unused)
{
    hlrc_lock(12);
    hlrc_unlock(12);
    compute_ms(1500);
    return unused;
}

static void left(void)
{
    pthread_t other;
    if (me == 1)
        hlrc_lock(6);
    hlrc_barrier();
    if (me == 0) {
        if (pthread_create(&other, NULL, leave_late, NULL) != 0)
            exit(2);
        hlrc_lock(6);
    }
    hlrc_barrier();
}

static hlrc_group_t make_group(void)
{
    static const int both[] = { 0, 1 };
    hlrc_group_t group;
    if (hlrc_group_create(both, 2, &group) != 0)
        exit(2);
    return group;
}

static void group(void)
{
    if (me == 0)
        hlrc_lock(3);
    hlrc_group_t pair = { 0 };
    if (me < 2)
        pair = make_group();
    hlrc_barrier();
    if (me == 1)
        hlrc_lock(3);
    if (me < 2)
        hlrc_group_barrier(pair);
    hlrc_barrier();
}

static void create(void)
{
    wait_for_node_0();
    if (me < 2)
        (void)make_group();
    hlrc_barrier();
}

static void split(void)
{
    if (me == 2)
        hlrc_lock(5);
    hlrc_barrier();
    if (me == 0) {
        hlrc_barrier_arrive();
        hlrc_lock(5);
        hlrc_unlock(5);
        hlrc_barrier_depart();
        return;
    }
    pause_ms(500); /* node 0 has arrived alone */
    hlrc_barrier();
    if (me == 2)
        hlrc_unlock(5);
}

static void late(void)
{
    hlrc_lock((hlrc_lock_t)me);
    if (me == 0)
        pause_ms(100);
    hlrc_barrier(); /* the other one has slept */
    compute_ms(1000);
    hlrc_lock((hlrc_lock_t)((me + 1) % nodes));
}

static void compute(void)
{
    if (me == 0)
        compute_ms(LONG_MS);
    hlrc_barrier();
}

static void sleeps(void)
{
    if (me == 0)
        pause_ms(LONG_MS);
    hlrc_barrier();
}

static void stopped(void)
{
    hlrc_barrier();
    if (me == 0) {
        write_pid();
        raise(SIGSTOP);
    }
    hlrc_barrier();
}

static void signalled(void)
{
    if (me != 0) {
        be_signalled();
    } else {
        await_waiters();
        compute_ms(LONG_MS);
        hlrc_cond_broadcast(*cond);
    }
    hlrc_barrier();
}

/* Its first call of the runtime is the one that lets the others go on. */
static void *help(void *unused)
{
    pause_ms(LONG_MS);
    hlrc_cond_broadcast(*cond);
    return unused;
}

static void helper(void)
{
    pthread_t other;
    if (me == 0 && pthread_create(&other, NULL, help, NULL) != 0)
        exit(2);
    wait_for_signal();
    if (me == 0)
        pthread_join(other, NULL);
}

static void trickle(void)
{
    for (int i = 0; i < 3; i++) {
        hlrc_lock(9);
        pause_ms(800);
        hlrc_unlock(9);
    }
    hlrc_barrier();
}

static volatile sig_atomic_t told;

static void take_signal(int sig)
{
    (void)sig;
    told = 1;
}

static void asked(void)
{
    struct sigaction take = { .sa_handler = take_signal };
    if (me == 0) {
        sigaction(SIGUSR1, &take, NULL);
        hlrc_lock(5);
    }
    printf("ready %d %d\n", me, (int)getpid());
    hlrc_barrier();
    if (me == 1)
        hlrc_lock(5);
    while (me == 0 && !told)
        pause_ms(10);
    if (me < 2)
        hlrc_unlock(5);
    hlrc_barrier();
}

static void half(void)
{
    if (me == 1)
        pause_ms(60000);
    threads();
}

static const struct {
    const char *name;
    void (*act)(void);
} cases[] = {
    { "abba", abba },       { "skip", skip },        { "finalize", finalize },
    { "relock", relock },   { "cond", one_waits },   { "conds", conds },
    { "threads", threads }, { "ended", ended },      { "left", left },
    { "group", group },     { "create", create },    { "split", split },
    { "late", late },       { "compute", compute },  { "sleep", sleeps },
    { "stopped", stopped }, { "signal", signalled }, { "asked", asked },
    { "half", half },       { "helper", helper },    { "trickle", trickle },
};

int main(int argc, char **argv)
{
    if (argc < 2 || hlrc_init(&argc, &argv) != 0)
        return 2;
    me = hlrc_node_id();
    nodes = hlrc_node_count();
    cond = hlrc_malloc_all(sizeof *cond);
    ready = hlrc_malloc_all(sizeof *ready);
    if (me == 0 && hlrc_cond_create(cond) != 0)
        return 2;
    hlrc_barrier();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (strcmp(cases[i].name, argv[1]) == 0) {
            cases[i].act();
            hlrc_finalize();
            printf("node %d goes on\n", me);
            return 0;
        }
    return 2;
}
