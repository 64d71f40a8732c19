/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ofi.c - operations; see ofi.h for the invariants. */
#include "fabric/ofi/ofi.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/addresses.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/futex.h"
#include "fabric/locality.h"
#include "fabric/shm/shm_map.h"
#include "fabric/transports.h"

#define SPINS    200     /* of a thread that waits while nothing arrives, before it sleeps */
#define SLEEP_NS 1000000 /* at a time */
#define COUNT_MS 50      /* for answers that complete the counts */

/* ---- starting operations ---- */

/* At memory that this process maps. */
static void ofi_perform(struct ofi_fabric *o, int peer, const struct ofi_message *m,
                        const void *src, void *dst)
{
    struct ofi_message answer;
    answer.woke = 0;
    ofi_serve(o, peer, o->job.node, m, src, dst, &answer);
    ofi_count(&o->wakes, answer.woke);
    if (m->kind == OFI_READ)
        ofi_count(&ofi_traffic_of(o, o->job.node)->in, m->len);
    else if (m->kind >= OFI_CAS && dst)
        memcpy(dst, &answer.a, sizeof answer.a);
}

/* At this node or another. `src`: of a write; `dst`: of a read, or of the previous value. */
static void ofi_start_op(struct ofi_fabric *o, int peer, const struct ofi_message *m,
                         const void *src, void *dst, struct fabric_op *op, bool more)
{
    bool event = m->kind > OFI_WRITE && m->kind < OFI_CAS;
    if (peer == o->job.node || (o->near[peer] && !event)) {
        ofi_perform(o, peer, m, src, dst);
    } else if (o->near[peer] && m->len) { /* [fabric.write-order]: the data is written before */
        struct ofi_message data = *m, rest = *m;
        data.kind = OFI_WRITE;
        rest.len = 0;
        ofi_perform(o, peer, &data, src, NULL);
        ofi_link_request(o, peer, &rest, NULL, op, NULL, false);
    } else {
        ofi_link_request(o, peer, m, src, op, dst, more);
    }
}

/* In as many messages as it needs: the last is of the kind `last` [fabric.write-order]. */
static void ofi_start_write(struct fabric *f, int peer, struct ofi_message *m, enum ofi_kind last,
                            const void *src, size_t len, struct fabric_op *op, bool more)
{
    struct ofi_fabric *o = ofi_of(f);
    const char *from = src;
    ofi_count(&o->writes, 1);
    ofi_count(&ofi_traffic_of(o, o->job.node)->out, len);
    for (;;) {
        m->len = (uint32_t)(len < o->part ? len : o->part);
        m->kind = (uint16_t)(m->len == len ? last : OFI_WRITE);
        ofi_start_op(o, peer, m, from, NULL, op, more);
        if (m->len == len)
            return;
        m->off += m->len;
        from += m->len;
        len -= m->len;
    }
}

static struct ofi_message ofi_head(int win, size_t off)
{
    return (struct ofi_message){ .win = (uint16_t)win, .off = off };
}

/* Unless the last message is sent later as well (`more`), it sends all. */
static void ofi_start_read(struct fabric *f, int peer, int win, size_t off, void *dst, size_t len,
                           struct fabric_op *op, bool more)
{
    struct ofi_fabric *o = ofi_of(f);
    struct ofi_message m = ofi_head(win, off);
    assert(op);
    ofi_count(&o->reads, 1);
    m.kind = OFI_READ;
    for (char *to = dst; len; to += m.len, m.off += m.len, len -= m.len) {
        m.len = (uint32_t)(len < o->part ? len : o->part);
        ofi_start_op(o, peer, &m, NULL, to, op, more || m.len < len);
    }
}

static void ofi_read(struct fabric *f, int peer, int win, size_t off, void *dst, size_t len,
                     struct fabric_op *op)
{
    ofi_start_read(f, peer, win, off, dst, len, op, false);
}

