/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* team.c - teams, contexts and active sets: their PEs, and the addresses of their slots. A new
 * team takes a table entry (place) that is free at all PEs of the parent. */
#include <stdatomic.h>
#include <string.h>

#include "compat/shmem/inner.h"

#define TEAMS    64
#define CONTEXTS 1024
#define INBOX    ((size_t)4096) /* bytes of a reduction in transit, per level */

/* In a window, one for each table entry. */
struct team_place {
    uint64_t slots[SLOTS];
    uint64_t choice[2]; /* for inner_sh_reduce, to find a free entry */
    _Alignas(16) char inbox[LEVELS * INBOX];
};

struct team {
    bool used;
    struct shmem_group group;
    shmem_team_config_t config;
    uint64_t sent[SLOTS], seen[SLOTS];
};

static struct team_place *places;
static struct team teams[TEAMS];
static _Atomic(struct team *) contexts[CONTEXTS]; /* NULL: free; the first is the default one */

/* ---- handles ---- */

static shmem_team_t team_handle(const struct team *t)
{
    return (shmem_team_t)(uintptr_t)(t - teams + 1);
}

static struct team *team_of(const char *call, shmem_team_t team)
{
    uintptr_t i = (uintptr_t)team - 1;
    inner_sh_check(call);
    if (i >= TEAMS || !teams[i].used)
        fail_job("%s: there is no team %p; use one that shmem_team_split_strided created, "
                 "before shmem_team_destroy",
                 call, (void *)team);
    return &teams[i];
}

struct shmem_group *inner_sh_group(const char *call, shmem_team_t team)
{
    return &team_of(call, team)->group;
}

bool inner_sh_is_world(const struct shmem_group *g)
{
    return g == &teams[0].group;
}

/* All its slots are 0, at all members. */
static struct team *team_make(size_t i, int start, int stride, int size, int me)
{
    struct team *t = &teams[i];
    memset(t->sent, 0, sizeof t->sent);
    memset(t->seen, 0, sizeof t->seen);
    t->group = (struct shmem_group){ .start = start,
                                     .stride = stride,
                                     .size = size,
                                     .me = me,
                                     .slots = places[i].slots,
                                     .inbox = places[i].inbox,
                                     .inbox_bytes = sizeof places[i].inbox,
                                     .sent = t->sent,
                                     .seen = t->seen };
    t->config = (shmem_team_config_t){ 0 };
    t->used = true;
    return t;
}

void inner_sh_teams_begin(void)
{
    places = hlrc_window_create(TEAMS * sizeof *places);
    if (!places)
        fail_job("shmem_init: no room for the slots of %d teams; raise --memory", TEAMS);
    (void)team_make(0, 0, 1, sh.n, sh.me);
    (void)team_make(1, sh.me, 1, 1, 0); /* SHARED: only this PE's memory can be loaded directly */
    atomic_store(&contexts[0], &teams[0]);
}

/* ---- contexts ---- */

static struct team *team_context_of(const char *call, shmem_ctx_t ctx)
{
    uintptr_t i = (uintptr_t)ctx - 1;
    inner_sh_check(call);
    struct team *t = i < CONTEXTS ? atomic_load(&contexts[i]) : NULL;
    if (!t)
        fail_job("%s: there is no context %p; use one that shmem_ctx_create created, before "
                 "shmem_ctx_destroy",
                 call, (void *)ctx);
    return t;
}

int inner_sh_pe_of_ctx(const char *call, shmem_ctx_t ctx, int pe)
{
    const struct shmem_group *g = &team_context_of(call, ctx)->group;
    if (pe < 0 || pe >= g->size)
        inner_sh_refuse_pe(call, pe, g->size);
    return inner_sh_member(g, pe);
}

