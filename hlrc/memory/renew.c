/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* renew.c - see renew.h for the invariants. */
#include "hlrc/memory/renew.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/reserve.h"
#include "hlrc/core/engine.h"
#include "hlrc/memory/copies.h"
#include "hlrc/memory/page_fetch.h"
#include "hlrc/memory/page_view.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/thread.h"

/* State of the acquire in progress, of which there is one at a time [interval.pages-first]. */
static uint32_t *list;
static uint32_t count;
static uint8_t acquire;
static uint32_t expected; /* the first pages of the list, expected, */
/* and whether a notice has named each since */
static bool named[POLICY_UPDATE_EXPECTED];

static struct policy_update_habit habits[POLICY_UPDATE_OCCASIONS], *habit;

static size_t renew_list_bytes(void)
{
    return (size_t)engine.pages * sizeof *list;
}

int renew_init(void)
{
    count = expected = 0;
    memset(habits, 0, sizeof habits);
    habit = NULL;
    list = reserve(renew_list_bytes());
    return list ? 0 : -ENOMEM;
}

void renew_end(void)
{
    reserve_end(list, renew_list_bytes());
    list = NULL;
}

static struct policy_update_limits renew_limits(void)
{
    bool memory = (engine.protocol.pages->caps & FABRIC_READ) && engine.fabric->round_trip_ns == 0;
    return (struct policy_update_limits){ policy_update_first(memory),
                                          (uint8_t)engine.config.renew };
}

static bool renew_movable(uint32_t page, const struct page *p)
{
    return p->held || page_held(page); /* [home-migration.held] */
}

/* ASSUMPTION: locked. */
static bool renew_allowed(uint32_t page, const struct page *p)
{
    bool reads = engine.protocol.pages->caps & FABRIC_READ;
    return !renew_movable(page, p) && policy_update_may_wait(p->flags & PAGE_DIRTY, reads) &&
           count < engine.pages && !copies_over();
}

/* [update.pending] */
bool renew_instead(uint32_t page, struct page *p)
{
    struct policy_update *r = &p->renewal;
    bool stale = p->flags & PAGE_STALE, open = p->access != ACCESS_NONE;
    if (r->pending) {
        policy_update_named(r, list, named, expected, page);
        return true;
    }
    if (p->home == 0 || page_is_home(p, engine.node) ||
        !policy_update_revoke(r, renew_limits(), acquire, stale, open,
                              !stale && renew_allowed(page, p)))
        return false;
    list[count++] = page;
    return true;
}

static void renew_expect_page(uint32_t page)
{
    struct page *p = page_lock(page);
    bool begin = p->home != 0 && !page_is_home(p, engine.node) && !p->renewal.pending &&
                 !(p->flags & (PAGE_STALE | PAGE_BUSY)) &&
                 policy_update_worth(&p->renewal, p->access != ACCESS_NONE) &&
                 renew_allowed(page, p);
    if (begin) {
        p->flags |= PAGE_STALE;
        p->renewal.pending = true;
        named[expected++] = false;
        list[count++] = page;
    }
    page_unlock(p);
    if (begin)
        (void)page_prefetch_start(page, true);
}

void renew_expected(uint32_t occasion)
{
    if (!engine.protocol.notices->read || !(engine.protocol.pages->caps & FABRIC_READ))
        return;
    habit = policy_update_recall(habits, occasion);
    for (uint32_t i = 0; i < habit->pages; i++)
        renew_expect_page(habit->page[i]);
    PROBE(renew_expecting);
}

/* [update.pending]: closes the page if it was not updated; false if the kernel has no room for
 * that. */
static bool renew_settle(uint32_t page)
{
    struct page *p = page_lock(page);
    bool close = (p->flags & PAGE_STALE) && p->access != ACCESS_NONE;
    bool done = !close || page_view_change(page, 1, ACCESS_NONE) == 0;
    if (done && p->renewal.pending)
        policy_update_probe(&p->renewal, acquire); /* it was not updated */
    if (done && close)
        page_clean(p, page);
    else if (!close)
        PROBE(page_kept_open, page);
    p->renewal.pending = p->renewal.pending && !done;
    page_unlock(p);
    if (!done)
        page_view_mend(page, 1);
    return done;
}

/* [update.pending]. `late`: another update was late. */
static void renew(uint32_t page, bool *late)
{
    if (!*late)
        (void)page_prefetch_start(page, false);
    if (!page_prefetch_end(page, *late ? 0 : clock_ns() + POLICY_UPDATE_WAIT_NS))
        *late = true;
    while (!renew_settle(page))
        ;
}

/* Whether a page is read only after its versions have arrived. */
static bool renew_in_halves(void)
{
    return (engine.protocol.pages->caps & FABRIC_READ) &&
           !(engine.fabric->caps & FABRIC_READ_ORDERED);
}

static void renew_listed(void)
{
    struct probe_span span = PROBE_BEGIN(page_wait);
    bool late = false;
    PROBE(renew_pending);
    page_prefetch_reclaim(POLICY_UPDATE_IN_FLIGHT < engine.prefetches ? POLICY_UPDATE_IN_FLIGHT
                                                                      : engine.prefetches / 2);
    for (uint32_t i = 0, started = 0; i < count; i++) {
        for (; !late && started < count && started < i + POLICY_UPDATE_IN_FLIGHT; started++)
            (void)page_prefetch_start(list[started], false);
        renew(list[i], &late);
        if (!late && renew_in_halves())
            page_prefetch_advance(list + i + 1, started - i - 1);
    }
    PROBE_END(page_wait, span);
}

/* [update.pending] */
void renew_all(void)
{
    if (count)
        renew_listed();
    for (uint32_t i = 0; i < count && habit; i++)
        policy_update_learn(habit, list[i], i < expected && !named[i]);
    habit = NULL;
    count = expected = 0;
    acquire++;
}
