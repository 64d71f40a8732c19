/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* jia.c - JIAJIA's calls except messages and load balancing; jia(7) describes each. */
#include "compat/jiajia/jia.h"

#include <errno.h>
#include <hlrc.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compat/fail.h"
#include "compat/jiajia/jiajia.h"

#define PAGE 4096u

_Static_assert(Maxhosts == HLRC_MAX_NODES, "programs have arrays of Maxhosts elements");
_Static_assert(Maxlocks <= HLRC_STATIC_LOCKS, "JIAJIA's locks are static ones");

int jia_lock_index;

static bool joined, left;
static struct timespec began;

/* JIAJIA's condition variable is a flag that hosts wait for; in shared memory. */
static struct jia_cv {
    hlrc_lock_t lock;
    hlrc_cond_t changed;
    int set; /* guarded by the lock */
} * cvs;

/* ---- beginning and end ---- */

void jia_exit(void)
{
    if (!joined || left)
        return;
    left = true;
    hlrc_finalize();
}

static void jia_begin_cvs(void)
{
    cvs = hlrc_malloc_all(Maxcvs * sizeof *cvs);
    if (!cvs)
        jia_error("jia_init: cannot create condition variables: %s", strerror(errno));
    for (int i = 0; jia_pid == 0 && i < Maxcvs; i++)
        if (hlrc_lock_create(&cvs[i].lock) < 0 || hlrc_cond_create(&cvs[i].changed) < 0)
            jia_error("jia_init: no memory for condition variables");
}

void jia_init(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    fail_join("jia_init", jia_exit);
    jia_pid = hlrc_node_id();
    jia_hosts = hlrc_node_count();
    joined = true;
    jia_begin_cvs();
    jiajia_message_begin();
    hlrc_barrier();
    (void)clock_gettime(CLOCK_MONOTONIC, &began);
}

/* ---- memory ---- */

/* Cuts memory into blocks, assigned to hosts in turn: all of one size, or one size for each
 * round. */
struct jia_cut {
    size_t size;
    const int *sizes; /* NULL, or `rounds` sizes, used cyclically */
    int rounds;
};

