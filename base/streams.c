/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* streams.c - see streams.h, and hlrc/memory/ahead.h for the invariants. */
#include "base/streams.h"

#include <stddef.h>

#define SLACK 8 /* pages after the opened ones, some of which may have been accessible before */

static bool streams_adjacent(int32_t stride)
{
    return stride == 1 || stride == -1;
}

/* Steps of the stream from its last fault to the page; 0 if the page is not on its path. */
static uint32_t streams_steps_to(const struct streams_stream *s, uint32_t page)
{
    int64_t away = (int64_t)page - s->last;
    if (s->stride == 0 || away % s->stride != 0 || away / s->stride <= 0 ||
        away / s->stride > UINT16_MAX)
        return 0;
    return (uint32_t)(away / s->stride);
}

/* True if a fault `steps` ahead is where the stream was expected. */
static bool streams_expected(const struct streams_stream *s, uint32_t steps)
{
    uint32_t behind = steps - s->opened; /* wraps if the page is among the opened ones */
    return steps > s->opened && behind <= (s->opened && streams_adjacent(s->stride) ? SLACK : 1u);
}

/* Ends a stream. If its readahead was not used up, the next one starts with less. */
static void streams_forget(struct streams_table *s, struct streams_stream *a, bool write)
{
    if (a->opened && !a->trusted && s->doubt[write] < AHEAD_DOUBT)
        s->doubt[write]++;
    *a = (struct streams_stream){ .last = a->last };
}

/* A stream has faulted after the pages opened for it. */
static void streams_trust(struct streams_table *s, struct streams_stream *a, bool write)
{
    if (s->doubt[write] > 0)
        s->doubt[write]--;
    a->trusted = true;
}

static uint32_t streams_widen(const struct streams_table *s, const struct streams_stream *a,
                              bool write)
{
    if (a->opened)
        return 2 * a->opened;
    return a->run >= AHEAD_FIRST ? AHEAD_FIRST : AHEAD_FIRST >> s->doubt[write];
}

/* The stream that this fault may continue; else the least recently used one, which starts anew. */
static struct streams_stream *streams_find(struct streams_table *s, uint32_t page, bool write)
{
    struct streams_stream *all = s->of[write], *oldest = &all[0], *near = NULL;
    for (size_t i = 0; i < AHEAD_STREAMS; i++) {
        struct streams_stream *a = &all[i];
        uint32_t steps = streams_steps_to(a, page),
                 away = page > a->last ? page - a->last : a->last - page;
        if (a->seen && steps && steps <= a->opened + (a->opened ? SLACK : 1u))
            return a;
        if (a->seen && a->opened == 0 && away <= AHEAD_FAR)
            near = a;
        if (a->seen < oldest->seen)
            oldest = a;
    }
    if (near)
        return near;
    streams_forget(s, oldest, write);
    oldest->last = page;
    return oldest;
}

static bool streams_was_faulted(const uint32_t *past, int64_t page)
{
    bool found = false;
    for (size_t i = 0; i < AHEAD_PAST; i++)
        found = found || past[i] == page + 1;
    return page >= 0 && found;
}

static int64_t streams_apart(int64_t stride)
{
    return stride < 0 ? -stride : stride;
}

/* The shortest distance above AHEAD_FAR at which three past faults led to this page; 0: none. */
static int32_t streams_far_stride(const uint32_t *past, uint32_t page)
{
    int64_t best = 0;
    for (size_t i = 0; i < AHEAD_PAST; i++) {
        int64_t away = (int64_t)page + 1 - past[i];
        if (past[i] && streams_apart(away) > AHEAD_FAR &&
            (best == 0 || streams_apart(away) < streams_apart(best)) &&
            streams_was_faulted(past, page - 2 * away) &&
            streams_was_faulted(past, page - 3 * away))
            best = away;
    }
    return best <= INT32_MAX && best >= -INT32_MAX ? (int32_t)best : 0;
}

static void streams_remember(struct streams_table *s, uint32_t page, bool write)
{
    s->last[write] = (s->last[write] + 1) % AHEAD_PAST;
    s->past[write][s->last[write]] = page + 1;
}

/* The stream continues at an unexpected page: returns how many steps to open from there. */
static uint32_t streams_turn(struct streams_table *s, struct streams_stream *a, uint32_t page,
                             bool write)
{
    int32_t stride = (int32_t)(page - a->last),
            far = streams_adjacent(stride) ? 0 : streams_far_stride(s->past[write], page);
    streams_remember(s, page, write);
    streams_forget(s, a, write);
    a->seen = s->faults;
    a->stride = far ? far : stride;
    a->run = 1;
    a->front = page;
    a->dense = streams_adjacent(a->stride) ? 2 : 1;
    return far || streams_adjacent(stride) ? streams_widen(s, a, write) : 0;
}

/* [readahead.dense-claims]. The same page may fault twice in a row. */
static void streams_note_dense(struct streams_stream *a, uint32_t page)
{
    bool follows = streams_adjacent(a->stride) && page == a->front + (uint32_t)a->stride;
    if (page != a->front || a->dense == 0)
        a->dense = follows ? a->dense + 1 : 1;
    a->front = page;
}

uint32_t streams_ahead_claims(struct streams_table *s, uint32_t page, uint32_t steps)
{
    struct streams_stream *a = s->of[true];
    while (a < s->of[true] + AHEAD_STREAMS && (a->seen != s->faults || a->last != page))
        a++;
    if (a == s->of[true] + AHEAD_STREAMS || !streams_adjacent(a->stride) || a->dense < AHEAD_DENSE)
        return 0;
    uint32_t n = steps < a->dense / AHEAD_SHARE ? steps : a->dense / AHEAD_SHARE;
    a->opened = n;
    a->front = page + n * (uint32_t)a->stride;
    a->dense += n;
    return n;
}

uint32_t streams_ahead_next(struct streams_table *s, uint32_t page, bool write, uint32_t most,
                            int32_t *stride)
{
    struct streams_stream *a = streams_find(s, page, write);
    uint32_t steps = streams_steps_to(a, page), n = 0;
    a->seen = ++s->faults ? s->faults : ++s->faults; /* 0 is never */
    if (steps)
        streams_note_dense(a, page);
    if (steps && steps <= a->opened)
        return 0; /* opened already: invalidated since, or still being fetched */
    if (steps && streams_expected(a, steps)) {
        if (a->opened)
            streams_trust(s, a, write);
        a->run++;
        n = streams_widen(s, a, write);
    } else {
        n = streams_turn(s, a, page, write);
    }
    a->opened = n < most ? n : most;
    a->last = page;
    *stride = a->stride;
    return a->opened;
}
