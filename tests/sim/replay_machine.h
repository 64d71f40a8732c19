/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* replay_machine.h - the machine that tests of replays have. */
#ifndef TESTS_SIM_REPLAY_MACHINE_H
#define TESTS_SIM_REPLAY_MACHINE_H

#include "sim/machine.h"

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

#endif