static void ofi_read_pieces(struct fabric *f, int peer, int win, const struct fabric_piece *pieces,
                            size_t count, struct fabric_op *op)
{
    for (size_t i = 0; i < count; i++)
        ofi_start_read(f, peer, win, pieces[i].off, pieces[i].local, pieces[i].len, op, true);
    ofi_link_send_queued(ofi_of(f), peer);
}

static void ofi_write(struct fabric *f, int peer, int win, size_t off, const void *src, size_t len,
                      struct fabric_op *op)
{
    struct ofi_message m = ofi_head(win, off);
    ofi_start_write(f, peer, &m, OFI_WRITE, src, len, op, false);
}

static void ofi_write_pieces(struct fabric *f, int peer, int win, const struct fabric_piece *pieces,
                             size_t count, struct fabric_op *op)
{
    for (size_t i = 0; i < count; i++) {
        struct ofi_message m = ofi_head(win, pieces[i].off);
        ofi_start_write(f, peer, &m, OFI_WRITE, pieces[i].local, pieces[i].len, op, true);
    }
    ofi_link_send_queued(ofi_of(f), peer);
}

static void ofi_write_runs(struct fabric *f, int peer, int win, size_t off,
                           const struct fabric_run *runs, uint32_t count, const void *src,
                           struct fabric_op *op)
{
    const char *from = src;
    for (uint32_t i = 0; i < count; from += runs[i++].bytes) {
        struct ofi_message m = ofi_head(win, off + runs[i].offset);
        ofi_start_write(f, peer, &m, OFI_WRITE, from, runs[i].bytes, op, true);
    }
    ofi_link_send_queued(ofi_of(f), peer);
}

static void ofi_write_imm(struct fabric *f, int peer, int win, size_t off, const void *src,
                          size_t len, uint32_t imm, bool urgent, struct fabric_op *op)
{
    struct ofi_message m = ofi_head(win, off);
    m.imm = imm;
    ofi_start_write(f, peer, &m, urgent ? OFI_WRITE_URGENT : OFI_WRITE_EVENT, src, len, op, false);
}

static void ofi_write_wake(struct fabric *f, int peer, int win, size_t off, const void *src,
                           size_t len, struct fabric_op *op)
{
    struct ofi_message m = ofi_head(win, off);
    ofi_start_write(f, peer, &m, OFI_WRITE_WAKE, src, len, op, false);
}

static void ofi_wake(struct fabric *f, int peer)
{
    struct ofi_message m = ofi_head(0, 0);
    m.kind = OFI_WRITE_WAKE;
    ofi_start_op(ofi_of(f), peer, &m, &m, NULL, NULL, false);
}

static void ofi_start_atomic(struct fabric *f, int peer, struct ofi_message *m, enum ofi_kind kind,
                             uint64_t *old, struct fabric_op *op)
{
    assert(op);
    ofi_count(&ofi_of(f)->atomics, 1);
    m->kind = (uint16_t)kind;
    m->len = sizeof *old;
    ofi_start_op(ofi_of(f), peer, m, NULL, old, op, false);
}

static void ofi_cas(struct fabric *f, int peer, int win, size_t off, uint64_t expect,
                    uint64_t desired, uint64_t *old, struct fabric_op *op)
{
    struct ofi_message m = ofi_head(win, off);
    m.a = expect;
    m.b = desired;
    ofi_start_atomic(f, peer, &m, OFI_CAS, old, op);
}

static void ofi_fetch_add(struct fabric *f, int peer, int win, size_t off, uint64_t add,
                          uint64_t *old, struct fabric_op *op)
{
    struct ofi_message m = ofi_head(win, off);
    m.a = add;
    ofi_start_atomic(f, peer, &m, OFI_ADD, old, op);
}

static void ofi_exchange(struct fabric *f, int peer, int win, size_t off, uint64_t value,
                         uint64_t *old, struct fabric_op *op)
{
    struct ofi_message m = ofi_head(win, off);
    m.a = value;
    ofi_start_atomic(f, peer, &m, OFI_EXCHANGE, old, op);
}

