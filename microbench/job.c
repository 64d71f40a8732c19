/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "microbench/job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

const char *job_open(int *argc, char ***argv, const char *what, const struct bench_value *values,
                     int nodes)
{
    const char *json = bench_values(what, values, *argc, *argv);

    join(argc, argv, nodes);
    return json;
}

void job_begin(int *argc, char ***argv, const struct bench_program *program, int nodes)
{
    bench_arguments(program, *argc, *argv);
    join(argc, argv, nodes);
    if (hlrc_node_id() == 0)
        bench_begin(job_option("fabric", "shm"), hlrc_node_count(),
                    BENCH_SHAPE({ "protocol", 0, job_protocol() }));
}

/* HLRC_BARRIER_FAN is the option barrier-fan; NAME has room for the part before the '='. */
static bool option_name(const char *variable, char *name, size_t len)
{
    static const char *const launchers[] = { "LAUNCH_FD", "NODE", "NODES", "TERMINAL", "FILTERED" };
    size_t length = strcspn(variable, "=");

    if (strncmp(variable, "HLRC_", 5) != 0 || length - 5 >= len)
        return false;
    snprintf(name, len, "%.*s", (int)(length - 5), variable + 5);
    for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; i++)
        if (strcmp(name, launchers[i]) == 0)
            return false;
    for (; *name != '\0'; name++)
        *name = *name == '_' ? '-' : (char)(*name >= 'A' && *name <= 'Z' ? *name + 32 : *name);
    return true;
}

static void tell_options(struct bench_json *json)
{
    char name[64];

    bench_json_begin(json, "options");
    for (char **variable = environ; *variable != NULL; variable++)
        if (option_name(*variable, name, sizeof name))
            bench_json_string(json, name, strchr(*variable, '=') + 1);
    bench_json_end(json);
}

struct bench_json *job_results_end(void)
{
    if (hlrc_node_id() != 0)
        return NULL;
    struct bench_json *json = bench_results_end();
    tell_options(json);
    return json;
}

void job_end(uint64_t wrong)
{
    if (hlrc_node_id() == 0)
        bench_end();
    job_close(wrong);
}

void job_page_by_page(void)
{
    /* default, overridden by the user: one fault per page, one fetch per fault */
    (void)setenv("HLRC_AHEAD", "0", 0);
    (void)setenv("HLRC_RENEW", "0", 0);
}

void job_table(struct bench_json *json, const char *path)
{
    if (hlrc_node_id() != 0)
        return;
    bench_json_open(json, path);
    bench_json_string(json, "protocol", job_protocol());
    bench_json_unsigned(json, "nodes", (uint64_t)hlrc_node_count());
    printf("protocol %s, nodes %d\n", job_protocol(), hlrc_node_count());
    bench_heading("us");
}

void job_close(uint64_t wrong)
{
    int node = hlrc_node_id();

    wrong = job_sum(wrong);
    hlrc_finalize();
    if (wrong != 0 && node == 0)
        bench_fail(1, "%llu values were read wrong", (unsigned long long)wrong);
    exit(wrong != 0);
}

const char *job_protocol(void)
{
    return job_option("protocol", "ardmar");
}

const char *job_option(const char *name, const char *otherwise)
{
    char variable[64] = "HLRC_";
    size_t at = strlen(variable);

    for (; *name != '\0' && at < sizeof variable - 1; name++)
        variable[at++] = (char)(*name == '-'                   ? '_'
                                : *name >= 'a' && *name <= 'z' ? *name - 32
                                                               : *name);
    variable[at] = '\0';
    const char *value = getenv(variable);
    return value != NULL ? value : otherwise;
}

/* ---- Results of all nodes ---- */

static void broadcast(void *buf, size_t len, int root)
{
    int rc = len > 0 ? hlrc_broadcast(buf, len, root) : 0;

    if (rc != 0)
        bench_fail(1, "hlrc_broadcast of %zu bytes: %s", len, strerror(-rc));
}

uint64_t job_sum(uint64_t mine)
{
    uint64_t sum = 0;

    for (int node = 0; node < hlrc_node_count(); node++) {
        uint64_t value = mine;
        broadcast(&value, sizeof(value), node);
        sum += value;
    }
    return sum;
}

