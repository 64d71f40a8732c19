/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * threads.c - POSIX threads on several nodes; see table.h for the invariants.
 *
 * Each node has an agent, a thread that starts the entries in the node's mailbox: on node 0 an
 * extra thread, on all others the compute thread that runs main on node 0. A thread ends as with
 * the C library: a key of the C library runs the rest, after cleanup handlers and destructors of
 * C++, on the private stack.
 */
#include "compat/pthread/threads.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat/process/catcher.h"
#include "compat/process/inherit.h"
#include "compat/process/signals.h"
#include "compat/pthread/cancel.h"
#include "compat/pthread/keys.h"
#include "compat/pthread/kill.h"
#include "compat/pthread/mutex.h"
#include "compat/pthread/refuse.h"
#include "compat/pthread/table.h"
#include "compat/pthread/wrap.h"
#include "compat/start/lane.h"
#include "compat/start/numbers.h"
#include "compat/start/start.h"

/* HLRC threads of a node: the program's, and main, the agent, some of libraries. */
#define OTHERS    8
#define LEAST     (64 - OTHERS)
#define ALL_NODES 4096 /* with a network adapter: each takes registered memory for each node */

/* Of the calling thread; entry + 1, 0: not in the table. */
static _Thread_local struct {
    uint32_t entry;
    pthread_t name;
    void *result;
} me;

static struct lane lanes[TABLE_THREADS + 1]; /* of this node's threads, by entry */
static bool started[TABLE_THREADS + 1];
static uint32_t started_count;
static const struct lane *main_lane; /* of node 0 */
static pthread_key_t end_key;
static pthread_t agent_thread; /* node 0's */
static uint32_t per_node = LEAST;

static void threads_become(uint32_t entry)
{
    me.entry = entry + 1;
    me.name = table->entries[entry].name;
    cancel_begin(entry);
    (void)pthread_setspecific(end_key, &me);
}

static const struct lane *threads_lane(uint32_t entry)
{
    return entry == 0 ? main_lane : started[entry] ? &lanes[entry] : NULL;
}

static void threads_cancel_here(uint32_t entry)
{
    const struct lane *lane = threads_lane(entry);
    if (lane)
        cancel_request(entry, lane);
}

/* ---- a thread, on its node ---- */

struct threads_call {
    void *(*fn)(void *);
    void *arg;
};

static void threads_run(void *arg)
{
    struct threads_call *c = arg;
    me.result = c->fn(c->arg);
}

static void *threads_body(void *arg)
{
    uint32_t entry = (uint32_t)(uintptr_t)arg;
    const struct table_entry *e = &table->entries[entry]; /* acquired by the agent */
    struct threads_call c = { e->fn, e->arg };
    sigset_t mask = e->mask;
    threads_become(entry);
    inherit_begin();
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    lane_run(lane_current, threads_run, &c);
    return NULL;
}

static void threads_destroy_values(void *arg)
{
    (void)arg;
    keys_destroy_values();
}

static void threads_tell_end(void *arg)
{
    struct table_entry *e = &table->entries[me.entry - 1];
    (void)arg;
    hlrc_lock(LOCK_THREADS);
    e->result = me.result;
    table_done(e);
    hlrc_unlock(LOCK_THREADS);
}

static void threads_await_all(void *arg)
{
    (void)arg;
    hlrc_lock(LOCK_THREADS);
    if (table->live > 0)
        (void)monitor_queue_wait(&table->all_done, LOCK_THREADS, 0, NULL);
    hlrc_unlock(LOCK_THREADS);
    catcher_wait_end();
}

/* Main has called pthread_exit: the program ends with the last thread. Its stack is unchanged. */
_Noreturn static void threads_end_of_main(void)
{
    keys_destroy_values();
    mutex_abandon_held();
    lane_call(threads_tell_end, NULL);
    lane_call(threads_await_all, NULL);
    exit(0);
}

/* Destructor of a C library key: the thread is ending. */
static void threads_at_end(void *arg)
{
    (void)arg;
    cancel_end();
    if (me.entry == 1)
        threads_end_of_main();
    lane_run(lane_current, threads_destroy_values, NULL);
    mutex_abandon_held();
    threads_tell_end(NULL);
    me.entry = 0;
}

/* ---- agents ---- */

static void threads_reap(uint32_t entry)
{
    if (!started[entry])
        return;
    pthread_join(lanes[entry].thread, NULL);
    started[entry] = false;
    started_count--;
}

