/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * common.h - what all applications share: start and end, options, partition, timing, report.
 *
 * A program calls app_begin() first, then app_parse(), computes, and returns from main what
 * app_end() returns. Every node runs all of it; node 0 alone prints. Exit status: 0, 1 when the
 * verification failed or memory ran out, 2 for a command line that cannot be run.
 *
 * Compiled with -DSEQUENTIAL the same sources make a program of one process without HLRC:
 * sequential.h; with -DNATIVE one of several processes that share memory without it: native.h.
 */
#ifndef APPS_COMMON_H
#define APPS_COMMON_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef SEQUENTIAL
#    include "apps/sequential.h"
#elif defined(NATIVE)
#    include "apps/native.h"
#else
#    include <hlrc.h>
#endif

/* Data of different nodes are kept this far apart; pages are at least this large on every machine
 * that HLRC knows. */
#define APP_PAGE 4096

#define APP_SEED 314159265 /* of the NAS benchmarks */

struct app {
    const char *name;
    int node, nodes;
    uint64_t seed;
    bool verify;
    bool hints;       /* tell the runtime beforehand what will be touched */
    const char *json; /* file to write the result to, NULL for none */
};

/* Of this process; set by app_begin() and app_parse(), constant afterwards. */
extern struct app app;

/* A half-open range of indices. */
struct app_range {
    size_t begin, end;
};

/* The result, filled in on node 0. */
struct app_result {
    char problem[160]; /* one line that names the problem and its parameters */
    char size[48];     /* class or size, in short */
    double time_s;
    double mops;        /* millions of operations per second, as the benchmark counts them */
    char rate[32];      /* the same in a unit of the benchmark; empty: it has none */
    bool verified;      /* meaningful with app.verify */
    char evidence[160]; /* what the verification compared */
    char checksum[80];  /* of the results; equal for any number of nodes */
};

/* Joins the job. Does not return when that fails. */
void app_begin(const char *name, int *argc, char ***argv);

/*
 * Parses the command line by the program's options, its parser and the common options, in this
 * order. `input` is handed to the parser. Ends the program on --help and on errors, of which node 0
 * prints one.
 */
void app_parse(const struct argp_option *options, argp_parser_t parser, const char *doc, int argc,
               char **argv, void *input);

/* Ends the program over a command line that cannot be run; every node must come to the same
 * conclusion. */
_Noreturn void app_usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Ends the program for want of memory. */
_Noreturn void app_no_memory(const char *what, size_t size);

/* Collective. Shared memory, zero-filled, page-aligned; does not return when there is none. */
void *app_shared(const char *what, size_t size);

/* Private memory on a cache line, given back by free(); does not return when there is none. */
void *app_private(const char *what, size_t size);

/* Prints the result on node 0, writes the JSON file, leaves the job. Returns the exit status. */
int app_end(const struct app_result *result);

/*
 * Shows that `done` of `total` steps are done: on node 0, if there is a terminal, once the program
 * has run for a while, and not often. Takes the line away when all are done.
 */
void app_progress(uint64_t done, uint64_t total);

/* Seconds on a clock that only runs forward. */
double app_now(void);

/* Parses a whole number in [min, max], also written as 2^n; ends the program otherwise. */
uint64_t app_number(const char *option, const char *text, uint64_t min, uint64_t max);

/* The same for any number. */
double app_real(const char *option, const char *text, double min, double max);

/* Whether `text` is the first of two words; ends the program if it is neither. */
bool app_first_of(const char *option, const char *text, const char *first, const char *second);

/* The part of `node` in `total` indices, in whole multiples of `unit`; empty when there are too
 * few. */
struct app_range app_part(size_t total, size_t unit, int node);

/* Which node's part holds `index`: the inverse of app_part(). */
int app_owner(size_t total, size_t unit, size_t index);

/* Hints: the range will be read, or wholly written, next by this node. Without app.hints they do
 * nothing. */
void app_will_read(const void *addr, size_t len);
void app_will_write(void *addr, size_t len);

/* The position in the sequence x(k+1) = 5^13 x(k) mod 2^46 of the NAS benchmarks, exact in
 * integers. */
#define APP_RANDOM_MASK ((UINT64_C(1) << 46) - 1)

static inline uint64_t app_random(uint64_t *x)
{
    return *x = *x * UINT64_C(1220703125) & APP_RANDOM_MASK;
}

/* The state from which app_random() goes on after `count` numbers. */
uint64_t app_random_skip(uint64_t seed, uint64_t count);

#endif
