/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a diff costs: the scan of an unchanged page beside memcmp of it, and dense and scattered
 * changes beside memcpy.
 *
 * Each figure is the time for one page, averaged over a pass of pages that together fit in the
 * second-level cache (as the pages of a flush do), or over one page alone ("hot", first-level
 * cache). The median is over the passes.
 */
#include "hlrc/memory/diff.h"
#include "microbench/bench.h"

#include <stdlib.h>
#include <string.h>

#define PAIRS             32
#define PASSES_PER_SAMPLE 32

struct options {
    const char *json;
    const char *loops;
    unsigned long rounds;
};

struct area {
    unsigned char page[PAIRS][DIFF_PAGE];
    unsigned char twin[PAIRS][DIFF_PAGE];
    unsigned char out[PAIRS][DIFF_MAX];
    size_t len[PAIRS];
};

static struct area *area;

/* ---- One pass -------------------------------------------------------------------------------- */

/* Between two calls the compiler must believe that all memory changed: it knows that memcmp is
 * pure. */
static inline void forget(void)
{
    __asm__ volatile("" ::: "memory");
}

static volatile size_t sink;

static void pass_memcmp(size_t pairs)
{
    for (size_t i = 0; i < pairs; i++, forget())
        sink = (size_t)memcmp(area->page[i], area->twin[i], DIFF_PAGE);
}

static void pass_differs(size_t pairs)
{
    for (size_t i = 0; i < pairs; i++, forget())
        sink = diff_differs(area->page[i], area->twin[i]);
}

static void pass_memcpy(size_t pairs)
{
    for (size_t i = 0; i < pairs; i++, forget())
        memcpy(area->out[i], area->page[i], DIFF_PAGE);
}

static void pass_encode(size_t pairs)
{
    for (size_t i = 0; i < pairs; i++, forget())
        sink = diff_encode(area->page[i], area->twin[i], area->out[i]);
}

static void pass_apply(size_t pairs)
{
    for (size_t i = 0; i < pairs; i++, forget())
        sink = (size_t)diff_apply(area->twin[i], area->out[i], area->len[i]);
}

static void pass_merge(size_t pairs)
{
    for (size_t i = 0; i < pairs; i++, forget())
        diff_merge(area->page[i], area->twin[i], area->out[i]);
}

static struct bench_stat measure(void (*pass)(size_t), size_t pairs, unsigned long rounds)
{
    double *sample = calloc(rounds, sizeof(*sample));
    size_t passes = PASSES_PER_SAMPLE * (PAIRS / pairs);

    if (sample == NULL)
        bench_fail(1, "out of memory");
    pass(pairs);
    for (unsigned long r = 0; r < rounds; r++) {
        uint64_t start = bench_now();
        for (size_t k = 0; k < passes; k++)
            pass(pairs);
        sample[r] = (double)(bench_now() - start) / (double)(passes * pairs);
    }
    struct bench_stat stat = bench_stat(sample, rounds);
    free(sample);
    return stat;
}

/* ---- What is on the pages -------------------------------------------------------------------- */

/* Of every PERIOD bytes the first WIDTH differ from the twin; WIDTH 0: nothing differs. */
static void fill(size_t period, size_t width)
{
    for (size_t i = 0; i < PAIRS; i++) {
        for (size_t at = 0; at < DIFF_PAGE; at++) {
            area->twin[i][at] = (unsigned char)(at * 31 + i);
            area->page[i][at] = (unsigned char)(area->twin[i][at] + (at % period < width ? 1 : 0));
        }
        area->len[i] = diff_encode(area->page[i], area->twin[i], area->out[i]);
    }
}

struct pattern {
    const char *name;
    size_t period, width;
    const char *what;
};

static const struct pattern patterns[] = {
    { "word", DIFF_PAGE, 8, "one 8-byte word of the page changed" },
    { "half", DIFF_PAGE, DIFF_PAGE / 2, "the first half of the page changed" },
    { "full", DIFF_PAGE, DIFF_PAGE, "every byte changed" },
    { "strided", 64, 8, "one 8-byte word of every 64 bytes changed" },
    { "mantissa", 8, 6, "6 bytes of every 8 changed" },
    { "alternating", 2, 1, "every second byte changed" },
};

