/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gomp_cancel.c - cancellation, by the names of gomp.h; team.h. If OMP_CANCELLATION is off nothing
 * is ever cancelled. */
#include "compat/openmp/gomp.h"
#include "compat/openmp/settings.h"
#include "compat/openmp/taskgroup.h"
#include "compat/openmp/team.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* gomp.h */

bool GOMP_cancellation_point(int which)
{
    if (!settings_cancellation)
        return false;
    if (which & CANCEL_TASKGROUP)
        return taskgroup_is_cancelled(team_region()) || (team_cancelled() & CANCELLED_REGION);
    return team_cancelled() & (which & CANCEL_PARALLEL ? CANCELLED_REGION : CANCELLED_SHARING);
}

bool GOMP_cancel(int which, bool condition)
{
    if (!settings_cancellation)
        return false;
    if (!condition)
        return GOMP_cancellation_point(which);
    if (which & CANCEL_TASKGROUP)
        taskgroup_cancel(team_region()->group);
    else
        team_cancel(which & CANCEL_PARALLEL ? CANCELLED_REGION : CANCELLED_SHARING);
    return true;
}

/* ---- barriers: true if the caller must go to the end of the region ---- */

#define DEFINE_CANCEL(name)    \
    bool name##_cancel(void)   \
    {                          \
        name();                \
        return team_is_over(); \
    }
DEFINE_CANCEL(GOMP_barrier)
DEFINE_CANCEL(GOMP_loop_end)
DEFINE_CANCEL(GOMP_sections_end)
