/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* progress.c - see progress.h for the invariants. */
#include "hlrc/progress/progress.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/quiet_thread.h"
#include "base/race.h"
#include "base/spin.h"
#include "base/tasks.h"
#include "hlrc/core/engine.h"
#include "hlrc/probe/dump.h"
#include "hlrc/probe/probe.h"
#include "hlrc/probe/wait_tracker.h"
#include "hlrc/progress/msg.h"
#include "hlrc/progress/thread.h"

/* How long a wait spins if every node has a core: SPIN_ROUND_TRIPS round trips of the fabric,
 * within these limits. */
#define SPIN_ROUND_TRIPS 100
#define SPIN_LEAST_NS    200000
#define SPIN_MOST_NS     20000000
/* If nodes share cores: the awaited thread may need this core. */
#define SPIN_CROWDED_NS 500
#define SPIN_ROUNDS     8 /* between two readings of the clock */
/* If a node has more threads than cores, a spinning thread offers its core at this interval. An
 * offer that takes longer than SPIN_TAKEN_NS shows that another thread had the core. */
#define SPIN_OFFER_NS 5000
#define SPIN_TAKEN_NS 3000
/* Offers pause for this long if another program took the core and no thread of this node has taken
 * one for as long. */
#define SPIN_ALONE_NS 50000000

/* Events that an application thread serves between two tests of its condition, and after its wait
 * is over [progress.serve-limit]. */
#define SERVED_AT_ONCE    16
#define SERVED_ON_LEAVING 64

static _Atomic bool progress_lock; /* [progress.holder] */
/* the handler was woken and found the progress lock taken [progress.holder] */
static _Atomic bool missed;
/* the holder of the progress lock sleeps, and has served all events that it took */
static _Atomic bool holder_sleeps;
static _Atomic uint64_t drains; /* by holders: [progress.settled] */
static _Atomic bool wake_on_all;
static _Atomic int waiters;       /* application threads in progress_wait: [progress.holder] */
static _Atomic int local_waiters; /* threads in progress_await */
/* sleep for a state without the progress lock: [progress.sleep-test] */
static _Atomic int state_sleepers;
static _Atomic bool stopping;
static pthread_t handler;
/* a handler thread exists, or will be started at once [progress.no-handler] */
static bool handled = true;
static bool handler_runs;
static long cores;      /* of the machine */
static uint32_t own;    /* that this node may use */
static int64_t spin_ns; /* how long a wait spins before it yields */
static int spin_yields; /* how often it yields before it sleeps */
/* when a thread of this node last took a core that was offered */
static _Atomic int64_t taken_at, no_offers_until;

static bool progress_trylock(void)
{
    /* sequentially consistent: after the caller's count among the waiters, or its wake_on_all
     * [progress.holder] */
    if (atomic_load(&progress_lock) || atomic_exchange(&progress_lock, true))
        return false;
    PROBE(progress_locked);        /* [progress.holder] */
    fabric_rx_busy(engine.fabric); /* [progress.holder] */
    return true;
}

/* Serves at most `most` pending events [progress.serve-limit]. Returns their number. ASSUMPTION:
 * the caller holds the progress lock [progress.holder]. */
static unsigned progress_drain(unsigned most)
{
    struct fabric_event ev;
    unsigned n = 0;
    while (n < most && fabric_rx_poll(engine.fabric, &ev)) {
        PROBE(event_taken);
        msg_dispatch(&ev);
        n++;
    }
    if (n)
        msg_drained();
    atomic_store(&drains, atomic_load(&drains) + 1); /* [progress.settled] */
    return n;
}

/* True if every event has to wake the handler, not only urgent ones [progress.holder]. */
static bool progress_all_matter(void)
{
    return atomic_load(&wake_on_all) || atomic_load(&waiters) > 0;
}

/* [progress.sleep-test]. A thread that is not asleep yet will test its condition once more
 * (thread_sleep). */
