/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* box.c - see box.h for the invariants. */
#include "compat/openmp/box.h"

#include <assert.h>
#include <hlrc.h>
#include <stdlib.h>
#include <string.h>

#include "compat/start/lane.h"
#include "compat/start/start.h"

#define PAGE 4096

/* In shared memory; BX1. */
struct box {
    unsigned tasks;
    struct given task[PARCEL];
    _Alignas(PAGE) unsigned reports;
    uint64_t report[2 * GIVEN_MOST];
};

/* Per compute thread. Created by its node, so the words are there. */
struct address {
    struct box *box;
    hlrc_lock_t lock;
    hlrc_atomic_t mail;
    hlrc_atomic_t phases[2]; /* phases that are over, of even and odd numbers: BX4 */
    hlrc_atomic_t ask;       /* ref << 16 | lane + 1; 0: no request */
};

#define ASKING 64 /* threads in a word of requests to any thread */

/* Created by node 0. */
struct exchange {
    struct address *lanes; /* in shared memory */
    hlrc_atomic_t arrived; /* arrivals at all phases so far */
    hlrc_atomic_t asking[LANES_MOST / ASKING + 1];
};

static struct exchange exchange;
static struct address *all; /* this node's copy */
static int lanes;

/* Per compute thread. */
static _Thread_local uint64_t expected, phases;

static int me(void)
{
    return lane_current->index;
}

bool boxes_are_there(void)
{
    return all != NULL;
}

/* ---- start ---- */

static unsigned words_of_asking(void)
{
    return (unsigned)(lanes + ASKING - 1) / ASKING;
}

static void make_word(hlrc_atomic_t *word)
{
    if (hlrc_atomic_create(word, 0) != 0)
        start_fail("omp task: no atomic words");
}

static void make_exchange(void)
{
    exchange.lanes = hlrc_calloc((size_t)lanes, sizeof *exchange.lanes);
    if (!exchange.lanes)
        start_fail("omp task: no shared memory; raise --memory");
    make_word(&exchange.arrived);
    for (unsigned k = 0; k < words_of_asking(); k++)
        make_word(&exchange.asking[k]);
}

static void make_address(struct address *a)
{
    *a = (struct address){ .box = hlrc_aligned_alloc(PAGE, sizeof *a->box) };
    if (!a->box)
        start_fail("omp task: no shared memory; raise --memory");
    if (hlrc_lock_create(&a->lock) != 0)
        start_fail("omp task: no more locks");
    make_word(&a->mail);
    make_word(&a->phases[0]);
    make_word(&a->phases[1]);
    make_word(&a->ask);
}

void boxes_begin(int count)
{
    size_t bytes = (size_t)count * sizeof *all;
    lanes = count;
    if (hlrc_node_id() == 0)
        make_exchange();
    if (hlrc_broadcast(&exchange, sizeof exchange, 0) != 0)
        start_fail("OpenMP: hlrc_broadcast failed");
    for (int k = 0; k < start_lanes; k++)
        make_address(&exchange.lanes[hlrc_node_id() * start_lanes + k]);
    hlrc_barrier();
    all = malloc(bytes);
    if (!all)
        start_fail("omp task: no memory");
    memcpy(all, exchange.lanes, bytes);
}

/* ---- boxes ---- */

unsigned box_mail(void)
{
    return (unsigned)hlrc_atomic_load(all[me()].mail);
}

/* BX1. */
static struct box *open_box(int lane)
{
    hlrc_lock(all[lane].lock);
    return all[lane].box;
}

static void close_box(int lane)
{
    hlrc_unlock(all[lane].lock);
}

static void announce(int lane)
{
    (void)hlrc_atomic_fetch_add(all[lane].mail, 1);
}

void box_take(struct mail *mail)
{
    struct box *b = open_box(me());
    mail->tasks = b->tasks;
    mail->reports = b->reports;
    memcpy(mail->task, b->task, b->tasks * sizeof *b->task);
    memcpy(mail->report, b->report, b->reports * sizeof *b->report);
    if (b->tasks)
        b->tasks = 0;
    if (b->reports)
        b->reports = 0;
    close_box(me());
}

void box_give(int to, const struct given *tasks, unsigned count)
{
    struct box *b = open_box(to);
    assert(b->tasks == 0 && count <= PARCEL); /* BX2 */
    memcpy(b->task, tasks, count * sizeof *tasks);
    b->tasks = count;
    close_box(to);
    announce(to);
}

void box_report(int to, const uint64_t *reports, unsigned count)
{
    struct box *b = open_box(to);
    assert(b->reports + count <= 2 * GIVEN_MOST); /* BX3 */
    memcpy(b->report + b->reports, reports, count * sizeof *reports);
    b->reports += count;
    close_box(to);
    announce(to);
}

/* ---- steal requests ---- */

