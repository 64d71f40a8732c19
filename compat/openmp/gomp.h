/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gomp.h - what gcc calls for OpenMP directives: the part of libgomp's interface (gcc 12,
 * libgomp_g.h) that is implemented here. */
#ifndef COMPAT_GOMP_H
#define COMPAT_GOMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned long long ull;
typedef void gomp_fn(void *);

void GOMP_parallel(gomp_fn *fn, void *data, unsigned threads, unsigned flags);

/* Each loop function exists for `long` and for unsigned long long. `schedule` in the name of a
 * function that begins a region or loop is its schedule; `runtime` ones take no chunk. */
#define GOMP_SCHEDULES(X)                     \
    X(static, SCHEDULE_STATIC)                \
    X(dynamic, SCHEDULE_DYNAMIC)              \
    X(guided, SCHEDULE_GUIDED)                \
    X(nonmonotonic_dynamic, SCHEDULE_DYNAMIC) \
    X(nonmonotonic_guided, SCHEDULE_GUIDED)
#define GOMP_RUNTIMES(X) X(runtime) X(nonmonotonic_runtime) X(maybe_nonmonotonic_runtime)
#define GOMP_ORDERED(X)        \
    X(static, SCHEDULE_STATIC) \
    X(dynamic, SCHEDULE_DYNAMIC) X(guided, SCHEDULE_GUIDED)

#define DECLARE_SCHEDULE(name, schedule)                                                    \
    bool GOMP_loop_##name##_start(long start, long end, long incr, long chunk, long *first, \
                                  long *beyond);                                            \
    bool GOMP_loop_##name##_next(long *first, long *beyond);                                \
    bool GOMP_loop_ull_##name##_start(bool up, ull start, ull end, ull incr, ull chunk,     \
                                      ull *first, ull *beyond);                             \
    bool GOMP_loop_ull_##name##_next(ull *first, ull *beyond);                              \
    void GOMP_parallel_loop_##name(gomp_fn *fn, void *data, unsigned threads, long start,   \
                                   long end, long incr, long chunk, unsigned flags);
#define DECLARE_RUNTIME(name)                                                                  \
    bool GOMP_loop_##name##_start(long start, long end, long incr, long *first, long *beyond); \
    bool GOMP_loop_##name##_next(long *first, long *beyond);                                   \
    bool GOMP_loop_ull_##name##_start(bool up, ull start, ull end, ull incr, ull *first,       \
                                      ull *beyond);                                            \
    bool GOMP_loop_ull_##name##_next(ull *first, ull *beyond);                                 \
    void GOMP_parallel_loop_##name(gomp_fn *fn, void *data, unsigned threads, long start,      \
                                   long end, long incr, unsigned flags);
#define DECLARE_ORDERED(name, schedule)                                                         \
    bool GOMP_loop_ordered_##name##_start(long start, long end, long incr, long chunk,          \
                                          long *first, long *beyond);                           \
    bool GOMP_loop_ordered_##name##_next(long *first, long *beyond);                            \
    bool GOMP_loop_ull_ordered_##name##_start(bool up, ull start, ull end, ull incr, ull chunk, \
                                              ull *first, ull *beyond);                         \
    bool GOMP_loop_ull_ordered_##name##_next(ull *first, ull *beyond);
GOMP_SCHEDULES(DECLARE_SCHEDULE)
GOMP_RUNTIMES(DECLARE_RUNTIME)
GOMP_ORDERED(DECLARE_ORDERED)
bool GOMP_loop_ordered_runtime_start(long start, long end, long incr, long *first, long *beyond);
bool GOMP_loop_ordered_runtime_next(long *first, long *beyond);
bool GOMP_loop_ull_ordered_runtime_start(bool up, ull start, ull end, ull incr, ull *first,
                                         ull *beyond);
bool GOMP_loop_ull_ordered_runtime_next(ull *first, ull *beyond);
#define GOMP_MONOTONIC 0x80000000L

/* With task reductions, and memory that the threads share, or NULL. The schedule is a number.
 * `first` is NULL for a loop whose iterations gcc distributes itself. */
bool GOMP_loop_start(long start, long end, long incr, long schedule, long chunk, long *first,
                     long *beyond, uintptr_t *reductions, void **memory);
bool GOMP_loop_ordered_start(long start, long end, long incr, long schedule, long chunk,
                             long *first, long *beyond, uintptr_t *reductions, void **memory);
bool GOMP_loop_ull_start(bool up, ull start, ull end, ull incr, long schedule, ull chunk,
                         ull *first, ull *beyond, uintptr_t *reductions, void **memory);
bool GOMP_loop_ull_ordered_start(bool up, ull start, ull end, ull incr, long schedule, ull chunk,
                                 ull *first, ull *beyond, uintptr_t *reductions, void **memory);