/* An ending thread uses an HLRC thread slot until it is gone. */
static void threads_reap_ended(void)
{
    bool ended[TABLE_THREADS + 1];
    hlrc_lock(LOCK_THREADS);
    for (uint32_t i = 1; i <= TABLE_THREADS; i++) {
        const struct table_entry *e = &table->entries[i];
        ended[i] = e->state != ENTRY_RUNNING || e->node != hlrc_node_id();
    }
    hlrc_unlock(LOCK_THREADS);
    for (uint32_t i = 1; i <= TABLE_THREADS; i++)
        if (ended[i])
            threads_reap(i);
}

static void threads_start(uint32_t entry)
{
    threads_reap(entry);
    if (started_count >= per_node)
        threads_reap_ended();
    cancel_prepare(entry);
    int rc = start_thread(&lanes[entry], (int)entry - 1, threads_body, (void *)(uintptr_t)entry);
    if (rc)
        start_fail("cannot start a thread: %s; raise the limit on processes (ulimit -u)",
                   strerror(-rc));
    started[entry] = true;
    started_count++;
}

static void threads_flush(void)
{
    hlrc_unlock(LOCK_THREADS);
    fflush(NULL);
    hlrc_lock(LOCK_THREADS);
    if (++table->flushed == (uint32_t)hlrc_node_count())
        monitor_queue_wake_all(&table->all_flushed);
}

static void threads_serve_mailbox(void)
{
    lane_block_signals(NULL); /* they are for the program's threads */
    int node = hlrc_node_id();
    enum table_closing seen = OPEN;
    hlrc_lock(LOCK_THREADS);
    while (table->closing != END) {
        uint32_t entry = table_take(node);
        if (entry) {
            hlrc_unlock(LOCK_THREADS);
            threads_start(entry);
            hlrc_lock(LOCK_THREADS);
        } else if (table->nodes[node].signals) {
            table->nodes[node].signals = 0;
            kill_deliver_sent(node, threads_lane, threads_cancel_here);
        } else if (table->closing != seen) {
            seen = FLUSH;
            threads_flush();
        } else {
            hlrc_cond_wait(table->nodes[node].news, LOCK_THREADS);
        }
    }
    hlrc_unlock(LOCK_THREADS);
    for (uint32_t i = 1; i <= TABLE_THREADS; i++)
        threads_reap(i);
}

/* What a handler has stored is seen on another node once the agent there has acquired it. */
static void threads_wake_agents(void)
{
    hlrc_lock(LOCK_THREADS);
    for (int n = 1; n < hlrc_node_count(); n++) {
        table->nodes[n].signals++;
        hlrc_cond_signal(table->nodes[n].news);
    }
    hlrc_unlock(LOCK_THREADS);
}

static void *threads_agent(void *arg)
{
    (void)arg;
    threads_serve_mailbox();
    return NULL;
}

/* By the node that ends the job. */
static void threads_close_table(enum table_closing how)
{
    hlrc_lock(LOCK_THREADS);
    uint32_t created = table->created;
    table->closing = how;
    for (int n = 0; n < hlrc_node_count(); n++)
        hlrc_cond_signal(table->nodes[n].news);
    if (how == FLUSH && table->flushed < (uint32_t)hlrc_node_count())
        (void)monitor_queue_wait(&table->all_flushed, LOCK_THREADS, 0, NULL);
    hlrc_unlock(LOCK_THREADS);
    catcher_wait_end();
    if (getenv("HLRC_STATS"))
        fprintf(stderr, "hlrc: %u threads ran on all nodes: %s\n", created, start_obstacle);
}

/* ---- create, join, detach ---- */

struct threads_creation {
    pthread_t *out;
    void *(*fn)(void *);
    void *arg;
    bool detached;
    int rc;
};

/* Stores the name under the lock, so that the new thread finds it in *out. */
static void pthread_threads_create(void *arg)
{
    struct threads_creation *to = arg, c = *to;
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    inherit_show();
    hlrc_lock(LOCK_THREADS);
    uint32_t i = table_ask(c.fn, c.arg, c.detached);
    if (i) {
        *c.out = table->entries[i].name;
        table->entries[i].mask = mask;
    }
    hlrc_unlock(LOCK_THREADS);
    to->rc = i ? 0 : EAGAIN;
}

static void threads_check_stack(const pthread_attr_t *attr)
{
    size_t bytes, most = lane_stack_bytes();
    if (pthread_attr_getstacksize(attr, &bytes) == 0 && bytes > most)
        start_fail("pthread_create: a stack of %zu bytes is more than the %zu of a thread; raise "
                   "ulimit -s",
                   bytes, most);
}

int threads_create(pthread_t *out, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
    int detached = PTHREAD_CREATE_JOINABLE;
    if (attr) {
        (void)pthread_attr_getdetachstate(attr, &detached);
        threads_check_stack(attr);
    }
    struct threads_creation c = { .out = out, .fn = fn, .arg = arg };
    c.detached = detached == PTHREAD_CREATE_DETACHED;
    lane_call(pthread_threads_create, &c);
    return c.rc;
}

