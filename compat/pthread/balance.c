/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* balance.c - see balance.h for the invariants. */
#include "compat/pthread/balance.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/futex.h"
#include "compat/process/delegate.h"
#include "compat/pthread/interrupt.h"
#include "compat/pthread/move.h"
#include "compat/pthread/mutex_word.h"
#include "compat/pthread/sole.h"
#include "compat/pthread/table.h"
#include "compat/start/early.h"
#include "compat/start/lane.h"
#include "compat/start/numbers.h"
#include "compat/start/start.h"
#include "hlrc/memory/only_node.h"
#include "hlrc/policy/policy_threads.h"
#include "hlrc/probe/activity.h"
#include "hlrc/progress/uncounted.h"

#define PERIOD_NS 25000000
#define REST_NS   250000000 /* before the first trial of threads that hardly synchronise; */
#define SELDOM    1e-7      /* locks each ns, at most; of others POLICY_THREADS_REST */
#define EACH      4         /* a wait takes several locks, and brings pages */
#define HELD_NS   4000000   /* to wait for threads that hold mutexes by one means only */
#define TURN_NS   3000000   /* ALTERNATE: between interrupts */
#define IDLE      0.05      /* part of a period in which the threads do less is not judged */
#define MORE      1.2 /* threads that want processors, over what they get: more nodes may help */

static enum { FIXED, MEASURE, ALTERNATE } choice;
static pthread_t counter; /* MEASURE: the thread that counts, on node 0 the controller */
static bool counts;
static _Atomic uint32_t ending;
static _Atomic uint32_t active; /* this node has threads, or will have */

/* ---- computed time ---- */

/* Of all nodes, in ns. */
struct balance_sums {
    double computed, wanted, busy;
    uint64_t syncs;
};

static double balance_busy(const struct hlrc_activity *a)
{
    return a->shared + (double)a->syncs * POLICY_THREADS_SYNC;
}

/* By other nodes than 0. */
static void balance_publish(void)
{
    struct hlrc_activity a;
    const struct table_mailbox *own = &table->nodes[hlrc_node_id()];
    hlrc_activity_get(&a);
    (void)hlrc_atomic_exchange(own->computed, (uint64_t)a.computed);
    (void)hlrc_atomic_exchange(own->busy, (uint64_t)balance_busy(&a));
}

static void balance_add_calls(struct lane *l, void *sum)
{
    *(uint64_t *)sum += atomic_load_explicit(&l->calls, memory_order_relaxed);
}

static uint64_t balance_calls(void)
{
    uint64_t sum = 0;
    lane_each(balance_add_calls, &sum);
    return sum;
}

/* By node 0. */
static struct balance_sums balance_sum(void)
{
    struct hlrc_activity a;
    hlrc_activity_get(&a);
    a.syncs += mutex_word_uses() + balance_calls();
    struct balance_sums sums = { a.computed, a.wanted, balance_busy(&a), a.syncs };
    for (int n = 1; n < hlrc_node_count(); n++) {
        sums.computed += (double)hlrc_atomic_load(table->nodes[n].computed);
        sums.busy += (double)hlrc_atomic_load(table->nodes[n].busy);
    }
    return sums;
}

/* ---- the controller, on node 0 ---- */

static struct policy_threads policy;
static const char period_code; /* all periods are of one kind */

static bool balance_is_sole(void)
{
    bool sole = table->span == hlrc_node_count();
    for (int n = 1; n < hlrc_node_count(); n++)
        sole = sole && table->nodes[n].threads == 0;
    return sole;
}

/* Threads that hold mutexes may postpone a trial. */
static void balance_decide(int span)
{
    if (span < hlrc_node_count() && !mutex_word_turn(BY_LOCK, HELD_NS))
        return;
    hlrc_lock(LOCK_THREADS);
    bool changes = table->span != span, sole = !changes && balance_is_sole();
    if (changes) {
        table->span = span;
        table_tell_all();
    } else if (sole) {
        sole_set(true);
    }
    hlrc_unlock(LOCK_THREADS);
    if (sole)
        (void)mutex_word_turn(BY_WORD, HELD_NS);
}

/* Gathered, more nodes help only if threads want more processors than they get. */
static bool balance_says_nothing(const struct balance_sums *d, double took)
{
    if (policy.spread)
        return d->computed + d->busy < IDLE * took;
    return d->computed < IDLE * took || d->wanted < MORE * d->computed;
}

/* `syncs`: so far. */
static bool balance_is_early(uint64_t syncs, double now)
{
    double since = now - policy.begun;
    return !policy.spread && since < POLICY_THREADS_REST && (double)syncs > SELDOM * since;
}

