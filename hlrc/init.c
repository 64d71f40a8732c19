/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * init.c - start and end of a node.
 *
 * Order at start: identity (boot), options (config), the network (fabric), its windows, the
 * tables, then, once all nodes have theirs, the threads. hlrc_finalize reverses it.
 */
#include <errno.h>
#include <hlrc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/outfile.h"
#include "base/perturb.h"
#include "boot/boot.h"
#include "boot/monitor.h"
#include "hlrc/checkpoint/checkpoint.h"
#include "hlrc/core/call.h"
#include "hlrc/core/engine.h"
#include "hlrc/crash/code.h"
#include "hlrc/crash/crash.h"
#include "hlrc/crash/place.h"
#include "hlrc/heap/collective.h"
#include "hlrc/heap/heap.h"
#include "hlrc/heap/heap_look.h"
#include "hlrc/heap/sites.h"
#include "hlrc/layout.h"
#include "hlrc/memory/copies.h"
#include "hlrc/memory/dirty.h"
#include "hlrc/memory/exclusive.h"
#include "hlrc/memory/fault.h"
#include "hlrc/memory/first_write.h"
#include "hlrc/memory/interval.h"
#include "hlrc/memory/page.h"
#include "hlrc/memory/page_fetch.h"
#include "hlrc/memory/page_look.h"
#include "hlrc/memory/past.h"
#include "hlrc/memory/range.h"
#include "hlrc/memory/reads.h"
#include "hlrc/memory/renew.h"
#include "hlrc/memory/space.h"
#include "hlrc/memory/twin.h"
#include "hlrc/probe/caller.h"
#include "hlrc/probe/dump.h"
#include "hlrc/probe/probe.h"
#include "hlrc/probe/profile.h"
#include "hlrc/probe/stats.h"
#include "hlrc/probe/timeline.h"
#include "hlrc/probe/wait_tracker.h"
#include "hlrc/progress/bulk.h"
#include "hlrc/progress/msg.h"
#include "hlrc/progress/progress.h"
#include "hlrc/progress/thread.h"
#include "hlrc/progress/worker.h"
#include "hlrc/races/race_report.h"
#include "hlrc/races/races.h"
#include "hlrc/report/deadlock_collect.h"
#include "hlrc/report/deadlock_report.h"
#include "hlrc/report/deadlock_watchdog.h"
#include "hlrc/report/identity.h"
#include "hlrc/report/profile_job.h"
#include "hlrc/report/record_job.h"
#include "hlrc/report/statistics.h"
#include "hlrc/report/timeline_job.h"
#include "hlrc/rma/handle.h"
#include "hlrc/rma/mutex.h"
#include "hlrc/rma/window.h"
#include "hlrc/size.h"
#include "hlrc/sync/atomic.h"
#include "hlrc/sync/barrier.h"
#include "hlrc/sync/cond.h"
#include "hlrc/sync/group.h"
#include "hlrc/sync/lock.h"
#include "hlrc/sync/mcs.h"
#include "hlrc/sync/order.h"
#include "hlrc/sync/word.h"
#include "hlrc/system/filter.h"

static_assert(NODES_MAX == HLRC_MAX_NODES && RANGES_MAX == HLRC_MAX_SHARED,
              "public and internal limits are equal");

static void init_in_child(void)
{
    if (call_get() == CALL_RUNNING)
        call_set(CALL_FORKED);
    boot_speak(NULL); /* an exit of this child does not end the job */
    timeline_stop();
    fault_forked();
    crash_forked();
}

const char *hlrc_version(void)
{
    return HLRC_VERSION_STRING;
}

int hlrc_node_id(void)
{
    call_check("hlrc_node_id");
    return engine.node;
}

int hlrc_node_count(void)
{
    call_check("hlrc_node_count");
    return engine.nodes;
}

static int init_open_boot(void)
{
    int rc = engine.boot ? 0 : boot_open(&engine.boot); /* unite.h */
    if (rc)
        return rc;
    boot_speak(engine.boot);
    engine.node = boot_node(engine.boot);
    engine.nodes = boot_nodes(engine.boot);
    engine.alone = engine.nodes == 1;
    engine.judges = !engine.alone && !boot_gathers(engine.boot);
    perturb_start(engine.node);
    return 0;
}

