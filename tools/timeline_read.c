/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* timeline_read.c - see timeline_read.h. Related events are joined in timeline_join.c. */
#include "tools/timeline_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hlrc/progress/bulk.h"
#include "tools/timeline_join.h"

/* Holds the product of two times. */
__extension__ typedef __int128 wide;

#define KINDS (TIMELINE_SERVE_BULK + BULK_TYPES)
#define LANES (UINT32_C(1) << 16)
/* Ticks: decades at some gigahertz. */
#define FURTHEST (INT64_MAX / 4)

/* A machine's clock: ns since `start`, with `ns` nanoseconds per `ticks` ticks. */
struct timeline_read_rule {
    struct clock_moment start;
    int64_t ticks, ns;
};

/* ---- validation ---- */

static bool timeline_read_is_time(int64_t t)
{
    return t >= 0 && t <= FURTHEST;
}

static bool timeline_read_sound_clock(const struct timeline_head *h)
{
    bool yes = timeline_read_is_time(h->start.ticks) && timeline_read_is_time(h->start.ns) &&
               timeline_read_is_time(h->end.ticks) && timeline_read_is_time(h->end.ns);
    for (int i = 0; i < 2; i++) {
        const struct timeline_offset *o = &h->offset[i];
        yes = yes && timeline_read_is_time(o->at) && o->ahead <= FURTHEST &&
              o->ahead >= -FURTHEST && o->error <= FURTHEST;
    }
    return yes;
}

static bool timeline_read_sound(const struct timeline_read_memory *m, int node)
{
    const struct timeline_head *h = m->at;
    if (!h || m->bytes < sizeof *h || h->magic != TIMELINE_MAGIC || h->node != (uint32_t)node ||
        !timeline_read_sound_clock(h) || h->lanes < 2 || h->lanes > LANES ||
        h->workers > h->lanes - 2 || h->records == 0)
        return false;
    size_t lane =
        sizeof(struct timeline_lane) + (size_t)h->records * sizeof(struct timeline_record);
    return (m->bytes - sizeof *h) / h->lanes >= lane && h->host[sizeof h->host - 1] == '\0' &&
           h->fabric[sizeof h->fabric - 1] == '\0' && h->protocol[sizeof h->protocol - 1] == '\0';
}

static const struct timeline_lane *timeline_read_lanes_of(const struct timeline_head *h)
{
    return (const struct timeline_lane *)(h + 1);
}

static const struct timeline_record *timeline_read_records_of(const struct timeline_head *h,
                                                              uint32_t lane)
{
    const void *all = timeline_read_lanes_of(h) + h->lanes;
    return (const struct timeline_record *)all + (size_t)lane * h->records;
}

/* ---- clocks ---- */

/* The first node of its machine. */
static const struct timeline_head *timeline_read_leader(const struct timeline_read_all *t, int node)
{
    for (int n = 0; n < node; n++)
        if (t->node[n].head && t->node[n].head->machine == t->node[node].head->machine)
            return t->node[n].head;
    return t->node[node].head;
}

/* Of the first node of its machine that noted its end; otherwise until `now`. */
static struct timeline_read_rule timeline_read_rule_of(const struct timeline_read_all *t, int node,
                                                       struct clock_moment now)
{
    const struct timeline_head *first = timeline_read_leader(t, node), *h = first;
    for (int n = 0; n < t->nodes && h->end.ns <= h->start.ns; n++)
        if (t->node[n].head && t->node[n].head->machine == first->machine)
            h = t->node[n].head;
    bool ended = h->end.ns > h->start.ns && h->end.ticks > h->start.ticks;
    struct timeline_read_rule r = { first->start, 1, 1 };
    if (first->start.ticks == first->start.ns)
        return r;
    struct clock_moment end = ended ? h->end : now;
    r.start = ended ? h->start : first->start;
    r.ticks = end.ticks - r.start.ticks;
    r.ns = end.ns - r.start.ns;
    return r.ticks > 0 && r.ns > 0 ? r : (struct timeline_read_rule){ r.start, 1, 1 };
}

static int64_t timeline_read_local_time(const struct timeline_read_rule *r, int64_t ticks)
{
    return r->start.ns + (int64_t)((wide)(ticks - r->start.ticks) * r->ns / r->ticks);
}

struct timeline_offset timeline_read_offset_of(const struct timeline_read_all *t, int node,
                                               int64_t local)
{
    const struct timeline_head *h = timeline_read_leader(t, node), *zero = t->node[0].head;
    const struct timeline_offset *a = &h->offset[0], *b = &h->offset[1];
    if (zero && zero->machine == h->machine)
        return (struct timeline_offset){ local, 0, 0 };
    if (a->error < 0 || b->error < 0 || b->at <= a->at)
        return (struct timeline_offset){ local, a->error < 0 ? 0 : a->ahead, a->error };
    wide way = local < a->at ? 0 : local > b->at ? b->at - a->at : local - a->at;
    int64_t ahead = a->ahead + (int64_t)(way * (b->ahead - a->ahead) / (b->at - a->at));
    return (struct timeline_offset){ local, ahead, a->error > b->error ? a->error : b->error };
}

