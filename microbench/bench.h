/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the microbenchmarks share: a clock, medians, cores, arguments, the table on stdout and the
 * JSON file.
 *
 * A figure is the median of its samples, with the smallest and the largest beside it. Names in JSON
 * carry the unit. Functions that fail end the program with one line on stderr and status 1 (2 for a
 * bad argument): a benchmark has nothing to clean up that its end does not.
 */
#ifndef MICROBENCH_BENCH_H
#define MICROBENCH_BENCH_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define BENCH_PAGE 4096

/* ---- Time and statistics ---- */

/* ns on the monotonic clock, the same for all processes of a machine */
uint64_t bench_now(void);
void bench_wait_until(uint64_t when); /* spin to that time */

struct bench_stat {
    double median;
    double min;
    double max;
};

/* Sorts SAMPLES in place. ASSUMPTIONS: N > 0. */
struct bench_stat bench_stat(double *samples, size_t n);

/* ---- Cores ---- */

/*
 * The cores to measure with, out of those this process may use: CORE[0], and in CORE[1] another
 * physical core, of the same package if there is one. Returns how many were found, 1 or 2; CORE[1]
 * is CORE[0] on a machine of one core.
 */
int bench_cores(int core[2]);
void bench_pin(int core); /* the calling thread */

/* Tell the CPU that this is a spinning wait. */
static inline void bench_relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* ---- Arguments and failure ---- */

/*
 * The value of an option: digits only, LOW to HIGH; anything else ends the program with a line that
 * says so.
 */
unsigned long bench_number(const char *option, const char *text, unsigned long low,
                           unsigned long high);

/* For a parser's default case: takes --json FILE, refuses an argument that is no option. */
error_t bench_option(int key, char *arg, struct argp_state *state, const char **json);
#define BENCH_JSON_OPTION                                      \
    {                                                          \
        "json", 'j', "FILE", 0, "write the results to FILE", 0 \
    }

_Noreturn void bench_fail(int status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- Results ---- */

/* A table row: name, median, smallest, largest, and what it is. */
void bench_heading(const char *unit);
void bench_row(const char *name, struct bench_stat stat, const char *what);

struct bench_json {
    FILE *file; /* NULL: no file was asked for, and every call does nothing */
    const char *path;
    bool first;
};

/* PATH NULL: none; begins an object */
void bench_json_open(struct bench_json *json, const char *path);
void bench_json_begin(struct bench_json *json, const char *name); /* begins an object within */
void bench_json_end(struct bench_json *json);
void bench_json_string(struct bench_json *json, const char *name, const char *value);
void bench_json_unsigned(struct bench_json *json, const char *name, uint64_t value);
void bench_json_double(struct bench_json *json, const char *name, double value);
/* an object of three */
void bench_json_stat(struct bench_json *json, const char *name, struct bench_stat stat);
/* ends the first object too */
void bench_json_close(struct bench_json *json);

#endif
