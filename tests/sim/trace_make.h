/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* trace_make.h - files of --trace-sim that a test makes by hand, item by item. */
#ifndef TESTS_SIM_TRACE_MAKE_H
#define TESTS_SIM_TRACE_MAKE_H

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/digest.h"
#include "base/record.h"

#define MADE_NODES 4
#define MADE_ROOM  65536

struct made_node {
    unsigned char stream[MADE_ROOM], closings[MADE_ROOM];
    size_t stream_bytes, closing_bytes;
    uint64_t page, closing_count;
    uint64_t count[RECORD_COUNTER_COUNT];
};

struct made {
    uint64_t set[RECORD_SETTING_COUNT];
    struct made_node node[MADE_NODES];
    unsigned char bytes[4 * MADE_ROOM];
    size_t length;
};

/* Of so many nodes, with the options that a job has by default. */
static inline void made_begin(struct made *m, unsigned nodes)
{
    memset(m, 0, sizeof *m);
    m->set[RECORD_SET_nodes] = nodes;
    m->set[RECORD_SET_units_s] = 1000000000;
    m->set[RECORD_SET_page_bytes] = 4096;
    m->set[RECORD_SET_pages] = m->set[RECORD_SET_heap_pages] = 65536;
    m->set[RECORD_SET_home_near_pages] = 65536;
    m->set[RECORD_SET_home_shift] = 4;
    m->set[RECORD_SET_pages_by] = 2;
    m->set[RECORD_SET_hot_pages] = 16;
    m->set[RECORD_SET_lazy_release] = 8;
    m->set[RECORD_SET_ahead] = m->set[RECORD_SET_renew] = 32;
}

static inline void made_put4(struct made *m, unsigned node, enum record_kind kind, uint64_t time,
                             uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    struct made_node *n = &m->node[node];
    const uint64_t arg[RECORD_ARGS] = { a, b, c, d };

    assert(n->stream_bytes + RECORD_LONGEST < MADE_ROOM);
    n->stream_bytes =
        (size_t)(record_put(n->stream + n->stream_bytes, &n->page, kind, time, arg) - n->stream);
}

static inline void made_put3(struct made *m, unsigned node, enum record_kind kind, uint64_t time,
                             uint64_t a, uint64_t b, uint64_t c)
{
    made_put4(m, node, kind, time, a, b, c, 0);
}

static inline void made_put(struct made *m, unsigned node, enum record_kind kind, uint64_t time,
                            uint64_t a, uint64_t b)
{
    made_put3(m, node, kind, time, a, b, 0);
}

/* A closing that found this page changed; page UINT64_MAX: none. */
static inline void made_close(struct made *m, unsigned node, uint64_t page, uint64_t length,
                              uint64_t changed)
{
    struct made_node *n = &m->node[node];
    unsigned char *at = n->closings + n->closing_bytes;

    at = record_number_put(at, page == UINT64_MAX ? 0 : 2);
    if (page != UINT64_MAX) {
        at = record_number_put(at, record_fold((int64_t)page));
        at = record_number_put(at, length << 1 | (length == 0));
        at = record_number_put(at, changed);
    }
    n->closing_bytes = (size_t)(at - n->closings);
    n->closing_count++;
    made_put(m, node, RECORD_CLOSED, 0, 1, 0);
}

static inline unsigned char *made_bytes(unsigned char *at, const unsigned char *from, size_t bytes)
{
    at = record_number_put(at, bytes);
    memcpy(at, from, bytes);
    return at + bytes;
}

/* The digest behind all. */
static inline void made_sign(struct made *m)
{
    uint64_t digest = digest_add(DIGEST_START, m->bytes, m->length);

    for (int i = 0; i < 8; i++)
        m->bytes[m->length++] = (unsigned char)(digest >> 8 * i);
}

static inline void made_end(struct made *m)
{
    unsigned char *at = m->bytes;

    memcpy(at, RECORD_MAGIC, 8);
    at += 8;
    for (int i = 0; i < 4; i++)
        *at++ = (unsigned char)(RECORD_VERSION >> 8 * i);
    at = record_number_put(at, RECORD_SETTING_COUNT);
    for (int i = 0; i < RECORD_SETTING_COUNT; i++)
        at = record_number_put(at, m->set[i]);
    for (unsigned n = 0; n < m->set[RECORD_SET_nodes]; n++) {
        const struct made_node *part = &m->node[n];
        at = record_number_put(at, RECORD_COUNTER_COUNT);
        for (int i = 0; i < RECORD_COUNTER_COUNT; i++)
            at = record_number_put(at, part->count[i]);
        at = made_bytes(at, part->closings, part->closing_bytes);
        at = record_number_put(at, part->closing_count);
        at = record_number_put(at, 1);
        at = made_bytes(at, part->stream, part->stream_bytes);
    }
    m->length = (size_t)(at - m->bytes);
    made_sign(m);
}

#endif