/* Loop nests with ordered(n): iteration counts of each loop. */
#define GOMP_DOACROSS(X, type, prefix)                \
    X(prefix##_static_start, type, SCHEDULE_STATIC)   \
    X(prefix##_dynamic_start, type, SCHEDULE_DYNAMIC) \
    X(prefix##_guided_start, type, SCHEDULE_GUIDED)
#define DECLARE_DOACROSS(name, type, schedule) \
    bool name(unsigned dims, type *counts, type chunk, type *first, type *beyond);
GOMP_DOACROSS(DECLARE_DOACROSS, long, GOMP_loop_doacross)
GOMP_DOACROSS(DECLARE_DOACROSS, ull, GOMP_loop_ull_doacross)
bool GOMP_loop_doacross_runtime_start(unsigned dims, long *counts, long *first, long *beyond);
bool GOMP_loop_ull_doacross_runtime_start(unsigned dims, ull *counts, ull *first, ull *beyond);
bool GOMP_loop_doacross_start(unsigned dims, long *counts, long schedule, long chunk, long *first,
                              long *beyond, uintptr_t *reductions, void **memory);
bool GOMP_loop_ull_doacross_start(unsigned dims, ull *counts, long schedule, ull chunk, ull *first,
                                  ull *beyond, uintptr_t *reductions, void **memory);
void GOMP_doacross_post(long *at);
void GOMP_doacross_ull_post(ull *at);
void GOMP_doacross_wait(long first, ...);
void GOMP_doacross_ull_wait(ull first, ...);

void GOMP_loop_end(void);
void GOMP_loop_end_nowait(void);
bool GOMP_loop_end_cancel(void);

void GOMP_ordered_start(void);
void GOMP_ordered_end(void);

unsigned GOMP_sections_start(unsigned count);
unsigned GOMP_sections2_start(unsigned count, uintptr_t *reductions, void **memory);
unsigned GOMP_sections_next(void);
void GOMP_parallel_sections(gomp_fn *fn, void *data, unsigned threads, unsigned count,
                            unsigned flags);
void GOMP_sections_end(void);
void GOMP_sections_end_nowait(void);
bool GOMP_sections_end_cancel(void);

bool GOMP_single_start(void);
void *GOMP_single_copy_start(void);
void GOMP_single_copy_end(void *data);

void GOMP_teams_reg(gomp_fn *fn, void *data, unsigned teams, unsigned limit, unsigned flags);

void GOMP_barrier(void);
bool GOMP_barrier_cancel(void);
/* The construct to cancel, as gcc passes it. */
enum { CANCEL_PARALLEL = 1, CANCEL_LOOP = 2, CANCEL_SECTIONS = 4, CANCEL_TASKGROUP = 8 };
bool GOMP_cancel(int which, bool condition);
bool GOMP_cancellation_point(int which);

void GOMP_critical_start(void);
void GOMP_critical_end(void);
void GOMP_critical_name_start(void **name);
void GOMP_critical_name_end(void **name);
void GOMP_atomic_start(void);
void GOMP_atomic_end(void);

void GOMP_task(gomp_fn *fn, void *data, void (*copy)(void *, void *), long bytes, long align,
               bool if_clause, unsigned flags, void **depend, int priority, void *detach);
void GOMP_taskloop(gomp_fn *fn, void *data, void (*copy)(void *, void *), long bytes, long align,
                   unsigned flags, unsigned long tasks, int priority, long start, long end,
                   long step);
void GOMP_taskloop_ull(gomp_fn *fn, void *data, void (*copy)(void *, void *), long bytes,
                       long align, unsigned flags, unsigned long tasks, int priority, ull start,
                       ull end, ull step);
void GOMP_taskwait(void);
void GOMP_taskwait_depend(void **depend);
void GOMP_taskyield(void);
void GOMP_taskgroup_start(void);
void GOMP_taskgroup_end(void);

void GOMP_scope_start(uintptr_t *reductions);
void GOMP_workshare_task_reduction_unregister(bool cancelled);
unsigned GOMP_parallel_reductions(gomp_fn *fn, void *data, unsigned threads, unsigned flags);
void GOMP_taskgroup_reduction_register(uintptr_t *data);
void GOMP_taskgroup_reduction_unregister(uintptr_t *data);
void GOMP_task_reduction_remap(size_t count, size_t wanted, void **variables);

void *GOMP_alloc(size_t align, size_t size, uintptr_t allocator);
void GOMP_free(void *ptr, uintptr_t allocator);
void GOMP_warning(const char *message, size_t len);
void GOMP_error(const char *message, size_t len);

#endif
