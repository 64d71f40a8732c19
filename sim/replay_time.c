/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* replay_time.c - CPUs, adapters and links of a replay; see replay.h. */
#include <stdlib.h>

#include "sim/fail.h"
#include "sim/replay.h"

#define POLLS 0

/* Bytes of a request or an answer in addition to its data. */
#define HEAD_BYTES 64

sim_time replay_units(const struct replay *r, uint64_t units)
{
    return (sim_time)((__uint128_t)units * UINT64_C(1000000000000) / r->set[RECORD_SET_units_s]);
}

void replay_resume(void *self, uint64_t arg)
{
    struct replay_node *n = self;

    (void)arg;
    n->runs = true;
    n->ended = !fiber_run(n->fiber);
    n->runs = false;
}

/* Adds the time that handlers have taken from the CPU in between. */
sim_time replay_settle(struct replay_node *n)
{
    if (n->in_event) { /* work of the runtime's thread takes the program's time */
        n->stolen += n->debt;
        n->debt = 0;
        return n->r->loop.now;
    }
    while (n->debt + n->stolen > 0) {
        sim_time length = n->debt + n->stolen;
        n->debt = n->stolen = 0;
        event_after(&n->r->loop, length, replay_resume, n, 0);
        fiber_wait();
    }
    return n->r->loop.now;
}

void replay_post(struct replay_node *n, uint64_t count)
{
    n->debt += count * n->r->m.post_ns * SIM_NS;
    replay_settle(n);
}

static void replay_time_serve_pending(struct replay_node *n);

static void replay_time_begin_waiting(struct replay_node *n)
{
    n->waits = true;
    n->waited++;
    n->spins_from = n->r->loop.now;
    if (!n->r->system.interrupts)
        replay_time_serve_pending(n);
}

/* [replay-system.interrupts] */
static bool replay_time_handler_has_cpu(const struct replay_node *n)
{
    return n->r->system.interrupts && n->r->m.cpus == 1 && n->handler.free_at > n->r->loop.now;
}

static void replay_time_end_waiting(struct replay_node *n)
{
    n->waits = false;
    n->stolen = 0; /* handlers took no time from a waiting thread */
    if (n->taken_until > n->r->loop.now)
        n->debt += n->taken_until - n->r->loop.now;
    n->taken_until = 0;
    if (replay_time_handler_has_cpu(n))
        n->debt += n->handler.free_at - n->r->loop.now;
}

void replay_await(struct replay_node *n, const bool *word)
{
    replay_settle(n);
    replay_time_begin_waiting(n);
    while (!*word)
        fiber_wait();
    replay_time_end_waiting(n);
}

struct replay_time_patience {
    struct replay_node *node;
    bool over, gone; /* gone: the waiter has continued */
};

static void replay_time_be_over(void *self, uint64_t arg)
{
    struct replay_time_patience *p = self;

    (void)arg;
    p->over = true;
    if (p->gone)
        free(p);
    else
        replay_wake(p->node);
}

bool replay_await_for(struct replay_node *n, const bool *word, sim_time most)
{
    struct replay_time_patience *p;

    replay_settle(n);
    if (*word)
        return true;
    p = FAIL_NEW(struct replay_time_patience, n, false, false);
    event_after(&n->r->loop, most, replay_time_be_over, p, 0);
    replay_time_begin_waiting(n);
    while (!*word && !p->over)
        fiber_wait();
    replay_time_end_waiting(n);
    if (p->over)
        free(p);
    else
        p->gone = true;
    return *word;
}

static bool replay_time_sleeps(const struct replay_node *n)
{
    uint64_t spins = n->r->m.spin_ns * SIM_NS;

    return n->waits && spins != 0 && n->r->loop.now - n->spins_from >= spins;
}

static void replay_time_get_up(void *self, uint64_t waited)
{
    struct replay_node *n = self;

    n->rousing = n->called = false;
    if (!n->waits || n->waited != waited)
        return;
    n->spins_from = n->r->loop.now;
    replay_resume(n, 0);
}

void replay_wake(struct replay_node *n)
{
    if (!n->waits || n->rousing)
        return;
    if (!replay_time_sleeps(n)) {
        n->called = false;
        replay_resume(n, 0);
        return;
    }
    n->rousing = true;
    event_after(&n->r->loop, n->r->m.wake_ns * SIM_NS, replay_time_get_up, n, n->waited);
}