/* ---- waiting ---- */

/* The progress thread lowers the word, or another thread that waits. */
static void ofi_sleep(struct ofi_fabric *o, struct fabric_op *op)
{
    ofi_progress_rouse(o);
    atomic_fetch_add(&o->sleepers, 1);
    uint32_t pending = atomic_load(&op->pending);
    if (pending)
        futex_wait_shared(&op->pending, pending, SLEEP_NS);
    atomic_fetch_sub(&o->sleepers, 1);
}

static void ofi_wait(struct fabric *f, struct fabric_op *op)
{
    for (int i = 0; atomic_load_explicit(&op->pending, memory_order_acquire) != 0; i++) {
        if (ofi_link_progress(ofi_of(f)))
            i = 0;
        else if (i >= SPINS)
            ofi_sleep(ofi_of(f), op);
        else if (i % 20 == 19)
            sched_yield();
    }
}

static bool ofi_test(struct fabric *f, struct fabric_op *op)
{
    if (atomic_load_explicit(&op->pending, memory_order_acquire) != 0)
        ofi_link_progress(ofi_of(f));
    return atomic_load_explicit(&op->pending, memory_order_acquire) == 0;
}

/* Until the requests that have been started are answered, at most `ms` milliseconds (negative: no
 * limit). */
static void ofi_settle(struct ofi_fabric *o, int ms)
{
    int64_t end = clock_ms() + ms;
    for (int n = 0; n < o->job.nodes; n++)
        for (uint64_t until = o->peer[n].started;
             o->peer[n].done < until && (ms < 0 || clock_ms() < end); sched_yield())
            ofi_link_progress(o);
}

/* ---- the receive queue: the one of shm, but only this process uses it ---- */

static int ofi_rx_poll(struct fabric *f, struct fabric_event *ev)
{
    struct ofi_fabric *o = ofi_of(f);
    if (!shm_queue_pending(o->queue))
        ofi_link_progress(o);
    return shm_queue_poll(o->queue, ev);
}

static bool ofi_rx_pending(struct fabric *f)
{
    return shm_queue_pending(ofi_of(f)->queue);
}

static void ofi_rx_busy(struct fabric *f)
{
    atomic_store_explicit(&ofi_of(f)->queue->mode, MODE_POLLING, memory_order_relaxed);
}

static uint32_t ofi_rx_ticket(struct fabric *f, enum fabric_sleeper s)
{
    return atomic_load(&ofi_of(f)->queue->bell[s]);
}

static bool ofi_rx_arm(struct fabric *f, enum fabric_sleeper s, enum fabric_level level)
{
    return shm_queue_arm(ofi_of(f)->queue, s, level);
}

static void ofi_rx_sleep(struct fabric *f, enum fabric_sleeper s, uint32_t ticket,
                         int64_t timeout_ns)
{
    ofi_progress_rouse(ofi_of(f));
    shm_queue_sleep(ofi_of(f)->queue, s, ticket, timeout_ns);
}

static void ofi_rx_wake(struct fabric *f, enum fabric_sleeper s)
{
    shm_queue_ring(ofi_of(f)->queue, s);
}

/* ---- counters and peers ---- */

static void ofi_counters(struct fabric *f, struct fabric_counters *out)
{
    struct ofi_fabric *o = ofi_of(f);
    ofi_settle(o, COUNT_MS); /* the answers say what was read and woken */
    *out = (struct fabric_counters){ .reads = o->reads,
                                     .writes = o->writes,
                                     .atomics = o->atomics,
                                     .wakes = o->wakes,
                                     .bytes_in = ofi_traffic_of(o, o->job.node)->in,
                                     .bytes_out = ofi_traffic_of(o, o->job.node)->out };
}

static void ofi_ping(struct ofi_fabric *o, int peer, struct fabric_op *op)
{
    struct ofi_message m = ofi_head(0, 0);
    m.kind = OFI_PING;
    ofi_link_request(o, peer, &m, NULL, op, NULL, false);
}