int shmem_team_create_ctx(shmem_team_t team, long options, shmem_ctx_t *ctx)
{
    (void)options;
    *ctx = SHMEM_CTX_INVALID;
    if (team == SHMEM_TEAM_INVALID)
        return -1;
    struct team *t = team_of("shmem_team_create_ctx", team);
    for (uintptr_t i = 1; i < CONTEXTS; i++) {
        struct team *none = NULL;
        if (!atomic_compare_exchange_strong(&contexts[i], &none, t))
            continue;
        *ctx = (shmem_ctx_t)(i + 1);
        return 0;
    }
    return -1;
}

int shmem_ctx_create(long options, shmem_ctx_t *ctx)
{
    return shmem_team_create_ctx(SHMEM_TEAM_WORLD, options, ctx);
}

void shmem_ctx_destroy(shmem_ctx_t ctx)
{
    if (ctx == SHMEM_CTX_INVALID)
        return;
    (void)team_context_of("shmem_ctx_destroy", ctx);
    if (ctx == SHMEM_CTX_DEFAULT)
        fail_job("shmem_ctx_destroy: SHMEM_CTX_DEFAULT cannot be destroyed; destroy contexts of "
                 "shmem_ctx_create only");
    hlrc_fence_all();
    atomic_store(&contexts[(uintptr_t)ctx - 1], NULL);
}

int shmem_ctx_get_team(shmem_ctx_t ctx, shmem_team_t *team)
{
    *team = SHMEM_TEAM_INVALID;
    if (ctx == SHMEM_CTX_INVALID)
        return -1;
    *team = team_handle(team_context_of("shmem_ctx_get_team", ctx));
    return 0;
}

/* ---- teams ---- */

int shmem_team_my_pe(shmem_team_t team)
{
    return team == SHMEM_TEAM_INVALID ? -1 : inner_sh_group("shmem_team_my_pe", team)->me;
}

int shmem_team_n_pes(shmem_team_t team)
{
    return team == SHMEM_TEAM_INVALID ? -1 : inner_sh_group("shmem_team_n_pes", team)->size;
}

int shmem_team_get_config(shmem_team_t team, long config_mask, shmem_team_config_t *config)
{
    if (team == SHMEM_TEAM_INVALID)
        return -1;
    const struct team *t = team_of("shmem_team_get_config", team);
    if (config_mask & SHMEM_TEAM_NUM_CONTEXTS)
        config->num_contexts = t->config.num_contexts;
    return 0;
}

/* The number of a PE in a group, or -1. */
static int team_index_of(const struct shmem_group *g, int pe)
{
    int far = pe - g->start, i = g->stride ? far / g->stride : 0;
    return i >= 0 && i < g->size && inner_sh_member(g, i) == pe ? i : -1;
}

int shmem_team_translate_pe(shmem_team_t src_team, int src_pe, shmem_team_t dest_team)
{
    if (src_team == SHMEM_TEAM_INVALID || dest_team == SHMEM_TEAM_INVALID)
        return -1;
    const struct shmem_group *from = inner_sh_group("shmem_team_translate_pe", src_team);
    if (src_pe < 0 || src_pe >= from->size)
        return -1;
    return team_index_of(inner_sh_group("shmem_team_translate_pe", dest_team),
                         inner_sh_member(from, src_pe));
}

static void team_both(void *into, const void *with, size_t count)
{
    uint64_t *a = into;
    const uint64_t *b = with;
    for (size_t i = 0; i < count; i++)
        a[i] &= b[i];
}

/* The same at all PEs of the parent; TEAMS: none. */
static size_t team_place_free(struct team *parent)
{
    uint64_t *choice = places[parent - teams].choice;
    choice[0] = 0;
    for (size_t i = 0; i < TEAMS; i++)
        choice[0] |= teams[i].used ? 0 : UINT64_C(1) << i;
    inner_sh_reduce(&parent->group, choice, choice, 1, sizeof choice[0], team_both);
    return choice[0] ? (size_t)__builtin_ctzll(choice[0]) : TEAMS;
}

/* A team of PEs start, start + stride and so on of the parent; its other PEs create other teams in
 * this entry, or none. */
