/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * law_is.c - apps/is.c: keys and key values in whole pages. Each node reads all other nodes'
 * counts of its own values. Class W; the parameters of other classes are in apps/is_check.c.
 */
#include "sim/law.h"

/* KEY0 to KEY4: the keys that are checked, wherever they are; TOP: the largest of their values. */
enum { KEYS, VALUES, ITERATIONS, KEY0, TOP = KEY0 + 5 };

struct law_is {
    int64_t keys, values, row;
    int64_t first, below; /* this node's keys */
    int64_t low, high;    /* and values */
    struct law_array key, counts, rank, note, sorted;
};

static int64_t law_is_owner(const struct law_run *r, int64_t values, int64_t value)
{
    int64_t unit = r->page / 4, blocks = (values + unit - 1) / unit;

    return law_min(r->nodes - 1, (value / unit * r->nodes + r->nodes - 1) / blocks);
}

/* Two keys of the first page are replaced; then all are counted. */
static void law_is_count(struct law_run *r, const struct law_is *s)
{
    int64_t own = r->node * s->row;

    if (s->first == 0)
        law_write(r, s->key, 0, 4 * 2 * r->param[ITERATIONS]);
    law_read(r, s->key, 4 * s->first, 4 * s->below);
    law_work(r, s->below - s->first);
    law_touch(r, s->counts, own, own + 4 * s->low);
    law_touch(r, s->counts, own + 4 * s->high, own + 4 * s->values);
    law_barrier(r);
}

static void law_is_add(struct law_run *r, const struct law_is *s)
{
    for (int64_t d = 1; d < r->nodes; d++) {
        int64_t at = (r->node + d) % r->nodes * s->row;
        law_prefetch(r, s->counts, at + 4 * s->low, at + 4 * s->high);
    }
    for (int64_t d = 1; d < r->nodes; d++) {
        int64_t at = (r->node + d) % r->nodes * s->row;
        law_read(r, s->counts, at + 4 * s->low, at + 4 * s->high);
    }
    law_write(r, s->note, r->node * r->page, r->node * r->page + 24);
    for (int i = KEY0; i < TOP; i++)
        law_read(r, s->key, 4 * r->param[i], 4 * r->param[i] + 4);
    /* as many values for any number of nodes, and one more location for each node */
    law_barrier_after(r, r->nodes);
}

static int64_t law_is_fourth(int64_t x)
{
    return x < 0 ? 0 : x * x / 4096 * x / 4096 * x / 4096;
}

/* The expected number of keys with a value below V: a value is the sum of four uniform numbers. In
 * 1/4096. */
static int64_t law_is_below(const struct law_is *s, int64_t v)
{
    int64_t x = 4096 * 4 * v / s->values;

    return s->keys / 4096 *
           (law_is_fourth(x) - 4 * law_is_fourth(x - 4096) + 6 * law_is_fourth(x - 8192) -
            4 * law_is_fourth(x - 12288)) /
           24;
}

static void law_is_sort(struct law_run *r, const struct law_is *s)
{
    if (r->node > 0)
        law_read(r, s->note, 0, (r->node - 1) * r->page + 24);
    law_read(r, s->rank, 4 * s->low, 4 * s->high);
    for (int64_t d = 0; d < r->nodes; d++) {
        int64_t other = (r->node + d) % r->nodes;
        int64_t from = 4 * law_share_pages(r, s->keys, other);
        int64_t to = 4 * law_share_pages(r, s->keys, other + 1);
        law_prefetch(r, s->key, from, to);
        law_read(r, s->key, from, to);
        if (d == 0)
            law_write(r, s->sorted, 4 * law_is_below(s, s->low),
                      4 * law_min(s->keys, law_is_below(s, s->high)));
    }
    law_barrier_after(r, s->keys);
}

static void law_is_verify(struct law_run *r, const struct law_is *s)
{
    law_read(r, s->sorted, 4 * law_max(0, s->first - 1), 4 * s->below);
    law_read(r, s->key, 4 * s->first, 4 * s->below);
    law_write(r, s->note, r->node * r->page, r->node * r->page + 40);
    law_barrier_after(r, s->below - s->first);
    if (r->node == 0) {
        law_read(r, s->note, 0, r->nodes * r->page);
        law_read(r, s->rank, 0, 4 * s->values);
        law_work(r, s->keys);
    }
    law_barrier(r);
}

static void law_is_make(struct law_run *r, struct law_is *s)
{
    s->row = law_whole(4 * s->values, r->page);
    s->key = law_array_all(r, 4 * s->keys);
    s->counts = law_array_all(r, r->nodes * s->row);
    s->rank = law_array_all(r, 4 * s->values);
    s->note = law_array_all(r, r->nodes * r->page);
    s->sorted = law_array_all(r, 4 * s->keys);
    s->first = law_share_pages(r, s->keys, r->node);
    s->below = law_share_pages(r, s->keys, r->node + 1);
    s->low = law_share_pages(r, s->values, r->node);
    s->high = law_share_pages(r, s->values, r->node + 1);
}

static void law_is_run(struct law_run *r)
{
    struct law_is s = { .keys = law_grown(r, r->param[KEYS]),
                        .values = law_grown(r, r->param[VALUES]) };

    law_is_make(r, &s);
    law_write(r, s.key, 4 * s.first, 4 * s.below);
    law_work(r, s.below - s.first);
    for (int64_t i = 0; i <= r->param[ITERATIONS]; i++) {
        law_is_count(r, &s);
        law_is_add(r, &s);
        if (r->node == 0 && i > 0)
            law_read(r, s.note, 0, law_is_owner(r, s.values, r->param[TOP]) * r->page + 24);
    }
    law_touch(r, s.rank, 4 * s.low, 4 * s.high);
    law_barrier_after(r, s.high - s.low);
    law_is_sort(r, &s);
    law_is_verify(r, &s);
}

const struct law law_is = {
    "is",
    law_is_run,
    { { "keys", 1048576, 1, INT64_C(1) << 32 },
      { "values", 65536, 1, 1 << 24 },
      { "iterations", 10, 1, 1 << 16 },
      { "key0", 357773, 0, INT64_C(1) << 32 },
      { "key1", 934767, 0, INT64_C(1) << 32 },
      { "key2", 875723, 0, INT64_C(1) << 32 },
      { "key3", 898999, 0, INT64_C(1) << 32 },
      { "key4", 404505, 0, INT64_C(1) << 32 },
      { "top", 60014, 0, 1 << 24 } },
};
