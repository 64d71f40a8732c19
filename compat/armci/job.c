/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* job.c - checks of all calls, abnormal ends, and the processes of a machine. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "compat/armci/inner.h"

struct armci_job armci_job;

void inner_armci_check(const char *call, int proc)
{
    if (armci_job.left)
        fail_job("%s: called after ARMCI_Finalize; make ARMCI_Finalize the last call", call);
    if (!armci_job.joined)
        fail_job("%s: called before ARMCI_Init; call that first", call);
    if (proc < 0 || proc >= armci_job.n)
        fail_job("%s: no process %d; pass 0 to %d", call, proc, armci_job.n - 1);
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

/* Called before an abnormal end; nothing needs cleanup. */
void ARMCI_Cleanup(void)
{
}

/* Seconds of wall clock, from any begin. */
double armci_timer(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Another process's memory cannot be loaded directly, even on one machine: so each process is a
 * domain. */
int ARMCI_Same_node(int proc)
{
    inner_armci_check("ARMCI_Same_node", proc);
    return proc == armci_job.me;
}

int ARMCI_Uses_shm(void)
{
    return 0;
}

int armci_domain_count(armci_domain_t domain)
{
    inner_armci_check("armci_domain_count", 0);
    (void)domain;
    return armci_job.n;
}

int armci_domain_my_id(armci_domain_t domain)
{
    inner_armci_check("armci_domain_my_id", 0);
    (void)domain;
    return armci_job.me;
}

int armci_domain_id(armci_domain_t domain, int proc)
{
    inner_armci_check("armci_domain_id", proc);
    (void)domain;
    return proc;
}

int armci_domain_nprocs(armci_domain_t domain, int id)
{
    if (id >= 0) /* or the caller's domain */
        inner_armci_check("armci_domain_nprocs", id);
    (void)domain;
    return 1;
}

int armci_domain_glob_proc_id(armci_domain_t domain, int id, int rank)
{
    inner_armci_check("armci_domain_glob_proc_id", id);
    if (rank != 0)
        fail_job("armci_domain_glob_proc_id: domain %d has no process %d; pass 0", id, rank);
    (void)domain;
    return id;
}

int armci_domain_same_id(armci_domain_t domain, int proc)
{
    (void)domain;
    return ARMCI_Same_node(proc);
}
