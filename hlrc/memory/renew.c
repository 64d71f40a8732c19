/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* renew.c - see renew.h for the invariants. */
#include "hlrc/memory/renew.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/perturb.h"
#include "base/reserve.h"
#include "hlrc/core/engine.h"
#include "hlrc/memory/copies.h"
#include "hlrc/memory/page_fetch.h"
#include "hlrc/memory/page_view.h"
#include "hlrc/probe/recorder.h"
#include "hlrc/progress/stats.h"
#include "hlrc/progress/thread.h"

#define USED_OFTEN  2                /* probes in a row before the first update */
#define PATIENCE_NS INT64_C(1000000) /* RN4 */
#define UNDER_WAY   32u              /* pages in flight before the first of them is waited for */

#define OCCASIONS 64u /* remembered */
#define EXPECTED  16u /* pages of each */

/* State of the acquire in progress, of which there is one at a time (interval.h I5). */
static uint32_t *list;
static uint32_t count;
static uint8_t acquire;
static uint32_t expected;   /* the first pages of the list, expected (RN5), */
static bool told[EXPECTED]; /* and whether a notice has named each since */

/* RN5: what acquires of one occasion have updated. */
static struct habit {
    uint32_t occasion, pages;
    uint32_t page[EXPECTED];
    bool in_vain[EXPECTED]; /* no notice, the last time */
} habits[OCCASIONS], *habit;

static size_t list_bytes(void)
{
    return (size_t)engine.pages * sizeof *list;
}

int renew_init(void)
{
    count = expected = 0;
    memset(habits, 0, sizeof habits);
    habit = NULL;
    list = reserve(list_bytes());
    return list ? 0 : -ENOMEM;
}

void renew_end(void)
{
    reserve_end(list, list_bytes());
    list = NULL;
}

/* How many updates cost as much as the fault and the two changes of protection that one saves:
 * more where a page is read like local memory. */
static uint8_t budget_first(void)
{
    bool memory = (engine.protocol.pages->caps & FABRIC_READ) && engine.fabric->round_trip_ns == 0;
    return memory ? 4 : 2;
}

static unsigned at_most(unsigned budget)
{
    unsigned most = (unsigned)engine.config.renew;
    return budget < most ? budget : most;
}

/* The result of a probe: whether the closed copy was used. */
static void judge(struct renewal *r, bool used)
{
    if (!used)
        r->budget = r->used = 0;
    else if (r->used < USED_OFTEN && ++r->used == USED_OFTEN)
        r->budget = (uint8_t)at_most(budget_first());
    else
        r->budget = (uint8_t)at_most(r->budget * 2u);
    r->left = r->budget;
    r->probing = false;
}

/* A probed copy is revoked again. */
static void look(struct renewal *r, bool used)
{
    if (used)
        judge(r, true);
    else if (r->acquire != acquire && ++r->missed == budget_first())
        judge(r, false);
    r->acquire = acquire;
}

/* The copy is closed, to detect whether it is used. */
static void probe(struct renewal *r)
{
    r->probing = true;
    r->missed = 0;
    r->acquire = acquire;
}

static bool movable(uint32_t page, const struct page *p)
{
    return p->held || page_held(page); /* MV1 */
}

/* RN4: a release waits for a fetch in flight to a dirty page. */
static bool may_wait(const struct page *p)
{
    return !(p->flags & PAGE_DIRTY) || (engine.protocol.pages->caps & FABRIC_READ);
}

/* RN5 */
static void note_told(uint32_t page, struct renewal *r)
{
    for (uint32_t i = 0; i < expected; i++)
        if (list[i] == page && !told[i]) {
            told[i] = true;
            r->left--;
        }
}

/* ASSUMPTION: locked, and not pending. */
static bool worth_it(uint32_t page, const struct page *p)
{
    return p->access != ACCESS_NONE && p->renewal.left > 0 && !movable(page, p) && may_wait(p) &&
           count < engine.pages && !copies_over(); /* CP4 */
}

