/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * verbs_memory.c - windows, registration and keys; see verbs.h.
 *
 * Registering pins memory, so a large window is registered piece by piece, on first use of a
 * piece. Every window has a key table per node: keys[node][piece], registered from the start. The
 * registrar that registers a piece of its node writes the key into row `self` of every peer's
 * table and waits for completion. A node that finds no key sends the owner an internal event,
 * which the owner passes to its registrar, and waits for the key to appear.
 */
#include "fabric/verbs/verbs_parts.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/addresses.h"
#include "fabric/shm/shm_map.h"

#define ACCESS                                                                   \
    (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE | \
     IBV_ACCESS_REMOTE_ATOMIC)

static _Noreturn void verbs_memory_cannot_register(struct verbs_fabric *v, int err)
{
    char why[200];
    struct rlimit r;
    getrlimit(RLIMIT_MEMLOCK, &r);
    if (err == -ENOMEM && r.rlim_cur != RLIM_INFINITY)
        snprintf(why, sizeof why,
                 "locked memory is limited to %llu KiB; raise the limit where the node is started "
                 "(ulimit -l unlimited)",
                 (unsigned long long)(r.rlim_cur / 1024));
    else
        snprintf(why, sizeof why, "%s", strerror(-err));
    verbs_fail(v, "registering memory", -1, why);
}

static _Thread_local bool may_register;

void verbs_may_register(bool may)
{
    may_register = may;
}

struct ibv_mr *verbs_register(struct verbs_fabric *v, void *at, size_t len, unsigned access)
{
#ifdef HLRC_DEBUG
    assert(may_register);
#endif
    struct ibv_mr *mr = ibv_reg_mr(v->pd, at, len, access);
    if (!mr)
        verbs_memory_cannot_register(v, errno ? -errno : -ENOMEM);
    return mr;
}

