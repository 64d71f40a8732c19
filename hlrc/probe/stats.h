/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stats.h - counters of this node, and where its threads' time goes.
 *
 * A thread is in one category at a time; entering a category ends the previous one. So the
 * categories add up to the wall time by construction. Faults are a separate category here; the
 * public struct also counts them as computing.
 */
#ifndef HLRC_STATS_H
#define HLRC_STATS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum stats_category {
    STATS_COMPUTE,
    STATS_FAULT,
    STATS_PAGE,
    STATS_LOCK,
    STATS_BARRIER,
    STATS_DIFF,
    STATS_CATEGORIES
};

/* X(counter, its field of struct hlrc_stats) */
#define STATS_COUNTERS(X)                          \
    X(STAT_READ_FAULTS, read_faults)               \
    X(STAT_WRITE_FAULTS, write_faults)             \
    X(STAT_FIRST_WRITE_FAULTS, first_write_faults) \
    X(STAT_PAGE_FETCHES, page_fetches)             \
    X(STAT_FETCH_RETRIES, fetch_retries)           \
    X(STAT_HOMES_ASSIGNED, homes_assigned)         \
    X(STAT_TWINS, twins)                           \
    X(STAT_DIFFS, diffs)                           \
    X(STAT_DIFF_BYTES, diff_bytes)                 \
    X(STAT_WRITE_NOTICES, write_notices)           \
    X(STAT_INVALIDATIONS, invalidations)           \
    X(STAT_BARRIERS, barriers)                     \
    X(STAT_MESSAGES, messages)                     \
    X(STAT_FETCH_ROUND_TRIPS, fetch_round_trips)   \
    X(STAT_HOT_PAGES, hot_pages)                   \
    X(STAT_HOT_UNCHANGED, hot_unchanged)           \
    X(STAT_AHEAD_PAGES, ahead_pages)               \
    X(STAT_EXCLUSIVE_PAGES, exclusive_pages)       \
    X(STAT_HOMES_MOVED, homes_moved)               \
    X(STAT_LAZY_RELEASES, lazy_releases)           \
    X(STAT_EVICTIONS, evictions)                   \
    X(STAT_RENEWED_PAGES, renewed_pages)           \
    X(STAT_LOG_OVERFLOWS, log_overflows)           \
    X(STAT_WORD_OPS, word_ops)                     \
    X(STAT_CHECKPOINTS, checkpoints)               \
    X(STAT_CHECKPOINT_PAGES, checkpoint_pages)     \
    X(STAT_CHECKPOINT_BYTES, checkpoint_bytes)     \
    X(STAT_CHECKPOINT_US, checkpoint_us)           \
    X(STAT_CHECKPOINT_WRITE_US, checkpoint_write_us)

enum stats_counter {
#define X(counter, field) counter,
    STATS_COUNTERS(X)
#undef X
        STAT_COUNTERS
};

/* Of one thread, which writes it; read by threads that compute sums. */
struct stats_clock {
    _Atomic int category; /* enum stats_category */
    _Atomic bool running;
    _Atomic int64_t since; /* ticks (clock.h) at which it entered the category */
    /* ticks, without those since `since` */
    _Atomic int64_t spent[STATS_CATEGORIES];
    _Atomic uint64_t locks;        /* acquired; written only by the thread */
    _Atomic uint64_t locks_before; /* at the last start or reset */
    /* CPU time, in ns: its clock, what that showed at the start or reset, and of earlier threads */
    clockid_t cpu_clock;
    int64_t cpu_since, cpu_spent;
};

struct probe_thread;
struct hlrc_stats;
struct boot_counters;

extern _Atomic uint64_t stats_counters[STAT_COUNTERS];

/* Called when the thread gets its slot, and when it ends. */
void stats_clock_start(struct stats_clock *c);
void stats_clock_stop(struct stats_clock *c);

/* The thread's time from now on counts for `to`. Returns the previous category. */
enum stats_category stats_enter(struct probe_thread *t, enum stats_category to);

/* The runtime's threads whose CPU time is the handler's. NULL: the thread has ended. */
enum stats_own { STATS_HANDLER, STATS_WORKER, STATS_OWN };
void stats_own_clock(enum stats_own which, const clockid_t *clock);

void stats_start(void); /* resets all counters and times */
/* all fields but `size`; may be called at any time */
void stats_collect(struct hlrc_stats *out);
/* The same without the fabric's counters, which stay unchanged in *out. Also allowed in signal
 * handlers. */
void stats_collect_own(struct hlrc_stats *out);
/* Seconds since the start or reset: by category, and the computing of the thread that computed
 * most. Returns the number of threads. A thread computes no longer than its CPU time: else it waits
 * outside of HLRC. Left out are threads that hardly did anything but wait there and in barriers,
 * beside the busiest one. */
uint32_t stats_spent(double sum[STATS_CATEGORIES], double *most, double tick_s);
void stats_progress(struct boot_counters *out); /* for the monitor's thread */

/*
 * Input and destination of the printed statistics (stats_print.c). `where` is the value of
 * --stats: "-" or "" for a table on standard error, FILE ending in .json for JSON, any other FILE
 * for the table.
 */
struct config;
struct stats_report {
    const struct config *config; /* of the job */
    int nodes;                   /* of the job */
    const struct hlrc_stats *stats;
    int count;       /* number of nodes in `stats` */
    const int *node; /* their numbers; NULL: 0, 1, ... */
    bool complete;   /* the job ended normally */
};

/* stats_write - returns 0, or a negative errno after printing one line */
int stats_write(const struct stats_report *report, const char *where);

/* stats_write_part - the same for a report that a later one may replace: writes only to a file
 * that can be replaced */
int stats_write_part(const struct stats_report *report, const char *where);

/* stats_print - prints all nodes' statistics on node 0 at the end of the job */
int stats_print(const struct hlrc_stats *per_node, int nodes, const char *where);

#endif
