/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* group.c - see group.h. */
#include "compat/openmp/group.h"

#include <stdlib.h>

#include "compat/openmp/team.h"
#include "compat/start/start.h"

void group_begin(struct region *r)
{
    struct group *g = malloc(sizeof *g);
    if (!g)
        start_fail("omp taskgroup: no memory");
    *g = (struct group){ .outer = r->group, .reductions = r->group ? r->group->reductions : NULL };
    r->group = g;
}

void group_drop(struct region *r)
{
    struct group *g = r->group;
    r->group = g->outer;
    free(g);
}

static struct group *of_program(const struct region *r)
{
    struct group *g = r->group;
    return g && g->worksharing && g->outer ? g->outer : g;
}

bool group_is_cancelled(const struct region *r)
{
    const struct group *g = of_program(r);
    return g && (g->cancelled || r->group->cancelled);
}

void group_cancel(struct region *r)
{
    struct group *g = of_program(r);
    if (g)
        g->cancelled = true;
}
