/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* deadlock_watchdog.c - see deadlock_watchdog.h for the invariants. */
#include "hlrc/report/deadlock_watchdog.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/reserve.h"
#include "boot/boot.h"
#include "hlrc/core/engine.h"
#include "hlrc/probe/probe.h"
#include "hlrc/probe/wait_tracker.h"
#include "hlrc/progress/thread.h"
#include "hlrc/report/deadlock_collect.h"
#include "hlrc/report/deadlock_detect.h"

#define JUDGE     0    /* the node that detects deadlocks without hlrcrun */
#define SLOWLY_MS 2000 /* between two checks while a thread that does not wait may end */

static uint64_t told;      /* the epoch last reported to hlrcrun */
static uint64_t written;   /* reports written to node 0 */
static int64_t started_ms; /* for --timeout */

/* At node 0: copies of the other nodes' reports, by node. */
static char *copies;
static const struct report *reports[NODES_MAX];
static struct {
    uint64_t number, epoch; /* of the first report; number 0: none */
    uint64_t now;           /* of the latest report */
} seen[NODES_MAX];

/* ---- the memory of node 0 ---- */

/* A slot: a number, a report, the number again. */
static size_t deadlock_watchdog_slot_at(int node)
{
    return engine.at.reports + (size_t)node * engine.at.report_size;
}

static size_t deadlock_watchdog_end_of_slot(int node)
{
    return deadlock_watchdog_slot_at(node) + engine.at.report_size - sizeof(uint64_t);
}

static size_t deadlock_watchdog_copies_bytes(void)
{
    return (size_t)engine.nodes * engine.at.report_size;
}

static void deadlock_watchdog_write_report(const struct report *r)
{
    uint64_t number = ++written;
    int win = engine.control.id;
    size_t at = deadlock_watchdog_slot_at(engine.node);
    fabric_write(engine.fabric, JUDGE, win, at, &number, sizeof number, NULL);
    fabric_write_copied(engine.fabric, JUDGE, win, at + sizeof number, r, r->bytes);
    fabric_write(engine.fabric, JUDGE, win, deadlock_watchdog_end_of_slot(engine.node), &number,
                 sizeof number, NULL);
}

static uint64_t deadlock_watchdog_number_at(size_t at)
{
    return atomic_load_explicit((_Atomic uint64_t *)engine_control_at(at), memory_order_acquire);
}

/* A whole report of this node, or NULL. */
static const struct report *deadlock_watchdog_read_report(int node)
{
    char *copy = copies + (size_t)node * engine.at.report_size;
    const struct report *r = (const struct report *)(const void *)copy;
    uint64_t number = deadlock_watchdog_number_at(deadlock_watchdog_end_of_slot(node));
    if (number == 0)
        return NULL;
    memcpy(copy, engine_control_at(deadlock_watchdog_slot_at(node) + sizeof number),
           engine.at.report_size - 2 * sizeof number);
    /* orders the copy before the second reading of the number */
    atomic_thread_fence(memory_order_acquire);
    seen[node].now = number;
    bool whole = deadlock_watchdog_number_at(deadlock_watchdog_slot_at(node)) == number &&
                 r->bytes <= engine.at.report_size - 2 * sizeof number;
    return whole && deadlock_report_whole(r, r->bytes, node) ? r : NULL;
}

static void deadlock_watchdog_read_all(const struct report *mine)
{
    for (int node = 0; node < engine.nodes; node++)
        reports[node] = node == engine.node ? mine : deadlock_watchdog_read_report(node);
    seen[engine.node].now = ++written;
}

int deadlock_watchdog_init(void)
{
    told = written = 0;
    memset(seen, 0, sizeof seen);
    started_ms = clock_ms();
    if (!engine.judges || engine.node != JUDGE)
        return 0;
    copies = reserve(deadlock_watchdog_copies_bytes());
    if (!copies)
        return -ENOMEM;
    return fabric_window_prepare(engine.fabric, engine.control.id, engine.at.reports,
                                 deadlock_watchdog_copies_bytes());
}

void deadlock_watchdog_end(void)
{
    if (copies)
        reserve_end(copies, deadlock_watchdog_copies_bytes());
    copies = NULL;
}

/* ---- deadlock detection by node 0 instead of hlrcrun ---- */

static const char *deadlock_watchdog_absent(void *ctx, int node)
{
    (void)ctx, (void)node;
    return "has not reported its waits; it may be stopped";
}

static void deadlock_watchdog_say(void *ctx, const char *line)
{
    (void)ctx;
    diag_job("%s", line);
}

static struct deadlock_detect_judge deadlock_watchdog_judge_here(void)
{
    return (struct deadlock_detect_judge){ .nodes = engine.nodes,
                                           .reports = reports,
                                           .absent = deadlock_watchdog_absent };
}

