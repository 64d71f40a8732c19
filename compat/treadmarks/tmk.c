/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tmk.c - TreadMarks' calls except distributed loops; tmk(7) describes each. */
#include <errno.h>
#include <hlrc.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat/fail.h"
#include "compat/treadmarks/Tmk.h"
#include "compat/treadmarks/distribute.h"
#include "compat/treadmarks/sched.h"

_Static_assert(TMK_NPROCS == HLRC_MAX_NODES, "programs have arrays of TMK_NPROCS elements");
_Static_assert(TMK_NLOCKS <= HLRC_STATIC_LOCKS, "TreadMarks' locks are static ones");

#undef Tmk_stat
static struct Tmk_stat counted;

static bool joined, left;
static bool held[TMK_NLOCKS]; /* by this process */
/* In shared memory; the number of a condition variable + 1, or 0 before its first wait. Guarded by
 * its lock. */
static uint32_t (*conds)[TMK_NCONDS];

/* ---- beginning and end ---- */

static void tmk_leave(void)
{
    if (!joined || left)
        return;
    left = true;
    hlrc_finalize();
}

/* Arguments after "--" are TreadMarks' own, such as the number of processes. */
static void tmk_check_arguments(int argc, char *const *argv)
{
    int i = 1;
    while (i < argc && strcmp(argv[i], "--") != 0)
        i++;
    for (i++; i < argc; i++) {
        if (strncmp(argv[i], "-n", 2) != 0)
            continue;
        const char *text = argv[i][2] ? argv[i] + 2 : i + 1 < argc ? argv[i + 1] : "";
        char *end;
        unsigned long n = strtoul(text, &end, 10);
        if (*text == '\0' || *end != '\0' || n == Tmk_nprocs)
            continue;
        Tmk_errexit("Tmk_startup: -n %lu: this job has %u processes; start it by hlrcrun -n %lu\n",
                    n, Tmk_nprocs, n);
    }
}

void Tmk_startup(int argc, char *const *argv)
{
    fail_join("Tmk_startup", tmk_leave);
    Tmk_proc_id = (unsigned)hlrc_node_id();
    Tmk_nprocs = (unsigned)hlrc_node_count();
    Tmk_page_size = (unsigned)sysconf(_SC_PAGESIZE);
    joined = true;
    tmk_check_arguments(argc, argv);
    conds = hlrc_malloc_all(TMK_NLOCKS * sizeof *conds);
    if (!conds)
        Tmk_perrexit("Tmk_startup: cannot create condition variables");
    distribute_begin();
    sched_begin();
}

void Tmk_exit(int status)
{
    tmk_leave();
    exit(status);
}

/* ---- memory ---- */

void *Tmk_malloc(size_t size)
{
    return hlrc_malloc(size);
}

void Tmk_free(void *ptr)
{
    hlrc_free(ptr);
}

void *Tmk_sbrk(size_t incr)
{
    return incr < Tmk_page_size ? hlrc_malloc(incr) : hlrc_aligned_alloc(Tmk_page_size, incr);
}

/* ---- synchronisation ---- */

static void tmk_check(const char *call, const char *what, unsigned id, unsigned limit)
{
    if (id >= limit)
        Tmk_errexit("%s: no %s %u; use 0 to %u\n", call, what, id, limit - 1);
}

struct Tmk_stat *Tmk_stat_now(void)
{
    struct hlrc_stats s = { .size = sizeof s };
    if (!joined || left)
        return &counted;
    hlrc_stats_get(&s);
    counted.acquires = (unsigned)s.lock_acquires;
    counted.acquire_time = (unsigned)(s.lock_s * 1e6);
    counted.bytes = (unsigned)s.bytes_out;
    counted.bytes_of_data = (unsigned)(s.page_fetches * Tmk_page_size);
    counted.cold_misses = (unsigned)s.page_fetches;
    counted.messages = (unsigned)(s.messages + s.rdma_reads + s.rdma_writes + s.atomics);
    counted.diffs = (unsigned)s.diffs;
    counted.twins = (unsigned)s.twins;
    counted.total_diff_size = (unsigned)s.diff_bytes;
    return &counted;
}

void Tmk_barrier(unsigned barrier_id)
{
    tmk_check("Tmk_barrier", "barrier", barrier_id, TMK_NBARRIERS);
    distribute_meet();
    counted.arrivals++;
}

void Tmk_lock_acquire(unsigned lock_id)
{
    tmk_check("Tmk_lock_acquire", "lock", lock_id, TMK_NLOCKS);
    hlrc_lock(lock_id);
    held[lock_id] = true;
    distribute_accept();
}

void Tmk_lock_release(unsigned lock_id)
{
    tmk_check("Tmk_lock_release", "lock", lock_id, TMK_NLOCKS);
    held[lock_id] = false;
    hlrc_unlock(lock_id);
}

static uint32_t *tmk_cond_of(const char *call, unsigned lock_id, unsigned cond_id)
{
    tmk_check(call, "lock", lock_id, TMK_NLOCKS);
    tmk_check(call, "condition", cond_id, TMK_NCONDS);
    return &conds[lock_id][cond_id];
}

void Tmk_lock_cond_wait(unsigned lock_id, unsigned cond_id)
{
    uint32_t *entry = tmk_cond_of("Tmk_lock_cond_wait", lock_id, cond_id);
    if (!held[lock_id])
        Tmk_errexit("Tmk_lock_cond_wait: lock %u is not held; acquire it first\n", lock_id);
    if (*entry == 0) {
        hlrc_cond_t cond;
        int err = hlrc_cond_create(&cond);
        if (err < 0)
            Tmk_errexit("Tmk_lock_cond_wait: %s\n", strerror(-err));
        *entry = cond.id + 1;
    }
    counted.waits++;
    hlrc_cond_wait((hlrc_cond_t){ *entry - 1 }, lock_id);
    distribute_accept();
}

/* A caller without the lock takes it for this; otherwise it may not see the waiters. */
static void tmk_wake(uint32_t *entry, unsigned lock_id, void (*how)(hlrc_cond_t))
{
    bool without = !held[lock_id];
    if (without)
        hlrc_lock(lock_id);
    if (*entry != 0)
        how((hlrc_cond_t){ *entry - 1 });
    if (without)
        hlrc_unlock(lock_id);
}

void Tmk_lock_cond_signal(unsigned lock_id, unsigned cond_id)
{
    counted.signals++;
    tmk_wake(tmk_cond_of("Tmk_lock_cond_signal", lock_id, cond_id), lock_id, hlrc_cond_signal);
}

void Tmk_lock_cond_broadcast(unsigned lock_id, unsigned cond_id)
{
    counted.broadcasts++;
    tmk_wake(tmk_cond_of("Tmk_lock_cond_broadcast", lock_id, cond_id), lock_id,
             hlrc_cond_broadcast);
}
