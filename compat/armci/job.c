/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* job.c - start and end, checks of all calls, and message passing beside ARMCI. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void job_leave(void)
{
    if (!armci_job.joined || armci_job.left)
        return;
    hlrc_fence_all();
    armci_job.left = true;
    hlrc_finalize();
}

int ARMCI_Init(void)
{
    if (armci_job.joined && !armci_job.left)
        return 0;
    fail_join("ARMCI_Init", job_leave);
    armci_job.me = hlrc_node_id();
    armci_job.n = hlrc_node_count();
    armci_job.joined = true;
    armci_job.arrived = hlrc_window_create((size_t)armci_job.n * sizeof *armci_job.arrived);
    return 0;
}

int ARMCI_Init_args(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return ARMCI_Init();
}

int ARMCI_Initialized(void)
{
    return armci_job.joined && !armci_job.left;
}

/* Does nothing before ARMCI_Init, or a second time. */
void ARMCI_Finalize(void)
{
    job_leave();
}

/* Called before an abnormal end; nothing needs cleanup. */
void ARMCI_Cleanup(void)
{
}

/* Another process's memory cannot be loaded directly, even on one machine. */
int ARMCI_Same_node(int proc)
{
    inner_armci_check("ARMCI_Same_node", proc);
    return proc == armci_job.me;
}

int ARMCI_Uses_shm(void)
{
    return 0;
}

/* ---- messages ---- */

int armci_msg_me(void)
{
    inner_armci_check("armci_msg_me", 0);
    return armci_job.me;
}

int armci_msg_nproc(void)
{
    inner_armci_check("armci_msg_nproc", 0);
    return armci_job.n;
}

void armci_msg_barrier(void)
{
    inner_armci_check("armci_msg_barrier", 0);
    hlrc_barrier();
}

void armci_msg_bcast(void *buffer, int len, int root)
{
    inner_armci_check("armci_msg_bcast", root);
    (void)hlrc_broadcast(buffer, len > 0 ? (size_t)len : 0, root);
}

static hlrc_op job_op_of(const char *call, const char *op)
{
    static const struct {
        const char *name;
        hlrc_op op;
    } ops[] = { { "+", HLRC_SUM },   { "*", HLRC_PRODUCT },  { "max", HLRC_MAX },
                { "min", HLRC_MIN }, { "absmax", HLRC_MAX }, { "absmin", HLRC_MIN },
                { "or", HLRC_OR } };
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        if (strcmp(op, ops[i].name) == 0)
            return ops[i].op;
    fail_job("%s: unknown operation %s; use +, *, max, min, absmax, absmin or or", call, op);
}

#define GOP(T, N, TYPE, ABS)                                             \
    void armci_msg_##N##gop(T *x, int n, const char *op)                 \
    {                                                                    \
        const char *call = "armci_msg_" #N "gop";                        \
        inner_armci_check(call, 0);                                      \
        hlrc_op how = job_op_of(call, op);                               \
        size_t count = n > 0 ? (size_t)n : 0;                            \
        for (size_t i = 0; strncmp(op, "abs", 3) == 0 && i < count; i++) \
            x[i] = ABS(x[i]);                                            \
        if (hlrc_reduce(x, x, count, TYPE, how) != 0)                    \
            fail_job("%s: operation %s: for integers only", call, op);   \
    }
GOP(int, i, HLRC_INT32, abs)
GOP(long, l, HLRC_INT64, labs)
GOP(long long, ll, HLRC_INT64, llabs)
GOP(float, f, HLRC_FLOAT, fabsf)
GOP(double, d, HLRC_DOUBLE, fabs)
