/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mailbox.c - see mailbox.h for the invariants. */
#include "compat/openmp/mailbox.h"

#include <assert.h>
#include <hlrc.h>
#include <stdlib.h>
#include <string.h>

#include "compat/start/lane.h"
#include "compat/start/start.h"

#define PAGE 4096

/* In shared memory. */
struct mailbox {
    unsigned tasks;
    struct task_message task[BATCH_MOST];
    _Alignas(PAGE) unsigned reports;
    uint64_t report[2 * SENT_MOST];
};

/* Per compute thread. Created by its node, so the words are there. */
struct mailbox_address {
    struct mailbox *mailbox;
    hlrc_lock_t lock;
    hlrc_atomic_t writes;
    hlrc_atomic_t phases[2]; /* phases that are over, of even and odd numbers */
    hlrc_atomic_t request;   /* ref << 16 | lane + 1; 0: no request */
};

#define ASKING 64 /* threads in a word of requests to any thread */

/* Created by node 0. */
struct mailbox_words {
    struct mailbox_address *lanes; /* in shared memory */
    hlrc_atomic_t arrived;         /* arrivals at all phases so far */
    hlrc_atomic_t requests[LANES_MOST / ASKING + 1];
};

static struct mailbox_words shared;
struct mailbox_address *mailbox_addresses;
static int lanes;

/* Per compute thread. */
static _Thread_local uint64_t expected, phases;

static int mailbox_me(void)
{
    return lane_current->index;
}

/* ---- start ---- */

static unsigned mailbox_request_words(void)
{
    return (unsigned)(lanes + ASKING - 1) / ASKING;
}

static void mailbox_make_word(hlrc_atomic_t *word)
{
    if (hlrc_atomic_create(word, 0) != 0)
        start_fail("omp task: no atomic words");
}

static void mailbox_make_words(void)
{
    shared.lanes = hlrc_calloc((size_t)lanes, sizeof *shared.lanes);
    if (!shared.lanes)
        start_fail("omp task: no shared memory; raise --memory");
    mailbox_make_word(&shared.arrived);
    for (unsigned k = 0; k < mailbox_request_words(); k++)
        mailbox_make_word(&shared.requests[k]);
}

static void mailbox_make_address(struct mailbox_address *a)
{
    *a = (struct mailbox_address){ .mailbox = hlrc_aligned_alloc(PAGE, sizeof *a->mailbox) };
    if (!a->mailbox)
        start_fail("omp task: no shared memory; raise --memory");
    if (hlrc_lock_create(&a->lock) != 0)
        start_fail("omp task: no more locks");
    mailbox_make_word(&a->writes);
    mailbox_make_word(&a->phases[0]);
    mailbox_make_word(&a->phases[1]);
    mailbox_make_word(&a->request);
}

void mailbox_begin(int count)
{
    size_t bytes = (size_t)count * sizeof *mailbox_addresses;
    lanes = count;
    if (hlrc_node_id() == 0)
        mailbox_make_words();
    if (hlrc_broadcast(&shared, sizeof shared, 0) != 0)
        start_fail("OpenMP: hlrc_broadcast failed");
    int here = start_sharing ? start_lanes : count;
    for (int k = 0; k < here; k++)
        mailbox_make_address(&shared.lanes[hlrc_node_id() * here + k]);
    hlrc_barrier();
    mailbox_addresses = malloc(bytes);
    if (!mailbox_addresses)
        start_fail("omp task: no memory");
    memcpy(mailbox_addresses, shared.lanes, bytes);
}

void mailbox_grow(int count)
{
    unsigned words = mailbox_request_words();
    mailbox_addresses = realloc(mailbox_addresses, (size_t)count * sizeof *mailbox_addresses);
    if (!mailbox_addresses)
        start_fail("omp task: no memory");
    for (int k = lanes; k < count; k++) {
        mailbox_make_address(&mailbox_addresses[k]);
        for (unsigned p = 0; p < 2; p++)
            hlrc_atomic_exchange(mailbox_addresses[k].phases[p],
                                 hlrc_atomic_load(mailbox_addresses[0].phases[p]));
    }
    lanes = count;
    for (; words < mailbox_request_words(); words++)
        mailbox_make_word(&shared.requests[words]);
}

