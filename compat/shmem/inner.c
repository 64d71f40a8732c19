/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* inner.c - the state of the job; see inner.h. */
#include "compat/shmem/inner.h"

#include "compat/fail.h"

struct shmem_job sh;

void inner_sh_refuse_time(const char *call)
{
    if (sh.left)
        fail_compat_fail("%s: called after shmem_finalize; make shmem_finalize the last call",
                         call);
    fail_compat_fail("%s: called before shmem_init; call that first", call);
}
