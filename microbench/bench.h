/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The harness of the microbenchmarks: clock, samples and their statistics, arguments, the table on
 * stdout and the JSON file. README.md describes the output.
 *
 * A program measures figures. Each figure is repeated: first warm-up calls, which are not counted,
 * then calls that each give a sample. Operations as short as a clock reading are timed in batches,
 * and the sample is the mean of the batch. The cost of one clock reading is subtracted from every
 * sample. Functions that fail end the program with one line on stderr and status 1 (2 for a bad
 * argument); process exit does all the cleanup.
 *
 * A program has a table whose rows are its figures and what their loops need, its options, a
 * BENCH_PROGRAM, and a function for each loop, which gives a sample (bench_once). barrier.c is the
 * shortest.
 */
#ifndef MICROBENCH_BENCH_H
#define MICROBENCH_BENCH_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/clock.h"

#define BENCH_PAGE         4096
#define BENCH_PAGE_WORDS   (BENCH_PAGE / sizeof(uint64_t))
#define BENCH_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Time ---- */

/* ns on the monotonic clock, the same for all processes of a machine */
static inline uint64_t bench_now(void)
{
    return (uint64_t)clock_ns();
}

void bench_wait_until(uint64_t when); /* spins */

/* cost of one clock reading, ns: the median difference of consecutive readings */
double bench_clock_cost(void);

/* us between two readings of the clock, less the cost of one; never below 0 */
double bench_us_between(uint64_t start, uint64_t end);
double bench_us_since(uint64_t start);

/* us of one of BATCH calls */
typedef void bench_operation(void);
double bench_us_each(bench_operation *perform, size_t batch);

/* ---- Samples and their statistics (sample.c) ---- */

/* Initially zero, except `max`. If more than MAX samples are added, a uniform random choice of MAX
 * is kept (Vitter 1985, algorithm R). */
struct bench_series {
    size_t max;    /* 0: all are kept */
    size_t count;  /* number of samples kept */
    uint64_t seen; /* number of samples added */
    size_t room;
    double *sample;
};

void bench_series_add(struct bench_series *series, double sample);
void bench_series_clear(struct bench_series *series);

/*
 * Of n samples in ascending order x[1..n]: the median is x[(n+1)/2], or the mean of the two in the
 * middle; the p-th percentile is x[ceil(n*p/100)] (nearest rank: always one of the samples). The
 * histogram counts by powers of two of the samples' unit: log2[0] counts samples below
 * 2^BENCH_LOWEST, including zero and negative ones; log2[i] counts those from 2^(BENCH_LOWEST+i-1)
 * to below twice that. The last bucket also counts everything above.
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

/* Sorts SAMPLES in place. If N is 0, all fields are 0. */
struct bench_stat bench_stat(double *samples, size_t n);

/* Frees the samples. */
struct bench_stat bench_series_stat(struct bench_series *series);

/* PER_MILLE 1 to 1000; ASSUMPTIONS: SORTED ascending, N > 0. */
double bench_percentile(const double *sorted, size_t n, unsigned per_mille);

/* Lower bound of a bucket; 0 for the first. */
double bench_bucket_from(size_t bucket);

/* ---- Cores ---- */

/*
 * Chooses the cores to measure on from the affinity mask: CORE[0], and in CORE[1] another physical
 * core, of the same package if possible. Returns the number found, 1 or 2. On a machine with one
 * core, CORE[1] equals CORE[0].
 */
int bench_cores(int core[2]);
void bench_pin(int core); /* pins the calling thread */

/* ---- Arguments (arguments.c) and failure ---- */

#define BENCH_LIST 64 /* maximum length of a list */

struct bench_list {
    size_t count;
    unsigned long value[BENCH_LIST];
};

/* What an option is, and the type that TO points to. */
enum bench_kind {
    BENCH_NUMBER,  /* unsigned long; --help names its initial value as the default */
    BENCH_NUMBERS, /* struct bench_list */
    BENCH_EITHER,  /* bool: one of two words; true for the second */
    BENCH_TEXT,    /* const char * */
    BENCH_SECONDS, /* of the harness, as all below: double */
    BENCH_FIGURE,  /* const char *: the name of a figure */
    BENCH_FIGURES, /* lists the figures */
    BENCH_ALIAS,   /* another name of the option before it */
};

struct bench_option {
    const char *name; /* NULL ends a list */
    int key;          /* its letter; 0: none */
    const char *arg, *help;
    enum bench_kind kind;
    void *to;
    unsigned long low, high; /* of numbers */
    const char *preset; /* default list of numbers; the words of BENCH_EITHER: "first|second" */
};

/* Listed by --list, selected by --only. WHAT NULL: one more row of a figure that has it. */
struct bench_figure {
    const char *name, *what;
};

struct bench_program {
    const char *what; /* one sentence, for --help */
    /* A table whose rows begin with the members of struct bench_figure. NULL: a program without
     * figures, which has no options of the harness but --json, and the shorter table of
     * bench_row(). */
    const void *figures;
    size_t count, size;                 /* of the table, and of a row */
    unsigned long warmup, repetitions;  /* defaults */
    double seconds;                     /* default time limit of a figure */
    const struct bench_option *options; /* a list */
};