/* Takes time of the handler's CPU, or of the computation if they share it. */
static sim_time replay_time_busy_handler(struct replay_node *n, sim_time length)
{
    if (n->r->m.cpus == 1 && !n->waits)
        n->stolen += length;
    return server_take(&n->handler, n->r->loop.now, length);
}

static bool replay_time_handler_sleeps(const struct replay_node *n)
{
    return (!n->waits || n->r->system.interrupts) && !n->ended && n->r->m.handler != POLLS &&
           n->handler.free_at <= n->r->loop.now;
}

/* Only the first to find it asleep wakes it. */
static void replay_time_call(struct replay_node *from, struct replay_node *to)
{
    sim_time length = from->r->m.notify_ns * SIM_NS;

    if (from == to || to->called || !(replay_time_sleeps(to) || replay_time_handler_sleeps(to)))
        return;
    to->called = true;
    COUNT(from, wakes, 1);
    if (from->runs)
        from->debt += length;
    else if (length > 0)
        replay_time_busy_handler(from, length);
}

static sim_time replay_time_on_wire(const struct replay *r, uint64_t bytes)
{
    sim_time length = bytes * 1000000 / r->m.rate_mb_s;
    sim_time gap = r->m.gap_ns * SIM_NS;

    return length > gap ? length : gap;
}

/* When the last byte has left; FIRST: [replay-system.levels]. */
static sim_time replay_time_leave(struct replay_node *from, bool first, sim_time at,
                                  sim_time length)
{
    if (from->shares && from->shared_left > 0)
        return from->shared_left;
    from->shared_left = server_take(first ? &from->first_out : &from->out, at, length);
    return from->shared_left;
}

/* When the last byte arrives: the links out of FROM and into TO carry one message after
 * the other. */
static sim_time replay_time_arrival(struct replay_node *from, struct replay_node *to, sim_time at,
                                    uint64_t bytes)
{
    const struct replay *r = from->r;
    sim_time length = replay_time_on_wire(r, bytes);

    if (r->m.memory)
        return at + r->m.latency_ns * SIM_NS;
    bool first = r->system.levels && bytes <= REPLAY_SYSTEM_SMALL;
    sim_time left = replay_time_leave(from, first, at, length);
    sim_time begins = left - length + r->m.latency_ns * SIM_NS;
    COUNT(from, bytes_out, bytes);
    COUNT(to, bytes_in, bytes);
    return server_take(first ? &to->first_in : &to->in, begins, length);
}

void replay_write(struct replay_node *from, struct replay_node *to, uint64_t bytes, event_fn fn,
                  void *self, uint64_t arg)
{
    struct replay *r = from->r;

    COUNT(from, rdma_writes, 1);
    event_at(&r->loop, replay_time_arrival(from, to, r->loop.now, bytes + HEAD_BYTES), fn, self,
             arg);
}

void replay_write_wake(struct replay_node *from, struct replay_node *to, uint64_t bytes,
                       event_fn fn, void *self, uint64_t arg)
{
    if (replay_time_sleeps(to))
        replay_time_call(from, to);
    replay_write(from, to, bytes, fn, self, arg);
}

struct replay_time_served {
    struct replay_time_served *next; /* in the queue of unserved messages */
    struct replay_node *to;
    bool quiet;
    sim_time more;
    const struct replay_shared *page; /* of a request of a page; NULL: another message */
    event_fn fn;
    void *self;
    uint64_t arg;
};

static void replay_time_serve(void *self, uint64_t at)
{
    (void)at;
    struct replay_time_served *s = self;
    event_fn fn = s->fn;
    void *owner = s->self;
    uint64_t arg = s->arg;

    free(s);
    fn(owner, arg);
}

/* Takes the time of a running handler or of the waiting thread; on a node with one CPU, of the
 * computation. */
static void replay_time_take_handler(struct replay_time_served *s)
{
    struct replay_node *to = s->to;

    bool answers = s->page != NULL && s->page->home == to->id + 1; /* [replay-system.answer] */

    replay_serve_on(to, to->r->m.serve_ns * SIM_NS + s->more, replay_time_serve, s, 0);
    if (answers && to->r->system.answer_ns > 0)
        (void)replay_time_busy_handler(to, to->r->system.answer_ns * SIM_NS);
}

