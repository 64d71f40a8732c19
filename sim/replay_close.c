/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* replay_close.c - releases: interval.c, page_flush.c, exclusive.c, diffs_message.c. */
#include <stdlib.h>
#include <string.h>

#include "hlrc/policy/policy_batch.h"
#include "sim/fail.h"
#include "sim/replay.h"

#define DIFF_HEAD     4    /* diff.h */
#define UNKNOWN_BYTES 4096 /* assumed for a page that its home wrote in the trace */

/* exclusive.c exclusive_look: [unshared.new-readers]. */
static void replay_close_look_for_readers(struct replay_node *n)
{
    uint32_t kept = 0;

    if (n->exclusive_count == 0 || n->arrivals == n->seen)
        return;
    n->seen = n->arrivals;
    for (uint32_t i = 0; i < n->exclusive_count; i++) {
        struct replay_copy *c = replay_copy_of(n, n->exclusive[i]);
        if (!c->shared->readers) {
            n->exclusive[kept++] = c->page;
            continue;
        }
        c->listed = false;
        if (c->flags & COPY_EXCLUSIVE)
            replay_exclusive_end_copy(n, c);
    }
    n->exclusive_count = kept;
}

static int replay_close_by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static uint32_t replay_close_take_dirty(struct replay_node *n)
{
    uint32_t count = n->dirty_count, *list = n->dirty, room = n->dirty_room;

    n->dirty = n->taken;
    n->dirty_room = n->taken_room;
    n->taken = list;
    n->taken_room = room;
    n->dirty_count = 0;
    if (count > 0)
        qsort(list, count, sizeof *list, replay_close_by_number);
    return count;
}

/* page_flush.c replay_close_home_changed. `others`: other nodes have written since the twin. */
static bool replay_close_home_changed(const struct replay_copy *c, bool kept, bool others)
{
    if (c->blank)
        return kept || c->changed || others;
    return !c->twin || c->changed || others;
}

/* page_flush.c page_flush_home: whether it is announced. */
static bool replay_close_flush_home(const struct replay_node *n, struct replay_copy *c, bool kept,
                                    bool *changed)
{
    uint32_t others = replay_others(n, c);

    *changed = replay_close_home_changed(c, kept, others != (c->blank ? 0 : c->others));
    if (!*changed)
        return c->worded || c->shared->readers; /* [word.announced], [page.equal-twin] */
    if (c->twin && c->others != others)
        *changed = false; /* [diffs-write.home-twin] */
    c->others = others;
    if (kept)
        c->twin = true;
    return true;
}

void replay_judge_load(struct replay_copy *c, bool written)
{
    c->stores = (uint8_t)policy_retain_judge(&c->retain, c->stores, written);
}

/* page_flush.c page_flush_end */
static void replay_close_flush_end(struct replay_node *n, struct replay_copy *c, uint32_t interval,
                                   bool changed, bool kept)
{
    bool was_kept = kept;

    if (interval > 0 && !replay_copy_is_home(c, n))
        versions_raise(&c->need, n->id, interval);
    if (c->flags & COPY_DIRTY)
        policy_retain_learn(&c->retain, changed, kept, (unsigned)n->r->set[RECORD_SET_hot_pages]);
    if (changed)
        replay_move_note(n, c, n->id, 0);
    replay_judge_load(c, changed);
    c->blank = c->worded = false;
    c->changed = false;
    c->bytes = c->length = c->put = 0;
    if (kept && changed && !c->held && !(c->flags & COPY_STALE) &&
        replay_exclusive_begin_copy(n, c))
        was_kept = false;
    else if (kept)
        replay_dirty_add_copy(n, c);
    if (!was_kept) {
        c->twin = false;
        c->flags &= (uint8_t)~COPY_DIRTY;
    } else if (changed) {
        COUNT(n, hot_pages, 1);
    } else {
        COUNT(n, hot_unchanged, 1);
    }
}

struct replay_close_entry {
    struct replay_shared *shared;
    uint32_t page, length, writer, interval;
};

