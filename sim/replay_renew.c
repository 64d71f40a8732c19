/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* replay_renew.c - acquires: interval.c, page.c, renew.c (RN1 to RN5). */
#include <string.h>

#include "sim/fail.h"
#include "sim/replay.h"

#define USED_OFTEN 2 /* renew.c, also the others */
#define PATIENCE   (1000 * SIM_US)
#define UNDER_WAY  32u
#define OCCASIONS  64u
#define EXPECTED   16u

/* RN5: pages that acquires of one occasion have updated. */
struct habit {
    uint32_t occasion, pages;
    uint32_t page[EXPECTED];
    bool in_vain[EXPECTED];
};

static uint8_t budget_first(const struct replay *r)
{
    return r->m.memory && r->protocol != REPLAY_ASYNC ? 4 : 2;
}

static uint8_t at_most(const struct replay *r, unsigned budget)
{
    unsigned most = (unsigned)r->set[RECORD_SET_renew];

    return (uint8_t)(budget < most ? budget : most);
}

static void judge(const struct replay *r, struct copy *c, bool used)
{
    if (!used)
        c->renew_budget = c->used = 0;
    else if (c->used < USED_OFTEN && ++c->used == USED_OFTEN)
        c->renew_budget = at_most(r, budget_first(r));
    else
        c->renew_budget = at_most(r, c->renew_budget * 2u);
    c->left = c->renew_budget;
    c->probing = false;
}

static void look(struct replay_node *n, struct copy *c, bool used)
{
    if (used)
        judge(n->r, c, true);
    else if (c->renew_acquire != n->acquire && ++c->missed == budget_first(n->r))
        judge(n->r, c, false);
    c->renew_acquire = n->acquire;
}

static void probe(struct replay_node *n, struct copy *c)
{
    c->probing = true;
    c->missed = 0;
    c->renew_acquire = n->acquire;
}

/* RN5 */
static void note_told(struct replay_node *n, struct copy *c)
{
    for (uint32_t i = 0; i < n->expected; i++)
        if (n->renewing[i] == c->page && !n->told[i]) {
            n->told[i] = true;
            c->left--;
        }
}

/* RN4: a release waits for an update in progress of a dirty page. */
static bool worth_it(const struct replay_node *n, const struct copy *c)
{
    return c->access != CLOSED && c->left > 0 && !c->held && /* MV1 */
           (!(c->flags & COPY_DIRTY) || n->r->protocol != REPLAY_ASYNC);
}

static void list_page(struct replay_node *n, const struct copy *c)
{
    n->renewing = grow(n->renewing, &n->renewing_room, n->renewing_count + 1, sizeof *n->renewing);
    n->renewing[n->renewing_count++] = c->page;
}

/* RN1 */
static bool renew_instead(struct replay_node *n, struct copy *c)
{
    bool stale = c->flags & COPY_STALE;

    if (c->pending) {
        note_told(n, c);
        return true;
    }
    if (c->home == 0 || copy_is_home(c, n))
        return false;
    if (c->probing)
        look(n, c, !stale && c->access != CLOSED);
    if (stale)
        return false;
    if (worth_it(n, c)) {
        c->left--;
        c->pending = true;
        list_page(n, c);
        return true;
    }
    probe(n, c);
    return false;
}

/* page_flush.c page_clean */
static void clean(struct replay_node *n, struct copy *c)
{
    if ((c->flags & (COPY_DIRTY | COPY_BUSY)) != COPY_DIRTY || !c->twin || copy_is_home(c, n) ||
        c->changed)
        return;
    c->twin = false;
    c->flags &= (uint8_t)~COPY_DIRTY;
    replay_judge_load(c, false);
}

/* page_flush.c page_flush_told */
static void told_home(const struct replay_node *n, struct copy *c)
{
    bool kept = (c->flags & (COPY_DIRTY | COPY_BUSY)) == COPY_DIRTY && c->twin;

    if (kept && n->r->protocol == REPLAY_ONESIDED && c->shared->readers)
        c->others = replay_others(n, c);
}

/* page.c told_is_there */
static bool is_there(const struct replay_node *n, const struct copy *c)
{
    return n->r->protocol == REPLAY_ONESIDED && !(c->flags & COPY_BUSY);
}

/* page.c note_one, note_end; true when it was closed */
static bool note(struct replay_node *n, struct copy *c, uint32_t writer, uint32_t interval)
{
    bool renewed, revoke;

    if (copy_is_home(c, n) && versions_of(&c->shared->applied, writer) >= interval) {
        told_home(n, c);
        return false;
    }
    renewed = renew_instead(n, c);
    if (!(c->flags & COPY_STALE))
        COUNT(n, invalidations, 1);
    c->flags |= COPY_STALE;
    revoke = c->access != CLOSED && !renewed;
    if (!is_there(n, c))
        versions_raise(&c->need, writer, interval);
    if (revoke) {
        c->access = CLOSED;
        clean(n, c);
    }
    return revoke;
}

