/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* policy_history.c - see policy_history.h. */
#include "hlrc/policy/policy_history.h"

static bool policy_history_left_out(uint32_t page, uint8_t now)
{
    return ((page ^ (uint32_t)now << 16) * 2654435761u >> 16) % POLICY_HISTORY_LEFT_OUT == 0;
}

uint64_t policy_history_group(const uint16_t *turns, uint32_t first, uint32_t count, uint16_t were,
                              uint8_t now)
{
    uint64_t group = 0;
    for (uint32_t i = 0; i < count; i++)
        if (turns[i] == were && !policy_history_left_out(first + i, now))
            group |= UINT64_C(1) << i;
    return group;
}

uint32_t policy_history_run(uint64_t *group, uint32_t *at)
{
    if (*group == 0)
        return 0;
    *at = (uint32_t)__builtin_ctzll(*group);
    uint64_t rest = ~(*group >> *at);
    uint32_t count = rest == 0 ? POLICY_HISTORY_BLOCK : (uint32_t)__builtin_ctzll(rest);
    *group &= ~((count == POLICY_HISTORY_BLOCK ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1) << *at);
    return count;
}
