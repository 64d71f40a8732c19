/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * barrier_pairs.c - barriers by pairwise remote writes only (--barrier pairs); see pairs.h for the
 * algorithm, barrier.h for the invariants.
 *
 * A node sends a round after it has merged the previous one. Its own thread does that: when it
 * arrives, as far as the others allow, and the rest when it departs. So here a node that is busy or
 * asleep between arriving and departing may delay others until it departs, unlike the other
 * barriers. Between the two it must not wait for anything that another node does after the barrier.
 * Two nodes need one round, which is sent on arrival, so it wakes no node that has not arrived;
 * --barrier tree of two is this.
 */
#include <string.h>

#include "hlrc/probe/probe.h"
#include "hlrc/report/deadlock_collect.h"
#include "hlrc/sync/pairs.h"

static struct pairs all; /* one thread acts for the node */

/* Also of the next barrier: a node that waits for a round needs to know this node's progress. */
static void barrier_pairs_report_all(struct report_draft *d)
{
    pairs_report(d, MEETING_OF_ALL, &all);
}

static int barrier_pairs_init(void)
{
    deadlock_collect_reporter_add(barrier_pairs_report_all);
    all = (struct pairs){ .count = engine.nodes,
                          .self = engine.node,
                          .slots = engine.at.meeting_slots };
    return 0;
}

static void barrier_pairs_arrive(uint64_t epoch, const uint64_t *vt, enum parts_arrival kind,
                                 enum meeting call)
{
    debug_assert(epoch == all.epoch);
    (void)epoch;
    PROBE(barrier_arriving);
    pairs_begin(&all, vt, kind, call);
    (void)pairs_go_on(&all);
}

static bool barrier_pairs_await(uint64_t *vt)
{
    pairs_end(&all, WAITS_BARRIER, all.epoch);
    memcpy(vt, all.vt, VT_BYTES(engine.nodes));
    return all.kind == ARRIVAL_MOVES; /* none was plain */
}

static bool barrier_pairs_over(void)
{
    return pairs_go_on(&all);
}

const struct parts_barrier barrier_by_pairs = {
    .init = barrier_pairs_init,
    .arrive = barrier_pairs_arrive,
    .await = barrier_pairs_await,
    .over = barrier_pairs_over,
};
