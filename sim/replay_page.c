/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* replay_page.c - the states of pages at a node: hlrc/memory/page.c, ahead.c, past.c. */
#include "hlrc/policy/policy_batch.h"
#include "sim/fail.h"
#include "sim/replay.h"

static void replay_page_mark_dirty(struct replay_node *n, struct replay_copy *c, bool ahead)
{
    if (!ahead && replay_exclusive_begin_copy(n, c)) /* [readahead.twin] */
        return;
    c->blank = ahead && c->blank;
    if (ahead ? !c->blank : !replay_copy_is_home(c, n)) {
        c->twin = true;
        c->others = replay_others(n, c);
        COUNT(n, twins, 1);
        n->debt += n->r->m.copy_page_ns * SIM_NS;
    }
    if (!(c->flags & COPY_LISTED))
        replay_dirty_add_copy(n, c);
    c->flags |= COPY_DIRTY | COPY_LISTED;
}

static void replay_page_protect(struct replay_node *n)
{
    n->debt += n->r->m.protect_ns * SIM_NS;
}

/* page.c page_grant */
static void replay_page_grant(struct replay_node *n, struct replay_copy *c, bool write)
{
    bool follow = c->home != 0 && policy_retain_follows(c->retain, c->stores);

    if (!(c->flags & (COPY_DIRTY | COPY_EXCLUSIVE)) && (write || follow)) {
        replay_page_mark_dirty(n, c, !write);
        c->stores = (uint8_t)policy_retain_opened(c->stores, write);
    }
    if (write)
        policy_retain_stored(&c->retain);
    c->access = c->flags & (COPY_DIRTY | COPY_EXCLUSIVE) ? OPEN_STORES : OPEN_LOADS;
    replay_page_protect(n);
}

static void replay_page_claim(struct replay_node *n, struct replay_copy *c, bool ahead)
{
    bool assigned;

    c->home = (uint16_t)(replay_claim(n, c, &assigned) + 1);
    COUNT(n, first_write_faults, assigned && !ahead);
    COUNT(n, homes_assigned, assigned);
}

/* ---- in runs ---- */

static bool replay_page_grantable(const struct replay_copy *c, bool write)
{
    if (c->migrate.watched || (c->flags & (COPY_BUSY | COPY_STALE | COPY_EXCLUSIVE)))
        return false;
    return write ? c->home != 0 && c->access != OPEN_STORES
                 : !(c->flags & COPY_DIRTY) && c->access == CLOSED;
}

enum replay_page_opening { ASKED, AHEAD, AHEAD_HERE };

/* page.c replay_page_open_run: the number of pages, from the first on, that one call opens. */
static uint32_t replay_page_open_run(struct replay_node *n, uint32_t first, uint32_t count,
                                     bool write, enum replay_page_opening how)
{
    uint32_t opened = 0;

    for (; opened < count; opened++) {
        struct replay_copy *c =
            replay_copy_found(n, first + opened); /* none: no home, and open or stale */
        if (c == NULL || !replay_page_grantable(c, write) ||
            (how == AHEAD_HERE && !replay_copy_is_home(c, n)))
            break;
        if (write && !(c->flags & COPY_DIRTY))
            replay_page_mark_dirty(n, c, how != ASKED);
        if (write)
            policy_retain_stored(&c->retain);
        if (write && how == ASKED)
            policy_retain_forget(&c->retain);
        c->access = write ? OPEN_STORES : OPEN_LOADS;
    }
    if (opened > 0)
        replay_page_protect(n);
    return opened;
}

static uint32_t replay_page_open_runs(struct replay_node *n, uint32_t first, uint32_t count,
                                      bool write, enum replay_page_opening how)
{
    uint32_t opened = 0;

    for (uint32_t i = 0; i < count;) {
        uint32_t some = replay_page_open_run(n, first + i, count - i, write, how);
        opened += some;
        i += some > 0 ? some : 1;
    }
    return opened;
}

