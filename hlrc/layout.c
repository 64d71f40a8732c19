/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* layout.c - layout of the control window, the same on every node; see hlrc/core/engine.h. */
#include "hlrc/layout.h"

#include <hlrc.h>

#include "hlrc/checkpoint/checkpoint_exchange.h"
#include "hlrc/checkpoint/checkpoint_partner.h"
#include "hlrc/memory/notices.h"
#include "hlrc/memory/page_move.h"
#include "hlrc/progress/bulk.h"
#include "hlrc/progress/msg.h"
#include "hlrc/report/deadlock_report.h"
#include "hlrc/report/gather.h"
#include "hlrc/report/timeline_job.h"
#include "hlrc/sync/cond.h"
#include "hlrc/sync/group.h"
#include "hlrc/sync/handles.h"
#include "hlrc/sync/lock.h"
#include "hlrc/sync/order.h"
#include "hlrc/sync/pairs.h"
#include "hlrc/sync/parcel.h"

static size_t layout_place(size_t *end, size_t bytes)
{
    size_t at = *end;
    *end = (at + bytes + PAGE_SIZE - 1) & ~(size_t)(PAGE_SIZE - 1);
    return at;
}

static size_t layout_slot_size(size_t head, int nodes)
{
    return (head + VT_BYTES(nodes) + 63) & ~(size_t)63;
}

static size_t layout_bulk_slot_size(int nodes)
{
    size_t least = layout_slot_size(sizeof(struct bulk), nodes);
    return least > BULK_SLOT_BYTES ? least : BULK_SLOT_BYTES;
}

/* A release composes messages for each home in slots of its own, or writes from all of them. */
static size_t layout_staging_slots(int nodes)
{
    return nodes > STAGING_LEAST ? (size_t)nodes : STAGING_LEAST;
}

static void layout_place_locks(struct engine_layout *at, size_t nodes, uint32_t pages)
{
    size_t records = LOCK_CREATED_FIRST / nodes + 1 + lock_per_node((int)nodes, pages);
    at->lock_record_size = layout_slot_size(sizeof(uint64_t), (int)nodes);
    at->lock_records = layout_place(&at->end, records * at->lock_record_size);
    at->cond_records = layout_place(&at->end, (size_t)CONDS_PER_NODE * COND_RECORD_BYTES);
}

static void layout_place_meeting(struct engine_layout *at, size_t nodes)
{
    size_t fan =
        engine.config.barrier == BARRIER_COUNTER ? nodes : (size_t)engine.config.barrier_fan;
    size_t gatherings = 0;
    for (size_t members = nodes; members > 1; members = (members + fan - 1) / fan)
        gatherings += (members + fan - 1) / fan;
    at->meeting_counters = layout_place(&at->end, gatherings * 2 * 64);
    at->meeting_slots = layout_place(&at->end, gatherings * fan * 2 * at->meeting_slot_size);
    at->meeting_release = layout_place(&at->end, 2 * at->meeting_slot_size);
}

/* A number before and after each. */
static void layout_place_reports(struct engine_layout *at, size_t nodes, uint32_t threads)
{
    at->report_size = (deadlock_report_room(threads) + 2 * sizeof(uint64_t) + 63) & ~(size_t)63;
    at->reports = layout_place(&at->end, nodes * at->report_size);
}