static uint64_t bit_of(int lane)
{
    return (uint64_t)1 << lane % ASKING;
}

void box_ask(void)
{
    (void)hlrc_atomic_fetch_add(exchange.asking[me() / ASKING], bit_of(me()));
}

/* BX2: the thread that clears the bit has the request. */
static bool clear(hlrc_atomic_t word, uint64_t seen, uint64_t bit)
{
    while (seen & bit)
        if (hlrc_atomic_compare_exchange(word, &seen, seen & ~bit))
            return true;
    return false;
}

bool box_take_back(void)
{
    hlrc_atomic_t word = exchange.asking[me() / ASKING];
    return clear(word, hlrc_atomic_load(word), bit_of(me()));
}

int box_claim(unsigned *more)
{
    unsigned words = words_of_asking(), first = (unsigned)me() / ASKING;
    for (unsigned k = 0; k < words; k++) {
        unsigned w = (first + k) % words;
        uint64_t seen = hlrc_atomic_load(exchange.asking[w]);
        for (; seen; seen = hlrc_atomic_load(exchange.asking[w])) {
            int n = __builtin_ctzll(seen);
            *more = (unsigned)__builtin_popcountll(seen) - 1;
            if (clear(exchange.asking[w], seen, bit_of(n)))
                return (int)w * ASKING + n;
        }
    }
    return -1;
}

static uint64_t question(int lane, uint64_t ref)
{
    return ref << 16 | (uint64_t)(lane + 1);
}

bool box_ask_lane(int lane, uint64_t ref)
{
    uint64_t none = 0;
    return hlrc_atomic_compare_exchange(all[lane].ask, &none, question(me(), ref));
}

bool box_take_back_lane(int lane, uint64_t ref)
{
    uint64_t asked = question(me(), ref);
    return hlrc_atomic_compare_exchange(all[lane].ask, &asked, 0);
}

bool box_asked(int *lane, uint64_t *ref)
{
    uint64_t asked = hlrc_atomic_load(all[me()].ask);
    *lane = (int)(asked & 0xffff) - 1;
    *ref = asked >> 16;
    return asked != 0;
}

bool box_claim_lane(int lane, uint64_t ref)
{
    uint64_t asked = question(lane, ref);
    return hlrc_atomic_compare_exchange(all[me()].ask, &asked, 0);
}

/* ---- phases ---- */

/* In `arrived` and `phases`: the bits from this one on count arrivals, or phases, with tasks. */
#define COUNTED  48
#define OF_TASKS ((uint64_t)1 << COUNTED)

#define CODES   64 /* a power of two */
#define SURE    4  /* phases without tasks */
#define PROBING 16 /* barriers; one of them has a phase */

/* This thread's knowledge of regions; the same in all threads. */
static _Thread_local struct code {
    void (*at)(void *);
    unsigned without; /* phases since the last with tasks */
    unsigned passed;  /* barriers without a phase */
} codes[CODES], *last;
static _Thread_local uint64_t with_tasks[2]; /* counts seen so far */

static struct code *code_of(void (*at)(void *))
{
    struct code *c = &codes[((uintptr_t)at >> 4) % CODES];
    if (c->at != at)
        *c = (struct code){ .at = at };
    return c;
}

/* Evaluates the last phase, after the collective that followed it. In a thread outside the team
 * the next phase may be over by now, but not the one after that. */
static void learn(void)
{
    if (!last)
        return;
    uint64_t now = hlrc_atomic_load(all[me()].phases[phases % 2]) >> COUNTED;
    last->without = now == with_tasks[phases % 2] ? last->without + 1 : 0;
    with_tasks[phases % 2] = now;
    last = NULL;
}

bool box_has_phase(void (*code)(void *), int threads)
{
    learn();
    struct code *c = code_of(code);
    if (c->without >= SURE && ++c->passed % PROBING != 0)
        return false;
    last = c;
    expected += (uint64_t)threads;
    phases++;
    return true;
}

/* BX4. */
void box_arrive(bool has_made)
{
    uint64_t seen = hlrc_atomic_fetch_add(exchange.arrived, has_made ? OF_TASKS + 1 : 1);
    uint64_t made = (seen >> COUNTED) + has_made;
    if ((seen & (OF_TASKS - 1)) + 1 != expected)
        return;
    (void)hlrc_atomic_fetch_add(exchange.arrived, 0 - made * OF_TASKS);
    for (int k = 0; k < lanes; k++)
        (void)hlrc_atomic_fetch_add(all[k].phases[phases % 2], made ? OF_TASKS + 1 : 1);
}

bool box_phase_is_over(void)
{
    uint64_t seen = hlrc_atomic_load(all[me()].phases[phases % 2]);
    return (seen & (OF_TASKS - 1)) == (phases + 1) / 2;
}
