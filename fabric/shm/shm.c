/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * shm.c - the fabric of one machine, and the smallest transport: read it first.
 *
 * A window is a memory object (memfd) per node; a node maps that of another when it first uses it
 * (shm_object.h). A read or write is a copy, an atomic is the CPU's, a write with immediate ends
 * with an entry in the target's queue (shm_queue.h). Every operation is complete when its start
 * returns. How peers open each other's objects: shm_map.h.
 *
 * Ordering. x86-64 performs loads in order and makes stores visible in order. There the fences
 * below only restrain the compiler, except that of a wake. Other CPUs need each of them:
 *   - A write begins with a release fence. It orders the earlier writes before this one
 *     [fabric.write-order]. The event of a write with immediate is a release store (shm_queue.h).
 *   - A read ends with an acquire fence. It orders the read before the next read or atomic
 *   [fabric.read-order].
 *   - An atomic is a sequentially consistent read-modify-write. As a release it follows the earlier
 *     writes [fabric.atomic-order]. fence_after_rmw() orders its store before the next read
 *     [fabric.read-order]. Without that fence aarch64 reads a page before the reader's mark is
 *     visible to the page's home [unshared.reader-mark].
 *   - A wake has a full fence before its read of the sleeper's state [shm-queue.arm-then-test].
 * So FABRIC_READ_ORDERED is offered. [fabric.whole-word]: see shm_copy.
 */
#include "fabric/fabric.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fence.h"
#include "fabric/locality.h"
#include "fabric/shm/shm_map.h"
#include "fabric/shm/shm_object.h"
#include "fabric/shm/shm_queue.h"
#include "fabric/transports.h"

/* Head of a node's control object; the receive queue follows. The node writes its counters. The
 * bytes of an operation count for two nodes, but only the node that performed it counts them. So a
 * node also reads the counters of the nodes that have mapped its object. */
struct shm_control {
    _Atomic uint64_t reads, writes, atomics, wakes;
    struct shm_moved {
        _Atomic uint64_t read_bytes, written_bytes; /* from the peer, and to it */
        _Atomic uint64_t
            came; /* the peer has mapped this object; the peer writes it before it counts */
    } peer[];
};

struct shm_fabric {
    struct fabric head;
    struct fabric_job job;
    int windows;
    size_t queue_offset; /* in a control object */
    struct shm_control *self;
    struct shm_queue *own_queue;
    struct shm_spares spares;
    struct shm_object control;
    struct shm_object window[FABRIC_WINDOWS];
};

#define ENGINE_OBJECTS 4 /* objects of a job: the control object and the engine's windows */

static struct shm_fabric *shm_of(struct fabric *f)
{
    return (struct shm_fabric *)f;
}

static struct shm_queue *shm_own_queue(struct fabric *f)
{
    return shm_of(f)->own_queue;
}

/* ---- objects of peers ---- */

static struct shm_control *shm_control_of(struct shm_fabric *s, int peer)
{
    char *base = atomic_load_explicit(&s->control.base[peer], memory_order_acquire);
    if (base)
        return (struct shm_control *)(void *)base;
    struct shm_control *c = (void *)shm_object_map(&s->control, &s->job, &s->spares, peer);
    atomic_store_explicit(&c->peer[s->job.node].came, 1, memory_order_relaxed);
    return c;
}

/* NULL if the peer has ended and was never used here; does not wait for it. */
static struct shm_control *shm_control_if_there(struct shm_fabric *s, int peer)
{
    struct shm_control *c = (void *)shm_object_find(&s->control, peer);
    if (c)
        atomic_store_explicit(&c->peer[s->job.node].came, 1, memory_order_relaxed);
    return c;
}

static struct shm_queue *shm_queue_of(struct shm_fabric *s, int peer)
{
    return (struct shm_queue *)(void *)((char *)shm_control_of(s, peer) + s->queue_offset);
}

static char *shm_map_window(struct shm_fabric *s, int peer, int win)
{
    (void)shm_control_of(s, peer); /* the peer must see `came` before this node counts */
    return shm_object_map(&s->window[win], &s->job, &s->spares, peer);
}

static inline char *shm_window_at(struct shm_fabric *s, int peer, int win, size_t off)
{
    char *base = atomic_load_explicit(&s->window[win].base[peer], memory_order_acquire);
    return (base ? base : shm_map_window(s, peer, win)) + off;
}

/* ---- opening and closing ---- */

static void shm_close(struct fabric *f)
{
    struct shm_fabric *s = shm_of(f);
    for (int w = 0; w < s->windows; w++)
        shm_object_end(&s->window[w], &s->job);
    shm_object_end(&s->control, &s->job);
    shm_spares_end(&s->spares);
    free(s);
}

static size_t shm_whole_pages(size_t bytes)
{
    return (bytes + 4095) & ~(size_t)4095;
}

