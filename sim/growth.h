/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * growth.h - a program that was traced with few nodes, with more of them: its law (sim/law.h) says
 * which pages a node uses and when it synchronizes, traces say how long that takes and how much of
 * what is written changes. doc/growth.md has it in words.
 *
 *   GL1  A law that does not do what its traces do is not grown: a node that synchronizes otherwise
 *        ends it, and of the pages that are used so many that are not those of the law.
 *   GL2  Computing up to a place of the law takes a + b work there: a and b, neither below 0, are
 *        those with the least squares over all nodes of the traces that are not for checking, and
 *        nothing else is fitted.
 *   GL3  What one node alone uses is left out once its home may write it untracked (exclusive.h);
 *        of such a page nothing is counted from then on. Its computing is not left out.
 *   GL4  The same law and traces give the same file to the bit.
 */
#ifndef SIM_GROWTH_H
#define SIM_GROWTH_H

#include <stdio.h>

#include "sim/law.h"
#include "sim/script.h"

#define GROWTH_TRACES 8

/* Of computing up to a place where it synchronizes: sums over all that came there; times in ns. */
struct growth_times {
    uint64_t count;
    __uint128_t work, time, work_work, work_time;
};

/* Of what a statement writes: where a closing knows what has changed. */
struct growth_change {
    uint64_t bytes, length, written;
};

struct growth_seen {
    uint64_t reads, reads_stated;   /* pages that were closed to a load; in the law, too */
    uint64_t writes, writes_stated; /* pages that had changed; in the law, too */
    uint64_t stated;                /* pages that the law writes */
    struct growth_times at[LAW_STATEMENTS + 1];
};

struct growth_line {
    uint64_t constant; /* ns */
    uint64_t slope;    /* ns of 2^20 units of work */
};

struct growth {
    struct law *law;
    uint32_t traces;
    const struct trace *trace[GROWTH_TRACES];
    bool is_check[GROWTH_TRACES]; /* nothing is derived from it: it is only compared */
    struct growth_seen seen[GROWTH_TRACES];
    struct growth_change change[LAW_STATEMENTS];
    struct growth_line line[LAW_STATEMENTS + 1];
    uint64_t first_page; /* of the law's first array */
    const struct trace *largest;
    struct law_seen *loaded; /* in the largest trace, in ascending order */
    uint32_t loaded_count, loaded_room;
    uint32_t wrong_trace, wrong_node;
    char wrong[200];
};

/* growth_fit - G has law and traces; NULL, or what is wrong, with its trace and node */
const char *growth_fit(struct growth *g);

void growth_free(struct growth *g);

/* growth_ns - computing of so much work up to that place */
uint64_t growth_ns(const struct growth *g, uint32_t site, uint64_t work);

struct growth_wish {
    uint32_t nodes;
    bool weak;
    bool traced_options; /* those of the traces, else a job's own */
    bool all;            /* nothing is left out: GL3, for tests */
};

/* growth_write - the grown trace; NULL, or what is wrong. Errors of the file are left to ferror. */
const char *growth_write(struct growth *g, const struct growth_wish *wish, FILE *out);

#endif