static int init_check_files(void)
{
    char err[CONFIG_ERROR_MAX];
    /* hlrcrun writes the file of --trace itself */
    int rc = outfile_try_all(&engine.config, boot_launcher(engine.boot) != BOOT_HLRCRUN, err,
                             sizeof err);
    if (rc)
        diag_report(1, "%s", err);
    return rc;
}

static int init_load_config(void)
{
    char err[CONFIG_ERROR_MAX];
    config_ask_fabrics(fabric_probe_quick);
    int rc = config_load(&engine.config, err, sizeof err);
    if (engine.config.barrier == BARRIER_TREE && engine.nodes == 2)
        engine.config.barrier = BARRIER_PAIRS; /* with two nodes the tree is a pair */
    if (rc == 0 && boot_launcher(engine.boot) == BOOT_OTHER)
        rc = config_check_launched(&engine.config, err, sizeof err);
    if (rc == 0)
        rc = config_check_memory(&engine.config, err, sizeof err);
    /* hlrcrun reports MEMORY_MAY_NOT_FIT; on several machines the homes are spread */
    if (rc < 0) {
        diag_report(1, "%s", err);
        return rc;
    }
    if (sysconf(_SC_PAGESIZE) != (long)PAGE_SIZE) {
        diag_report(1,
                    "this machine has pages of %ld bytes; this version needs %u: use a kernel with "
                    "such pages",
                    sysconf(_SC_PAGESIZE), PAGE_SIZE);
        return -ENOTSUP;
    }
    struct identity mine;
    identity_fill(&mine, &engine.config);
    rc = identity_agree(engine.boot, &mine);
    if (rc == 0 && engine.node == 0)
        rc = init_check_files();
    if (rc == 0)
        rc = record_job_check();
    return rc ? rc : statistics_open();
}

static int init_exchange(void *ctx, const void *mine, size_t len, void *all)
{
    return boot_exchange(ctx, mine, len, all);
}

static void init_fail(const char *line)
{
    diag_fatal(1, "%s", line);
}

static void init_note(const char *line)
{
    diag_warn("%s", line);
}

/* Default homes change every few pages, in blocks large enough that initial protection takes few
 * mappings. Small blocks serve the first allocations, however large the space is. One block has
 * all pages with --default-homes first: all default homes are at node 0. */
static void init_choose_home_blocks(uint32_t pages, uint32_t of_ranges)
{
    uint32_t near = pages < HOME_NEAR ? pages : HOME_NEAR;
    engine.home_shift = engine.range_shift = 0;
    while (near >> engine.home_shift > 8192)
        engine.home_shift++;
    engine.far_shift = engine.home_shift;
    while ((pages - near) >> engine.far_shift > 1024)
        engine.far_shift++;
    while (of_ranges >> engine.range_shift > 8192)
        engine.range_shift++;
    if (engine.config.default_homes == DEFAULT_HOMES_FIRST)
        engine.home_shift = engine.far_shift = engine.range_shift = 31;
    engine.home_near = heap_first(pages) >> engine.home_shift << engine.home_shift;
}

/* Selected by --pages, --diffs, --notices, --locks and --barrier. */
static void init_choose_protocol(void)
{
    engine.protocol = (struct protocol){
        .pages = engine.config.pages == PAGES_ASYNC ? &protocol_async : &protocol_ardmar,
        .diffs = engine.config.diffs == DIFFS_WRITE ? &diffs_by_write : &diffs_by_message,
        .notices = engine.config.notices == NOTICES_READ ? &notices_by_read : &notices_by_log,
        .locks = engine.config.locks == LOCKS_MCS ? &locks_by_mcs : &locks_by_manager,
        .conds = engine.config.locks == LOCKS_MCS ? &conds_by_mcs : &conds_by_manager,
        .barrier = engine.config.barrier == BARRIER_MASTER  ? &barrier_by_master
                   : engine.config.barrier == BARRIER_PAIRS ? &barrier_by_pairs
                                                            : &barrier_by_counter,
    };
}

