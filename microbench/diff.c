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

static struct {
    unsigned char page[PAIRS][DIFF_PAGE];
    unsigned char twin[PAIRS][DIFF_PAGE];
    unsigned char out[PAIRS][DIFF_MAX];
    size_t len[PAIRS];
} area __attribute__((aligned(BENCH_PAGE)));

/* ---- One pass over the pairs ----------------------------------------------------------------- */

static size_t pairs;

/* Compiler barrier between two calls: otherwise the compiler, which treats memcmp as pure, could
 * merge them. */
static inline void forget(void)
{
    __asm__ volatile("" ::: "memory");
}

static volatile size_t sink;

#define PASS(name, statement)                        \
    static void name(void)                           \
    {                                                \
        for (size_t i = 0; i < pairs; i++, forget()) \
            statement;                               \
    }

PASS(pass_memcmp, sink = (size_t)memcmp(area.page[i], area.twin[i], DIFF_PAGE))
PASS(pass_differs, sink = diff_differs(area.page[i], area.twin[i]))
PASS(pass_memcpy, memcpy(area.out[i], area.page[i], DIFF_PAGE))
PASS(pass_encode, sink = diff_encode(area.page[i], area.twin[i], area.out[i]))
PASS(pass_apply, sink = (size_t)diff_apply(area.twin[i], area.out[i], area.len[i]))
PASS(pass_merge, diff_merge(area.page[i], area.twin[i], area.out[i]))

/* ---- Contents of the pages ------------------------------------------------------------------- */

/* The first WIDTH bytes of every PERIOD differ from the twin. */
static const struct pattern {
    const char *name;
    size_t period, width;
} patterns[] = {
    { "unchanged", DIFF_PAGE, 0 },
    { "word", DIFF_PAGE, 8 }, /* one 8-byte word of the page */
    { "half", DIFF_PAGE, DIFF_PAGE / 2 },
    { "full", DIFF_PAGE, DIFF_PAGE },
    { "strided", 64, 8 }, /* one 8-byte word of every 64 bytes */
    { "mantissa", 8, 6 },
    { "alternating", 2, 1 },
};

static void fill(const struct pattern *p)
{
    for (size_t i = 0; i < PAIRS; i++) {
        for (size_t at = 0; at < DIFF_PAGE; at++) {
            area.twin[i][at] = (unsigned char)(at * 31 + i);
            area.page[i][at] = (unsigned char)(area.twin[i][at] + (at % p->period < p->width));
        }
        area.len[i] = diff_encode(area.page[i], area.twin[i], area.out[i]);
    }
}

/* ---- The program ----------------------------------------------------------------------------- */

static const struct pass {
    const char *name, *what;
    bench_operation *perform;
    size_t pairs;
    bool changed; /* on changed pages, otherwise on unchanged ones */
} passes[] = {
    { "scan", "diff of an unchanged page", pass_encode, PAIRS, false },
    { "memcmp", "memcmp of page and twin", pass_memcmp, PAIRS, false },
    { "differs", "whether they differ, while others write", pass_differs, PAIRS, false },
    { "scan_hot", "diff of always the same unchanged page", pass_encode, 1, false },
    { "memcmp_hot", "memcmp of always the same page", pass_memcmp, 1, false },
    { "memcpy", "copy of a page", pass_memcpy, PAIRS, false },
    { "merge", "new base under a dirty page", pass_merge, PAIRS, false },
    { "encode", "diff of a changed page, by the pattern of the changes", pass_encode, PAIRS, true },
    { "apply", "that diff put into a page", pass_apply, PAIRS, true },
};

static const struct pass *now;

/* ns per page */
static double pass_once(void)
{
    return bench_us_each(now->perform, PASSES_PER_SAMPLE * (PAIRS / pairs)) * 1000 / (double)pairs;
}

static void measure(const struct pattern *p)
{
    fill(p);
    for (now = passes; now < passes + BENCH_COUNT(passes); now++) {
        if (now->changed != (p->width > 0))
            continue;
        pairs = now->pairs;
        bench_report(now->name, "ns", pass_once,
                     bench_shape("pattern %s changed %zu pages %zu", p->name,
                                 DIFF_PAGE / p->period * p->width, pairs));
    }
}

static const char *loops;

static const struct bench_program program =
    BENCH_PROGRAM("Measure diffs of pages of 4096 bytes.", passes, 5, 200, 1,
                  { "loops", 'l', "NAME",
                    "use these loops: portable, avx2 or avx512 (default: the best)", BENCH_TEXT,
                    &loops, 0, 0, NULL },
                  BENCH_OPTIONS_END);

int main(int argc, char **argv)
{
    int core[2];

    bench_arguments(&program, argc, argv);
    if (diff_use(loops) != 0)
        bench_fail(2, "--loops %s: this CPU has no such loops; portable always works", loops);
    bench_cores(core);
    bench_pin(core[0]);
    bench_begin("none", 1, bench_shape("loops %s", diff_in_use()));
    for (size_t i = 0; i < BENCH_COUNT(patterns); i++)
        measure(&patterns[i]);
    bench_end(NULL);
    return 0;
}
