/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pairs.c - see pairs.h for the invariants. */
#include "hlrc/sync/pairs.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "hlrc/memory/interval.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/progress.h"
#include "hlrc/progress/thread.h"
#include "hlrc/report/deadlock_collect.h"

#define WORD_EPOCH (2 + MEETING_BITS)

/* Of a slot, before the vector time. */
struct pairs_head {
    _Atomic uint64_t word; /* (epoch + 1) << WORD_EPOCH | call << 2 | kind; 0 before any */
    /* written by the receiver of the round: epoch + 1 [barrier-pairs.sleep-test] */
    _Atomic uint64_t asked;
};

static_assert(sizeof(struct pairs_head) == PAIRS_HEAD, "it fits the space reserved in the layout");

/* [barrier-pairs.two-slots] */
static size_t pairs_slot_at(const struct pairs *p, int round, uint64_t epoch)
{
    return p->slots + ((size_t)round * 2 + (epoch & 1)) * engine.at.meeting_slot_size;
}

static uint64_t pairs_word_here(const struct pairs *p, int round, uint64_t epoch)
{
    const struct pairs_head *h = engine_control_at(pairs_slot_at(p, round, epoch));
    return atomic_load_explicit(&h->word, memory_order_acquire); /* [barrier-pairs.word-last] */
}

static int pairs_node_of(const struct pairs *p, int member)
{
    return p->nodes ? p->nodes[member] : member;
}

void pairs_prepare(const struct pairs *p)
{
    int win = engine.control.id;
    size_t bytes = pairs_slots(p->count) * engine.at.meeting_slot_size;
    fabric_window_prepare(engine.fabric, win, p->slots, bytes);
    for (int r = 0; r < pairs_rounds(p->count); r++) {
        int behind = (p->self + (1 << r)) % p->count;
        int before = (p->self + p->count - (1 << r)) % p->count; /* [barrier-pairs.sleep-test] */
        fabric_window_require(engine.fabric, pairs_node_of(p, behind), win, p->slots, bytes);
        fabric_window_require(engine.fabric, pairs_node_of(p, before), win, p->slots, bytes);
    }
}

#ifdef HLRC_DEBUG
/* [barrier-pairs.two-slots], of all slots here during a barrier: the next one may have begun
 * elsewhere, and none after it. */
static void pairs_assert_state(const struct pairs *p)
{
    for (int r = 0; r < pairs_rounds(p->count); r++) {
        uint64_t now = pairs_word_here(p, r, p->epoch) >> WORD_EPOCH,
                 next = pairs_word_here(p, r, p->epoch + 1) >> WORD_EPOCH;
        assert(
            now == p->epoch + 1 ||
            (r >= p->round && (p->epoch < p->first + 2 ? now <= p->first : now + 1 == p->epoch)));
        assert(next == p->epoch || next == p->epoch + 2 ||
               (p->epoch == p->first && next <= p->first));
    }
}
#else
#    define pairs_assert_state(p) ((void)0)
#endif

static bool pairs_is_asked(const struct pairs *p)
{
    const struct pairs_head *h = engine_control_at(pairs_slot_at(p, p->round, p->epoch));
    return atomic_load_explicit(&h->asked, memory_order_relaxed) == p->epoch + 1;
}

/* [barrier-pairs.two-slots], [barrier-pairs.word-last], [barrier-pairs.sleep-test] */
static void pairs_send(const struct pairs *p)
{
    int to = pairs_node_of(p, (p->self + (1 << p->round)) % p->count), win = engine.control.id;
    uint64_t word = (p->epoch + 1) << WORD_EPOCH | (uint64_t)p->call << 2 | (uint64_t)p->kind;
    size_t at = pairs_slot_at(p, p->round, p->epoch);
    fabric_write_copied(engine.fabric, to, win, at + sizeof(struct pairs_head), p->vt,
                        VT_BYTES(engine.nodes));
    PROBE(barrier_releasing);
    if ((engine.fabric->caps & FABRIC_WRITE_IMM) && pairs_is_asked(p)) {
        fabric_write_wake(engine.fabric, to, win, at, &word, sizeof word, NULL);
        return;
    }
    fabric_write(engine.fabric, to, win, at, &word, sizeof word, NULL);
    /* orders the word before the read of `asked`, where both are in one memory */
    atomic_thread_fence(memory_order_seq_cst);
    if (pairs_is_asked(p))
        fabric_wake(engine.fabric, to);
}

void pairs_begin(struct pairs *p, const uint64_t *vt, enum parts_arrival kind, enum meeting call)
{
    memcpy(p->vt, vt, VT_BYTES(engine.nodes));
    p->kind = kind;
    p->call = call;
    p->round = 0;
    p->asked = false;
    pairs_assert_state(p);
    if (p->count > 1)
        pairs_send(p);
}

static bool pairs_round_here(void *arg)
{
    const struct pairs *p = arg;
    return pairs_word_here(p, p->round, p->epoch) >> WORD_EPOCH == p->epoch + 1;
}

static int pairs_awaited_node(const struct pairs *p)
{
    return pairs_node_of(p, (p->self + p->count - (1 << p->round)) % p->count);
}

static void pairs_merge(struct pairs *p)
{
    const struct pairs_head *h = engine_control_at(pairs_slot_at(p, p->round, p->epoch));
    uint64_t word = pairs_word_here(p, p->round, p->epoch);
    enum parts_arrival kind = (enum parts_arrival)(word & 3);
    enum meeting call = (enum meeting)(word >> 2 & ((1 << MEETING_BITS) - 1));
    if (call != p->call)
        /* [collective.same-call] */
        meeting_refuse(pairs_node_of(p, p->self), p->call, pairs_awaited_node(p), call);
    interval_vt_raise(p->vt, (const uint64_t *)(const void *)(h + 1));
    if (p->kind < kind)
        p->kind = kind;
}

bool pairs_go_on(struct pairs *p)
{
    int last = pairs_rounds(p->count);
    while (p->round < last && pairs_round_here(p)) {
        pairs_merge(p);
        p->asked = false;
        if (++p->round < last) /* [barrier-pairs.word-last] */
            pairs_send(p);
    }
    return p->round == last;
}

/* [barrier-pairs.sleep-test], once in a round. */
static void pairs_ask(struct pairs *p)
{
    uint64_t word = p->epoch + 1;
    p->asked = true;
    fabric_write(engine.fabric, pairs_awaited_node(p), engine.control.id,
                 pairs_slot_at(p, p->round, p->epoch) + offsetof(struct pairs_head, asked), &word,
                 sizeof word, NULL);
    /* orders it before the poll of the own slot */
    atomic_thread_fence(memory_order_seq_cst);
}

/* [barrier-pairs.sleep-test]: requests a wake before the last poll, after a sleep was announced. */
static bool pairs_round_here_or_asked(void *arg)
{
    struct pairs *p = arg;
    if (!pairs_round_here(p) && !p->asked && atomic_load(&thread_self()->asleep) != AWAKE)
        pairs_ask(p);
    return pairs_round_here(p);
}

void pairs_end(struct pairs *p, enum waits what, uint64_t object)
{
    while (!pairs_go_on(p))
        progress_wait((struct waits_wait){ what, object, pairs_awaited_node(p) },
                      pairs_round_here_or_asked, p, WAIT_STATE);
    pairs_assert_state(p);
    p->epoch++;
}

void pairs_report(struct report_draft *d, uint32_t group, const struct pairs *p)
{
    deadlock_collect_add_meeting(d, (struct report_meeting){ group, (uint32_t)p->round, p->epoch });
}