/* Decides before peer_timeout: the last sign of the peer may be older than its ping. */
static bool ofi_is_silent(struct ofi_fabric *o, int peer, int64_t now)
{
    if (o->streams) /* [ofi.kernel-answers] */
        return ofi_stream_silent(o, peer, o->job.peer_timeout * 800);
    const struct ofi_peer *p = &o->peer[peer];
    return p->check.pending && now - p->checked_ms > o->job.peer_timeout * 625;
}

/* Keeps one ping in flight to every other node, unless that would wait for an answer. */
static void ofi_check(struct fabric *f)
{
    struct ofi_fabric *o = ofi_of(f);
    int64_t now = clock_ms();
    for (int n = 0; n < o->job.nodes; n++) {
        struct ofi_peer *p = &o->peer[n];
        if (n == o->job.node)
            continue;
        if (p->check.pending == 0) {
            p->checked_ms = now;
            if (p->started - p->done < o->flight / 2)
                ofi_ping(o, n, &p->check);
        }
        if (ofi_is_silent(o, n, now))
            ofi_fail_silent(o, n);
    }
}

/* The least of several, to the next node, which is on another host if one is: any of them may be
 * delayed by a busy machine. */
static void ofi_time_round_trip(struct ofi_fabric *o)
{
    int peer = (o->job.node + 1) % o->job.nodes;
    for (int i = 1; i < o->job.nodes && o->near[peer]; i++)
        peer = (peer + 1) % o->job.nodes;
    for (int i = 0; i < 8 && peer != o->job.node; i++) {
        struct fabric_op op = FABRIC_OP_INIT;
        int64_t begun = clock_ns();
        ofi_ping(o, peer, &op);
        ofi_wait(&o->head, &op);
        int64_t took = clock_ns() - begun;
        if (i == 0 || took < o->head.round_trip_ns)
            o->head.round_trip_ns = took;
    }
}

/* ---- windows ---- */

/* All nodes adopt the first failure of any node. Collective. */
static int ofi_agree(struct ofi_fabric *o, int mine)
{
    int32_t status = mine, every[NODES_MAX];
    int rc = o->job.exchange(o->job.ctx, &status, sizeof status, every);
    for (int n = 0; n < o->job.nodes && rc == 0; n++)
        rc = every[n];
    return rc;
}

static void ofi_window_end(struct ofi_fabric *o, struct ofi_window *w)
{
    for (int n = 0; n < o->job.nodes; n++)
        if (w->at[n])
            addresses_unmap(w->at[n], w->size);
    if (w->size && w->fd >= 0)
        close(w->fd);
    *w = (struct ofi_window){ 0 };
}

/* Collective. *count rises once the window can be used here: a peer may be faster. */
static int ofi_window_make(struct ofi_fabric *o, struct ofi_window *w, size_t size,
                           _Atomic int *count)
{
    *w = (struct ofi_window){ .size = size, .fd = shm_make_object(size) };
    int rc = w->fd < 0 ? w->fd : shm_map_object(w->fd, size, &w->at[o->job.node]);
    *count += rc == 0;
    rc = ofi_agree(o, rc);
    if (rc == 0 && o->mixed)
        rc = shm_map_near(&o->job, o->near, w->fd, size, w->at);
    if (rc)
        ofi_window_end(o, w);
    return rc;
}

static int ofi_window_create(struct fabric *f, size_t size, struct fabric_window *out)
{
    struct ofi_fabric *o = ofi_of(f);
    int id = o->windows;
    if (id == FABRIC_WINDOWS)
        return -ENOSPC;
    struct ofi_window *w = &o->window[id];
    int rc = ofi_window_make(o, w, size, &o->windows);
    if (rc)
        return rc;
    *out =
        (struct fabric_window){ .id = id, .fd = w->fd, .base = w->at[o->job.node], .size = size };
    return 0;
}

