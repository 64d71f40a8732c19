/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The bandwidth of gets from a window, by size and by scheme, as figure 3 of Nieplocha, Ju and
 * Apra (One-sided Communication on the Myrinet-based SMP Clusters using the GM Message-Passing
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
static uint64_t wrong;

/* Next source address for SPAN bytes; advances by whole pages. */
static unsigned char *next_source(size_t span)
{
    static size_t next;

    if (next + span > CYCLED)
        next = 0;
    unsigned char *at = window + next;
    next += (span + PART - 1) / PART * PART;
    return at;
}

static uint64_t word_at(size_t off)
{
    return off / 8 * UINT64_C(0x9e3779b97f4a7c15);
}

static void check_word(const unsigned char *got, const unsigned char *there)
{
    uint64_t word;

    memcpy(&word, got, sizeof word);
    wrong += word != word_at((size_t)(there - window));
}

/* Checks the first and the last whole word. */
static void check(const unsigned char *got, const unsigned char *there, size_t bytes)
{
    size_t last = (bytes - 1) / 8 * 8;

    if (bytes < 8)
        return;
    check_word(got, there);
    if (last + 8 <= bytes)
        check_word(got + last, there + last);
}

/* ---- schemes: COUNT pieces of BYTES, DISTANCE apart at the source, to contiguous memory ---- */

struct pieces {
    size_t bytes, distance, count;
};

typedef void scheme(unsigned char *to, const unsigned char *from, struct pieces p);

static void get_each(unsigned char *to, const unsigned char *from, struct pieces p)
{
    for (size_t i = 0; i < p.count; i++)
        hlrc_get(to + i * p.bytes, from + i * p.distance, p.bytes, 1);
}

static void get_strided(unsigned char *to, const unsigned char *from, struct pieces p)
{
    const size_t counts[] = { p.bytes, p.count };

    hlrc_get_strided(to, &p.bytes, from, &p.distance, counts, 1, 1);
}

static void get_packed(unsigned char *to, const unsigned char *from, struct pieces p)
{
    static unsigned char all[2 * LARGEST];

    hlrc_get(all, from, (p.count - 1) * p.distance + p.bytes, 1);
    for (size_t i = 0; i < p.count; i++)
        memcpy(to + i * p.bytes, all + i * p.distance, p.bytes);
}

/* Of bytes in a row: parts of PART bytes, and a rest. */
static void get_parts(unsigned char *to, const unsigned char *from, struct pieces p)
{
    size_t rest = p.bytes % PART;

    get_each(to, from, (struct pieces){ PART, PART, p.bytes / PART });
    if (rest > 0)
        hlrc_get(to + p.bytes - rest, from + p.bytes - rest, rest, 1);
}

static void get_vector(unsigned char *to, const unsigned char *from, struct pieces p)
{
    static void *dst[LARGEST / PART];
    static const void *src[LARGEST / PART];
    size_t n = p.bytes / PART;

    for (size_t i = 0; i < n; i++) {
        dst[i] = to + i * PART;
        src[i] = from + i * PART;
    }
    hlrc_get_vector(dst, src, n, PART, 1);
    if (p.bytes % PART)
        hlrc_get(to + n * PART, from + n * PART, p.bytes % PART, 1);
}

enum target { FRESH, KEPT, WINDOW };

static const struct test {
    const char *name, *what, *by;
    scheme *get;
    enum target to;
} tests[] = {
    { "contiguous", "bandwidth of gets of bytes in a row", "baseline", get_parts, KEPT },
    { "contiguous", NULL, "pipelined", get_vector, KEPT },
    { "contiguous", NULL, "overlap", get_each, FRESH },
    { "contiguous", NULL, "kept", get_each, KEPT },
    { "contiguous", NULL, "window", get_each, WINDOW },
    { "strided", "bandwidth of gets of every second piece", "baseline", get_each, KEPT },
    { "strided", NULL, "pipelined", get_strided, KEPT },
    { "strided", NULL, "packed", get_packed, KEPT },
    { "gap", "pieces at growing distances, one by one, together, and with all between", "each",
      get_each, KEPT },
    { "gap", NULL, "strided", get_strided, KEPT },
    { "gap", NULL, "packed", get_packed, KEPT },
    { "computing", "overlap of a get with computing", NULL, NULL, KEPT },
    { "messages", "messages sent for all of this: none", NULL, NULL, KEPT },
};
static const struct test *now;
static struct pieces pieces;

static unsigned char *map_private(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE,
                    -1, 0);

    if (at == MAP_FAILED)
        bench_fail(1, "no private memory: %zu bytes", bytes);
    memset(at, 1, bytes);
    return at;
}

