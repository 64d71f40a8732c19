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
    *g = (struct group){ .outer = r->group };
    r->group = g;
}

void group_end(struct region *r)
{
    struct group *g = r->group;
    if (!g)
        return;
    r->group = g->outer;
    free(g);
}

void groups_end(struct region *r, const struct group *outer)
{
    while (r->group && r->group != outer)
        group_end(r);
}

bool group_is_cancelled(const struct region *r)
{
    return r->group && r->group->cancelled;
}

void group_cancel(struct region *r)
{
    if (r->group)
        r->group->cancelled = true;
}
