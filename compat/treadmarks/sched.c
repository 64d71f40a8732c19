/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sched.c - loops that one process, the master, distributes:
 *
 *     Tmk_sched_start   the master waits for all, and returns; the others pass a barrier, wait for
 *                       work, run it, and repeat
 *     Tmk_sched_fork    all run a function, the master too
 *     Tmk_sched_join    the master waits until all have
 *     Tmk_sched_exit    the others return 0 from Tmk_sched_start
 *
 * Each step is a barrier of all processes: all see afterwards what any process wrote before.
 */
#include "compat/treadmarks/sched.h"

#include <hlrc.h>
#include <string.h>

#include "compat/treadmarks/Tmk.h"
#include "compat/treadmarks/distribute.h"
#include "compat/treadmarks/place.h"

/* In shared memory; written by the master while all others wait. */
static struct sched_work {
    int end;
    struct tmk_place func;
    struct Tmk_sched_arg arg;
} * work;

static int forked; /* master only: the others may not be back yet */

void sched_begin(void)
{
    work = hlrc_malloc_all(sizeof *work);
    if (!work)
        Tmk_perrexit("Tmk_startup: no memory for loops");
}

static void sched_run(void)
{
    void *here = place_here(&work->func);
    if (!here)
        Tmk_errexit("Tmk_sched_fork: a function of a library that process %u has not loaded\n",
                    Tmk_proc_id);
    void (*func)(Tmk_sched_arg_t arg);
    memcpy(&func, &here, sizeof func);
    struct Tmk_sched_arg arg = work->arg;
    func(&arg);
}

int Tmk_sched_start(unsigned proc_id)
{
    if (proc_id >= Tmk_nprocs)
        Tmk_errexit("Tmk_sched_start: no process %u; use 0 to %u\n", proc_id, Tmk_nprocs - 1);
    distribute_meet();
    if (proc_id == Tmk_proc_id)
        return 1;
    for (;;) {
        distribute_meet();
        if (work->end)
            return 0;
        sched_run();
        distribute_meet();
    }
}

void Tmk_sched_join(void)
{
    if (!forked)
        return;
    forked = 0;
    distribute_meet();
}

static void sched_fork_work(void (*func)(Tmk_sched_arg_t arg), Tmk_sched_arg_t arg)
{
    Tmk_sched_join();
    work->end = !func;
    if (func) {
        const void *code;
        memcpy(&code, &func, sizeof code);
        if (!place_find(code, 1, false, &work->func))
            Tmk_errexit("Tmk_sched_fork: %p is not a function of the program or of its libraries\n",
                        code);
    }
    if (arg)
        work->arg = *arg;
    forked = func != NULL;
    distribute_meet();
}

void Tmk_sched_fork(void (*func)(Tmk_sched_arg_t arg), Tmk_sched_arg_t arg)
{
    sched_fork_work(func, arg);
    if (func)
        func(arg);
}

void Tmk_sched_exit(void)
{
    sched_fork_work(NULL, NULL);
}