static void progress_pass_wake_on(void)
{
    for (uint32_t i = 0; atomic_load(&state_sleepers) > 0 && i < thread_max(); i++)
        if (atomic_load(&thread_slot(i)->asleep) == SLEEPS_ALONE)
            thread_wake(thread_slot(i));
}

/* [progress.serve-limit]. Until the handler has the progress lock, senders wake no thread, as while
 * the caller held it. [progress.no-handler]: a waiting thread takes it instead. */
static void progress_pass_on(void)
{
    atomic_store(&progress_lock, false);
    PROBE(progress_passed);
    if (handled)
        fabric_rx_wake(engine.fabric, FABRIC_HANDLER);
    else
        progress_pass_wake_on();
}

/* Serves the remaining events, at most `most`, and arms the queue [progress.holder]. False if more
 * are left [progress.serve-limit]. */
static bool progress_arm(unsigned most, bool all)
{
    for (;;) {
        unsigned n = progress_drain(most);
        most -= n;
        if (n == 0 &&
            fabric_rx_arm(engine.fabric, FABRIC_HANDLER, all ? FABRIC_ALL : FABRIC_URGENT))
            return true;
        if (most == 0 && fabric_rx_pending(engine.fabric))
            return false;
    }
}

/* `most`: number of events that the caller is willing to serve before it passes the progress lock
 * on [progress.serve-limit]. */
static void progress_unlock(unsigned most)
{
    bool all;
    if (!handled) {
        progress_pass_on(); /* [progress.no-handler] */
        return;
    }
    do {
        atomic_store(&missed, false); /* [progress.holder]: read again below */
        all = progress_all_matter();  /* [progress.holder]: read again below */
        if (!progress_arm(most, all)) {
            progress_pass_on();
            return;
        }
        PROBE(progress_armed);
        atomic_store(&progress_lock, false);
        /* an event before this is seen here, one after it wakes the handler [progress.holder] */
        atomic_thread_fence(memory_order_seq_cst);
        PROBE(progress_unlocked);
    } while ((fabric_rx_pending(engine.fabric) || atomic_load(&missed) ||
              (!all && progress_all_matter())) &&
             progress_trylock());
}

void progress_poll(void)
{
    if (fabric_rx_pending(engine.fabric) && progress_trylock())
        progress_unlock(SERVED_ON_LEAVING);
}

/* [progress.settled]. True if the events before `mark` are served. `past`: they had been taken when
 * `seen` was read from `drains`. */
static bool progress_settled(uint64_t mark, bool past, uint64_t seen)
{
    if (past && (!atomic_load(&progress_lock) || atomic_load(&holder_sleeps) ||
                 atomic_load(&drains) != seen))
        return true;
    if (!progress_trylock())
        return false;
    progress_drain(SERVED_ON_LEAVING);
    /* with the progress lock held, taken events are served */
    past = fabric_rx_past(engine.fabric, mark);
    progress_unlock(SERVED_ON_LEAVING);
    return past;
}

void progress_settle(void)
{
    uint64_t mark = fabric_rx_mark(engine.fabric);
    bool past = fabric_rx_past(engine.fabric, mark);
    uint64_t seen = atomic_load(&drains); /* after `past`: [progress.settled] */
    while (!progress_settled(mark, past, seen)) {
        sched_yield();
        if (fabric_rx_past(engine.fabric, mark) && !past) {
            past = true;
            seen = atomic_load(&drains); /* after `past`: [progress.settled] */
        }
    }
}

void progress_wake_on_all(bool all)
{
    /* before the attempt at the progress lock, as in progress_wait_slowly [progress.holder] */
    atomic_store(&wake_on_all, all);
    if (all && progress_trylock())
        progress_unlock(SERVED_ON_LEAVING);
}

