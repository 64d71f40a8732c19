/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* api.h - the library routines of OpenMP 5, as gcc's omp.h and omp_lib declare them. Fortran's
 * names end in an underscore and take addresses. */
#ifndef COMPAT_API_H
#define COMPAT_API_H

#include <stddef.h>
#include <stdint.h>

/* clang-format off */
/* Routines that return an int and take nothing. */
#define API_ASKS(X) \
    X(omp_get_thread_num) X(omp_get_num_threads) X(omp_get_max_threads) X(omp_get_num_procs) \
    X(omp_in_parallel) X(omp_get_dynamic) X(omp_get_nested) X(omp_get_level) \
    X(omp_get_active_level) X(omp_get_thread_limit) X(omp_get_max_active_levels) \
    X(omp_get_supported_active_levels) X(omp_in_final) X(omp_get_cancellation) \
    X(omp_get_proc_bind) X(omp_get_num_places) X(omp_get_place_num) \
    X(omp_get_partition_num_places) X(omp_get_default_device) X(omp_get_num_devices) \
    X(omp_get_num_teams) X(omp_get_team_num) X(omp_is_initial_device) \
    X(omp_get_initial_device) X(omp_get_device_num) X(omp_get_max_task_priority) \
    X(omp_get_max_teams) X(omp_get_teams_thread_limit)
/* Routines that return nothing and take an int. */
#define API_SETS(X) \
    X(omp_set_num_threads) X(omp_set_dynamic) X(omp_set_nested) X(omp_set_max_active_levels) \
    X(omp_set_default_device) X(omp_set_num_teams) X(omp_set_teams_thread_limit)
/* clang-format on */
/* Routines that return an int and take one. */
#define API_LEVELS(X) X(omp_get_ancestor_thread_num) X(omp_get_team_size)

#define DECLARE_ASK(name) \
    int name(void);       \
    int name##_(void);
#define DECLARE_SET(name)          \
    void name(int);                \
    void name##_(const int32_t *); \
    void name##_8_(const int64_t *);
#define DECLARE_LEVEL(name)       \
    int name(int);                \
    int name##_(const int32_t *); \
    int name##_8_(const int64_t *);
API_ASKS(DECLARE_ASK)
API_SETS(DECLARE_SET)
API_LEVELS(DECLARE_LEVEL)

int omp_get_place_num_procs(int place);
int omp_get_place_num_procs_(const int32_t *place);
int omp_get_place_num_procs_8_(const int64_t *place);
void omp_get_place_proc_ids(int place, int *ids);
void omp_get_place_proc_ids_(const int32_t *place, int32_t *ids);
void omp_get_place_proc_ids_8_(const int64_t *place, int64_t *ids);
void omp_get_partition_place_nums(int *nums);
void omp_get_partition_place_nums_(int32_t *nums);
void omp_get_partition_place_nums_8_(int64_t *nums);

void omp_set_schedule(unsigned kind, int chunk);
void omp_set_schedule_(const int32_t *kind, const int32_t *chunk);
void omp_set_schedule_8_(const int32_t *kind, const int64_t *chunk);
void omp_get_schedule(unsigned *kind, int *chunk);
void omp_get_schedule_(int32_t *kind, int32_t *chunk);
void omp_get_schedule_8_(int32_t *kind, int64_t *chunk);
void omp_set_affinity_format(const char *text);
void omp_set_affinity_format_(const char *text, size_t len);
size_t omp_get_affinity_format(char *buffer, size_t room);
int omp_get_affinity_format_(char *buffer, size_t room);
void omp_display_affinity(const char *text);
void omp_display_affinity_(const char *text, size_t len);
size_t omp_capture_affinity(char *buffer, size_t room, const char *text);
int omp_capture_affinity_(char *buffer, const char *text, size_t room, size_t len);
void omp_display_env(int more);
void omp_display_env_(const int32_t *more);
void omp_display_env_8_(const int64_t *more);
int omp_pause_resource(int kind, int device);
int omp_pause_resource_(const int32_t *kind, const int32_t *device);
int omp_pause_resource_all(int kind);
int omp_pause_resource_all_(const int32_t *kind);
double omp_get_wtime(void);
double omp_get_wtime_(void);
double omp_get_wtick(void);
double omp_get_wtick_(void);

/* A lock: the handle of an HLRC lock plus 1, in the four bytes that omp.h has. */
typedef struct {
    uint32_t handle;
} api_lock;
/* Adds the owner (thread index plus 1) and the nesting count. */
typedef struct {
    uint32_t handle, owner;
    uint32_t count, unused;
} api_nest_lock;

#define API_LOCKS(X, lock)     \
    X(void, omp_init##lock)    \
    X(void, omp_destroy##lock) \
    X(void, omp_set##lock) X(void, omp_unset##lock) X(int, omp_test##lock)
#define DECLARE_LOCK(type, name) \
    type name(api_lock *);       \
    type name##_(api_lock *);
#define DECLARE_NEST_LOCK(type, name) \
    type name(api_nest_lock *);       \
    type name##_(api_nest_lock *);
API_LOCKS(DECLARE_LOCK, _lock)
API_LOCKS(DECLARE_NEST_LOCK, _nest_lock)
void omp_init_lock_with_hint(api_lock *, unsigned);
void omp_init_lock_with_hint_(api_lock *, const unsigned *);
void omp_init_nest_lock_with_hint(api_nest_lock *, unsigned);
void omp_init_nest_lock_with_hint_(api_nest_lock *, const unsigned *);

typedef struct {
    int key;
    uintptr_t value;
} api_trait;
uintptr_t omp_init_allocator(uintptr_t space, int count, const api_trait *traits);
uintptr_t omp_init_allocator_(const uintptr_t *space, const int32_t *count,
                              const api_trait *traits);
uintptr_t omp_init_allocator_8_(const uintptr_t *space, const int64_t *count,
                                const api_trait *traits);
void omp_destroy_allocator(uintptr_t allocator);
void omp_destroy_allocator_(const uintptr_t *allocator);
void omp_set_default_allocator(uintptr_t allocator);
void omp_set_default_allocator_(const uintptr_t *allocator);
uintptr_t omp_get_default_allocator(void);
uintptr_t omp_get_default_allocator_(void);

void *omp_alloc(size_t size, uintptr_t allocator);
void *omp_calloc(size_t count, size_t size, uintptr_t allocator);
void *omp_realloc(void *ptr, size_t size, uintptr_t allocator, uintptr_t free_allocator);
void *omp_aligned_alloc(size_t align, size_t size, uintptr_t allocator);
void *omp_aligned_calloc(size_t align, size_t count, size_t size, uintptr_t allocator);
void omp_free(void *ptr, uintptr_t allocator);

#endif
