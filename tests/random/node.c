/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * node.c - a node of a random program: its threads, the phases and how they end, the final check.
 *
 * A jolter, in some programs, makes threads stop for a while wherever they are: by a signal, whose
 * handler sleeps.
 *
 *   meet   perform what the phase has   meet
 *   end of the phase: one thread   (arrived: perform   meet   depart)   meet
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/random/actor.h"

static void meet(struct actor *a)
{
    doing(a, DOING_MEET);
    if (a->p->threads > 1 && !a->p->churn)
        pthread_barrier_wait(&a->node->meeting);
}

static void perform_all(struct actor *a, uint32_t from, uint32_t to)
{
    for (a->op = from; a->op < to; a->op++) {
        if (a->p->op[a->op].actor != a->number)
            continue;
        atomic_store_explicit(&a->o->actor[a->number].op, a->op + 1, memory_order_relaxed);
        perform(a, &a->p->op[a->op]);
    }
}

/* ---- ends of phases; one thread of each node ---- */

static void broadcast(struct actor *a, const struct phase *ph)
{
    char *buf = malloc(ph->arg + 1);
    expect(a, buf != NULL, "no memory for the test itself");
    uint64_t key = hash(a->p->seed, ph->first, 99);
    bool root = ph->root == a->node->number;
    for (uint32_t i = 0; i < ph->arg; i++)
        buf[i] = (char)(root ? hash(key, i, 0) : 0x5a);
    buf[ph->arg] = 0x33;
    int rc = hlrc_broadcast(buf, ph->arg, ph->root);
    expect(a, rc == 0, "hlrc_broadcast returned %d", rc);
    for (uint32_t i = 0; i < ph->arg; i++)
        expect(a, buf[i] == (char)hash(key, i, 0),
               "hlrc_broadcast of %u bytes from node %d: byte %u is wrong", ph->arg, ph->root, i);
    expect(a, buf[ph->arg] == 0x33, "hlrc_broadcast wrote behind the buffer");
    free(buf);
}

static void area_new(struct actor *a, uint32_t area)
{
    const struct area *r = &a->p->area[area];
    char *at = hlrc_malloc_all(r->bytes);
    uint64_t none = 0, mine = (uint64_t)(uintptr_t)at + 1;
    expect(a, at != NULL && (uintptr_t)at % 4096 == 0, "hlrc_malloc_all of %u bytes: %p", r->bytes,
           (void *)at);
    if (atomic_compare_exchange_strong(&a->o->base[area], &none, mine))
        expect(a, oracle_block_add(a->o, at, r->bytes), "hlrc_malloc_all: %p overlaps a live block",
               (void *)at);
    else
        expect(a, none == mine, "hlrc_malloc_all: %p here, %p on another node", (void *)at,
               (void *)(uintptr_t)(none - 1));
    a->node->base[area] = at;
}

static void area_end(struct actor *a, uint32_t area)
{
    char *at = a->node->base[area];
    a->node->base[area] = NULL;
    /* not the first that comes here: others may still be about to compare addresses */
    if (atomic_fetch_add(&a->o->leaving[area], 1) + 1 == (uint32_t)a->p->nodes) {
        atomic_store(&a->o->leaving[area], 0);
        atomic_store(&a->o->base[area], 0);
        expect(a, oracle_block_remove(a->o, at), "%p is given back by all and was not allocated",
               (void *)at);
    }
    hlrc_free_all(at);
}

static void phase_end(struct actor *a, const struct phase *ph)
{
    doing(a, DOING_BARRIER);
    switch (ph->how) {
    case END_BARRIER:
        hlrc_barrier();
        return;
    case END_SPLIT:
        hlrc_barrier_arrive();
        return;
    case END_BROADCAST:
        broadcast(a, ph);
        return;
    case END_MALLOC_ALL:
        area_new(a, ph->arg);
        return;
    case END_FREE_ALL:
        area_end(a, ph->arg);
        return;
    }
}

/* ---- the final check: everybody reads everything ---- */

