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
void bench_wait_until(uint64_t when); /* spins */

/* cost of one clock reading, ns: the median difference of consecutive readings */
double bench_clock_cost(void);

/* us since START, a bench_now() value, less the cost of one clock reading; never below 0 */
double bench_us_since(uint64_t start);

/* ---- Samples and their statistics (sample.c) ---- */

struct bench_series {
    double *sample;
    size_t count; /* number of samples kept */
    size_t max;
    uint64_t seen;
};

/* Holds up to MAX samples. If more are added, a uniform random choice of MAX is kept (Vitter 1985,
 * algorithm R). */
struct bench_series bench_series_make(size_t max);
void bench_series_add(struct bench_series *series, double sample);
void bench_series_clear(struct bench_series *series);
void bench_series_free(struct bench_series *series);

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

/* CPU hint for a spin-wait loop. */
static inline void bench_relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* ---- Arguments (arguments.c) and failure ---- */

#define BENCH_LIST 64 /* maximum length of a list */

struct bench_list {
    size_t count;
    unsigned long value[BENCH_LIST];
};

/* Listed by --list, selected by --only. */
struct bench_figure {
    const char *name;
    const char *what;
};

struct bench_program {
    const char *name;
    const char *what;                   /* one sentence, for --help */
    const struct bench_figure *figures; /* terminated by an entry without a name */
    unsigned long warmup, repetitions;  /* defaults */
    double seconds;                     /* default time limit of a figure */
    const char *sizes;                  /* default of --sizes; NULL: the program has no sizes */
    const char *sizes_are;              /* their meaning, for --help */
    unsigned long smallest, largest;
    const struct argp_option *options; /* NULL: no further options */
    bool (*take)(int key, char *arg);  /* handles one of them; false: unknown */
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
 * Parses the arguments into `bench`. In a job, only node 0 reports errors and prints --help and
 * --list.
 */
void bench_arguments(const struct bench_program *program, int argc, char **argv);

bool bench_wants(const char *figure);

/*
 * Parses the value of an option: digits only, LOW to HIGH. Any other value ends the program with
 * an error message.
 */
unsigned long bench_number(const char *option, const char *text, unsigned long low,
                           unsigned long high);

/* Numbers separated by commas; each may end in K or M, and A-B means A, 2A, 4A, ... up to B. */
struct bench_list bench_numbers(const char *option, const char *text, unsigned long low,
                                unsigned long high);

/* A number that a program without figures takes: --NAME N. */
struct bench_value {
    const char *name;
    int key;
    const char *help;
    unsigned long *to, low, high;
};

/* Parses --json FILE and the values, which an entry without a name ends. Returns FILE, or NULL. An
 * unknown option ends the program with one line. Nodes other than node 0 print nothing. */
const char *bench_values(const char *what, const struct bench_value *values, int argc, char **argv);

/* Set on nodes that must not print. The launcher ends the job when any node exits, so a failing
 * node waits until node 0 has reported the error and has exited. */
extern bool bench_silenced;

_Noreturn void bench_fail(int status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- Repetitions ---- */

/* One repetition: a sample, or NAN for none at this node. */
typedef double bench_once(void *context);

/*
 * Calls ONCE --warmup times and returns the number of repetitions: --repetitions, or fewer if at
 * the pace of the warm-up they would exceed --seconds, but at least BENCH_FEW. AGREE, if not NULL,
 * combines the numbers of all nodes into one; then --warmup is at least 1.
 */
#define BENCH_FEW 3
size_t bench_warm_up(bench_once *once, void *context, uint64_t (*agree)(uint64_t mine));

/* Without the calls: REPETITIONS is the requested number; WARM_UP calls took NS. */
size_t bench_allowed(size_t repetitions, double seconds, size_t warm_up, uint64_t ns);

/* Calls ONCE COUNT times. */
void bench_repeat(struct bench_series *series, size_t count, bench_once *once, void *context);

/* Warm-up and repetitions in this process only; returns the statistics. */
struct bench_stat bench_measure(bench_once *once, void *context);

/* ---- Results (report.c) ---- */

struct bench_json {
    FILE *file; /* NULL: no file requested, all calls do nothing */
    const char *path;
    bool first;
};

/* PATH NULL: no file; begins an object */
void bench_json_open(struct bench_json *json, const char *path);
/* begins a nested object; NAME NULL, here and below: an array element */
void bench_json_begin(struct bench_json *json, const char *name);
void bench_json_end(struct bench_json *json);
void bench_json_array(struct bench_json *json, const char *name);
void bench_json_array_end(struct bench_json *json);
void bench_json_string(struct bench_json *json, const char *name, const char *value);
void bench_json_unsigned(struct bench_json *json, const char *name, uint64_t value);
void bench_json_double(struct bench_json *json, const char *name, double value);
/* an object: count, median, min, max, mean, percentiles, histogram */
void bench_json_stat(struct bench_json *json, const char *name, const struct bench_stat *stat);
/* also ends the outermost object */
void bench_json_close(struct bench_json *json);

/* A table row: name, median, minimum, maximum and description; for programs that do not call
 * bench_begin(). */
void bench_heading(const char *unit);
void bench_row(const char *name, struct bench_stat stat, const char *what);

/* A parameter of a result, printed beside its name: a number or a text. */
struct bench_shape {
    const char *name; /* NULL ends a list */
    double value;
    const char *text; /* NULL: use value */
};

#define BENCH_SHAPE(...)         \
    (const struct bench_shape[]) \
    {                            \
        __VA_ARGS__,             \
        {                        \
            .name = NULL         \
        }                        \
    }

/* Begins the table and, with --json, the file: program, machine, kernel, load, FABRIC, NODES, and
 * ABOUT, which describes the job. */
void bench_begin(const char *fabric, int nodes, const struct bench_shape *about);

/*
 * One figure: a row of the table and, in the JSON file, an object of the array "results". UNIT is
 * the unit of the samples. More members may be added to the object between begin and end.
 */
struct bench_json *bench_result_begin(const char *name, const char *unit,
                                      const struct bench_shape *shape,
                                      const struct bench_stat *stat);
void bench_result_end(void);
void bench_result(const char *name, const char *unit, const struct bench_shape *shape,
                  const struct bench_stat *stat);

/* Ends the array of results; later members are added beside it. */
struct bench_json *bench_results_end(void);
void bench_end(void);

#endif
