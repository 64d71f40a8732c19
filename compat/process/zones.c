/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * zones.c - times of day, which node 0 computes (delegate.h), as it has the time zone. Results in
 * memory of the C library are copied to shared memory, one result for each function, as in the C
 * library. Names of time zones, as tm_zone and tzname, are kept for good, as there.
 */
#include "compat/process/zones.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

#include "compat/process/delegate.h"
#include "compat/process/here.h"
#include "compat/start/heap.h"
#include "compat/start/start.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* the program's names for them */

#define TEXT_BYTES 256

/* In shared memory. */
static struct zones_results {
    char asctime[TEXT_BYTES], ctime[TEXT_BYTES];
    struct tm localtime, gmtime;
} * results;

/* In shared memory; guarded by `mutex` of node 0. */
struct zones_name {
    struct zones_name *next;
    char text[];
};
static struct zones_name *names;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Under the mutex. */
static char *zones_find_name(const char *text)
{
    for (struct zones_name *n = names; n; n = n->next)
        if (strcmp(n->text, text) == 0)
            return n->text;
    struct zones_name *n = heap_malloc(sizeof *n + strlen(text) + 1);
    if (!n)
        return NULL;
    n->next = names;
    names = n;
    return strcpy(n->text, text);
}

/* By node 0. The C library's own text if there is no memory. */
static char *zones_share_name(char *text)
{
    if (!text || start_is_shared(text))
        return text;
    pthread_mutex_lock(&mutex);
    char *shared = zones_find_name(text);
    pthread_mutex_unlock(&mutex);
    return shared ? shared : text;
}

void zones_share_names(void)
{
    for (int i = 0; i < 2; i++)
        if (!start_is_shared(tzname[i]))
            tzname[i] = zones_share_name(tzname[i]);
}

/* By node 0: the names of a time that the C library has computed. */
static struct tm *zones_share_time(struct tm *t)
{
    zones_share_names();
    if (t)
        t->tm_zone = zones_share_name((char *)t->tm_zone);
    return t;
}

static void zones_set(void)
{
    tzset();
    zones_share_names();
}

void __wrap_tzset(void)
{
    if (!start_sharing)
        tzset();
    else if (delegate_is_away())
        (void)DELEGATE(zones_set, 0);
    else
        zones_set();
}

static struct tm *zones_result(struct tm *to, const struct tm *from)
{
    if (!from)
        return NULL;
    *to = *from;
    return zones_share_time(to);
}

HERE(struct tm *, localtime, (const time_t *time), (time), WORDS((long)time))
{
    return zones_result(&results->localtime, localtime(time));
}

HERE(struct tm *, gmtime, (const time_t *time), (time), WORDS((long)time))
{
    return zones_result(&results->gmtime, gmtime(time));
}

static char *zones_text(char *to, const char *text)
{
    return text ? strncpy(to, text, TEXT_BYTES - 1) : NULL;
}

HERE(char *, ctime, (const time_t *time), (time), WORDS((long)time))
{
    return zones_text(results->ctime, ctime(time));
}

HERE(char *, asctime, (const struct tm *time), (time), WORDS((long)time))
{
    return zones_text(results->asctime, asctime(time));
}

/* ---- results in the caller's memory, which may be thread-local ---- */

static struct tm *zones_local_time(time_t time, struct tm *to)
{
    return zones_share_time(localtime_r(&time, to));
}

struct tm *__wrap_localtime_r(const time_t *time, struct tm *to)
{
    struct tm t;
    if (!start_sharing)
        return localtime_r(time, to);
    if (!delegate_is_away())
        return zones_local_time(*time, to);
    if (!DELEGATE(zones_local_time, *time, (long)&t))
        return NULL;
    *to = t;
    return to;
}

static time_t zones_make_time(struct tm *t)
{
    time_t made = mktime(t);
    (void)zones_share_time(t);
    return made;
}

