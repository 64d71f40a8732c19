/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The bandwidth of gets from a window, by size and by scheme, as figures 3 to 5 of Nieplocha, Ju
 * and Apra (One-sided Communication on the Myrinet-based SMP Clusters using the GM Message-Passing
 * Library), and the overlap of gets with computation. Node 0 gets from the part of node 1, which
 * waits in a barrier, each time from another address (cycling through CYCLED bytes).
 *
 *  contiguous    MB/s, of --sizes bytes. BY baseline: hlrc_get of PART bytes each, one after the
 *                other; pipelined: the same parts by one hlrc_get_vector, all in flight together;
 *                overlap: one hlrc_get to private memory not used before; kept: to the same
 *                private memory each time; window: to memory of a window
 *  strided       MB/s of --sizes bytes in pieces of STRIP, every second STRIP of the source, to
 *                contiguous private memory. BY baseline: hlrc_get of each; pipelined: one
 *                hlrc_get_strided; packed: one hlrc_get from the first to the last byte, and
 *                copies
 *  gap           us for GAPPED pieces of GAP_PIECE bytes, DISTANCE apart. BY strided, packed: as
 *                above; each: hlrc_get of each. Packing pays where packed is cheaper than each
 *  computing     of --sizes bytes: us of a get (BY get), of computing for the same time (BY work),
 *                of both, the get started before the computation and awaited after it (BY both),
 *                and (ratio) both divided by the longer of get and work: 1 means full overlap, 2
 *                none
 *  messages      sent by node 0 for all of these: 0, since no CPU of node 1 takes part
 */
#include "microbench/job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LARGEST ((size_t)16 << 20)
#define CYCLED  (4 * LARGEST)
#define PART    4096
#define STRIP   1024

#define GAPPED    256
#define GAP_PIECE 64
#define GAP_MOST  4096

static unsigned char *window; /* CYCLED bytes of source, then LARGEST bytes of destination */
static unsigned char *kept;   /* private */
static uint64_t wrong, sent;
static size_t place;

/* Next source address for SPAN bytes; advances by whole pages. */
static unsigned char *next_place(size_t span)
{
    if (place + span > CYCLED)
        place = 0;
    unsigned char *at = window + place;
    place += (span + PART - 1) / PART * PART;
    return at;
}

static uint64_t word_at(size_t off)
{
    return off / 8 * UINT64_C(0x9e3779b97f4a7c15);
}

static void check(const unsigned char *got, const unsigned char *there, size_t bytes)
{
    uint64_t word;
    size_t last = (bytes - 1) / 8 * 8;
    if (bytes < 8)
        return;
    memcpy(&word, got, 8);
    wrong += word != word_at((size_t)(there - window));
    if (last + 8 <= bytes) {
        memcpy(&word, got + last, 8);
        wrong += word != word_at((size_t)(there - window) + last);
    }
}

/* ---- contiguous ---- */

typedef void scheme(unsigned char *to, const unsigned char *from, size_t bytes);

static void row_baseline(unsigned char *to, const unsigned char *from, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += PART)
        hlrc_get(to + at, from + at, bytes - at < PART ? bytes - at : PART, 1);
}

static void row_pipelined(unsigned char *to, const unsigned char *from, size_t bytes)
{
    static void *dst[LARGEST / PART];
    static const void *src[LARGEST / PART];
    size_t n = bytes / PART;
    for (size_t i = 0; i < n; i++) {
        dst[i] = to + i * PART;
        src[i] = from + i * PART;
    }
    hlrc_get_vector(dst, src, n, PART, 1);
    if (bytes % PART)
        hlrc_get(to + n * PART, from + n * PART, bytes % PART, 1);
}

static void row_whole(unsigned char *to, const unsigned char *from, size_t bytes)
{
    hlrc_get(to, from, bytes, 1);
}

/* ---- with strides ---- */

static void strips_baseline(unsigned char *to, const unsigned char *from, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += STRIP)
        hlrc_get(to + at, from + 2 * at, STRIP, 1);
}

static void strips_pipelined(unsigned char *to, const unsigned char *from, size_t bytes)
{
    const size_t near = STRIP, far = (size_t)2 * STRIP, counts[] = { STRIP, bytes / STRIP };
    hlrc_get_strided(to, &near, from, &far, counts, 1, 1);
}