/* ---- mailboxes ---- */

unsigned mailbox_count(void)
{
    return (unsigned)hlrc_atomic_load(mailbox_addresses[mailbox_me()].writes);
}

static struct mailbox *mailbox_open(int lane)
{
    hlrc_lock(mailbox_addresses[lane].lock);
    return mailbox_addresses[lane].mailbox;
}

static void mailbox_close(int lane)
{
    hlrc_unlock(mailbox_addresses[lane].lock);
}

static void mailbox_announce(int lane)
{
    (void)hlrc_atomic_fetch_add(mailbox_addresses[lane].writes, 1);
}

void mailbox_empty(struct mailbox_contents *contents)
{
    struct mailbox *b = mailbox_open(mailbox_me());
    contents->tasks = b->tasks;
    contents->reports = b->reports;
    memcpy(contents->task, b->task, b->tasks * sizeof *b->task);
    memcpy(contents->report, b->report, b->reports * sizeof *b->report);
    if (b->tasks)
        b->tasks = 0;
    if (b->reports)
        b->reports = 0;
    mailbox_close(mailbox_me());
}

void mailbox_put_tasks(int to, const struct task_message *tasks, unsigned count)
{
    struct mailbox *b = mailbox_open(to);
    assert(b->tasks == 0 && count <= BATCH_MOST);
    memcpy(b->task, tasks, count * sizeof *tasks);
    b->tasks = count;
    mailbox_close(to);
    mailbox_announce(to);
}

void mailbox_put_reports(int to, const uint64_t *reports, unsigned count)
{
    struct mailbox *b = mailbox_open(to);
    assert(b->reports + count <= 2 * SENT_MOST);
    memcpy(b->report + b->reports, reports, count * sizeof *reports);
    b->reports += count;
    mailbox_close(to);
    mailbox_announce(to);
}

/* ---- steal requests ---- */

static uint64_t mailbox_bit(int lane)
{
    return (uint64_t)1 << lane % ASKING;
}

void mailbox_request_any(void)
{
    (void)hlrc_atomic_fetch_add(shared.requests[mailbox_me() / ASKING], mailbox_bit(mailbox_me()));
}

/* The thread that clears the bit has the request. */
static bool mailbox_clear_bit(hlrc_atomic_t word, uint64_t seen, uint64_t bit)
{
    while (seen & bit)
        if (hlrc_atomic_compare_exchange(word, &seen, seen & ~bit))
            return true;
    return false;
}

bool mailbox_withdraw_any(void)
{
    hlrc_atomic_t word = shared.requests[mailbox_me() / ASKING];
    return mailbox_clear_bit(word, hlrc_atomic_load(word), mailbox_bit(mailbox_me()));
}

int mailbox_claim_any(unsigned *more)
{
    unsigned words = mailbox_request_words(), first = (unsigned)mailbox_me() / ASKING;
    for (unsigned k = 0; k < words; k++) {
        unsigned w = (first + k) % words;
        uint64_t seen = hlrc_atomic_load(shared.requests[w]);
        for (; seen; seen = hlrc_atomic_load(shared.requests[w])) {
            int n = __builtin_ctzll(seen);
            *more = (unsigned)__builtin_popcountll(seen) - 1;
            if (mailbox_clear_bit(shared.requests[w], seen, mailbox_bit(n)))
                return (int)w * ASKING + n;
        }
    }
    return -1;
}

static uint64_t mailbox_request_value(int lane, uint64_t ref)
{
    return ref << 16 | (uint64_t)(lane + 1);
}

bool mailbox_request_from(int lane, uint64_t ref)
{
    uint64_t none = 0;
    return hlrc_atomic_compare_exchange(mailbox_addresses[lane].request, &none,
                                        mailbox_request_value(mailbox_me(), ref));
}