/* Checks that the fabric has all capabilities that the parts of the protocol require. */
static int init_check_caps(void)
{
    const struct protocol *p = &engine.protocol;
    char protocol[32];
    const struct {
        const char *what;
        unsigned caps;
    } parts[] = {
        { "pages", p->pages->caps },     { "diffs", p->diffs->caps },
        { "notices", p->notices->caps }, { "locks", p->locks->caps },
        { "barrier", p->barrier->caps },
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        unsigned missing = parts[i].caps & ~engine.fabric->caps;
        if (!missing)
            continue;
        /* all nodes reach this: none ends while another one still opens the fabric */
        (void)boot_exchange(engine.boot, NULL, 0, NULL);
        diag_report(1,
                    "fabric %s lacks %s, which protocol %s needs for its %s; choose another "
                    "--fabric or --protocol",
                    engine.config.fabric,
                    missing & FABRIC_READ      ? "remote reads"
                    : missing & FABRIC_ATOMICS ? "atomics"
                                               : "writes with immediate",
                    config_value(&engine.config, CONFIG_ID_protocol, protocol, sizeof protocol),
                    parts[i].what);
        return -ENOTSUP;
    }
    return 0;
}

/* True if nodes have to serve each other's messages [progress.no-handler]. */
static bool init_has_handler(void)
{
    const struct protocol *p = &engine.protocol;
    return (p->pages->caps | p->diffs->caps | p->notices->caps | p->locks->caps |
            p->barrier->caps) &
           FABRIC_WRITE_IMM;
}

/* For statistics: which fabric --fabric auto has chosen, and its device. */
static void init_name_fabric(void)
{
    char *name = engine.config.fabric;
    size_t room = sizeof engine.config.fabric;
    if (strcmp(name, "auto") == 0)
        snprintf(name, room, "%s", engine.fabric->ops.name);
    if (engine.fabric->device[0])
        snprintf(name + strlen(name), room - strlen(name), " %s", engine.fabric->device);
}

static int init_open_fabric(void)
{
    engine.prefetches = msg_prefetch_count(engine.nodes, (uint32_t)engine.config.threads);
    engine.tokens = msg_token_count((uint32_t)engine.config.threads, engine.prefetches);
    init_choose_protocol();
    struct fabric_job job = { .node = engine.node,
                              .nodes = engine.nodes,
                              .rx_depth = msg_rx_depth(engine.nodes, engine.tokens),
                              .note = init_note,
                              .exchange = init_exchange,
                              .ctx = engine.boot,
                              .fail = init_fail,
                              .device = engine.config.device,
                              .peer_timeout = engine.config.peer_timeout };
    int rc = fabric_open(engine.config.fabric, &job, &engine.fabric);
    if (rc) {
        diag_report(1, "fabric %s: %s; hlrc_info lists the fabrics and why one is unavailable",
                    engine.config.fabric, strerror(-rc));
        return rc;
    }
    engine.neighbours = engine.fabric->neighbours;
    init_name_fabric();
    return init_check_caps();
}

static int init_choose_size(void)
{
    engine.size_given = engine.config.memory != 0;
    int rc = checkpoint_read(hlrc_finalize);
    if (rc == 0)
        rc = size_agree();
    engine.pages = (uint32_t)(engine.config.memory >> PAGE_SHIFT);
    if (rc == 0)
        rc = range_enter();
    if (rc == 0)
        init_choose_home_blocks(engine_heap_pages(), engine.pages - engine_heap_pages());
    return rc;
}

/* For a size that does not fit although auto has made it minimal. */
static const char *init_remedy(void)
{
    return engine.size_given ? "lower --memory or --threads"
                             : "raise the limits on address space and data (ulimit -v, -d), or "
                               "vm.overcommit_ratio";
}

static int init_make_windows(void)
{
    int rc = space_create();
    if (rc)
        return rc;
    layout_init(&engine.at, engine.nodes, engine.pages, engine.tokens,
                (uint32_t)engine.config.threads + THREADS_OWN);
    rc = fabric_window_create(engine.fabric, engine.at.end, &engine.control);
    if (rc == 0) /* messages must never wait for another node's CPU */
        rc = fabric_window_prepare(engine.fabric, engine.control.id, 0, engine.at.tables);
    if (rc)
        diag_report(1, "cannot create the control window of %zu bytes: %s; %s", engine.at.end,
                    strerror(-rc),
                    rc == -EFBIG ? "raise the file size limit (ulimit -f)" : init_remedy());
    return rc;
}

static int init_threads(void)
{
    return thread_init((uint32_t)engine.config.threads);
}

