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

/* By page, for loads and for stores: the last turn modulo 255, plus 1, 0 being never; and in the
 * upper byte the one before. A racing read only opens pages without use. */
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

static uint8_t turn_now(void)
{
    return (uint8_t)(atomic_load_explicit(&turn, memory_order_relaxed) % 255 + 1);
}

static uint16_t turns_of(uint32_t page, bool write)
{
    return atomic_load_explicit(&turns[write][page], memory_order_relaxed);
}

static void set_turn(uint32_t page, bool write, uint8_t now)
{
    uint16_t were = turns_of(page, write);
    if ((uint8_t)were != now)
        atomic_store_explicit(&turns[write][page], (uint16_t)(were << 8 | now),
                              memory_order_relaxed);
}

/* PG2 */
static bool is_left_out(uint32_t page, uint8_t now)
{
    return ((page ^ (uint32_t)now << 16) * 2654435761u >> 16) % PAST_LEFT_OUT == 0;
}

void past_opened(uint32_t page, bool write)
{
    set_turn(page, write, turn_now());
}

/* For stores only pages that are complete here: others are loaded first, or fault. */
static void open_them(uint32_t first, uint32_t count, bool write)
{
    if (write)
        page_ahead_here(first, count);
    else
        page_ahead(first, count, false, false);
}

static bool is_open(uint32_t page, bool write)
{
    enum page_access_right access = page_at(page)->access; /* unlocked: a hint */
    return write ? access == ACCESS_WRITE : access != ACCESS_NONE;
}

/* Opens the pages of [first, beyond) that had these turns. Pages that cannot be opened yet keep
 * them, for the next fault. */
static void open_group(uint32_t first, uint32_t beyond, bool write, uint16_t were, uint8_t now)
{
    for (uint32_t p = first; p < beyond;) {
        uint32_t n = 0;
        while (p + n < beyond && turns_of(p + n, write) == were && !is_left_out(p + n, now))
            n++;
        if (n)
            open_them(p, n, write);
        for (uint32_t q = p; q < p + n; q++)
            if (!write || is_open(q, write))
                set_turn(q, write, now);
        p += n ? n : 1;
    }
}

void past_fault(uint32_t page, bool write)
{
    uint8_t now = turn_now();
    uint16_t were = turns_of(page, write);
    uint32_t first = page - page % PAST_BLOCK, beyond = first + PAST_BLOCK;
    set_turn(page, write, now);
    if (were >> 8 == 0 || (uint8_t)were == now || copies_room() / 4 < PAST_BLOCK)
        return;
    open_group(first, beyond < engine.pages ? beyond : engine.pages, write, were, now);
}