struct threads_joining {
    pthread_t name, me;
    bool try;
    const struct monitor_until *until;
    void *result;
    int rc;
};

static int threads_check_joinable(const struct table_entry *e, const struct threads_joining *j)
{
    if (!e)
        return ESRCH;
    if (j->name == j->me)
        return EDEADLK;
    return e->detached || e->joining ? EINVAL : e->state != ENTRY_DONE && j->try ? EBUSY : 0;
}

static void pthread_threads_join(void *arg)
{
    struct threads_joining *out = arg, j = *out;
    struct monitor_until copy =
        j.until ? *j.until : (struct monitor_until){ .clock = CLOCK_REALTIME };
    hlrc_lock(LOCK_THREADS);
    struct table_entry *e = table_find(j.name);
    int rc = threads_check_joinable(e, &j);
    if (rc == 0 && e->state != ENTRY_DONE) {
        e->joining = true;
        rc = monitor_queue_wait(&e->joiners, LOCK_THREADS, 0, j.until ? &copy : NULL);
        e->joining = false;
    }
    if (rc == 0) {
        j.result = e->result;
        table_free(e);
    }
    hlrc_unlock(LOCK_THREADS);
    catcher_wait_end();
    out->result = j.result;
    out->rc = rc;
}

static int threads_join_as(struct threads_joining *j, void **result)
{
    j->me = me.name;
    cancel_wait_begin();
    lane_call(pthread_threads_join, j);
    j->rc = cancel_wait_end(j->rc);
    if (j->rc == 0 && result)
        *result = j->result;
    return j->rc;
}

int threads_join(pthread_t name, void **result)
{
    struct threads_joining j = { .name = name };
    return threads_join_as(&j, result);
}

static void pthread_threads_detach(void *arg)
{
    struct threads_joining *j = arg;
    pthread_t name = j->name;
    hlrc_lock(LOCK_THREADS);
    struct table_entry *e = table_find(name);
    int rc = !e ? ESRCH : e->detached || e->joining ? EINVAL : 0;
    if (rc == 0) {
        e->detached = true;
        if (e->state == ENTRY_DONE)
            table_free(e);
    }
    hlrc_unlock(LOCK_THREADS);
    j->rc = rc;
}

int threads_detach(pthread_t name)
{
    struct threads_joining j = { .name = name };
    lane_call(pthread_threads_detach, &j);
    return j.rc;
}

/* ---- the calls ---- */

int __wrap_pthread_create(pthread_t *out, const pthread_attr_t *attr, void *(*fn)(void *),
                          void *arg);
int __wrap_pthread_create(pthread_t *out, const pthread_attr_t *attr, void *(*fn)(void *),
                          void *arg)
{
    return start_sharing ? threads_create(out, attr, fn, arg) : pthread_create(out, attr, fn, arg);
}

WRAP(int, pthread_join, (pthread_t thread, void **result), (thread, result))
{
    return threads_join(thread, result);
}

WRAP(int, pthread_tryjoin_np, (pthread_t thread, void **result), (thread, result))
{
    return threads_join_as(&(struct threads_joining){ .name = thread, .try = true }, result);
}

WRAP(int, pthread_clockjoin_np,
     (pthread_t thread, void **result, clockid_t clock, const struct timespec *time),
     (thread, result, clock, time))
{
    if (!monitor_until_valid(time, clock))
        return EINVAL;
    struct monitor_until until = { *time, clock };
    return threads_join_as(&(struct threads_joining){ .name = thread, .until = &until }, result);
}

WRAP(int, pthread_timedjoin_np, (pthread_t thread, void **result, const struct timespec *time),
     (thread, result, time))
{
    return wrap_pthread_clockjoin_np(thread, result, CLOCK_REALTIME, time);
}

WRAP(int, pthread_detach, (pthread_t thread), (thread))
{
    return threads_detach(thread);
}

/* Threads outside the table, such as OpenMP's, have the C library's name, an address on their
 * private stack. */
pthread_t __wrap_pthread_self(void)
{
    return me.entry ? me.name : pthread_self();
}

WRAP(int, pthread_kill, (pthread_t thread, int sig), (thread, sig))
{
    if (sig == KILL_CANCEL)
        return EINVAL;
    if (thread != __wrap_pthread_self())
        return kill_send(thread, sig);
    return sig == 0 || __wrap_raise(sig) == 0 ? 0 : errno;
}

WRAP(int, pthread_cancel, (pthread_t thread), (thread))
{
    if (thread != __wrap_pthread_self())
        return kill_send(thread, KILL_CANCEL);
    cancel_request_own();
    return 0;
}

