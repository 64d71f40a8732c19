/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* team_size.c - regions around a thread, and how many threads a region gets; see team.h. */
#include "compat/openmp/team.h"
#include "compat/openmp/team_grow.h"
#include "compat/start/image.h"
#include "compat/start/start.h"

uint64_t team_next_task(void)
{
    static _Thread_local uint64_t tasks;
    return ++tasks;
}

int team_level_of(const struct team_region *r, bool active)
{
    int n = 0;
    for (; r->outer; r = r->outer)
        n += active ? r->shared : 1 + r->around;
    return n;
}

/* In a region of several threads, also around a target region. */
static bool team_is_nested(const struct team_region *r)
{
    while (r && !r->shared)
        r = r->outer ? r->outer : r->around_target;
    return r != NULL;
}

/* Data of the executable is shared, that of libraries is not. */
static bool team_is_program(const char *code)
{
    return code >= start_image.code && code < start_image.code_end;
}

unsigned team_size_for(const struct team_region *r, void (*fn)(void *), unsigned threads, int lanes)
{
    const struct settings *s = &r->settings;
    int most = team_grow_most(lanes);
    int n = threads ? (threads < (unsigned)most ? (int)threads : most) : s->threads;
    if (n > s->limit)
        n = s->limit;
    if (n > most)
        n = most;
    if (n <= 1 || team_is_nested(r) || s->levels < 1 ||
        !team_is_program((const char *)(uintptr_t)fn))
        n = 1;
    return (unsigned)n;
}
