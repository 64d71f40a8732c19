/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * threads.c - POSIX threads on several nodes; see table.h for the invariants.
 *
 * A thread ends as with the C library: a key of the C library runs the rest, after cleanup handlers
 * and destructors of C++, on the private stack.
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
#include "compat/process/delegate.h"
#include "compat/process/inherit.h"
#include "compat/process/signals.h"
#include "compat/process/streams.h"
#include "compat/pthread/agent.h"
#include "compat/pthread/balance.h"
#include "compat/pthread/cancel.h"
#include "compat/pthread/interrupt.h"
#include "compat/pthread/keys.h"
#include "compat/pthread/kill.h"
#include "compat/pthread/limits.h"
#include "compat/pthread/move.h"
#include "compat/pthread/mutex.h"
#include "compat/pthread/refuse.h"
#include "compat/pthread/table.h"
#include "compat/pthread/wrap.h"
#include "compat/start/lane.h"
#include "compat/start/numbers.h"
#include "compat/start/start.h"

/* HLRC threads of a node: the program's, and main, the agent, some of libraries. */
#define OTHERS 8
#define LEAST  (64 - OTHERS)

/* Of the calling thread; entry + 1, 0: not in the table. */
static _Thread_local struct {
    uint32_t entry;
    pthread_t name;
    void *result;
} me;

static pthread_key_t end_key;
static uint32_t per_node = LEAST;

static void threads_become(uint32_t entry)
{
    me.entry = entry + 1;
    me.name = lane_current->name = table->entries[entry].name;
    cancel_begin(entry);
    (void)pthread_setspecific(end_key, &me);
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
    struct modes modes = e->modes;
    threads_become(entry);
    inherit_begin();
    streams_take();
    move_act *act = move_arrive(entry, threads_run);
    interrupt_begin(entry, e->home);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    errno = 0;
    modes_set(&modes);
    lane_run(lane_current, act, &c);
    return NULL;
}

/* The entry continues on another node. */
static void threads_forget(void)
{
    me.entry = 0;
    interrupt_end();
    (void)pthread_setspecific(end_key, NULL);
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
    streams_show();
    hlrc_lock(LOCK_THREADS);
    e->result = me.result;
    table_done(e);
    hlrc_unlock(LOCK_THREADS);
}

static void threads_await_all(void *arg)
{
    (void)arg;
    catcher_block();
    hlrc_lock(LOCK_THREADS);
    if (table->live > 0)
        (void)monitor_queue_wait(&table->all_done, LOCK_THREADS, 0, NULL);
    hlrc_unlock(LOCK_THREADS);
}

/* Main has called pthread_exit: the program ends with the last thread. Its stack is unchanged. */
_Noreturn static void threads_end_of_main(void)
{
    keys_destroy_values();
    mutex_abandon_held();
    lane_call(threads_tell_end, NULL);
    lane_call(threads_await_all, NULL);
    catcher_unblock();
    exit(0);
}

/* Destructor of a C library key: the thread is ending. */
static void threads_at_end(void *arg)
{
    (void)arg;
    cancel_end();
    move_end();
    interrupt_end();
    if (me.entry == 1)
        threads_end_of_main();
    lane_run(lane_current, threads_destroy_values, NULL);
    mutex_abandon_held();
    threads_tell_end(NULL);
    me.entry = 0;
}

/* ---- create, join, detach ---- */

struct threads_creation {
    pthread_t *out;
    void *(*fn)(void *);
    void *arg;
    bool detached;
    size_t stack_bytes;
    const pthread_attr_t *attr;
    int rc;
};

/* The system does this. Under LOCK_THREADS. */
static void threads_pass_title(struct table_entry *to)
{
    const struct table_entry *from = me.entry ? &table->entries[me.entry - 1] : &table->entries[0];
    memcpy(to->title, from->title, sizeof to->title);
}