static size_t jia_block_of(const struct jia_cut *cut, int round)
{
    size_t bytes = cut->sizes ? (size_t)cut->sizes[round] : cut->size;
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

static void jia_place(char *mem, size_t size, const struct jia_cut *cut, int host)
{
    for (int round = 0; size > 0; host = (host + 1) % jia_hosts) {
        size_t block = jia_block_of(cut, round), len = block < size ? block : size;
        int err = hlrc_place(mem, len, host);
        if (err < 0)
            jia_error("jia_alloc: cannot allocate %zu bytes at host %d: %s", len, host,
                      strerror(-err));
        mem += len;
        size -= len;
        if (host == jia_hosts - 1)
            round = (round + 1) % cut->rounds;
    }
}

static unsigned long jia_allocate(const char *call, size_t size, const struct jia_cut *cut,
                                  int host)
{
    size_t pages = size ? (size + PAGE - 1) / PAGE * PAGE : PAGE;
    jiajia_check(call, "host", host, jia_hosts);
    for (int i = 0; i < cut->rounds; i++)
        if (cut->sizes ? cut->sizes[i] <= 0 : cut->size == 0)
            jia_error("%s: blocks of %d bytes; pass 1 or more", call,
                      cut->sizes ? cut->sizes[i] : 0);
    char *mem = hlrc_malloc_all(pages);
    if (!mem)
        jia_error("%s: no shared memory left for %zu bytes; raise --memory", call, size);
    if (jia_pid == 0)
        jia_place(mem, pages, cut, host);
    hlrc_barrier();
    return (unsigned long)mem;
}

static unsigned long jia_allocate_even(const char *call, size_t size, size_t block, int host)
{
    if (block > size || size == 0)
        block = size ? size : 1;
    return jia_allocate(call, size, &(struct jia_cut){ .size = block, .rounds = 1 }, host);
}

unsigned long jia_alloc(size_t size)
{
    static int next;
    int host = next % jia_hosts;
    next = (next + 1) % jia_hosts;
    return jia_allocate_even("jia_alloc", size, size, host);
}

unsigned long jia_alloc1(size_t size)
{
    return jia_allocate_even("jia_alloc1", size, size, 0);
}

unsigned long jia_alloc2(size_t size, size_t block)
{
    return jia_allocate_even("jia_alloc2", size, block, 0);
}

unsigned long jia_alloc2p(size_t size, int host)
{
    return jia_allocate_even("jia_alloc2p", size, size, host);
}

unsigned long jia_alloc3(size_t size, size_t block, int host)
{
    return jia_allocate_even("jia_alloc3", size, block, host);
}

/* Uses as many of the sizes as reach the total. */
unsigned long jia_alloc3b(size_t size, const int *blocks, int host)
{
    struct jia_cut cut = { .sizes = blocks };
    jiajia_check("jia_alloc3b", "host", host, jia_hosts);
    for (size_t reached = 0; cut.rounds == 0 || reached < size; cut.rounds++) {
        if (blocks[cut.rounds] <= 0) {
            cut.rounds++; /* will be refused */
            break;
        }
        reached += (size_t)(cut.rounds == 0 ? jia_hosts - host : jia_hosts) *
                   jia_block_of(&cut, cut.rounds);
    }
    return jia_allocate("jia_alloc3b", size, &cut, host);
}

unsigned long jia_alloc4(size_t size, const int *blocks, int count, int host)
{
    if (count < 1)
        jia_error("jia_alloc4: %d sizes of blocks; pass 1 or more", count);
    return jia_allocate("jia_alloc4", size, &(struct jia_cut){ .sizes = blocks, .rounds = count },
                        host);
}

/* ---- synchronisation ---- */

void jia_lock(int lock)
{
    jiajia_check("jia_lock", "lock", lock, Maxlocks);
    hlrc_lock((hlrc_lock_t)lock);
}

void jia_unlock(int lock)
{
    jiajia_check("jia_unlock", "lock", lock, Maxlocks);
    hlrc_unlock((hlrc_lock_t)lock);
}

void jia_barrier(void)
{
    hlrc_barrier();
}

void jia_wait(void)
{
    hlrc_barrier();
}

static void jia_put(const char *call, int number, int set)
{
    jiajia_check(call, "condition variable", number, Maxcvs);
    struct jia_cv *cv = &cvs[number];
    hlrc_lock(cv->lock);
    cv->set = set;
    if (set)
        hlrc_cond_broadcast(cv->changed);
    hlrc_unlock(cv->lock);
}

void jia_setcv(int cv)
{
    jia_put("jia_setcv", cv, 1);
}

void jia_resetcv(int cv)
{
    jia_put("jia_resetcv", cv, 0);
}

void jia_waitcv(int number)
{
    jiajia_check("jia_waitcv", "condition variable", number, Maxcvs);
    struct jia_cv *cv = &cvs[number];
    if (jia_hosts == 1)
        return; /* as in JIAJIA: there is no other host to wait for */
    hlrc_lock(cv->lock);
    while (!cv->set)
        hlrc_cond_wait(cv->changed, cv->lock);
    hlrc_unlock(cv->lock);
}

/* ---- time ---- */

static double jia_since_init(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - began.tv_sec) + 1e-9 * (double)(now.tv_nsec - began.tv_nsec);
}

float jia_clock(void)
{
    return (float)jia_since_init();
}

unsigned int jia_startstat(void)
{
    hlrc_stats_reset();
    return (unsigned int)(jia_since_init() * 1e6);
}

unsigned int jia_stopstat(void)
{
    return (unsigned int)(jia_since_init() * 1e6);
}
