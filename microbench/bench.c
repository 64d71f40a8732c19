/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "microbench/bench.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/procfs.h"
#include "base/spin.h"

#define READINGS 1001 /* clock readings from which the cost of one is found */

/* ---- Time ------------------------------------------------------------------------------------ */

void bench_wait_until(uint64_t when)
{
    while (bench_now() < when)
        spin_cpu_relax();
}

double bench_clock_cost(void)
{
    static double took[READINGS], cost = -1;

    if (cost >= 0)
        return cost;
    uint64_t before = bench_now();
    for (size_t i = 0; i < READINGS; i++) {
        uint64_t now = bench_now();
        took[i] = (double)(now - before);
        before = now;
    }
    cost = bench_stat(took, READINGS).median;
    return cost;
}

double bench_us_between(uint64_t start, uint64_t end)
{
    double ns = (double)end - (double)start - bench_clock_cost();

    return ns > 0 ? ns / 1000 : 0;
}

double bench_us_since(uint64_t start)
{
    return bench_us_between(start, bench_now());
}

double bench_us_each(bench_operation *perform, size_t batch)
{
    uint64_t start = bench_now();

    for (size_t i = 0; i < batch; i++)
        perform();
    return bench_us_since(start) / (double)batch;
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

size_t bench_warm_up(bench_once *once)
{
    size_t count = bench.warmup > 0 ? bench.warmup : 1;
    uint64_t start = bench_now();

    for (size_t i = 0; i < count; i++)
        (void)once();
    return bench_allowed(bench.repetitions, bench.seconds, count, bench_now() - start);
}

void bench_repeat(struct bench_series *series, size_t count, bench_once *once)
{
    for (size_t i = 0; i < count; i++) {
        double sample = once();
        if (!isnan(sample))
            bench_series_add(series, sample);
    }
}

struct bench_stat bench_measure(bench_once *once)
{
    struct bench_series series = { 0 };

    bench_repeat(&series, bench_warm_up(once), once);
    return bench_series_stat(&series);
}

/* ---- Cores ----------------------------------------------------------------------------------- */

/* A number from the kernel's description of a CPU, or UINT64_MAX. */
static uint64_t topology(int cpu, const char *what)
{
    char path[128];

    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/%s", cpu, what);
    return procfs_number(path, UINT64_MAX);
}

/* Rank of CPU as the second core beside FIRST: 0 means the same physical core. */
static int distance_rank(int first, int cpu)
{
    uint64_t core = topology(first, "core_id");
    bool same_package =
        topology(first, "physical_package_id") == topology(cpu, "physical_package_id");

    /* Without information from the kernel, treat every CPU as its own core. */
    if (same_package && core == topology(cpu, "core_id") && core != UINT64_MAX)
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

    if (bench_silenced) {
        sleep(10);
        exit(status);
    }
    fflush(stdout);
    fprintf(stderr, "%s: ", program_invocation_short_name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(status);
}

void *bench_memory(void *allocated)
{
    if (allocated == NULL)
        bench_fail(1, "out of memory");
    return allocated;
}