/* Makes the control objects; queues are initialised before they are shared. Each node tries once
 * to open a peer's object. */
static int shm_make_control(struct shm_fabric *s)
{
    const struct fabric_job *job = &s->job;
    size_t nodes = (size_t)job->nodes;
    uint64_t entries = shm_queue_size((uint64_t)job->rx_depth * nodes);
    s->queue_offset =
        shm_whole_pages(sizeof(struct shm_control) + nodes * sizeof(struct shm_moved));
    size_t size = s->queue_offset + shm_queue_bytes(entries);
    if (shm_object_make(&s->control, job, shm_whole_pages(size)) == 0) {
        s->self = (struct shm_control *)(void *)s->control.base[job->node];
        s->own_queue = shm_queue_of(s, job->node);
        shm_queue_init(s->own_queue, entries);
    }
    int rc = shm_object_share(&s->control, job);
    return rc || nodes == 1 ? rc : shm_object_try(&s->control, job, (job->node + 1) % job->nodes);
}

static int shm_open_fabric(const struct fabric_job *job, struct fabric **out)
{
    struct shm_fabric *s = calloc(1, sizeof *s);
    if (!s)
        return -ENOMEM;
    s->job = *job;
    s->head.neighbours = job->nodes;
    shm_spares_make(&s->spares, job->nodes, ENGINE_OBJECTS);
    int rc = locality_all_together(job);
    if (rc == 0)
        rc = shm_make_control(s);
    if (rc) {
        shm_close(&s->head);
        return rc;
    }
    *out = &s->head;
    return 0;
}

static int shm_window_create(struct fabric *f, size_t size, struct fabric_window *out)
{
    struct shm_fabric *s = shm_of(f);
    if (s->windows == FABRIC_WINDOWS)
        return -ENOSPC;
    struct shm_object *o = &s->window[s->windows];
    (void)shm_object_make(o, &s->job, size);
    int rc = shm_object_share(o, &s->job);
    if (rc) {
        shm_object_end(o, &s->job);
        return rc;
    }
    *out = (struct fabric_window){
        .id = s->windows++, .fd = o->fd, .base = o->base[f->node], .size = size
    };
    return 0;
}

static int shm_window_discard(struct fabric *f, int win, size_t off, size_t len)
{
    int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
    return fallocate(shm_of(f)->window[win].fd, mode, (off_t)off, (off_t)len) == 0 ? 0 : -errno;
}

static bool shm_window_release(struct fabric *f, int win, size_t off, size_t len)
{
    return shm_window_discard(f, win, off, len) == 0;
}

static void shm_count(_Atomic uint64_t *counter, uint64_t by)
{
    atomic_fetch_add_explicit(counter, by, memory_order_relaxed);
}

static void shm_read(struct fabric *f, int peer, int win, size_t off, void *dst, size_t len,
                     struct fabric_op *op)
{
    struct shm_fabric *s = shm_of(f);
    (void)op;
    shm_copy(dst, shm_window_at(s, peer, win, off), len);
    /* orders this read before the caller's next one [fabric.read-order] */
    atomic_thread_fence(memory_order_acquire);
    shm_count(&s->self->reads, 1);
    shm_count(&s->self->peer[peer].read_bytes, len);
}

static void shm_write(struct fabric *f, int peer, int win, size_t off, const void *src, size_t len,
                      struct fabric_op *op)
{
    struct shm_fabric *s = shm_of(f);
    (void)op;
    /* orders the caller's earlier writes before this one [fabric.write-order] */
    atomic_thread_fence(memory_order_release);
    shm_copy(shm_window_at(s, peer, win, off), src, len);
    shm_count(&s->self->writes, 1);
    shm_count(&s->self->peer[peer].written_bytes, len);
}

/* Most runs are short and unaligned: one store, or two that may overlap. */
static inline void shm_copy_run(char *to, const char *from, uint32_t n)
{
    if (n > 16) {
        shm_copy(to, from, n);
    } else if (n >= 8) {
        memcpy(to, from, 8);
        memcpy(to + n - 8, from + n - 8, 8);
    } else if (n >= 4) {
        memcpy(to, from, 4);
        memcpy(to + n - 4, from + n - 4, 4);
    } else {
        for (uint32_t i = 0; i < n; i++)
            to[i] = from[i];
    }
}

static void shm_write_runs(struct fabric *f, int peer, int win, size_t off,
                           const struct fabric_run *runs, uint32_t n, const void *src,
                           struct fabric_op *op)
{
    struct shm_fabric *s = shm_of(f);
    char *to = shm_window_at(s, peer, win, off);
    const char *from = src;
    (void)op;
    /* as in shm_write [fabric.write-order] */
    atomic_thread_fence(memory_order_release);
    for (uint32_t i = 0; i < n; i++) {
        shm_copy_run(to + runs[i].offset, from, runs[i].bytes);
        from += runs[i].bytes;
    }
    shm_count(&s->self->writes, n);
    shm_count(&s->self->peer[peer].written_bytes, (uint64_t)(from - (const char *)src));
}

