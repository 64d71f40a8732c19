/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* verbs.c - data operations and their completion; see verbs.h for the invariants. */
#include "fabric/verbs/verbs_parts.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fabric/failure.h"
#include "fabric/shm/shm_map.h"
#include "fabric/transports.h"

#define SOFT_ROCE_VENDOR 0xffffff

static const char *const kind_name[] = { "read", "write", "write with immediate",
                                         "compare-and-swap", "fetch-and-add" };

void verbs_fail(struct verbs_fabric *v, const char *what, int peer, const char *why)
{
    char line[400];
    struct ibv_port_attr port;
    if (peer >= 0 && ibv_query_port(v->context, (uint8_t)v->port, &port) == 0 &&
        port.state != IBV_PORT_ACTIVE)
        snprintf(line, sizeof line,
                 "verbs: port %d of this host's adapter %s is down (%s at node %d: %s)", v->port,
                 ibv_get_device_name(v->context->device), what, peer, why);
    else if (peer >= 0 && strcmp(why, ibv_wc_status_str(IBV_WC_RETRY_EXC_ERR)) == 0)
        snprintf(line, sizeof line,
                 "verbs: node %d no longer answers: its host is down or disconnected, or the node "
                 "was killed (%s: %s; --peer-timeout %d)",
                 peer, what, why, v->job.peer_timeout);
    else if (peer >= 0)
        snprintf(line, sizeof line, "verbs: %s at node %d failed: %s", what, peer, why);
    else
        snprintf(line, sizeof line, "verbs: %s failed: %s", what, why);
    failure_fabric_fail(v->job.fail, line);
}

/* ---- send-queue entries and slots ---- */

static int verbs_take_slot(struct verbs_fabric *v, uint16_t *list, int *count)
{
    pthread_spin_lock(&v->work_lock);
    int slot = *count ? list[--*count] : -1;
    pthread_spin_unlock(&v->work_lock);
    return slot;
}

static int verbs_await_slot(struct verbs_fabric *v, uint16_t *list, int *count)
{
    int slot;
    while ((slot = verbs_take_slot(v, list, count)) < 0) {
        verbs_progress(v);
        sched_yield();
    }
    return slot;
}

static void verbs_give_slot(struct verbs_fabric *v, uint16_t *list, int *count, int slot)
{
    pthread_spin_lock(&v->work_lock);
    list[(*count)++] = (uint16_t)slot;
    pthread_spin_unlock(&v->work_lock);
}

/* ---- completion ---- */

/* wr_id: the slot, or NO_SLOT if only a failure completes, and in the upper half the kind, for the
 * failure's message. */
#define NO_SLOT     UINT32_MAX
#define WR_ID(s, k) ((uint64_t)(k) << 32 | (s))

static void verbs_complete(struct verbs_fabric *v, const struct ibv_wc *wc)
{
    uint32_t slot = (uint32_t)wc->wr_id;
    if (wc->status != IBV_WC_SUCCESS)
        verbs_fail(v, kind_name[wc->wr_id >> 32], verbs_node_of(v, wc->qp_num),
                   ibv_wc_status_str(wc->status));
    struct verbs_work *w = &v->work[slot];
    struct verbs_peer *p = &v->peer[w->peer];
    if (w->parts)
        verbs_hand_out(v, w);
    else if (w->dst)
        memcpy(w->dst, verbs_bounce_at(v, w->bounce), w->len);
    if (w->bounce >= 0)
        verbs_give_slot(v, v->free_bounce, &v->free_bounces, w->bounce);
    if (w->region)
        verbs_region_done(v, w->region);
    struct fabric_op *op = w->op;
    pthread_spin_lock(&p->lock);
    p->retired += w->retires;
    pthread_spin_unlock(&p->lock);
    verbs_give_slot(v, v->free_work, &v->free_works, (int)slot);
    /* last: it may lie on the stack of the waiting thread; orders the data before that thread
     * continues */
    if (op)
        atomic_fetch_sub_explicit(&op->pending, 1, memory_order_release);
}

