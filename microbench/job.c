/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "microbench/job.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/procfs.h"

/* ---- Start and end ---- */

/* Fails if there are fewer than ENOUGH nodes. */
static void join(int *argc, char ***argv, int enough)
{
    /* hlrc_init reports its own errors */
    if (hlrc_init(argc, argv) != 0)
        exit(1);
    int count = hlrc_node_count(), node = hlrc_node_id();
    if (count >= enough)
        return;
    hlrc_finalize();
    if (node == 0)
        bench_fail(2, "a job of %d node%s: at least %d are needed; start it with hlrcrun -n %d",
                   count, count == 1 ? "" : "s", enough, enough);
    exit(2);
}

void job_begin(int *argc, char ***argv, const struct bench_program *program, int nodes)
{
    const char *protocol = job_option("protocol", "ardmar");

    bench_arguments(program, *argc, *argv);
    join(argc, argv, nodes);
    if (hlrc_node_id() != 0)
        return;
    if (program->figures != NULL) {
        bench_begin(job_option("fabric", "shm"), hlrc_node_count(),
                    bench_shape("protocol %s", protocol));
        return;
    }
    printf("protocol %s, nodes %d\n", protocol, hlrc_node_count());
    bench_begin_rows("us");
    bench_json_string("protocol", protocol);
    bench_json_number("nodes", hlrc_node_count());
}

/* HLRC_BARRIER_FAN is the option barrier-fan; NAME has room for the part before the '='. */
static bool option_name(const char *variable, char *name, size_t len)
{
    static const char *const launchers[] = { "LAUNCH_FD", "NODE", "NODES", "TERMINAL", "FILTERED" };
    size_t length = strcspn(variable, "=");

    if (strncmp(variable, "HLRC_", 5) != 0 || length - 5 >= len)
        return false;
    snprintf(name, len, "%.*s", (int)(length - 5), variable + 5);
    for (size_t i = 0; i < BENCH_COUNT(launchers); i++)
        if (strcmp(name, launchers[i]) == 0)
            return false;
    for (; *name != '\0'; name++)
        *name = *name == '_' ? '-' : (char)(*name >= 'A' && *name <= 'Z' ? *name + 32 : *name);
    return true;
}

const char *job_option(const char *name, const char *otherwise)
{
    char option[64];

    for (char **variable = environ; *variable != NULL; variable++)
        if (option_name(*variable, option, sizeof option) && strcmp(option, name) == 0)
            return strchr(*variable, '=') + 1;
    return otherwise;
}

void job_options(void)
{
    char name[64];

    bench_json_begin("options", '{');
    for (char **variable = environ; *variable != NULL; variable++)
        if (option_name(*variable, name, sizeof name))
            bench_json_string(name, strchr(*variable, '=') + 1);
    bench_json_end('}');
}

void job_end(uint64_t wrong, void (*more)(void))
{
    int node = hlrc_node_id();

    if (node == 0)
        bench_end(more);
    wrong = job_sum(wrong);
    hlrc_finalize();
    if (wrong != 0 && node == 0)
        bench_fail(1, "%llu values were read wrong", (unsigned long long)wrong);
    exit(wrong != 0);
}

void job_page_by_page(void)
{
    /* default, overridden by the user: one fault per page, one fetch per fault */
    (void)setenv("HLRC_AHEAD", "0", 0);
    (void)setenv("HLRC_RENEW", "0", 0);
}

/* ---- Collective ---- */

void job_check(int rc, const char *what)
{
    if (rc != 0)
        bench_fail(1, "%s: %s", what, strerror(-rc));
}

void job_broadcast(void *buf, size_t len, int root)
{
    job_check(len > 0 ? hlrc_broadcast(buf, len, root) : 0, "hlrc_broadcast");
}

uint64_t job_sum(uint64_t mine)
{
    uint64_t sum = 0;

    for (int node = 0; node < hlrc_node_count(); node++) {
        uint64_t value = mine;
        job_broadcast(&value, sizeof(value), node);
        sum += value;
    }
    return sum;
}

uint64_t job_agree(uint64_t mine)
{
    job_broadcast(&mine, sizeof(mine), 0);
    return mine;
}

bool job_one_machine(void)
{
    char boot[64] = "", first[64];
    bool known = procfs_read("/proc/sys/kernel/random/boot_id", boot, sizeof boot) > 0;

    memcpy(first, boot, sizeof first);
    job_broadcast(first, sizeof first, 0);
    return job_sum(!known || strcmp(boot, first) != 0) == 0;
}

struct bench_stat job_stat(struct bench_series *series)
{
    struct bench_series all = { 0 };

    for (int node = 0; node < hlrc_node_count(); node++) {
        size_t count = series->count;
        job_broadcast(&count, sizeof count, node);
        all.sample = bench_memory(realloc(all.sample, (all.count + count + 1) * sizeof(double)));
        if (node == hlrc_node_id() && count > 0)
            memcpy(all.sample + all.count, series->sample, count * sizeof(double));
        job_broadcast(all.sample + all.count, count * sizeof(double), node);
        all.count += count;
    }
    (void)bench_series_stat(series);
    return bench_series_stat(&all);
}

