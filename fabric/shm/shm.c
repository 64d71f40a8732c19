/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * shm.c - the fabric of one machine, and the smallest transport: read it first.
 *
 * A window is a memory object (memfd) per node; every node maps the objects of all nodes. A read or
 * write is a copy, an atomic is the CPU's, a write with immediate ends with an entry in the
 * target's queue (shm_queue.h). Every operation is complete when its start returns. How peers open
 * each other's objects: shm_map.h.
 *
 * Ordering: x86-64 keeps stores in order, and elsewhere each operation ends with a release fence
 * and each read begins and ends with an acquire fence, which gives F1, F2 and FABRIC_READ_ORDERED.
 * F5: see shm_copy.
 */
#include "fabric/fabric.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fabric/locality.h"
#include "fabric/shm/shm_map.h"
#include "fabric/shm/shm_queue.h"
#include "fabric/transports.h"

#define QUEUE_OFFSET 4096 /* of the receive queue in a node's control object */

/* Head of a node's control object; the receive queue follows. The counters are written by their
 * node and read by all: bytes that a node moved are counted once, by the node that moved them, and
 * belong to two nodes. */
struct shm_control {
    _Atomic uint64_t reads, writes, atomics, wakes;
    _Atomic uint64_t read_bytes[NODES_MAX], written_bytes[NODES_MAX]; /* by peer */
};

struct shm_map {
    char *base;
    size_t size;
    int fd; /* this node's object, -1 for a peer's */
};

struct shm_fabric {
    struct fabric head;
    struct fabric_job job;
    int windows;
    struct shm_control *self;
    struct shm_control *control[NODES_MAX];
    struct shm_queue *queue[NODES_MAX];
    struct shm_map control_map[NODES_MAX];
    struct shm_map map[FABRIC_WINDOWS][NODES_MAX]; /* by window, node */
};

static struct shm_fabric *shm_of(struct fabric *f)
{
    return (struct shm_fabric *)f;
}

static struct shm_queue *own_queue(struct fabric *f)
{
    return shm_of(f)->queue[f->node];
}

static_assert(sizeof(struct shm_control) <= QUEUE_OFFSET, "the queue starts behind the counters");

static int make_own(size_t size, struct shm_map *out)
{
    int fd = shm_make_object(size);
    if (fd < 0)
        return fd;
    *out = (struct shm_map){ .size = size, .fd = fd };
    return shm_map_object(fd, size, &out->base);
}

static int map_other(const struct fabric_job *job, int node, const struct shm_ticket *t,
                     size_t size, struct shm_map *out)
{
    *out = (struct shm_map){ .size = size, .fd = -1 };
    return shm_map_peer(job, node, t, size, &out->base);
}

/* Makes this node's object and maps those of all nodes. The closing exchange keeps an object's
 * descriptor open until all nodes have opened it, and tells every node of any node's failure. */
static int share_object(struct shm_fabric *s, size_t size, struct shm_map *maps)
{
    int nodes = s->job.nodes, me = s->job.node, rc = make_own(size, &maps[me]);
    struct shm_ticket mine = { getpid(), maps[me].fd }, all[NODES_MAX];
    int32_t done = rc, every[NODES_MAX];
    rc = s->job.exchange(s->job.ctx, &mine, sizeof mine, all);
    if (rc)
        return rc;
    for (int n = 0; n < nodes && done == 0; n++)
        if (n != me)
            done = map_other(&s->job, n, &all[n], size, &maps[n]);
    rc = s->job.exchange(s->job.ctx, &done, sizeof done, every);
    for (int n = 0; n < nodes && rc == 0; n++)
        rc = every[n];
    return rc;
}

static void unmap(struct shm_map *m)
{
    if (m->base)
        munmap(m->base, m->size);
    if (m->base && m->fd >= 0)
        close(m->fd);
    m->base = NULL;
}

static void shm_close(struct fabric *f)
{
    struct shm_fabric *s = shm_of(f);
    for (int w = 0; w < s->windows; w++)
        for (int n = 0; n < s->job.nodes; n++)
            unmap(&s->map[w][n]);
    for (int n = 0; n < s->job.nodes; n++)
        unmap(&s->control_map[n]);
    free(s);
}

