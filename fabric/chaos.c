/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * chaos.c - see chaos.h for what it does and what it keeps.
 *
 *          start                 due, not blocked            due again
 *   FREE ---------> STARTED ----------------------> DONE ----------------> FREE, op lowered
 *                    |   ^  a piece of it
 *                    +---+
 *
 * Invariants
 *   C1  `list` holds what was started and is not yet reported, in the order of starting; `lock` guards it and all of
 *       struct chaos but the counters. Operations of the fabric below are performed under it, so one at a time.
 *   C2  An operation is blocked while an earlier one that it must not overtake is STARTED (F1, F2, F3).
 *   C3  `op` is not touched after `pending` was lowered for the last time: it may lie on the stack of a waiter.
 *   C4  What a write without op has to say was copied before `start` returned, and before the lock was taken: reading it
 *       may fault.
 *   C5  Nothing here allocates or waits for another node, so everything may be called while serving.
 */
#include "fabric/chaos.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define SLOTS 1024 /* operations in flight; who starts more waits for room */
#define NODES 128
#define FAR INT64_MAX

enum kind { WRITE, WRITE_IMM, WAKE, READ, CAS, FETCH_ADD };
enum state { STARTED, DONE };

/* What was asked for; of a transfer: what is still to be done. */
struct job {
    enum kind kind;
    int peer, win;
    size_t off, len;
    union {
        const char *src;
        char *dst;
        uint64_t *old;
    } at;
    uint64_t a, b; /* operands of atomics; a: immediate of a WRITE_IMM */
    bool urgent;
    struct fabric_op *op;
};

struct slot {
    struct slot *next;
    enum state state;
    int64_t due; /* when the next step is to be made */
    struct job job;
    char copy[FABRIC_INLINE]; /* C4 */
};

struct chaos {
    struct fabric head;
    struct fabric *below;
    pthread_mutex_t lock;
    pthread_cond_t work, news; /* the worker has to look at the list again; something was completed */
    struct slot *slots, *unused;
    struct slot *list, **end;
    uint64_t random;
    int strength;
    bool lazy; /* completions are seen by those who start operations or wait for them, by nobody else */
    int64_t slow_until[NODES]; /* by peer: nothing is performed there before */
    bool stopping;
    int64_t worker_until; /* the worker sleeps until then */
    pthread_t worker;
    uint64_t drop_at, started;
    _Atomic uint64_t reads, writes, atomics; /* as the user of the fabric counts them, without pieces */
    _Atomic int listed;                      /* length of list; read without the lock to leave early */
};

static struct chaos *chaos_of(struct fabric *f)
{
    return (struct chaos *)f;
}

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- chance; ASSUMPTION: the lock is held ---- */

static uint64_t draw(struct chaos *c) /* xorshift64* */
{
    c->random ^= c->random >> 12;
    c->random ^= c->random << 25;
    c->random ^= c->random >> 27;
    return c->random * UINT64_C(2685821657736338717);
}

static bool chance(struct chaos *c, unsigned of_1024)
{
    return (draw(c) >> 32) % 1024 < of_1024 && c->strength > 0;
}

/* Short delays are as likely as long ones of the next magnitude; a few are ten times as long. */
static int64_t delay_ns(struct chaos *c)
{
    int64_t limit = INT64_C(25000) << c->strength;
    if (!chance(c, 100u * (unsigned)c->strength))
        return 0;
    limit >>= (draw(c) >> 40) % 8;
    if (chance(c, 16))
        limit *= 10;
    return (int64_t)(draw(c) >> 16) % limit;
}

/* When an operation that is started now is to be performed. Now and then the way to one peer becomes slow for a while,
 * so that news reaches others, and comes back by way of them, before it (F4). */
static int64_t due_for(struct chaos *c, int peer)
{
    int64_t now = now_ns(), due = now + delay_ns(c);
    if (chance(c, 8) && c->slow_until[peer] < now)
        c->slow_until[peer] = now + (int64_t)((draw(c) >> 16) % (UINT64_C(400000) << c->strength));
    return due < c->slow_until[peer] ? c->slow_until[peer] : due;
}

/* ---- performing; ASSUMPTION: the lock is held ---- */

