/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* replay_run.h - replays of programs that a test writes by hand, item by item (trace_make.h). */
#ifndef TESTS_SIM_REPLAY_RUN_H
#define TESTS_SIM_REPLAY_RUN_H

#include "sim/replay.h"
#include "tests/sim/harness.h"
#include "tests/sim/replay_machine.h"
#include "tests/sim/trace_make.h"

#include <stdlib.h>

#define PAGE 1000u /* its default home is node 1000 / 16 mod N: 0 of two, 2 of four */

static struct made made;
static struct replay_system made_system; /* of the next replays */
static struct replay r;
static struct trace t;

static inline void barrier(unsigned node, uint64_t time)
{
    made_put(&made, node, RECORD_ARRIVE, time, 1, 0);
    made_put(&made, node, RECORD_DEPART, 0, 0, 0);
}

/* Nodes 0 and 1 meet. */
static inline void meet(void)
{
    barrier(0, 0);
    barrier(1, 0);
}

/* A store, and the closing that finds it: `length` of the diff, 0 at the home. */
static inline void wrote(unsigned node, uint64_t time, uint64_t page, uint64_t length,
                         uint64_t changed)
{
    made_put(&made, node, RECORD_WRITE, time, page, 0);
    made_close(&made, node, page, length, changed);
}

/* SET: of the replay; NULL: as in the trace. */
static inline void run_set(enum replay_protocol protocol, const struct machine *m,
                           const uint64_t *set)
{
    made_end(&made);
    assert_null(trace_read(&t, made.bytes, made.length));
    replay_run(&r, &t, m,
               &(struct replay_wish){ .protocol = protocol, .set = set, .system = made_system });
    assert_null(r.wrong);
    for (unsigned n = 0; n < r.nodes; n++)
        assert_true(r.node[n].ended);
}

static inline void run(enum replay_protocol protocol, const struct machine *m)
{
    run_set(protocol, m, NULL);
}

/* In ns. */
static inline sim_time ends_at(unsigned node)
{
    return r.node[node].ends / SIM_NS;
}

static inline void end(void)
{
    replay_free(&r);
    trace_free(&t);
}

#define expect(node_, name, value) assert_int_equal(r.node[node_].count[RECORD_COUNT_##name], value)

#endif
