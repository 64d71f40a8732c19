/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* inner.c - the state of the job, pauses and messages of all parts; see inner.h. */
#include "compat/shmem/inner.h"

#include "base/backoff.h"
#include "compat/fail.h"

#define SPINS  200
#define YIELDS 400
#define NAP_NS 50000

struct shmem_job sh;

void inner_sh_refuse_time(const char *call)
{
    if (sh.left)
        fail_job("%s: called after shmem_finalize; make shmem_finalize the last call", call);
    fail_job("%s: called before shmem_init; call that first", call);
}

void inner_sh_pause(unsigned *tries)
{
    backoff_pause((*tries)++, SPINS, YIELDS, NAP_NS);
}

void inner_sh_refuse_pe(const char *call, int pe, int n)
{
    fail_job("%s: no PE %d; pass 0 to %d", call, pe, n - 1);
}