void replay_serve_on(struct replay_node *n, sim_time length, event_fn fn, void *self, uint64_t arg)
{
    event_at(&n->r->loop, replay_time_busy_handler(n, length), fn, self, arg);
}
static void replay_time_serve_pending(struct replay_node *n)
{
    struct replay_time_served *s;

    while ((s = n->pending) != NULL) {
        n->pending = s->next;
        replay_time_take_handler(s);
    }
    n->last_pending = &n->pending;
}

/* Takes the time of the computation. If that waits and has served all messages, delays the next
 * one that it would serve or see. */
static void replay_time_take_cpu(struct replay_node *n)
{
    sim_time length = n->r->m.switch_ns * SIM_NS;

    if (!n->waits)
        n->stolen += length;
    else if (n->pending == NULL)
        n->taken_until = server_take(&n->handler, n->r->loop.now, length);
}

/* The handler runs, or the thread that slept. If the handler took the computation's CPU, the
 * computation waits until it gets it back. */
static void replay_time_awake(void *self, uint64_t arg)
{
    struct replay_node *n = self;

    (void)arg;
    n->waking = n->called = false;
    n->spins_from = n->r->loop.now;
    if (n->r->m.cpus == 1)
        replay_time_take_cpu(n);
    replay_time_serve_pending(n);
}

static void replay_time_arrive(void *self, uint64_t arg)
{
    struct replay_time_served *s = self;
    struct replay_node *to = s->to;
    const struct machine *m = &to->r->m;

    (void)arg;
    if (!replay_time_sleeps(to) && !replay_time_handler_sleeps(to)) {
        to->called = false;
        to->spins_from = to->r->loop.now;
        replay_time_take_handler(s);
        return;
    }
    s->next = NULL;
    if (to->pending == NULL)
        to->last_pending = &to->pending;
    *to->last_pending = s;
    to->last_pending = &s->next;
    if (to->waking || (s->quiet && !to->waits && !to->r->system.interrupts))
        return;
    to->waking = true;
    bool idle = to->waits || m->cpus > 1;
    event_after(&to->r->loop, (idle ? m->wake_ns : m->preempt_ns) * SIM_NS, replay_time_awake, to,
                0);
}

void replay_message(struct replay_node *from, struct replay_node *to, uint64_t bytes, event_fn fn,
                    void *self, uint64_t arg)
{
    replay_message_long(from, to, bytes, 0, fn, self, arg);
}

static void replay_time_send(struct replay_node *from, uint64_t bytes,
                             struct replay_time_served served)
{
    struct replay_node *to = served.to;
    struct replay *r = from->r;
    struct replay_time_served *s = fail_copy(&served, sizeof served);

    s->quiet = from->quiet || from->in_event;
    if (from == to) { /* served by the sender */
        event_after(&r->loop, r->m.serve_ns * SIM_NS + s->more, replay_time_serve, s, 0);
        return;
    }
    COUNT(from, rdma_writes, 1);
    if (!s->quiet || to->waits)
        replay_time_call(from, to);
    event_at(&r->loop, replay_time_arrival(from, to, r->loop.now, bytes + HEAD_BYTES),
             replay_time_arrive, s, 0);
}

void replay_message_long(struct replay_node *from, struct replay_node *to, uint64_t bytes,
                         sim_time more, event_fn fn, void *self, uint64_t arg)
{
    replay_time_send(from, bytes,
                     (struct replay_time_served){
                         .to = to, .more = more, .fn = fn, .self = self, .arg = arg });
}

void replay_message_page(struct replay_node *from, struct replay_node *to, uint64_t bytes,
                         const struct replay_shared *page, event_fn fn, void *self, uint64_t arg)
{
    replay_time_send(from, bytes,
                     (struct replay_time_served){
                         .to = to, .page = page, .fn = fn, .self = self, .arg = arg });
}

void replay_answered(void *self, uint64_t arg)
{
    struct replay_node *n = self;

    n->answer = (uint32_t *)(uintptr_t)arg;
    n->answered = true;
    replay_wake(n);
}

void replay_ask(struct replay_node *n, unsigned to, event_fn fn)
{
    n->answered = false;
    replay_post(n, 1);
    COUNT(n, messages, to != n->id);
    replay_message(n, &n->r->node[to], 64, fn, n, to);
    replay_await(n, &n->answered);
}

