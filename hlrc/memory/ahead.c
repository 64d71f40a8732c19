/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ahead.c - readahead after a fault; see ahead.h for the invariants. */
#include "hlrc/memory/ahead.h"

#include <stdatomic.h>
#include <stddef.h>

#include "hlrc/core/engine.h"
#include "hlrc/memory/copies.h"
#include "hlrc/memory/exclusive.h"
#include "hlrc/memory/page.h"
#include "hlrc/memory/page_claim.h"
#include "hlrc/memory/past.h"
#include "hlrc/memory/space.h"
#include "hlrc/policy/policy_readahead.h"

static _Thread_local struct streams_table mine;
static bool ahead_is_home(uint32_t page)
{
    return page_is_home(page_at(page), engine.node);
}

/* [readahead.first-blocks]. A guess: without the page's lock. */
static bool ahead_is_first_write(uint32_t page)
{
    return ahead_is_home(page) && atomic_load(engine_applied_here(page, engine.node)) == 0;
}

static void ahead_claim_block(uint32_t page)
{
    struct policy_readahead_run run = policy_readahead_block(page, engine.pages, ahead_is_home);
    page_claim_ahead(run.first, run.claims);
    page_ahead(run.first, run.count, true, true);
    if (run.count > AHEAD_BLOCK)
        space_populate(run.first, run.count);
}

void ahead_fault(uint32_t page, bool write)
{
    int32_t stride;
    uint32_t most = (uint32_t)engine.config.ahead;
    if (most > copies_room() / 4)
        most = copies_room() / 4;
    if (most && page_was_alone(page_at(page)))
        return;
    if (most && write && exclusive_only_node() && ahead_is_first_write(page)) {
        ahead_claim_block(page);
        return;
    }
    uint32_t steps = most ? streams_ahead_next(&mine, page, write, most, &stride) : 0;
    if (steps == 0) {
        if (most)
            past_fault(page, write);
        return;
    }
    steps = policy_readahead_within(engine.pages, page, steps, stride);
    bool here = write && page_is_home(page_at(page), engine.node);
    if (policy_readahead_adjacent(stride)) {
        bool fresh =
            /* a guess: [readahead.dense-claims] */
            here && steps && page_at(page + (uint32_t)stride)->home == 0;
        struct policy_readahead_run run = policy_readahead_run(&mine, page, steps, stride, fresh);
        page_claim_ahead(run.first, run.claims);
        page_ahead(run.first, run.count, write, here);
        if (run.claims)
            space_populate(run.first, run.claims);
        return;
    }
    past_opened(page, write);
    for (uint32_t k = 1; k <= steps; k++) {
        uint32_t next = (uint32_t)((int64_t)page + (int64_t)k * stride);
        page_ahead(next, 1, write, here);
        past_opened(next, write);
    }
}