static void report(struct bench_json *json, const char *name, struct bench_stat stat,
                   const char *what)
{
    char label[80];

    snprintf(label, sizeof(label), "%s_ns", name);
    bench_row(name, stat, what);
    bench_json_stat(json, label, stat);
}

static void measure_patterns(struct bench_json *json, unsigned long rounds)
{
    char name[64];

    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
        const struct pattern *p = &patterns[i];
        fill(p->period, p->width);
        snprintf(name, sizeof(name), "encode_%s", p->name);
        report(json, name, measure(pass_encode, PAIRS, rounds), p->what);
        snprintf(name, sizeof(name), "apply_%s", p->name);
        report(json, name, measure(pass_apply, PAIRS, rounds), "");
    }
}

/* ---- The program ----------------------------------------------------------------------------- */

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *options = state->input;

    switch (key) {
    case 'l':
        options->loops = arg;
        return 0;
    case 'r':
        options->rounds = bench_number("--rounds", arg, 1, 1000000);
        return 0;
    default:
        return bench_option(key, arg, state, &options->json);
    }
}

static const struct argp_option argp_options[] = {
    BENCH_JSON_OPTION,
    { "loops", 'l', "NAME", 0, "use these loops: portable, avx2 or avx512 (default: the best)", 0 },
    { "rounds", 'r', "N", 0, "samples of each figure (default 200)", 0 },
    { 0 },
};

static void measure_scan(struct bench_json *json, unsigned long rounds)
{
    fill(DIFF_PAGE, 0);
    struct bench_stat scan = measure(pass_encode, PAIRS, rounds),
                      compare = measure(pass_memcmp, PAIRS, rounds);
    struct bench_stat hot = measure(pass_encode, 1, rounds),
                      hot_compare = measure(pass_memcmp, 1, rounds);

    report(json, "scan", scan, "diff of an unchanged page");
    report(json, "memcmp", compare, "memcmp of page and twin");
    report(json, "differs", measure(pass_differs, PAIRS, rounds), "the same, while others write");
    report(json, "scan_hot", hot, "the same, always the same page");
    report(json, "memcmp_hot", hot_compare, "");
    report(json, "memcpy", measure(pass_memcpy, PAIRS, rounds), "");
    report(json, "merge", measure(pass_merge, PAIRS, rounds), "new base under a dirty page");
    printf("scan / memcmp: %.2f, hot %.2f\n", scan.median / compare.median,
           hot.median / hot_compare.median);
    bench_json_double(json, "diff_scan_ratio", scan.median / compare.median);
    bench_json_double(json, "diff_scan_hot_ratio", hot.median / hot_compare.median);
}

int main(int argc, char **argv)
{
    static const struct argp argp = { argp_options, parse_option, NULL, "Measure diffs of pages.",
                                      NULL,         NULL,         NULL };
    struct options options = { .rounds = 200 };
    struct bench_json json;
    int core[2];

    argp_parse(&argp, argc, argv, 0, NULL, &options);
    if (diff_use(options.loops) != 0)
        bench_fail(2, "--loops %s: this CPU has no such loops; portable always works",
                   options.loops);
    bench_cores(core);
    bench_pin(core[0]);
    area = aligned_alloc(BENCH_PAGE, (sizeof(*area) + BENCH_PAGE - 1) / BENCH_PAGE * BENCH_PAGE);
    if (area == NULL)
        bench_fail(1, "out of memory: %zu bytes needed", sizeof(*area));
    memset(area, 0, sizeof(*area));

    bench_json_open(&json, options.json);
    bench_json_string(&json, "loops", diff_in_use());
    printf("loops: %s\n", diff_in_use());
    bench_heading("ns per page of 4096 bytes");
    measure_scan(&json, options.rounds);
    measure_patterns(&json, options.rounds);
    bench_json_close(&json);
    free(area);
    return 0;
}