/* Progress of a wait towards sleep. */
struct progress_backoff {
    int64_t spin_until, offer_at, offers_begun, cpu_begun;
    int rounds, yields;
    int64_t sleep_ns; /* next bounded sleep */
};

static void progress_backoff_renew(struct progress_backoff *p)
{
    *p = (struct progress_backoff){ .sleep_ns = 50000 };
}

static int64_t progress_process_cpu_ns(void)
{
    struct timespec t = { 0 };
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* True if threads of this process had the core for about `taken_ns`. ASSUMPTION: `p` has the time
 * and CPU time at which this thread's offers began, and the thread has not slept since. */
static bool progress_taken_by_us(const struct progress_backoff *p, int64_t now, int64_t taken_ns)
{
    int64_t spun = now - p->offers_begun - taken_ns;
    return progress_process_cpu_ns() - p->cpu_begun - spun >= taken_ns / 2;
}

/* [progress.sleep-test] */
static void progress_offer_core(struct progress_backoff *p, int64_t now)
{
    if (p->offers_begun == 0) {
        p->offers_begun = now;
        p->cpu_begun = progress_process_cpu_ns();
    }
    sched_yield();
    int64_t after = clock_ns(), taken = after - now;
    p->offer_at = after + SPIN_OFFER_NS;
    if (taken <= SPIN_TAKEN_NS)
        return;
    if (progress_taken_by_us(p, after, taken)) {
        atomic_store(&taken_at, after);
        if (++p->yields >= spin_yields)
            p->spin_until = -1;
    } else if (after - atomic_load(&taken_at) > SPIN_ALONE_NS) {
        atomic_store(&no_offers_until, after + SPIN_ALONE_NS);
    }
    p->offers_begun = 0;
}

static void progress_spin(struct progress_backoff *p)
{
    spin_cpu_relax();
    if (++p->rounds % SPIN_ROUNDS != 0)
        return;
    int64_t now = clock_ns();
    if (now >= p->spin_until)
        p->spin_until = -1;
    else if (thread_taken() > own && now >= p->offer_at && now >= atomic_load(&no_offers_until))
        progress_offer_core(p, now);
}

/* One step of spinning or yielding. False when it is time to sleep. */
static bool progress_backoff_step(struct progress_backoff *p)
{
    if (p->spin_until == 0) {
        int64_t now = clock_ns();
        p->offer_at = now + SPIN_OFFER_NS;
        p->spin_until = now + spin_ns;
    }
    if (p->spin_until > 0) {
        progress_spin(p);
        return true;
    }
    if (p->yields < spin_yields) {
        p->yields++;
        sched_yield();
        return true;
    }
    return false;
}

static int64_t progress_backoff_sleep(struct progress_backoff *p, enum progress_wait kind)
{
    if (kind == WAIT_EVENT)
        return -1;
    int64_t ns = p->sleep_ns;
    if (p->sleep_ns < 1000000)
        p->sleep_ns *= 2;
    return ns;
}

struct progress_awaited {
    bool (*done)(void *);
    void *arg;
};

/* [progress.no-handler]: a waiter for a state must not sleep if no thread holds the progress
 * lock. */
static bool progress_done_or_unserved(void *arg)
{
    const struct progress_awaited *a = arg;
    return (!handled && !atomic_load(&progress_lock)) || a->done(a->arg);
}

static void progress_sleep_alone(bool (*done)(void *), void *arg, enum progress_wait kind,
                                 int64_t timeout_ns)
{
    if (kind == WAIT_EVENT) {
        thread_sleep(thread_self(), done, arg, timeout_ns);
        return;
    }
    struct progress_awaited a = { done, arg };
    PROBE(wait_unserved);
    atomic_fetch_add(&state_sleepers, 1);
    thread_sleep(thread_self(), progress_done_or_unserved, &a, timeout_ns);
    atomic_fetch_sub(&state_sleepers, 1);
}

/* ASSUMPTION: the caller holds the progress lock, and keeps it. */
static void progress_sleep_in_role(bool (*done)(void *), void *arg, int64_t timeout_ns)
{
    struct thread *t = thread_self();
    uint32_t ticket = fabric_rx_ticket(engine.fabric, FABRIC_APP);
    atomic_store(&t->asleep, SLEEPS_SERVING);
    bool sleeps = fabric_rx_arm(engine.fabric, FABRIC_APP, FABRIC_ALL) && !done(arg);
    if (sleeps) {
        atomic_store(&holder_sleeps, true);
        fabric_rx_sleep(engine.fabric, FABRIC_APP, ticket, timeout_ns);
        atomic_store(&holder_sleeps, false);
    }
    fabric_rx_busy(engine.fabric);
    if (sleeps)
        /* [progress.sleep-test]: after fabric_rx_busy no wake finds the queue armed */
        progress_pass_wake_on();
    atomic_store(&t->asleep, AWAKE);
}

static void progress_wait_slowly(struct waits_wait what, bool (*done)(void *), void *arg,
                                 enum progress_wait kind)
{
    struct progress_backoff p;
    progress_backoff_renew(&p);
    struct wait_tracker_note before = wait_tracker_begin(what);
    bool mine = false;
    /* before the first attempt at the progress lock [progress.holder] */
    atomic_fetch_add(&waiters, 1);
    PROBE(wait_counted);
    while (!done(arg)) {
        if (!mine)
            mine = progress_trylock();
        if (mine && progress_drain(SERVED_AT_ONCE)) {
            progress_backoff_renew(&p);
            continue;
        }
        if (done(arg) || progress_backoff_step(&p))
            continue;
        int64_t timeout = progress_backoff_sleep(&p, kind);
        wait_tracker_sleeps();
        if (mine)
            progress_sleep_in_role(done, arg, timeout);
        else
            progress_sleep_alone(done, arg, kind, timeout);
    }
    wait_tracker_end(before);
    PROBE(wait_ending);
    atomic_fetch_sub(&waiters, 1);
    if (mine)
        progress_unlock(SERVED_ON_LEAVING);
}

void progress_wait(struct waits_wait what, bool (*done)(void *), void *arg, enum progress_wait kind)
{
    if (!done(arg))
        progress_wait_slowly(what, done, arg, kind);
}

void progress_await(struct waits_wait what, const void *key, bool (*done)(void *), void *arg)
{
    if (done(arg))
        return;
    struct thread *t = thread_self();
    atomic_store(&t->awaits, key);
    atomic_fetch_add(&local_waiters, 1); /* orders awaits before done() */
    progress_wait_slowly(what, done, arg, WAIT_EVENT);
    atomic_fetch_sub(&local_waiters, 1);
    atomic_store(&t->awaits, NULL);
}

void progress_changed(const void *key)
{
    PROBE(change_made);
    /* orders the change before the read of local_waiters */
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&local_waiters, memory_order_relaxed) == 0)
        return;
    for (uint32_t i = 0; i < thread_max(); i++) {
        struct thread *t = thread_slot(i);
        if (atomic_load(&t->awaits) == key)
            thread_wake(t);
    }
}