/* The further arguments are rows of options: below. */
#define BENCH_PROGRAM(what, table, warmup, repetitions, seconds, ...)                      \
    {                                                                                      \
        what, table, BENCH_COUNT(table), sizeof((table)[0]), warmup, repetitions, seconds, \
            (const struct bench_option[])                                                  \
        {                                                                                  \
            __VA_ARGS__                                                                    \
        }                                                                                  \
    }

/* Without figures, and without a limit of time. */
#define BENCH_PROGRAM_OF_ROWS(what, warmup, repetitions, ...)                          \
    {                                                                                  \
        what, NULL, 0, 0, warmup, repetitions, INFINITY, (const struct bench_option[]) \
        {                                                                              \
            __VA_ARGS__                                                                \
        }                                                                              \
    }

struct bench_settings {
    const struct bench_program *program;
    const char *json;
    const char *only; /* NULL: all figures */
    unsigned long warmup, repetitions;
    double seconds;
    struct bench_list sizes;
};

extern struct bench_settings bench;

/* Rows of options; BENCH_OPTIONS_END is the last. */
#define BENCH_OPTION_NUMBER(name, key, help, to, low, high)     \
    {                                                           \
        name, key, "N", help, BENCH_NUMBER, to, low, high, NULL \
    }
#define BENCH_OPTION_NUMBERS(name, key, help, to, low, high, preset)  \
    {                                                                 \
        name, key, "LIST", help, BENCH_NUMBERS, to, low, high, preset \
    }
#define BENCH_OPTION_EITHER(name, key, arg, help, to, words) \
    {                                                        \
        name, key, arg, help, BENCH_EITHER, to, 0, 0, words  \
    }
#define BENCH_OPTION_ROUNDS(high) /* of a program without figures */ \
    BENCH_OPTION_NUMBER("rounds", 'r', "samples of each figure", &bench.repetitions, 1, high)
#define BENCH_OPTION_SIZES(help, low, high, preset) \
    BENCH_OPTION_NUMBERS("sizes", 0, help, &bench.sizes, low, high, preset)
#define BENCH_OPTIONS_END \
    {                     \
        0                 \
    }

/* Parses the arguments into `bench` and the program's options. In a job, only node 0 reports errors
 * and prints --help and --list. */
void bench_arguments(const struct bench_program *program, int argc, char **argv);

/* False if --only selects another figure. True for names that are not in the list. */
bool bench_wants(const char *figure);

/* Numbers separated by commas; each may end in K or M, and A-B means A, 2A, 4A, ... up to B. */
struct bench_list bench_numbers(const char *option, const char *text, unsigned long low,
                                unsigned long high);

_Noreturn void bench_fail(int status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* While set, nothing is printed. The launcher ends the job when any node exits, so a failing node
 * waits until node 0 has reported the error and has exited. */
extern bool bench_silenced;

/* A pointer that is not NULL; otherwise ends the program: "out of memory" */
void *bench_memory(void *allocated);

/* ---- Repetitions ---- */

/* One repetition: a sample, or NAN for none at this node. */
typedef double bench_once(void);

/*
 * Calls ONCE --warmup times, at least once, and returns the number of repetitions: --repetitions,
 * or fewer if at the pace of the warm-up they would exceed --seconds, but at least BENCH_FEW.
 */
#define BENCH_FEW 3
size_t bench_warm_up(bench_once *once);

/* Without the calls: REPETITIONS is the requested number; WARM_UP calls took NS. */
size_t bench_allowed(size_t repetitions, double seconds, size_t warm_up, uint64_t ns);

/* Calls ONCE COUNT times. */
void bench_repeat(struct bench_series *series, size_t count, bench_once *once);

/* Warm-up and repetitions in this process only; returns the statistics. */
struct bench_stat bench_measure(bench_once *once);

/* ---- The JSON file, if --json requests one (report.c) ---- */

/* NAME NULL, here and below: an array element. BRACKET: '{' or '['. */
void bench_json_begin(const char *name, char bracket);
void bench_json_end(char bracket);
void bench_json_string(const char *name, const char *value);
void bench_json_number(const char *name, double value);
/* an object: count, median, min, max, mean, percentiles, histogram */
void bench_json_stat(const char *name, const struct bench_stat *stat);

/* ---- Results (report.c) ---- */

/* Begins the table and the file: program, machine, kernel, load, FABRIC, NODES, and ABOUT, which
 * describes the job as a shape does. Programs without figures: UNIT of all rows. */
void bench_begin(const char *fabric, int nodes, const char *about);
void bench_begin_rows(const char *unit);

/* What distinguishes a result from others of its name: names and values in turn, separated by
 * blanks. Until the next call. */
const char *bench_shape(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* One figure: a row of the table and, in the file, an object of the array "results". UNIT is the
 * unit of the samples. MORE, if not NULL, adds members to the object. */
void bench_result(const char *name, const char *unit, const char *shape,
                  const struct bench_stat *stat, void (*more)(void));

/* Measures a figure in this process, unless --only excludes it, and gives its result. */
void bench_report(const char *name, const char *unit, bench_once *once, const char *shape);

/* A row of a program without figures: name, median, minimum, maximum and description; in the file
 * NAME_UNIT. */
void bench_row(const char *name, const char *unit, struct bench_stat stat, const char *what);
void bench_row_print(const char *name, struct bench_stat stat, const char *what);

/* Ends the file. MORE, if not NULL, adds members beside the results. */
void bench_end(void (*more)(void));

#endif