/* The diffs of one message, at their home. */
struct replay_close_message {
    struct replay *r;
    struct replay_node *home;
    struct replay_close_entry *entry;
    uint32_t count, room, bytes;
};

static void replay_close_apply_all(void *self, uint64_t arg)
{
    struct replay_close_message *m = self;

    (void)arg;
    for (uint32_t i = 0; i < m->count; i++) {
        const struct replay_close_entry *e = &m->entry[i];
        replay_move_note(m->home, replay_copy_of(m->home, e->page), e->writer, e->length);
        replay_applied(m->r, e->shared, e->writer, e->interval);
    }
    free(m->entry);
    free(m);
}

static void replay_close_send_message(struct replay_node *n, struct replay_close_message **open)
{
    struct replay_close_message *m = *open;

    if (m == NULL)
        return;
    COUNT(n, messages, 1);
    replay_post(n, 1);
    replay_message_long(n, m->home, m->bytes, m->count * n->r->m.apply_ns * SIM_NS,
                        replay_close_apply_all, m, 0);
    *open = NULL;
}

/* diffs_message.c message_room */
static struct replay_close_message *
replay_close_room_for(struct replay_node *n, struct replay_close_message **open, unsigned home)
{
    if (open[home] != NULL && open[home]->count > 0 &&
        (n->r->system.single_diffs || !policy_batch_fits(open[home]->bytes)))
        replay_close_send_message(n, &open[home]);
    if (open[home] == NULL) {
        open[home] = fail_alloc(1, sizeof **open);
        open[home]->r = n->r;
        open[home]->home = &n->r->node[home];
    }
    return open[home];
}

/* False for an unchanged page; if words were operated on, an empty diff is sent:
 * [word.announced]. */
static bool replay_close_send_diff(struct replay_node *n, struct replay_copy *c, uint32_t interval,
                                   struct replay_close_message **open)
{
    bool written = n->r->protocol == REPLAY_ONESIDED;
    struct replay_close_message *m = written ? NULL : replay_close_room_for(n, open, c->home - 1u);
    uint32_t unknown = c->put > 0 ? c->put : UNKNOWN_BYTES;
    uint32_t bytes = !c->changed ? 0 : c->bytes > 0 ? c->bytes : unknown;
    uint32_t length = !c->changed ? 0 : c->length > 0 ? c->length : unknown + DIFF_HEAD;

    n->debt += n->r->m.compare_ns * SIM_NS;
    if (!c->changed && !c->worded)
        return false;
    n->debt += n->r->m.diff_ns * SIM_NS;
    c->shared->diff_bytes = length;
    if (n->r->system.reads) {
        replay_applied(n->r, c->shared, n->id, interval);
    } else if (written) {
        replay_write_diff(n, c, interval, bytes);
        replay_move_tell(n, c, length);
    } else {
        *MAP_PUSH(m->entry, m->count, m->room) =
            (struct replay_close_entry){ c->shared, c->page, length, n->id, interval };
        m->bytes += policy_batch_size(length);
    }
    COUNT(n, diffs, 1);
    COUNT(n, diff_bytes, bytes);
    return true;
}

static bool replay_close_capture(struct replay_node *n, struct replay_copy *c, uint32_t interval,
                                 bool kept, struct replay_close_message **open, bool *changed)
{
    bool announce;

    if (!replay_copy_is_home(c, n)) {
        *changed = c->changed;
        return replay_close_send_diff(n, c, interval, open);
    }
    if (c->twin)
        n->debt += n->r->m.compare_ns * SIM_NS;
    announce = replay_close_flush_home(n, c, kept, changed);
    if (announce)
        replay_applied(n->r, c->shared, n->id, interval);
    return announce;
}

/* page_flush.c page_flush_to_close */
static bool replay_close_later(const struct replay_copy *c)
{
    return (c->flags & COPY_DIRTY) || (c->worded && !(c->flags & COPY_EXCLUSIVE));
}