/* page_fetch.c replay_page_open_arrived */
static void replay_page_open_arrived(struct replay_node *n, uint32_t first, uint32_t count)
{
    for (uint32_t p = first; p < first + count; p++) {
        struct replay_copy *c = replay_copy_found(n, p);
        if (c != NULL && replay_arrived(c))
            replay_finish(n, c);
    }
    (void)replay_page_open_runs(n, first, count, false, ASKED);
}

uint32_t replay_page_within_space(const struct replay *r, uint32_t first, uint32_t count)
{
    uint32_t room = (uint32_t)r->set[RECORD_SET_pages] - first;

    return count < room ? count : room;
}

/* A read that is a copy by the CPU completes at once. */
static void replay_page_let_arrive(struct replay_node *n, uint32_t first, uint32_t count)
{
    if (!n->r->m.memory || n->r->protocol == REPLAY_ASYNC)
        return;
    for (uint32_t p = first; p < first + count; p++)
        replay_finish(n, replay_copy_of(n, p));
}

void replay_prefetch(struct replay_node *n, uint32_t first, uint32_t count)
{
    count = replay_page_within_space(n->r, first, count);
    for (uint32_t i = first; i < first + count; i += POLICY_BATCH_PREFETCH) {
        uint32_t some =
            first + count - i < POLICY_BATCH_PREFETCH ? first + count - i : POLICY_BATCH_PREFETCH;
        replay_page_open_arrived(n, i, some);
        for (uint32_t k = i; k < i + some; k++)
            if (replay_fetch_ahead(n, replay_copy_of(n, k), false) && n->r->system.single_fetch)
                replay_finish(n, replay_copy_of(n, k));
        replay_page_let_arrive(n, i, some);
        replay_page_open_arrived(n, i, some);
    }
}

static void replay_page_decided_ahead(struct replay_node *n, uint32_t first, uint32_t count,
                                      uint64_t how)
{
    decisions_note_ahead(n->r->decisions,
                         (struct decisions_entry){
                             .node = n->id, .barriers = n->departed, .page = first },
                         count, how);
}

void replay_open_ahead(struct replay_node *n, uint32_t first, uint32_t count, bool write, bool here)
{
    COUNT(n, ahead_pages, count);
    replay_page_decided_ahead(n, first, count, write ? RECORD_STORES : 0);
    if (!here)
        replay_prefetch(n, first, count);
    if (write)
        (void)replay_page_open_runs(n, first, count, true, here ? AHEAD_HERE : AHEAD);
}

void replay_open_here(struct replay_node *n, uint32_t first, uint32_t count)
{
    replay_page_decided_ahead(n, first, count, RECORD_STORES);
    COUNT(n, ahead_pages, replay_page_open_runs(n, first, count, true, AHEAD));
}

/* page_claim.c page_claim_ahead: [readahead.dense-claims] */
void replay_claim_ahead(struct replay_node *n, uint32_t first, uint32_t count)
{
    replay_page_decided_ahead(n, first, count, RECORD_CLAIMS);
    for (uint32_t p = first; p < first + count; p++) {
        struct replay_copy *c = replay_copy_of(n, p);
        if (c->home != 0 || (c->flags & (COPY_BUSY | COPY_STALE | COPY_EXCLUSIVE)))
            continue;
        replay_page_claim(n, c, true);
        c->blank = !c->shared->written && c->access == OPEN_LOADS && replay_copy_is_home(c, n) &&
                   versions_of(&c->shared->applied, n->id) == 0 && !(c->flags & COPY_DIRTY);
    }
}

/* Repeats the readahead of the traced run, as found by ahead.c and past.c: it follows the order of
 * faults, which the program determines. */
