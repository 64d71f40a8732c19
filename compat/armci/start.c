/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* start.c - start and end. */
#include "compat/armci/inner.h"

static void start_leave(void)
{
    if (!armci_job.joined || armci_job.left)
        return;
    hlrc_fence_all();
    armci_job.left = true;
    hlrc_finalize();
}

int PARMCI_Init(void)
{
    if (armci_job.joined && !armci_job.left)
        return 0;
    fail_join("ARMCI_Init", start_leave);
    armci_job.me = hlrc_node_id();
    armci_job.n = hlrc_node_count();
    armci_job.joined = true;
    armci_job.arrived = hlrc_window_create((size_t)armci_job.n * sizeof *armci_job.arrived);
    inner_armci_mail_start();
    inner_armci_heap_start();
    return 0;
}

int PARMCI_Init_args(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return PARMCI_Init();
}

int PARMCI_Initialized(void)
{
    return armci_job.joined && !armci_job.left;
}

/* Does nothing before ARMCI_Init, or a second time. */
void PARMCI_Finalize(void)
{
    start_leave();
}

int ARMCI_Uses_shm_grp(ARMCI_Group *group)
{
    (void)inner_armci_group("ARMCI_Uses_shm_grp", group);
    return 0;
}

PROFILED(Init)
PROFILED(Init_args)
PROFILED(Initialized)
PROFILED(Finalize)
