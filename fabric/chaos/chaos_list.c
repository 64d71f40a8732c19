/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* chaos_list.c - operations in flight, and their random execution times; see chaos_parts.h. */
#include "base/clock.h"
#include "base/quiet_thread.h"
#include "base/reserve.h"
#include "base/tasks.h"
#include "fabric/chaos/chaos_parts.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SLOTS 1024 /* operations in flight; a thread that starts more waits for room */

/* ---- chance; ASSUMPTION: the lock is held ---- */

static uint64_t chaos_list_draw(struct chaos *c) /* xorshift64* */
{
    c->random ^= c->random >> 12;
    c->random ^= c->random << 25;
    c->random ^= c->random >> 27;
    return c->random * UINT64_C(2685821657736338717);
}

bool chaos_chance(struct chaos *c, unsigned of_1024)
{
    return (chaos_list_draw(c) >> 32) % 1024 < of_1024 && c->strength > 0;
}

/* Short delays are as likely as long ones of the next magnitude; a few are ten times as long. */
static int64_t chaos_list_delay_ns(struct chaos *c)
{
    int64_t limit = INT64_C(25000) << c->strength;
    if (!chaos_chance(c, 100u * (unsigned)c->strength))
        return 0;
    limit >>= (chaos_list_draw(c) >> 40) % 8;
    if (chaos_chance(c, 16))
        limit *= 10;
    return (int64_t)(chaos_list_draw(c) >> 16) % limit;
}

/* When to perform an operation that is started now. Now and then the path to one peer becomes slow
 * for a while. Effects of later operations then reach other nodes, and through them this one,
 * before it [fabric.target-order]. */
static int64_t chaos_list_due_for(struct chaos *c, int peer)
{
    int64_t now = clock_ns(), due = now + chaos_list_delay_ns(c);
    if (chaos_chance(c, 8) && c->slow_until[peer] < now)
        c->slow_until[peer] =
            now + (int64_t)((chaos_list_draw(c) >> 16) % (UINT64_C(400000) << c->strength));
    return due < c->slow_until[peer] ? c->slow_until[peer] : due;
}

/* ---- performing; ASSUMPTION: the lock is held ---- */

/* Cuts off a piece of a long transfer, to be performed now; the rest follows later. False: no cut
 * this time. */
