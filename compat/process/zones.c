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

static void zones_begin(void)
{
    if (start_sharing)
        results = start_shared_memory(sizeof *results, "times of day");
}

__attribute__((constructor)) static void zones_at_start(void)
{
    start_at_begin(zones_begin);
}
