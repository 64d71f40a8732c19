/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* team_size.c - regions around a thread, and how many threads a region gets; see team.h. */
#include "compat/openmp/team.h"
#include "compat/openmp/team_grow.h"
#include "compat/openmp/team_nest.h"
#include "compat/start/image.h"
#include "compat/start/start.h"

_Thread_local uint64_t team_tasks;

int team_level_of(const struct team_region *r, bool active)
{
    int n = 0;
    for (; r->outer; r = r->outer)
        n += active ? r->shared : 1 + r->around;
    return n;
}

/* Data of the executable is shared, that of libraries is not. */
static bool team_is_program(const char *code)
{
    return code >= start_image.code && code < start_image.code_end;
}

unsigned team_size_for(const struct team_region *r, void (*fn)(void *), unsigned threads, int lanes)
{
    const struct settings *s = &r->settings;
    bool nested = team_nest_is_for(r);
    int most = nested ? s->limit : team_grow_most(lanes);
    int n = !threads ? s->threads : threads < (unsigned)s->limit ? (int)threads : s->limit;
    if (n > s->limit)
        n = s->limit;
    if (start_sharing && n > lanes && !nested && !s->dynamic) /* team_nest.h */
        most = team_nest_most() > lanes ? team_nest_most() : lanes;
    if (n > most)
        n = most;
    if (n <= 1 || team_level_of(r, true) >= s->levels ||
        !team_is_program((const char *)(uintptr_t)fn))
        n = 1;
    return (unsigned)n;
}
