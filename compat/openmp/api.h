/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* api.h - the library routines of OpenMP 5, as gcc's omp.h and omp_lib declare them. Fortran's
 * names end in an underscore and take addresses; a second form takes integers of 8 bytes. */
#ifndef COMPAT_API_H
#define COMPAT_API_H

#include <stddef.h>
#include <stdint.h>

/* clang-format off */
/* Routines that take nothing and return an int. */
#define API_ASKS(X) \
    X(omp_get_thread_num, team_region()->thread) \
    X(omp_get_num_threads, team_region()->threads) \
    X(omp_get_max_threads, api_mine()->threads) \
    X(omp_get_num_procs, start_lanes * hlrc_node_count()) /* from which programs derive theirs */ \
    X(omp_in_parallel, team_level(true) > 0) \
    X(omp_get_dynamic, api_mine()->dynamic) \
    X(omp_get_nested, api_mine()->levels > 1 && api_mine()->levels > team_level(true)) \
    X(omp_get_level, team_level(false)) \
    X(omp_get_active_level, team_level(true)) \
    X(omp_get_thread_limit, api_mine()->limit) \
    X(omp_get_max_active_levels, api_mine()->levels) \
    X(omp_get_supported_active_levels, LEVELS_MOST) \
    X(omp_in_final, team_region()->final) \
    X(omp_get_cancellation, settings_cancellation) \
    X(omp_get_proc_bind, places_policy(team_level(true))) \
    X(omp_get_num_places, places_count()) \
    X(omp_get_place_num, places_of(places_mine())) \
    X(omp_get_partition_num_places, places_partition(places_mine(), &(int){ 0 })) \
    X(omp_get_num_teams, api_mine()->league) \
    X(omp_get_team_num, api_mine()->team) \
    X(omp_get_max_teams, api_mine()->teams) \
    X(omp_get_teams_thread_limit, api_mine()->teams_limit) \
    X(omp_get_default_device, api_mine()->device) \
    X(omp_get_num_devices, 0) \
    X(omp_is_initial_device, 1) \
    X(omp_get_initial_device, 0) \
    X(omp_get_device_num, 0) \
    X(omp_get_max_task_priority, settings_max_priority)
/* clang-format on */

#define API_DECLARE_ASK(name, value) int name(void);
API_ASKS(API_DECLARE_ASK)

int omp_get_ancestor_thread_num(int level);
void omp_get_schedule(unsigned *kind, int *chunk);
uintptr_t omp_get_default_allocator(void);
void *omp_aligned_alloc(size_t align, size_t size, uintptr_t allocator);
void omp_free(void *ptr, uintptr_t allocator);

/* Fortran's name of a routine with the same parameters. */
#define API_ALIAS(name) extern __typeof__(name) name##_ __attribute__((alias(#name)))

#endif
