/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gather.c - see gather.h for the invariants. */
#include "compat/openmp/gather.h"

#include <hlrc.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/futex.h"
#include "compat/openmp/locks.h"
#include "compat/openmp/places.h"
#include "compat/openmp/team_collect.h"
#include "compat/openmp/team_plan.h"
#include "compat/process/delegate.h"
#include "compat/start/early.h"
#include "compat/start/image.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"
#include "compat/start/tls.h"
#include "hlrc/memory/only_node.h"
#include "hlrc/policy/policy_threads.h"

/* On node 0. */
struct gather_guest {
    struct lane lane;
    void *tls; /* its thread-local variables */
    _Atomic uint32_t ready;
};
static struct gather_guest *guests; /* of threads start_lanes, start_lanes + 1, ... */
static int count;                   /* of them */
static enum gather_choice { SPREAD, ALTERNATE, MEASURE } choice;
static struct policy_threads policy; /* MEASURE */
static const char *reason;
static bool is_observed;    /* by an option: early_observer */
static uint64_t regions[2]; /* so far: spread, gathered */
bool (*gather_mutexes)(bool words);
static gather_body *body;
static _Atomic uint32_t gate; /* raised when it opens; an odd number: the guests end */

/* ---- the choice ---- */

static enum gather_choice gather_choose(bool has_room)
{
    const char *control = getenv("HLRC_PLACEMENT_CONTROL");
    reason = start_obstacle;
    if (control && strcmp(control, "alternate") == 0)
        return ALTERNATE;
    if (!early_measures(start_obstacle))
        return SPREAD;
    reason = has_room ? "measured" : "--threads allows no more on one node";
    return has_room ? MEASURE : SPREAD;
}

/* [gather.lock-kept] */
static void gather_choose_here(bool is)
{
    if (locks_held > 0 || (!is_observed && !gather_mutexes(is) && !is))
        return;
    locks_are_words = is;
    locks_have_numbers |= !is;
    hlrc_only_node(is);
}

void gather_begin(int lanes)
{
    int threads = early_number("HLRC_THREADS");
    if (!start_sharing || hlrc_node_id() != 0)
        return;
    count = lanes - start_lanes;
    is_observed = early_observer() != NULL;
    /* other nodes' threads have proxies here (compat/process/delegate.h), with a listener */
    int needed = lanes + count + 1 + THREADS_OWN;
    choice = gather_choose(needed <= (threads ? threads : THREADS_DEFAULT));
    if (choice != SPREAD) { /* the program begins on node 0 */
        gather_choose_here(true);
        delegate_count_calls();
    }
    policy_threads_begin(&policy, POLICY_THREADS_REST, (double)hlrc_round_trip_ns(),
                         (double)clock_ns());
}

static bool gather_measure(const void *code)
{
    static uint64_t syncs;
    struct lane *own = lane_current;
    uint64_t all = locks_syncs + atomic_load(&own->calls) + atomic_load(&own->words);
    double of_period = (double)(all - syncs);
    syncs = all;
    double now = (double)clock_ns();
    bool due = policy_threads_is_due(&policy, now);
    struct policy_threads_done done = { .work = 1,
                                        .syncs = of_period,
                                        .pages = due ? (double)hlrc_pages_here() : 0 };
    policy_threads_next(&policy, code, now, &done);
    return !policy_threads_is_spread(&policy);
}

bool gather_is_better(const void *code)
{
    bool chooses = choice != SPREAD;
    if (chooses)
        gather_choose_here(choice == ALTERNATE ? regions[true] <= regions[false]
                                               : gather_measure(code));
    bool better = chooses && locks_are_words;
    regions[better]++;
    return better;
}

void gather_run_here(int threads, bool nodes)
{
    start_spread = nodes;
    team_plan_here.are_used = !nodes;
    start_crowded = threads > places_processors();
    start_fences = nodes || start_crowded || choice == MEASURE;
    team_collect_of(threads, places_processors(), nodes);
}

/* The line of --stats. */
static void gather_report(void)
{
    if (reason && getenv("HLRC_STATS"))
        fprintf(stderr,
                "hlrc: %" PRIu64 " parallel regions ran on node 0, %" PRIu64 " on all nodes: %s\n",
                regions[true], regions[false], reason);
}

/* ---- guests ---- */

static void *gather_guest_body(void *arg)
{
    struct gather_guest *g = arg;
    uint32_t seen = 0, now;
    places_bind(g->lane.index);
    g->tls = tls_mine();
    atomic_store(&g->ready, 1);
    futex_wake(&g->ready, 1);
    for (;;) {
        while ((now = atomic_load(&gate)) == seen)
            futex_wait(&gate, seen, -1);
        if (now % 2 == 1)
            return NULL;
        seen = now;
        body(&g->lane);
    }
}

static void gather_start_guests(void)
{
    if (!(guests = calloc((size_t)count, sizeof *guests)))
        start_fail("OpenMP: no memory for %d threads", count);
    for (int i = 0; i < count; i++) {
        struct gather_guest *g = &guests[i];
        int rc = lane_start(&g->lane, start_lanes + i, start_image.tls_room, gather_guest_body, g);
        if (rc)
            start_thread_fail(start_lanes + i, rc);
        while (atomic_load(&g->ready) == 0)
            futex_wait(&g->ready, 0, -1);
        tls_hold(start_lanes + i, g->tls);
    }
}

static void gather_open(uint32_t step)
{
    atomic_fetch_add(&gate, step);
    futex_wake(&gate, count);
}

void gather_enter(gather_body *run)
{
    body = run;
    if (!guests)
        gather_start_guests();
    for (int i = 0; i < count; i++)
        tls_take(start_lanes + i, guests[i].tls);
    tls_gather(true);
    gather_open(2);
}

void gather_leave(void)
{
    for (int i = 0; i < count; i++)
        tls_give(start_lanes + i, guests[i].tls);
    tls_gather(false);
}

void gather_end(void)
{
    gather_report();
    if (!guests)
        return;
    gather_open(1);
    for (int i = 0; i < count; i++)
        pthread_join(guests[i].lane.thread, NULL);
}

void gather_come_back(void)
{
    tls_take(lane_current->index, tls_mine());
}