/* `d`: in this period. `syncs`: so far. */
static void balance_period(const struct balance_sums *d, uint64_t syncs, double took, double now)
{
    struct policy_threads_done done = { .work = d->computed > 1 ? d->computed : 1,
                                        .part = d->computed / (d->computed + d->busy + 1),
                                        .syncs = EACH * (double)d->syncs,
                                        .pages = policy_threads_is_due(&policy, now)
                                                     ? (double)hlrc_pages_here()
                                                     : 0 };
    if (table_is_local() || balance_says_nothing(d, took) || balance_is_early(syncs, now))
        policy_threads_skip(&policy, now);
    else
        policy_threads_next(&policy, &period_code, now, &done);
}

static void balance_control(void)
{
    struct balance_sums before = balance_sum();
    double then = (double)clock_ns();
    policy_threads_begin(&policy, REST_NS, (double)hlrc_round_trip_ns(), hlrc_node_count(), then);
    while (atomic_load(&ending) == 0) {
        futex_wait(&ending, 0, PERIOD_NS);
        struct balance_sums sums = balance_sum();
        double now = (double)clock_ns();
        balance_period(&(struct balance_sums){ sums.computed - before.computed,
                                               sums.wanted - before.wanted, sums.busy - before.busy,
                                               sums.syncs - before.syncs },
                       sums.syncs, now - then, now);
        before = sums;
        then = now;
        balance_decide(policy_threads_span(&policy));
        interrupt_busy(PERIOD_NS);
    }
}

/* ---- on all nodes ---- */

static void *balance_count(void *arg)
{
    (void)arg;
    hlrc_thread_uncounted();
    if (choice == MEASURE && hlrc_node_id() == 0) {
        balance_control();
        return NULL;
    }
    int64_t period = choice == MEASURE ? PERIOD_NS : TURN_NS;
    while (atomic_load(&ending) == 0) {
        futex_wait(&active, 0, -1);
        futex_wait(&ending, 0, period);
        interrupt_busy(period);
        if (choice == MEASURE)
            balance_publish();
    }
    return NULL;
}

void balance_heed(void)
{
    if (choice != MEASURE)
        return;
    int own = hlrc_node_id();
    move_set(MOVE_TO_SPAN, table->span);
    atomic_store(&active, own % table->span == 0 || table->nodes[own].threads > 0);
    futex_wake(&active, 1);
}

static void balance_choose(void)
{
    const char *control = getenv("HLRC_PLACEMENT_CONTROL");
    if (control && strcmp(control, "alternate") == 0)
        choice = ALTERNATE;
    else if (early_measures(start_obstacle))
        choice = MEASURE;
}

static void balance_make_words(void)
{
    for (int n = 1; n < hlrc_node_count(); n++)
        if (hlrc_atomic_create(&table->nodes[n].computed, 0) != 0 ||
            hlrc_atomic_create(&table->nodes[n].busy, 0) != 0)
            start_fail("no atomic words for node %d", n);
}

void balance_begin(void)
{
    sigset_t before;
    balance_choose();
    if (hlrc_node_id() == 0) {
        table->span = choice == MEASURE ? hlrc_node_count() : 1;
        if (choice == MEASURE) {
            balance_make_words();
            sole_begin();
            delegate_count_calls();
            if (table_has_room() && !early_observer())
                mutex_word_begin();
        }
    }
    if (choice == FIXED)
        return;
    interrupt_start();
    if (choice == ALTERNATE) {
        move_set(MOVE_AROUND, 1);
        atomic_store(&active, 1);
    }
    lane_block_signals(&before);
    int rc = pthread_create(&counter, NULL, balance_count, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc)
        start_fail("cannot start a thread: %s", strerror(rc));
    counts = true;
}

void balance_end(void)
{
    if (!counts)
        return;
    atomic_store(&ending, 1);
    atomic_store(&active, 1);
    futex_wake(&ending, 1);
    futex_wake(&active, 1);
    pthread_join(counter, NULL);
}

static const char *balance_describe(int span)
{
    return span == 1 ? "yes" : span == hlrc_node_count() ? "no" : "over some nodes";
}

void balance_report(void)
{
    const char *why = move_obstacle();
    if (!getenv("HLRC_STATS"))
        return;
    if (choice == FIXED)
        fprintf(stderr, "hlrc: %u threads ran on all nodes: %s\n", table->created, start_obstacle);
    else if (why)
        fprintf(stderr, "hlrc: %u threads ran where they began: the program uses %s\n",
                table->created, why);
    else
        fprintf(stderr, "hlrc: %u threads moved %u times, and were spread at the end: %s\n",
                table->created, table->moves, balance_describe(table->span));
}
