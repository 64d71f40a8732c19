/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * diffs_write.c - diffs by remote writes into the home's page (--diffs write).
 *
 * Each run of changed bytes is written to its address in the home's copy, followed by the version.
 * The home's CPU takes no part.
 *
 * A diff is encoded in a slot of the staging ring, which the adapter reads from. So as many pages
 * as there are slots are under way at once, to any homes.
 *
 * Invariants (in brackets the rules of doc/design.md)
 *   [diffs-write.visible] (2, 4) `send` returns when all diffs are in the homes' memory, and the
 *       versions after the runs [fabric.write-order]. So a page that a notice or a vector time
 *       covers has its diff: no thread waits for one, and no home has to be woken.
 *       - A slot is used again when the writes from it are complete.
 *   [diffs-write.home-twin] The home's twin does not get the diff. So a comparison at the home also
 *       finds the writes of other nodes (page_flush.c), and the page is then announced once more
 *       than necessary.
 *
 * A home does not see the diffs, so the writer notifies it of their cost: page_move.h.
 */
#include <stdatomic.h>
#include <string.h>

#include "hlrc/core/engine.h"
#include "hlrc/memory/diff.h"
#include "hlrc/memory/page_move.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/bulk.h"

static_assert(DIFF_MAX <= BULK_SLOT_BYTES, "a slot of the staging ring holds a diff");

/* Used only by flushes, which are serialised [interval.covers-dirty]. */
static struct fabric_op writing[STAGING_LEAST]; /* writes from this slot */
static uint32_t slot;                           /* the next to use */
static uint32_t used;                           /* slots before it, since the last `send` */
static uint64_t version;                        /* of the interval that is being flushed */

static int diffs_write_init(void)
{
    memset(writing, 0, sizeof writing);
    slot = used = 0;
    return 0;
}

static void *diffs_write_slot_mem(uint32_t k)
{
    return engine_control_at(engine.at.staging + (size_t)k * BULK_SLOT_BYTES);
}

static void *diffs_write_room(int home, uint64_t interval, bool urgent)
{
    (void)home, (void)urgent;
    version = interval;
    fabric_wait(engine.fabric, &writing[slot]); /* [diffs-write.visible] */
    return diffs_write_slot_mem(slot);
}

static void diffs_write_add(int home, uint32_t page, size_t bytes)
{
    struct fabric_run run[DIFF_RUNS_MOST];
    struct fabric_op *op = &writing[slot];
    const void *from = NULL;
    uint32_t runs = diff_list(diffs_write_slot_mem(slot), bytes, run, &from);
    fabric_write_runs(engine.fabric, home, engine.space.id, (size_t)page << PAGE_SHIFT, run, runs,
                      from, op);
    PROBE(diff_written);
    fabric_write(engine.fabric, home, engine.control.id, engine_applied_at(page, engine.node),
                 &version, sizeof version, op); /* [diffs-write.visible] */
    page_move_tell(home, page, (uint32_t)bytes);
    slot = (slot + 1) % STAGING_LEAST;
    if (used < STAGING_LEAST)
        used++;
}

/* [diffs-write.visible] */
static void diffs_write_send(bool urgent)
{
    (void)urgent;
    for (; used > 0; used--)
        fabric_wait(engine.fabric, &writing[(slot + STAGING_LEAST - used) % STAGING_LEAST]);
}

/* [diffs-write.visible]: no home has to be woken. */
static void diffs_write_nothing(void)
{
}

const struct parts_diff diffs_by_write = {
    .init = diffs_write_init,
    .room = diffs_write_room,
    .add = diffs_write_add,
    .send = diffs_write_send,
    .hand_on = diffs_write_nothing,
    .met = diffs_write_nothing,
};
