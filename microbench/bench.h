/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The harness of the microbenchmarks: a clock, samples and what is said of them, arguments, the
 * table on stdout and the JSON file. README.md says how both are to be read.
 *
 * A program has figures. Each is repeated: some times to warm up, which are not counted, then some
 * times of which each gives a sample. An operation that is as short as a reading of the clock is
 * timed in batches, so that a sample is the mean of one batch; what one reading costs is taken off
 * every sample. Functions that fail end the program with one line on stderr and status 1 (2 for a
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

/* ---- Time ---- */

/* ns on the monotonic clock, the same for all processes of a machine */
uint64_t bench_now(void);
void bench_wait_until(uint64_t when); /* spin to that time */

/* ns that one reading costs: the median difference of readings that follow each other */
double bench_clock_cost(void);

/* us since START, a reading of bench_now, without the cost of the second reading; never below 0 */
double bench_us_since(uint64_t start);

/* ---- Samples, and what is said of them (sample.c) ---- */

struct bench_series {
    double *sample;
    size_t count; /* that are kept */
    size_t max;
    uint64_t seen;
};

/* Room for MAX samples. Of more, MAX are kept: a choice in which each is as likely as any other
 * (Vitter 1985, algorithm R). */
struct bench_series bench_series_make(size_t max);
void bench_series_add(struct bench_series *series, double sample);
void bench_series_clear(struct bench_series *series);
void bench_series_free(struct bench_series *series);

/*
 * Of n samples in ascending order x[1..n]: the median is x[(n+1)/2], or the mean of the two in the
 * middle; the p-th percentile is x[ceil(n*p/100)] (nearest rank: always one of the samples). The
 * histogram counts by powers of two of the samples' unit: log2[0] what is below 2^BENCH_LOWEST,
 * zero and below included, log2[i] what is from 2^(BENCH_LOWEST+i-1) to below twice that, and the
 * last one all above, too.
 */
#define BENCH_LOWEST  (-20)
#define BENCH_BUCKETS 64

struct bench_stat {
    double median;
    double min;
    double max;
    double mean;
    double p10, p50, p90, p99, p999;
    size_t count;
    uint64_t log2[BENCH_BUCKETS];
};

/* Sorts SAMPLES in place. N 0: all is 0. */
struct bench_stat bench_stat(double *samples, size_t n);

/* PER_MILLE 1 to 1000; ASSUMPTIONS: SORTED ascending, N > 0. */
double bench_percentile(const double *sorted, size_t n, unsigned per_mille);

/* Where a bucket begins; 0 for the first. */
double bench_bucket_from(size_t bucket);

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

/* ---- Arguments (arguments.c) and failure ---- */

#define BENCH_LIST 64 /* numbers in a list, at most */

struct bench_list {
    size_t count;
    unsigned long value[BENCH_LIST];
};

/* What --list names, and --only takes. */
struct bench_figure {
    const char *name;
    const char *what;
};

struct bench_program {
    const char *name;
    const char *what;                   /* one sentence, for --help */
    const struct bench_figure *figures; /* to the one without a name */
    unsigned long warmup, repetitions;  /* unless given */
    double seconds;                     /* that one figure may take, unless given */
    const char *sizes;                  /* the default of --sizes; NULL: it has none */
    const char *sizes_are;              /* what they are, for --help */
    unsigned long smallest, largest;
    const struct argp_option *options; /* NULL: no others */
    bool (*take)(int key, char *arg);  /* one of those; false: not known */
};

struct bench_settings {
    const struct bench_program *program;
    const char *json;
    const char *only; /* NULL: all figures */
    unsigned long warmup, repetitions;
    double seconds;
    struct bench_list sizes;
};

extern struct bench_settings bench;

/*
 * Fill `bench` in from the arguments. Only node 0 of a job says what is wrong with one, and what
 * --help and --list ask for.
 */
void bench_arguments(const struct bench_program *program, int argc, char **argv);

bool bench_wants(const char *figure);

/*
 * The value of an option: digits only, LOW to HIGH; anything else ends the program with a line that
 * says so.
 */
unsigned long bench_number(const char *option, const char *text, unsigned long low,
                           unsigned long high);

/* Numbers with commas between; each may end in K or M, and A-B is A, 2A, 4A, ... up to B. */
struct bench_list bench_numbers(const char *option, const char *text, unsigned long low,
                                unsigned long high);

/* For programs with a parser of their own, its default case: takes --json FILE, refuses an argument
 * that is no option. */
error_t bench_option(int key, char *arg, struct argp_state *state, const char **json);
#define BENCH_JSON_OPTION                                      \
    {                                                          \
        "json", 'j', "FILE", 0, "write the results to FILE", 0 \
    }

/* Parse with ARGP; an option it does not know ends the program with one line. Silent but at node 0
 * of a job. */
void bench_parse(const struct argp *argp, int argc, char **argv, void *input);

/* Set at nodes that may not speak: a launcher that sees one of them end ends the others, so such a
 * node waits until node 0 has said why it fails, and has ended itself. */
extern bool bench_silenced;

_Noreturn void bench_fail(int status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- Repetitions ---- */

/* One repetition: a sample, or NAN for none at this node. */
typedef double bench_once(void *context);

/*
 * Calls ONCE as often as --warmup says, and returns how often it is to be repeated: as
 * --repetitions says, but no more often than --seconds allow for at the pace of the warm-up, and
 * BENCH_FEW times at least. AGREE, if not NULL, makes one number of those of all nodes; and WARMUP
 * is at least 1.
 */
#define BENCH_FEW 3
size_t bench_warm_up(bench_once *once, void *context, uint64_t (*agree)(uint64_t mine));

/* Without the calls: REPETITIONS that are asked for, WARM_UP of them took NS. */
size_t bench_allowed(size_t repetitions, double seconds, size_t warm_up, uint64_t ns);

/* Calls ONCE, COUNT times. */
void bench_repeat(struct bench_series *series, size_t count, bench_once *once, void *context);

/* Both, of this process alone; the statistics. */
struct bench_stat bench_measure(bench_once *once, void *context);

/* ---- Results (report.c) ---- */

struct bench_json {
    FILE *file; /* NULL: no file was asked for, and every call does nothing */
    const char *path;
    bool first;
};

/* PATH NULL: none; begins an object */
void bench_json_open(struct bench_json *json, const char *path);
/* begins an object within; NAME NULL, here and below: within an array */
void bench_json_begin(struct bench_json *json, const char *name);
void bench_json_end(struct bench_json *json);
void bench_json_array(struct bench_json *json, const char *name);
void bench_json_array_end(struct bench_json *json);
void bench_json_string(struct bench_json *json, const char *name, const char *value);
void bench_json_unsigned(struct bench_json *json, const char *name, uint64_t value);
void bench_json_double(struct bench_json *json, const char *name, double value);
/* an object: count, median, min, max, mean, percentiles, histogram */
void bench_json_stat(struct bench_json *json, const char *name, const struct bench_stat *stat);
/* ends the first object too */
void bench_json_close(struct bench_json *json);

/* A table row: name, median, smallest, largest, and what it is; for programs without bench_begin.
 */
void bench_heading(const char *unit);
void bench_row(const char *name, struct bench_stat stat, const char *what);

/* What a result is of, beside its name: a number, or a text. */
struct bench_shape {
    const char *name; /* NULL ends a list */
    double value;
    const char *text; /* NULL: the number */
};

#define BENCH_SHAPE(...)         \
    (const struct bench_shape[]) \
    {                            \
        __VA_ARGS__,             \
        {                        \
            .name = NULL         \
        }                        \
    }

/* Begin the table and, with --json, the file: program, machine, kernel, load, FABRIC, NODES, and
 * what ABOUT says of the job. */
void bench_begin(const char *fabric, int nodes, const struct bench_shape *about);

/*
 * One figure: a row of the table and, in the JSON file, an object of the array "results". UNIT is
 * that of the samples. Between begin and end more may be added to the object.
 */
struct bench_json *bench_result_begin(const char *name, const char *unit,
                                      const struct bench_shape *shape,
                                      const struct bench_stat *stat);
void bench_result_end(void);
void bench_result(const char *name, const char *unit, const struct bench_shape *shape,
                  const struct bench_stat *stat);

/* No more results; what is added now is beside them. */
struct bench_json *bench_results_end(void);
void bench_end(void);

#endif