static int team_split(struct team *parent, int start, int stride, int size,
                      const shmem_team_config_t *config, long mask, shmem_team_t *made)
{
    const struct shmem_group *p = &parent->group;
    size_t i = team_place_free(parent);
    if (i == TEAMS)
        return -1;
    int first = inner_sh_member(p, start), step = p->stride * stride;
    struct shmem_group g = { .start = first, .stride = step, .size = size };
    int me = team_index_of(&g, sh.me);
    if (me < 0)
        return 0;
    struct team *t = team_make(i, first, step, size, me);
    if (config && mask & SHMEM_TEAM_NUM_CONTEXTS)
        t->config.num_contexts = config->num_contexts;
    *made = team_handle(t);
    return 0;
}

int shmem_team_split_strided(shmem_team_t parent, int start, int stride, int size,
                             const shmem_team_config_t *config, long config_mask,
                             shmem_team_t *new_team)
{
    *new_team = SHMEM_TEAM_INVALID;
    if (parent == SHMEM_TEAM_INVALID)
        return -1;
    struct team *t = team_of("shmem_team_split_strided", parent);
    long n = t->group.size, end = start + (long)stride * (size - 1L);
    if (size < 1 || start < 0 || start >= n || end < 0 || end >= n || (stride == 0 && size != 1))
        return -1;
    return team_split(t, start, stride, size, config, config_mask, new_team);
}

int shmem_team_split_2d(shmem_team_t parent, int xrange, const shmem_team_config_t *xaxis_config,
                        long xaxis_mask, shmem_team_t *xaxis_team,
                        const shmem_team_config_t *yaxis_config, long yaxis_mask,
                        shmem_team_t *yaxis_team)
{
    *xaxis_team = *yaxis_team = SHMEM_TEAM_INVALID;
    if (parent == SHMEM_TEAM_INVALID || xrange < 1)
        return -1;
    struct team *t = team_of("shmem_team_split_2d", parent);
    int n = t->group.size, width = xrange < n ? xrange : n;
    int x = t->group.me % width, y = t->group.me / width;
    int across = n - y * width < width ? n - y * width : width, down = (n - x - 1) / width + 1;
    int rc = team_split(t, y * width, 1, across, xaxis_config, xaxis_mask, xaxis_team);
    if (team_split(t, x, width, down, yaxis_config, yaxis_mask, yaxis_team) != 0)
        rc = -1;
    return rc;
}

void shmem_team_destroy(shmem_team_t team)
{
    if (team == SHMEM_TEAM_INVALID)
        return;
    struct team *t = team_of("shmem_team_destroy", team);
    if (t - teams < 2)
        fail_job("shmem_team_destroy: SHMEM_TEAM_WORLD and SHMEM_TEAM_SHARED cannot be "
                 "destroyed; destroy teams of shmem_team_split_strided only");
    hlrc_fence_all();
    for (size_t i = 1; i < CONTEXTS; i++)
        if (atomic_load(&contexts[i]) == t)
            atomic_store(&contexts[i], NULL);
    inner_sh_meet(&t->group);
    memset(t->group.slots, 0, SLOTS * sizeof *t->group.slots);
    t->used = false;
}

/* ---- active sets ---- */

struct shmem_group inner_sh_active(const char *call, int start, int log_stride, int size,
                                   long *psync)
{
    uint64_t *slots = inner_sh_remote(call, psync, SHMEM_SYNC_SIZE * sizeof *psync);
    if (log_stride < 0 || log_stride > LEVELS || size < 1 || start < 0 ||
        start + (long)(size - 1) * (1L << log_stride) >= sh.n)
        fail_job("%s: PE_start %d, logPE_stride %d, PE_size %d: not all of these PEs are 0 to %d",
                 call, start, log_stride, size, sh.n - 1);
    struct shmem_group g = { .start = start, .stride = 1 << log_stride, .size = size };
    g.me = team_index_of(&g, sh.me);
    if (g.me < 0)
        fail_job("%s: PE %d is not in the active set: PE_start %d, logPE_stride %d, PE_size %d",
                 call, sh.me, start, log_stride, size);
    g.slots = slots;
    return g;
}
