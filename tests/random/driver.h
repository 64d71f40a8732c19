/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * driver.h - runs random programs through hlrcrun, one after the other, and makes failing ones
 * short.
 *
 *   job.c     one run of one program: its processes, its time, what became of it
 *   driver.c  which programs, what to say, how to shorten
 */
#ifndef TESTS_RANDOM_DRIVER_H
#define TESTS_RANDOM_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/random/oracle.h"

struct job {
    uint64_t seed;
    int nodes, threads; /* as they are, not 0 */
    uint32_t ops;       /* how much of the program is run */
    char protocol[32], fabric[64];
    double timeout; /* seconds without a sign of life */
};

enum verdict { JOB_GOOD, JOB_WRONG, JOB_HANGS, JOB_CRASHES };

struct result {
    enum verdict verdict;
    char text[4096]; /* what was found */
    uint32_t op;     /* the operation it was found in, or the furthest anybody came to */
};

struct files {
    const char *self, *hlrcrun; /* programs */
    bool stacks;                /* show what the threads of a hanging job do, by gdb */
};

int job_init(const struct files *files);
void job_run(const struct job *job, const struct program *p, struct result *out);

#endif
