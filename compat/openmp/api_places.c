/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* api_places.c - library routines about places; see api.h and places.h. */
#include <stddef.h>

#include "compat/openmp/api.h"
#include "compat/openmp/places.h"
#include "compat/openmp/team.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

/* Number within its node; -1: not a compute thread. */
static int api_places_me(void)
{
    return lane_current ? lane_current->index % start_lanes : -1;
}

int omp_get_proc_bind(void)
{
    return places_policy(team_level(true));
}

int omp_get_num_places(void)
{
    return places_count();
}

int omp_get_place_num(void)
{
    return places_of(api_places_me());
}

int omp_get_place_num_procs(int place)
{
    return places_at(place) ? CPU_COUNT(places_at(place)) : 0;
}

void omp_get_place_proc_ids(int place, int *ids)
{
    const cpu_set_t *set = places_at(place);
    for (int cpu = 0; set && cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET((size_t)cpu, set))
            *ids++ = cpu;
}

int omp_get_partition_num_places(void)
{
    int first;
    return places_partition(api_places_me(), &first);
}

void omp_get_partition_place_nums(int *nums)
{
    int first, n = places_partition(api_places_me(), &first);
    for (int k = 0; k < n; k++)
        nums[k] = first + k;
}

/* ---- Fortran ---- */

int omp_get_place_num_procs_(const int32_t *place)
{
    return omp_get_place_num_procs(*place);
}

int omp_get_place_num_procs_8_(const int64_t *place)
{
    return omp_get_place_num_procs((int)*place);
}

void omp_get_place_proc_ids_(const int32_t *place, int32_t *ids)
{
    omp_get_place_proc_ids(*place, ids);
}

void omp_get_place_proc_ids_8_(const int64_t *place, int64_t *ids)
{
    const cpu_set_t *set = places_at((int)*place);
    for (int cpu = 0; set && cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET((size_t)cpu, set))
            *ids++ = cpu;
}

void omp_get_partition_place_nums_(int32_t *nums)
{
    omp_get_partition_place_nums(nums);
}

void omp_get_partition_place_nums_8_(int64_t *nums)
{
    int first, n = places_partition(api_places_me(), &first);
    for (int k = 0; k < n; k++)
        nums[k] = first + k;
}
