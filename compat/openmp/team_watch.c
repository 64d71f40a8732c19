/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* team_watch.c - see team_watch.h. */
#include "compat/openmp/team_watch.h"

#include <hlrc.h>
#include <stddef.h>

#include "compat/openmp/team_plan.h"

static const struct team_watcher *watcher;
static bool has_watcher;

void team_watch(const struct team_watcher *w)
{
    watcher = w;
}

void team_watch_begin(void)
{
    has_watcher = watcher && watcher->begin(team_plan.room, hlrc_node_id() == 0);
}

void team_watch_region(void)
{
    if (has_watcher)
        watcher->region();
}
