/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* replay_run.h - replays of programs that a test writes by hand, item by item (trace_make.h). */
#ifndef TESTS_SIM_REPLAY_RUN_H
#define TESTS_SIM_REPLAY_RUN_H

#include "sim/replay.h"
#include "tests/sim/trace_make.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define PAGE 1000u /* its default home is node 1000 / 16 mod N: 0 of two, 2 of four */

static struct made made;
static struct replay r;
static struct trace t;

static const struct machine machine = { .latency_ns = 1000,
                                        .rate_mb_s = 1000,
                                        .post_ns = 100,
                                        .read_ns = 200,
                                        .atomic_ns = 300,
                                        .reads_at_once = 1,
                                        .reads_most = 16,
                                        .reads_ordered = 1,
                                        .fault_ns = 2000,
                                        .protect_ns = 500,
                                        .serve_ns = 400,
                                        .wake_ns = 5000,
                                        .switch_ns = 3000,
                                        .cpus = 2,
                                        .compute_percent = 100 };

static inline void barrier(unsigned node, uint64_t time)
{
    made_put(&made, node, RECORD_ARRIVE, time, 1, 0);
    made_put(&made, node, RECORD_DEPART, 0, 0, 0);
}

static inline void run_homes(enum replay_protocol protocol, const struct machine *m,
                             enum replay_homes homes)
{
    made_end(&made);
    assert_null(trace_read(&t, made.bytes, made.length));
    replay_run(&r, &t, m, protocol, homes);
    assert_null(r.wrong);
    for (unsigned n = 0; n < r.nodes; n++)
        assert_true(r.node[n].ended);
}

static inline void run(enum replay_protocol protocol, const struct machine *m)
{
    run_homes(protocol, m, HOMES_AS_TRACED);
}

static inline void end(void)
{
    replay_free(&r);
    trace_free(&t);
}

#define expect(node_, name, value) assert_int_equal(r.node[node_].count[RECORD_COUNT_##name], value)

#endif
