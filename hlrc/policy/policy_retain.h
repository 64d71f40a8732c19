/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * policy_retain.h - retained-writable pages: whether a flush write-protects a page, and whether a
 * load opens it for stores at once.
 *
 * Each page has a budget of flushes in a row that may find it unchanged while it is retained. It is
 * 1 after the first flush that found the page changed; each further one doubles it, up to
 * --hot-pages. Used up, the page is write-protected, and has half the budget the next time.
 * Mechanism and rules: hlrc/memory/page_flush.c, [page.retained-twin], ahead.h.
 *
 * Source: rent or buy (Karlin, Manasse, Rudolph and Sleator, Competitive Snoopy Caching, 1988): a
 * fault costs as much as some twenty comparisons. Budgets are in flushes.
 */
#ifndef HLRC_POLICY_RETAIN_H
#define HLRC_POLICY_RETAIN_H

#include <stdbool.h>
#include <stdint.h>

struct policy_retain {
    uint8_t budget; /* flushes in a row that may find it unchanged */
    uint8_t idle;   /* such flushes since it was last written */
};

/* Per page: below POLICY_RETAIN_FOLLOWED, how many stores in a row have followed a load. OPENED: a
 * load has opened it for stores, in an interval that has not ended. */
enum { POLICY_RETAIN_FOLLOWED = 2, POLICY_RETAIN_OPENED = 3 };

static inline bool policy_retain_stays(struct policy_retain r)
{
    return r.idle < r.budget;
}

/* A thread stores to the page: it faulted, or asked for the page. */
static inline void policy_retain_stored(struct policy_retain *r)
{
    r->idle = 0;
}

/* Not retained by the next flush. */
static inline void policy_retain_forget(struct policy_retain *r)
{
    r->budget = r->idle = 0;
}

/* A flush has found the page changed, or unchanged; `kept`: it has retained it. */
static inline void policy_retain_learn(struct policy_retain *r, bool changed, bool kept,
                                       unsigned most)
{
    unsigned more = r->budget ? r->budget * 2u : 1;
    if (changed) {
        r->budget = (uint8_t)(more < most ? more : most);
        r->idle = 0;
    } else if (kept) {
        r->idle++;
    } else {
        r->budget /= 2;
    }
}

/* Whether a load opens a page, whose home is known, for stores. */
static inline bool policy_retain_follows(struct policy_retain r, unsigned stores)
{
    return stores == POLICY_RETAIN_FOLLOWED && policy_retain_stays(r);
}

/* A clean page is opened for stores by a store, or by a load. Returns the new count. */
static inline unsigned policy_retain_opened(unsigned stores, bool by_store)
{
    if (!by_store)
        return POLICY_RETAIN_OPENED;
    return stores < POLICY_RETAIN_FOLLOWED ? stores + 1 : POLICY_RETAIN_FOLLOWED;
}

/* The interval has ended. Returns the new count. If no store has come, the next flush
 * write-protects the page. */
static inline unsigned policy_retain_judge(struct policy_retain *r, unsigned stores, bool written)
{
    if (stores == POLICY_RETAIN_OPENED && !written)
        r->idle = r->budget;
    return stores != POLICY_RETAIN_OPENED ? stores : written ? POLICY_RETAIN_FOLLOWED : 0;
}

#endif
