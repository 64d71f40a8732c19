/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* trace.c - see trace.h. */
#include "sim/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "sim/fail.h"

/* ---- the file ---- */

static uint64_t trace_fixed(const unsigned char *at, int bytes)
{
    uint64_t value = 0;

    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

/* Reads a row of exactly `want` numbers. */
static bool trace_read_row(struct record_reader *r, uint64_t *row, uint64_t want)
{
    uint64_t count;

    if (!record_number(r, &count) || count != want)
        return false;
    for (uint64_t i = 0; i < want; i++)
        if (!record_number(r, &row[i]))
            return false;
    return true;
}

/* Reads a length and the bytes after it. */
static bool trace_read_bytes(struct record_reader *r, const unsigned char **begin,
                             const unsigned char **end)
{
    uint64_t count;

    if (!record_number(r, &count) || count > (uint64_t)(r->end - r->at))
        return false;
    *begin = r->at;
    *end = r->at += count;
    return true;
}

static const char *trace_check_settings(const uint64_t *set)
{
    if (set[RECORD_SET_nodes] < 2 || set[RECORD_SET_nodes] > TRACE_NODES_MAX)
        return "the number of nodes is not from 2 to 1024";
    if (set[RECORD_SET_units_s] == 0 || set[RECORD_SET_pages] == 0 ||
        set[RECORD_SET_pages] > UINT32_MAX || set[RECORD_SET_heap_pages] > set[RECORD_SET_pages] ||
        set[RECORD_SET_home_shift] > 31 || set[RECORD_SET_far_shift] > 31 ||
        set[RECORD_SET_range_shift] > 31)
        return "its settings contradict each other";
    return NULL;
}

static bool trace_read_part(struct record_reader *r, struct trace_part *p)
{
    const unsigned char *more;

    if (!trace_read_row(r, p->count, RECORD_COUNTER_COUNT) ||
        !trace_read_bytes(r, &p->closings, &p->closings_end) ||
        !record_number(r, &p->closing_count) || !record_number(r, &p->streams))
        return false;
    for (uint64_t i = 0; i < p->streams; i++)
        if (!trace_read_bytes(r, i == 0 ? &p->stream : &more, i == 0 ? &p->stream_end : &more))
            return false;
    return true;
}

static const char *trace_read_parts(struct trace *t, struct record_reader *r)
{
    for (uint64_t n = 0; n < t->set[RECORD_SET_nodes]; n++)
        if (!trace_read_part(r, &t->part[n]))
            return "the part of a node is cut short";
    return r->at == r->end ? NULL : "there is extra data after the last node";
}

const char *trace_read(struct trace *t, const unsigned char *bytes, size_t length)
{
    size_t front = sizeof RECORD_MAGIC - 1, back = 8;
    const char *wrong;

    memset(t, 0, sizeof *t);
    if (length < front || memcmp(bytes, RECORD_MAGIC, front) != 0)
        return "this is no file of --trace-sim";
    if (length < front + 4 + back)
        return "it is cut short";
    if (trace_fixed(bytes + front, 4) != RECORD_VERSION)
        return "it is of another version of the format; trace the run again with this version";
    if (trace_fixed(bytes + length - back, 8) != digest_add(DIGEST_START, bytes, length - back))
        return "it is cut short, or was changed";
    struct record_reader r = { bytes + front + 4, bytes + length - back, 0, 0 };
    if (!trace_read_row(&r, t->set, RECORD_SETTING_COUNT))
        return "it has other settings than this version";
    wrong = trace_check_settings(t->set);
    if (wrong != NULL)
        return wrong;
    t->part = fail_alloc(t->set[RECORD_SET_nodes], sizeof *t->part);
    wrong = trace_read_parts(t, &r);
    if (wrong != NULL)
        trace_free(t);
    return wrong;
}

static unsigned char *trace_whole(const char *file, size_t *length)
{
    FILE *in = fopen(file, "rb");
    unsigned char *bytes = NULL;
    size_t room = 0, got = 1;

    if (in == NULL)
        fail_with(SIM_FAILED, "%s: %s; give a file of --trace-sim", file, strerror(errno));
    for (*length = 0; got > 0; *length += got) {
        if (room - *length < 65536)
            bytes = fail_realloc(bytes, room = room * 2 + 65536, 1);
        got = fread(bytes + *length, 1, room - *length, in);
    }
    if (ferror(in))
        fail_with(SIM_FAILED, "%s: %s; give a file of --trace-sim", file, strerror(errno));
    fclose(in);
    return bytes;
}

void trace_load(struct trace *t, const char *file)
{
    size_t length;
    unsigned char *bytes = trace_whole(file, &length);
    const char *wrong = trace_read(t, bytes, length);

    if (wrong != NULL)
        fail_with(SIM_FAILED, "%s: %s; give a file that --trace-sim has written", file, wrong);
    t->bytes = bytes;
    t->length = length;
}

void trace_free(struct trace *t)
{
    free(t->part);
    free(t->bytes);
    t->part = NULL;
    t->bytes = NULL;
}