/* us of the pieces in use */
static double get_once(void)
{
    size_t bytes = pieces.count * pieces.bytes;
    const unsigned char *from = next_source(pieces.count * pieces.distance);
    unsigned char *to = now->to == FRESH  ? map_private(bytes)
                        : now->to == KEPT ? kept
                                          : window + CYCLED;
    uint64_t start = bench_now();
    now->get(to, from, pieces);
    double us = bench_us_since(start);
    for (size_t i = 0; i < pieces.count; i++)
        check(to + i * pieces.bytes, from + i * pieces.distance, pieces.bytes);
    if (now->to == FRESH)
        munmap(to, bytes);
    return us;
}

static double rate_once(void)
{
    double us = get_once();

    return us > 0 ? (double)(pieces.count * pieces.bytes) / us : 0;
}

static void measure(size_t bytes)
{
    for (now = tests; now->get != NULL; now++) {
        bool strided = strcmp(now->name, "strided") == 0;
        pieces = strided ? (struct pieces){ STRIP, (size_t)2 * STRIP, bytes / STRIP }
                         : (struct pieces){ bytes, bytes, 1 };
        if (strcmp(now->name, "gap") != 0 && !(strided && bytes % STRIP))
            bench_report(now->name, "MB/s", rate_once,
                         bench_shape("by %s bytes %zu", now->by, bytes));
    }
}

static void measure_gaps(size_t distance)
{
    pieces = (struct pieces){ GAP_PIECE, distance, GAPPED };
    for (now = tests; now->get != NULL; now++)
        if (strcmp(now->name, "gap") == 0)
            bench_report(now->name, "us", get_once,
                         bench_shape("by %s distance %zu bytes %d", now->by, distance, GAP_PIECE));
}

/* ---- overlap with computation ---- */

static uint64_t steps;
static volatile double result;

static void work(void)
{
    double x = 1;

    for (uint64_t i = 0; i < steps; i++)
        x = x * 0.999999 + 1e-9;
    result = x;
}

static double part_of_both(bool gets, bool works)
{
    const unsigned char *from = next_source(pieces.bytes);
    hlrc_handle_t handle;
    uint64_t start = bench_now();

    if (gets)
        hlrc_get_nb(kept, from, pieces.bytes, 1, &handle);
    if (works)
        work();
    if (gets)
        hlrc_wait(handle);
    double us = bench_us_since(start);
    if (gets)
        check(kept, from, pieces.bytes);
    return us;
}

static double get_only_once(void)
{
    return part_of_both(true, false);
}

static double work_once(void)
{
    return part_of_both(false, true);
}

static double both_once(void)
{
    return part_of_both(true, true);
}

static double ratio_once(void)
{
    double get = get_only_once(), works = work_once(), longer = get > works ? get : works;

    return longer > 0 ? both_once() / longer : 0;
}

static void measure_computing(size_t bytes)
{
    static const struct {
        const char *by, *unit;
        bench_once *once;
    } parts[] = { { "get", "us", get_only_once },
                  { "work", "us", work_once },
                  { "both", "us", both_once },
                  { "ratio", "ratio", ratio_once } };

    if (!bench_wants("computing"))
        return;
    pieces.bytes = bytes;
    steps = 100000;
    double per_step = bench_measure(work_once).median / (double)steps;
    steps = (uint64_t)(bench_measure(get_only_once).median / per_step);
    for (size_t i = 0; i < BENCH_COUNT(parts); i++)
        bench_report("computing", parts[i].unit, parts[i].once,
                     bench_shape("by %s bytes %zu", parts[i].by, bytes));
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
        hlrc_get(kept, window + at, LARGEST, 1);
    for (size_t k = 0; k < bench.sizes.count; k++)
        measure(bench.sizes.value[k]);
    for (size_t distance = 2 * (size_t)GAP_PIECE; distance <= GAP_MOST; distance *= 2)
        measure_gaps(distance);
    for (size_t k = 0; k < bench.sizes.count; k++)
        measure_computing(bench.sizes.value[k]);
    double sent = (double)(messages() - before);
    struct bench_stat stat = bench_stat(&sent, 1);
    if (bench_wants("messages"))
        bench_result("messages", "count", "node 0", &stat, NULL);
    wrong += sent > 0;
}

static const struct bench_program program =
    BENCH_PROGRAM("Measure how fast bytes are got from a window; run it under hlrcrun -n 2.", tests,
                  5, 200, 0.3,
                  BENCH_OPTION_SIZES("bytes that are got", 1, LARGEST,
                                     "8,1K,4K,16K,64K,256K,1M,4M,16M"),
                  BENCH_OPTIONS_END);

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
    job_end(wrong, job_options);
}
