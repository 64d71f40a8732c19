/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* control.c - see control.h for the invariants. */
#include "compat/pthread/control.h"

#include <errno.h>
#include <hlrc.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/pthread/table.h"
#include "compat/start/heap.h"
#include "compat/start/hosts.h"
#include "compat/start/lane.h"

bool control_gathered;

static _Atomic uint32_t count = 1; /* the program's threads, main included */
static _Atomic uint32_t created;
static pthread_key_t end_key;
static const char *obstacle;

/* ---- the choice ---- */

/* Destructor of a C library key, which runs after the program's: in the second round. As
 * without HLRC the last thread ends the program. */
static void control_end_thread(void *round)
{
    static int second;
    if (round != &second)
        (void)pthread_setspecific(end_key, &second);
    else if (atomic_fetch_sub(&count, 1) == 1)
        exit(0);
}

void control_begin(unsigned per_node)
{
    cpu_set_t processors;
    obstacle = hosts_obstacle(per_node >= TABLE_THREADS, &processors);
    if (getenv("HLRC_WATCHDOG"))
        obstacle = "--watchdog"; /* it sees only waits for this library's objects */
    control_gathered = !obstacle;
    if (obstacle)
        return;
    start_spread = start_fences = false;
    heap_be_private();
    if (hlrc_node_id() == 0) /* inherited by main */
        (void)sched_setaffinity(0, sizeof processors, &processors);
    if (pthread_key_create(&end_key, control_end_thread) != 0)
        start_fail("no pthread key for threads that end");
}

/* ---- threads ---- */

void control_enter(void)
{
    (void)pthread_setspecific(end_key, &end_key);
}

struct control_call {
    void *(*fn)(void *);
    void *arg;
};

static void *control_body(void *arg)
{
    struct control_call c = *(struct control_call *)arg;
    free(arg);
    (void)hlrc_touch(table, 1, 0); /* gets the alternate stack: this one may be small */
    control_enter();
    return c.fn(c.arg);
}

struct control_creation {
    pthread_t *out;
    const pthread_attr_t *attr;
    struct control_call call;
    int rc;
};

static void control_create_now(void *arg)
{
    struct control_creation *to = arg;
    struct control_call *c = malloc(sizeof *c);
    to->rc = EAGAIN;
    if (atomic_fetch_add(&count, 1) <= TABLE_THREADS && c) {
        *c = to->call;
        to->rc = pthread_create(to->out, to->attr, control_body, c);
    }
    if (to->rc == 0) {
        atomic_fetch_add(&created, 1);
    } else {
        atomic_fetch_sub(&count, 1);
        free(c);
    }
}

/* The C library's system calls have arguments on the stack. */
int control_create(pthread_t *out, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
    struct control_creation c = { out, attr, { fn, arg }, 0 };
    lane_call(control_create_now, &c);
    return c.rc;
}

bool control_is_amid(void)
{
    return atomic_load(&count) > 1;
}

void control_report(uint32_t spread)
{
    if (getenv("HLRC_STATS"))
        fprintf(stderr, "hlrc: %u threads ran on node 0, %u on all nodes: %s\n",
                atomic_load(&created), spread, obstacle ? obstacle : HOSTS_REASON);
}