int verbs_memory_start(struct verbs_fabric *v)
{
    size_t size = (size_t)VERBS_BOUNCE * FABRIC_INLINE;
    pthread_spin_init(&v->work_lock, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_init(&v->poll_lock, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_init(&v->rx_lock, PTHREAD_PROCESS_PRIVATE);
    v->bounce = addresses_map(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    if (v->bounce == MAP_FAILED) {
        v->bounce = NULL;
        return -ENOMEM;
    }
    (void)madvise(v->bounce, size, MADV_DONTFORK);
    v->bounce_mr = verbs_register(v, v->bounce, size, IBV_ACCESS_LOCAL_WRITE);
    for (int i = 0; i < VERBS_BOUNCE; i++)
        v->free_bounce[v->free_bounces++] = (uint16_t)i;
    for (int i = 0; i < VERBS_WORKS; i++)
        v->free_work[v->free_works++] = (uint16_t)i;
    return 0;
}

static void verbs_memory_destroy_window(struct verbs_fabric *v, struct verbs_window *w)
{
    verbs_near_unmap(v, w);
    for (size_t i = 0; w->mr && i < w->pieces; i++)
        if (w->mr[i])
            ibv_dereg_mr(w->mr[i]);
    if (w->keys_mr)
        ibv_dereg_mr(w->keys_mr);
    free((void *)w->mr);
    free((void *)w->wanted);
    free((void *)w->known);
    free((void *)w->keys);
    if (w->base)
        addresses_unmap(w->base, w->size);
    if (w->fd >= 0)
        close(w->fd);
    memset(w, 0, sizeof *w);
}

void verbs_memory_end(struct verbs_fabric *v)
{
    verbs_regions_reap(v);
    for (int i = 0; i < v->windows; i++)
        verbs_memory_destroy_window(v, &v->window[i]);
    if (v->bounce_mr)
        ibv_dereg_mr(v->bounce_mr);
    if (v->bounce)
        addresses_unmap(v->bounce, (size_t)VERBS_BOUNCE * FABRIC_INLINE);
}

static size_t verbs_memory_piece_bytes(const struct verbs_window *w, size_t piece)
{
    size_t at = piece * w->piece_size;
    return w->size - at < w->piece_size ? w->size - at : w->piece_size;
}

static int verbs_memory_map_window(struct verbs_window *w, size_t size)
{
    w->size = size;
    w->fd = shm_make_object(size);
    return w->fd < 0 ? w->fd : shm_map_object(w->fd, size, &w->base);
}

static size_t verbs_memory_keys_bytes(const struct verbs_fabric *v, const struct verbs_window *w)
{
    return (size_t)v->job.nodes * w->pieces * sizeof(uint64_t);
}

/* Small, so that pinned memory follows use; but a window has a key for each piece, at each node,
 * so not too many. */
static size_t verbs_memory_choose_piece(size_t size)
{
    size_t piece = VERBS_PIECE_LEAST;
    while (size / piece > (piece < VERBS_PIECE_MOST ? VERBS_PIECES_LIKED : VERBS_PIECES))
        piece *= 2;
    return size > VERBS_LARGE ? piece : size;
}

static int verbs_memory_make_tables(struct verbs_fabric *v, struct verbs_window *w)
{
    w->piece_size = verbs_memory_choose_piece(w->size);
    w->pieces = (w->size + w->piece_size - 1) / w->piece_size;
    w->mr = calloc(w->pieces, sizeof *w->mr);
    w->wanted = calloc(w->pieces / 64 + 1, sizeof *w->wanted);
    w->known = calloc(w->pieces / 64 + 1, sizeof *w->known);
    w->keys = calloc(1, verbs_memory_keys_bytes(v, w));
    if (!w->mr || !w->wanted || !w->known || !w->keys)
        return -ENOMEM;
    pthread_mutex_init(&w->lock, NULL);
    w->keys_mr = verbs_register(v, (void *)w->keys, verbs_memory_keys_bytes(v, w), ACCESS);
    return 0;
}

struct verbs_memory_window_address {
    uint64_t base, keys;
    uint32_t keys_rkey;
    int32_t status;
    uint64_t first_key; /* for a window that is registered as a whole */
};

/* ASSUMPTION: the window's lock is held, or no other thread knows the window. */
static void verbs_memory_register_piece(struct verbs_fabric *v, struct verbs_window *w,
                                        size_t piece)
{
    char *at = w->base + piece * w->piece_size;
    struct ibv_mr *mr = verbs_register(v, at, verbs_memory_piece_bytes(w, piece), ACCESS);
    size_t mine = (size_t)v->job.node * w->pieces + piece;
    atomic_store(&w->keys[mine], (uint64_t)mr->rkey + 1);
    atomic_store_explicit(&w->mr[piece], mr, memory_order_release);
}

static int verbs_memory_introduce(struct verbs_fabric *v, struct verbs_window *w, int status)
{
    struct verbs_memory_window_address mine = { .base = (uint64_t)(uintptr_t)w->base,
                                                .keys = (uint64_t)(uintptr_t)w->keys,
                                                .status = status };
    struct verbs_memory_window_address all[NODES_MAX];
    if (status == 0) {
        mine.keys_rkey = w->keys_mr->rkey;
        if (w->pieces == 1)
            mine.first_key = w->keys[v->job.node];
    }
    int rc = v->job.exchange(v->job.ctx, &mine, sizeof mine, all);
    for (int n = 0; n < v->job.nodes && rc == 0; n++) {
        rc = all[n].status;
        w->peer_base[n] = all[n].base;
        w->peer_keys[n] = all[n].keys;
        w->peer_keys_rkey[n] = all[n].keys_rkey;
        if (rc == 0 && all[n].first_key)
            w->keys[(size_t)n * w->pieces] = all[n].first_key;
    }
    return rc;
}

int verbs_window_create(struct fabric *f, size_t size, struct fabric_window *out)
{
    struct verbs_fabric *v = verbs_of(f);
    if (v->windows == FABRIC_WINDOWS)
        return -ENOSPC;
    struct verbs_window *w = &v->window[v->windows];
    w->fd = -1;
    verbs_may_register(true);
    int rc = verbs_memory_map_window(w, size);
    if (rc == 0)
        rc = verbs_memory_make_tables(v, w);
    if (rc == 0 && w->pieces == 1)
        verbs_memory_register_piece(v, w, 0);
    verbs_may_register(false);
    rc = verbs_memory_introduce(v, w, rc);
    if (rc == 0)
        rc = verbs_near_map(v, w);
    if (rc) {
        verbs_memory_destroy_window(v, w);
        return rc;
    }
    if (w->pieces == 1)
        verbs_set_known(v, w, 0);
    /* orders the window before its number: from then on the registrar reads it */
    int id = atomic_fetch_add_explicit(&v->windows, 1, memory_order_release);
    *out = (struct fabric_window){ .id = id, .fd = w->fd, .base = w->base, .size = size };
    return 0;
}

static void verbs_memory_cut(const struct verbs_window *w, size_t off, size_t *len)
{
    size_t left = w->piece_size - off % w->piece_size;
    if (*len > left)
        *len = left;
}

static int verbs_memory_punch(const struct verbs_window *w, size_t off, size_t len)
{
    int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
    return fallocate(w->fd, mode, (off_t)off, (off_t)len) == 0 ? 0 : -errno;
}

int verbs_window_discard(struct fabric *f, int win, size_t off, size_t len)
{
    struct verbs_window *w = &verbs_of(f)->window[win];
    int rc = 0;
    pthread_mutex_lock(&w->lock); /* nothing becomes registered during this */
    while (len && rc == 0) {
        size_t n = len;
        verbs_memory_cut(w, off, &n);
        if (w->mr[off / w->piece_size])
            memset(w->base + off, 0, n);
        else
            rc = verbs_memory_punch(w, off, n);
        off += n;
        len -= n;
    }
    pthread_mutex_unlock(&w->lock);
    return rc;
}

bool verbs_window_release(struct fabric *f, int win, size_t off, size_t len)
{
    struct verbs_window *w = &verbs_of(f)->window[win];
    size_t first = off / w->piece_size, end = len ? (off + len - 1) / w->piece_size + 1 : first;
    bool can = true;
    pthread_mutex_lock(&w->lock); /* nothing becomes registered during this */
    for (size_t p = first; p < end; p++)
        can &= !w->mr[p];
    can = can && verbs_memory_punch(w, off, len) == 0;
    pthread_mutex_unlock(&w->lock);
    return can;
}

/* Writes the key of a piece into every peer's table, and waits for completion. */
static void verbs_memory_publish_key(struct verbs_fabric *v, int win, size_t piece)
{
    struct verbs_window *w = &v->window[win];
    struct fabric_op op = FABRIC_OP_INIT;
    size_t mine = (size_t)v->job.node * w->pieces + piece;
    for (int n = 0; n < v->job.nodes; n++)
        if (n != v->job.node)
            verbs_write_word(v, n, w->peer_keys[n] + mine * 8, w->peer_keys_rkey[n], w->keys[mine],
                             &op);
    verbs_wait(&v->head, &op);
}

void verbs_make_known(struct verbs_fabric *v, int win, size_t piece)
{
    struct verbs_window *w = &v->window[win];
    pthread_mutex_lock(&w->lock);
    verbs_memory_register_piece(v, w, piece);
    pthread_mutex_unlock(&w->lock);
    verbs_memory_publish_key(v, win, piece);
    verbs_set_known(v, w, piece);
}

/* Requests all pieces before it waits for the first. */
int verbs_window_prepare(struct fabric *f, int win, size_t off, size_t len)
{
    struct verbs_fabric *v = verbs_of(f);
    struct verbs_window *w = &v->window[win];
    size_t first = off / w->piece_size, end = len ? (off + len - 1) / w->piece_size + 1 : first;
    for (size_t p = first; p < end; p++)
        verbs_want(v, win, p);
    for (size_t p = first; p < end; p++)
        verbs_await_known(v, win, p);
    return 0;
}

uint32_t verbs_remote_key(struct verbs_fabric *v, int peer, int win, size_t off, size_t *len)
{
    struct verbs_window *w = &v->window[win];
    size_t piece = off / w->piece_size;
    _Atomic uint64_t *key = &w->keys[(size_t)peer * w->pieces + piece];
    verbs_memory_cut(w, off, len);
    uint64_t k = atomic_load_explicit(key, memory_order_acquire);
    if (k == 0 && peer == v->job.node)
        verbs_want(v, win, piece);
    else if (k == 0)
        verbs_send_internal(v, peer, VERBS_IMM_PREPARE(win, piece), true);
    while ((k = atomic_load_explicit(key, memory_order_acquire)) == 0) {
        verbs_progress(v);
        sched_yield();
    }
    return (uint32_t)(k - 1);
}

void verbs_window_require(struct fabric *f, int peer, int win, size_t off, size_t len)
{
    struct verbs_fabric *v = verbs_of(f);
    for (size_t n = len; len && !v->peer[peer].near; n = len) {
        verbs_remote_key(v, peer, win, off, &n);
        off += n;
        len -= n;
    }
}

static struct verbs_window *verbs_memory_window_of(struct verbs_fabric *v, const void *buf)
{
    for (int i = 0; i < v->windows; i++)
        if ((uintptr_t)buf - (uintptr_t)v->window[i].base < v->window[i].size)
            return &v->window[i];
    return NULL;
}

bool verbs_in_window(struct verbs_fabric *v, const void *buf)
{
    return verbs_memory_window_of(v, buf) != NULL;
}

bool verbs_local_key(struct verbs_fabric *v, const void *buf, bool want, uint32_t *key, size_t *len)
{
    struct verbs_window *w = verbs_memory_window_of(v, buf);
    if (!w)
        return false;
    size_t off = (size_t)((const char *)buf - w->base), piece = off / w->piece_size;
    struct ibv_mr *mr = atomic_load_explicit(&w->mr[piece], memory_order_acquire);
    if (mr) {
        *key = mr->lkey;
        verbs_memory_cut(w, off, len);
    } else if (want) {
        verbs_want(v, (int)(w - v->window), piece);
    }
    return mr != NULL;
}