static _Noreturn void deadlock_watchdog_finish(const struct deadlock_detect_judge *j)
{
    char line[DIAG_LINE_MAX / 2];
    deadlock_detect_tell(j, deadlock_watchdog_say);
    (void)deadlock_detect_cause(j, true, line, sizeof line);
    diag_fatal(STATUS_DEADLOCK, "deadlock: %s", line);
}

/* [deadlock.two-rounds]: the first and the latest reports have the same epochs. */
static bool deadlock_watchdog_confirmed(void)
{
    for (int node = 0; node < engine.nodes; node++)
        if (seen[node].number == 0 || seen[node].epoch != reports[node]->epoch ||
            seen[node].now < seen[node].number + 2)
            return false;
    return true;
}

/* The first round is one of all nodes: if one node has changed, it starts again. */
static void deadlock_watchdog_note_first_look(bool stuck)
{
    bool begins = !stuck;
    for (int node = 0; node < engine.nodes && !begins; node++)
        begins = seen[node].number == 0 || seen[node].epoch != reports[node]->epoch;
    for (int node = 0; node < engine.nodes && begins; node++) {
        seen[node].number = stuck ? seen[node].now : 0;
        seen[node].epoch = stuck ? reports[node]->epoch : 0;
    }
}

static void deadlock_watchdog_judge_reports(const struct report *mine)
{
    struct deadlock_detect_judge j = deadlock_watchdog_judge_here();
    deadlock_watchdog_read_all(mine);
    bool stuck = deadlock_detect_stuck(&j);
    if (stuck && deadlock_watchdog_confirmed())
        deadlock_watchdog_finish(&j);
    deadlock_watchdog_note_first_look(stuck);
}

/* ---- periodic checks ---- */

/* ASSUMPTION: all threads wait. Returns the milliseconds until the next check. */
static int deadlock_watchdog_tell(void)
{
    const struct report *r = deadlock_collect_reporter_make(0);
    if (!r->still)
        return SLOWLY_MS; /* a thread that ends does not wake the watch */
    if (boot_gathers(engine.boot)) {
        if (r->epoch != told && boot_waits(engine.boot, r, r->bytes) != 0)
            return REPORT_STILL_MS;
        told = r->epoch;
        return 0;
    }
    if (engine.node == JUDGE)
        deadlock_watchdog_judge_reports(r);
    else
        deadlock_watchdog_write_report(r);
    return JUDGE_GAP_MS;
}

int deadlock_watchdog_look(void)
{
    wait_tracker_rests();
    struct wait_tracker_waits waits = wait_tracker_look();
    int ms = waits.next_ms, more = 0;
    if (waits.waiting > 0 && waits.least_ms < REPORT_STILL_MS)
        more = (int)(REPORT_STILL_MS - waits.least_ms);
    else if (waits.waiting > 0)
        more = deadlock_watchdog_tell();
    if (more && (ms == 0 || more < ms))
        ms = more;
    PROBE(watch_looked);
    if (ms)
        wait_tracker_goes_on();
    return ms;
}

void deadlock_watchdog_asked(uint32_t number)
{
    const struct report *r = deadlock_collect_reporter_make(number);
    /* if it fails: hlrcrun treats the node as stopped */
    (void)boot_waits(engine.boot, r, r->bytes);
}

/* ---- --timeout, without hlrcrun ---- */

/* from a node's report to the report on all, and to the end of nodes that reported */
#define GATHER_MS 1500

static void deadlock_watchdog_tell_own(const struct report *r)
{
    struct deadlock_detect_judge j = deadlock_watchdog_judge_here();
    memset(reports, 0, sizeof reports);
    reports[engine.node] = r;
    deadlock_detect_tell_node(&j, engine.node, deadlock_watchdog_say);
}

static _Noreturn void deadlock_watchdog_end_late(void)
{
    char line[DIAG_LINE_MAX / 2];
    struct deadlock_detect_judge j = deadlock_watchdog_judge_here();
    if (engine.node == JUDGE) {
        deadlock_watchdog_read_all(deadlock_collect_reporter_make(0));
        deadlock_detect_tell(&j, deadlock_watchdog_say);
        if (deadlock_detect_cause(&j, false, line, sizeof line))
            diag_job("in a circle: %s", line);
    } else {
        deadlock_watchdog_tell_own(
            deadlock_collect_reporter_make(0)); /* if node 0 has not ended the job */
    }
    diag_fatal(STATUS_TIMEOUT, "the job takes longer than --timeout %d", engine.config.timeout);
}

void deadlock_watchdog_count(void)
{
    int64_t late = clock_ms() - started_ms - (int64_t)engine.config.timeout * 1000;
    int gathers = engine.alone ? 0 : engine.node == JUDGE ? 1 : 3;
    if (late >= GATHER_MS * gathers)
        deadlock_watchdog_end_late();
    if (late >= 0 && engine.node != JUDGE)
        deadlock_watchdog_write_report(deadlock_collect_reporter_make(0));
}
