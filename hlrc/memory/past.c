/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* past.c - see past.h for the invariants. */
#include "hlrc/memory/past.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

#include "base/reserve.h"
#include "hlrc/core/engine.h"
#include "hlrc/memory/copies.h"
#include "hlrc/memory/page.h"
#include "hlrc/policy/policy_history.h"

/* By page, for loads and for stores. A racing read only opens pages without use. */
static _Atomic uint16_t *turns[2];
static _Atomic uint32_t turn;

#define TABLE_BYTES ((size_t)engine.pages * sizeof *turns[0])

int past_init(void)
{
    for (int k = 0; k < 2; k++)
        if (!(turns[k] = reserve(TABLE_BYTES)))
            return -ENOMEM;
    return 0;
}

void past_end(void)
{
    for (int k = 0; k < 2; k++) {
        reserve_end((void *)turns[k], TABLE_BYTES);
        turns[k] = NULL;
    }
}

void past_turn(void)
{
    atomic_fetch_add_explicit(&turn, 1, memory_order_relaxed);
}

static uint8_t past_turn_now(void)
{
    return policy_history_turn(atomic_load_explicit(&turn, memory_order_relaxed));
}

static uint16_t past_turns_of(uint32_t page, bool write)
{
    return atomic_load_explicit(&turns[write][page], memory_order_relaxed);
}

static void past_set_turn(uint32_t page, bool write, uint8_t now)
{
    uint16_t were = past_turns_of(page, write), are = policy_history_opened(were, now);
    if (are != were)
        atomic_store_explicit(&turns[write][page], are, memory_order_relaxed);
}

void past_opened(uint32_t page, bool write)
{
    past_set_turn(page, write, past_turn_now());
}

/* For stores only pages that are complete here: others are loaded first, or fault. */
static void past_open_them(uint32_t first, uint32_t count, bool write)
{
    if (write)
        page_ahead_here(first, count);
    else
        page_ahead(first, count, false, false);
}

static bool past_is_open(uint32_t page, bool write)
{
    enum protocol_access access = page_at(page)->access; /* unlocked: a hint */
    return write ? access == ACCESS_WRITE : access != ACCESS_NONE;
}

/* Opens those of `count` pages that had these turns. Pages that cannot be opened yet keep them, for
 * the next fault. */
static void past_open_group(uint32_t first, uint32_t count, bool write, uint16_t were, uint8_t now)
{
    uint16_t all[POLICY_HISTORY_BLOCK];
    for (uint32_t i = 0; i < count; i++)
        all[i] = past_turns_of(first + i, write);
    uint64_t group = policy_history_group(all, first, count, were, now);
    for (uint32_t at, n; (n = policy_history_run(&group, &at)) > 0;) {
        past_open_them(first + at, n, write);
        for (uint32_t p = first + at; p < first + at + n; p++)
            if (!write || past_is_open(p, write))
                past_set_turn(p, write, now);
    }
}

void past_fault(uint32_t page, bool write)
{
    uint8_t now = past_turn_now();
    uint16_t were = past_turns_of(page, write);
    uint32_t first = page - page % POLICY_HISTORY_BLOCK, left = engine.pages - first;
    past_set_turn(page, write, now);
    if (policy_history_opens(were, now) && copies_room() / 4 >= POLICY_HISTORY_BLOCK)
        past_open_group(first, left < POLICY_HISTORY_BLOCK ? left : POLICY_HISTORY_BLOCK, write,
                        were, now);
}
