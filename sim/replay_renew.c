/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* replay_renew.c - acquires: interval.c, page.c, renew.c, [update.pending], [update.own-stores]. */
#include <string.h>

#include "sim/fail.h"
#include "sim/replay.h"

static struct policy_update_limits replay_renew_limits(const struct replay *r)
{
    bool memory = r->m.memory && r->protocol != REPLAY_ASYNC;

    return (struct policy_update_limits){ policy_update_first(memory),
                                          (uint8_t)r->set[RECORD_SET_renew] };
}

static bool replay_renew_allowed(const struct replay_node *n, const struct replay_copy *c)
{
    return !c->held && /* [home-migration.held] */
           policy_update_may_wait(c->flags & COPY_DIRTY, n->r->protocol != REPLAY_ASYNC);
}

/* renew.c replay_renew_instead: [update.pending] */
static bool replay_renew_instead(struct replay_node *n, struct replay_copy *c)
{
    if (c->renewal.pending) {
        policy_update_named(&c->renewal, n->renewing, n->told, n->expected, c->page);
        return true;
    }
    if (c->home == 0 || replay_copy_is_home(c, n) ||
        !policy_update_revoke(&c->renewal, replay_renew_limits(n->r), n->acquire,
                              c->flags & COPY_STALE, c->access != CLOSED,
                              replay_renew_allowed(n, c)))
        return false;
    *MAP_PUSH(n->renewing, n->renewing_count, n->renewing_room) = c->page;
    return true;
}

/* page_flush.c page_clean */
static void replay_renew_clean(struct replay_node *n, struct replay_copy *c)
{
    if ((c->flags & (COPY_DIRTY | COPY_BUSY)) != COPY_DIRTY || !c->twin ||
        replay_copy_is_home(c, n) || c->changed)
        return;
    c->twin = false;
    c->flags &= (uint8_t)~COPY_DIRTY;
    replay_judge_load(c, false);
}

/* page_flush.c page_flush_told */
static void replay_renew_told_home(const struct replay_node *n, struct replay_copy *c)
{
    bool kept = (c->flags & (COPY_DIRTY | COPY_BUSY)) == COPY_DIRTY && c->twin;

    if (kept && n->r->protocol == REPLAY_ONESIDED && c->shared->readers)
        c->others = replay_others(n, c);
}

/* page.c told_is_there */
static bool replay_renew_is_there(const struct replay_node *n, const struct replay_copy *c)
{
    return n->r->protocol == REPLAY_ONESIDED && !(c->flags & COPY_BUSY);
}

/* page.c note_one, note_end; true when it was closed */
static bool replay_renew_note(struct replay_node *n, struct replay_copy *c, uint32_t writer,
                              uint32_t interval)
{
    bool renewed, revoke;

    if (replay_copy_is_home(c, n) && versions_of(&c->shared->applied, writer) >= interval) {
        replay_renew_told_home(n, c);
        return false;
    }
    renewed = replay_renew_instead(n, c);
    if (!(c->flags & COPY_STALE))
        COUNT(n, invalidations, 1);
    c->flags |= COPY_STALE;
    revoke = c->access != CLOSED && !renewed;
    if (!replay_renew_is_there(n, c))
        versions_raise(&c->need, writer, interval);
    if (revoke) {
        c->access = CLOSED;
        replay_renew_clean(n, c);
    }
    return revoke;
}

/* [update.pending]: a late copy is closed, and its fetch continues. */
static void replay_renew_settle_copy(struct replay_node *n, struct replay_copy *c)
{
    if (replay_arrived(c))
        replay_finish(n, c);
    if ((c->flags & COPY_STALE) && c->access != CLOSED) {
        c->access = CLOSED;
        n->debt += n->r->m.protect_ns * SIM_NS;
        if (c->renewal.pending)
            policy_update_probe(&c->renewal, n->acquire);
        replay_renew_clean(n, c);
    } else {
        replay_decided(n, DECISION_UPDATE, c->page);
    }
    c->renewal.pending = false;
}

static void replay_renew_listed(struct replay_node *n)
{
    uint32_t started = 0;
    bool late = false;

    for (uint32_t i = 0; i < n->renewing_count; i++) {
        for (; !late && started < n->renewing_count && started < i + POLICY_UPDATE_IN_FLIGHT;
             started++)
            (void)replay_fetch_ahead(n, replay_copy_of(n, n->renewing[started]), false);
        struct replay_copy *c = replay_copy_of(n, n->renewing[i]);
        if (!late && c->fetch != NULL)
            late = !replay_await_for(n, &c->fetch->done, POLICY_UPDATE_WAIT_NS * SIM_NS);
        replay_renew_settle_copy(n, c);
    }
}

static void replay_renew_all(struct replay_node *n, struct policy_update_habit *habit)
{
    replay_renew_listed(n);
    for (uint32_t i = 0; i < n->renewing_count && habit != NULL; i++)
        policy_update_learn(habit, n->renewing[i], i < n->expected && !n->told[i]);
    n->renewing_count = n->expected = 0;
    n->acquire++;
}

static void replay_renew_expect_page(struct replay_node *n, struct replay_copy *c)
{
    if (c->home == 0 || replay_copy_is_home(c, n) || c->renewal.pending ||
        (c->flags & (COPY_STALE | COPY_BUSY)) ||
        !policy_update_worth(&c->renewal, c->access != CLOSED) || !replay_renew_allowed(n, c))
        return;
    c->flags |= COPY_STALE;
    c->renewal.pending = true;
    n->told[n->expected++] = false;
    *MAP_PUSH(n->renewing, n->renewing_count, n->renewing_room) = c->page;
    (void)replay_fetch_ahead(n, c, true);
}

static struct policy_update_habit *replay_renew_expected(struct replay_node *n, uint32_t occasion)
{
    struct policy_update_habit *h;

    if (n->r->protocol != REPLAY_ONESIDED)
        return NULL;
    if (n->habits == NULL)
        n->habits = fail_alloc(POLICY_UPDATE_OCCASIONS, sizeof *n->habits);
    h = policy_update_recall(n->habits, occasion);
    for (uint32_t i = 0; i < h->pages; i++)
        replay_renew_expect_page(n, replay_copy_of(n, h->page[i]));
    return h;
}

void replay_notice(struct replay_node *n, uint32_t writer, uint32_t interval)
{
    const struct replay_interval *k = &n->r->node[writer].interval[interval];
    bool run = false;

    for (uint32_t i = 0; i < k->count; i++) {
        struct replay_copy *c = replay_copy_found(n, k->page[i]);
        bool closed =
            c != NULL ? replay_renew_note(n, c, writer, interval) : replay_copy_tell(n, k->page[i]);
        if (closed && !run)
            n->debt += n->r->m.protect_ns * SIM_NS;
        run = closed;
    }
    n->noticed[writer] = interval;
}

static void replay_renew_take(struct replay_node *n, const uint32_t *want)
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
    struct policy_update_habit *habit = replay_renew_expected(n, occasion);
    replay_renew_take(n, want);
    replay_renew_all(n, habit);
    for (unsigned w = 0; w < n->r->nodes; w++)
        if (w != n->id && n->vt[w] < want[w])
            n->vt[w] = want[w];
    replay_settle(n);
}