/* Cuts off a piece of a long transfer, which is performed now; the rest follows later. False: no cut this time. */
static bool take_piece(struct chaos *c, struct job *j, struct job *piece)
{
    size_t lead = (8 - j->off % 8) % 8; /* cuts lie at multiples of 8 in the target (F5) */
    if (j->len < lead + 16 || !chance(c, 64u * (unsigned)c->strength))
        return false;
    size_t cut = lead + 8 * (1 + (draw(c) >> 20) % ((j->len - lead) / 8 - 1));
    struct job *front = piece, *back = j;
    if (chance(c, 512)) {
        front = j;
        back = piece;
    }
    *piece = *j;
    back->off += cut;
    back->at.src += cut;
    back->len -= cut;
    front->len = cut;
    return true;
}

static void must(int rc, const char *what)
{
    if (rc == 0)
        return;
    fprintf(stderr, "hlrc: fabric chaos: %s failed after it was started: %s\n", what, strerror(-rc));
    abort();
}

static void transfer(struct chaos *c, const struct job *j)
{
    struct fabric_op done = FABRIC_OP_INIT;
    struct fabric *f = c->below;
    if (j->kind == READ)
        must(f->ops.read(f, j->peer, j->win, j->off, j->at.dst, j->len, &done), "a read");
    else
        must(f->ops.write(f, j->peer, j->win, j->off, j->at.src, j->len, &done), "a write");
    must(f->ops.wait(f, &done), "waiting");
}

static void perform_rest(struct chaos *c, const struct job *j)
{
    struct fabric_op done = FABRIC_OP_INIT;
    struct fabric *f = c->below;
    switch (j->kind) {
    case WRITE_IMM:
        must(f->ops.write_imm(f, j->peer, j->win, j->off, j->at.src, j->len, (uint32_t)j->a, j->urgent, &done),
             "a write with immediate");
        break;
    case CAS:
        must(f->ops.cas(f, j->peer, j->win, j->off, j->a, j->b, j->at.old, &done), "a compare-and-swap");
        break;
    case FETCH_ADD:
        must(f->ops.fetch_add(f, j->peer, j->win, j->off, j->a, j->at.old, &done), "a fetch-and-add");
        break;
    case WAKE:
        must(f->ops.wake(f, j->peer), "a wake");
        return;
    case WRITE:
    case READ:
        transfer(c, j);
        return;
    }
    must(f->ops.wait(f, &done), "waiting");
}

static bool is_transfer(const struct job *j)
{
    return j->kind == WRITE || j->kind == WRITE_IMM || j->kind == READ;
}

/* One step of an operation that is due: a piece of it, or all that is left. */
static void perform(struct chaos *c, struct slot *s, int64_t now)
{
    struct job piece;
    if (is_transfer(&s->job) && take_piece(c, &s->job, &piece)) {
        if (piece.kind == WRITE_IMM)
            piece.kind = WRITE; /* the event comes with the last piece */
        transfer(c, &piece);
        s->due = now + delay_ns(c);
        return;
    }
    perform_rest(c, &s->job);
    s->state = DONE;
    s->due = now + (s->job.op && chance(c, 256) ? delay_ns(c) : 0);
}

/* ---- the list; ASSUMPTION: the lock is held ---- */

/* Which operations to each target are STARTED, of those looked at so far (C2). */
struct ahead {
    bool write[NODES], read[NODES];
};

static bool blocked(const struct chaos *c, const struct job *j, const struct ahead *ahead)
{
    if (j->kind == READ)
        return (c->head.caps & FABRIC_READ_ORDERED) && ahead->read[j->peer];
    return ahead->write[j->peer]; /* F1 for writes and wakes, F2 for atomics */
}

static void note_ahead(const struct job *j, struct ahead *ahead)
{
    if (j->kind == READ)
        ahead->read[j->peer] = true;
    else if (j->kind == WRITE || j->kind == WRITE_IMM || j->kind == WAKE)
        ahead->write[j->peer] = true;
}

static void report(struct chaos *c, struct slot **link)
{
    struct slot *s = *link;
    *link = s->next;
    if (c->end == &s->next)
        c->end = link;
    struct fabric_op *op = s->job.op;
    s->next = c->unused;
    c->unused = s;
    atomic_fetch_sub_explicit(&c->listed, 1, memory_order_relaxed);
    if (op) /* orders what was performed before the waiter's going on; C3 */
        atomic_fetch_sub_explicit(&op->pending, 1, memory_order_release);
    pthread_cond_broadcast(&c->news);
}

