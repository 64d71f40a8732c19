/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * gomp_target.c - target regions and the teams in them, by the names of gomp.h.
 *
 * There is no device: the calling thread runs a target region itself, on the variables of the
 * program, and nothing is mapped. `nowait` does not defer it.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "compat/openmp/api.h"
#include "compat/openmp/gomp.h"
#include "compat/openmp/scheduler.h"
#include "compat/openmp/team.h"
#include "compat/start/start.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* gomp.h */

/* As gcc passes them. */
enum { DEVICE_DEFAULT = -1, DEVICE_HOST = -2 };
enum { MAP_FIRSTPRIVATE = 12 };
enum { ARG_DEVICE = 0x7f, ARG_NEXT = 0x80, ARG_ID = 0xff00, ARG_LIMIT = 0x200, ARG_VALUE = 16 };

static void gomp_target_check(int device)
{
    const char *text = getenv("OMP_TARGET_OFFLOAD");
    if (device == DEVICE_DEFAULT)
        device = omp_get_default_device();
    if (device != DEVICE_HOST && device != omp_get_initial_device() && text &&
        strcasecmp(text, "mandatory") == 0)
        start_fail("omp target: OMP_TARGET_OFFLOAD=%s, but there is no device %d; unset it", text,
                   device);
}

/* Variables that are firstprivate, in `room`; returns its size. NULL: they are only counted. */
static size_t gomp_target_copy(char *room, size_t count, void **at, const size_t *sizes,
                               const unsigned short *kinds)
{
    size_t used = 0;
    for (size_t k = 0; k < count; k++) {
        size_t align = (size_t)1 << (kinds[k] >> 8);
        if ((kinds[k] & 0xff) != MAP_FIRSTPRIVATE || !at[k])
            continue;
        if (!room) {
            used += align - 1 + sizes[k];
            continue;
        }
        used += -(uintptr_t)(room + used) & (align - 1);
        at[k] = memcpy(room + used, at[k], sizes[k]);
        used += sizes[k];
    }
    return used;
}

/* The value of thread_limit among the arguments; 0: none. */
static int gomp_target_limit(void **args)
{
    while (args && *args) {
        intptr_t id = (intptr_t)*args++;
        intptr_t value = id & ARG_NEXT ? (intptr_t)*args++ : id >> ARG_VALUE;
        if ((id & ARG_DEVICE) == 0 && (id & ARG_ID) == ARG_LIMIT)
            return value > INT_MAX ? INT_MAX : (int)value;
    }
    return 0;
}

void GOMP_target_ext(int device, gomp_fn *fn, size_t count, void **at, size_t *sizes,
                     unsigned short *kinds, unsigned flags, void **depend, void **args)
{
    (void)flags;
    gomp_target_check(device);
    size_t room = gomp_target_copy(NULL, count, at, sizes, kinds);
    if (room > 0)
        (void)gomp_target_copy(__builtin_alloca(room), count, at, sizes, kinds);
    if (depend)
        scheduler_await_depend(depend);
    team_run_target(fn, at, gomp_target_limit(args));
}

void GOMP_target_data_ext(int device, size_t count, void **at, size_t *sizes, unsigned short *kinds)
{
    (void)count, (void)at, (void)sizes, (void)kinds;
    gomp_target_check(device);
}

void GOMP_target_end_data(void)
{
}

void GOMP_target_update_ext(int device, size_t count, void **at, size_t *sizes,
                            unsigned short *kinds, unsigned flags, void **depend)
{
    (void)flags;
    GOMP_target_data_ext(device, count, at, sizes, kinds);
    if (depend)
        scheduler_await_depend(depend);
}

extern __typeof__(GOMP_target_update_ext) GOMP_target_enter_exit_data
    __attribute__((alias("GOMP_target_update_ext")));

/* True for each of a target region's teams, which it runs one after the other; `first`: begins. */
bool GOMP_teams4(unsigned least, unsigned most, unsigned limit, bool first)
{
    struct settings *s = &team_region()->settings;
    (void)most;
    if (!first)
        return s->team + 1 < s->league && ++s->team;
    if (limit > 0 && limit < (unsigned)s->limit)
        s->limit = (int)limit;
    s->league = least ? (int)least : 1;
    s->team = 0;
    return true;
}

/* Code for devices, which is in programs if gcc has a compiler for some. */
#define DEFINE_IGNORED(name, parameters) \
    void name parameters                 \
    {                                    \
    }
DEFINE_IGNORED(GOMP_offload_register, (void))
DEFINE_IGNORED(GOMP_offload_register_ver, (void))
DEFINE_IGNORED(GOMP_offload_unregister, (void))
DEFINE_IGNORED(GOMP_offload_unregister_ver, (void))
