/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * barrier_pairs.c - barriers by remote writes alone, from pair to pair (--barrier pe); pairs.h says
 * how the nodes meet, barrier.h what holds.
 *
 * A round is sent by the node that has merged the one before, and that is done by its thread: when
 * it arrives, as far as the others are, and the rest when it departs. So here a node that is busy
 * or asleep between arriving and departing may delay others until it departs (R3 promises otherwise
 * of the other ways), and it must not wait there for what another node does behind the barrier. Two
 * nodes meet in one round, which is sent by who arrives, so R3 holds; --barrier gb of two is this.
 */
#include <string.h>

#include "base/perturb.h"
#include "hlrc/progress/reporter.h"
#include "hlrc/sync/pairs.h"

static struct pairs all; /* one thread speaks for the node */

/* Of the next meeting too: whoever waits for a round asks how far this node has come. */
static void report_all(struct report_draft *d)
{
    pairs_report(d, MEETING_OF_ALL, &all);
}

static int pairs_init(void)
{
    reporter_add(report_all);
    all = (struct pairs){ .count = engine.nodes,
                          .self = engine.node,
                          .slots = engine.at.meeting_slots };
    return 0;
}

static void pairs_arrive(uint64_t epoch, const uint64_t *vt, enum arrival kind, enum meeting call)
{
    debug_assert(epoch == all.epoch);
    (void)epoch;
    perturb(barrier_arriving);
    pairs_begin(&all, vt, kind, call);
    (void)pairs_go_on(&all);
}

static bool pairs_await(uint64_t *vt)
{
    pairs_end(&all, WAITS_BARRIER, all.epoch);
    memcpy(vt, all.vt, VT_BYTES(engine.nodes));
    return all.kind == ARRIVAL_MOVES; /* R5: none was plain */
}

const struct barrier_protocol barrier_by_pairs = {
    .name = "pairs",
    .caps = 0,
    .init = pairs_init,
    .arrive = pairs_arrive,
    .await = pairs_await,
};