static int init_twins(void)
{
    return twin_init(engine.pages);
}

static int init_diffs(void)
{
    return engine.protocol.diffs->init();
}

static int init_notices(void)
{
    return engine.protocol.notices->init();
}

static void init_notices_end(void)
{
    engine.protocol.notices->end();
}

/* The modules that have tables, started in this order and ended in reverse; NULL: nothing to do. */
static const struct init_module {
    int (*init)(void);
    void (*end)(void);
} modules[] = {
    { profile_init, profile_end },
    { first_write_init, first_write_end },
    { races_init, races_end },
    { reads_init, reads_end },
    { init_threads, thread_end },
    { init_twins, twin_end },
    { msg_init, msg_end },
    { sites_init, sites_end },
    { bulk_init, NULL },
    { page_init, page_end },
    { page_fetch_init, page_fetch_end },
    { page_look_init, page_look_end },
    { dirty_init, dirty_end },
    { exclusive_init, exclusive_end },
    { copies_init, copies_end },
    { past_init, past_end },
    { renew_init, renew_end },
    { interval_init, interval_end },
    { mcs_init, mcs_end },
    { lock_init, lock_end },
    { order_init, NULL },
    { cond_init, cond_end },
    { NULL, heap_end },
    { NULL, heap_look_end },
    { NULL, checkpoint_end },
    { word_init, NULL },
    { barrier_init, NULL },
    { group_init, group_end },
    { atomic_words_init, NULL },
    { handle_start, handle_stop },
    { mutex_mutexes_start, mutex_mutexes_stop },
    { NULL, window_end },
    { deadlock_watchdog_init, deadlock_watchdog_end },
    { NULL, deadlock_collect_reporter_end },
    { NULL, dump_end },
    { init_diffs, NULL },
    { init_notices, init_notices_end },
};

#define MODULES (sizeof modules / sizeof modules[0])

static int init_make_tables(void)
{
    int rc = 0;
    if (first_write_races_checked() || config_profiles(&engine.config))
        code_init();
    races_code = sites_code = code_for_all;
    caller_is_std = code_is_std;
    probe_on = engine.config.watchdog > 0 ? PROBE_RING : 0u; /* the others add themselves */
    collective_reset();
    /* blocks of other nodes that were freed here are available to them after the barrier */
    barrier_before(heap_flush);
    for (size_t i = 0; i < MODULES && rc == 0; i++)
        if (modules[i].init)
            rc = modules[i].init();
    for (int type = REQUEST_PAGE; type <= REQUEST_PLACE; type++)
        msg_handle((enum request_type)type, engine.protocol.pages->serve);
    if (rc)
        diag_report(1, "cannot allocate tables for %u pages and %d nodes: %s; %s", engine.pages,
                    engine.nodes, strerror(-rc), init_remedy());
    return rc;
}

#define COUNT_MS 1000 /* of --timeout, if hlrcrun does not count */

static void init_report_progress(void)
{
    struct boot_counters counters;
    memset(&counters, 0, sizeof counters);
    stats_progress(&counters);
    boot_progress(engine.boot, &counters);
}

static void init_check_peers(void)
{
    fabric_check(engine.fabric);
}

/* hlrcrun on a terminal shows the progress of a job that takes long. */
static bool init_reports_progress(void)
{
    return (engine.config.progress || secure_getenv("HLRC_TERMINAL")) && boot_gathers(engine.boot);
}

/* A dead peer is detected within peer_timeout: this leaves the fabric most of it. */
static int init_start_monitor(void)
{
    const struct monitor_watch watch = { REPORT_STILL_MS, deadlock_watchdog_look,
                                         deadlock_watchdog_asked };
    bool gathers = boot_gathers(engine.boot);
    const struct monitor_duty duties[] = {
        { init_reports_progress() ? MONITOR_PROGRESS_MS : 0, init_report_progress },
        statistics_duty(),
        { engine.config.timeout > 0 && !gathers ? COUNT_MS : 0, deadlock_watchdog_count },
        { engine.fabric->ops.check && !engine.alone ? engine.config.peer_timeout * 1000 / 8 : 0,
          init_check_peers },
    };
    wait_tracker_rests();
    return monitor_start(engine.boot, duties, sizeof duties / sizeof duties[0], statistics_ending,
                         &watch);
}

