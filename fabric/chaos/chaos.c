/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* chaos.c - see chaos.h for its behaviour and guarantees, chaos_parts.h for the invariants. */
#include "fabric/chaos/chaos.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/chaos/chaos_parts.h"
#include "fabric/failure.h"

static struct chaos *chaos_of(struct fabric *f)
{
    return (struct chaos *)f;
}

/* ---- starting ---- */

static struct chaos_job chaos_job_at(enum chaos_kind kind, int peer, int win, size_t off,
                                     struct fabric_op *op)
{
    return (struct chaos_job){ .kind = kind, .peer = peer, .win = win, .off = off, .op = op };
}

static void chaos_start(struct fabric *f, const struct chaos_job *j, _Atomic uint64_t *counter)
{
    struct chaos *c = chaos_of(f);
    struct chaos_slot *s = chaos_slot_take(c);
    s->job = *j;
    chaos_slot_start(c, s);
    if (counter)
        atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

static void chaos_start_inline_write(struct fabric *f, const struct chaos_job *j)
{
    struct chaos *c = chaos_of(f);
    char copy[FABRIC_INLINE];
    assert(j->len <= FABRIC_INLINE);
    if (j->len)
        memcpy(copy, j->at.src, j->len);
    struct chaos_slot *s = chaos_slot_take(c);
    s->job = *j;
    s->job.at.src = memcpy(s->copy, copy, j->len);
    chaos_slot_start(c, s);
    atomic_fetch_add_explicit(&c->writes, 1, memory_order_relaxed);
}

static void chaos_start_write(struct fabric *f, struct chaos_job *j, const void *src, size_t len)
{
    j->at.src = src;
    j->len = len;
    if ((j->kind == WRITE_IMM || j->kind == WRITE_WAKE) && !(f->caps & FABRIC_WRITE_IMM))
        failure_fabric_lacks(f, "write with immediate");
    if (j->op)
        chaos_start(f, j, &chaos_of(f)->writes);
    else
        chaos_start_inline_write(f, j);
}

static void chaos_write(struct fabric *f, int peer, int win, size_t off, const void *src,
                        size_t len, struct fabric_op *op)
{
    struct chaos_job j = chaos_job_at(WRITE, peer, win, off, op);
    chaos_start_write(f, &j, src, len);
}

static void chaos_write_imm(struct fabric *f, int peer, int win, size_t off, const void *src,
                            size_t len, uint32_t imm, bool urgent, struct fabric_op *op)
{
    struct chaos_job j = chaos_job_at(WRITE_IMM, peer, win, off, op);
    j.a = imm;
    j.urgent = urgent;
    chaos_start_write(f, &j, src, len);
}

static void chaos_write_wake(struct fabric *f, int peer, int win, size_t off, const void *src,
                             size_t len, struct fabric_op *op)
{
    struct chaos_job j = chaos_job_at(WRITE_WAKE, peer, win, off, op);
    chaos_start_write(f, &j, src, len);
}

static void chaos_read(struct fabric *f, int peer, int win, size_t off, void *dst, size_t len,
                       struct fabric_op *op)
{
    struct chaos_job j = chaos_job_at(READ, peer, win, off, op);
    j.len = len;
    j.at.dst = dst;
    if (!(f->caps & FABRIC_READ))
        failure_fabric_lacks(f, "read");
    if (op && chaos_of(f)->strength > 0)
        memset(dst, 0xa5, len); /* no thread may read it before completion */
    chaos_start(f, &j, &chaos_of(f)->reads);
}

static void chaos_start_atomic(struct fabric *f, struct chaos_job *j, uint64_t a, uint64_t *old)
{
    j->a = a;
    j->at.old = old;
    if (!(f->caps & FABRIC_ATOMICS))
        failure_fabric_lacks(f, "atomics");
    chaos_start(f, j, &chaos_of(f)->atomics);
}

static void chaos_cas(struct fabric *f, int peer, int win, size_t off, uint64_t expect,
                      uint64_t desired, uint64_t *old, struct fabric_op *op)
{
    struct chaos_job j = chaos_job_at(CAS, peer, win, off, op);
    j.b = desired;
    chaos_start_atomic(f, &j, expect, old);
}

static void chaos_fetch_add(struct fabric *f, int peer, int win, size_t off, uint64_t add,
                            uint64_t *old, struct fabric_op *op)
{
    struct chaos_job j = chaos_job_at(FETCH_ADD, peer, win, off, op);
    chaos_start_atomic(f, &j, add, old);
}

/* Offered if the fabric below has it. */
static void chaos_exchange(struct fabric *f, int peer, int win, size_t off, uint64_t value,
                           uint64_t *old, struct fabric_op *op)
{
    struct chaos_job j = chaos_job_at(EXCHANGE, peer, win, off, op);
    chaos_start_atomic(f, &j, value, old);
}

static void chaos_wake(struct fabric *f, int peer)
{
    struct chaos_job j = { .kind = WAKE, .peer = peer };
    chaos_start(f, &j, NULL);
}

/* ---- waiting ---- */

static void chaos_wait(struct fabric *f, struct fabric_op *op)
{
    struct chaos *c = chaos_of(f);
    if (atomic_load_explicit(&op->pending, memory_order_acquire) == 0)
        return;
    pthread_mutex_lock(&c->lock);
    if (chaos_chance(c, 256) || c->strength == 0)
        chaos_expedite(c, op);
    while (atomic_load_explicit(&op->pending, memory_order_acquire) != 0) {
        int64_t next = chaos_progress(c, true);
        if (atomic_load_explicit(&op->pending, memory_order_acquire) == 0)
            break;
        chaos_rouse(c, next);
        chaos_sleep(c, &c->news, next);
    }
    pthread_mutex_unlock(&c->lock);
}

static bool chaos_test(struct fabric *f, struct fabric_op *op)
{
    struct chaos *c = chaos_of(f);
    pthread_mutex_lock(&c->lock);
    chaos_rouse(c, chaos_progress(c, true));
    pthread_mutex_unlock(&c->lock);
    return atomic_load_explicit(&op->pending, memory_order_acquire) == 0;
}

/* ---- the receive queue ---- */

/* Any call may make progress. */
static void chaos_call_progress(struct chaos *c)
{
    if (atomic_load_explicit(&c->listed, memory_order_relaxed) == 0 ||
        pthread_mutex_trylock(&c->lock) != 0)
        return;
    chaos_rouse(c, chaos_progress(c, !c->lazy));
    pthread_mutex_unlock(&c->lock);
}

static bool chaos_healing_chance(struct chaos *c, unsigned of_1024)
{
    if (!c->heals || pthread_mutex_trylock(&c->lock) != 0)
        return false;
    bool yes = chaos_chance(c, of_1024);
    pthread_mutex_unlock(&c->lock);
    return yes;
}

static int chaos_rx_poll(struct fabric *f, struct fabric_event *ev)
{
    struct chaos *c = chaos_of(f);
    chaos_call_progress(c);
    return c->below->ops.rx_poll(c->below, ev);
}

static bool chaos_rx_pending(struct fabric *f)
{
    struct fabric *below = chaos_of(f)->below;
    return below->ops.rx_pending(below);
}

static uint64_t chaos_rx_mark(struct fabric *f)
{
    return fabric_rx_mark(chaos_of(f)->below);
}

static bool chaos_rx_past(struct fabric *f, uint64_t mark)
{
    return fabric_rx_past(chaos_of(f)->below, mark);
}

static void chaos_rx_busy(struct fabric *f)
{
    struct fabric *below = chaos_of(f)->below;
    below->ops.rx_busy(below);
}

static uint32_t chaos_rx_ticket(struct fabric *f, enum fabric_sleeper s)
{
    struct fabric *below = chaos_of(f)->below;
    return below->ops.rx_ticket(below, s);
}

/* With HLRC_CHAOS_HEAL, fails now and then, as if an event had just arrived and another poll had
 * taken it. */
static bool chaos_rx_arm(struct fabric *f, enum fabric_sleeper s, enum fabric_level level)
{
    struct chaos *c = chaos_of(f);
    return !chaos_healing_chance(c, 32) && c->below->ops.rx_arm(c->below, s, level);
}

static void chaos_rx_sleep(struct fabric *f, enum fabric_sleeper s, uint32_t ticket,
                           int64_t timeout_ns)
{
    struct chaos *c = chaos_of(f);
    if (chaos_healing_chance(c, 128))
        return;
    if (chaos_healing_chance(c, 128))
        timeout_ns = timeout_ns < 0 || timeout_ns > 200000 ? 200000 : timeout_ns / 2;
    c->below->ops.rx_sleep(c->below, s, ticket, timeout_ns);
}

static void chaos_rx_wake(struct fabric *f, enum fabric_sleeper s)
{
    struct fabric *below = chaos_of(f)->below;
    below->ops.rx_wake(below, s);
}

/* ---- the rest ---- */

static void chaos_counters(struct fabric *f, struct fabric_counters *out)
{
    struct chaos *c = chaos_of(f);
    c->below->ops.counters(c->below, out);
    out->reads = c->reads;
    out->writes = c->writes;
    out->atomics = c->atomics;
}

static int chaos_window_create(struct fabric *f, size_t size, struct fabric_window *out)
{
    struct fabric *below = chaos_of(f)->below;
    return below->ops.window_create(below, size, out);
}

static int chaos_window_discard(struct fabric *f, int win, size_t off, size_t len)
{
    struct fabric *below = chaos_of(f)->below;
    return below->ops.window_discard(below, win, off, len);
}

static bool chaos_window_release(struct fabric *f, int win, size_t off, size_t len)
{
    return fabric_window_release(chaos_of(f)->below, win, off, len);
}

static int chaos_window_prepare(struct fabric *f, int win, size_t off, size_t len)
{
    return fabric_window_prepare(chaos_of(f)->below, win, off, len);
}

static void chaos_window_require(struct fabric *f, int peer, int win, size_t off, size_t len)
{
    fabric_window_require(chaos_of(f)->below, peer, win, off, len);
}

static void chaos_check(struct fabric *f)
{
    fabric_check(chaos_of(f)->below);
}

static void chaos_free(struct chaos *c)
{
    chaos_drop_slots(c);
    pthread_cond_destroy(&c->work);
    pthread_cond_destroy(&c->news);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

static void chaos_close(struct fabric *f)
{
    struct chaos *c = chaos_of(f);
    struct fabric *below = c->below;
    pthread_mutex_lock(&c->lock);
    for (struct chaos_slot *s = c->list; s; s = s->next)
        s->due = 0;
    c->stopping = true;
    c->strength = 0;
    pthread_cond_signal(&c->work);
    pthread_mutex_unlock(&c->lock);
    pthread_join(c->worker, NULL);
    chaos_free(c);
    below->ops.close(below);
}

static const struct fabric_ops chaos_ops = {
    .name = "chaos",
    .close = chaos_close,
    .window_create = chaos_window_create,
    .window_discard = chaos_window_discard,
    .window_release = chaos_window_release,
    .read = chaos_read,
    .write = chaos_write,
    .write_imm = chaos_write_imm,
    .write_wake = chaos_write_wake,
    .cas = chaos_cas,
    .fetch_add = chaos_fetch_add,
    .exchange = chaos_exchange,
    .wait = chaos_wait,
    .test = chaos_test,
    .rx_poll = chaos_rx_poll,
    .rx_pending = chaos_rx_pending,
    .rx_mark = chaos_rx_mark,
    .rx_past = chaos_rx_past,
    .rx_busy = chaos_rx_busy,
    .rx_ticket = chaos_rx_ticket,
    .rx_arm = chaos_rx_arm,
    .rx_sleep = chaos_rx_sleep,
    .rx_wake = chaos_rx_wake,
    .wake = chaos_wake,
    .counters = chaos_counters,
    .window_require = chaos_window_require,
    .check = chaos_check,
};

static uint64_t chaos_environment_number(const char *name, uint64_t fallback)
{
    const char *text = secure_getenv(name);
    return text && *text ? strtoull(text, NULL, 0) : fallback;
}

/* "FROM:TO:MICROSECONDS,..."; a mistyped delay is an error, because the test would have no
 * effect. */
static int chaos_read_slow_ways(struct chaos *c, const char *text)
{
    while (text && *text) {
        unsigned from, to, us;
        int length = 0;
        if (sscanf(text, "%u:%u:%u%n", &from, &to, &us, &length) != 3 || to >= NODES_MAX ||
            (text[length] == ',' ? text[length + 1] == '\0' : text[length] != '\0')) {
            fprintf(stderr, "hlrc: HLRC_CHAOS_SLOW: \"%s\" is not FROM:TO:MICROSECONDS\n", text);
            return -EINVAL;
        }
        if ((int)from == c->head.node)
            c->way_ns[to] = (int64_t)us * 1000;
        text += text[length] ? length + 1 : length;
    }
    return 0;
}

static int chaos_configure(struct chaos *c)
{
    uint64_t strength = chaos_environment_number("HLRC_CHAOS_STRENGTH", 3);
    c->strength = strength > 9 ? 9 : (int)strength;
    c->random = (chaos_environment_number("HLRC_CHAOS_SEED", 1) + (uint64_t)c->head.node + 1) *
                UINT64_C(0x9e3779b97f4a7c15);
    c->random |= 1; /* 0 would stay 0 */
    c->lazy = chaos_environment_number("HLRC_CHAOS_LAZY", 0) != 0;
    c->heals = chaos_environment_number("HLRC_CHAOS_HEAL", 0) != 0;
    if (chaos_environment_number("HLRC_CHAOS_ORDERED", 0) == 0)
        c->head.caps &= ~(unsigned)FABRIC_READ_ORDERED;
    const char *drop = secure_getenv("HLRC_CHAOS_DROP");
    unsigned node;
    unsigned long long at;
    if (drop && sscanf(drop, "%u:%llu", &node, &at) == 2 && (int)node == c->head.node)
        c->drop_at = at;
    return chaos_read_slow_ways(c, secure_getenv("HLRC_CHAOS_SLOW"));
}

int chaos_stack(struct fabric *below, struct fabric **out)
{
    struct chaos *c = calloc(1, sizeof *c);
    pthread_condattr_t attr;
    if (!c)
        return -ENOMEM;
    c->head = (struct fabric){ .ops = chaos_ops,
                               .node = below->node,
                               .nodes = below->nodes,
                               .neighbours = below->neighbours,
                               .caps = below->caps,
                               .fail = below->fail,
                               .round_trip_ns = below->round_trip_ns };
    c->below = below;
    if (below->ops.window_prepare) /* the engine tests whether it exists */
        c->head.ops.window_prepare = chaos_window_prepare;
    if (!below->ops.exchange)
        c->head.ops.exchange = NULL;
    c->end = &c->list;
    pthread_mutex_init(&c->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&c->work, &attr);
    pthread_cond_init(&c->news, &attr);
    pthread_condattr_destroy(&attr);
    int rc = chaos_configure(c);
    if (rc == 0)
        rc = chaos_make_slots(c);
    if (rc == 0)
        rc = chaos_start_worker(c);
    if (rc) {
        chaos_free(c);
        return rc;
    }
    *out = &c->head;
    return 0;
}
