/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* decisions.c - see decisions.h. */
#include "sim/decisions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/map.h"
#include "sim/script.h"

void decisions_note(struct decisions *all, struct decisions_entry decision)
{
    if (all == NULL)
        return;
    *MAP_PUSH(all->at, all->count, all->room) = decision;
}

void decisions_note_ahead(struct decisions *all, struct decisions_entry decision, uint32_t count,
                          uint64_t how)
{
    decision.kind = how & RECORD_CLAIMS   ? DECISION_CLAIM
                    : how & RECORD_STORES ? DECISION_AHEAD_STORES
                                          : DECISION_AHEAD;
    for (uint32_t i = 0; i < count; i++, decision.page++)
        decisions_note(all, decision);
}

/* ---- of the run ---- */

struct decisions_traced {
    struct decisions *all;
    uint32_t node, barriers;
};

static void decisions_note_home(void *self, uint32_t page, enum script_home what, uint32_t barriers)
{
    const struct decisions_traced *t = self;

    if (what != HOME_TRIED)
        decisions_note(t->all, (struct decisions_entry){ t->node, barriers, page,
                                                         what == HOME_HERE ? DECISION_FLUSH_HOME
                                                                           : DECISION_FLUSH,
                                                         true });
}

static void decisions_note_item(const struct decisions_traced *t, const struct record_item *item)
{
    struct decisions_entry d = { t->node, t->barriers, (uint32_t)item->arg[0], DECISION_LOAD,
                                 true };

    switch (item->kind) {
    case RECORD_READ:
        break;
    case RECORD_WRITE:
        d.kind = DECISION_STORE;
        break;
    case RECORD_RENEWED:
        d.kind = DECISION_UPDATE;
        break;
    case RECORD_AHEAD:
        decisions_note_ahead(t->all, d, (uint32_t)item->arg[2], item->arg[3]);
        return;
    default:
        return;
    }
    decisions_note(t->all, d);
}

void decisions_note_traced(struct decisions *all, const struct trace *t)
{
    struct decisions_traced traced = { .all = all };
    struct record_item item;
    struct script s;

    for (; traced.node < t->set[RECORD_SET_nodes]; traced.node++) {
        traced.barriers = 0;
        script_open(&s, t, traced.node);
        while (record_get(&s.stream, &item) > 0) {
            traced.barriers += item.kind == RECORD_DEPART;
            decisions_note_item(&traced, &item);
        }
        script_close(&s);
        script_homes(t, traced.node, decisions_note_home, &traced);
    }
}

/* ---- both ---- */

static int decisions_compare(uint32_t x, uint32_t y)
{
    return (x > y) - (x < y);
}

static int decisions_by_subject(const void *a, const void *b)
{
    const struct decisions_entry *x = a, *y = b;
    int order = decisions_compare(x->node, y->node);

    order = order != 0 ? order : decisions_compare(x->barriers, y->barriers);
    order = order != 0 ? order : decisions_compare(x->kind, y->kind);
    return order != 0 ? order : decisions_compare(x->page, y->page);
}

void decisions_print(struct decisions *all)
{
    static const char *const words[] = {
#define X(name, word) word,
        DECISION_KINDS(X)
#undef X
    };

    if (all->count > 0)
        qsort(all->at, all->count, sizeof *all->at, decisions_by_subject);
    puts("decision,node,barriers,page,replayed,traced");
    for (uint32_t i = 0, next; i < all->count; i = next) {
        const struct decisions_entry *d = &all->at[i];
        uint32_t times[2] = { 0, 0 };
        for (next = i; next < all->count && decisions_by_subject(d, &all->at[next]) == 0; next++)
            times[all->at[next].traced]++;
        printf("%s,%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 "\n", words[d->kind],
               d->node, d->barriers, d->page, times[false], times[true]);
    }
}

void decisions_free(struct decisions *all)
{
    free(all->at);
    *all = (struct decisions){ 0 };
}
