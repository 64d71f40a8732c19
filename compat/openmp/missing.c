/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * missing.c - functions of libgomp that are not supported. They are defined so that a program that
 * uses them links, and at start fails with one line that gives the reason (settings_refuse).
 */
#include "compat/start/start.h"

#define MISSING(X)                      \
    X(GOMP_target)                      \
    X(GOMP_target_data)                 \
    X(GOMP_target_update)               \
    X(GOMP_teams)                       \
    X(GOMP_parallel_start)              \
    X(GOMP_parallel_end)                \
    X(GOMP_parallel_loop_static_start)  \
    X(GOMP_parallel_loop_dynamic_start) \
    X(GOMP_parallel_loop_guided_start)  \
    X(GOMP_parallel_loop_runtime_start) \
    X(GOMP_parallel_sections_start)

#define DEFINE(name)                                                                             \
    void name(void);                                                                             \
    void name(void)                                                                              \
    {                                                                                            \
        start_fail(#name " is not supported; a library that the program loaded later calls it"); \
    }
MISSING(DEFINE)