/* Stores the name under the lock, so that the new thread finds it in *out. */
static void pthread_threads_create(void *arg)
{
    struct threads_creation *to = arg, c = *to;
    struct modes modes = modes_get();
    sigset_t mask;
    if (!c.attr || pthread_attr_getsigmask_np(c.attr, &mask) != 0)
        pthread_sigmask(SIG_SETMASK, NULL, &mask);
    inherit_show();
    streams_show();
    hlrc_lock(LOCK_THREADS);
    uint32_t i = limits_allow(c.stack_bytes) ? table_ask(c.fn, c.arg, c.detached) : 0;
    if (i) {
        *c.out = table->entries[i].name;
        table->entries[i].mask = mask;
        table->entries[i].modes = modes;
        threads_pass_title(&table->entries[i]);
    }
    if (i && limits_are_near(table->entries[i].node) && !table_await_start(i))
        i = 0;
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
    struct threads_creation c = { .out = out, .fn = fn, .arg = arg, .attr = attr };
    c.detached = detached == PTHREAD_CREATE_DETACHED;
    c.stack_bytes = limits_stack_bytes(attr);
    lane_call(pthread_threads_create, &c);
    catcher_unblock();
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
    if (e->detached)
        return EINVAL;
    if (j->name == j->me)
        return EDEADLK;
    return e->joining ? EINVAL : e->state != ENTRY_DONE && j->try ? EBUSY : 0;
}

static void pthread_threads_join(void *arg)
{
    struct threads_joining *out = arg, j = *out;
    struct monitor_until copy =
        j.until ? *j.until : (struct monitor_until){ .clock = CLOCK_REALTIME };
    catcher_block();
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
    if (rc == 0) {
        streams_take();
        inherit_joined();
    }
    out->result = j.result;
    out->rc = rc;
}

static int threads_join_as(struct threads_joining *j, void **result)
{
    j->me = me.name;
    int before = errno;
    move_point();
    cancel_wait_begin();
    lane_call(pthread_threads_join, j);
    catcher_unblock();
    errno = before;
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
    return me.entry ? me.name : delegate_caller ? delegate_caller : pthread_self();
}

WRAP(int, pthread_kill, (pthread_t thread, int sig), (thread, sig))
{
    if (sig == KILL_CANCEL)
        return EINVAL;
    if (thread != __wrap_pthread_self())
        return kill_send(thread, sig, NULL);
    return sig == 0 || __wrap_raise(sig) == 0 ? 0 : errno;
}

WRAP(int, pthread_sigqueue, (pthread_t thread, int sig, const union sigval value),
     (thread, sig, value))
{
    if (sig == KILL_CANCEL)
        return EINVAL;
    if (thread != __wrap_pthread_self())
        return kill_send(thread, sig, &(struct kill_value){ SI_QUEUE, value });
    return signals_queue_own(sig, value);
}

WRAP(int, pthread_cancel, (pthread_t thread), (thread))
{
    if (delegate_caller || thread != __wrap_pthread_self())
        return kill_send(thread, KILL_CANCEL, NULL);
    cancel_request_own();
    return 0;
}

_Noreturn void __wrap_pthread_exit(void *result);
_Noreturn void __wrap_pthread_exit(void *result)
{
    me.result = result;
    move_end(); /* cleanup runs from frames of the C library */
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
    move_look_at(name);
    interrupt_look_at(name);
    return strcmp(name, "__wrap_pthread_create") == 0 || strcmp(name, "__wrap_thrd_create") == 0 ||
           strncmp(name, "_ZNSt6thread15_M_start_thread", 29) == 0;
}

/* Sets how many threads of a node may use HLRC, unless --threads does. */
static int threads_count_threads(int nodes)
{
    const char *given = getenv("HLRC_THREADS"), *fabric = getenv("HLRC_FABRIC");
    bool chosen = fabric && *fabric && strcmp(fabric, "auto") != 0;
    bool one_host = chosen ? strncmp(fabric, "shm", 3) == 0 : !getenv("PMIX_RANK");
    int most = one_host ? (int)TABLE_THREADS : THREADS_ALL_NODES / nodes;
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
    move_begin(threads_forget);
    balance_begin();
    if (cancel_used)
        cancel_start(threads_leave_cancelled);
    agent_begin(threads_body, per_node);
}

static void threads_enter(void)
{
    agent_has_main(lane_current);
    threads_become(0);
}

static void threads_serve(struct lane *lane)
{
    (void)lane;
    agent_serve();
    balance_end();
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
        agent_close(FLUSH);
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
    balance_end();
    agent_close(END);
    agent_end();
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