static bool chaos_list_take_piece(struct chaos *c, struct chaos_job *j, struct chaos_job *piece)
{
    /* cuts lie at multiples of 8 in the target [fabric.whole-word] */
    size_t lead = (8 - j->off % 8) % 8;
    if (j->len < lead + 16 || !chaos_chance(c, 64u * (unsigned)c->strength))
        return false;
    size_t cut = lead + 8 * (1 + (chaos_list_draw(c) >> 20) % ((j->len - lead) / 8 - 1));
    struct chaos_job *front = piece, *back = j;
    if (chaos_chance(c, 512)) {
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

static void chaos_list_transfer(struct chaos *c, const struct chaos_job *j)
{
    struct fabric_op done = FABRIC_OP_INIT;
    struct fabric *f = c->below;
    if (j->kind == READ)
        f->ops.read(f, j->peer, j->win, j->off, j->at.dst, j->len, &done);
    else
        f->ops.write(f, j->peer, j->win, j->off, j->at.src, j->len, &done);
    f->ops.wait(f, &done);
}

static void chaos_list_perform_rest(struct chaos *c, const struct chaos_job *j)
{
    struct fabric_op done = FABRIC_OP_INIT;
    struct fabric *f = c->below;
    switch (j->kind) {
    case WRITE_IMM:
        f->ops.write_imm(f, j->peer, j->win, j->off, j->at.src, j->len, (uint32_t)j->a, j->urgent,
                         &done);
        break;
    case WRITE_WAKE:
        f->ops.write_wake(f, j->peer, j->win, j->off, j->at.src, j->len, &done);
        break;
    case CAS:
        f->ops.cas(f, j->peer, j->win, j->off, j->a, j->b, j->at.old, &done);
        break;
    case FETCH_ADD:
        f->ops.fetch_add(f, j->peer, j->win, j->off, j->a, j->at.old, &done);
        break;
    case EXCHANGE:
        f->ops.exchange(f, j->peer, j->win, j->off, j->a, j->at.old, &done);
        break;
    case WAKE:
        f->ops.wake(f, j->peer);
        return;
    case WRITE:
    case READ:
        chaos_list_transfer(c, j);
        return;
    }
    f->ops.wait(f, &done);
}

static bool chaos_list_is_transfer(const struct chaos_job *j)
{
    return j->kind == WRITE || j->kind == WRITE_IMM || j->kind == WRITE_WAKE || j->kind == READ;
}

/* Kinds that [fabric.write-order] orders, and that a slow path delays. */
static bool chaos_list_is_written(const struct chaos_job *j)
{
    return j->kind != READ && j->kind != CAS && j->kind != FETCH_ADD && j->kind != EXCHANGE;
}

/* One step of an operation that is due: a piece of it, or all that remains. */
static void chaos_list_perform(struct chaos *c, struct chaos_slot *s, int64_t now)
{
    struct chaos_job piece;
    if (chaos_list_is_transfer(&s->job) && chaos_list_take_piece(c, &s->job, &piece)) {
        if (piece.kind == WRITE_IMM || piece.kind == WRITE_WAKE)
            piece.kind = WRITE; /* the event, or the wake, is in the last piece */
        chaos_list_transfer(c, &piece);
        s->due = now + chaos_list_delay_ns(c);
        return;
    }
    chaos_list_perform_rest(c, &s->job);
    s->state = DONE;
    s->due = now + (s->job.op && chaos_chance(c, 256) ? chaos_list_delay_ns(c) : 0);
}

/* ---- the list; ASSUMPTION: the lock is held ---- */

/* For each target: kinds of earlier operations on the list that are STARTED. */
struct chaos_list_ahead {
    bool write[NODES_MAX], asked[NODES_MAX];
};

static bool chaos_list_blocked(const struct chaos *c, const struct chaos_job *j,
                               const struct chaos_list_ahead *ahead)
{
    /* [fabric.read-order] */
    bool asked = (c->head.caps & FABRIC_READ_ORDERED) && ahead->asked[j->peer];
    if (j->kind == READ)
        return asked;
    /* [fabric.write-order] for writes and wakes, [fabric.atomic-order] for atomics */
    return ahead->write[j->peer] || (asked && !chaos_list_is_written(j));
}

static void chaos_list_note_ahead(const struct chaos_job *j, struct chaos_list_ahead *ahead)
{
    if (chaos_list_is_written(j))
        ahead->write[j->peer] = true;
    else
        ahead->asked[j->peer] = true;
}

static void chaos_list_report(struct chaos *c, struct chaos_slot **link)
{
    struct chaos_slot *s = *link;
    *link = s->next;
    if (c->end == &s->next)
        c->end = link;
    struct fabric_op *op = s->job.op;
    s->next = c->unused;
    c->unused = s;
    atomic_fetch_sub_explicit(&c->listed, 1, memory_order_relaxed);
    if (op) /* orders what was performed before the waiter continues */
        atomic_fetch_sub_explicit(&op->pending, 1, memory_order_release);
    pthread_cond_broadcast(&c->news);
}

/* Performs every step that is due; reports completions if `reports`. Returns the time of the next
 * step, CHAOS_FAR for none. */
int64_t chaos_progress(struct chaos *c, bool reports)
{
    struct chaos_list_ahead ahead = { 0 };
    int64_t next = CHAOS_FAR, now = clock_ns();
    for (struct chaos_slot **link = &c->list; *link;) {
        struct chaos_slot *s = *link;
        bool held = s->state == STARTED && chaos_list_blocked(c, &s->job, &ahead);
        if (s->state == STARTED && !held && s->due <= now)
            chaos_list_perform(c, s, now);
        if (s->state == STARTED)
            chaos_list_note_ahead(&s->job, &ahead);
        bool reportable = s->state == DONE && (reports || !s->job.op);
        if (reportable && s->due <= now) {
            chaos_list_report(c, link);
            continue;
        }
        if (!held && (s->state == STARTED || reportable) && s->due < next)
            next = s->due;
        link = &s->next;
    }
    return next;
}

void chaos_rouse(struct chaos *c, int64_t next)
{
    if (next < c->worker_until)
        pthread_cond_signal(&c->work);
}

void chaos_sleep(struct chaos *c, pthread_cond_t *cond, int64_t until)
{
    struct timespec t = { .tv_sec = until / 1000000000, .tv_nsec = until % 1000000000 };
    if (until == CHAOS_FAR)
        pthread_cond_wait(cond, &c->lock);
    else
        pthread_cond_timedwait(cond, &c->lock, &t);
}

/* Plays the adapter: performs due operations while no other thread calls. */
static void *chaos_list_worker_main(void *arg)
{
    struct chaos *c = arg;
    tasks_own(1);
    pthread_mutex_lock(&c->lock);
    while (!c->stopping || c->list) {
        int64_t next = chaos_progress(c, !c->lazy || c->stopping);
        if (c->heals && chaos_chance(c, 16)) /* [fabric.armed-wake] */
            c->below->ops.rx_wake(c->below, chaos_chance(c, 512) ? FABRIC_APP : FABRIC_HANDLER);
        if (c->stopping && !c->list)
            break;
        c->worker_until = next;
        chaos_sleep(c, &c->work, next);
        c->worker_until = 0;
    }
    pthread_mutex_unlock(&c->lock);
    tasks_own(-1);
    return NULL;
}

/* Makes all operations due that the completion of op may wait for; on a slow path not before their
 * arrival. */
void chaos_expedite(struct chaos *c, const struct fabric_op *op)
{
    for (struct chaos_slot *last = c->list; last; last = last->next)
        for (struct chaos_slot *s = last->job.op == op ? c->list : last; s != last; s = s->next)
            if (s->job.peer == last->job.peer)
                s->due = s->earliest;
    for (struct chaos_slot *s = c->list; s; s = s->next)
        if (s->job.op == op)
            s->due = s->earliest;
}

/* ---- slots and the worker ---- */

static void chaos_list_drop_node(struct chaos *c)
{
    if (c->drop_at && ++c->started == c->drop_at)
        kill(getpid(), SIGKILL);
}

/* A free slot; takes the lock, chaos_slot_start drops it. */
struct chaos_slot *chaos_slot_take(struct chaos *c)
{
    pthread_mutex_lock(&c->lock);
    chaos_list_drop_node(c);
    while (!c->unused) { /* each operation has a due time, so a slot will become free */
        chaos_rouse(c, chaos_progress(c, true));
        if (!c->unused)
            chaos_sleep(c, &c->news, clock_ns() + 1000000);
    }
    struct chaos_slot *s = c->unused;
    c->unused = s->next;
    return s;
}

void chaos_slot_start(struct chaos *c, struct chaos_slot *s)
{
    s->next = NULL;
    s->state = STARTED;
    s->earliest = chaos_list_is_written(&s->job) && c->way_ns[s->job.peer]
                      ? clock_ns() + c->way_ns[s->job.peer]
                      : 0;
    s->due = chaos_list_due_for(c, s->job.peer);
    if (s->due < s->earliest)
        s->due = s->earliest;
    if (s->job.op)
        atomic_fetch_add_explicit(&s->job.op->pending, 1, memory_order_relaxed);
    *c->end = s;
    c->end = &s->next;
    atomic_fetch_add_explicit(&c->listed, 1, memory_order_relaxed);
    chaos_rouse(c, chaos_progress(c, true));
    pthread_mutex_unlock(&c->lock);
}

int chaos_make_slots(struct chaos *c)
{
    c->slots = reserve(SLOTS * sizeof *c->slots);
    if (!c->slots)
        return -ENOMEM;
    for (int i = SLOTS - 1; i >= 0; i--) {
        c->slots[i].next = c->unused;
        c->unused = &c->slots[i];
    }
    return 0;
}

int chaos_start_worker(struct chaos *c)
{
    return quiet_thread_create(&c->worker, NULL, chaos_list_worker_main, c);
}

void chaos_drop_slots(struct chaos *c)
{
    reserve_end(c->slots, SLOTS * sizeof *c->slots);
}