struct bench_stat job_stat(struct bench_series *series)
{
    struct bench_series all = bench_series_make((size_t)job_sum(series->count));

    for (int node = 0; node < hlrc_node_count(); node++) {
        uint64_t count = series->count;
        broadcast(&count, sizeof(count), node);
        if (node == hlrc_node_id() && count > 0)
            memcpy(all.sample + all.count, series->sample, count * sizeof(double));
        broadcast(all.sample + all.count, (size_t)count * sizeof(double), node);
        all.count += (size_t)count;
    }
    struct bench_stat stat = bench_stat(all.sample, all.count);
    free(all.sample);
    bench_series_free(series);
    return stat;
}

uint64_t job_agree(uint64_t mine)
{
    broadcast(&mine, sizeof(mine), 0);
    return mine;
}

bool job_one_machine(void)
{
    char boot[64] = "", first[64];
    FILE *in = fopen("/proc/sys/kernel/random/boot_id", "re");

    if (in != NULL) {
        if (fgets(boot, sizeof(boot), in) == NULL)
            boot[0] = '\0';
        fclose(in);
    }
    memcpy(first, boot, sizeof(first));
    broadcast(first, sizeof(first), 0);
    return job_sum(boot[0] == '\0' || strcmp(boot, first) != 0) == 0;
}

void *job_allocate(size_t size)
{
    void *at = hlrc_malloc_all(size);

    if (at == NULL)
        bench_fail(1, "%zu bytes of shared memory are not available; raise --memory", size);
    return at;
}

/* ---- Figures ---- */

void job_result(const struct job_figure *figure, struct bench_series *series,
                struct job_counts *counts)
{
    struct bench_stat stat = job_stat(series);

    if (counts != NULL)
        job_counts_sum(counts);
    if (hlrc_node_id() != 0 || stat.count == 0)
        return;
    struct bench_json *json = bench_result_begin(figure->name, figure->unit, figure->shape, &stat);
    if (counts != NULL && figure->operations > 0)
        job_counts_json(json, "counters", counts, figure->operations);
    bench_result_end();
}

void job_measure(struct job_figure figure, bench_once *once, void *context)
{
    size_t count = bench_warm_up(once, context, job_agree);
    struct bench_series series = bench_series_make(count);
    struct job_counts counts = { 0 };

    job_counts_start(&counts);
    bench_repeat(&series, count, once, context);
    job_counts_stop(&counts);
    figure.operations *= (double)count;
    job_result(&figure, &series, &counts);
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

_Static_assert(sizeof(counters) / sizeof(counters[0]) == JOB_COUNTERS,
               "struct job_counts has room for all");

static void read_counters(uint64_t value[JOB_COUNTERS])
{
    struct hlrc_stats stats = { .size = sizeof(stats) };

    hlrc_stats_get(&stats);
    for (size_t i = 0; i < JOB_COUNTERS; i++)
        memcpy(&value[i], (const char *)&stats + counters[i].offset, sizeof(value[i]));
}

void job_counts_start(struct job_counts *counts)
{
    read_counters(counts->before);
}

void job_counts_stop(struct job_counts *counts)
{
    uint64_t now[JOB_COUNTERS];

    read_counters(now);
    for (size_t i = 0; i < JOB_COUNTERS; i++)
        counts->total[i] += now[i] - counts->before[i];
}

void job_counts_sum(struct job_counts *counts)
{
    for (size_t i = 0; i < JOB_COUNTERS; i++)
        counts->total[i] = job_sum(counts->total[i]);
}

double job_counts_per(const struct job_counts *counts, const char *name, double operations)
{
    for (size_t i = 0; i < JOB_COUNTERS; i++)
        if (strcmp(counters[i].name, name) == 0)
            return (double)counts->total[i] / operations;
    return 0;
}

void job_counts_json(struct bench_json *json, const char *name, const struct job_counts *counts,
                     double operations)
{
    bench_json_begin(json, name);
    for (size_t i = 0; i < JOB_COUNTERS; i++)
        bench_json_double(json, counters[i].name, (double)counts->total[i] / operations);
    bench_json_end(json);
}
