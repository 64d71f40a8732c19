/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* say.c - messages, and checks of all calls. */
#include <stdio.h>
#include <stdlib.h>

#include "compat/armci/inner.h"

struct armci_job armci_job;

void inner_armci_check(const char *call, int proc)
{
    if (armci_job.left)
        fail_compat_fail("%s: called after ARMCI_Finalize; make ARMCI_Finalize the last call",
                         call);
    if (!armci_job.joined)
        fail_compat_fail("%s: called before ARMCI_Init; call that first", call);
    if (proc < 0 || proc >= armci_job.n)
        fail_compat_fail("%s: no process %d; pass 0 to %d", call, proc, armci_job.n - 1);
}

/* Ends the job, on all processes. */
void ARMCI_Error(const char *message, int code)
{
    (void)fflush(NULL);
    if (!armci_job.joined || armci_job.left) {
        fprintf(stderr, "%s: %d\n", message, code);
        exit(code ? code : 1);
    }
    fprintf(stderr, "process %d: %s: %d\n", armci_job.me, message, code);
    hlrc_exit((code & 0xff) != 0 ? code : 1);
    abort(); /* it does not return */
}
