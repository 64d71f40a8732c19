/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* team_modes.c - see team_modes.h. */
#include "compat/openmp/team_modes.h"

#include "compat/start/start.h"

/* In shared memory with several nodes. Each thread stores its own entry; all zeros: it has run no
 * region. */
static struct modes here[THREADS_ALL_NODES], *modes = here;

void team_modes_begin(int index, const struct modes *creator)
{
    struct modes kept = modes[index], now = modes_lasting();
    if (modes_are_zero(&kept))
        modes_set(creator);
    else if (modes_differ(&kept, &now))
        modes_set(&kept);
}

void team_modes_end(int index)
{
    struct modes now = modes_lasting();
    if (modes_differ(&modes[index], &now))
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
