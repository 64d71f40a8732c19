/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * law_radix.c - apps/radix.c: in a pass a node reads from each node the N-th part of its keys.
 * Keys are uniform: a piece begins a standard deviation after its expected position, since it
 * hardly ever begins where a page does.
 */
#include "sim/law.h"

enum { KEYS, RADIX, PASSES };

struct law_radix {
    int64_t keys, row, first, below; /* bytes; first, below: this node's part */
    struct law_array bucket[2], count[2];
};

/* Where the keys of node M begin that node J reads. */
static int64_t law_radix_span(const struct law_run *r, int64_t keys, int64_t m, int64_t j)
{
    int64_t from = law_share_pages(r, keys, m), all = law_share_pages(r, keys, m + 1) - from;

    return 4 *
           (from + law_share(r, all, j) + law_root(all * j / r->nodes * (r->nodes - j) / r->nodes));
}

static void law_radix_pass(struct law_run *r, const struct law_radix *s, int from, bool is_last)
{
    int64_t n = r->node, nodes = r->nodes, counts = 4 * r->param[RADIX];

    for (int64_t d = 1; d < nodes; d++) {
        int64_t at = (n + d) % nodes * s->row;
        law_prefetch(r, s->count[from], at, at + counts);
    }
    for (int64_t m = 0; m < nodes; m++)
        law_read(r, s->count[from], m * s->row, m * s->row + counts);
    for (int64_t d = 1; d < nodes; d++) {
        int64_t m = (n + d) % nodes;
        law_prefetch(r, s->bucket[from], law_radix_span(r, s->keys, m, n),
                     law_radix_span(r, s->keys, m, n + 1));
    }
    for (int64_t m = 0; m < nodes; m++)
        law_read(r, s->bucket[from], law_radix_span(r, s->keys, m, n),
                 law_radix_span(r, s->keys, m, n + 1));
    if (!is_last)
        law_touch(r, s->count[1 - from], n * s->row, n * s->row + counts);
    law_touch(r, s->bucket[1 - from], s->first, s->below);
    law_barrier_after(r, s->below - s->first);
}

static void law_radix_sort(struct law_run *r, const struct law_radix *s, struct law_array key)
{
    int64_t passes = r->param[PASSES];

    law_read(r, key, s->first, s->below);
    law_touch(r, s->count[0], r->node * s->row, r->node * s->row + 4 * r->param[RADIX]);
    law_touch(r, s->bucket[0], s->first, s->below);
    law_barrier_after(r, s->below - s->first);
    for (int64_t pass = 0; pass < passes; pass++)
        law_radix_pass(r, s, (int)(pass % 2), pass == passes - 1);
}

static void law_radix_run(struct law_run *r)
{
    struct law_radix s = { .keys = law_grown(r, r->param[KEYS]) };

    s.row = law_whole(4 * r->param[RADIX], r->page);
    s.first = 4 * law_share_pages(r, s.keys, r->node);
    s.below = 4 * law_share_pages(r, s.keys, r->node + 1);
    struct law_array key = law_array_all(r, 4 * s.keys);
    for (int i = 0; i < 2; i++) {
        s.bucket[i] = law_array_all(r, 4 * s.keys);
        s.count[i] = law_array_all(r, r->nodes * s.row);
    }
    struct law_array note = law_array_all(r, r->nodes * r->page);

    law_write(r, key, s.first, s.below);
    law_write(r, note, r->node * r->page, r->node * r->page + 24);
    law_barrier_after(r, s.below - s.first);
    law_radix_sort(r, &s, key);
    law_radix_sort(r, &s, key);
    law_read(r, s.bucket[r->param[PASSES] % 2], law_max(0, s.first - 4), s.below);
    law_write(r, note, r->node * r->page, r->node * r->page + 64);
    law_barrier_after(r, s.below - s.first);
    if (r->node == 0)
        law_read(r, note, 0, (r->nodes - 1) * r->page + 64);
    law_barrier(r);
}

const struct law law_radix = {
    "radix",
    law_radix_run,
    { { "keys", 1048576, 1, INT64_C(1) << 32 },
      { "radix", 1024, 1, 1 << 24 },
      { "passes", 2, 1, 32 } },
};