static int64_t timeline_read_common_time(const struct timeline_read_all *t, int node,
                                         const struct timeline_read_rule *r, int64_t ticks)
{
    int64_t local = timeline_read_local_time(r, ticks);
    return local - timeline_read_offset_of(t, node, local).ahead;
}

/* ---- records ---- */

/* Reads a record. True if it is whole and plausible. */
static bool timeline_read_take(const struct timeline_read_all *t, int node,
                               const struct timeline_read_rule *rule,
                               const struct timeline_record *r, struct timeline_read_event *e)
{
    uint64_t what = atomic_load_explicit(&r->what, memory_order_acquire);
    e->kind = (uint32_t)(what >> 32);
    e->peer = (int)(uint32_t)what - 1;
    if (e->kind == TIMELINE_NONE || e->kind >= KINDS || e->peer < -1 || e->peer >= t->nodes ||
        r->begin < 0 || r->begin > r->end || r->end > FURTHEST)
        return false;
    e->begin = timeline_read_common_time(t, node, rule, r->begin) - t->origin;
    e->end = timeline_read_common_time(t, node, rule, r->end) - t->origin;
    e->object = r->object;
    e->extra = r->extra;
    if (e->kind == TIMELINE_PREFETCH && r->extra > (uint64_t)r->begin)
        e->extra = (uint64_t)e->begin;
    else if (e->kind == TIMELINE_PREFETCH)
        e->extra =
            (uint64_t)(timeline_read_common_time(t, node, rule, (int64_t)r->extra) - t->origin);
    return e->begin >= 0;
}

static int timeline_read_by_begin(const void *left, const void *right)
{
    const struct timeline_read_event *a = left, *b = right;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return a->end > b->end ? -1 : a->end < b->end;
}

static void timeline_read_take_lane(const struct timeline_read_all *t, int index,
                                    const struct timeline_read_rule *rule, uint32_t lane)
{
    struct timeline_read_node *node = &t->node[index];
    const struct timeline_head *h = node->head;
    const struct timeline_record *records = timeline_read_records_of(h, lane);
    uint64_t count =
        atomic_load_explicit(&timeline_read_lanes_of(h)[lane].count, memory_order_acquire);
    uint64_t first = count > h->records ? count - h->records : 0;
    size_t before = node->count;
    for (uint64_t i = first; i < count; i++) {
        struct timeline_read_event *e = &node->events[node->count];
        e->lane = lane;
        node->count += timeline_read_take(t, index, rule, &records[i % h->records], e);
    }
    node->dropped += first;
    qsort(node->events + before, node->count - before, sizeof *node->events,
          timeline_read_by_begin);
}

static int timeline_read_take_node(const struct timeline_read_all *t, int index,
                                   const struct timeline_read_rule *rule)
{
    struct timeline_read_node *node = &t->node[index];
    size_t room = 0;
    for (uint32_t k = 0; k < node->head->lanes; k++) {
        uint64_t count = atomic_load(&timeline_read_lanes_of(node->head)[k].count);
        room += count < node->head->records ? count : node->head->records;
    }
    node->events = calloc(room ? room : 1, sizeof *node->events);
    if (!node->events)
        return -ENOMEM;
    for (uint32_t k = 0; k < node->head->lanes; k++)
        timeline_read_take_lane(t, index, rule, k);
    return 0;
}

int timeline_read(struct timeline_read_all *t, const struct timeline_read_memory *memory, int nodes,
                  struct clock_moment now)
{
    int rc = 0;
    *t = (struct timeline_read_all){ .node = calloc((size_t)nodes, sizeof *t->node),
                                     .nodes = nodes };
    struct timeline_read_rule *rule = calloc((size_t)nodes, sizeof *rule);
    if (!t->node || !rule)
        rc = -ENOMEM;
    for (int n = 0; n < nodes && rc == 0; n++)
        t->node[n].head = timeline_read_sound(&memory[n], n) ? memory[n].at : NULL;
    t->origin = INT64_MAX;
    for (int n = 0; n < nodes && rc == 0; n++)
        if (t->node[n].head) {
            rule[n] = timeline_read_rule_of(t, n, now);
            int64_t start = timeline_read_common_time(t, n, &rule[n], t->node[n].head->start.ticks);
            t->origin = start < t->origin ? start : t->origin;
        }
    for (int n = 0; n < nodes && rc == 0; n++)
        if (t->node[n].head)
            rc = timeline_read_take_node(t, n, &rule[n]);
    if (rc == 0)
        rc = timeline_join(t);
    free(rule);
    if (rc)
        timeline_read_end(t);
    return rc;
}

void timeline_read_end(struct timeline_read_all *t)
{
    for (int n = 0; n < t->nodes && t->node; n++)
        free(t->node[n].events);
    free(t->node);
    free(t->arrows);
    free(t->held);
    *t = (struct timeline_read_all){ .node = NULL };
}
