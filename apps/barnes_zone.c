/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* barnes_zone.c - see barnes_zone.h. */
#include "apps/barnes_zone.h"

#include <math.h>
#include <string.h>

struct box box_empty(void)
{
    return (struct box){ { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
}

static void box_join(struct box *box, const struct box *other)
{
    for (int d = 0; d < 3; d++) {
        box->low[d] = other->low[d] < box->low[d] ? other->low[d] : box->low[d];
        box->high[d] = other->high[d] > box->high[d] ? other->high[d] : box->high[d];
    }
}

void box_add(struct box *box, double x, double y, double z)
{
    const struct box point = { { x, y, z }, { x, y, z } };

    box_join(box, &point);
}

void zone_init(struct zone *zone, const struct space *s)
{
    zone->count = 0;
    zone->begin = 0;
    zone->end = KEY_END;
    zone->list = app_private("the order of bodies", s->total * sizeof *zone->list);
}

uint32_t entry_search(const struct entry *entry, uint32_t begin, uint32_t end, uint64_t key)
{
    while (begin < end) {
        uint32_t middle = begin + (end - begin) / 2;

        if (entry[middle].key < key)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/* A cube somewhat larger than the box of all bodies. */
static void find_cube(struct zone *zone, const struct space *s)
{
    struct box box = box_empty();
    double side = 0;

    for (int node = 0; node < app.nodes; node++)
        box_join(&box, &note_of(s, node)->box);
    for (int d = 0; d < 3; d++)
        side = fmax(side, box.high[d] - box.low[d]);
    zone->cube.side = side > 0 ? side * (1 + 1e-6) : 1;
    for (int d = 0; d < 3; d++)
        zone->cube.low[d] = 0.5 * (box.low[d] + box.high[d] - zone->cube.side);
}

/* Moves bit i to bit 3i. */
static uint64_t spread(uint64_t bits)
{
    bits = (bits | bits << 32) & UINT64_C(0x001f00000000ffff);
    bits = (bits | bits << 16) & UINT64_C(0x001f0000ff0000ff);
    bits = (bits | bits << 8) & UINT64_C(0x100f00f00f00f00f);
    bits = (bits | bits << 4) & UINT64_C(0x10c30c30c30c30c3);
    return (bits | bits << 2) & UINT64_C(0x1249249249249249);
}

static uint64_t coordinate(double x, double low, double scale)
{
    double at = (x - low) * scale;
    const double last = (1 << KEY_LEVELS) - 1;

    return at > 0 ? (uint64_t)(at < last ? at : last) : 0;
}

uint64_t body_key(const struct cube *cube, const struct body *b)
{
    double scale = (1 << KEY_LEVELS) / cube->side;

    return spread(coordinate(b->x, cube->low[0], scale)) |
           spread(coordinate(b->y, cube->low[1], scale)) << 1 |
           spread(coordinate(b->z, cube->low[2], scale)) << 2;
}

static struct body drifted(const struct body *b, const struct motion *m, double drift)
{
    return (struct body){ b->x + m->x * drift, b->y + m->y * drift, b->z + m->z * drift, b->mass };
}

static bool before(const struct entry *a, const struct entry *b)
{
    return a->key < b->key || (a->key == b->key && a->id < b->id);
}

static void insertion_sort(struct entry *entry, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        struct entry moving = entry[i];
        uint32_t k = i;

        for (; k > 0 && before(&moving, &entry[k - 1]); k--)
            entry[k] = entry[k - 1];
        entry[k] = moving;
    }
}

/* Merges [0, half) and [half, n), each in order; the lower half is copied to `spare`. */
static void merge_halves(struct entry *entry, struct entry *spare, uint32_t half, uint32_t n)
{
    uint32_t low = 0, high = half, to = 0;

    memcpy(spare, entry, half * sizeof *entry);
    while (low < half && high < n)
        entry[to++] = before(&entry[high], &spare[low]) ? entry[high++] : spare[low++];
    memcpy(&entry[to], &spare[low], (half - low) * sizeof *entry);
}

/* Merge sort, since the bodies are almost in the order of the last step. */
static void sort_entries(struct entry *entry, struct entry *spare, uint32_t n)
{
    uint32_t half = n / 2;

    if (n <= 16) {
        insertion_sort(entry, n);
        return;
    }
    sort_entries(entry, spare, half);
    sort_entries(entry + half, spare, n - half);
    if (before(&entry[half], &entry[half - 1]))
        merge_halves(entry, spare, half, n);
}

/* A cut between two of this node's bodies whose common cube has more than LEAF bodies. */
static struct cut make_cut(const struct entry *sorted, uint32_t low, uint32_t high,
                           uint64_t cost_low, const struct motion *motion)
{
    unsigned level = common_level(sorted[low].key, sorted[high].key) + 1;
    struct cut cut = { .key = cube_begin(sorted[high].key, level), .cost = cost_low };

    cut.before = entry_search(sorted, low, high, cut.key);
    for (uint32_t i = low; i < cut.before; i++)
        cut.cost += motion[sorted[i].from].cost;
    return cut;
}

/* Offers cuts at about equal cost intervals. */
static void note_cuts(const struct entry *sorted, const struct motion *motion, struct note *note)
{
    uint64_t cost = 0, cost_low = 0, apart = note->cost / (CUTS + 1);
    uint32_t low = 0;

    note->cuts = 0;
    for (uint32_t i = 0; i < note->sorted; i++) {
        if (cost - cost_low >= apart && i - low >= LEAF && sorted[i].key != sorted[low].key &&
            note->cuts < CUTS) {
            note->cut[note->cuts++] = make_cut(sorted, low, i, cost_low, motion);
            low = i;
            cost_low = cost;
        }
        cost += motion[sorted[i].from].cost;
    }
}

void zone_sort(struct zone *zone, const struct space *s, int old, double drift)
{
    struct note *note = note_of(s, app.node);
    struct entry *sorted = sorted_of(s, app.node);
    const struct motion *motion = s->motion[old];
    uint32_t base = (uint32_t)((size_t)app.node * s->stride);

    app_will_read(s->notes, (size_t)app.nodes * sizeof *s->notes);
    app_will_write(sorted, zone->count * sizeof *sorted);
    app_will_write(note, sizeof *note);
    find_cube(zone, s);
    note->sorted = zone->count;
    note->cost = 0;
    for (uint32_t i = 0; i < zone->count; i++) {
        struct body b = drifted(&s->body[old][base + i], &motion[base + i], drift);

        sorted[i] = (struct entry){ body_key(&zone->cube, &b), motion[base + i].id, base + i };
        note->cost += motion[base + i].cost;
    }
    sort_entries(sorted, zone->list, zone->count);
    note->first_key = zone->count != 0 ? sorted[0].key : KEY_END;
    note->last_key = zone->count != 0 ? sorted[zone->count - 1].key : 0;
    if (app.nodes > 1)
        note_cuts(sorted, motion, note);
}

/* Number of a node's cuts at `key` or below. */
static uint32_t cuts_up_to(const struct note *note, uint64_t key)
{
    uint32_t begin = 0, end = note->cuts;

    while (begin < end) {
        uint32_t middle = begin + (end - begin) / 2;

        if (note->cut[middle].key <= key)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/* The cost of all bodies below `key`, as estimated from the cuts; monotonic in the key. */
static uint64_t cost_below(const struct space *s, uint64_t key)
{
    uint64_t cost = 0;

    for (int node = 0; node < app.nodes; node++) {
        const struct note *note = note_of(s, node);
        uint32_t cuts = cuts_up_to(note, key);

        cost += cuts != 0 ? note->cut[cuts - 1].cost : 0;
    }
    return cost;
}

/* The start of the zone of `node`: the first cut with the cost of all lower zones below it. */
static uint64_t zone_border(const struct space *s, int node)
{
    uint64_t total = 0, low = 0, high = KEY_END;

    for (int i = 0; i < app.nodes; i++)
        total += note_of(s, i)->cost;
    if (node == app.nodes)
        return KEY_END;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (cost_below(s, middle) >= total * (uint64_t)node / (uint64_t)app.nodes)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Number of a node's bodies below `key`. The cuts narrow the search, so that few pages are
 * read. */
static uint32_t bodies_below(const struct space *s, int node, uint64_t key)
{
    const struct note *note = note_of(s, node);
    uint32_t cuts = cuts_up_to(note, key);
    uint32_t begin = cuts != 0 ? note->cut[cuts - 1].before : 0;
    uint32_t end = cuts < note->cuts ? note->cut[cuts].before : note->sorted;

    if (key <= note->first_key)
        return 0;
    if (key > note->last_key)
        return note->sorted;
    if (cuts != 0 && note->cut[cuts - 1].key == key)
        return begin;
    return entry_search(sorted_of(s, node), begin, end, key);
}

/* Merges a run of a node's entries into the list, from the end, so that entries already in place
 * do not move. */
static void merge_run(struct zone *zone, const struct entry *run, uint32_t n)
{
    struct entry *list = zone->list;
    uint32_t have = zone->count, to = have + n;

    zone->count = to;
    while (n != 0)
        list[--to] = have != 0 && before(&run[n - 1], &list[have - 1]) ? list[--have] : run[--n];
}

static void gather_from(struct zone *zone, const struct space *s, int node)
{
    uint32_t begin = bodies_below(s, node, zone->begin), end = bodies_below(s, node, zone->end);
    const struct entry *run = &sorted_of(s, node)[begin];

    if (begin >= end)
        return;
    if (node != app.node)
        app_will_read(run, (end - begin) * sizeof *run);
    merge_run(zone, run, end - begin);
}

void zone_gather(struct zone *zone, const struct space *s, int old, double drift)
{
    size_t base = (size_t)app.node * s->stride;
    struct body *to = &s->body[!old][base];

    app_will_read(s->notes, (size_t)app.nodes * sizeof *s->notes);
    zone->begin = zone_border(s, app.node);
    zone->end = zone_border(s, app.node + 1);
    zone->count = 0;
    for (int node = 0; node < app.nodes; node++)
        gather_from(zone, s, node);
    app_will_write(to, zone->count * sizeof *to);
    for (uint32_t i = 0; i < zone->count; i++) {
        uint32_t from = zone->list[i].from;

        to[i] = drifted(&s->body[old][from], &s->motion[old][from], drift);
    }
}