void verbs_progress(struct verbs_fabric *v)
{
    struct ibv_wc wc[16];
    if (pthread_spin_trylock(&v->poll_lock) != 0)
        return;
    int n = ibv_poll_cq(v->send_cq, 16, wc);
    pthread_spin_unlock(&v->poll_lock);
    for (int i = 0; i < n; i++)
        verbs_complete(v, &wc[i]);
}

/* Sleeps until a completion arrives, at most a millisecond: another thread may take the awaited
 * one. */
static void verbs_sleep_for_completion(struct verbs_fabric *v, struct fabric_op *op)
{
    struct pollfd fd = { .fd = v->send_channel->fd, .events = POLLIN };
    struct ibv_cq *cq;
    void *ctx;
    if (ibv_req_notify_cq(v->send_cq, 0) != 0)
        return;
    verbs_progress(v); /* completions before arming raise no event */
    if (atomic_load_explicit(&op->pending, memory_order_acquire) == 0)
        return;
    if (poll(&fd, 1, 1) > 0 && ibv_get_cq_event(v->send_channel, &cq, &ctx) == 0)
        ibv_ack_cq_events(cq, 1);
}

void verbs_wait(struct fabric *f, struct fabric_op *op)
{
    struct verbs_fabric *v = verbs_of(f);
    for (int i = 0; atomic_load_explicit(&op->pending, memory_order_acquire) != 0; i++) {
        verbs_progress(v);
        if (i >= 200)
            verbs_sleep_for_completion(v, op);
        else if (i % 20 == 19)
            sched_yield();
    }
}

static bool verbs_test(struct fabric *f, struct fabric_op *op)
{
    if (atomic_load_explicit(&op->pending, memory_order_acquire) != 0)
        verbs_progress(verbs_of(f));
    return atomic_load_explicit(&op->pending, memory_order_acquire) == 0;
}

/* ---- starting ---- */

static enum ibv_wr_opcode verbs_opcode_of(enum verbs_kind kind)
{
    static const enum ibv_wr_opcode opcode[] = { IBV_WR_RDMA_READ, IBV_WR_RDMA_WRITE,
                                                 IBV_WR_RDMA_WRITE_WITH_IMM,
                                                 IBV_WR_ATOMIC_CMP_AND_SWP,
                                                 IBV_WR_ATOMIC_FETCH_AND_ADD };
    return opcode[kind];
}

static void verbs_fill_request(struct ibv_send_wr *wr, struct ibv_sge *sge,
                               const struct verbs_order *o)
{
    *sge = (struct ibv_sge){ .addr = (uint64_t)(uintptr_t)o->local,
                             .length = (uint32_t)o->len,
                             .lkey = o->lkey };
    *wr = (struct ibv_send_wr){ .sg_list = sge,
                                .num_sge = o->len ? 1 : 0,
                                .opcode = verbs_opcode_of(o->kind) };
    if (o->is_inline)
        wr->send_flags |= IBV_SEND_INLINE;
    if (o->kind == VERBS_CAS || o->kind == VERBS_FETCH_ADD) {
        wr->wr.atomic.remote_addr = o->remote;
        wr->wr.atomic.rkey = o->rkey;
        wr->wr.atomic.compare_add = o->a;
        wr->wr.atomic.swap = o->b;
        return;
    }
    wr->wr.rdma.remote_addr = o->remote;
    wr->wr.rdma.rkey = o->rkey;
    if (o->kind == VERBS_WRITE_IMM) {
        wr->imm_data = htobe32(o->imm);
        if (o->urgent)
            wr->send_flags |= IBV_SEND_SOLICITED;
    }
}

