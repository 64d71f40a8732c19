/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stats.c - see stats.h. */
#include "hlrc/probe/stats.h"

#include <hlrc.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/clock.h"
#include "boot/boot.h"
#include "hlrc/core/call.h"
#include "hlrc/core/engine.h"
#include "hlrc/probe/activity.h"
#include "hlrc/probe/probe.h"
#include "hlrc/probe/recorder.h"

#define LITTLE 0.05 /* of what the busiest thread does */

_Atomic uint64_t stats_counters[STAT_COUNTERS];

static struct clock_moment started; /* constant from a start or reset to the next reset */
static double handler_before;       /* handler seconds at the last start */
static struct fabric_counters fabric_before;
static struct stats_kernel {
    double seconds;
    uint64_t faults;
} kernel_before;
/* set while no other thread reads them */
static clockid_t own_clock[STATS_OWN];
static bool has_own_clock[STATS_OWN];

static void stats_add(_Atomic int64_t *to, int64_t by)
{
    atomic_store_explicit(to, atomic_load_explicit(to, memory_order_relaxed) + by,
                          memory_order_relaxed);
}

static int64_t stats_cpu_ns(clockid_t clock)
{
    struct timespec t;
    return clock_gettime(clock, &t) == 0 ? t.tv_sec * INT64_C(1000000000) + t.tv_nsec : 0;
}

void stats_clock_start(struct stats_clock *c)
{
    if (pthread_getcpuclockid(pthread_self(), &c->cpu_clock) != 0)
        c->cpu_clock = CLOCK_PROCESS_CPUTIME_ID;
    c->cpu_since = stats_cpu_ns(c->cpu_clock);
    atomic_store(&c->category, STATS_COMPUTE);
    atomic_store(&c->since, clock_ticks());
    atomic_store(&c->running, true);
}

void stats_clock_stop(struct stats_clock *c)
{
    if (!atomic_load(&c->running))
        return;
    stats_add(&c->spent[c->category], clock_ticks() - c->since);
    c->cpu_spent += stats_cpu_ns(c->cpu_clock) - c->cpu_since;
    atomic_store(&c->running, false);
}

enum stats_category stats_enter(struct probe_thread *t, enum stats_category to)
{
    struct stats_clock *c = &t->clock;
    enum stats_category from =
        (enum stats_category)atomic_load_explicit(&c->category, memory_order_relaxed);
    if (from == to || !atomic_load_explicit(&c->running, memory_order_relaxed))
        return from;
    int64_t now = clock_ticks();
    stats_add(&c->spent[from], now - atomic_load_explicit(&c->since, memory_order_relaxed));
    atomic_store_explicit(&c->since, now, memory_order_relaxed);
    atomic_store_explicit(&c->category, to, memory_order_relaxed);
    if (probe_on & PROBE_RECORD && from == STATS_COMPUTE)
        recorder_record_leaves(t->lane, now);
    if (probe_on & PROBE_RECORD && to == STATS_COMPUTE)
        recorder_record_returns(t->lane, now);
    return from;
}

static void stats_restart(struct stats_clock *c, int64_t now)
{
    for (int k = 0; k < STATS_CATEGORIES; k++)
        atomic_store(&c->spent[k], 0);
    atomic_store(&c->locks_before, atomic_load(&c->locks));
    atomic_store(&c->since, now);
    c->cpu_spent = 0;
    if (c->running)
        c->cpu_since = stats_cpu_ns(c->cpu_clock);
}

void stats_own_clock(enum stats_own which, const clockid_t *clock)
{
    own_clock[which] = clock ? *clock : 0;
    has_own_clock[which] = clock != NULL;
}