static int ofi_window_discard(struct fabric *f, int win, size_t off, size_t len)
{
    int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
    return fallocate(ofi_of(f)->window[win].fd, mode, (off_t)off, (off_t)len) == 0 ? 0 : -errno;
}

static bool ofi_window_release(struct fabric *f, int win, size_t off, size_t len)
{
    return ofi_window_discard(f, win, off, len) == 0;
}

/* ---- opening and closing ---- */

static void ofi_release(struct ofi_fabric *o)
{
    ofi_progress_end(o);
    ofi_connect_end(o);
    ofi_link_end(o);
    ofi_stream_end(o);
    for (int w = 0; w < o->windows; w++)
        ofi_window_end(o, &o->window[w]);
    ofi_window_end(o, &o->traffic);
    ofi_choose_end(o);
    free(o->queue);
    free(o);
}

static void ofi_report_refused(struct ofi_fabric *o)
{
    char line[160];
    snprintf(line, sizeof line,
             "ofi: %llu connections or messages without the job's secret were refused; another "
             "program reaches this node's port",
             (unsigned long long)o->refused);
    if (o->refused && o->job.note)
        o->job.note(line);
}

/* No node ends before all have their answers. */
static void ofi_close(struct fabric *f)
{
    struct ofi_fabric *o = ofi_of(f);
    ofi_settle(o, -1);
    atomic_store(&o->closing, true);
    (void)o->job.exchange(o->job.ctx, NULL, 0, NULL);
    ofi_report_refused(o);
    ofi_release(o);
}

static int ofi_make_queue(struct ofi_fabric *o)
{
    uint64_t entries = shm_queue_size((uint64_t)o->job.rx_depth * (uint64_t)o->job.nodes);
    size_t bytes = (shm_queue_bytes(entries) + 63) / 64 * 64;
    o->queue = aligned_alloc(64, bytes);
    if (!o->queue)
        return -ENOMEM;
    memset(o->queue, 0, bytes);
    shm_queue_init(o->queue, entries);
    return 0;
}

/* One stack of the network: then the loopback interface reaches all nodes. */
static int ofi_find_local(struct ofi_fabric *o)
{
    struct locality here;
    struct stat net;
    uint64_t every[NODES_MAX];
    locality_here(&here);
    uint64_t space = stat("/proc/self/ns/net", &net) == 0 ? net.st_ino : 0;
    uint64_t digest = digest_add(DIGEST_START, here.boot_id, sizeof here.boot_id);
    digest = digest_add(digest, &space, sizeof space);
    int rc = o->job.exchange(o->job.ctx, &digest, sizeof digest, every);
    o->local = rc == 0 && space && digest_alike(every, o->job.nodes);
    return rc;
}

/* The reason of a failure goes to the program; status is for all nodes. */
static int ofi_explain(struct ofi_fabric *o, int rc, const char *why)
{
    char line[400];
    snprintf(line, sizeof line, "ofi: %s", why);
    if (rc && o->job.fail)
        o->job.fail(line);
    return rc;
}

static int ofi_start_own(struct ofi_fabric *o)
{
    char why[300] = "";
    int rc = ofi_choose(o, why, sizeof why);
    if (rc)
        return ofi_explain(o, rc, why);
    rc = ofi_make_queue(o);
    rc = rc ? rc : ofi_link_start(o);
    rc = rc ? rc : ofi_connect_start(o);
    rc = rc ? rc : ofi_progress_start(o);
    if (rc)
        snprintf(why, sizeof why, "%s:%s: %s", o->info->fabric_attr->prov_name,
                 o->info->domain_attr->name, ofi_choose_error(rc));
    return ofi_explain(o, rc, why);
}

/* The two ends of a connection have to use it in one way. Collective. */
static int ofi_compare(struct ofi_fabric *o)
{
    uint64_t mine = o->streams, every[NODES_MAX];
    int rc = o->job.exchange(o->job.ctx, &mine, sizeof mine, every);
    if (rc || digest_alike(every, o->job.nodes))
        return rc;
    return ofi_explain(o, -EXDEV, "the nodes use different releases or providers of libfabric");
}