/* Waits for a free entry of the peer's send queue; returns with its lock held. */
static void verbs_take_place(struct verbs_fabric *v, struct verbs_peer *p)
{
    for (;;) {
        pthread_spin_lock(&p->lock);
        if (p->posted - p->retired < VERBS_DEPTH)
            return;
        pthread_spin_unlock(&p->lock);
        verbs_progress(v);
        sched_yield();
    }
}

void verbs_post(struct verbs_fabric *v, const struct verbs_order *o)
{
    struct verbs_peer *p = &v->peer[o->peer];
    struct ibv_send_wr wr, *bad;
    struct ibv_sge sge;
    verbs_fill_request(&wr, &sge, o);
    uint32_t slot = NO_SLOT;
    if (o->op || o->bounce >= 0)
        slot = (uint32_t)verbs_await_slot(v, v->free_work, &v->free_works);
    if (o->op)
        atomic_fetch_add_explicit(&o->op->pending, 1, memory_order_relaxed);
    verbs_take_place(v, p);
    /* waiting for a slot takes this lock */
    while (slot == NO_SLOT && p->unsignalled + 1 >= VERBS_SIGNAL_EVERY) {
        pthread_spin_unlock(&p->lock);
        slot = (uint32_t)verbs_await_slot(v, v->free_work, &v->free_works);
        verbs_take_place(v, p);
    }
    p->posted++;
    p->unsignalled++;
    wr.wr_id = WR_ID(slot, o->kind);
    if (slot != NO_SLOT) {
        v->work[slot] = (struct verbs_work){ .op = o->op,
                                             .peer = o->peer,
                                             .bounce = o->bounce,
                                             .dst = o->dst,
                                             .parts = o->parts,
                                             .region = o->region,
                                             .len = o->len,
                                             .retires = p->unsignalled };
        wr.send_flags |= IBV_SEND_SIGNALED;
        p->unsignalled = 0;
    }
    int rc = ibv_post_send(p->qp, &wr, &bad);
    pthread_spin_unlock(&p->lock);
    if (rc)
        verbs_fail(v, kind_name[o->kind], o->peer, strerror(rc));
}

void verbs_take_bounce(struct verbs_fabric *v, struct verbs_order *o)
{
    o->bounce = verbs_await_slot(v, v->free_bounce, &v->free_bounces);
    o->local = verbs_bounce_at(v, o->bounce);
    o->lkey = v->bounce_mr->lkey;
}

static void verbs_add_count(_Atomic uint64_t *c, uint64_t by)
{
    atomic_fetch_add_explicit(c, by, memory_order_relaxed);
}

/* Starts one part of a transfer, within one piece at either end; returns its length. */
static size_t verbs_start_part(struct verbs_fabric *v, struct verbs_order *o, int win, size_t off,
                               char *local, size_t len)
{
    o->bounce = -1;
    o->dst = NULL;
    o->is_inline = false;
    o->rkey = verbs_remote_key(v, o->peer, win, off, &len);
    o->remote = verbs_remote_at(v, o->peer, win, off);
    o->local = local;
    if (o->kind != VERBS_READ && len <= v->max_inline) {
        o->is_inline = true;
    } else if (!o->op || !verbs_local_key(v, local, o->kind == VERBS_READ, &o->lkey, &len)) {
        if (len > FABRIC_INLINE)
            len = FABRIC_INLINE;
        verbs_take_bounce(v, o);
        if (o->kind == VERBS_READ)
            o->dst = local;
        else
            memcpy(o->local, local, len);
    }
    o->len = len;
    return len;
}

void verbs_transfer(struct verbs_fabric *v, struct verbs_order *o, int win, size_t off, char *local,
                    size_t len)
{
    enum verbs_kind kind = o->kind;
    while (len || kind == VERBS_WRITE_IMM) {
        o->kind = kind == VERBS_WRITE_IMM ? VERBS_WRITE : kind;
        size_t n = verbs_start_part(v, o, win, off, local, len);
        /* the last part carries the event [fabric.write-order] */
        if (kind == VERBS_WRITE_IMM && n == len) {
            o->kind = VERBS_WRITE_IMM;
            verbs_post(v, o);
            return;
        }
        verbs_post(v, o);
        off += n;
        local += n;
        len -= n;
    }
}

