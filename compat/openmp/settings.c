/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* settings.c - see settings.h. */
#include "compat/openmp/settings.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/parse.h"
#include "compat/start/start.h"

struct settings settings_initial = { .threads = 1,
                                     .schedule = SCHEDULE_DYNAMIC,
                                     .chunk = 1,
                                     .levels = 1,
                                     .limit = INT_MAX,
                                     .league = 1,
                                     .allocator = 1 };

bool settings_cancellation;
int settings_max_priority;

static int settings_number(const char *variable, const char *text)
{
    int64_t n;
    if (parse_number(text, ",", 0, INT_MAX, &n) != 0)
        start_fail("%s=%s: not a number; use 0 or more", variable, text);
    return (int)n;
}

bool settings_is_true(const char *variable)
{
    const char *text = getenv(variable);
    return text && (strcasecmp(text, "true") == 0 || strcmp(text, "1") == 0);
}

/* "dynamic", "monotonic:guided,4" */
static void settings_read_schedule(const char *text)
{
    static const char *const kinds[] = { "static", "dynamic", "guided", "auto" };
    const char *kind = strchr(text, ':') ? strchr(text, ':') + 1 : text;
    size_t len = strcspn(kind, ", ");
    for (int k = 0; k < 4; k++) {
        if (strncasecmp(kind, kinds[k], len) != 0 || kinds[k][len] != '\0')
            continue;
        settings_initial.schedule = (enum team_schedule)(SCHEDULE_STATIC + k);
        settings_initial.chunk = k == 0 ? 0 : 1;
        if (kind[len] == ',')
            settings_initial.chunk = settings_number("OMP_SCHEDULE", kind + len + 1);
        return;
    }
    start_fail("OMP_SCHEDULE=%s: no such schedule; choose from static, dynamic, guided and auto",
               text);
}

static int settings_number_or(const char *variable, int otherwise)
{
    const char *text = getenv(variable);
    return text && *text ? settings_number(variable, text) : otherwise;
}

/* From 1 to `most`. */
static int settings_at_most(int most, int n)
{
    return n < 1 ? 1 : n < most ? n : most;
}

/* More than one level, if the number of threads or the binding has values for more. */
static int settings_read_levels(void)
{
    const char *threads = getenv("OMP_NUM_THREADS"), *bind = getenv("OMP_PROC_BIND");
    bool more = settings_is_true("OMP_NESTED") ||
                (!getenv("OMP_NESTED") &&
                 ((threads && strchr(threads, ',')) || (bind && strchr(bind, ','))));
    int levels = settings_number_or("OMP_MAX_ACTIVE_LEVELS", more ? LEVELS_MOST : 1);
    return levels < LEVELS_MOST ? levels : LEVELS_MOST;
}

const char *const settings_allocators[] = { "default", "large_cap", "const",  "high_bw", "low_lat",
                                            "cgroup",  "pteam",     "thread", NULL };

/* "omp_default_mem_alloc"; the numbers of omp.h begin at 1. */
static uintptr_t settings_read_allocator(void)
{
    const char *text = getenv("OMP_ALLOCATOR");
    char name[64];
    if (!text || !*text)
        return 1;
    for (unsigned k = 0; settings_allocators[k]; k++) {
        snprintf(name, sizeof name, "omp_%s_mem_alloc", settings_allocators[k]);
        if (strcasecmp(text, name) == 0)
            return k + 1;
    }
    start_fail("OMP_ALLOCATOR=%s: no such allocator; use omp_default_mem_alloc or another name of "
               "omp.h",
               text);
}

#define NUMBERS_MOST 16
static int numbers[NUMBERS_MOST], levels_named; /* OMP_NUM_THREADS: one for each level */

static void settings_read_numbers(void)
{
    const char *at = getenv("OMP_NUM_THREADS");
    while (at && *at && levels_named < NUMBERS_MOST) {
        numbers[levels_named++] = settings_at_most(INT_MAX, settings_number("OMP_NUM_THREADS", at));
        at = strchr(at, ',');
        at += at != NULL;
    }
}

void settings_enter(struct settings *s, int level)
{
    if (level < levels_named)
        s->threads = numbers[level];
}

void settings_read(int lanes)
{
    const char *schedule = getenv("OMP_SCHEDULE");
    settings_read_numbers();
    settings_initial.threads = settings_at_most(lanes, levels_named ? numbers[0] : lanes);
    settings_initial.limit =
        settings_at_most(INT_MAX, settings_number_or("OMP_THREAD_LIMIT", INT_MAX));
    if (schedule && *schedule)
        settings_read_schedule(schedule);
    settings_initial.levels = settings_read_levels();
    settings_initial.teams = settings_number_or("OMP_NUM_TEAMS", 0);
    settings_initial.teams_limit = settings_number_or("OMP_TEAMS_THREAD_LIMIT", 0);
    settings_initial.dynamic = settings_is_true("OMP_DYNAMIC");
    settings_initial.device = settings_number_or("OMP_DEFAULT_DEVICE", 0);
    settings_initial.allocator = settings_read_allocator();
    settings_max_priority = settings_number_or("OMP_MAX_TASK_PRIORITY", 0);
    settings_cancellation = settings_is_true("OMP_CANCELLATION");
}

/* Names; a '*' at the end matches any suffix. */
static const struct {
    const char *name, *why;
} missing[] = {
    { "GOACC_*", "(OpenACC) is not supported; leave it out" },
    { "GOMP_target", "belongs to gcc before 5; compile with hlrcc" },
    { "GOMP_target_data", "belongs to gcc before 5; compile with hlrcc" },
    { "GOMP_target_update", "belongs to gcc before 5; compile with hlrcc" },
    { "GOMP_teams", "belongs to gcc before 12; compile with hlrcc" },
    { "GOMP_parallel_end", "belongs to gcc before 4.9; compile with hlrcc" },
    { "GOMP_parallel_start", "belongs to gcc before 4.9; compile with hlrcc" },
    { "GOMP_parallel_*_start", "belongs to gcc before 4.9; compile with hlrcc" },
};

static bool settings_matches(const char *name, const char *pattern)
{
    const char *star = strchr(pattern, '*');
    if (!star)
        return strcmp(name, pattern) == 0;
    size_t head = (size_t)(star - pattern), tail = strlen(star + 1), len = strlen(name);
    return len >= head + tail && strncmp(name, pattern, head) == 0 &&
           strcmp(name + len - tail, star + 1) == 0;
}

const char *settings_refuse(const char *name)
{
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++)
        if (settings_matches(name, missing[i].name))
            return missing[i].why;
    return NULL;
}