_Noreturn void __wrap_pthread_exit(void *result);
_Noreturn void __wrap_pthread_exit(void *result)
{
    me.result = result;
    pthread_exit(result);
}

static void threads_leave_cancelled(void)
{
    __wrap_pthread_exit(PTHREAD_CANCELED);
}

/* ---- the layer: start.h ---- */

static bool threads_takes(const char *name)
{
    cancel_used |= strcmp(name, "__wrap_pthread_cancel") == 0;
    return strcmp(name, "__wrap_pthread_create") == 0 ||
           strncmp(name, "_ZNSt6thread15_M_start_thread", 29) == 0;
}

/* Sets how many threads of a node may use HLRC, unless --threads does. */
static int threads_count_threads(int nodes)
{
    const char *given = getenv("HLRC_THREADS"), *fabric = getenv("HLRC_FABRIC");
    bool chosen = fabric && *fabric && strcmp(fabric, "auto") != 0;
    bool one_host = chosen ? strncmp(fabric, "shm", 3) == 0 : !getenv("PMIX_RANK");
    int most = one_host ? (int)TABLE_THREADS : ALL_NODES / nodes;
    char text[16];
    if (given && *given)
        most = atoi(given) - OTHERS;
    else if (most > (int)TABLE_THREADS)
        most = (int)TABLE_THREADS;
    else if (most < LEAST)
        most = LEAST;
    per_node = most < 1 ? 1 : (uint32_t)most;
    if (!given || !*given) {
        snprintf(text, sizeof text, "%d", most + OTHERS);
        setenv("HLRC_THREADS", text, 1);
    }
    return (int)TABLE_THREADS;
}

/* The C library loads libgcc_s at the first pthread_exit, perhaps on a shared stack, where the
 * loader's system calls may fail. */
static void threads_begin(void)
{
    if (!start_sharing)
        return;
    (void)dlopen("libgcc_s.so.1", RTLD_NOW);
    table_begin(per_node);
    if (cancel_used)
        cancel_start(threads_leave_cancelled);
    if (hlrc_node_id() != 0)
        return;
    catcher_handled = threads_wake_agents;
    int rc = pthread_create(&agent_thread, NULL, threads_agent, NULL);
    if (rc)
        start_fail("cannot start a thread: %s", strerror(rc));
}

static void threads_enter(void)
{
    main_lane = lane_current;
    threads_become(0);
}

static void threads_serve(struct lane *lane)
{
    (void)lane;
    threads_serve_mailbox();
}

static void threads_ask_live(void *arg)
{
    hlrc_lock(LOCK_THREADS);
    *(bool *)arg = table->live > 0;
    hlrc_unlock(LOCK_THREADS);
}

/* True: other threads would be left running. False for main if it is the last. */
static bool threads_amid(void)
{
    bool live = false;
    if (!start_sharing)
        return false;
    lane_call(threads_ask_live, &live);
    return live || hlrc_node_id() != 0;
}

/* ---- exit while threads run ---- */

static void *threads_exit_there(void *status)
{
    exit((int)(intptr_t)status);
}

static void threads_leave_by(void *arg)
{
    int status = *(const int *)arg;
    if (hlrc_node_id() == 0) {
        threads_close_table(FLUSH);
        hlrc_exit(status);
    }
    hlrc_lock(LOCK_THREADS);
    uint32_t i = table_ask_on(0, threads_exit_there, (void *)(intptr_t)status, true);
    sigemptyset(&table->entries[i].mask);
    hlrc_unlock(LOCK_THREADS);
    if (!i)
        hlrc_exit(status);
    for (;;)
        pause();
}

/* The exit handlers are on node 0, where main registered them: a thread that its agent starts
 * calls exit. */
static void threads_leave(int status)
{
    lane_call(threads_leave_by, &status);
}

static void pthread_threads_end(void)
{
    if (!start_sharing)
        return;
    threads_close_table(END);
    pthread_join(agent_thread, NULL);
}

/* Before the other constructors and hlrc_init: the C library destroys keys in order of creation,
 * and threads_at_end needs everything else. */
__attribute__((constructor(101))) static void threads_at_start(void)
{
    static const struct start_layer layer = { .name = "POSIX threads",
                                              .takes = threads_takes,
                                              .refuse = refuse_name,
                                              .threads = threads_count_threads,
                                              .begin = threads_begin,
                                              .enter = threads_enter,
                                              .serve = threads_serve,
                                              .amid = threads_amid,
                                              .leave = threads_leave,
                                              .end = pthread_threads_end };
    if (pthread_key_create(&end_key, threads_at_end) != 0)
        start_fail("no pthread key for threads that end");
    start_register(&layer);
}