/* The handler thread serves what arrives while no application thread waits. */
static void progress_handler_block(void)
{
    uint32_t ticket = fabric_rx_ticket(engine.fabric, FABRIC_HANDLER);
    PROBE(handler_woken);
    bool mine = progress_trylock();
    if (!mine) {
        PROBE(handler_missed);
        atomic_store(&missed, true); /* [progress.holder] */
        mine = progress_trylock();
    }
    if (mine)
        progress_unlock(UINT_MAX);
    /* if another thread holds the progress lock, it arms the queue for this thread when it
     * releases it; the ticket is older than that */
    if (!atomic_load(&stopping))
        fabric_rx_sleep(engine.fabric, FABRIC_HANDLER, ticket, -1);
    progress_pass_wake_on();
}

static void progress_handler_spin(int64_t limit_ns)
{
    int64_t end = limit_ns < 0 ? INT64_MAX : clock_ns() + limit_ns;
    for (int i = 1; !atomic_load(&stopping); i++) {
        if (fabric_rx_pending(engine.fabric) && progress_trylock())
            progress_unlock(UINT_MAX);
        spin_cpu_relax();
        if (i % 64 == 0) {
            sched_yield();
            if (clock_ns() >= end)
                return;
        }
    }
}

/*
 * How long a handler polls before it sleeps; negative: for ever. It does not poll for ever if
 * handlers share cores with the nodes' threads. Threads that only yield delay others. Under Linux
 * 6.18 with autogroups they starve a preempted kernel thread for ever, which may hold a lock that
 * mprotect needs.
 */