/* As shm_copy; most pieces are short, and a whole number of words long. */
static inline void shm_copy_piece(char *to, const char *from, size_t n)
{
    if (n > 128 || n % 16 != 0) {
        shm_copy(to, from, n);
        return;
    }
    for (size_t i = 0; i < n; i += 16)
        memcpy(to + i, from + i, 16);
}

static void shm_read_pieces(struct fabric *f, int peer, int win, const struct fabric_piece *pieces,
                            size_t n, struct fabric_op *op)
{
    struct shm_fabric *s = shm_of(f);
    const char *from = shm_window_at(s, peer, win, 0);
    uint64_t bytes = 0;
    (void)op;
    for (size_t i = 0; i < n; i++) {
        shm_copy_piece(pieces[i].local, from + pieces[i].off, pieces[i].len);
        bytes += pieces[i].len;
    }
    atomic_thread_fence(memory_order_acquire); /* as in shm_read [fabric.read-order] */
    shm_count(&s->self->reads, n);
    shm_count(&s->self->peer[peer].read_bytes, bytes);
}

static void shm_write_pieces(struct fabric *f, int peer, int win, const struct fabric_piece *pieces,
                             size_t n, struct fabric_op *op)
{
    struct shm_fabric *s = shm_of(f);
    char *to = shm_window_at(s, peer, win, 0);
    uint64_t bytes = 0;
    (void)op;
    atomic_thread_fence(memory_order_release); /* as in shm_write [fabric.write-order] */
    for (size_t i = 0; i < n; i++) {
        shm_copy_piece(to + pieces[i].off, pieces[i].local, pieces[i].len);
        bytes += pieces[i].len;
    }
    shm_count(&s->self->writes, n);
    shm_count(&s->self->peer[peer].written_bytes, bytes);
}

static void shm_write_imm(struct fabric *f, int peer, int win, size_t off, const void *src,
                          size_t len, uint32_t imm, bool urgent, struct fabric_op *op)
{
    struct shm_fabric *s = shm_of(f);
    shm_write(f, peer, win, off, src, len, op);
    if (shm_queue_send(shm_queue_of(s, peer), f->node, imm, urgent))
        shm_count(&s->self->wakes, 1);
}

static void shm_wake(struct fabric *f, int peer)
{
    struct shm_fabric *s = shm_of(f);
    if (shm_queue_wake(shm_queue_of(s, peer)))
        shm_count(&s->self->wakes, 1);
}

static void shm_write_wake(struct fabric *f, int peer, int win, size_t off, const void *src,
                           size_t len, struct fabric_op *op)
{
    shm_write(f, peer, win, off, src, len, op);
    shm_wake(f, peer); /* its fence orders the data before the test whether a thread sleeps */
}

/* The word of an atomic, which is counted. */
static _Atomic uint64_t *shm_word(struct fabric *f, int peer, int win, size_t off)
{
    struct shm_fabric *s = shm_of(f);
    shm_count(&s->self->atomics, 1);
    return (_Atomic uint64_t *)(void *)shm_window_at(s, peer, win, off);
}

static void shm_cas(struct fabric *f, int peer, int win, size_t off, uint64_t expect,
                    uint64_t desired, uint64_t *old, struct fabric_op *op)
{
    (void)op;
    atomic_compare_exchange_strong(shm_word(f, peer, win, off), &expect, desired);
    fence_after_rmw(); /* [fabric.read-order], [unshared.reader-mark] */
    if (old)
        *old = expect;
}

static void shm_fetch_add(struct fabric *f, int peer, int win, size_t off, uint64_t add,
                          uint64_t *old, struct fabric_op *op)
{
    (void)op;
    *old = atomic_fetch_add(shm_word(f, peer, win, off), add);
    fence_after_rmw(); /* [fabric.read-order], [unshared.reader-mark] */
}

static void shm_exchange(struct fabric *f, int peer, int win, size_t off, uint64_t value,
                         uint64_t *old, struct fabric_op *op)
{
    (void)op;
    *old = atomic_exchange(shm_word(f, peer, win, off), value);
    fence_after_rmw(); /* [fabric.read-order], [unshared.reader-mark] */
}

static uint64_t shm_change(_Atomic uint64_t *word, const struct fabric_update *u)
{
    switch (u->change) {
    case FABRIC_ADD:
        return atomic_fetch_add(word, u->value);
    case FABRIC_AND:
        return atomic_fetch_and(word, u->value);
    case FABRIC_OR:
        return atomic_fetch_or(word, u->value);
    case FABRIC_XOR:
        return atomic_fetch_xor(word, u->value);
    default:
        return atomic_exchange(word, u->value);
    }
}

