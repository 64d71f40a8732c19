/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* record_job.c - see record_job.h. */
#include "hlrc/report/record_job.h"

#include <errno.h>
#include <hlrc.h>
#include <string.h>

#include "base/diag.h"
#include "base/digest.h"
#include "base/outfile.h"
#include "base/reserve.h"
#include "boot/boot.h"
#include "hlrc/core/engine.h"
#include "hlrc/probe/probe.h"
#include "hlrc/probe/recorder.h"
#include "hlrc/probe/stats.h"
#include "hlrc/report/gather.h"

static int64_t fault_ticks;

static bool record_job_wanted(void)
{
    return engine.config.trace_sim[0] != '\0';
}

int record_job_check(void)
{
    if (!record_job_wanted() || !engine.alone)
        return 0;
    diag_report(1, "--trace-sim: a job of one node has no faults to record; use -n 2 or more");
    return -EINVAL;
}

int record_job_start(void)
{
    if (!record_job_wanted())
        return 0;
    fault_ticks = recorder_record_fault_ticks();
    record_all = engine.config.trace_sim_detail == DETAIL_ALL;
    int rc = recorder_record_open(engine.config.trace_sim_size, (uint32_t)engine.config.threads);
    if (rc)
        diag_report(1, "--trace-sim: no address space for the threads' records; lower "
                       "--trace-sim-size or --threads");
    return rc;
}

/* ---- this node ---- */

/* A node's records, as sent. */
struct record_job_part {
    size_t bytes, room;
    unsigned char *at;
    bool cut;
};

static void record_job_put_number(struct record_job_part *p, uint64_t value)
{
    p->bytes = (size_t)(record_number_put(p->at + p->bytes, value) - p->at);
}

static void record_job_put_bytes(struct record_job_part *p, const void *from, size_t bytes)
{
    memcpy(p->at + p->bytes, from, bytes);
    p->bytes += bytes;
}

static uint64_t record_job_ns(double seconds)
{
    return (uint64_t)(seconds * 1e9);
}

static void record_job_put_counters(struct record_job_part *p)
{
    struct hlrc_stats s;
    memset(&s, 0, sizeof s);
    stats_collect(&s);
    s.read_faults -= recorder_record_looks();
    const uint64_t looks = recorder_record_looks(), wall_ns = record_job_ns(s.wall_s),
                   compute_ns = record_job_ns(s.compute_s), page_ns = record_job_ns(s.page_s),
                   lock_ns = record_job_ns(s.lock_s), barrier_ns = record_job_ns(s.barrier_s),
                   diff_ns = record_job_ns(s.diff_s);
    record_job_put_number(p, RECORD_COUNTER_COUNT);
#define OF_STATS(name) record_job_put_number(p, s.name);
    HLRC_COUNTS(OF_STATS)
#undef OF_STATS
#define OF_TIMES(name) record_job_put_number(p, name);
    RECORD_TIMED(OF_TIMES)
#undef OF_TIMES
}

static uint32_t record_job_threads_that_noted(void)
{
    uint32_t used = 0;
    const unsigned char *at;
    size_t bytes;
    uint64_t any;
    for (uint32_t i = 0; i < (uint32_t)engine.config.threads; i++) {
        (void)recorder_record_stream((int)i, &at, &bytes, &any);
        used += bytes != 0;
    }
    return used;
}

static void record_job_put_streams(struct record_job_part *p)
{
    const unsigned char *at;
    size_t bytes;
    uint64_t count;
    p->cut = !recorder_record_stream(-1, &at, &bytes, &count) || p->cut;
    record_job_put_number(p, bytes);
    record_job_put_bytes(p, at, bytes);
    record_job_put_number(p, count);
    record_job_put_number(p, record_job_threads_that_noted());
    for (uint32_t i = 0; i < (uint32_t)engine.config.threads; i++) {
        p->cut = !recorder_record_stream((int)i, &at, &bytes, &count) || p->cut;
        if (bytes == 0)
            continue;
        record_job_put_number(p, bytes);
        record_job_put_bytes(p, at, bytes);
    }
}

static size_t record_job_most_bytes(void)
{
    size_t sum = RECORD_COUNTER_COUNT * 10 + RECORD_LONGEST, bytes;
    const unsigned char *at;
    uint64_t count;
    for (int i = -1; i < engine.config.threads; i++) {
        (void)recorder_record_stream(i, &at, &bytes, &count);
        sum += bytes + 20;
    }
    return sum;
}

static struct record_job_part record_job_compose(void)
{
    struct record_job_part p = { .room = record_job_most_bytes() };
    p.at = reserve(p.room);
    if (!p.at)
        diag_fatal(1,
                   "--trace-sim: no memory for the records of this node; lower --trace-sim-size");
    record_job_put_counters(&p);
    record_job_put_streams(&p);
    return p;
}

/* ---- all nodes ---- */

struct record_job_sink {
    FILE *out;
    uint64_t digest;
};

static void record_job_out_bytes(struct record_job_sink *s, const void *at, size_t bytes)
{
    s->digest = digest_add(s->digest, at, bytes);
    fwrite(at, 1, bytes, s->out);
}

static void record_job_out_number(struct record_job_sink *s, uint64_t value)
{
    unsigned char room[10];
    record_job_out_bytes(s, room, (size_t)(record_number_put(room, value) - room));
}

