/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* job.c - start and end, PE numbers, and ordering. */
#include <stdio.h>
#include <stdlib.h>

#include "compat/shmem/inner.h"

_Static_assert(HLRC_MAX_NODES <= 1 << LEVELS, "one slot per power of two");
_Static_assert(SLOTS <= SHMEM_SYNC_SIZE && VALUE + LEVELS <= SLOTS, "slots lie in pSync arrays");
_Static_assert(sizeof(long) == sizeof(uint64_t), "an element of a pSync array is a slot");

/* ---- beginning and end ---- */

static void job_leave(void)
{
    if (!sh.joined || sh.left)
        return;
    hlrc_fence_all();
    sh.left = true;
    hlrc_finalize();
}

int shmem_init_thread(int requested, int *provided)
{
    (void)requested;
    if (sh.joined && provided)
        *provided = SHMEM_THREAD_MULTIPLE;
    if (sh.joined && !sh.left) {
        sh.inits++;
        return 0;
    }
    fail_join("shmem_init", job_leave);
    sh.me = hlrc_node_id();
    sh.n = hlrc_node_count();
    sh.joined = true;
    sh.inits = 1;
    inner_sh_data_begin();
    inner_sh_heap_begin();
    inner_sh_teams_begin();
    inner_sh_locks_begin();
    if (provided)
        *provided = SHMEM_THREAD_MULTIPLE;
    hlrc_barrier();
    return 0;
}

void shmem_init(void)
{
    (void)shmem_init_thread(SHMEM_THREAD_SINGLE, NULL);
}

void shmem_query_thread(int *provided)
{
    inner_sh_check("shmem_query_thread");
    *provided = SHMEM_THREAD_MULTIPLE;
}

void shmem_query_initialized(int *initialized)
{
    *initialized = sh.joined && !sh.left;
}

void shmem_finalize(void)
{
    inner_sh_check("shmem_finalize");
    if (--sh.inits == 0)
        job_leave();
}

void shmem_global_exit(int status)
{
    inner_sh_check("shmem_global_exit");
    (void)fflush(NULL);
    hlrc_exit(status);
}

void start_pes(int npes)
{
    (void)npes;
    shmem_init();
}

/* ---- PE numbers and addresses ---- */

int shmem_my_pe(void)
{
    inner_sh_check("shmem_my_pe");
    return sh.me;
}

int shmem_n_pes(void)
{
    inner_sh_check("shmem_n_pes");
    return sh.n;
}

int _my_pe(void)
{
    return shmem_my_pe();
}

int _num_pes(void)
{
    return shmem_n_pes();
}

int shmem_pe_accessible(int pe)
{
    inner_sh_check("shmem_pe_accessible");
    return pe >= 0 && pe < sh.n;
}

int shmem_addr_accessible(const void *addr, int pe)
{
    return shmem_pe_accessible(pe) && inner_sh_find(addr, 1) != NULL;
}

/* Another PE's memory cannot be loaded directly. */
void *shmem_ptr(const void *dest, int pe)
{
    inner_sh_check("shmem_ptr");
    return pe == sh.me && inner_sh_find(dest, 1) ? (void *)(uintptr_t)dest : NULL;
}

void *shmem_team_ptr(shmem_team_t team, const void *dest, int pe)
{
    inner_sh_check("shmem_team_ptr");
    if (team == SHMEM_TEAM_INVALID)
        return NULL;
    const struct shmem_group *g = inner_sh_group("shmem_team_ptr", team);
    return pe >= 0 && pe < g->size ? shmem_ptr(dest, inner_sh_member(g, pe)) : NULL;
}

void shmem_info_get_version(int *major, int *minor)
{
    *major = SHMEM_MAJOR_VERSION;
    *minor = SHMEM_MINOR_VERSION;
}

void shmem_info_get_name(char *name)
{
    (void)snprintf(name, SHMEM_MAX_NAME_LEN, "%s", SHMEM_VENDOR_STRING);
}

void shmem_pcontrol(int level, ...)
{
    (void)level;
}

/* ---- sessions: hints ---- */

void shmem_ctx_session_start(shmem_ctx_t ctx, long options,
                             const shmem_ctx_session_config_t *config, long config_mask)
{
    (void)options, (void)config, (void)config_mask;
    inner_sh_check("shmem_ctx_session_start");
    if (ctx != SHMEM_CTX_INVALID)
        (void)inner_sh_pe("shmem_ctx_session_start", ctx, 0);
}

void shmem_ctx_session_stop(shmem_ctx_t ctx)
{
    inner_sh_check("shmem_ctx_session_stop");
    if (ctx != SHMEM_CTX_INVALID)
        (void)inner_sh_pe("shmem_ctx_session_stop", ctx, 0);
}

/* ---- ordering ---- */

/* Blocking puts are complete; non-blocking ones are not tracked separately. */
void shmem_ctx_quiet(shmem_ctx_t ctx)
{
    inner_sh_check("shmem_quiet");
    if (ctx == SHMEM_CTX_INVALID)
        return;
    (void)inner_sh_pe("shmem_quiet", ctx, 0);
    hlrc_fence_all();
}

void shmem_ctx_fence(shmem_ctx_t ctx)
{
    inner_sh_check("shmem_fence");
    if (ctx == SHMEM_CTX_INVALID)
        return;
    (void)inner_sh_pe("shmem_fence", ctx, 0);
    hlrc_fence_all();
}

void shmem_quiet(void)
{
    shmem_ctx_quiet(SHMEM_CTX_DEFAULT);
}

void shmem_fence(void)
{
    shmem_ctx_fence(SHMEM_CTX_DEFAULT);
}

void shmem_barrier_all(void)
{
    inner_sh_check("shmem_barrier_all");
    hlrc_fence_all();
    hlrc_barrier();
}

void shmem_sync_all(void)
{
    inner_sh_check("shmem_sync_all");
    hlrc_barrier();
}