time_t __wrap_mktime(struct tm *t)
{
    if (!start_sharing)
        return mktime(t);
    if (!delegate_is_away())
        return zones_make_time(t);
    struct tm there = *t;
    time_t made = DELEGATE(zones_make_time, (long)&there);
    *t = there;
    return made;
}
time_t __wrap_timelocal(struct tm *t) __attribute__((alias("__wrap_mktime")));

/* ---- calls of each node's C library, which needs no files for them ---- */

/* They may set tzname and the like, which the program has in shared memory, to texts of a node. */
struct zones_kept {
    char *names[2];
    long seconds;
    int daylight;
};

static void zones_use(void)
{
    struct tm t;
    (void)gmtime_r(&(time_t){ 0 }, &t); /* sets the zone, unless it is set */
    zones_share_names();
}

/* `uses`: the call sets the zone unless it is set, on node 0, too. */
static struct zones_kept zones_enter(bool uses)
{
    static bool used;
    if (start_away && uses && !used)
        (void)DELEGATE(zones_use, 0);
    used |= uses;
    return (struct zones_kept){ { tzname[0], tzname[1] }, timezone, daylight };
}

static void zones_leave(const struct zones_kept *kept)
{
    if (!start_away) {
        zones_share_names();
        return;
    }
    for (int i = 0; i < 2; i++)
        if (tzname[i] != kept->names[i])
            tzname[i] = kept->names[i];
    if (timezone != kept->seconds)
        timezone = kept->seconds;
    if (daylight != kept->daylight)
        daylight = kept->daylight;
}

#define EACH(type, name, parameters, arguments, uses)     \
    type __wrap_##name parameters                         \
    {                                                     \
        if (!start_sharing)                               \
            return name arguments;                        \
        const struct zones_kept kept = zones_enter(uses); \
        type result = name arguments;                     \
        zones_leave(&kept);                               \
        return result;                                    \
    }
EACH(struct tm *, gmtime_r, (const time_t *time, struct tm *to), (time, to), true)
EACH(time_t, timegm, (struct tm * t), (t), true)
EACH(size_t, strftime_l,
     (char *to, size_t room, const char *format, const struct tm *t, locale_t l),
     (to, room, format, t, l), false)
EACH(size_t, wcsftime_l,
     (wchar_t * to, size_t room, const wchar_t *format, const struct tm *t, locale_t l),
     (to, room, format, t, l), false)
size_t __wrap___strftime_l(char *, size_t, const char *, const struct tm *, locale_t)
    __attribute__((alias("__wrap_strftime_l")));
size_t __wrap___wcsftime_l(wchar_t *, size_t, const wchar_t *, const struct tm *, locale_t)
    __attribute__((alias("__wrap_wcsftime_l")));

/* ---- strptime, which needs the zone for seconds since 1970 ---- */

static char *zones_parse(const char *text, const char *format, struct tm *t, locale_t l)
{
    char *end = l ? strptime_l(text, format, t, l) : strptime(text, format, t);
    (void)zones_share_time(end ? t : NULL);
    return end;
}

char *__wrap_strptime_l(const char *text, const char *format, struct tm *t, locale_t l)
{
    if (!start_sharing || !strstr(format, "%s"))
        return l ? strptime_l(text, format, t, l) : strptime(text, format, t);
    if (!delegate_is_away())
        return zones_parse(text, format, t, l);
    struct tm there = *t;
    char *end = (char *)DELEGATE(zones_parse, (long)text, (long)format, (long)&there, (long)l);
    *t = there;
    return end;
}

char *__wrap_strptime(const char *text, const char *format, struct tm *t)
{
    return __wrap_strptime_l(text, format, t, NULL);
}

static void zones_begin(void)
{
    if (start_sharing)
        results = start_shared_memory(sizeof *results, "times of day");
}

__attribute__((constructor)) static void zones_at_start(void)
{
    start_at_begin(zones_begin);
}
