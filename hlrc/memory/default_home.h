/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* default_home.h - the default home of a page, where its home word is. */
#ifndef HLRC_DEFAULT_HOME_H
#define HLRC_DEFAULT_HOME_H

#include <stdint.h>

#include "hlrc/core/engine.h"
#include "hlrc/policy/policy_placement.h"

static inline struct policy_placement default_home_placement(void)
{
    return (struct policy_placement){ .heap_pages = engine_heap_pages(),
                                      .near = engine.home_near,
                                      .near_pages = HOME_NEAR,
                                      .near_shift = engine.home_shift,
                                      .far_shift = engine.far_shift,
                                      .range_shift = engine.range_shift };
}

static inline uint32_t default_home_block_shift(uint32_t page)
{
    return policy_placement_shift(default_home_placement(), page);
}

static inline int default_home_of(uint32_t page)
{
    return (int)policy_placement_home(default_home_placement(), page, (uint32_t)engine.nodes);
}

#endif