void replay_ahead(struct replay_node *n, const struct script_op *op)
{
    uint64_t pages = n->r->set[RECORD_SET_pages], how = op->arg[3];
    uint32_t first = (uint32_t)op->arg[0],
             count = replay_page_within_space(n->r, first, (uint32_t)op->arg[2]);

    if (n->r->own_ahead || op->arg[1] != 1 || op->arg[2] > pages)
        return;
    if (how & RECORD_CLAIMS)
        replay_claim_ahead(n, first, count);
    else if (how & RECORD_NO_FETCH)
        replay_open_here(n, first, count);
    else
        replay_open_ahead(n, first, count, (how & RECORD_STORES) != 0,
                          (how & RECORD_HOMES_HERE) != 0);
}

/* ---- a fault ---- */

/* page.c access_step: true if the page can be accessed. */
static bool replay_page_step(struct replay_node *n, struct replay_copy *c, bool write, bool *worked)
{
    if (c->flags & COPY_BUSY) {
        uint32_t page = c->page;
        replay_finish(n, c);
        replay_page_open_arrived(n, page,
                                 replay_page_within_space(n->r, page, POLICY_BATCH_PREFETCH));
        return false;
    }
    if (c->access >= (write ? OPEN_STORES : OPEN_LOADS))
        return true;
    replay_move_used(n, c);
    *worked = true;
    if (replay_copy_is_shut(c)) {
        replay_copy_open_alone(n, c);
        return true;
    }
    if (c->flags & COPY_STALE) {
        bool assigned = replay_fetch(n, c);
        COUNT(n, first_write_faults, assigned && write);
        return false;
    }
    if (write && c->home == 0 && !(c->flags & COPY_EXCLUSIVE)) {
        replay_page_claim(n, c, false);
        return false;
    }
    replay_page_grant(n, c, write);
    return true;
}

void replay_access(struct replay_node *n, uint32_t page, bool write)
{
    struct replay_copy *c = replay_copy_of(n, page);
    bool worked = false;

    c->in_memory = c->in_memory || c->access != CLOSED || replay_copy_is_shut(c);
    c->touched = true;
    if (write)
        c->shared->written = true;
    if (c->access >= (write ? OPEN_STORES : OPEN_LOADS))
        return;
    n->debt += n->r->m.fault_ns * SIM_NS;
    while (!replay_page_step(n, c, write, &worked))
        ;
    if (!worked)
        return;
    COUNT(n, write_faults, write);
    COUNT(n, read_faults, !write);
    replay_decided(n, write ? DECISION_STORE : DECISION_LOAD, page);
    if (!(c->flags & COPY_EXCLUSIVE) || c->home != 0) /* page.h page_was_alone */
        replay_faulted(n, page, write);
}

/* page.c page_access */
void replay_open(struct replay_node *n, uint32_t page, bool write)
{
    struct replay_copy *c = replay_copy_of(n, page);
    bool worked = false;

    while (!replay_page_step(n, c, write, &worked))
        ;
}

static void replay_page_note_touched(struct replay_node *n, struct replay_copy *c, bool write)
{
    if (write && c->home == 0 && !(c->flags & (COPY_BUSY | COPY_STALE)))
        replay_page_claim(n, c, false);
    c->in_memory = c->in_memory || c->access != CLOSED || replay_copy_is_shut(c);
    c->touched = true;
    c->shared->written = c->shared->written || write;
}

/* page.c page_touch */
void replay_touch(struct replay_node *n, uint32_t first, uint32_t count, bool write)
{
    replay_prefetch(n, first, count);
    for (uint32_t p = first; p < first + count; p++)
        replay_page_note_touched(n, replay_copy_of(n, p), write);
    for (uint32_t i = 0; i < count;) {
        uint32_t opened = replay_page_open_run(n, first + i, count - i, write, ASKED);
        bool worked = false;
        while (opened == 0 && !replay_page_step(n, replay_copy_of(n, first + i), write, &worked))
            ;
        i += opened > 0 ? opened : 1;
    }
}