static int64_t progress_handler_spin_limit(void)
{
    if (engine.config.handler == HANDLER_BLOCK)
        return 0;
    return engine.config.handler == HANDLER_POLL && cores >= 2 * engine.neighbours ? -1 : 100000;
}

static void *progress_handler_main(void *arg)
{
    (void)arg;
    tasks_own(1);
    int64_t limit = progress_handler_spin_limit();
    race_ignore_begin();
    while (!atomic_load(&stopping)) {
        if (limit != 0)
            progress_handler_spin(limit);
        progress_handler_block();
    }
    race_ignore_end();
    tasks_own(-1);
    return NULL;
}

/* Long enough that a node which serves one request after the other does not fall asleep in
 * between, since a wake takes longer than a request. Adapters answer within microseconds; an
 * emulated adapter takes a hundred times as long. */
static int64_t progress_usual_spin_ns(void)
{
    int64_t some = SPIN_ROUND_TRIPS * engine.fabric->round_trip_ns;
    return some < SPIN_LEAST_NS ? SPIN_LEAST_NS : some > SPIN_MOST_NS ? SPIN_MOST_NS : some;
}

static void progress_dump(char *line, size_t len)
{
    dump_append(line, len,
                "progress lock %s; %d threads wait, %d of them asleep until a state changes; a "
                "wait spins for %lld ns",
                !atomic_load(&progress_lock)  ? "free"
                : atomic_load(&holder_sleeps) ? "held by a thread that sleeps"
                                              : "held by a thread that serves",
                atomic_load(&waiters), atomic_load(&state_sleepers), (long long)spin_ns);
}

static int progress_start_handler(void)
{
    int rc = quiet_thread_create(&handler, NULL, progress_handler_main, NULL);
    handler_runs = rc == 0;
    clockid_t clock;
    if (handler_runs && pthread_getcpuclockid(handler, &clock) == 0)
        stats_own_clock(STATS_HANDLER, &clock);
    return rc;
}

int progress_start(bool with_handler)
{
    dump_add(progress_dump);
    cores = sysconf(_SC_NPROCESSORS_ONLN);
    cpu_set_t mine;
    own = sched_getaffinity(0, sizeof mine, &mine) == 0 ? (uint32_t)CPU_COUNT(&mine) : 1;
    bool crowded = engine.neighbours > cores;
    spin_ns = engine.config.spin >= 0 ? (int64_t)engine.config.spin * 1000
              : crowded               ? SPIN_CROWDED_NS
                                      : progress_usual_spin_ns();
    spin_yields = crowded ? 16 : 4;
    atomic_store(&stopping, false);
    atomic_store(&taken_at, 0);
    atomic_store(&no_offers_until, 0);
    handled = with_handler;
    return with_handler ? progress_start_handler() : 0;
}

void progress_stop(void)
{
    if (!handler_runs)
        return;
    stats_own_clock(STATS_HANDLER, NULL);
    atomic_store(&stopping, true);
    fabric_rx_wake(engine.fabric, FABRIC_HANDLER);
    pthread_join(handler, NULL);
    handler_runs = false;
}