/* All nodes can receive writes: threads may start. */
static int init_start_threads(void)
{
    static bool at_fork;
    static struct place_image images[NODES_MAX];
    struct place_image mine = place_image();
    thread_self();
    clock_choose();
    stats_start(); /* before the first byte of a faster node can arrive */
    statistics_start();
    profile_start();
    int rc = record_job_start();
    if (rc == 0)
        rc = timeline_job_start();
    if (rc)
        return rc;
    rc = boot_exchange(engine.boot, &mine, sizeof mine, images);
    place_meet(images, engine.nodes, engine.node);
    if (rc == 0 && !engine.alone)
        rc = progress_start(init_has_handler());
    if (rc == 0 && !engine.alone && (engine.protocol.locks->caps & FABRIC_WRITE_IMM))
        rc = worker_start();
    if (rc == 0)
        rc = race_report_start();
    if (rc == 0)
        rc = crash_install();
    if (rc == 0)
        rc = init_start_monitor();
    if (rc == 0)
        rc = filter_start();
    if (rc == 0 && !at_fork)
        rc = -pthread_atfork(NULL, NULL, init_in_child);
    at_fork = true;
    if (rc)
        diag_report(
            1, "cannot start the runtime's threads: %s; raise the limit on processes (ulimit -u)",
            strerror(-rc));
    return rc;
}

int hlrc_init(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    if (call_get() != CALL_BEFORE) {
        diag_warn("hlrc_init: called twice; call it once, and hlrc_finalize at the end");
        return -EALREADY;
    }
    int (*const steps[])(void) = { init_open_boot,   init_load_config,  init_open_fabric,
                                   init_choose_size, init_make_windows, init_make_tables,
                                   heap_init,        checkpoint_start,  init_start_threads };
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        int rc = steps[i]();
        if (rc)
            return rc; /* the launcher ends the job; the system frees the process's resources */
    }
    if (engine.nodes > 1)
        /* under hlrcrun lines appear when written, not in blocks at the end */
        setvbuf(stdout, NULL, _IOLBF, 0);
    call_set(CALL_RUNNING);
    return 0;
}

static void init_drop_tables(void)
{
    for (size_t i = MODULES; i-- > 0;)
        if (modules[i].end)
            modules[i].end();
}

void hlrc_exit(int status)
{
    call_check("hlrc_exit");
    if (boot_quit(engine.boot, status & 255) != 0)
        diag_fatal(1,
                   "hlrc_exit(%d): under this launcher a job that calls hlrc_exit has a nonzero "
                   "status; start it with hlrcrun",
                   status);
    _exit(status);
}

/* No node writes any more, and all diffs have been compared. */
static void init_finish_races(void)
{
    static uint64_t all[NODES_MAX];
    uint64_t found = races_found(), sum = 0;
    if (!first_write_races_checked())
        return;
    race_report_stop();
    boot_exchange(engine.boot, &found, sizeof found, all);
    for (int n = 0; n < engine.nodes; n++)
        sum += all[n];
    race_report_sum(sum);
}

void hlrc_finalize(void)
{
    call_check("hlrc_finalize");
    lock_tell_held("hlrc_finalize");
    handle_fence_all(); /* pending writes must not hit freed memory */
    checkpoint_complete();
    barrier_all(MEETING_FINALIZE);
    record_job_mark();
    if (!engine.alone) { /* prefetches, also since that barrier, land in memory freed below */
        struct thread *t = thread_enter();
        page_prefetch_finish_all();
        thread_leave(t);
    }
    statistics_finish();
    timeline_job_finish();
    profile_job_finish();
    record_job_finish();
    init_finish_races();
    monitor_stop();                            /* it reads other nodes' windows */
    worker_stop();                             /* its flush may send diffs, which they serve */
    boot_exchange(engine.boot, NULL, 0, NULL); /* no node uses another node's windows any more */
    call_set(CALL_OVER);
    if (!engine.alone)
        progress_stop();
    crash_finalized();
    timeline_close();
    record_job_end();
    init_drop_tables();
    space_destroy();
    fabric_close(engine.fabric);
    boot_goodbye(engine.boot);
    boot_speak(NULL);
    boot_close(engine.boot);
    engine = (struct engine){ 0 };
}
