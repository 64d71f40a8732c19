/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* race_report.c - see race_report.h. */
#include "hlrc/races/race_report.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/diag.h"
#include "base/quiet_thread.h"
#include "base/race.h"
#include "base/tasks.h"
#include "hlrc/core/engine.h"
#include "hlrc/crash/code.h"
#include "hlrc/heap/heap_look.h"
#include "hlrc/heap/sites.h"
#include "hlrc/progress/thread.h"
#include "hlrc/races/races.h"

#define WHERE_MAX 256

static pthread_t teller;
static bool runs;

/* ---- a line ---- */

static void race_report_say_where(uint64_t code, char *text, size_t len)
{
    if (code == 0)
        snprintf(text, len, "by an HLRC call");
    else
        code_say(code, text, len);
}

/* "byte 24 of the block of 64 bytes at 0x... (main, prog.c:30)": a block of hlrc_malloc. */
static bool race_report_say_block(const char *at, char *text, size_t len)
{
    struct sites_site site;
    char call[WHERE_MAX];
    if (!sites_site_ask(at, &site))
        return false;
    code_say_call(site.code, call, sizeof call);
    snprintf(text, len, "byte %td of the block of %zu bytes at %p (%s)",
             at - (const char *)site.block, site.size, site.block, call);
    return true;
}

static bool race_report_say_variable(const char *at, char *text, size_t len)
{
    uint64_t behind = 0;
    const char *name = code_variable((uintptr_t)at, &behind);
    if (name)
        snprintf(text, len, "byte %" PRIu64 " of %s", behind, name);
    return name != NULL;
}

static void race_report_say_what(const struct races_race *race, char *text, size_t len)
{
    uint32_t in_a_row;
    const char *at = engine_app_run(race->page, &in_a_row) + race->byte;
    if (engine_in_heap(at) ? race_report_say_block(at, text, len)
                           : race_report_say_variable(at, text, len))
        return;
    bool tables = engine_in_heap(at) && heap_look(at).what == HEAP_TABLES;
    snprintf(text, len, tables ? "the tables of the shared heap" : "shared memory");
}

static void race_report_say_side(const struct races_side *side, char *text, size_t len)
{
    char where[WHERE_MAX];
    race_report_say_where(side->first.code, where, sizeof where);
    snprintf(text, len, "node %d, thread %" PRIu64 " in interval %" PRIu64 " (%s)", side->node,
             side->first.thread, side->interval, where);
}

static const char *race_report_verb_of(const struct races_side *side)
{
    return side->reads ? "read" : "written";
}

static void race_report_tell(const struct races_race *race)
{
    static char what[WHERE_MAX], sides[2][WHERE_MAX + 100];
    bool turned =
        race->earlier.node > race->later.node; /* which of the two came first has no meaning */
    const struct races_side *first = turned ? &race->later : &race->earlier;
    const struct races_side *second = turned ? &race->earlier : &race->later;
    bool alike = first->reads == second->reads;
    race_report_say_what(race, what, sizeof what);
    race_report_say_side(first, sides[0], sizeof sides[0]);
    race_report_say_side(second, sides[1], sizeof sides[1]);
    diag_job("race: %u bytes from byte %u of page %u, %s, were %s by %s and %s%sby %s, and no lock "
             "and no barrier orders the two",
             race->bytes, race->byte, race->page, what, race_report_verb_of(first), sides[0],
             alike ? "" : race_report_verb_of(second), alike ? "" : " ", sides[1]);
}

static void *race_report_tell_all(void *arg)
{
    static struct races_race race;
    (void)arg;
    (void)thread_own(THREAD_TELLER);
    tasks_own(1);
    race_ignore_begin();
    while (races_take(&race))
        race_report_tell(&race);
    race_ignore_end();
    tasks_own(-1);
    return NULL;
}

int race_report_start(void)
{
    if (!first_write_races_checked())
        return 0;
    int rc = quiet_thread_create(&teller, NULL, race_report_tell_all, NULL);
    runs = rc == 0;
    return rc;
}

void race_report_stop(void)
{
    if (!runs)
        return;
    races_stop();
    pthread_join(teller, NULL);
    runs = false;
}

void race_report_sum(uint64_t found)
{
    if (found == 0)
        return;
    if (engine.node == 0)
        diag_job("--check races found %" PRIu64 " race%s", found, found == 1 ? "" : "s");
    diag_exit_status(STATUS_RACES);
}
