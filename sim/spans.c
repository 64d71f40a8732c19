/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* spans.c - see spans.h. */
#include "sim/spans.h"

#include <stdlib.h>

#include "sim/map.h"

bool spans_ends(unsigned kind)
{
    return kind == RECORD_LOCK || kind == RECORD_UNLOCK || kind == RECORD_ARRIVE ||
           kind == RECORD_DEPART || kind == RECORD_WAIT || kind == RECORD_WOKEN ||
           kind == RECORD_GROUP || kind == RECORD_END;
}

bool spans_faults(unsigned kind)
{
    return kind == RECORD_READ || kind == RECORD_WRITE || kind == RECORD_LOOK;
}

uint64_t spans_of_item(const struct trace *t, unsigned kind, uint64_t time)
{
    uint64_t fault = spans_faults(kind) ? t->set[RECORD_SET_fault_units] : 0,
             units = time > fault ? time - fault : 0;

    return (uint64_t)((__uint128_t)units * 1000000000 / t->set[RECORD_SET_units_s]);
}

void spans_read(struct spans *s, const struct trace *t, unsigned node)
{
    const struct trace_part *p = &t->part[node];
    struct record_reader stream = { p->stream, p->stream_end, 0, t->set[RECORD_SET_pages] };
    struct record_item item;
    uint64_t sum = 0;

    *s = (struct spans){ .count = 0 };
    while (record_get(&stream, &item) > 0) {
        sum += spans_of_item(t, item.kind, item.time);
        if (!spans_ends(item.kind))
            continue;
        *MAP_PUSH(s->at, s->count, s->room) = (struct spans_span){ sum, (unsigned char)item.kind };
        sum = 0;
    }
    *MAP_PUSH(s->at, s->count, s->room) = (struct spans_span){ sum, RECORD_KIND_COUNT };
}

void spans_free(struct spans *s)
{
    free(s->at);
    *s = (struct spans){ .count = 0 };
}

uint32_t spans_differ(const struct spans *a, const struct spans *b)
{
    for (uint32_t i = 0; i < a->count && i < b->count; i++)
        if (a->at[i].kind != b->at[i].kind)
            return i + 1;
    return a->count != b->count ? (a->count < b->count ? a->count : b->count) + 1 : 0;
}

uint32_t spans_pace_begin(struct spans_pace *p, const struct trace *here, const struct trace *there,
                          unsigned node)
{
    uint32_t differ;

    *p = (struct spans_pace){ .at = 0 };
    spans_read(&p->here, here, node);
    spans_read(&p->there, there, node);
    differ = spans_differ(&p->here, &p->there);
    if (differ != 0)
        spans_pace_end(p);
    return differ;
}

void spans_pace_end(struct spans_pace *p)
{
    spans_free(&p->here);
    spans_free(&p->there);
}

uint64_t spans_pace_next(struct spans_pace *p, unsigned kind, uint64_t units)
{
    uint64_t here = p->here.at[p->at].ns, there = p->there.at[p->at].ns, before = p->given;
    bool ends = spans_ends(kind);

    p->done += units;
    p->given = ends ? there : here == 0 ? 0 : (uint64_t)((__uint128_t)there * p->done / here);
    uint64_t now = p->given - before;
    if (ends) {
        p->at++;
        p->done = p->given = 0;
    }
    return now;
}