static bool range_there(struct actor *a, const struct range *g)
{
    const struct area *r = &a->p->area[g->area];
    return r->object ? cell_get(a, r->cell) != 0 : a->node->base[g->area] != NULL;
}

static void check_range_end(struct actor *a, uint32_t i)
{
    const struct range *g = &a->p->range[i];
    if (!range_there(a, g))
        return;
    switch (g->kind) {
    case RANGE_LOCKED: {
        struct access x = { i, g->dynamic ? VERSION_ORACLE : g->version, false };
        range_check(a, i, version_now(a, &x), true);
        return;
    }
    case RANGE_TOKEN:
        expect(a, *(volatile uint64_t *)(void *)range_address(a, i) == a->o->token[g->guard],
               "wrong token of baton %u", g->guard);
        return;
    case RANGE_COUNT:
        expect(a, *(volatile uint64_t *)(void *)range_address(a, i) == a->o->count[g->guard],
               "wrong count of semaphore %u", g->guard);
        return;
    case RANGE_OWNED:
    case RANGE_BATON:
    case RANGE_UNUSED:
        range_check(a, i, g->version, true);
        return;
    case RANGE_CELL:
        cell_get(a, (int)g->guard);
        return;
    case RANGE_POOL:
        return;
    }
}

static void check_end(struct actor *a)
{
    uint32_t n = a->p->range_count, start = rng_below(&a->rng, n);
    atomic_store_explicit(&a->o->actor[a->number].op, a->p->op_count + 1, memory_order_relaxed);
    a->op = a->p->op_count;
    for (uint32_t i = 0; i < n; i++)
        check_range_end(a, (start + i) % n);
    for (int w = 0; w < a->p->word_count; w++)
        if (cell_get(a, a->p->word[w].cell))
            word_check_end(a, w);
}

/* ---- threads ---- */

static void enter_thread(struct actor *a)
{
    atomic_store(&a->tid, (int)syscall(SYS_gettid));
}

static void leave_thread(struct actor *a)
{
    atomic_store(&a->tid, 0);
}

static void start_actor(struct node *n, struct actor *a, int thread)
{
    memset(a, 0, sizeof *a);
    a->node = n;
    a->p = n->p;
    a->o = n->o;
    a->number = n->number * n->p->threads + thread;
    a->op = n->p->op_count;
    a->rng.state = hash(n->p->seed, (uint64_t)a->number, 3);
    a->file = memfd_create("random", MFD_CLOEXEC);
}

/* Threads that live as long as the program. */
static void *thread_main(void *arg)
{
    struct actor *a = arg;
    int self = a->number % a->p->threads;
    enter_thread(a);
    for (int i = 0; i < a->p->phases; i++) {
        const struct phase *ph = &a->p->phase[i];
        bool leads = i % a->p->threads == self;
        perform_all(a, ph->first, ph->between);
        meet(a);
        if (leads)
            phase_end(a, ph);
        meet(a);
        if (ph->how != END_SPLIT)
            continue;
        perform_all(a, ph->between, ph->end);
        meet(a);
        doing(a, DOING_BARRIER);
        if (leads)
            hlrc_barrier_depart();
        meet(a);
    }
    if (self == 0)
        hlrc_barrier();
    meet(a);
    check_end(a);
    leave_thread(a);
    return NULL;
}

struct segment {
    struct actor *actor;
    uint32_t from, to; /* from > to: the final check */
};

static void *segment_main(void *arg)
{
    struct segment *s = arg;
    enter_thread(s->actor);
    if (s->from > s->to)
        check_end(s->actor);
    else
        perform_all(s->actor, s->from, s->to);
    leave_thread(s->actor);
    return NULL;
}

/* Threads that live for this segment only; thread 0 stays. */
static void run_segment(struct actor *actors, uint32_t from, uint32_t to)
{
    struct segment s[MAX_THREADS] = { { 0 } };
    pthread_t id[MAX_THREADS];
    int threads = actors[0].p->threads;
    for (int t = 0; t < threads; t++) {
        s[t] = (struct segment){ &actors[t], from, to };
        if (t)
            expect(&actors[0], pthread_create(&id[t], NULL, segment_main, &s[t]) == 0,
                   "pthread_create");
    }
    segment_main(&s[0]);
    for (int t = 1; t < threads; t++)
        pthread_join(id[t], NULL);
}