static int ofi_start(struct ofi_fabric *o)
{
    char why[300] = "";
    _Atomic int made = 0;
    int rc = ofi_find_local(o);
    rc = rc || !o->mixed ? rc : locality_near(&o->job, o->near);
    rc = rc ? rc : ofi_window_make(o, &o->traffic, sizeof(struct ofi_traffic), &made);
    rc = rc ? rc : ofi_agree(o, ofi_start_own(o));
    rc = rc ? rc : ofi_compare(o);
    if (rc)
        return rc;
    rc = ofi_connect(o, why, sizeof why);
    rc = ofi_agree(o, ofi_explain(o, rc, why));
    return rc || !o->streams
               ? rc
               : ofi_agree(o, ofi_explain(o, ofi_stream_take_all(o),
                                          "the sockets of libfabric's connections are not found"));
}

/* Signals of the program are blocked in the threads that this starts. */
static int ofi_open_as(const struct fabric_job *job, struct fabric **out, bool mixed)
{
    struct ofi_fabric *o = calloc(1, sizeof *o);
    struct ofi_signals actions;
    sigset_t all, before;
    if (!o)
        return -ENOMEM;
    o->job = *job;
    o->mixed = mixed;
    if (o->job.peer_timeout <= 0)
        o->job.peer_timeout = 5;
    o->kick_fd = o->wait_fd = -1;
    pthread_mutex_init(&o->net_lock, NULL);
    pthread_mutex_init(&o->list_lock, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    ofi_choose_save(&actions);
    int rc = ofi_start(o);
    ofi_choose_restore(&actions);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc) {
        ofi_release(o);
        return rc;
    }
    ofi_time_round_trip(o);
    snprintf(o->head.device, sizeof o->head.device, "%s:%s", o->info->fabric_attr->prov_name,
             o->info->domain_attr->name);
    *out = &o->head;
    return 0;
}

static int ofi_open(const struct fabric_job *job, struct fabric **out)
{
    return ofi_open_as(job, out, false);
}

static int ofi_mixed_open(const struct fabric_job *job, struct fabric **out)
{
    return ofi_open_as(job, out, true);
}

/* The two fabrics differ only in how they are opened. */
#define OFI_OPS(NAME, OPEN)                                                                       \
    {                                                                                             \
        .name = NAME, .open = OPEN,                                                               \
        .caps = FABRIC_READ | FABRIC_ATOMICS | FABRIC_WRITE_IMM | FABRIC_READ_ORDERED |           \
                FABRIC_ATOMICS_NARROW,                                                            \
        .probe = ofi_probe, .slow_probe = true, .describe = ofi_describe, .close = ofi_close,     \
        .window_create = ofi_window_create, .window_discard = ofi_window_discard,                 \
        .window_release = ofi_window_release, .read = ofi_read, .write = ofi_write,               \
        .read_pieces = ofi_read_pieces, .write_pieces = ofi_write_pieces,                         \
        .write_runs = ofi_write_runs, .read_long = ofi_long_read, .write_long = ofi_long_write,   \
        .write_imm = ofi_write_imm, .write_wake = ofi_write_wake, .cas = ofi_cas,                 \
        .fetch_add = ofi_fetch_add, .exchange = ofi_exchange, .wait = ofi_wait, .test = ofi_test, \
        .rx_poll = ofi_rx_poll, .rx_pending = ofi_rx_pending, .rx_busy = ofi_rx_busy,             \
        .rx_ticket = ofi_rx_ticket, .rx_arm = ofi_rx_arm, .rx_sleep = ofi_rx_sleep,               \
        .rx_wake = ofi_rx_wake, .wake = ofi_wake, .counters = ofi_counters, .check = ofi_check,   \
    }

const struct fabric_ops fabric_ofi = OFI_OPS("ofi", ofi_open);
const struct fabric_ops fabric_ofi_mixed = OFI_OPS("mixed", ofi_mixed_open);