void verbs_read(struct fabric *f, int peer, int win, size_t off, void *dst, size_t len,
                struct fabric_op *op)
{
    struct verbs_fabric *v = verbs_of(f);
    struct verbs_order o = { .kind = VERBS_READ, .peer = peer, .op = op };
    assert(op);
    verbs_add_count(&v->reads, 1);
    verbs_add_count(&v->count[peer].read_bytes, len);
    if (v->peer[peer].near) {
        shm_copy(dst, v->window[win].near[peer] + off, len);
        atomic_thread_fence(memory_order_acquire);
        return;
    }
    verbs_transfer(v, &o, win, off, dst, len);
}

/* The fences order it after the caller's earlier writes, and before any write that announces it. */
static void verbs_write_near(struct verbs_fabric *v, int peer, int win, size_t off, const void *src,
                             size_t len)
{
    atomic_thread_fence(memory_order_release);
    shm_copy(v->window[win].near[peer] + off, src, len);
    atomic_thread_fence(memory_order_release);
}

void verbs_write(struct fabric *f, int peer, int win, size_t off, const void *src, size_t len,
                 struct fabric_op *op)
{
    struct verbs_fabric *v = verbs_of(f);
    struct verbs_order o = { .kind = VERBS_WRITE, .peer = peer, .op = op };
    verbs_add_count(&v->writes, 1);
    verbs_add_count(&v->count[peer].written_bytes, len);
    if (v->peer[peer].near) {
        verbs_write_near(v, peer, win, off, src, len);
        return;
    }
    verbs_transfer(v, &o, win, off, (char *)(uintptr_t)src, len);
}

/* A run that the adapter copies when it is posted needs no completion: the next awaited operation
 * follows it [fabric.write-order]. */
static void verbs_write_runs(struct fabric *f, int peer, int win, size_t off,
                             const struct fabric_run *runs, uint32_t count, const void *src,
                             struct fabric_op *op)
{
    struct verbs_fabric *v = verbs_of(f);
    const char *from = src;
    for (uint32_t i = 0; i < count; i++) {
        bool last = i == count - 1;
        verbs_write(f, peer, win, off + runs[i].offset, from, runs[i].bytes,
                    last || runs[i].bytes > v->max_inline ? op : NULL);
        from += runs[i].bytes;
    }
}

/* A write whose last part carries `o->imm`. */
static void verbs_write_event(struct verbs_fabric *v, struct verbs_order *o, int win, size_t off,
                              const void *src, size_t len)
{
    verbs_add_count(&v->writes, 1);
    verbs_add_count(&v->count[o->peer].written_bytes, len);
    if (v->peer[o->peer].near) {
        verbs_write_near(v, o->peer, win, off, src, len);
        o->bounce = -1;
        verbs_post(v, o); /* only the event */
    } else {
        verbs_transfer(v, o, win, off, (char *)(uintptr_t)src, len);
    }
}

static void verbs_write_imm(struct fabric *f, int peer, int win, size_t off, const void *src,
                            size_t len, uint32_t imm, bool urgent, struct fabric_op *op)
{
    struct verbs_order o = {
        .kind = VERBS_WRITE_IMM, .peer = peer, .op = op, .imm = imm, .urgent = urgent
    };
    assert(imm < VERBS_IMM_INTERNAL);
    verbs_write_event(verbs_of(f), &o, win, off, src, len);
}