static void run_short_lived(struct actor *actors)
{
    const struct program *p = actors[0].p;
    for (int i = 0; i < p->phases; i++) {
        const struct phase *ph = &p->phase[i];
        run_segment(actors, ph->first, ph->between);
        phase_end(&actors[0], ph);
        if (ph->how != END_SPLIT)
            continue;
        run_segment(actors, ph->between, ph->end);
        doing(&actors[0], DOING_BARRIER);
        hlrc_barrier_depart();
    }
    hlrc_barrier();
    run_segment(actors, 1, 0);
}

static void run_long_lived(struct node *n, struct actor *actors)
{
    pthread_t id[MAX_THREADS];
    pthread_barrier_init(&n->meeting, NULL, (unsigned)n->p->threads);
    for (int t = 1; t < n->p->threads; t++)
        expect(&actors[0], pthread_create(&id[t], NULL, thread_main, &actors[t]) == 0,
               "pthread_create");
    thread_main(&actors[0]);
    for (int t = 1; t < n->p->threads; t++)
        pthread_join(id[t], NULL);
}

/* ---- jolts ---- */

static struct {
    pthread_t thread;
    struct actor *actors;
    struct rng rng;
    _Atomic bool stop;
    bool runs;
} jolter;

static void on_jolt(int sig)
{
    int saved = errno;
    static _Atomic uint64_t count;
    struct timespec t = { 0, (long)(hash(atomic_fetch_add(&count, 1), 0, 0) % 1500000) };
    (void)sig;
    nanosleep(&t, NULL);
    errno = saved;
}

static void *jolter_main(void *arg)
{
    (void)arg;
    while (!atomic_load(&jolter.stop)) {
        usleep(rng_size(&jolter.rng, 50, 4000));
        int tid = atomic_load(
            &jolter.actors[rng_below(&jolter.rng, (uint32_t)jolter.actors[0].p->threads)].tid);
        if (tid)
            /* it may have ended: then nothing happens */
            syscall(SYS_tgkill, getpid(), tid, SIGUSR1);
    }
    return NULL;
}

static void jolter_start(struct actor *actors)
{
    struct sigaction action = { .sa_handler = on_jolt, .sa_flags = SA_RESTART };
    struct rng choice = { hash(actors[0].p->seed, 21, 0) };
    sigset_t all, old;
    if (!rng_chance(&choice, 40))
        return;
    sigaction(SIGUSR1, &action, NULL);
    jolter.actors = actors;
    jolter.rng.state = hash(actors[0].p->seed, (uint64_t)actors[0].number, 22);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    jolter.runs = pthread_create(&jolter.thread, NULL, jolter_main, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void jolter_end(void)
{
    atomic_store(&jolter.stop, true);
    if (jolter.runs)
        pthread_join(jolter.thread, NULL);
}

int node_run(const struct program *p, struct oracle *o)
{
    static struct node n;
    static struct actor actors[MAX_THREADS];
    if (hlrc_init(NULL, NULL) != 0)
        return STATUS_WRONG;
    n.p = p;
    n.o = o;
    n.number = hlrc_node_id();
    atomic_store(&o->pid[n.number], getpid());
    for (int t = 0; t < p->threads; t++)
        start_actor(&n, &actors[t], t);
    expect(&actors[0], hlrc_node_count() == p->nodes, "a job of %d nodes, not %d",
           hlrc_node_count(), p->nodes);
    for (uint32_t i = 0; i < p->area_count; i++)
        if (!p->area[i].object && p->area[i].from == 0)
            area_new(&actors[0], i);
    jolter_start(actors);
    if (p->churn)
        run_short_lived(actors);
    else
        run_long_lived(&n, actors);
    jolter_end();
    hlrc_finalize();
    atomic_fetch_add(&o->finished, 1);
    return 0;
}