static void strips_packed(unsigned char *to, const unsigned char *from, size_t bytes)
{
    static unsigned char all[2 * LARGEST];
    hlrc_get(all, from, 2 * bytes - STRIP, 1);
    for (size_t at = 0; at < bytes; at += STRIP)
        memcpy(to + at, all + 2 * at, STRIP);
}

static const struct test {
    const char *name, *by;
    scheme *get;
    enum { FRESH, KEPT, WINDOW } to;
} tests[] = {
    { "contiguous", "baseline", row_baseline, KEPT },
    { "contiguous", "pipelined", row_pipelined, KEPT },
    { "contiguous", "overlap", row_whole, FRESH },
    { "contiguous", "kept", row_whole, KEPT },
    { "contiguous", "window", row_whole, WINDOW },
    { "strided", "baseline", strips_baseline, KEPT },
    { "strided", "pipelined", strips_pipelined, KEPT },
    { "strided", "packed", strips_packed, KEPT },
};

static unsigned char *map_private(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE,
                    -1, 0);
    if (at == MAP_FAILED)
        bench_fail(1, "no private memory: %zu bytes", bytes);
    memset(at, 1, bytes);
    return at;
}

struct one {
    const struct test *test;
    size_t bytes;
};

static double once(void *context)
{
    const struct one *o = context;
    bool strided = strcmp(o->test->name, "strided") == 0;
    const unsigned char *from = next_place(strided ? 2 * o->bytes : o->bytes);
    unsigned char *to = o->test->to == FRESH  ? map_private(o->bytes)
                        : o->test->to == KEPT ? kept
                                              : window + CYCLED;
    uint64_t start = bench_now();
    o->test->get(to, from, o->bytes);
    double us = bench_us_since(start);
    check(to, from, strided ? STRIP : o->bytes);
    if (o->test->to == FRESH)
        munmap(to, o->bytes);
    return us > 0 ? (double)o->bytes / us : 0;
}

static void measure(const struct test *test, size_t bytes)
{
    struct one one = { test, bytes };
    if (!bench_wants(test->name) || (strcmp(test->name, "strided") == 0 && bytes % STRIP))
        return;
    struct bench_stat stat = bench_measure(once, &one);
    bench_result(test->name, "MB/s",
                 BENCH_SHAPE({ "by", 0, test->by }, { "bytes", (double)bytes, NULL }), &stat);
}

/* ---- gaps ---- */

struct gap {
    size_t distance;
    enum { EACH, STRIDED, PACKED } by;
};

static double gap_once(void *context)
{
    static unsigned char all[(size_t)GAPPED * GAP_MOST];
    const struct gap *g = context;
    const size_t near = GAP_PIECE, counts[] = { GAP_PIECE, GAPPED };
    const unsigned char *from = next_place(GAPPED * g->distance);
    uint64_t start = bench_now();
    if (g->by == STRIDED)
        hlrc_get_strided(kept, &near, from, &g->distance, counts, 1, 1);
    if (g->by == PACKED)
        hlrc_get(all, from, (GAPPED - 1) * g->distance + GAP_PIECE, 1);
    for (size_t i = 0; i < GAPPED; i++)
        if (g->by == PACKED)
            memcpy(kept + i * GAP_PIECE, all + i * g->distance, GAP_PIECE);
        else if (g->by == EACH)
            hlrc_get(kept + i * GAP_PIECE, from + i * g->distance, GAP_PIECE, 1);
    double us = bench_us_since(start);
    for (size_t i = 0; i < GAPPED; i++)
        check(kept + i * GAP_PIECE, from + i * g->distance, GAP_PIECE);
    return us;
}

static void measure_gaps(void)
{
    static const char *const by[] = { "each", "strided", "packed" };
    if (!bench_wants("gap"))
        return;
    for (size_t distance = 2 * GAP_PIECE; distance <= GAP_MOST; distance *= 2)
        for (int k = 0; k < 3; k++) {
            struct gap gap = { distance, k };
            struct bench_stat stat = bench_measure(gap_once, &gap);
            bench_result("gap", "us",
                         BENCH_SHAPE({ "by", 0, by[k] }, { "distance", (double)distance, NULL },
                                     { "bytes", GAP_PIECE, NULL }),
                         &stat);
        }
}

/* ---- overlap with computation ---- */

static volatile double result_of_work;

static void work(uint64_t steps)
{
    double x = 1;
    for (uint64_t i = 0; i < steps; i++)
        x = x * 0.999999 + 1e-9;
    result_of_work = x;
}