/* CPU time of the runtime's own threads. */
static double stats_own_seconds(void)
{
    double sum = 0;
    for (int i = 0; i < STATS_OWN; i++) {
        struct timespec t;
        if (has_own_clock[i] && clock_gettime(own_clock[i], &t) == 0)
            sum += (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
    }
    return sum;
}

/* Of all threads of this process, since it began. */
static struct stats_kernel stats_kernel_now(void)
{
    struct rusage use;
    if (getrusage(RUSAGE_SELF, &use) != 0)
        return (struct stats_kernel){ 0, 0 };
    return (struct stats_kernel){ (double)use.ru_stime.tv_sec + (double)use.ru_stime.tv_usec * 1e-6,
                                  (uint64_t)use.ru_minflt };
}

void stats_start(void)
{
    started = clock_both();
    for (int i = 0; i < STAT_COUNTERS; i++)
        atomic_store(&stats_counters[i], 0);
    for (uint32_t i = 0; i < probe_slots.count; i++)
        stats_restart(&probe_slot(i)->clock, clock_ticks());
    handler_before = stats_own_seconds();
    fabric_counters(engine.fabric, &fabric_before);
    kernel_before = stats_kernel_now();
}

/* Adds a thread's time by category, including the time in its current one. */
static void stats_add_clock(const struct stats_clock *c, int64_t now, int64_t *sum)
{
    for (int k = 0; k < STATS_CATEGORIES; k++)
        sum[k] += c->spent[k];
    if (c->running)
        sum[c->category] += now - c->since;
}

/* Seconds of a thread by category. Returns their sum without waiting in barriers. */
static double stats_spent_by(const struct stats_clock *c, double tick_s,
                             double own[STATS_CATEGORIES])
{
    int64_t spent[STATS_CATEGORIES] = { 0 };
    int64_t cpu = c->cpu_spent + (c->running ? stats_cpu_ns(c->cpu_clock) - c->cpu_since : 0);
    double work = 0, limit = (double)cpu * 1e-9;
    stats_add_clock(c, clock_ticks(), spent);
    for (int k = 0; k < STATS_CATEGORIES; k++) {
        own[k] = (double)spent[k] * tick_s;
        if (k == STATS_COMPUTE && own[k] > limit)
            own[k] = limit;
        work += k == STATS_BARRIER ? 0 : own[k];
    }
    return work;
}

uint32_t stats_spent(double sum[STATS_CATEGORIES], double *most, double tick_s)
{
    double own[STATS_CATEGORIES], longest = 0;
    uint32_t threads = 0;
    *most = 0;
    for (uint32_t i = 0; i < probe_slots.count; i++) {
        double work = stats_spent_by(&probe_slot(i)->clock, tick_s, own);
        longest = work > longest ? work : longest;
    }
    for (uint32_t i = 0; i < probe_slots.count; i++) {
        if (stats_spent_by(&probe_slot(i)->clock, tick_s, own) <= longest * LITTLE)
            continue;
        threads++;
        *most = own[STATS_COMPUTE] > *most ? own[STATS_COMPUTE] : *most;
        for (int k = 0; k < STATS_CATEGORIES; k++)
            sum[k] += own[k];
    }
    return threads;
}

/* All times in ns. */
void hlrc_activity_get(struct hlrc_activity *out)
{
    struct clock_moment now = clock_both();
    double tick_s = (double)(now.ns - started.ns) * 1e-9 / (double)(now.ticks - started.ticks);
    *out = (struct hlrc_activity){ .syncs = stats_counters[STAT_WORD_OPS] };
    for (uint32_t i = 0; i < probe_slots.count; i++) {
        const struct stats_clock *c = &probe_slot(i)->clock;
        double own[STATS_CATEGORIES];
        int64_t spent[STATS_CATEGORIES] = { 0 };
        (void)stats_spent_by(c, tick_s, own);
        stats_add_clock(c, now.ticks, spent);
        out->computed += own[STATS_COMPUTE] * 1e9;
        out->wanted += (double)spent[STATS_COMPUTE] * tick_s * 1e9;
        out->shared += (own[STATS_FAULT] + own[STATS_PAGE] + own[STATS_DIFF]) * 1e9;
        out->syncs += c->locks;
    }
}

/* Seconds by category, scaled to the wall time: with several threads, the average over them. */
static void stats_collect_times(struct hlrc_stats *out)
{
    int64_t now = clock_ticks(), sum[STATS_CATEGORIES] = { 0 }, all = 0;
    for (uint32_t i = 0; i < probe_slots.count; i++)
        stats_add_clock(&probe_slot(i)->clock, now, sum);
    for (int k = 0; k < STATS_CATEGORIES; k++)
        all += sum[k];
    out->wall_s = (double)(clock_ns() - started.ns) * 1e-9;
    double share = all > 0 ? out->wall_s / (double)all : 0;
    out->fault_s = (double)sum[STATS_FAULT] * share;
    out->compute_s = (double)sum[STATS_COMPUTE] * share + out->fault_s;
    out->page_s = (double)sum[STATS_PAGE] * share;
    out->lock_s = (double)sum[STATS_LOCK] * share;
    out->barrier_s = (double)sum[STATS_BARRIER] * share;
    out->diff_s = (double)sum[STATS_DIFF] * share;
    out->handler_s = stats_own_seconds() - handler_before;
}

static void stats_collect_counts(struct hlrc_stats *out)
{
#define X(counter, field) out->field = atomic_load(&stats_counters[counter]);
    STATS_COUNTERS(X)
#undef X
    out->lock_acquires = 0;
    for (uint32_t i = 0; i < probe_slots.count; i++) {
        const struct stats_clock *c = &probe_slot(i)->clock;
        out->lock_acquires += atomic_load(&c->locks) - atomic_load(&c->locks_before);
    }
}

void stats_collect_own(struct hlrc_stats *out)
{
    struct stats_kernel kernel = stats_kernel_now();
    out->kernel_s = kernel.seconds - kernel_before.seconds;
    out->minor_faults = kernel.faults - kernel_before.faults;
    stats_collect_times(out);
    stats_collect_counts(out);
}

void stats_collect(struct hlrc_stats *out)
{
    struct fabric_counters f;
    fabric_counters(engine.fabric, &f);
    stats_collect_own(out);
    out->wakes = f.wakes - fabric_before.wakes;
    out->rdma_reads = f.reads - fabric_before.reads;
    out->rdma_writes = f.writes - fabric_before.writes;
    out->atomics = f.atomics - fabric_before.atomics;
    out->bytes_in = f.bytes_in - fabric_before.bytes_in;
    out->bytes_out = f.bytes_out - fabric_before.bytes_out;
}

void stats_progress(struct boot_counters *out)
{
    struct fabric_counters f;
    fabric_counters(engine.fabric, &f);
    out->faults = stats_counters[STAT_READ_FAULTS] + stats_counters[STAT_WRITE_FAULTS];
    out->bytes = f.bytes_in;
    out->barriers = stats_counters[STAT_BARRIERS];
}

int stats_print(const struct hlrc_stats *per_node, int nodes, const char *where)
{
    struct stats_report report = { .config = &engine.config,
                                   .nodes = nodes,
                                   .stats = per_node,
                                   .count = nodes,
                                   .complete = true };
    return stats_write(&report, where);
}

void hlrc_stats_get(struct hlrc_stats *stats)
{
    call_check("hlrc_stats_get");
    call_check_given("hlrc_stats_get", "stats", stats);
    struct hlrc_stats now;
    memset(&now, 0, sizeof now);
    stats_collect(&now);
    now.size = stats->size < sizeof now ? stats->size : sizeof now;
    memcpy(stats, &now, now.size); /* the struct of an older program is shorter */
}

void hlrc_stats_reset(void)
{
    call_check("hlrc_stats_reset");
    stats_start();
}
