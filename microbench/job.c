/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "microbench/job.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Start and end ---- */

/* All nodes get the same arguments: one of them speaks about these. Returns what restore()
 * needs. */
static int silence(int fd)
{
    int kept = dup(fd), null = open("/dev/null", O_WRONLY | O_CLOEXEC);

    if (kept >= 0 && null >= 0)
        dup2(null, fd);
    if (null >= 0)
        close(null);
    return kept;
}

static void restore(int fd, int kept)
{
    if (kept < 0)
        return;
    dup2(kept, fd);
    close(kept);
}

static void parse(int argc, char **argv, const struct argp *argp, void *options)
{
    const char *node = getenv("HLRC_NODE");

    if (node == NULL || strcmp(node, "0") == 0) {
        argp_parse(argp, argc, argv, 0, NULL, options);
        return;
    }
    int out = silence(STDOUT_FILENO), err = silence(STDERR_FILENO);
    argp_parse(argp, argc, argv, 0, NULL, options);
    restore(STDOUT_FILENO, out);
    restore(STDERR_FILENO, err);
}

void job_open(int *argc, char ***argv, const struct argp *argp, void *options, int nodes)
{
    parse(*argc, *argv, argp, options);
    /* hlrc_init says itself why it fails. */
    if (hlrc_init(argc, argv) != 0)
        exit(1);
    int count = hlrc_node_count(), node = hlrc_node_id();
    if (count >= nodes)
        return;
    hlrc_finalize();
    if (node == 0)
        bench_fail(2, "a job of %d node: at least %d are needed; start it with hlrcrun -n %d",
                   count, nodes, nodes);
    exit(2);
}

void job_page_by_page(void)
{
    /* unless the user wants to see what they do: a fault each, and a fetch by each fault */
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
    const char *protocol = getenv("HLRC_PROTOCOL");

    return protocol != NULL ? protocol : "ardmar";
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

struct job_series job_series_make(size_t max)
{
    struct job_series series = { .sample = calloc(max > 0 ? max : 1, sizeof(double)), .max = max };

    if (series.sample == NULL)
        bench_fail(1, "out of memory: %zu samples", max);
    return series;
}

void job_series_add(struct job_series *series, double sample)
{
    if (series->count < series->max)
        series->sample[series->count++] = sample;
}

struct bench_stat job_series_stat(struct job_series *series)
{
    struct job_series all = job_series_make((size_t)job_sum(series->count));

    for (int node = 0; node < hlrc_node_count(); node++) {
        uint64_t count = series->count;
        broadcast(&count, sizeof(count), node);
        if (node == hlrc_node_id())
            memcpy(all.sample + all.count, series->sample, series->count * sizeof(double));
        broadcast(all.sample + all.count, (size_t)count * sizeof(double), node);
        all.count += (size_t)count;
    }
    struct bench_stat stat = { 0, 0, 0 };
    if (all.count > 0)
        stat = bench_stat(all.sample, all.count);
    free(all.sample);
    free(series->sample);
    *series = (struct job_series){ .sample = NULL };
    return stat;
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
