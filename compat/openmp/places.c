/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* places.c - see places.h. */
#include "compat/openmp/places.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/procfs.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

#define PLACES_MOST   1024
#define POLICIES_MOST 8
#define KEY_BYTES     128

static cpu_set_t allowance; /* processors that the node may use */
static cpu_set_t *places;
static int count, threads_here = 1;
static enum places_bind policies[POLICIES_MOST];
static int levels;

/* Keeps the processors that the node may use, if there are any. */
static void places_add_place(const cpu_set_t *place)
{
    cpu_set_t mine;
    CPU_AND(&mine, place, &allowance);
    if (CPU_COUNT(&mine) == 0)
        return;
    if (count == PLACES_MOST)
        start_fail("OMP_PLACES: more than %d places", PLACES_MOST);
    if (!places && !(places = calloc(PLACES_MOST, sizeof *places)))
        start_fail("OMP_PLACES: no memory");
    places[count++] = mine;
}

/* ---- by name: processors that the system groups alike ---- */

/* A file per processor; for NUMA domains, a folder. */
static const struct {
    const char *name, *file;
} kinds[] = {
    { "threads", NULL },
    { "cores", "topology/thread_siblings_list" },
    { "sockets", "topology/core_siblings_list" },
    { "ll_caches", "cache/index3/shared_cpu_list" },
    { "numa_domains", NULL },
};
enum { KIND_THREADS, KIND_DOMAINS = 4, KINDS };

static void places_domain_of(int cpu, char *key)
{
    char path[96];
    for (int node = 0; node < 1024; node++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/node%d", cpu, node);
        snprintf(key, KEY_BYTES, "node%d", node);
        if (access(path, F_OK) == 0)
            return;
    }
}

static void places_key_of(int kind, int cpu, char *key)
{
    char path[96];
    snprintf(key, KEY_BYTES, "cpu%d", cpu);
    if (kind == KIND_DOMAINS)
        places_domain_of(cpu, key);
    if (!kinds[kind].file)
        return;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/%s", cpu, kinds[kind].file);
    if (procfs_read(path, key, KEY_BYTES) <= 0)
        snprintf(key, KEY_BYTES, "cpu%d", cpu);
}

static void places_add_kind(int kind, int most)
{
    cpu_set_t left = allowance;
    for (int first = 0; first < CPU_SETSIZE && count < most; first++) {
        char key[KEY_BYTES], other[KEY_BYTES];
        cpu_set_t place;
        if (!CPU_ISSET((size_t)first, &left))
            continue;
        CPU_ZERO(&place);
        places_key_of(kind, first, key);
        for (int cpu = first; cpu < CPU_SETSIZE; cpu++) {
            if (!CPU_ISSET((size_t)cpu, &left))
                continue;
            places_key_of(kind, cpu, other);
            if (strcmp(key, other) != 0)
                continue;
            CPU_SET((size_t)cpu, &place);
            CPU_CLR((size_t)cpu, &left);
        }
        places_add_place(&place);
    }
}

/* ---- by processors: {0,1},{2:2},{4}:3:4,!{5} ---- */

struct places_reader {
    const char *text, *at;
};

_Noreturn static void places_refuse(const struct places_reader *r)
{
    start_fail("OMP_PLACES=%s: not understood from '%s' on; use threads, cores, sockets, "
               "ll_caches, numa_domains, or {0,1},{2,3} and so on",
               r->text, r->at);
}

static bool places_take(struct places_reader *r, char c)
{
    while (*r->at == ' ')
        r->at++;
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

static long places_take_number(struct places_reader *r, bool negative_too)
{
    char *end;
    long n = strtol(r->at, &end, 10);
    if (end == r->at || n > INT_MAX || n < (negative_too ? -INT_MAX : 0))
        places_refuse(r);
    r->at = end;
    return n;
}

/* :length:stride after a processor or a place */
static void places_take_interval(struct places_reader *r, long *length, long *stride)
{
    *length = *stride = 1;
    if (places_take(r, ':'))
        *length = places_take_number(r, false);
    if (*length > 1 && places_take(r, ':'))
        *stride = places_take_number(r, true);
    if (*length < 1 || *length > CPU_SETSIZE)
        places_refuse(r);
}

static void places_set_cpu(cpu_set_t *set, long cpu, bool on)
{
    if (cpu < 0 || cpu >= CPU_SETSIZE)
        return;
    if (on)
        CPU_SET((size_t)cpu, set);
    else
        CPU_CLR((size_t)cpu, set);
}

static void places_take_place(struct places_reader *r, cpu_set_t *place)
{
    CPU_ZERO(place);
    if (!places_take(r, '{'))
        places_refuse(r);
    do {
        long length, stride;
        bool on = !places_take(r, '!');
        long cpu = places_take_number(r, false);
        places_take_interval(r, &length, &stride);
        for (long k = 0; k < length; k++)
            places_set_cpu(place, cpu + k * stride, on);
    } while (places_take(r, ','));
    if (!places_take(r, '}'))
        places_refuse(r);
}

static cpu_set_t places_shifted(const cpu_set_t *place, long by)
{
    cpu_set_t out;
    CPU_ZERO(&out);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET((size_t)cpu, place))
            places_set_cpu(&out, cpu + by, true);
    return out;
}

