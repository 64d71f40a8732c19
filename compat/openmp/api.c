/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* api.c - library routines that query and set; see api.h. */
#include "compat/openmp/api.h"

#include <limits.h>
#include <time.h>
#include <unistd.h>

#include "compat/openmp/settings.h"
#include "compat/openmp/team.h"
#include "compat/start/start.h"

static struct settings *api_mine(void)
{
    return &team_region()->settings;
}

int omp_get_thread_num(void)
{
    return team_region()->thread;
}

int omp_get_num_threads(void)
{
    return team_region()->threads;
}

int omp_get_max_threads(void)
{
    return api_mine()->threads;
}

/* The largest number of threads: programs derive their number of threads from this. */
int omp_get_num_procs(void)
{
    return team_lanes();
}

int omp_in_parallel(void)
{
    return team_level(true) > 0;
}

int omp_get_dynamic(void)
{
    return api_mine()->dynamic;
}

int omp_get_nested(void)
{
    return api_mine()->levels > 1;
}

int omp_get_level(void)
{
    return team_level(false);
}

int omp_get_active_level(void)
{
    return team_level(true);
}

int omp_get_thread_limit(void)
{
    return api_mine()->limit;
}

int omp_get_num_teams(void)
{
    return api_mine()->league;
}

int omp_get_team_num(void)
{
    return api_mine()->team;
}

int omp_get_max_teams(void)
{
    return api_mine()->teams;
}

int omp_get_teams_thread_limit(void)
{
    return api_mine()->teams_limit;
}

int omp_get_max_active_levels(void)
{
    return api_mine()->levels;
}

int omp_get_supported_active_levels(void)
{
    return 1; /* nested regions have one thread */
}

int omp_in_final(void)
{
    return team_region()->final;
}

int omp_get_cancellation(void)
{
    return settings_cancellation;
}

#define CONSTANT(name, value) \
    int name(void)            \
    {                         \
        return value;         \
    }
CONSTANT(omp_get_default_device, 0)
CONSTANT(omp_get_num_devices, 0)
CONSTANT(omp_is_initial_device, 1)
CONSTANT(omp_get_initial_device, 0)
CONSTANT(omp_get_device_num, 0)
CONSTANT(omp_get_max_task_priority, 0)

void omp_set_num_threads(int threads)
{
    api_mine()->threads = threads < 1 ? 1 : threads < team_lanes() ? threads : team_lanes();
}

void omp_set_dynamic(int on)
{
    api_mine()->dynamic = on != 0;
}

void omp_set_nested(int on)
{
    api_mine()->levels = on ? INT_MAX : 1;
}

void omp_set_max_active_levels(int levels)
{
    if (levels >= 0)
        api_mine()->levels = levels;
}

void omp_set_default_device(int device)
{
    (void)device;
}

void omp_set_num_teams(int teams)
{
    if (teams >= 0)
        api_mine()->teams = teams;
}

void omp_set_teams_thread_limit(int threads)
{
    if (threads >= 0)
        api_mine()->teams_limit = threads;
}

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

int omp_get_ancestor_thread_num(int level)
{
    return api_at_level(level) ? api_at_level(level)->thread : -1;
}

int omp_get_team_size(int level)
{
    return api_at_level(level) ? api_at_level(level)->threads : -1;
}

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

/* ---- the same for Fortran ---- */

#define FORTRAN_ASK(name) \
    int name##_(void)     \
    {                     \
        return name();    \
    }
#define FORTRAN_SET(name)                \
    void name##_(const int32_t *value)   \
    {                                    \
        name(*value);                    \
    }                                    \
    void name##_8_(const int64_t *value) \
    {                                    \
        name((int)*value);               \
    }
#define FORTRAN_LEVEL(name)             \
    int name##_(const int32_t *level)   \
    {                                   \
        return name(*level);            \
    }                                   \
    int name##_8_(const int64_t *level) \
    {                                   \
        return name((int)*level);       \
    }
API_ASKS(FORTRAN_ASK)
API_SETS(FORTRAN_SET)
API_LEVELS(FORTRAN_LEVEL)

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
    *kind = api_mine()->schedule;
    *chunk = api_mine()->chunk;
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

double omp_get_wtime_(void)
{
    return omp_get_wtime();
}

double omp_get_wtick_(void)
{
    return omp_get_wtick();
}