/* One work request: the peer's fabric consumes its event, and does not deliver it. */
static void verbs_write_wake(struct fabric *f, int peer, int win, size_t off, const void *src,
                             size_t len, struct fabric_op *op)
{
    struct verbs_order o = {
        .kind = VERBS_WRITE_IMM, .peer = peer, .op = op, .imm = VERBS_IMM_WAKE, .urgent = true
    };
    verbs_write_event(verbs_of(f), &o, win, off, src, len);
}

static void verbs_start_atomic(struct verbs_fabric *v, struct verbs_order *o, int win, size_t off,
                               uint64_t *old)
{
    size_t len = 8;
    assert(o->op);
    verbs_add_count(&v->atomics, 1);
    o->rkey = verbs_remote_key(v, o->peer, win, off, &len);
    o->remote = verbs_remote_at(v, o->peer, win, off);
    verbs_take_bounce(v, o);
    o->len = 8;
    o->dst = old;
    verbs_post(v, o);
}

static void verbs_cas(struct fabric *f, int peer, int win, size_t off, uint64_t expect,
                      uint64_t desired, uint64_t *old, struct fabric_op *op)
{
    struct verbs_order o = { .kind = VERBS_CAS, .peer = peer, .op = op, .a = expect, .b = desired };
    verbs_start_atomic(verbs_of(f), &o, win, off, old);
}

static void verbs_fetch_add(struct fabric *f, int peer, int win, size_t off, uint64_t add,
                            uint64_t *old, struct fabric_op *op)
{
    struct verbs_order o = { .kind = VERBS_FETCH_ADD, .peer = peer, .op = op, .a = add };
    verbs_start_atomic(verbs_of(f), &o, win, off, old);
}

/* An event without data, for the fabric itself. */
void verbs_send_internal(struct verbs_fabric *v, int peer, uint32_t imm, bool urgent)
{
    struct verbs_order o = {
        .kind = VERBS_WRITE_IMM, .peer = peer, .imm = imm, .urgent = urgent, .bounce = -1
    };
    verbs_post(v, &o);
}

/* A short operation at a plain address of the peer's. */
static void verbs_start_at(struct verbs_fabric *v, struct verbs_order *o, void *dst,
                           const void *value)
{
    verbs_take_bounce(v, o);
    o->dst = dst;
    if (value)
        memcpy(o->local, value, o->len);
    verbs_post(v, o);
}

void verbs_read_at(struct verbs_fabric *v, int peer, uint64_t addr, uint32_t rkey, void *dst,
                   size_t len, struct fabric_op *op)
{
    struct verbs_order o = {
        .kind = VERBS_READ, .peer = peer, .op = op, .remote = addr, .rkey = rkey, .len = len
    };
    verbs_start_at(v, &o, dst, NULL);
}

void verbs_write_word(struct verbs_fabric *v, int peer, uint64_t addr, uint32_t rkey,
                      uint64_t value, struct fabric_op *op)
{
    struct verbs_order o = {
        .kind = VERBS_WRITE, .peer = peer, .op = op, .remote = addr, .rkey = rkey, .len = 8
    };
    verbs_start_at(v, &o, NULL, &value);
}

static void verbs_wake(struct fabric *f, int peer)
{
    verbs_send_internal(verbs_of(f), peer, VERBS_IMM_WAKE, true);
}

/* ---- opening and closing ---- */

static void verbs_release(struct verbs_fabric *v)
{
    verbs_registrar_stop(v);
    verbs_disconnect(v);
    verbs_count_end(v);
    verbs_memory_end(v);
    verbs_rx_end(v);
    verbs_release_device(v);
    free(v);
}

/* The registrar may have keys in flight to any peer: no node disconnects before all registrars
 * have ended. */
static void verbs_close(struct fabric *f)
{
    struct verbs_fabric *v = verbs_of(f);
    verbs_registrar_stop(v);
    (void)v->job.exchange(v->job.ctx, NULL, 0, NULL);
    verbs_release(v);
}

