/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * policy_update.h - competitive update: whether an acquire updates a copy or closes it.
 *
 * Decided per copy, for each notice that names it: update it now, or close it and observe whether
 * it is used (a probe). Decided per occasion of an acquire, i.e. a lock or a barrier: which pages
 * it fetches before a notice names them. Mechanism and rules: [update.pending],
 * [update.own-stores].
 *
 * Source: the competitive update of Karlin, Manasse, Rudolph and Sleator (Competitive Snoopy
 * Caching, 1988). Budgets are numbers of updates in a row. Acquires are counted modulo 2^8.
 */
#ifndef HLRC_POLICY_UPDATE_H
#define HLRC_POLICY_UPDATE_H

#include <stdbool.h>
#include <stdint.h>

#define POLICY_UPDATE_OFTEN     2u               /* probes in a row before the first update */
#define POLICY_UPDATE_WAIT_NS   INT64_C(1000000) /* the longest wait for one update */
#define POLICY_UPDATE_IN_FLIGHT 32u              /* before the first of them is waited for */
#define POLICY_UPDATE_OCCASIONS 64u              /* remembered */
#define POLICY_UPDATE_EXPECTED  16u              /* pages of each */

/* Of one copy. */
struct policy_update {
    uint8_t budget;     /* updates in a row that it is worth */
    uint8_t left;       /* updates left of the budget */
    uint8_t acquire;    /* number of the acquire that revoked it last */
    bool pending : 1;   /* STALE but open [update.pending] */
    bool probing : 1;   /* was closed to detect whether it is used */
    uint8_t missed : 3; /* revocations since, all unused */
    uint8_t used : 2;   /* probes in a row that found it used */
};

struct policy_update_limits {
    uint8_t first; /* first budget of a copy, and unused revocations that end a probe */
    uint8_t most;  /* --renew */
};

/* Pages that acquires of one occasion have updated. */
struct policy_update_habit {
    uint32_t occasion, pages;
    uint32_t page[POLICY_UPDATE_EXPECTED];
    bool unnamed[POLICY_UPDATE_EXPECTED]; /* by any notice, the last time */
};

/* How many updates cost as much as the fault and the two changes of protection that one saves:
 * more where a page is read like local memory. */
static inline uint8_t policy_update_first(bool reads_memory)
{
    return reads_memory ? 4 : 2;
}

/* A release waits for an update of a dirty page in flight. */
static inline bool policy_update_may_wait(bool dirty, bool reads_pages)
{
    return !dirty || reads_pages;
}

static inline bool policy_update_worth(const struct policy_update *u, bool open)
{
    return open && u->left > 0;
}

/* A notice names a copy that is not pending. `open`: it is accessible; `allowed`: nothing else
 * forbids the update. True: the acquire updates it, so it is pending now. False: it is closed. */
bool policy_update_revoke(struct policy_update *u, struct policy_update_limits l, uint8_t acquire,
                          bool stale, bool open, bool allowed);

/* The copy is closed by this acquire, to detect whether it is used. */
void policy_update_probe(struct policy_update *u, uint8_t acquire);

/* A notice names the pending `page`: counts as an update the first time, if it is among the first
 * `expected` of the list. */
void policy_update_named(struct policy_update *u, const uint32_t *list, bool *named,
                         uint32_t expected, uint32_t page);

/* The entry of this occasion, which may replace another's. */
struct policy_update_habit *policy_update_recall(struct policy_update_habit *all,
                                                 uint32_t occasion);

/* A listed page was updated. `unnamed`: it was expected, but no notice named it. */
void policy_update_learn(struct policy_update_habit *h, uint32_t page, bool unnamed);

#endif