static int shm_open_fabric(const struct fabric_job *job, struct fabric **out)
{
    struct shm_fabric *s = calloc(1, sizeof *s);
    if (!s)
        return -ENOMEM;
    s->job = *job;
    uint64_t entries = shm_queue_size((uint64_t)job->rx_depth * (uint64_t)job->nodes);
    size_t size = QUEUE_OFFSET + shm_queue_bytes(entries);
    int rc = locality_all_together(job);
    if (rc == 0)
        rc = share_object(s, (size + 4095) & ~(size_t)4095, s->control_map);
    if (rc) {
        shm_close(&s->head);
        return rc;
    }
    for (int n = 0; n < job->nodes; n++) {
        s->control[n] = (struct shm_control *)(void *)s->control_map[n].base;
        s->queue[n] = (struct shm_queue *)(void *)(s->control_map[n].base + QUEUE_OFFSET);
    }
    s->self = s->control[job->node];
    shm_queue_init(s->queue[job->node], entries);
    int32_t ready = 0, every[NODES_MAX]; /* no node sends before all queues are laid out */
    rc = job->exchange(job->ctx, &ready, sizeof ready, every);
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
    struct shm_map *maps = s->map[s->windows];
    int rc = share_object(s, size, maps);
    if (rc) {
        for (int n = 0; n < s->job.nodes; n++)
            unmap(&maps[n]);
        return rc;
    }
    struct shm_map *own = &maps[s->job.node];
    *out = (struct fabric_window){
        .id = s->windows++, .fd = own->fd, .base = own->base, .size = size
    };
    return 0;
}

static int shm_window_discard(struct fabric *f, int win, size_t off, size_t len)
{
    struct shm_map *m = &shm_of(f)->map[win][f->node];
    int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
    return fallocate(m->fd, mode, (off_t)off, (off_t)len) == 0 ? 0 : -errno;
}

static bool shm_window_release(struct fabric *f, int win, size_t off, size_t len)
{
    return shm_window_discard(f, win, off, len) == 0;
}

static void count(_Atomic uint64_t *counter, uint64_t by)
{
    atomic_fetch_add_explicit(counter, by, memory_order_relaxed);
}

static void shm_read(struct fabric *f, int peer, int win, size_t off, void *dst, size_t len,
                     struct fabric_op *op)
{
    struct shm_fabric *s = shm_of(f);
    (void)op;
    shm_copy(dst, s->map[win][peer].base + off, len);
    /* orders this read before the caller's next one (F3) */
    atomic_thread_fence(memory_order_acquire);
    count(&s->self->reads, 1);
    count(&s->self->read_bytes[peer], len);
}

static void shm_write(struct fabric *f, int peer, int win, size_t off, const void *src, size_t len,
                      struct fabric_op *op)
{
    struct shm_fabric *s = shm_of(f);
    (void)op;
    /* orders the caller's earlier writes before this one (F1) */
    atomic_thread_fence(memory_order_release);
    shm_copy(s->map[win][peer].base + off, src, len);
    count(&s->self->writes, 1);
    count(&s->self->written_bytes[peer], len);
}

/* Most runs are short, and lie anywhere: two stores that may overlap, or one. */
static inline void copy_run(char *to, const char *from, uint32_t n)
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
    char *to = s->map[win][peer].base + off;
    const char *from = src;
    (void)op;
    /* as in shm_write (F1) */
    atomic_thread_fence(memory_order_release);
    for (uint32_t i = 0; i < n; i++) {
        copy_run(to + runs[i].offset, from, runs[i].bytes);
        from += runs[i].bytes;
    }
    count(&s->self->writes, n);
    count(&s->self->written_bytes[peer], (uint64_t)(from - (const char *)src));
}

static void shm_write_imm(struct fabric *f, int peer, int win, size_t off, const void *src,
                          size_t len, uint32_t imm, bool urgent, struct fabric_op *op)
{
    struct shm_fabric *s = shm_of(f);
    shm_write(f, peer, win, off, src, len, op);
    if (shm_queue_send(s->queue[peer], f->node, imm, urgent))
        count(&s->self->wakes, 1);
}

static void shm_wake(struct fabric *f, int peer)
{
    struct shm_fabric *s = shm_of(f);
    if (shm_queue_wake(s->queue[peer]))
        count(&s->self->wakes, 1);
}