/* All nodes adopt the first failure of any node. Collective. */
static int verbs_agree(struct verbs_fabric *v, int mine)
{
    int32_t status = mine, every[NODES_MAX];
    int rc = v->job.exchange(v->job.ctx, &status, sizeof status, every);
    for (int n = 0; n < v->job.nodes && rc == 0; n++)
        rc = every[n];
    return rc;
}

static int verbs_start(struct verbs_fabric *v, bool mixed)
{
    int rc = verbs_agree(v, verbs_find_device(v));
    if (rc == 0)
        rc = verbs_connect(v);
    if (rc == 0 && mixed)
        rc = verbs_near_find(v);
    if (rc)
        return rc;
    rc = verbs_memory_start(v);
    if (rc == 0)
        rc = verbs_rx_start(v);
    if (rc == 0)
        rc = verbs_registrar_start(v);
    rc = verbs_agree(v, rc);
    if (rc == 0)
        rc = verbs_count_start(v);
    if (rc == 0)
        verbs_time_round_trip(v);
    return rc;
}

static int verbs_open_as(const struct fabric_job *job, struct fabric **out, bool mixed)
{
    struct verbs_fabric *v = calloc(1, sizeof *v);
    if (!v)
        return -ENOMEM;
    v->job = *job;
    if (v->job.peer_timeout <= 0)
        v->job.peer_timeout = 5;
    v->head.node = job->node;
    v->head.nodes = job->nodes;
    verbs_may_register(true);
    int rc = verbs_start(v, mixed);
    verbs_may_register(false);
    if (rc) {
        verbs_release(v);
        return rc;
    }
    if (v->device_attr.atomic_cap != IBV_ATOMIC_NONE)
        v->head.caps |= FABRIC_ATOMICS;
    if (v->device_attr.vendor_id == SOFT_ROCE_VENDOR && !mixed)
        v->head.caps |= FABRIC_READ_ORDERED;
    snprintf(v->head.device, sizeof v->head.device, "%s", ibv_get_device_name(v->context->device));
    *out = &v->head;
    return 0;
}

static int verbs_open(const struct fabric_job *job, struct fabric **out)
{
    return verbs_open_as(job, out, false);
}

static int verbs_mixed_open(const struct fabric_job *job, struct fabric **out)
{
    return verbs_open_as(job, out, true);
}

/* The two fabrics differ only in how they are opened. */
#define VERBS_OPS(NAME, OPEN)                                                                     \
    {                                                                                             \
        .name = NAME, .open = OPEN, .caps = FABRIC_READ | FABRIC_WRITE_IMM, .probe = verbs_probe, \
        .describe = verbs_describe, .close = verbs_close, .window_create = verbs_window_create,   \
        .window_discard = verbs_window_discard, .window_prepare = verbs_window_prepare,           \
        .window_require = verbs_window_require, .read = verbs_read, .write = verbs_write,         \
        .write_runs = verbs_write_runs, .write_pieces = verbs_write_pieces,                       \
        .read_pieces = verbs_read_pieces, .write_imm = verbs_write_imm,                           \
        .write_wake = verbs_write_wake, .cas = verbs_cas, .fetch_add = verbs_fetch_add,           \
        .wait = verbs_wait, .test = verbs_test, .rx_poll = verbs_rx_poll,                         \
        .rx_pending = verbs_rx_pending, .rx_busy = verbs_rx_busy, .rx_ticket = verbs_rx_ticket,   \
        .rx_arm = verbs_rx_arm, .rx_sleep = verbs_rx_sleep, .rx_wake = verbs_rx_wake,             \
        .wake = verbs_wake, .counters = verbs_counters, .check = verbs_check,                     \
        .window_release = verbs_window_release, .read_long = verbs_read_long,                     \
        .write_long = verbs_write_long,                                                           \
    }

const struct fabric_ops fabric_verbs = VERBS_OPS("verbs", verbs_open);
const struct fabric_ops fabric_mixed = VERBS_OPS("mixed", verbs_mixed_open);
