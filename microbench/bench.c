/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "microbench/bench.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define READINGS 1001 /* clock readings from which the cost of one is found */

/* ---- Time ------------------------------------------------------------------------------------ */

uint64_t bench_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void bench_wait_until(uint64_t when)
{
    while (bench_now() < when)
        bench_relax();
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

double bench_clock_cost(void)
{
    static uint64_t took[READINGS];
    static double cost = -1;

    if (cost >= 0)
        return cost;
    uint64_t before = bench_now();
    for (size_t i = 0; i < READINGS; i++) {
        uint64_t now = bench_now();
        took[i] = now - before;
        before = now;
    }
    qsort(took, READINGS, sizeof(took[0]), ascending);
    cost = (double)took[READINGS / 2];
    return cost;
}

double bench_us_since(uint64_t start)
{
    double ns = (double)(bench_now() - start) - bench_clock_cost();

    return ns > 0 ? ns / 1000 : 0;
}

/* ---- Repetitions ----------------------------------------------------------------------------- */

size_t bench_allowed(size_t repetitions, double seconds, size_t warm_up, uint64_t ns)
{
    double each = (double)(ns > 0 ? ns : 1) / (double)(warm_up > 0 ? warm_up : 1);
    double fit = seconds * 1e9 / each;

    if (repetitions <= BENCH_FEW || fit >= (double)repetitions)
        return repetitions;
    return fit > BENCH_FEW ? (size_t)fit : BENCH_FEW;
}

size_t bench_warm_up(bench_once *once, void *context, uint64_t (*agree)(uint64_t mine))
{
    size_t count = bench.warmup > 0 ? bench.warmup : 1;
    uint64_t start = bench_now();

    for (size_t i = 0; i < count; i++)
        (void)once(context);
    uint64_t allowed = bench_allowed(bench.repetitions, bench.seconds, count, bench_now() - start);
    return (size_t)(agree != NULL ? agree(allowed) : allowed);
}

void bench_repeat(struct bench_series *series, size_t count, bench_once *once, void *context)
{
    for (size_t i = 0; i < count; i++) {
        double sample = once(context);
        if (!isnan(sample))
            bench_series_add(series, sample);
    }
}

struct bench_stat bench_measure(bench_once *once, void *context)
{
    size_t count = bench_warm_up(once, context, NULL);
    struct bench_series series = bench_series_make(count);

    bench_repeat(&series, count, once, context);
    struct bench_stat stat = bench_stat(series.sample, series.count);
    bench_series_free(&series);
    return stat;
}

/* ---- Cores ----------------------------------------------------------------------------------- */

/* A number from the kernel's description of a CPU, or -1. */
static int topology(int cpu, const char *what)
{
    char path[128];
    int value = -1;

    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/%s", cpu, what);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return -1;
    if (fscanf(file, "%d", &value) != 1)
        value = -1;
    fclose(file);
    return value;
}

/* Rank of CPU as the second core beside FIRST: 0 means the same physical core. */
static int distance_rank(int first, int cpu)
{
    bool same_package =
        topology(first, "physical_package_id") == topology(cpu, "physical_package_id");
    bool same_core = same_package && topology(first, "core_id") == topology(cpu, "core_id");

    /* Without information from the kernel, treat every CPU as its own core. */
    if (same_core && topology(first, "core_id") >= 0)
        return 0;
    return same_package ? 2 : 1;
}

int bench_cores(int core[2])
{
    cpu_set_t allowed;
    int found = 0, best = 0;

    core[0] = core[1] = 0;
    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
        return 1;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET((size_t)cpu, &allowed))
            continue;
        if (found++ == 0) {
            core[0] = core[1] = cpu;
        } else if (distance_rank(core[0], cpu) > best) {
            best = distance_rank(core[0], cpu);
            core[1] = cpu;
        }
    }
    return core[0] == core[1] ? 1 : 2;
}

void bench_pin(int core)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((size_t)core, &set);
    if (sched_setaffinity(0, sizeof(set), &set) != 0)
        bench_fail(1, "cannot run on core %d: %s", core, strerror(errno));
}

/* ---- Failure --------------------------------------------------------------------------------- */

bool bench_silenced;

void bench_fail(int status, const char *format, ...)
{
    va_list args;

    fflush(stdout);
    fprintf(stderr, "%s: ", program_invocation_short_name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    if (bench_silenced)
        sleep(10);
    exit(status);
}