void layout_init(struct engine_layout *at, int nodes, uint32_t pages, uint32_t tokens,
                 uint32_t threads)
{
    size_t n = (size_t)nodes;
    *at =
        (struct engine_layout){ .request_size = layout_slot_size(sizeof(struct request), nodes),
                                .reply_size = layout_slot_size(sizeof(struct request_reply), nodes),
                                .meeting_slot_size = layout_slot_size(PAIRS_HEAD, nodes),
                                .bulk_slot_size = layout_bulk_slot_size(nodes),
                                .bulk_slots = bulk_slots(nodes),
                                .request_threads = threads };
    at->request_row = (tokens - threads) * at->request_size + threads * REQUEST_SMALL;
    at->arrivals = layout_place(&at->end, 8);
    at->told = layout_place(&at->end, n * POLICY_MIGRATE_REPORTS * 8);
    at->requests = layout_place(&at->end, n * at->request_row);
    at->replies = layout_place(&at->end, tokens * at->reply_size);
    at->answers = layout_place(&at->end, (size_t)tokens * 8);
    at->bulk = layout_place(&at->end, n * at->bulk_slots * at->bulk_slot_size);
    at->credits = layout_place(&at->end, n * 64);
    if (engine.config.notices == NOTICES_READ) {
        at->notice_ring = layout_place(&at->end, (size_t)NOTICE_RING * 8);
        at->notice_ends = layout_place(&at->end, 64);
        at->notice_slots = layout_place(&at->end, (size_t)NOTICE_SLOTS * NOTICE_SLOT_BYTES);
    } else {
        at->logs = layout_place(&at->end, n * NOTICE_LOG_BYTES);
        at->log_tails = layout_place(&at->end, n * 64);
        at->log_heads = layout_place(&at->end, n * 64);
    }
    at->bounce = layout_place(&at->end, (size_t)tokens * PAGE_SIZE);
    at->words = layout_place(&at->end, (size_t)ATOMIC_WORDS * 8);
    at->handles = layout_place(&at->end, HANDLES_KINDS * 8);
    at->mutexes = layout_place(&at->end, (size_t)HLRC_MUTEXES * 8);
    at->block_locks = layout_place(&at->end, (size_t)BLOCK_LOCKS * 8);
    at->order = layout_place(&at->end, order_bytes(nodes));
    at->staging = layout_place(&at->end, layout_staging_slots(nodes) * BULK_SLOT_BYTES);
    at->stream = layout_place(&at->end, (size_t)STREAM_SLOTS * STREAM_PIECE);
    at->stream_told = layout_place(&at->end, n * 64);
    at->stream_taken = layout_place(&at->end, n * 64);
    at->parcels = layout_place(&at->end, n * 2 * parcel_bytes(nodes));
    at->checkpoint = layout_place(&at->end, checkpoint_exchange_room(nodes));
    at->checkpoint_pieces = layout_place(&at->end, checkpoint_partner_bytes());
    if (engine.config.trace[0])
        at->clocks = layout_place(&at->end, (n + 1) * TIMELINE_CLOCK_BYTES);
    if (engine.config.trace[0] || config_profiles(&engine.config) || engine.config.trace_sim[0])
        at->pieces = layout_place(&at->end, GATHER_BYTES);
    if (engine.config.barrier == BARRIER_COUNTER || engine.config.barrier == BARRIER_TREE)
        layout_place_meeting(at, n);
    if (engine.config.barrier == BARRIER_PAIRS)
        at->meeting_slots = layout_place(&at->end, pairs_slots(nodes) * at->meeting_slot_size);
    at->tables = at->end;
    at->home = layout_place(&at->end, (size_t)pages * 8);
    at->applied = layout_place(&at->end, (size_t)pages * n * 8);
    at->has_readers = layout_place(&at->end, (size_t)pages * 4);
    at->placed = layout_place(&at->end, (size_t)pages * 4);
    if (engine.config.notices == NOTICES_READ) {
        at->notice_pages = layout_place(&at->end, (size_t)pages * 8);
        at->notice_blocks =
            layout_place(&at->end, ((size_t)pages + NOTICE_BLOCK - 1) / NOTICE_BLOCK * 8);
    }
    at->moves = layout_place(&at->end, n * MOVES_BYTES);
    at->invitations = layout_place(&at->end, n * group_invitation_place(nodes));
    at->answers_of_members = layout_place(&at->end, n * 64);
    at->group_slots =
        layout_place(&at->end, n * HLRC_MAX_GROUPS * pairs_slots(nodes) * at->meeting_slot_size);
    at->group_data = layout_place(&at->end, n * HLRC_MAX_GROUPS * GROUP_DATA_ROOM);
    if (engine.judges)
        layout_place_reports(at, n, threads);
    /* mutexes have no vector time */
    at->lock_node_size = engine.config.locks == LOCKS_MCS ? layout_slot_size(16, nodes) : 64;
    at->lock_nodes = layout_place(&at->end, LOCK_QUEUE_NODES * at->lock_node_size);
    if (engine.config.locks == LOCKS_MCS)
        layout_place_locks(at, n, pages);
}