struct bench_stat job_measure(bench_once *once)
{
    struct bench_series series = { 0 };

    bench_repeat(&series, (size_t)job_agree(bench_warm_up(once)), once);
    return job_stat(&series);
}

void job_row(const char *name, struct bench_stat stat, const char *what)
{
    if (hlrc_node_id() == 0)
        bench_row(name, "us", stat, what);
}

void *job_allocate(size_t size, const char *remedy)
{
    void *at = hlrc_malloc_all(size);

    if (at == NULL)
        bench_fail(1, "%zu bytes of shared memory are not available; raise --memory%s", size,
                   remedy);
    return at;
}

void *job_allocate_at(size_t size, int home)
{
    void *at = job_allocate(size, "");

    if (hlrc_node_id() == home)
        job_check(hlrc_place(at, size, home), "hlrc_place");
    hlrc_barrier();
    return at;
}

/* ---- Counters ---- */

#define COUNTER(name)                            \
    {                                            \
#        name, offsetof(struct hlrc_stats, name) \
    }

static const struct {
    const char *name;
    size_t offset;
} counters[] = {
    COUNTER(read_faults),   COUNTER(write_faults),  COUNTER(first_write_faults),
    COUNTER(page_fetches),  COUNTER(fetch_retries), COUNTER(homes_assigned),
    COUNTER(twins),         COUNTER(diffs),         COUNTER(diff_bytes),
    COUNTER(write_notices), COUNTER(invalidations), COUNTER(lock_acquires),
    COUNTER(barriers),      COUNTER(messages),      COUNTER(wakes),
    COUNTER(rdma_reads),    COUNTER(rdma_writes),   COUNTER(atomics),
    COUNTER(bytes_in),      COUNTER(bytes_out),     COUNTER(fetch_round_trips),
};

_Static_assert(BENCH_COUNT(counters) == JOB_COUNTERS, "struct job_counts has room for all");

struct job_counts job_counts;
static struct hlrc_stats counted_before;

static uint64_t counter_of(const struct hlrc_stats *stats, size_t i)
{
    uint64_t value;

    memcpy(&value, (const char *)stats + counters[i].offset, sizeof(value));
    return value;
}

void job_counts_start(void)
{
    counted_before.size = sizeof counted_before;
    hlrc_stats_get(&counted_before);
}

void job_counts_stop(double operations)
{
    struct hlrc_stats now = { .size = sizeof now };

    hlrc_stats_get(&now);
    for (size_t i = 0; i < JOB_COUNTERS; i++)
        job_counts.value[i] += counter_of(&now, i) - counter_of(&counted_before, i);
    job_counts.operations += operations;
}

static void counts_sum(void)
{
    for (size_t i = 0; i < JOB_COUNTERS; i++)
        job_counts.value[i] = job_sum(job_counts.value[i]);
    job_counts.operations = (double)job_sum((uint64_t)job_counts.operations);
}

static double count_per(const struct job_counts *counts, size_t i)
{
    return (double)counts->value[i] / counts->operations;
}

double job_counts_per(const struct job_counts *counts, const char *name)
{
    for (size_t i = 0; i < JOB_COUNTERS; i++)
        if (strcmp(counters[i].name, name) == 0)
            return count_per(counts, i);
    return 0;
}

void job_counts_json(const char *name, const struct job_counts *counts)
{
    bench_json_begin(name, '{');
    for (size_t i = 0; i < JOB_COUNTERS; i++)
        bench_json_number(counters[i].name, count_per(counts, i));
    bench_json_end('}');
}

/* ---- Figures ---- */

static void tell_counters(void)
{
    job_counts_json("counters", &job_counts);
}

void job_results(struct job_figure *figures, size_t count, const char *shape)
{
    counts_sum();
    for (struct job_figure *f = figures; f < figures + count; f++) {
        bool counts = f->counters && job_counts.operations > 0;
        f->stat = job_stat(&f->series);
        if (hlrc_node_id() == 0 && f->stat.count > 0 && bench_wants(f->name))
            bench_result(f->name, f->unit, shape, &f->stat, counts ? tell_counters : NULL);
    }
}

void job_clear(struct job_figure *figures, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bench_series_clear(&figures[i].series);
    job_counts = (struct job_counts){ 0 };
}

/* The samples that ONCE returns are those of the first figure. */
static void repeat(struct job_figure *figures, size_t count, double operations, bench_once *once)
{
    size_t repetitions = (size_t)job_agree(bench_warm_up(once));

    job_clear(figures, count);
    if (operations > 0)
        job_counts_start();
    bench_repeat(&figures->series, repetitions, once);
    if (operations > 0)
        job_counts_stop(hlrc_node_id() == 0 ? operations * (double)repetitions : 0);
}

void job_report(const char *name, const char *unit, double operations, bench_once *once,
                const char *shape)
{
    struct job_figure figure = { .name = name, .unit = unit, .counters = true };

    if (!bench_wants(name))
        return;
    repeat(&figure, 1, operations, once);
    job_results(&figure, 1, shape);
}

void job_report_all(struct job_figure *figures, size_t count, bench_once *once, const char *shape)
{
    repeat(figures, count, 0, once);
    job_results(figures, count, shape);
}
