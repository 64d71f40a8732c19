/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ahead.c - readahead after a fault; see ahead.h for the invariants. */
#include "hlrc/memory/ahead.h"

#include <stddef.h>

#include "hlrc/core/engine.h"
#include "hlrc/memory/copies.h"
#include "hlrc/memory/page.h"
#include "hlrc/memory/page_claim.h"
#include "hlrc/memory/past.h"
#include "hlrc/memory/space.h"

static _Thread_local struct ahead_streams mine;

static bool adjacent(int32_t stride)
{
    return stride == 1 || stride == -1;
}

/* How many of these steps stay within the space. */
static uint32_t within(uint32_t page, uint32_t steps, int32_t stride)
{
    uint32_t room =
        stride > 0 ? (engine.pages - 1 - page) / (uint32_t)stride : page / (uint32_t)-stride;
    return steps < room ? steps : room;
}

void ahead_fault(uint32_t page, bool write)
{
    int32_t stride;
    uint32_t most = (uint32_t)engine.config.ahead;
    if (most > copies_room() / 4)
        most = copies_room() / 4;
    if (most && page_was_alone(page_at(page)))
        return;
    uint32_t steps = most ? ahead_next(&mine, page, write, most, &stride) : 0;
    if (steps == 0) {
        if (most)
            past_fault(page, write);
        return;
    }
    steps = within(page, steps, stride);
    bool here = write && page_is_home(page_at(page), engine.node); /* AH3 */
    if (adjacent(stride)) {
        bool fresh = here && steps && page_at(page + (uint32_t)stride)->home == 0; /* a guess */
        uint32_t claims = fresh ? ahead_claims(&mine, page, steps) : 0;            /* AH5 */
        steps = claims ? claims : steps;
        uint32_t first = stride > 0 ? page + 1 : page - steps;
        page_claim_ahead(first, claims);
        page_ahead(first, steps, write, here);
        if (claims)
            space_populate(first, claims);
        return;
    }
    past_opened(page, write);
    for (uint32_t k = 1; k <= steps; k++) {
        uint32_t next = (uint32_t)((int64_t)page + (int64_t)k * stride);
        page_ahead(next, 1, write, here);
        past_opened(next, write);
    }
}
