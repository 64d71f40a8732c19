/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * common.h - shared by all applications: start and end, options, partition, timing, report.
 *
 * A program calls app_begin() first, computes, and returns the result of app_end() from main. Every
 * node runs all of it; only node 0 prints. Exit status: 0, 1 if the verification failed or memory
 * ran out, 2 for an invalid command line.
 *
 * The same objects, linked with native.c in place of HLRC, make a program of several processes that
 * share memory without it, and a sequential one: native.h.
 */
#ifndef APPS_COMMON_H
#define APPS_COMMON_H

#include <hlrc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Data of different nodes are at least this far apart; no supported machine has smaller pages. */
#define APP_PAGE 4096

#define APP_SEED 314159265 /* as in the NAS benchmarks */

struct app {
    const char *name;
    int node, nodes;
    uint64_t seed;
    bool verify;
    bool hints;       /* use prefetch and touch hints */
    const char *json; /* file to write the result to, NULL for none */
};

/* Of this process; set by app_begin(), constant afterwards. */
extern struct app app;

/* A half-open range of indices. */
struct app_range {
    size_t begin, end;
};

static inline size_t app_length(struct app_range range)
{
    return range.end - range.begin;
}

/* The result, filled in on node 0. */
struct app_result {
    char problem[160]; /* one line that names the problem and its parameters */
    char size[48];     /* class or size, in short */
    double time_s;
    double mops;        /* millions of operations per second, as counted by the benchmark */
    char rate[32];      /* the same in the benchmark's own unit; empty: none */
    bool verified;      /* meaningful with app.verify */
    char evidence[160]; /* summary of the verification */
    char checksum[80];  /* of the results; the same for any number of nodes */
};

/* Prints to an array, such as those above. */
#define APP_PRINT(to, ...) (void)snprintf((to), sizeof(to), __VA_ARGS__)

/*
 * An option of a program. Its value goes to a member of the struct that app_begin() is given; the
 * macros below say how.
 */
struct app_option {
    const char *name; /* NULL ends a table */
    int key;
    const char *value, *help;
    void (*call)(void *problem, const char *text); /* before the value is stored; NULL: none */
    enum { APP_NOT_STORED, APP_INTEGER, APP_POWER_OF_TWO, APP_DOUBLE, APP_STRING, APP_CHOICE } kind;
    size_t offset, size; /* of the member */
    uint64_t min, max;
    double low, high;
    const char *const *words;
};

#define APP_MEMBER(type, member) \
    .offset = offsetof(struct type, member), .size = sizeof((struct type *)0)->member
#define APP_NUMBER(type, member, least, most) \
    .kind = APP_INTEGER, .min = (least), .max = (most), APP_MEMBER(type, member)
#define APP_POWER(type, member, least, most) \
    .kind = APP_POWER_OF_TWO, .min = (least), .max = (most), APP_MEMBER(type, member)
#define APP_REAL(type, member, least, most) \
    .kind = APP_DOUBLE, .low = (least), .high = (most), APP_MEMBER(type, member)
#define APP_TEXT(type, member) .kind = APP_STRING, APP_MEMBER(type, member)
/* the index of the word: a bool is true for the second of two */
#define APP_WORD_OF(type, member, list) \
    .kind = APP_CHOICE, .words = (list), APP_MEMBER(type, member)
#define APP_WORDS(type, member, ...) \
    APP_WORD_OF(type, member, ((const char *const[]){ __VA_ARGS__, NULL }))

/*
 * Joins the job, and parses the command line with the program's options and the common options.
 * Ends the program on --help and on errors; node 0 prints one error.
 */
void app_begin(const char *name, const char *doc, const struct app_option *options, void *problem,
               int argc, char **argv);

/* For a `call` of an option: the row of a table whose first member is this letter, of either case.
 * The table ends with a row without a letter. Ends the program if there is none; `choices` names
 * the letters and an alternative. */
const void *app_class(const char *text, const void *table, size_t row, const char *choices);

/* Ends the program because of an invalid command line; every node must reach the same
 * conclusion. */
_Noreturn void app_usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Ends the program because memory is exhausted. */
_Noreturn void app_no_memory(const char *what, size_t size);

/* Collective. Shared memory, zero-filled, page-aligned; does not return on failure. */
void *app_shared(const char *what, size_t size);

/* Private memory, cache-line aligned; does not return on failure. Released by free(), or kept until
 * the program ends. The second one is zero-filled. */
void *app_private(const char *what, size_t size);
void *app_zeros(const char *what, size_t size);

/* Private memory that checkpoints save; does not return on failure. */
void app_protect(void *p, size_t size);

/* The measured steps of a program. With --checkpoint a job may be saved before each of them. */
struct app_steps {
    uint64_t done;
    double begun; /* seconds: when they began; after a restart, as if the job had not ended */
    double spent; /* seconds of them before the last checkpoint */
};
/* Before the first one. */
void app_steps_begin(struct app_steps *s);
/* Before each one, with hlrc_checkpoint or hlrc_checkpoint_any. True: the job has been restored. */
bool app_steps_save(struct app_steps *s, int (*checkpoint)(void));
double app_steps_seconds(const struct app_steps *s); /* so far */

/* The size in whole pages. */
static inline size_t app_pages(size_t bytes)
{
    return (bytes + APP_PAGE - 1) / APP_PAGE * APP_PAGE;
}

/* Prints the result on node 0, writes the JSON file, leaves the job. Returns the exit status. */
int app_end(const struct app_result *result);

/*
 * Shows progress, `done` of `total` steps: only on node 0 with a terminal, only after the program
 * has run for a while, and at a limited rate. Clears the line when all are done.
 */
void app_progress(uint64_t done, uint64_t total);

/* For the description of a problem: the name of its input file, or the seed without one. */
const char *app_source(const char *input);

/* Reports that the output file of this option could not be written: errno. Returns the exit
 * status. */
int app_unwritten(const char *option, const char *path);

/* Seconds on a monotonic clock. */
double app_now(void);

/* The part of `node` in `total` indices, in whole multiples of `unit`; empty if there are too
 * few. */
struct app_range app_part(size_t total, size_t unit, int node);

/* The node whose part holds `index`: the inverse of app_part(). */
int app_owner(size_t total, size_t unit, size_t index);

/* Hints: this node will read, or completely overwrite, the range next. No effect without
 * app.hints. */
void app_will_read(const void *addr, size_t len);
void app_will_write(void *addr, size_t len);

/* The next number of the sequence x(k+1) = 5^13 x(k) mod 2^46 of the NAS benchmarks, exact in
 * integers. */
#define APP_RANDOM_MASK ((UINT64_C(1) << 46) - 1)

static inline uint64_t app_random(uint64_t *x)
{
    return *x = *x * UINT64_C(1220703125) & APP_RANDOM_MASK;
}

/* The state of app_random() after `count` numbers. */
uint64_t app_random_skip(uint64_t seed, uint64_t count);

/* A hash, for sums over a set: equal sums mean equal elements in any order. */
static inline uint64_t app_scramble(uint64_t x)
{
    x = (x + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return x ^ x >> 32;
}

/* A hash of a number and its place, for sums over an array: any differing bit changes the sum. */
static inline uint64_t app_stamp(double value, size_t place)
{
    union {
        double value;
        uint64_t bits;
    } u = { value };

    return u.bits * (2 * place + 1);
}

/* Rounded down. */
static inline unsigned app_log2(uint64_t n)
{
    return 63 - (unsigned)__builtin_clzll(n);
}

#endif
