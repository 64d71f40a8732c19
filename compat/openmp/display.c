/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* display.c - reports the environment and thread affinity: the routines, OMP_DISPLAY_ENV and
 * OMP_DISPLAY_AFFINITY; see api.h. */
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "compat/openmp/api.h"
#include "compat/openmp/places.h"
#include "compat/openmp/settings.h"
#include "compat/openmp/team.h"
#include "compat/openmp/team_plan.h"
#include "compat/openmp/team_watch.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* gomp.h */

#define FORMAT_DEFAULT "level %L thread %i affinity %A"

static char *format;
static bool show_threads;

/* ---- affinities ---- */

/* The text written so far, and its length if there were room. */
struct display_text {
    char *at;
    size_t room, len;
};

static void display_put(struct display_text *t, char c)
{
    if (t->len + 1 < t->room)
        t->at[t->len] = c;
    t->len++;
}

/* 0-3,7 */
static void display_describe_set(const cpu_set_t *set, char *out, size_t room)
{
    size_t len = 0;
    out[0] = '\0';
    for (int cpu = 0; cpu < CPU_SETSIZE && len < room; cpu++) {
        int last = cpu;
        if (!CPU_ISSET((size_t)cpu, set))
            continue;
        while (last + 1 < CPU_SETSIZE && CPU_ISSET((size_t)last + 1, set))
            last++;
        const char *comma = len ? "," : "";
        len += (size_t)(last > cpu ? snprintf(out + len, room - len, "%s%d-%d", comma, cpu, last)
                                   : snprintf(out + len, room - len, "%s%d", comma, cpu));
        cpu = last;
    }
}

static int display_ancestor(void)
{
    return omp_get_ancestor_thread_num(omp_get_level() - 1);
}

/* `number` is NULL for a field of another type. */
static const struct display_field {
    char letter;
    const char *name;
    int (*number)(void);
} fields[] = {
    { 't', "team_num", omp_get_team_num },
    { 'T', "num_teams", omp_get_num_teams },
    { 'L', "nesting_level", omp_get_level },
    { 'n', "thread_num", omp_get_thread_num },
    { 'N', "num_threads", omp_get_num_threads },
    { 'a', "ancestor_tnum", display_ancestor },
    { 'P', "process_id", getpid },
    { 'i', "native_thread_id", NULL },
    { 'H', "host", NULL },
    { 'A', "thread_affinity", NULL },
};

/* The field of a letter, or of {name}, which ends at `end`; NULL: none. */
static const struct display_field *display_find(const char *spec, const char *end)
{
    for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++)
        if (end ? strlen(fields[k].name) == (size_t)(end - spec - 1) &&
                      strncmp(fields[k].name, spec + 1, (size_t)(end - spec - 1)) == 0
                : fields[k].letter == *spec)
            return &fields[k];
    return NULL;
}

/* The value of a field. The caller pads numbers. */
static void display_describe(const struct display_field *f, char *out, size_t room)
{
    out[0] = out[room - 1] = '\0';
    if (f->number)
        snprintf(out, room, "%d", f->number());
    else if (f->letter == 'H')
        (void)gethostname(out, room - 1);
    else if (f->letter == 'i')
        snprintf(out, room, "%#lx", (unsigned long)pthread_self());
    else
        display_describe_set(places_set(places_mine()), out, room);
}

/* %[0][.][width]letter, or {name} for the letter: 0 for leading zeros, . for right alignment. */
static const char *display_expand(struct display_text *t, const char *spec)
{
    bool zeros = *spec == '0', right = false;
    size_t width = 0;
    char value[256];
    spec += zeros;
    if (*spec == '.') {
        right = true;
        spec++;
    }
    for (; *spec >= '0' && *spec <= '9' && width < sizeof value; spec++)
        width = width * 10 + (size_t)(*spec - '0');
    const char *end = *spec == '{' ? strchr(spec, '}') : NULL;
    const struct display_field *f = display_find(spec, end);
    if (!f)
        start_fail("affinity format: unknown field %%%s", spec);
    display_describe(f, value, sizeof value);
    size_t len = strlen(value), fill = len < width ? width - len : 0, sign = 0;
    zeros = zeros && f->letter != 'H' && f->letter != 'A';
    if (zeros)
        sign = value[0] == '-' ? 1 : strncmp(value, "0x", 2) == 0 ? 2 : 0;
    for (size_t k = 0; k < sign; k++)
        display_put(t, value[k]);
    for (size_t k = 0; k < fill && right; k++)
        display_put(t, zeros ? '0' : ' ');
    for (size_t k = sign; k < len; k++)
        display_put(t, value[k]);
    for (size_t k = 0; k < fill && !right; k++)
        display_put(t, ' ');
    return (end ? end : spec) + 1;
}