/* Makes every step that is due; completions are reported if the caller does that. Returns when the next step will be,
 * FAR for none. */
static int64_t progress(struct chaos *c, bool reports)
{
    struct ahead ahead = { 0 };
    int64_t next = FAR, now = now_ns();
    for (struct slot **link = &c->list; *link;) {
        struct slot *s = *link;
        bool held = s->state == STARTED && blocked(c, &s->job, &ahead);
        if (s->state == STARTED && !held && s->due <= now)
            perform(c, s, now);
        if (s->state == STARTED)
            note_ahead(&s->job, &ahead);
        bool reportable = s->state == DONE && (reports || !s->job.op);
        if (reportable && s->due <= now) {
            report(c, link);
            continue;
        }
        if (!held && (s->state == STARTED || reportable) && s->due < next)
            next = s->due;
        link = &s->next;
    }
    return next;
}

static void rouse_worker(struct chaos *c, int64_t next)
{
    if (next < c->worker_until)
        pthread_cond_signal(&c->work);
}

static void cond_wait_until(struct chaos *c, pthread_cond_t *cond, int64_t until)
{
    struct timespec t = { .tv_sec = until / 1000000000, .tv_nsec = until % 1000000000 };
    if (until == FAR)
        pthread_cond_wait(cond, &c->lock);
    else
        pthread_cond_timedwait(cond, &c->lock, &t);
}