/* RN1 */
bool renew_instead(uint32_t page, struct page *p)
{
    struct renewal *r = &p->renewal;
    bool stale = p->flags & PAGE_STALE;
    if (r->pending) {
        note_told(page, r);
        return true;
    }
    if (p->home == 0 || page_is_home(p, engine.node))
        return false;
    if (r->probing)
        look(r, !stale && p->access != ACCESS_NONE);
    if (stale)
        return false;
    if (worth_it(page, p)) {
        r->left--;
        r->pending = true;
        list[count++] = page;
        return true;
    }
    probe(r);
    return false;
}

/* RN5 */
static void expect_page(uint32_t page)
{
    struct page *p = page_lock(page);
    bool begin = p->home != 0 && !page_is_home(p, engine.node) && !p->renewal.pending &&
                 !(p->flags & (PAGE_STALE | PAGE_BUSY)) && worth_it(page, p);
    if (begin) {
        p->flags |= PAGE_STALE;
        p->renewal.pending = true;
        told[expected++] = false;
        list[count++] = page;
    }
    page_unlock(p);
    if (begin)
        (void)page_prefetch_start(page, true);
}

/* RN5 */
void renew_expected(uint32_t occasion)
{
    if (!engine.protocol.notices->read || !(engine.protocol.pages->caps & FABRIC_READ))
        return;
    habit = &habits[occasion % OCCASIONS];
    if (habit->occasion != occasion)
        *habit = (struct habit){ .occasion = occasion };
    for (uint32_t i = 0; i < habit->pages; i++)
        expect_page(habit->page[i]);
    perturb(renew_expecting);
}

/* RN5: learns from a page of the list that was updated, or that no notice named. */
static void learn_habit(uint32_t page, bool in_vain)
{
    uint32_t i = 0;
    while (i < habit->pages && habit->page[i] != page)
        i++;
    if (i < habit->pages && in_vain && habit->in_vain[i]) {
        habit->pages--;
        habit->page[i] = habit->page[habit->pages];
        habit->in_vain[i] = habit->in_vain[habit->pages];
    } else if (i < EXPECTED && (i < habit->pages || !in_vain)) {
        habit->pages = i < habit->pages ? habit->pages : i + 1;
        habit->page[i] = page;
        habit->in_vain[i] = in_vain;
    }
}

/* RN1: closes the page if it was not updated; false if the kernel has no room for that. */
static bool settle(uint32_t page)
{
    struct page *p = page_lock(page);
    bool close = (p->flags & PAGE_STALE) && p->access != ACCESS_NONE;
    bool done = !close || view_change(page, 1, ACCESS_NONE) == 0;
    if (done && p->renewal.pending)
        probe(&p->renewal); /* it was not updated */
    if (done && close)
        page_clean(p, page);
    else if (!close)
        record_pages(RECORD_RENEWED, page, 0, 0, 0);
    p->renewal.pending = p->renewal.pending && !done;
    page_unlock(p);
    if (!done)
        view_mend(page, 1);
    return done;
}

/* RN1. RN4: `late`: another update was late. */
static void renew(uint32_t page, bool *late)
{
    if (!*late)
        (void)page_prefetch_start(page, false);
    if (!page_prefetch_end(page, *late ? 0 : clock_ns() + PATIENCE_NS))
        *late = true;
    while (!settle(page))
        ;
}

/* Whether a page is read only after its versions have arrived. */
static bool in_halves(void)
{
    return (engine.protocol.pages->caps & FABRIC_READ) &&
           !(engine.fabric->caps & FABRIC_READ_ORDERED);
}

static void renew_listed(void)
{
    struct thread *t = thread_self();
    enum stats_category before = stats_enter(t, STATS_PAGE);
    bool late = false;
    perturb(renew_pending);
    page_prefetch_reclaim(UNDER_WAY < engine.prefetches ? UNDER_WAY : engine.prefetches / 2);
    for (uint32_t i = 0, started = 0; i < count; i++) {
        for (; !late && started < count && started < i + UNDER_WAY; started++)
            (void)page_prefetch_start(list[started], false);
        renew(list[i], &late);
        if (!late && in_halves())
            page_prefetch_advance(list + i + 1, started - i - 1);
    }
    stats_enter(t, before);
}

/* RN1 */
void renew_all(void)
{
    if (count)
        renew_listed();
    for (uint32_t i = 0; i < count && habit; i++)
        learn_habit(list[i], i < expected && !told[i]);
    habit = NULL;
    count = expected = 0;
    acquire++;
}