static size_t display_expand_all(char *buffer, size_t room, const char *text)
{
    struct display_text t = { buffer, room, 0 };
    while (*text) {
        if (*text != '%') {
            display_put(&t, *text++);
        } else if (text[1] == '%') {
            display_put(&t, '%');
            text += 2;
        } else {
            text = display_expand(&t, text + 1);
        }
    }
    if (room > 0)
        buffer[t.len < room ? t.len : room - 1] = '\0';
    return t.len;
}

/* On the private stack, since the kernel fills some of it. */
struct display_capture {
    char *buffer;
    size_t room, len;
    const char *text;
};

static void display_capture(void *arg)
{
    struct display_capture *c = arg;
    char mine[1024], text[TEAM_ROOM];
    snprintf(text, sizeof text, "%s", c->text && *c->text ? c->text : format);
    c->len = display_expand_all(mine, sizeof mine, text);
    if (c->room > 0)
        snprintf(c->buffer, c->room, "%s", mine);
}

size_t omp_capture_affinity(char *buffer, size_t room, const char *text)
{
    struct display_capture c = { buffer, room, 0, text };
    lane_call(display_capture, &c);
    return c.len;
}

static void display(void *text)
{
    char line[1024];
    struct display_capture c = { line, sizeof line, 0, text };
    display_capture(&c);
    fprintf(stderr, "%s\n", line);
}

void omp_display_affinity(const char *text)
{
    lane_call(display, (void *)(uintptr_t)text);
}

void omp_set_affinity_format(const char *text)
{
    snprintf(format, TEAM_ROOM, "%s", text);
}

size_t omp_get_affinity_format(char *buffer, size_t room)
{
    if (room > 0)
        snprintf(buffer, room, "%s", format);
    return strlen(format);
}

/* As clang's omp.h names them. */
extern __typeof__(omp_capture_affinity) ompc_capture_affinity
    __attribute__((alias("omp_capture_affinity")));
extern __typeof__(omp_display_affinity) ompc_display_affinity
    __attribute__((alias("omp_display_affinity")));
extern __typeof__(omp_set_affinity_format) ompc_set_affinity_format
    __attribute__((alias("omp_set_affinity_format")));
extern __typeof__(omp_get_affinity_format) ompc_get_affinity_format
    __attribute__((alias("omp_get_affinity_format")));

/* ---- the environment ---- */

/* One number for each level that OMP_NUM_THREADS has. */
static void display_show_numbers(void)
{
    struct settings s = settings_initial;
    fprintf(stderr, "  OMP_NUM_THREADS = '%d", s.threads);
    for (int level = 1; s.threads > 0; level++) {
        s.threads = 0;
        settings_enter(&s, level);
        if (s.threads > 0)
            fprintf(stderr, ",%d", s.threads);
    }
    fputs("'\n", stderr);
}

static void display_show_waiting(void)
{
    const char *policy = getenv("OMP_WAIT_POLICY");
    bool active = policy && strcasecmp(policy, "active") == 0;
    fprintf(stderr, "  OMP_STACKSIZE = '%zu'\n", start_stack_asked());
    fprintf(stderr, "  OMP_WAIT_POLICY = '%s'\n", active ? "ACTIVE" : "PASSIVE");
}