static void places_drop_place(const cpu_set_t *place)
{
    cpu_set_t mine;
    CPU_AND(&mine, place, &allowance);
    for (int k = 0; k < count; k++)
        if (CPU_EQUAL(&places[k], &mine)) {
            memmove(&places[k], &places[k + 1], (size_t)(count - k - 1) * sizeof *places);
            count--;
            k--;
        }
}

static void places_read_list(const char *text)
{
    struct places_reader r = { text, text };
    do {
        long length, stride;
        cpu_set_t place;
        bool on = !places_take(&r, '!');
        places_take_place(&r, &place);
        places_take_interval(&r, &length, &stride);
        for (long k = 0; k < length; k++) {
            cpu_set_t one = places_shifted(&place, k * stride);
            if (on)
                places_add_place(&one);
            else
                places_drop_place(&one);
        }
    } while (places_take(&r, ','));
    if (*r.at != '\0')
        places_refuse(&r);
}

static void places_parse(const char *text)
{
    size_t len = strcspn(text, " (");
    for (int kind = 0; kind < KINDS; kind++) {
        if (strncasecmp(text, kinds[kind].name, len) != 0 || kinds[kind].name[len] != '\0')
            continue;
        struct places_reader r = { text, text + len };
        long most = INT_MAX;
        if (places_take(&r, '(')) {
            most = places_take_number(&r, false);
            if (!places_take(&r, ')'))
                places_refuse(&r);
        }
        if (*r.at != '\0')
            places_refuse(&r);
        places_add_kind(kind, (int)most);
        return;
    }
    places_read_list(text);
}

/* ---- policies ---- */

static void places_read_policies(const char *text)
{
    static const struct {
        const char *name;
        enum places_bind policy;
    } names[] = { { "false", BIND_NONE },     { "true", BIND_TRUE },   { "primary", BIND_PRIMARY },
                  { "master", BIND_PRIMARY }, { "close", BIND_CLOSE }, { "spread", BIND_SPREAD } };
    const char *at = text;
    while (*at && levels < POLICIES_MOST) {
        size_t len = strcspn(at, ", "), k = 0;
        while (k < 6 && (strncasecmp(at, names[k].name, len) != 0 || names[k].name[len] != '\0'))
            k++;
        if (k == 6 || len == 0)
            start_fail("OMP_PROC_BIND=%s: use false, true, primary, close, spread, or a list",
                       text);
        policies[levels++] = names[k].policy;
        at += len;
        at += strspn(at, ", ");
    }
}

void places_read(int threads)
{
    const char *list = getenv("OMP_PLACES"), *policy = getenv("OMP_PROC_BIND");
    threads_here = threads;
    if (sched_getaffinity(0, sizeof allowance, &allowance) != 0)
        return;
    if (policy && *policy)
        places_read_policies(policy);
    else if (list && *list)
        policies[levels++] = BIND_TRUE;
    if (places_policy(0) == BIND_NONE)
        return;
    if (list && *list)
        places_parse(list);
    else
        places_add_kind(KIND_THREADS, INT_MAX);
    if (count == 0)
        start_fail("OMP_PLACES=%s: this node has none of these processors; see --bind", list);
}

void places_grow(int threads)
{
    threads_here = threads;
}

enum places_bind places_policy(int level)
{
    if (levels == 0)
        return BIND_NONE;
    return policies[level < levels ? level : levels - 1];
}

int places_count(void)
{
    return count;
}

const cpu_set_t *places_at(int place)
{
    return place >= 0 && place < count ? &places[place] : NULL;
}

/* ---- places of threads ---- */

static _Thread_local int inherited = -1;

void places_inherit(int thread)
{
    inherited = thread;
}

int places_mine(void)
{
    return lane_is_numbered() ? lane_current->index % threads_here : inherited;
}

int places_of(int thread)
{
    if (count == 0 || thread < 0)
        return -1;
    if (places_policy(0) == BIND_PRIMARY)
        return 0;
    if (places_policy(0) == BIND_SPREAD || threads_here > count)
        return (int)((long)thread * count / threads_here);
    return thread % count;
}

int places_partition(int thread, int *first)
{
    *first = 0;
    if (count == 0 || thread < 0 || places_policy(0) != BIND_SPREAD)
        return count;
    *first = places_of(thread);
    int next = (int)((long)(thread + 1) * count / threads_here);
    return next > *first ? next - *first : 1;
}

int places_processors(void)
{
    cpu_set_t all;
    CPU_ZERO(&all);
    for (int t = 0; t < threads_here && count > 0; t++)
        CPU_OR(&all, &all, &places[places_of(t)]);
    return count > 0 ? CPU_COUNT(&all) : CPU_COUNT(&allowance);
}

const cpu_set_t *places_set(int thread)
{
    int place = places_of(thread);
    return place >= 0 ? &places[place] : &allowance;
}

void places_bind(int lane)
{
    int place = places_of(lane % threads_here);
    if (place >= 0)
        (void)sched_setaffinity(0, sizeof places[place], &places[place]);
}
