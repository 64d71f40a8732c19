/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* api.c - library routines that query and set; see api.h. */
#include "compat/openmp/api.h"

#include <limits.h>
#include <time.h>
#include <unistd.h>

#include "compat/openmp/places.h"
#include "compat/openmp/settings.h"
#include "compat/openmp/team.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* gomp.h */

static struct settings *api_mine(void)
{
    return &team_region()->settings;
}

#define DEFINE_ASK(name, value) \
    int name(void)              \
    {                           \
        return value;           \
    }                           \
    API_ALIAS(name);
API_ASKS(DEFINE_ASK)

/* Routines that take an int and return nothing. */
#define DEFINE_SET(name, statement)   \
    void name(int to)                 \
    {                                 \
        statement;                    \
    }                                 \
    void name##_(const int32_t *to)   \
    {                                 \
        name(*to);                    \
    }                                 \
    void name##_8_(const int64_t *to) \
    {                                 \
        name((int)*to);               \
    }

static void api_set_nested(int *levels, int to)
{
    if (to)
        *levels = LEVELS_MOST;
    else if (*levels > 1)
        *levels = 1;
}

static void api_set_if_positive(int *setting, int to)
{
    if (to >= 0)
        *setting = to;
}

DEFINE_SET(omp_set_num_threads, api_mine()->threads = to < 1 ? 1 : to)
DEFINE_SET(omp_set_dynamic, api_mine()->dynamic = to != 0)
DEFINE_SET(omp_set_nested, api_set_nested(&api_mine()->levels, to))
DEFINE_SET(omp_set_max_active_levels,
           api_set_if_positive(&api_mine()->levels, to < LEVELS_MOST ? to : LEVELS_MOST))
DEFINE_SET(omp_set_default_device, api_mine()->device = to < 0 ? 0 : to)
DEFINE_SET(omp_set_num_teams, api_set_if_positive(&api_mine()->teams, to))
DEFINE_SET(omp_set_teams_thread_limit, api_set_if_positive(&api_mine()->teams_limit, to))

/* The region at a level, 0 for the outermost. Regions that this thread was not in count as the
 * outermost. */
static const struct team_region *api_at_level(int level)
{
    const struct team_region *r = team_region();
    int up = team_level(false) - level;
    if (level < 0 || up < 0)
        return NULL;
    for (; up > 0 && r->outer; r = r->outer)
        up -= 1 + r->around;
    return r;
}

static int api_to_int(int64_t n)
{
    return n > INT_MAX ? INT_MAX : n < INT_MIN ? INT_MIN : (int)n;
}

/* Routines that take an int and return one. */
#define DEFINE_OF(name, value)        \
    int name(int of)                  \
    {                                 \
        return value;                 \
    }                                 \
    int name##_(const int32_t *of)    \
    {                                 \
        return name(*of);             \
    }                                 \
    int name##_8_(const int64_t *of)  \
    {                                 \
        return name(api_to_int(*of)); \
    }
DEFINE_OF(omp_get_ancestor_thread_num, api_at_level(of) ? api_at_level(of)->thread : -1)
DEFINE_OF(omp_get_team_size, api_at_level(of) ? api_at_level(of)->threads : -1)
DEFINE_OF(omp_get_place_num_procs, places_at(of) ? CPU_COUNT(places_at(of)) : 0)

/* The processors of a place; the numbers of the partition's places. */
#define DEFINE_PROC_IDS(name, parameter, place, type)      \
    void name(parameter, type *ids)                        \
    {                                                      \
        const cpu_set_t *set = places_at(place);           \
        for (int cpu = 0; set && cpu < CPU_SETSIZE; cpu++) \
            if (CPU_ISSET((size_t)cpu, set))               \
                *ids++ = cpu;                              \
    }
DEFINE_PROC_IDS(omp_get_place_proc_ids, int of, of, int)
DEFINE_PROC_IDS(omp_get_place_proc_ids_, const int32_t *of, *of, int32_t)
DEFINE_PROC_IDS(omp_get_place_proc_ids_8_, const int64_t *of, (int)*of, int64_t)

#define DEFINE_PLACE_NUMS(name, type)                           \
    void name(type *nums)                                       \
    {                                                           \
        int first, n = places_partition(places_mine(), &first); \
        for (int k = 0; k < n; k++)                             \
            nums[k] = first + k;                                \
    }
DEFINE_PLACE_NUMS(omp_get_partition_place_nums, int)
DEFINE_PLACE_NUMS(omp_get_partition_place_nums_8_, int64_t)
API_ALIAS(omp_get_partition_place_nums);

/* The host's threads have no resources to release. */
int omp_pause_resource(int kind, int device)
{
    return (kind == 1 || kind == 2) && device == 0 && team_level(false) == 0 ? 0 : -1;
}

int omp_pause_resource_all(int kind)
{
    return omp_pause_resource(kind, 0);
}

#define MONOTONIC 0x80000000u

void omp_set_schedule(unsigned kind, int chunk)
{
    kind &= ~MONOTONIC;
    if (kind < SCHEDULE_STATIC || kind > SCHEDULE_AUTO)
        return;
    api_mine()->schedule = (enum team_schedule)kind;
    api_mine()->chunk = chunk > 0                                          ? chunk
                        : kind == SCHEDULE_STATIC || kind == SCHEDULE_AUTO ? 0
                                                                           : 1;
}

void omp_get_schedule(unsigned *kind, int *chunk)
{
    *kind = (unsigned)api_mine()->schedule;
    *chunk = api_mine()->chunk;
}

/* Not on the stack, which may be shared: clock_gettime may be a system call. */
double omp_get_wtime(void)
{
    static _Thread_local struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double omp_get_wtick(void)
{
    static _Thread_local struct timespec t;
    clock_getres(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
API_ALIAS(omp_get_wtime);
API_ALIAS(omp_get_wtick);

/* ---- the same for Fortran ---- */

void omp_set_schedule_(const int32_t *kind, const int32_t *chunk)
{
    omp_set_schedule((unsigned)*kind, *chunk);
}

void omp_set_schedule_8_(const int32_t *kind, const int64_t *chunk)
{
    omp_set_schedule((unsigned)*kind, (int)*chunk);
}

void omp_get_schedule_(int32_t *kind, int32_t *chunk)
{
    omp_get_schedule((unsigned *)kind, chunk);
}

void omp_get_schedule_8_(int32_t *kind, int64_t *chunk)
{
    *kind = api_mine()->schedule;
    *chunk = api_mine()->chunk;
}

int omp_pause_resource_(const int32_t *kind, const int32_t *device)
{
    return omp_pause_resource(*kind, *device);
}

int omp_pause_resource_all_(const int32_t *kind)
{
    return omp_pause_resource_all(*kind);
}