static uint32_t replay_close_capture_all(struct replay_node *n, uint32_t count, uint32_t interval,
                                         uint32_t *announced, struct replay_close_message **open)
{
    uint32_t all = 0;
    bool sealing = false;

    for (uint32_t i = 0; i < count; i++) {
        struct replay_copy *c = replay_copy_of(n, n->taken[i]);
        bool changed, was = sealing;
        c->flags &= (uint8_t)~COPY_LISTED;
        if (!replay_close_later(c)) {
            c->worded = false;
            continue;
        }
        if ((c->flags & COPY_BUSY) && n->in_event) {
            replay_dirty_add_copy(n, c);
            continue;
        }
        if (c->flags & COPY_BUSY)
            replay_finish(n, c);
        bool seal =
            /* [page.retained-twin] */
            c->access == OPEN_STORES && (c->held || !policy_retain_stays(c->retain));
        sealing = seal;
        if (seal)
            c->access = OPEN_LOADS;
        if (seal && !was)
            n->debt += n->r->m.protect_ns * SIM_NS;
        bool kept = c->access == OPEN_STORES;
        bool announce = replay_close_capture(n, c, interval, kept, open, &changed);
        if (changed)
            replay_decided(n, replay_copy_is_home(c, n) ? DECISION_FLUSH_HOME : DECISION_FLUSH,
                           c->page);
        if (announce)
            announced[all++] = c->page;
        replay_close_flush_end(n, c, announce ? interval : 0, changed, kept);
    }
    return all;
}

/* Sends the notices to all nodes (notices_log.c), or stores them here (notices_read.c). */
static void replay_close_publish(struct replay_node *n, uint32_t *announced, uint32_t count)
{
    uint32_t interval = n->vt[n->id] + 1;

    n->interval = map_grow(n->interval, &n->intervals_room, interval + 1, sizeof *n->interval);
    n->interval[interval] = (struct replay_interval){ .page = announced, .count = count };
    COUNT(n, write_notices, count);
    for (uint32_t i = 0; i < count; i++) {
        struct replay_shared *s = replay_shared_of(n->r, announced[i]);
        *MAP_PUSH(s->announced, s->announcements, s->announced_room) =
            (struct replay_version){ n->id, interval };
    }
    if (n->r->protocol == REPLAY_ONESIDED) {
        replay_record(n, interval);
    } else {
        uint64_t post = n->r->system.notice_ns > 0 ? n->r->system.notice_ns : n->r->m.post_ns;
        uint64_t writes = 2 * (n->r->system.multicast ? 1u : n->r->nodes - 1);
        COUNT(n, rdma_writes, writes);
        n->debt += post * writes * SIM_NS;
    }
    n->vt[n->id] = interval;
}

static void replay_close_dirty(struct replay_node *n)
{
    struct replay_close_message **open;
    uint32_t count, *announced;

    replay_close_look_for_readers(n);
    count = replay_close_take_dirty(n);
    if (count == 0)
        return;
    replay_turn(n);
    open = fail_alloc(n->r->nodes, sizeof *open);
    announced = fail_alloc(count, sizeof *announced);
    uint32_t all = replay_close_capture_all(n, count, n->vt[n->id] + 1, announced, open);
    for (unsigned h = 0; h < n->r->nodes; h++) {
        if (open[h] != NULL && open[h]->count == 0) {
            free(open[h]);
            open[h] = NULL;
        }
        replay_close_send_message(n, &open[h]);
    }
    replay_await_written(n);
    if (all > 0)
        replay_close_publish(n, announced, all);
    else
        free(announced);
    free(open);
}

sim_time replay_close(struct replay_node *n)
{
    sim_time begun = n->r->loop.now, ended;

    n->closing = true;
    replay_close_dirty(n);
    n->closes++;
    n->closing = false;
    ended = replay_settle(n);
    n->spent[SPENT_FLUSHES] += ended - begun;
    return ended;
}

bool replay_clean(const struct replay_node *n, bool arrivals)
{
    return n->dirty_count == 0 && !(arrivals && n->exclusive_count > 0 && n->arrivals != n->seen);
}