static void display_show(bool more)
{
    static const char *const policies[] = { "FALSE", "TRUE", "PRIMARY", "CLOSE", "SPREAD" },
                             *const kinds[] = { "STATIC", "DYNAMIC", "GUIDED", "AUTO" };
    unsigned kind;
    int chunk;
    char text[TEAM_ROOM];
    const char *offload = getenv("OMP_TARGET_OFFLOAD");
    omp_get_schedule(&kind, &chunk);
    fputs("\nOPENMP DISPLAY ENVIRONMENT BEGIN\n  _OPENMP = '201511'\n", stderr);
    fprintf(stderr, "  OMP_DYNAMIC = '%s'\n", omp_get_dynamic() ? "TRUE" : "FALSE");
    fprintf(stderr, "  OMP_NESTED = '%s'\n", omp_get_nested() ? "TRUE" : "FALSE");
    display_show_numbers();
    fprintf(stderr, "  OMP_SCHEDULE = '%s", kinds[kind - 1]);
    fprintf(stderr, chunk > 1 ? ",%d'\n" : "'\n", chunk);
    fprintf(stderr, "  OMP_PROC_BIND = '%s'\n  OMP_PLACES = '", policies[places_policy(0)]);
    for (int k = 0; k < places_count(); k++) {
        display_describe_set(places_at(k), text, sizeof text);
        fprintf(stderr, "%s{%s}", k ? "," : "", text);
    }
    fputs("'\n", stderr);
    display_show_waiting();
    unsigned limit = (unsigned)omp_get_thread_limit();
    fprintf(stderr, "  OMP_THREAD_LIMIT = '%u'\n", limit == INT_MAX ? UINT_MAX : limit);
    fprintf(stderr, "  OMP_MAX_ACTIVE_LEVELS = '%d'\n", omp_get_max_active_levels());
    fprintf(stderr, "  OMP_NUM_TEAMS = '%d'\n", omp_get_max_teams());
    fprintf(stderr, "  OMP_TEAMS_THREAD_LIMIT = '%d'\n", omp_get_teams_thread_limit());
    fprintf(stderr, "  OMP_CANCELLATION = '%s'\n", omp_get_cancellation() ? "TRUE" : "FALSE");
    fprintf(stderr, "  OMP_DEFAULT_DEVICE = '%d'\n", omp_get_default_device());
    fprintf(stderr, "  OMP_MAX_TASK_PRIORITY = '%d'\n", omp_get_max_task_priority());
    fprintf(stderr, "  OMP_DISPLAY_AFFINITY = '%s'\n", show_threads ? "TRUE" : "FALSE");
    fprintf(stderr, "  OMP_AFFINITY_FORMAT = '%s'\n", format);
    fprintf(stderr, "  OMP_ALLOCATOR = 'omp_%s_mem_alloc'\n",
            settings_allocators[settings_initial.allocator - 1]);
    fprintf(stderr, "  OMP_TARGET_OFFLOAD = '%s'\n", offload && *offload ? offload : "DEFAULT");
    if (more)
        fprintf(stderr, "  HLRC_THREADS_PER_NODE = '%d'\n  HLRC_STACK_BYTES = '%zu'\n", start_lanes,
                lane_stack_bytes());
    fputs("OPENMP DISPLAY ENVIRONMENT END\n", stderr);
}

static void display_show_env(void *more)
{
    display_show(*(int *)more != 0);
}

void omp_display_env(int more)
{
    lane_call(display_show_env, &more);
}

/* ---- at the start ---- */

static bool display_begin(char *room, bool is_first_node)
{
    const char *text = getenv("OMP_DISPLAY_ENV"), *asked = getenv("OMP_AFFINITY_FORMAT");
    bool more = text && strcasecmp(text, "verbose") == 0;
    format = room;
    show_threads = settings_is_true("OMP_DISPLAY_AFFINITY");
    if (!is_first_node)
        return show_threads;
    snprintf(format, TEAM_ROOM, "%s", asked && *asked ? asked : FORMAT_DEFAULT);
    if (more || settings_is_true("OMP_DISPLAY_ENV"))
        display_show(more);
    return show_threads;
}

static void display_region(void)
{
    static _Thread_local bool shown;
    if (shown)
        return;
    shown = true;
    omp_display_affinity(NULL);
}

__attribute__((constructor)) static void display_at_start(void)
{
    static const struct team_watcher watcher = { display_begin, display_region };
    team_watch(&watcher);
}

/* ---- Fortran: texts have a length and trailing blanks ---- */

static void display_from_fortran(char *out, const char *text, size_t len)
{
    while (len > 0 && text[len - 1] == ' ')
        len--;
    snprintf(out, TEAM_ROOM, "%.*s", len < 1000 ? (int)len : 1000, text);
}

static void display_to_fortran(char *buffer, size_t room, const char *text)
{
    size_t len = strlen(text);
    for (size_t k = 0; k < room; k++)
        buffer[k] = k < len ? text[k] : ' ';
}

void omp_set_affinity_format_(const char *text, size_t len)
{
    char c[TEAM_ROOM];
    display_from_fortran(c, text, len);
    omp_set_affinity_format(c);
}

int omp_get_affinity_format_(char *buffer, size_t room)
{
    display_to_fortran(buffer, room, format);
    return (int)strlen(format);
}

void omp_display_affinity_(const char *text, size_t len)
{
    char c[TEAM_ROOM];
    display_from_fortran(c, text, len);
    omp_display_affinity(c);
}

int omp_capture_affinity_(char *buffer, const char *text, size_t room, size_t len)
{
    char c[TEAM_ROOM], out[1024];
    display_from_fortran(c, text, len);
    size_t n = omp_capture_affinity(out, sizeof out, c);
    display_to_fortran(buffer, room, out);
    return (int)n;
}

void omp_display_env_(const int32_t *more)
{
    omp_display_env(*more);
}

void omp_display_env_8_(const int64_t *more)
{
    omp_display_env(*more != 0);
}
