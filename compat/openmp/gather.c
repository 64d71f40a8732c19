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

struct gather_guest {
    struct lane lane;
    _Atomic uint32_t ready;
};
static struct gather_guest *guests; /* of the threads after this node's */
static int count, most;             /* of them; their most */

/* On node 0. */
static enum gather_choice { SPREAD, ALTERNATE, MEASURE } choice;
static bool has_between;
static struct policy_threads policy; /* MEASURE */
static const char *reason;
static bool is_observed;                   /* by an option: early_observer */
static uint64_t spread, between, gathered; /* regions so far */
bool (*gather_mutexes)(bool words);
static gather_body *body;

/* Its number of openings, GATE_END, and how many guests may pass. */
#define GATE_GUESTS 1024u
#define GATE_END    GATE_GUESTS
#define GATE_OPENED (2 * GATE_GUESTS)
static _Atomic uint32_t gate;
_Static_assert(THREADS_MOST <= GATE_GUESTS, "fewer guests");

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

void gather_begin(int lanes, bool with_between)
{
    int threads = early_number("HLRC_THREADS");
    if (!start_sharing)
        return;
    most = lanes - (hlrc_node_id() + 1) * start_lanes;
    if (hlrc_node_id() != 0)
        return;
    has_between = with_between && hlrc_node_count() > 2;
    is_observed = early_observer() != NULL;
    /* other nodes' threads have proxies here (compat/process/delegate.h), with a listener */
    int needed = lanes + most + 1 + THREADS_OWN;
    choice = gather_choose(needed <= (threads ? threads : THREADS_DEFAULT));
    if (choice != SPREAD) { /* the program begins on node 0 */
        gather_choose_here(true);
        delegate_count_calls();
    }
    policy_threads_begin(&policy, POLICY_THREADS_REST, (double)hlrc_round_trip_ns(),
                         has_between ? hlrc_node_count() : 1, (double)clock_ns());
}

/* ALTERNATE: all nodes, half of them, ... one, all. */
static int gather_turn(void)
{
    int nodes = hlrc_node_count(), next = has_between ? 2 * start_span : nodes;
    return start_span == nodes ? 1 : next < nodes ? next : nodes;
}

static int gather_measure(const void *code)
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
    return policy_threads_is_spread(&policy) ? policy.span : hlrc_node_count();
}

static int gather_try_span(int span)
{
    int nodes = hlrc_node_count();
    gather_choose_here(span == nodes);
    if (locks_are_words)
        return nodes;
    return span < nodes ? span : start_span;
}

int gather_choose_span(const void *code)
{
    static bool has_run;
    int nodes = hlrc_node_count(), span = 1;
    if (choice == ALTERNATE)
        span = gather_try_span(has_run ? gather_turn() : nodes);
    else if (choice == MEASURE)
        span = gather_try_span(gather_measure(code));
    has_run = true;
    *(span == 1 ? &spread : span == nodes ? &gathered : &between) += 1;
    return span;
}

void gather_run_here(int threads, bool nodes)
{
    start_spread = nodes;
    team_plan_here.are_used = !nodes;
    start_crowded = threads > places_processors();
    start_fences = nodes || start_crowded || choice == MEASURE;
    team_collect_of(threads, places_processors(), nodes);
}

void gather_report(void)
{
    char some[40] = "";
    if (!reason || !getenv("HLRC_STATS"))
        return;
    if (between > 0)
        (void)snprintf(some, sizeof some, " and %" PRIu64 " on some", between);
    fprintf(stderr,
            "hlrc: %" PRIu64 " parallel regions ran on node 0, %" PRIu64 " on all nodes%s: %s\n",
            gathered, spread, some, reason);
}

/* ---- guests ---- */

static void *gather_guest_body(void *arg)
{
    struct gather_guest *g = arg;
    uint32_t seen = 0, now;
    places_bind(g->lane.index);
    tls_hold();
    atomic_store(&g->ready, 1);
    futex_wake(&g->ready, 1);
    for (;;) {
        while ((now = atomic_load(&gate)) == seen)
            futex_wait(&gate, seen, -1);
        if (now & GATE_END)
            return NULL;
        seen = now;
        if (g - guests >= now % GATE_GUESTS)
            continue;
        tls_take();
        body(&g->lane);
    }
}

static void gather_start_guests(int needed)
{
    if (!guests && !(guests = calloc((size_t)most, sizeof *guests)))
        start_fail("OpenMP: no memory for %d threads", most);
    for (; count < needed; count++) {
        struct gather_guest *g = &guests[count];
        int index = (hlrc_node_id() + 1) * start_lanes + count;
        int rc = lane_start(&g->lane, index, start_image.tls_room, gather_guest_body, g);
        if (rc)
            start_thread_fail(index, rc);
        while (atomic_load(&g->ready) == 0)
            futex_wait(&g->ready, 0, -1);
    }
}

static void gather_open(uint32_t passes)
{
    uint32_t openings = atomic_load(&gate) / GATE_OPENED + 1;
    atomic_store(&gate, openings * GATE_OPENED + passes);
    futex_wake(&gate, count);
}

void gather_enter(int span, gather_body *run)
{
    int node = hlrc_node_id(), nodes = hlrc_node_count(), needed = 0;
    if (node % span == 0)
        needed = ((node + span < nodes ? span : nodes - node) - 1) * start_lanes;
    start_span = span;
    gather_run_here(start_lanes + needed, span < nodes);
    if (needed == 0)
        return;
    body = run;
    gather_start_guests(needed);
    gather_open((uint32_t)needed);
}

void gather_leave(void)
{
    start_span = 1;
    gather_run_here(start_lanes, true);
}

bool gather_is_guest(void)
{
    return lane_current->index / start_lanes != hlrc_node_id();
}

void gather_come_back(int span)
{
    if (!gather_is_guest() && hlrc_node_id() % span != 0)
        tls_take();
}

void gather_end(void)
{
    if (count == 0)
        return;
    gather_open(GATE_END);
    for (int i = 0; i < count; i++)
        pthread_join(guests[i].lane.thread, NULL);
}