struct meanwhile {
    size_t bytes;
    uint64_t steps;
    enum { GET, WORK, BOTH, RATIO } what;
};

static double part_of_both(const struct meanwhile *m, bool gets, bool works)
{
    const unsigned char *from = next_place(m->bytes);
    hlrc_handle_t handle;
    uint64_t start = bench_now();
    if (gets)
        hlrc_get_nb(kept, from, m->bytes, 1, &handle);
    if (works)
        work(m->steps);
    if (gets)
        hlrc_wait(handle);
    double us = bench_us_since(start);
    if (gets)
        check(kept, from, m->bytes);
    return us;
}

static double meanwhile_once(void *context)
{
    const struct meanwhile *m = context;
    if (m->what != RATIO)
        return part_of_both(m, m->what != WORK, m->what != GET);
    double get = part_of_both(m, true, false), works = part_of_both(m, false, true),
           both = part_of_both(m, true, true), longer = get > works ? get : works;
    return longer > 0 ? both / longer : 0;
}

static void measure_meanwhile(size_t bytes)
{
    static const char *const by[] = { "get", "work", "both", "ratio" };
    struct meanwhile m = { .bytes = bytes, .steps = 100000, .what = WORK };
    if (!bench_wants("computing"))
        return;
    double per_step = bench_measure(meanwhile_once, &m).median / (double)m.steps;
    m.what = GET;
    m.steps = (uint64_t)(bench_measure(meanwhile_once, &m).median / per_step);
    for (int k = 0; k < 4; k++) {
        m.what = k;
        struct bench_stat stat = bench_measure(meanwhile_once, &m);
        bench_result("computing", k == RATIO ? "ratio" : "us",
                     BENCH_SHAPE({ "by", 0, by[k] }, { "bytes", (double)bytes, NULL }), &stat);
    }
}

/* ---- the program ---- */

static uint64_t messages(void)
{
    struct hlrc_stats stats = { .size = sizeof stats };
    hlrc_stats_get(&stats);
    return stats.messages;
}

static void measure_all(void)
{
    uint64_t before = messages();
    for (size_t at = 0; at < CYCLED; at += LARGEST) /* maps the window here, piece by piece */
        row_whole(kept, window + at, LARGEST);
    for (size_t k = 0; k < bench.sizes.count; k++)
        for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
            measure(&tests[i], bench.sizes.value[k]);
    measure_gaps();
    for (size_t k = 0; k < bench.sizes.count; k++)
        measure_meanwhile(bench.sizes.value[k]);
    sent = messages() - before;
    if (bench_wants("messages")) {
        double count = (double)sent;
        struct bench_stat stat = bench_stat(&count, 1);
        bench_result("messages", "count", BENCH_SHAPE({ "node", 0, NULL }), &stat);
    }
    wrong += sent;
}

static const struct bench_figure figures[] = {
    { "contiguous", "bandwidth of gets of bytes in a row" },
    { "strided", "bandwidth of gets of every second piece" },
    { "gap", "pieces at growing distances, one by one, together, and with all between" },
    { "computing", "overlap of a get with computing" },
    { "messages", "messages sent for all of this: none" },
    { NULL, NULL },
};

static const struct bench_program program = {
    .name = "gets",
    .what = "Measure how fast bytes are got from a window; run it under hlrcrun -n 2.",
    .figures = figures,
    .warmup = 5,
    .repetitions = 200,
    .seconds = 0.3,
    .sizes = "8,1K,4K,16K,64K,256K,1M,4M,16M",
    .sizes_are = "bytes that are got",
    .smallest = 1,
    .largest = LARGEST,
};

int main(int argc, char **argv)
{
    job_begin(&argc, &argv, &program, 2);
    window = hlrc_window_create(CYCLED + LARGEST);
    if (!window)
        bench_fail(1, "hlrc_window_create: %s; raise --memory", strerror(errno));
    for (size_t off = 0; off < CYCLED; off += 8)
        *(uint64_t *)(void *)(window + off) = word_at(off);
    memset(window + CYCLED, 0, LARGEST);
    kept = map_private(LARGEST);
    hlrc_barrier();
    if (hlrc_node_id() == 0)
        measure_all();
    hlrc_barrier();
    (void)job_results_end();
    job_end(job_sum(wrong));
}