struct replay_time_remote {
    struct replay_node *from, *to;
    uint64_t bytes;
    sim_time unit;
    event_fn there, back;
    void *there_self, *self;
    uint64_t arg;
    bool atomic;
    struct replay_time_remote *next; /* next in the queue for its adapter */
};

static void replay_time_send_off(struct replay_time_remote *o);

static void replay_time_come_back(void *self, uint64_t arg)
{
    struct replay_time_remote o = *(struct replay_time_remote *)self;
    struct replay_time_remote *next = o.from->reads_waiting;

    (void)arg;
    free(self);
    if (next != NULL) {
        o.from->reads_waiting = next->next;
        replay_time_send_off(next);
    } else {
        o.from->reads_under_way--;
    }
    o.back(o.self, o.arg);
}

static void replay_time_be_there(void *self, uint64_t arg)
{
    struct replay_time_remote *o = self;
    struct replay *r = o->from->r;

    (void)arg;
    if (o->there != NULL)
        o->there(o->there_self, o->arg);
    event_at(&r->loop, replay_time_arrival(o->to, o->from, r->loop.now, o->bytes + HEAD_BYTES),
             replay_time_come_back, o, 0);
}

static struct server *replay_time_free_first(struct replay_node *n)
{
    struct server *first = &n->adapter[0];

    for (uint64_t i = 1; i < n->r->m.reads_at_once; i++)
        if (n->adapter[i].free_at < first->free_at)
            first = &n->adapter[i];
    return first;
}

static void replay_time_reach(void *self, uint64_t arg)
{
    struct replay_time_remote *o = self;
    struct event_loop *loop = &o->from->r->loop;
    struct server *unit = o->atomic ? &o->to->adapter[0] : replay_time_free_first(o->to);

    (void)arg;
    event_at(loop, server_take(unit, loop->now, o->unit), replay_time_be_there, o, 0);
}

static void replay_time_send_off(struct replay_time_remote *o)
{
    event_at(&o->from->r->loop,
             replay_time_arrival(o->from, o->to, o->from->r->loop.now, HEAD_BYTES),
             replay_time_reach, o, 0);
}

/* An adapter has at most reads_most reads and atomics in progress; further ones wait, in order. */
static void replay_time_send_or_wait(struct replay_time_remote *o)
{
    struct replay_node *n = o->from;

    if (n->reads_under_way < n->r->m.reads_most) {
        n->reads_under_way++;
        replay_time_send_off(o);
        return;
    }
    if (n->reads_waiting == NULL)
        n->last_waiting = &n->reads_waiting;
    *n->last_waiting = o;
    n->last_waiting = &o->next;
}

static void replay_time_start(struct replay_time_remote remote)
{
    struct replay *r = remote.from->r;
    struct replay_time_remote *o = fail_copy(&remote, sizeof remote);

    o->unit = (o->atomic ? r->m.atomic_ns : r->m.read_ns) * SIM_NS;
    COUNT(o->from, atomics, o->atomic);
    COUNT(o->from, rdma_reads, !o->atomic);
    if (r->m.memory && !o->atomic)
        o->unit += r->m.copy_page_ns * SIM_NS * o->bytes / 4096;
    if (!r->m.memory) {
        replay_time_send_or_wait(o);
        return;
    }
    o->from->reads_under_way++; /* by the requesting CPU */
    if (o->there != NULL)
        o->there(o->there_self, o->arg);
    event_after(&r->loop, o->unit, replay_time_come_back, o, 0);
}

void replay_read(struct replay_node *from, struct replay_node *to, uint64_t bytes, bool atomic,
                 event_fn there, event_fn back, void *self, uint64_t arg)
{
    replay_time_start((struct replay_time_remote){ .from = from,
                                                   .to = to,
                                                   .bytes = bytes,
                                                   .there = there,
                                                   .there_self = self,
                                                   .back = back,
                                                   .self = self,
                                                   .arg = arg,
                                                   .atomic = atomic });
}

void replay_atomic(struct replay_node *n, struct replay_node *to, event_fn there, void *self)
{
    n->debt += (n->r->m.post_ns + n->r->m.complete_ns) * SIM_NS;
    replay_settle(n);
    n->answered = false;
    replay_time_start((struct replay_time_remote){ .from = n,
                                                   .to = to,
                                                   .bytes = 8,
                                                   .there = there,
                                                   .there_self = self,
                                                   .back = replay_answered,
                                                   .self = n,
                                                   .atomic = true });
    replay_await(n, &n->answered);
}
