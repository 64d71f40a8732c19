/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * growth.h - extrapolates a program that was traced with few nodes to more nodes. Its workload
 * model (law, sim/law.h) defines which pages a node uses and when it synchronizes. Traces provide
 * the computing times and the fraction of written bytes that change. Explained in doc/growth.md.
 *
 *   - A law that does not match its traces is not used: it is refused if a node synchronizes
 *     differently, or if too many of the used pages differ from the law's.
 *   - Computing up to a synchronization point of the law takes a + b work. a and b, neither below
 *     0, are the least-squares fit over all nodes of the traces that are not for checking. Nothing
 *     else is fitted.
 *   - A page used by one node only is left out once its home may write it untracked (unshared,
 *     exclusive.h); nothing is counted for it from then on. Its computing time is not left out.
 *   - The same law and traces give the same file, bit for bit.
 */
#ifndef SIM_GROWTH_H
#define SIM_GROWTH_H

#include <stdio.h>

#include "sim/law.h"
#include "sim/script.h"

#define GROWTH_TRACES 8

/* Sums over all computing phases that end at one synchronization point; times in ns. */
struct growth_times {
    uint64_t count;
    __uint128_t work, time, work_work, work_time;
};

/* Bytes that a statement writes, where a flush shows how many have changed. */
struct growth_change {
    uint64_t bytes, length, written;
};

struct growth_seen {
    uint64_t reads, reads_stated;   /* pages closed to a load; of them, in the law as well */
    uint64_t writes, writes_stated; /* changed pages; of them, in the law as well */
    uint64_t stated;                /* pages that the law writes */
    struct growth_times at[LAW_LINES];
};

struct growth_line {
    uint64_t constant; /* ns */
    uint64_t slope;    /* ns for 2^20 units of work */
};

struct growth {
    const struct law *law;
    int64_t param[LAW_PARAMS]; /* of the law */
    uint32_t traces;
    const struct trace *trace[GROWTH_TRACES];
    bool is_check[GROWTH_TRACES]; /* only compared, nothing is derived from it */
    struct growth_seen seen[GROWTH_TRACES];
    struct growth_change change[LAW_LINES];
    struct growth_line line[LAW_LINES]; /* by site, as change */
    uint64_t first_page;                /* of the law's first array */
    const struct trace *largest;
    struct law_seen *loaded; /* in the largest trace, in ascending order */
    uint32_t loaded_count, loaded_room;
    uint32_t wrong_trace, wrong_node;
    char wrong[200];
};

/* growth_fit - fits G, which has law, parameters and traces; NULL, or the error, with its trace
 * and node */
const char *growth_fit(struct growth *g);

/* growth_job - a run of its law, after growth_fit; weak and node not set */
struct law_job growth_job(const struct growth *g, uint32_t nodes);

void growth_free(struct growth *g);

/* growth_ns - computing time of `work` units up to that synchronization point */
uint64_t growth_ns(const struct growth *g, uint32_t site, uint64_t work);

struct growth_wish {
    uint32_t nodes;
    bool weak;
    bool traced_options; /* the traces' options, otherwise the defaults */
    bool all;            /* nothing is left out; for tests */
};

/* growth_write - writes the extrapolated trace; NULL, or the error. The caller tests ferror(). */
const char *growth_write(struct growth *g, const struct growth_wish *wish, FILE *out);

#endif