static void shm_write_wake(struct fabric *f, int peer, int win, size_t off, const void *src,
                           size_t len, struct fabric_op *op)
{
    shm_write(f, peer, win, off, src, len, op);
    shm_wake(f, peer); /* the fence in it orders the data before the look whether a thread sleeps */
}

static _Atomic uint64_t *shm_word(struct shm_fabric *s, int peer, int win, size_t off)
{
    return (_Atomic uint64_t *)(void *)(s->map[win][peer].base + off);
}

static void shm_cas(struct fabric *f, int peer, int win, size_t off, uint64_t expect,
                    uint64_t desired, uint64_t *old, struct fabric_op *op)
{
    struct shm_fabric *s = shm_of(f);
    (void)op;
    count(&s->self->atomics, 1);
    *old = expect;
    atomic_compare_exchange_strong(shm_word(s, peer, win, off), old, desired);
}

static void shm_fetch_add(struct fabric *f, int peer, int win, size_t off, uint64_t add,
                          uint64_t *old, struct fabric_op *op)
{
    struct shm_fabric *s = shm_of(f);
    (void)op;
    count(&s->self->atomics, 1);
    *old = atomic_fetch_add(shm_word(s, peer, win, off), add);
}

static void shm_exchange(struct fabric *f, int peer, int win, size_t off, uint64_t value,
                         uint64_t *old, struct fabric_op *op)
{
    struct shm_fabric *s = shm_of(f);
    (void)op;
    count(&s->self->atomics, 1);
    *old = atomic_exchange(shm_word(s, peer, win, off), value);
}

static void shm_wait(struct fabric *f, struct fabric_op *op)
{
    (void)f, (void)op; /* every operation was complete when it was started */
}

static int shm_rx_poll(struct fabric *f, struct fabric_event *ev)
{
    return shm_queue_poll(own_queue(f), ev);
}

static bool shm_rx_pending(struct fabric *f)
{
    return shm_queue_pending(own_queue(f));
}

static uint64_t shm_rx_mark(struct fabric *f)
{
    return atomic_load(&own_queue(f)->tail);
}

static bool shm_rx_past(struct fabric *f, uint64_t mark)
{
    return atomic_load(&own_queue(f)->head) >= mark;
}

static void shm_rx_busy(struct fabric *f)
{
    atomic_store_explicit(&own_queue(f)->mode, MODE_POLLING, memory_order_relaxed);
}

static uint32_t shm_rx_ticket(struct fabric *f, enum fabric_sleeper sleeper)
{
    return atomic_load(&own_queue(f)->bell[sleeper]);
}

static bool shm_rx_arm(struct fabric *f, enum fabric_sleeper sleeper, enum fabric_level level)
{
    return shm_queue_arm(own_queue(f), sleeper, level);
}

static void shm_rx_sleep(struct fabric *f, enum fabric_sleeper sleeper, uint32_t ticket,
                         int64_t timeout_ns)
{
    shm_queue_sleep(own_queue(f), sleeper, ticket, timeout_ns);
}

static void shm_rx_wake(struct fabric *f, enum fabric_sleeper sleeper)
{
    shm_queue_ring(own_queue(f), sleeper);
}

static void shm_counters(struct fabric *f, struct fabric_counters *out)
{
    struct shm_fabric *s = shm_of(f);
    *out = (struct fabric_counters){ .reads = s->self->reads,
                                     .writes = s->self->writes,
                                     .atomics = s->self->atomics,
                                     .wakes = s->self->wakes };
    for (int n = 0; n < f->nodes; n++) {
        out->bytes_in += s->self->read_bytes[n] + s->control[n]->written_bytes[f->node];
        out->bytes_out += s->self->written_bytes[n] + s->control[n]->read_bytes[f->node];
    }
}

const struct fabric_ops fabric_shm = {
    .name = "shm",
    .caps = FABRIC_READ | FABRIC_ATOMICS | FABRIC_WRITE_IMM | FABRIC_READ_ORDERED |
            FABRIC_SEES_SLEEPERS,
    .open = shm_open_fabric,
    .close = shm_close,
    .window_create = shm_window_create,
    .window_discard = shm_window_discard,
    .window_release = shm_window_release,
    .read = shm_read,
    .write = shm_write,
    .write_runs = shm_write_runs,
    .write_imm = shm_write_imm,
    .write_wake = shm_write_wake,
    .cas = shm_cas,
    .fetch_add = shm_fetch_add,
    .exchange = shm_exchange,
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
