/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The cost of a diff: the scan of an unchanged page compared with memcmp of it, and dense and
 * scattered changes compared with memcpy.
 *
 * A sample is the time for one page in ns. It is averaged over passes of pages that together fit
 * in the second-level cache (as the pages of a flush do), or over a single page ("hot",
 * first-level cache).
 */
#include "hlrc/memory/diff.h"
#include "microbench/bench.h"

#include <stdlib.h>
#include <string.h>

#define PAIRS             32
#define PASSES_PER_SAMPLE 32

struct area {
    unsigned char page[PAIRS][DIFF_PAGE];
    unsigned char twin[PAIRS][DIFF_PAGE];
    unsigned char out[PAIRS][DIFF_MAX];
    size_t len[PAIRS];
};

static struct area *area;

/* ---- One pass -------------------------------------------------------------------------------- */

/* Compiler barrier between two calls: otherwise the compiler, which treats memcmp as pure, could
 * merge them. */
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

struct pass {
    void (*over)(size_t pairs);
    size_t pairs;
};

/* ns per page */
static double pass_once(void *context)
{
    const struct pass *pass = context;
    size_t passes = PASSES_PER_SAMPLE * (PAIRS / pass->pairs);
    uint64_t start = bench_now();

    for (size_t k = 0; k < passes; k++)
        pass->over(pass->pairs);
    return bench_us_since(start) * 1000 / (double)(passes * pass->pairs);
}

static struct bench_stat measure(void (*over)(size_t), size_t pairs)
{
    struct pass pass = { over, pairs };

    return bench_measure(pass_once, &pass);
}

/* ---- Contents of the pages ------------------------------------------------------------------- */

/* The first WIDTH bytes of every PERIOD differ from the twin; WIDTH 0: no difference. */
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

static const struct pattern {
    const char *name;
    size_t period, width;
    const char *what;
} patterns[] = {
    { "word", DIFF_PAGE, 8, "one 8-byte word of the page changed" },
    { "half", DIFF_PAGE, DIFF_PAGE / 2, "the first half of the page changed" },
    { "full", DIFF_PAGE, DIFF_PAGE, "every byte changed" },
    { "strided", 64, 8, "one 8-byte word of every 64 bytes changed" },
    { "mantissa", 8, 6, "6 bytes of every 8 changed" },
    { "alternating", 2, 1, "every second byte changed" },
};

static void measure_pattern(const struct pattern *p)
{
    const struct bench_shape *shape =
        BENCH_SHAPE({ "pattern", 0, p->name },
                    { "changed", (double)(DIFF_PAGE / p->period * p->width), NULL },
                    { "pages", PAIRS, NULL });
    struct bench_stat stat;

    fill(p->period, p->width);
    if (bench_wants("encode")) {
        stat = measure(pass_encode, PAIRS);
        bench_result("encode", "ns", shape, &stat);
    }
    if (bench_wants("apply")) {
        stat = measure(pass_apply, PAIRS);
        bench_result("apply", "ns", shape, &stat);
    }
}

/* On unchanged pages. */
static const struct {
    const char *name;
    void (*over)(size_t pairs);
    size_t pairs;
} scans[] = {
    { "scan", pass_encode, PAIRS },     { "memcmp", pass_memcmp, PAIRS },
    { "differs", pass_differs, PAIRS }, { "scan_hot", pass_encode, 1 },
    { "memcmp_hot", pass_memcmp, 1 },   { "memcpy", pass_memcpy, PAIRS },
    { "merge", pass_merge, PAIRS },
};

static void measure_scans(void)
{
    fill(DIFF_PAGE, 0);
    for (size_t i = 0; i < sizeof scans / sizeof scans[0]; i++) {
        if (!bench_wants(scans[i].name))
            continue;
        struct bench_stat stat = measure(scans[i].over, scans[i].pairs);
        bench_result(scans[i].name, "ns",
                     BENCH_SHAPE({ "pattern", 0, "unchanged" }, { "changed", 0, NULL },
                                 { "pages", (double)scans[i].pairs, NULL }),
                     &stat);
    }
}

/* ---- The program ----------------------------------------------------------------------------- */

static const struct bench_figure figures[] = {
    { "scan", "diff of an unchanged page" },
    { "memcmp", "memcmp of page and twin" },
    { "differs", "whether they differ, while others write" },
    { "scan_hot", "diff of always the same unchanged page" },
    { "memcmp_hot", "memcmp of always the same page" },
    { "memcpy", "copy of a page" },
    { "merge", "new base under a dirty page" },
    { "encode", "diff of a changed page, by the pattern of the changes" },
    { "apply", "that diff put into a page" },
    { NULL, NULL },
};

static const char *loops;

static bool take(int key, char *arg)
{
    if (key != 'l')
        return false;
    loops = arg;
    return true;
}

static const struct argp_option options[] = {
    { "loops", 'l', "NAME", 0, "use these loops: portable, avx2 or avx512 (default: the best)", 0 },
    { 0 },
};

static const struct bench_program program = {
    .name = "diff",
    .what = "Measure diffs of pages of 4096 bytes.",
    .figures = figures,
    .warmup = 5,
    .repetitions = 200,
    .seconds = 1,
    .options = options,
    .take = take,
};

int main(int argc, char **argv)
{
    int core[2];

    bench_arguments(&program, argc, argv);
    if (diff_use(loops) != 0)
        bench_fail(2, "--loops %s: this CPU has no such loops; portable always works", loops);
    bench_cores(core);
    bench_pin(core[0]);
    area = aligned_alloc(BENCH_PAGE, (sizeof(*area) + BENCH_PAGE - 1) / BENCH_PAGE * BENCH_PAGE);
    if (area == NULL)
        bench_fail(1, "out of memory: %zu bytes needed", sizeof(*area));
    memset(area, 0, sizeof(*area));
    bench_begin("none", 1, BENCH_SHAPE({ "loops", 0, diff_in_use() }));
    measure_scans();
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
        measure_pattern(&patterns[i]);
    (void)bench_results_end();
    bench_end();
    free(area);
    return 0;
}
