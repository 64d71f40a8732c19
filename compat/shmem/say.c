/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* say.c - messages, and how a PE waits. */
#include "base/backoff.h"
#include "compat/shmem/inner.h"

struct shmem_job sh;

#define SPINS  200
#define YIELDS 400
#define NAP_NS 50000

void sh_pause(unsigned *tries)
{
    backoff_pause((*tries)++, SPINS, YIELDS, NAP_NS);
}

/* ---- messages ---- */

void sh_refuse_pe(const char *call, int pe, int n)
{
    compat_fail("%s: no PE %d; pass 0 to %d", call, pe, n - 1);
}

void sh_refuse_time(const char *call)
{
    if (sh.left)
        compat_fail("%s: called after shmem_finalize; make shmem_finalize the last call", call);
    compat_fail("%s: called before shmem_init; call that first", call);
}
