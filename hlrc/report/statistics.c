/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* statistics.c - see statistics.h. */
#include "hlrc/report/statistics.h"

#include <errno.h>
#include <hlrc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "boot/boot.h"
#include "hlrc/core/call.h"
#include "hlrc/core/engine.h"
#include "hlrc/probe/stats.h"
#include "hlrc/progress/progress.h"

enum { TELL_MS = 500, WRITE_MS = 2000 };

/* The last report. At the end of the job the fabric is not queried, since that may take peers that
 * are gone; its figures are those of the monitor's last sample. */
static struct hlrc_stats told;

static bool statistics_wanted(void)
{
    return engine.config.stats[0] != '\0';
}

/* The monitor's thread must not write after the final write. */
static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;
static bool over; /* guarded by it */

int statistics_open(void)
{
    struct stats_report nothing = { .config = &engine.config, .nodes = engine.nodes };
    return engine.node == 0 && config_is_file(engine.config.stats)
               ? stats_write_part(&nothing, engine.config.stats)
               : 0;
}

static void statistics_tell(bool last)
{
    boot_stats(engine.boot, &told, sizeof told, last);
}

static void statistics_tell_all(void)
{
    stats_collect(&told);
    statistics_tell(false);
}

static void statistics_write_own(void)
{
    struct stats_report report = {
        .config = &engine.config, .nodes = engine.nodes, .stats = &told, .count = 1
    };
    pthread_mutex_lock(&writing);
    if (!over) {
        stats_collect(&told);
        (void)stats_write_part(&report, engine.config.stats);
    }
    pthread_mutex_unlock(&writing);
}

/* May run in a signal handler. */
static void statistics_last_words(void)
{
    stats_collect_own(&told);
    statistics_tell(true);
}

void statistics_ending(void)
{
    statistics_last_words();
}

/* For a program that exits without hlrc_finalize; not for its forked children. */
static void statistics_at_exit(void)
{
    if (call_get() == CALL_RUNNING && statistics_wanted())
        statistics_last_words();
}

void statistics_start(void)
{
    static bool registered;
    over = false;
    memset(&told, 0, sizeof told);
    told.size = sizeof told;
    if (!statistics_wanted() || boot_launcher(engine.boot) != BOOT_HLRCRUN)
        return;
    boot_last_words(statistics_last_words);
    registered = registered || atexit(statistics_at_exit) == 0;
    statistics_tell(false);
}

struct monitor_duty statistics_duty(void)
{
    if (statistics_wanted() && boot_launcher(engine.boot) == BOOT_HLRCRUN)
        return (struct monitor_duty){ TELL_MS, statistics_tell_all };
    if (config_is_file(engine.config.stats) && engine.node == 0)
        return (struct monitor_duty){ WRITE_MS, statistics_write_own };
    return (struct monitor_duty){ 0, statistics_write_own };
}

void statistics_finish(void)
{
    /* no node may fail here: the others wait in the exchange */
    static struct hlrc_stats all[NODES_MAX];
    struct hlrc_stats mine;
    if (!statistics_wanted())
        return;
    memset(&mine, 0, sizeof mine);
    mine.size = sizeof mine;
    /* all have left the last barrier: no node sends any more */
    boot_exchange(engine.boot, NULL, 0, NULL);
    progress_settle();
    /* and all have served: all bytes sent have arrived */
    boot_exchange(engine.boot, NULL, 0, NULL);
    stats_collect(&mine);
    if (boot_exchange(engine.boot, &mine, sizeof mine, all) != 0 || engine.node != 0)
        return;
    pthread_mutex_lock(&writing);
    over = true;
    if (stats_print(all, engine.nodes, engine.config.stats) != 0)
        diag_exit_status(STATUS_OUTPUT);
    pthread_mutex_unlock(&writing);
}