/* Stands for the adapter: performs what is due while nobody calls. */
static void *worker_main(void *arg)
{
    struct chaos *c = arg;
    pthread_mutex_lock(&c->lock);
    while (!c->stopping || c->list) {
        int64_t next = progress(c, !c->lazy || c->stopping);
        if (chance(c, 16)) /* F8 */
            c->below->ops.rx_wake(c->below, chance(c, 512) ? FABRIC_APP : FABRIC_HANDLER);
        if (c->stopping && !c->list)
            break;
        c->worker_until = next;
        cond_wait_until(c, &c->work, next);
        c->worker_until = 0;
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* ---- starting ---- */

static void drop_node(struct chaos *c)
{
    if (c->drop_at && ++c->started == c->drop_at)
        kill(getpid(), SIGKILL);
}

/* A free slot; takes the lock, slot_start drops it. */
static struct slot *slot_take(struct chaos *c)
{
    pthread_mutex_lock(&c->lock);
    drop_node(c);
    while (!c->unused) { /* C5: each has a due time, so there will be room */
        rouse_worker(c, progress(c, true));
        if (!c->unused)
            cond_wait_until(c, &c->news, now_ns() + 1000000);
    }
    struct slot *s = c->unused;
    c->unused = s->next;
    return s;
}

static void slot_start(struct chaos *c, struct slot *s)
{
    s->next = NULL;
    s->state = STARTED;
    s->due = due_for(c, s->job.peer);
    if (s->job.op)
        atomic_fetch_add_explicit(&s->job.op->pending, 1, memory_order_relaxed);
    *c->end = s;
    c->end = &s->next;
    atomic_fetch_add_explicit(&c->listed, 1, memory_order_relaxed);
    rouse_worker(c, progress(c, true));
    pthread_mutex_unlock(&c->lock);
}

static int start(struct fabric *f, const struct job *j, _Atomic uint64_t *counter)
{
    struct chaos *c = chaos_of(f);
    struct slot *s = slot_take(c);
    s->job = *j;
    slot_start(c, s);
    if (counter)
        atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
    return 0;
}

static int start_inline_write(struct fabric *f, const struct job *j)
{
    struct chaos *c = chaos_of(f);
    char copy[FABRIC_INLINE];
    if (j->len > FABRIC_INLINE)
        return -EINVAL;
    if (j->len)
        memcpy(copy, j->at.src, j->len); /* C4 */
    struct slot *s = slot_take(c);
    s->job = *j;
    s->job.at.src = memcpy(s->copy, copy, j->len);
    slot_start(c, s);
    atomic_fetch_add_explicit(&c->writes, 1, memory_order_relaxed);
    return 0;
}

static int start_write(struct fabric *f, const struct job *j)
{
    return j->op ? start(f, j, &chaos_of(f)->writes) : start_inline_write(f, j);
}

static int chaos_write(struct fabric *f, int peer, int win, size_t off, const void *src, size_t len,
                       struct fabric_op *op)
{
    struct job j = { .kind = WRITE, .peer = peer, .win = win, .off = off, .len = len, .at.src = src, .op = op };
    return start_write(f, &j);
}

static int chaos_write_imm(struct fabric *f, int peer, int win, size_t off, const void *src, size_t len, uint32_t imm,
                           bool urgent, struct fabric_op *op)
{
    struct job j = { .kind = WRITE_IMM, .peer = peer, .win = win, .off = off, .len = len, .at.src = src, .a = imm,
                     .urgent = urgent, .op = op };
    return f->caps & FABRIC_WRITE_IMM ? start_write(f, &j) : -ENOTSUP;
}

static int chaos_read(struct fabric *f, int peer, int win, size_t off, void *dst, size_t len, struct fabric_op *op)
{
    struct job j = { .kind = READ, .peer = peer, .win = win, .off = off, .len = len, .at.dst = dst, .op = op };
    if (!(f->caps & FABRIC_READ))
        return -ENOTSUP;
    if (op && chaos_of(f)->strength > 0)
        memset(dst, 0xa5, len); /* nobody may look before completion */
    return start(f, &j, &chaos_of(f)->reads);
}

static int start_atomic(struct fabric *f, const struct job *j)
{
    return f->caps & FABRIC_ATOMICS ? start(f, j, &chaos_of(f)->atomics) : -ENOTSUP;
}

static int chaos_cas(struct fabric *f, int peer, int win, size_t off, uint64_t expect, uint64_t desired, uint64_t *old,
                     struct fabric_op *op)
{
    struct job j = { .kind = CAS, .peer = peer, .win = win, .off = off, .a = expect, .b = desired, .at.old = old,
                     .op = op };
    return start_atomic(f, &j);
}

static int chaos_fetch_add(struct fabric *f, int peer, int win, size_t off, uint64_t add, uint64_t *old,
                           struct fabric_op *op)
{
    struct job j = { .kind = FETCH_ADD, .peer = peer, .win = win, .off = off, .a = add, .at.old = old, .op = op };
    return start_atomic(f, &j);
}

static int chaos_wake(struct fabric *f, int peer)
{
    struct job j = { .kind = WAKE, .peer = peer };
    return start(f, &j, NULL);
}

/* ---- waiting ---- */

/* Makes due what the completion of op may have to wait for. */
static void expedite(struct chaos *c, const struct fabric_op *op)
{
    for (struct slot *last = c->list; last; last = last->next)
        for (struct slot *s = last->job.op == op ? c->list : last; s != last; s = s->next)
            if (s->job.peer == last->job.peer)
                s->due = 0;
    for (struct slot *s = c->list; s; s = s->next)
        if (s->job.op == op)
            s->due = 0;
}

static int chaos_wait(struct fabric *f, struct fabric_op *op)
{
    struct chaos *c = chaos_of(f);
    if (atomic_load_explicit(&op->pending, memory_order_acquire) == 0)
        return 0;
    pthread_mutex_lock(&c->lock);
    if (chance(c, 256) || c->strength == 0)
        expedite(c, op);
    while (atomic_load_explicit(&op->pending, memory_order_acquire) != 0) {
        int64_t next = progress(c, true);
        if (atomic_load_explicit(&op->pending, memory_order_acquire) == 0)
            break;
        rouse_worker(c, next);
        cond_wait_until(c, &c->news, next);
    }
    pthread_mutex_unlock(&c->lock);
    return 0;
}

/* ---- the receive queue ---- */

/* Any call may be the one in which something happens. */
static void call_progress(struct chaos *c)
{
    if (atomic_load_explicit(&c->listed, memory_order_relaxed) == 0 || pthread_mutex_trylock(&c->lock) != 0)
        return;
    rouse_worker(c, progress(c, !c->lazy));
    pthread_mutex_unlock(&c->lock);
}

static bool locked_chance(struct chaos *c, unsigned of_1024)
{
    if (pthread_mutex_trylock(&c->lock) != 0)
        return false;
    bool yes = chance(c, of_1024);
    pthread_mutex_unlock(&c->lock);
    return yes;
}

static int chaos_rx_poll(struct fabric *f, struct fabric_event *ev)
{
    struct chaos *c = chaos_of(f);
    call_progress(c);
    return c->below->ops.rx_poll(c->below, ev);
}

static bool chaos_rx_pending(struct fabric *f)
{
    struct fabric *below = chaos_of(f)->below;
    return below->ops.rx_pending(below);
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

/* Fails now and then, as if an event had just come and another poll had found it gone. */
static bool chaos_rx_arm(struct fabric *f, enum fabric_sleeper s, enum fabric_level level)
{
    struct chaos *c = chaos_of(f);
    return !locked_chance(c, 32) && c->below->ops.rx_arm(c->below, s, level);
}

static void chaos_rx_sleep(struct fabric *f, enum fabric_sleeper s, uint32_t ticket, int64_t timeout_ns)
{
    struct chaos *c = chaos_of(f);
    if (locked_chance(c, 128))
        return;
    if (locked_chance(c, 128))
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

static void chaos_free(struct chaos *c)
{
    if (c->slots)
        munmap(c->slots, SLOTS * sizeof *c->slots);
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
    for (struct slot *s = c->list; s; s = s->next)
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
    .read = chaos_read,
    .write = chaos_write,
    .write_imm = chaos_write_imm,
    .cas = chaos_cas,
    .fetch_add = chaos_fetch_add,
    .wait = chaos_wait,
    .rx_poll = chaos_rx_poll,
    .rx_pending = chaos_rx_pending,
    .rx_busy = chaos_rx_busy,
    .rx_ticket = chaos_rx_ticket,
    .rx_arm = chaos_rx_arm,
    .rx_sleep = chaos_rx_sleep,
    .rx_wake = chaos_rx_wake,
    .wake = chaos_wake,
    .counters = chaos_counters,
};

static uint64_t environment_number(const char *name, uint64_t fallback)
{
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 0) : fallback;
}

static void configure(struct chaos *c)
{
    uint64_t strength = environment_number("HLRC_CHAOS_STRENGTH", 3);
    c->strength = strength > 9 ? 9 : (int)strength;
    c->random = (environment_number("HLRC_CHAOS_SEED", 1) + (uint64_t)c->head.node + 1) * UINT64_C(0x9e3779b97f4a7c15);
    c->random |= 1; /* never 0, where it would stay */
    c->lazy = environment_number("HLRC_CHAOS_LAZY", 0) != 0;
    if (environment_number("HLRC_CHAOS_ORDERED", 0) == 0)
        c->head.caps &= ~(unsigned)FABRIC_READ_ORDERED;
    const char *drop = getenv("HLRC_CHAOS_DROP");
    unsigned node;
    unsigned long long at;
    if (drop && sscanf(drop, "%u:%llu", &node, &at) == 2 && (int)node == c->head.node)
        c->drop_at = at;
}

static int make_slots(struct chaos *c)
{
    void *p = mmap(NULL, SLOTS * sizeof *c->slots, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                   0);
    if (p == MAP_FAILED)
        return -ENOMEM;
    c->slots = p;
    for (int i = SLOTS - 1; i >= 0; i--) {
        c->slots[i].next = c->unused;
        c->unused = &c->slots[i];
    }
    return 0;
}

/* The worker takes no signal: they belong to the program. */
static int start_worker(struct chaos *c)
{
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int rc = pthread_create(&c->worker, NULL, worker_main, c);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return -rc;
}

int chaos_stack(struct fabric *below, struct fabric **out)
{
    struct chaos *c = calloc(1, sizeof *c);
    pthread_condattr_t attr;
    if (!c)
        return -ENOMEM;
    c->head = (struct fabric){ .ops = chaos_ops, .node = below->node, .nodes = below->nodes, .caps = below->caps };
    c->below = below;
    c->end = &c->list;
    pthread_mutex_init(&c->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&c->work, &attr);
    pthread_cond_init(&c->news, &attr);
    pthread_condattr_destroy(&attr);
    configure(c);
    int rc = make_slots(c);
    if (rc == 0)
        rc = start_worker(c);
    if (rc) {
        chaos_free(c);
        return rc;
    }
    *out = &c->head;
    return 0;
}
