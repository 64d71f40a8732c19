/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* team_modes.c - see team_modes.h. */
#include "compat/openmp/team_modes.h"

#include <stdbool.h>

#include "compat/start/start.h"

#define VECTOR_FLAGS 0x3fu /* exceptions that were raised: of the region only */

/* In shared memory with several nodes. Each thread stores its own entry; all zeros: it has run no
 * region. */
static struct modes here[THREADS_ALL_NODES], *modes = here;

static struct modes team_modes_now(void)
{
    struct modes m = modes_get();
    m.vector &= ~VECTOR_FLAGS;
    return m;
}

static bool team_modes_differ(const struct modes *a, const struct modes *b)
{
    return a->vector != b->vector || a->x87 != b->x87;
}

void team_modes_begin(int index, const struct modes *creator)
{
    struct modes kept = modes[index], now = team_modes_now();
    bool is_new = kept.vector == 0 && kept.x87 == 0;
    if (is_new)
        modes_set(creator);
    else if (team_modes_differ(&kept, &now))
        modes_set(&kept);
}

void team_modes_end(int index)
{
    struct modes now = team_modes_now();
    if (team_modes_differ(&modes[index], &now))
        modes[index] = now;
}

static void team_modes_share(void)
{
    if (start_sharing)
        modes = start_shared_memory(sizeof here, "modes of arithmetic");
}

__attribute__((constructor)) static void team_modes_at_start(void)
{
    start_at_begin(team_modes_share);
}