bool mailbox_withdraw_from(int lane, uint64_t ref)
{
    uint64_t request = mailbox_request_value(mailbox_me(), ref);
    return hlrc_atomic_compare_exchange(mailbox_addresses[lane].request, &request, 0);
}

bool mailbox_requested(int *lane, uint64_t *ref)
{
    uint64_t request = hlrc_atomic_load(mailbox_addresses[mailbox_me()].request);
    *lane = (int)(request & 0xffff) - 1;
    *ref = request >> 16;
    return request != 0;
}

bool mailbox_claim_from(int lane, uint64_t ref)
{
    uint64_t request = mailbox_request_value(lane, ref);
    return hlrc_atomic_compare_exchange(mailbox_addresses[mailbox_me()].request, &request, 0);
}

/* ---- phases ---- */

/* In `arrived` and `phases`: the bits from this one on count arrivals, or phases, with tasks. */
#define COUNTED  48
#define OF_TASKS ((uint64_t)1 << COUNTED)

#define CODES   64 /* a power of two */
#define SURE    4  /* phases without tasks */
#define PROBING 16 /* barriers; one of them has a phase */

/* This thread's knowledge of regions; the same in all threads. */
static _Thread_local struct mailbox_code {
    void (*at)(void *);
    unsigned without;                        /* phases since the last with tasks */
    unsigned passed;                         /* barriers without a phase */
} * codes, *last;                            /* CODES of them */
static _Thread_local uint64_t with_tasks[2]; /* counts seen so far */

static struct mailbox_code *mailbox_code_of(void (*at)(void *))
{
    if (!codes && !(codes = calloc(CODES, sizeof *codes)))
        start_fail("omp task: no memory");
    struct mailbox_code *c = &codes[((uintptr_t)at >> 4) % CODES];
    if (c->at != at)
        *c = (struct mailbox_code){ .at = at };
    return c;
}

/* Evaluates the last phase, after the collective that followed it. In a thread outside the team
 * the next phase may be over by now, but not the one after that. */
static void mailbox_learn_phase(void)
{
    if (!last)
        return;
    uint64_t now = hlrc_atomic_load(mailbox_addresses[mailbox_me()].phases[phases % 2]) >> COUNTED;
    last->without = now == with_tasks[phases % 2] ? last->without + 1 : 0;
    with_tasks[phases % 2] = now;
    last = NULL;
}

bool mailbox_has_phase(void (*code)(void *), int threads)
{
    mailbox_learn_phase();
    struct mailbox_code *c = mailbox_code_of(code);
    if (c->without >= SURE && ++c->passed % PROBING != 0)
        return false;
    last = c;
    expected += (uint64_t)threads;
    phases++;
    return true;
}

void mailbox_arrive(bool has_created)
{
    uint64_t seen = hlrc_atomic_fetch_add(shared.arrived, has_created ? OF_TASKS + 1 : 1);
    uint64_t made = (seen >> COUNTED) + has_created;
    if ((seen & (OF_TASKS - 1)) + 1 != expected)
        return;
    (void)hlrc_atomic_fetch_add(shared.arrived, 0 - made * OF_TASKS);
    for (int k = 0; k < lanes; k++)
        (void)hlrc_atomic_fetch_add(mailbox_addresses[k].phases[phases % 2],
                                    made ? OF_TASKS + 1 : 1);
}

bool mailbox_phase_is_over(void)
{
    uint64_t seen = hlrc_atomic_load(mailbox_addresses[mailbox_me()].phases[phases % 2]);
    return (seen & (OF_TASKS - 1)) == (phases + 1) / 2;
}

void mailbox_resume(void)
{
    const hlrc_atomic_t *word = mailbox_addresses[mailbox_me()].phases;
    if (codes)
        memset(codes, 0, CODES * sizeof *codes);
    last = NULL;
    expected = hlrc_atomic_load(shared.arrived) & (OF_TASKS - 1);
    phases = 0;
    for (unsigned k = 0; k < 2; k++) {
        uint64_t seen = hlrc_atomic_load(word[k]);
        phases += seen & (OF_TASKS - 1);
        with_tasks[k] = seen >> COUNTED;
    }
}