static void record_job_out_fixed(struct record_job_sink *s, uint64_t value, int bytes)
{
    unsigned char room[8];
    for (int i = 0; i < bytes; i++)
        room[i] = (unsigned char)(value >> 8 * i);
    record_job_out_bytes(s, room, (size_t)bytes);
}

static void record_job_out_settings(struct record_job_sink *s)
{
    const struct config *c = &engine.config;
    const uint64_t value[RECORD_SETTING_COUNT] = {
        [RECORD_SET_nodes] = (uint64_t)engine.nodes,
        [RECORD_SET_units_s] = recorder_record_units(),
        [RECORD_SET_fault_units] = (uint64_t)fault_ticks >> recorder_record_shift(),
        [RECORD_SET_page_bytes] = PAGE_SIZE,
        [RECORD_SET_pages] = engine.pages,
        [RECORD_SET_heap_pages] = engine_heap_pages(),
        [RECORD_SET_home_near] = engine.home_near,
        [RECORD_SET_home_near_pages] = HOME_NEAR,
        [RECORD_SET_home_shift] = engine.home_shift,
        [RECORD_SET_far_shift] = engine.far_shift,
        [RECORD_SET_range_shift] = engine.range_shift,
        [RECORD_SET_pages_by] = (uint64_t)c->pages,
        [RECORD_SET_diffs_by] = (uint64_t)c->diffs,
        [RECORD_SET_notices_by] = (uint64_t)c->notices,
        [RECORD_SET_locks_by] = (uint64_t)c->locks,
        [RECORD_SET_barrier_by] = (uint64_t)c->barrier,
        [RECORD_SET_barrier_fan] = (uint64_t)c->barrier_fan,
        [RECORD_SET_hot_pages] = (uint64_t)c->hot_pages,
        [RECORD_SET_exclusive] = (uint64_t)c->exclusive_pages,
        [RECORD_SET_lazy_release] = (uint64_t)c->lazy_release,
        [RECORD_SET_move_homes] = (uint64_t)c->move_homes,
        [RECORD_SET_ahead] = (uint64_t)c->ahead,
        [RECORD_SET_renew] = (uint64_t)c->renew,
        [RECORD_SET_memory_reads] = engine.fabric->round_trip_ns == 0,
        [RECORD_SET_threads] = (uint64_t)c->threads,
    };
    record_job_out_number(s, RECORD_SETTING_COUNT);
    for (int i = 0; i < RECORD_SETTING_COUNT; i++)
        record_job_out_number(s, value[i]);
}

static void record_job_write_all(FILE *out, const void *arg)
{
    const struct record_job_part *parts = arg;
    struct record_job_sink s = { out, DIGEST_START };
    record_job_out_bytes(&s, RECORD_MAGIC, sizeof RECORD_MAGIC - 1);
    record_job_out_fixed(&s, RECORD_VERSION, 4);
    record_job_out_settings(&s);
    for (int n = 0; n < engine.nodes; n++)
        record_job_out_bytes(&s, parts[n].at, parts[n].bytes);
    record_job_out_fixed(&s, s.digest, 8);
}

static int record_job_write_file(const struct record_job_part *parts)
{
    int rc = outfile_write(engine.config.trace_sim, true, record_job_write_all, parts);
    if (rc)
        diag_warn("--trace-sim %s: %s; nothing was written", engine.config.trace_sim,
                  strerror(-rc));
    return rc;
}

static void record_job_gather_all(struct record_job_part *parts, const struct record_job_part *told)
{
    bool cut = false;
    for (int n = 0; n < engine.nodes; n++) {
        cut = cut || told[n].cut;
        if (n == 0)
            continue;
        parts[n] = told[n];
        parts[n].at = reserve(told[n].bytes);
        if (!parts[n].at)
            diag_fatal(
                1,
                "--trace-sim: no memory for %zu bytes of records of node %d; trace a shorter run",
                told[n].bytes, n);
        gather_receive(n, parts[n].at);
    }
    if (cut)
        diag_warn("--trace-sim %s: nothing was written: a thread recorded more than the %llu bytes "
                  "of --trace-sim-size; raise it",
                  engine.config.trace_sim, (unsigned long long)engine.config.trace_sim_size);
    if (cut || record_job_write_file(parts) != 0)
        diag_exit_status(STATUS_OUTPUT);
    for (int n = 1; n < engine.nodes; n++)
        reserve_end(parts[n].at, parts[n].bytes);
}

void record_job_mark(void)
{
    PROBE(program_ended);
    recorder_record_stop();
}

void record_job_finish(void)
{
    static struct record_job_part told[NODES_MAX], parts[NODES_MAX];
    if (!record_job_wanted())
        return;
    boot_exchange(engine.boot, NULL, 0, NULL); /* no node serves any more */
    struct record_job_part mine = record_job_compose();
    if (boot_exchange(engine.boot, &mine, sizeof mine, told) == 0 && engine.node == 0) {
        parts[0] = mine;
        record_job_gather_all(parts, told);
    } else if (engine.node != 0) {
        struct gather g = GATHER_INIT;
        gather_send(&g, mine.at, 0, mine.bytes);
        gather_end(&g);
    }
    reserve_end(mine.at, mine.room);
}

void record_job_end(void)
{
    recorder_record_close();
}