/* An atomic instruction waits for its cache line, and later ones wait for it: so the lines are
 * requested some changes ahead. */
static void shm_update(struct fabric *f, int win, const struct fabric_update *list, size_t count)
{
    enum { AHEAD = 16 };
    struct shm_fabric *s = shm_of(f);
    shm_count(&s->self->atomics, count);
    for (size_t i = 0; i < count + AHEAD; i++) {
        if (i < count)
            __builtin_prefetch(shm_window_at(s, list[i].peer, win, list[i].off), 1);
        if (i < AHEAD)
            continue;
        const struct fabric_update *u = &list[i - AHEAD];
        uint64_t old = shm_change((void *)shm_window_at(s, u->peer, win, u->off), u);
        if (u->old)
            *u->old = old;
    }
    fence_after_rmw(); /* [fabric.read-order], [unshared.reader-mark] */
}

static void shm_wait(struct fabric *f, struct fabric_op *op)
{
    (void)f, (void)op; /* every operation was complete when it was started */
}

static int shm_rx_poll(struct fabric *f, struct fabric_event *ev)
{
    return shm_queue_poll(shm_own_queue(f), ev);
}

static bool shm_rx_pending(struct fabric *f)
{
    return shm_queue_pending(shm_own_queue(f));
}

static uint64_t shm_rx_mark(struct fabric *f)
{
    return atomic_load(&shm_own_queue(f)->tail);
}

static bool shm_rx_past(struct fabric *f, uint64_t mark)
{
    return atomic_load(&shm_own_queue(f)->head) >= mark;
}

static void shm_rx_busy(struct fabric *f)
{
    atomic_store_explicit(&shm_own_queue(f)->mode, MODE_POLLING, memory_order_relaxed);
}

static uint32_t shm_rx_ticket(struct fabric *f, enum fabric_sleeper sleeper)
{
    return atomic_load(&shm_own_queue(f)->bell[sleeper]);
}

static bool shm_rx_arm(struct fabric *f, enum fabric_sleeper sleeper, enum fabric_level level)
{
    return shm_queue_arm(shm_own_queue(f), sleeper, level);
}

static void shm_rx_sleep(struct fabric *f, enum fabric_sleeper sleeper, uint32_t ticket,
                         int64_t timeout_ns)
{
    shm_queue_sleep(shm_own_queue(f), sleeper, ticket, timeout_ns);
}

static void shm_rx_wake(struct fabric *f, enum fabric_sleeper sleeper)
{
    shm_queue_ring(shm_own_queue(f), sleeper);
}

static void shm_counters(struct fabric *f, struct fabric_counters *out)
{
    struct shm_fabric *s = shm_of(f);
    *out = (struct fabric_counters){ .reads = s->self->reads,
                                     .writes = s->self->writes,
                                     .atomics = s->self->atomics,
                                     .wakes = s->self->wakes };
    for (int n = 0; n < f->nodes; n++) {
        const struct shm_moved *mine = &s->self->peer[n];
        out->bytes_in += mine->read_bytes;
        out->bytes_out += mine->written_bytes;
        const struct shm_control *its =
            n != f->node && !mine->came ? NULL : shm_control_if_there(s, n);
        if (!its)
            continue;
        out->bytes_in += its->peer[f->node].written_bytes;
        out->bytes_out += its->peer[f->node].read_bytes;
    }
}

const struct fabric_ops fabric_shm = {
    .name = "shm",
    .caps = FABRIC_READ | FABRIC_ATOMICS | FABRIC_WRITE_IMM | FABRIC_READ_ORDERED |
            FABRIC_SEES_SLEEPERS | FABRIC_ATOMICS_NARROW,
    .open = shm_open_fabric,
    .close = shm_close,
    .window_create = shm_window_create,
    .window_discard = shm_window_discard,
    .window_release = shm_window_release,
    .read = shm_read,
    .write = shm_write,
    .write_runs = shm_write_runs,
    .read_pieces = shm_read_pieces,
    .write_pieces = shm_write_pieces,
    .write_imm = shm_write_imm,
    .write_wake = shm_write_wake,
    .cas = shm_cas,
    .fetch_add = shm_fetch_add,
    .exchange = shm_exchange,
    .update = shm_update,
    .wait = shm_wait,
    .rx_poll = shm_rx_poll,
    .rx_pending = shm_rx_pending,
    .rx_mark = shm_rx_mark,
    .rx_past = shm_rx_past,
    .rx_busy = shm_rx_busy,
    .rx_ticket = shm_rx_ticket,
    .rx_arm = shm_rx_arm,
    .rx_sleep = shm_rx_sleep,
    .rx_wake = shm_rx_wake,
    .wake = shm_wake,
    .counters = shm_counters,
};
