/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* taskgroup.c - see taskgroup.h. */
#include "compat/openmp/taskgroup.h"

#include <stdlib.h>

#include "compat/openmp/team.h"
#include "compat/start/start.h"

void taskgroup_begin(struct team_region *r)
{
    struct taskgroup *g = malloc(sizeof *g);
    if (!g)
        start_fail("omp taskgroup: no memory");
    *g = (struct taskgroup){ .outer = r->group,
                             .reductions = r->group ? r->group->reductions : NULL };
    r->group = g;
}

void taskgroup_drop(struct team_region *r)
{
    struct taskgroup *g = r->group;
    r->group = g->outer;
    free(g);
}

static struct taskgroup *taskgroup_of_program(struct taskgroup *g)
{
    return g && g->worksharing && g->outer ? g->outer : g;
}

bool taskgroup_is_cancelled(const struct team_region *r)
{
    const struct taskgroup *g = taskgroup_of_program(r->group);
    return g && (g->cancelled || r->group->cancelled);
}

void taskgroup_cancel(struct taskgroup *inner)
{
    struct taskgroup *g = taskgroup_of_program(inner);
    if (g)
        g->cancelled = true;
}