/* RN1; RN4: a late copy is closed, and its fetch continues. */
static void settle_copy(struct replay_node *n, struct copy *c)
{
    if (replay_arrived(c))
        replay_finish(n, c);
    if ((c->flags & COPY_STALE) && c->access != CLOSED) {
        c->access = CLOSED;
        n->debt += n->r->m.protect_ns * SIM_NS;
        if (c->pending)
            probe(n, c);
        clean(n, c);
    }
    c->pending = false;
}

static void renew_listed(struct replay_node *n)
{
    uint32_t started = 0;
    bool late = false;

    for (uint32_t i = 0; i < n->renewing_count; i++) {
        for (; !late && started < n->renewing_count && started < i + UNDER_WAY; started++)
            (void)replay_fetch_ahead(n, copy_of(n, n->renewing[started]), false);
        struct copy *c = copy_of(n, n->renewing[i]);
        if (!late && c->fetch != NULL)
            late = !replay_await_for(n, &c->fetch->done, PATIENCE);
        settle_copy(n, c);
    }
}

/* RN5: learns from a listed page that was updated, or fetched without need. */
static void learn_habit(struct habit *h, uint32_t page, bool in_vain)
{
    uint32_t i = 0;

    while (i < h->pages && h->page[i] != page)
        i++;
    if (i < h->pages && in_vain && h->in_vain[i]) {
        h->pages--;
        h->page[i] = h->page[h->pages];
        h->in_vain[i] = h->in_vain[h->pages];
    } else if (i < EXPECTED && (i < h->pages || !in_vain)) {
        h->pages = i < h->pages ? h->pages : i + 1;
        h->page[i] = page;
        h->in_vain[i] = in_vain;
    }
}

static void renew_all(struct replay_node *n, struct habit *habit)
{
    renew_listed(n);
    for (uint32_t i = 0; i < n->renewing_count && habit != NULL; i++)
        learn_habit(habit, n->renewing[i], i < n->expected && !n->told[i]);
    n->renewing_count = n->expected = 0;
    n->acquire++;
}

/* RN5 */
static void expect_page(struct replay_node *n, struct copy *c)
{
    if (c->home == 0 || copy_is_home(c, n) || c->pending || (c->flags & (COPY_STALE | COPY_BUSY)) ||
        !worth_it(n, c))
        return;
    c->flags |= COPY_STALE;
    c->pending = true;
    n->told[n->expected++] = false;
    list_page(n, c);
    (void)replay_fetch_ahead(n, c, true);
}

/* RN5 */
static struct habit *renew_expected(struct replay_node *n, uint32_t occasion)
{
    struct habit *h;

    if (n->r->protocol != REPLAY_ONESIDED)
        return NULL;
    if (n->habits == NULL)
        n->habits = sim_new(OCCASIONS, sizeof *n->habits);
    h = &n->habits[occasion % OCCASIONS];
    if (h->occasion != occasion)
        *h = (struct habit){ .occasion = occasion };
    for (uint32_t i = 0; i < h->pages; i++)
        expect_page(n, copy_of(n, h->page[i]));
    return h;
}

void replay_notice(struct replay_node *n, uint32_t writer, uint32_t interval)
{
    const struct interval *k = &n->r->node[writer].interval[interval];
    bool run = false;

    for (uint32_t i = 0; i < k->count; i++) {
        struct copy *c = copy_found(n, k->page[i]);
        bool closed = c != NULL ? note(n, c, writer, interval) : copy_tell(n, k->page[i]);
        if (closed && !run)
            n->debt += n->r->m.protect_ns * SIM_NS;
        run = closed;
    }
    n->noticed[writer] = interval;
}

static void take(struct replay_node *n, const uint32_t *want)
{
    if (n->r->protocol == REPLAY_ONESIDED) {
        replay_read_notices(n, want);
        return;
    }
    for (uint32_t w = 0; w < n->r->nodes; w++)
        for (uint32_t k = n->vt[w] + 1; w != n->id && k <= want[w]; k++)
            replay_notice(n, w, k);
}

void replay_acquire(struct replay_node *n, const uint32_t *want, uint32_t occasion)
{
    bool any = false;

    for (unsigned w = 0; w < n->r->nodes && !any; w++)
        any = w != n->id && n->vt[w] < want[w];
    if (!any)
        return;
    replay_turn(n);
    struct habit *habit = renew_expected(n, occasion);
    take(n, want);
    renew_all(n, habit);
    for (unsigned w = 0; w < n->r->nodes; w++)
        if (w != n->id && n->vt[w] < want[w])
            n->vt[w] = want[w];
    replay_settle(n);
}
