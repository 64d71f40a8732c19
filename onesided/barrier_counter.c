/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * barrier_counter.c - barriers by remote atomics, in which no remote CPU takes part (--barrier
 * counter, tree); see barrier.h for the invariants.
 *
 * A gathering of up to `barrier_counter_fan` members has a counter at one of them, and a slot for
 * each. An arriving node writes its vector time into its slot, then adds to the counter. The last
 * to arrive reads the slots of the others, merges them, and arrives for all of them at the next
 * gathering up, as one member of that. So no node waits for another to forward, and a node that is
 * busy or asleep between arriving and departing delays no other. It is the combining tree of Yew,
 * Tzeng and Lawrie (Distributing Hot-Spot Addressing in Large-Scale Multiprocessors, 1987),
 * climbed by the last to arrive. The node that completes the topmost gathering writes the merged
 * vector time and a word to every node, which polls its own memory only.
 *
 * With `counter` there is one gathering, of all nodes, at node 0.
 *
 * Invariants
 *   [barrier-counter.epochs] A counter counts the arrivals at its gathering by parity of the epoch,
 *       over all epochs. No node arrives at a gathering in epoch e + 2 before all have arrived
 *       there in epoch e: a node arrives in e + 2 after it has departed from e + 1. So the arrival
 *       that makes the count a multiple of the members is the last of its epoch.
 *       - A slot is written before its counter is raised [fabric.atomic-order], and not again
 *         before its gathering has been read: [barrier-counter.epochs].
 *       - The vector time of a release is written before its word [fabric.write-order], which is
 *         the epoch, and by one node, the last of all.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "hlrc/core/engine.h"
#include "hlrc/memory/interval.h"
#include "hlrc/policy/policy_gather.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/progress.h"
#include "hlrc/sync/barrier.h"

/* Of an arrival or a release, before its vector time. */
struct barrier_counter_head {
    _Atomic uint64_t word; /* arrival: below; release: (epoch + 1) * 2 + moves */
};

/* Of an arrival: the kinds among the nodes that it represents; the call of the node that sends it,
 * and that node. */
enum { PLAIN = 1, MOVES = 2, KINDS = 3 };
#define ARRIVAL_WORD(kinds, call) \
    ((kinds) | (uint64_t)(call) << 2 | (uint64_t)engine.node << (2 + MEETING_BITS))
#define ARRIVAL_CALL(word) ((enum meeting)((word) >> 2 & ((1 << MEETING_BITS) - 1)))
#define ARRIVAL_NODE(word) ((int)((word) >> (2 + MEETING_BITS)))

static size_t barrier_counter_slot_bytes(void)
{
    return engine.at.meeting_slot_size;
}

static uint32_t barrier_counter_fan(void)
{
    return engine.config.barrier == BARRIER_COUNTER ? (uint32_t)engine.nodes
                                                    : (uint32_t)engine.config.barrier_fan;
}

/* Offsets of a gathering's counter, and of a member's slot, by parity. */
static size_t barrier_counter_at(const struct policy_gather *g, int parity)
{
    return engine.at.meeting_counters + ((size_t)g->number * 2 + (size_t)parity) * 64;
}

static size_t barrier_counter_slot_at(const struct policy_gather *g, uint32_t member, int parity)
{
    size_t slot = (size_t)g->number * barrier_counter_fan() + member;
    return engine.at.meeting_slots + (slot * 2 + (size_t)parity) * barrier_counter_slot_bytes();
}

static size_t barrier_counter_release_at(int parity)
{
    return engine.at.meeting_release + (size_t)parity * barrier_counter_slot_bytes();
}

static uint64_t awaited; /* epoch of this node's next departure; one thread acts for the node */

static int barrier_counter_init(void)
{
    awaited = 0;
    return 0;
}

/* [barrier-counter.epochs]: arrives with the vector time merged so far, as one member of a
 * gathering; true for its last. */
static bool barrier_counter_arrive_at(const struct policy_gather *g, int parity, const uint64_t *vt,
                                      uint64_t arrival)
{
    struct fabric_op op = FABRIC_OP_INIT;
    int win = engine.control.id;
    uint64_t old = 0;
    size_t at = barrier_counter_slot_at(g, g->member, parity);
    fabric_write_copied(engine.fabric, g->home, win, at + sizeof(struct barrier_counter_head), vt,
                        VT_BYTES(engine.nodes));
    fabric_write(engine.fabric, g->home, win, at, &arrival, sizeof arrival, NULL);
    PROBE(barrier_arriving);
    fabric_fetch_add(engine.fabric, g->home, win, barrier_counter_at(g, parity), 1, &old, &op);
    fabric_wait(engine.fabric, &op);
    return (old + 1) % g->members == 0; /* [barrier-counter.epochs] */
}

/* Merges the vector times of all members of a gathering [barrier-counter.epochs]. */
static void barrier_counter_collect(const struct policy_gather *g, int parity, enum meeting call,
                                    uint64_t *vt, uint64_t *kinds)
{
    struct fabric_op op = FABRIC_OP_INIT;
    size_t first = barrier_counter_slot_at(g, 0, parity), step = 2 * barrier_counter_slot_bytes();
    for (uint32_t m = 0; m < g->members && g->home != engine.node; m++)
        fabric_read(engine.fabric, g->home, engine.control.id, first + m * step,
                    engine_control_at(first + m * step), barrier_counter_slot_bytes(), &op);
    fabric_wait(engine.fabric, &op);
    for (uint32_t m = 0; m < g->members; m++) {
        const struct barrier_counter_head *h = engine_control_at(first + m * step);
        uint64_t word = atomic_load_explicit(&h->word, memory_order_acquire);
        if (ARRIVAL_CALL(word) != call)
            /* [collective.same-call] */
            meeting_refuse(engine.node, call, ARRIVAL_NODE(word), ARRIVAL_CALL(word));
        *kinds |= word & KINDS;
        interval_vt_raise(vt, (const uint64_t *)(const void *)(h + 1));
    }
}

/* [barrier-counter.epochs] */
static void barrier_counter_release_all(uint64_t epoch, const uint64_t *vt, uint64_t kinds)
{
    int win = engine.control.id;
    bool moves = kinds == MOVES; /* none was plain */
    uint64_t word = (epoch + 1) * 2 + moves;
    size_t at = barrier_counter_release_at((int)(epoch & 1));
    for (int n = 0; n < engine.nodes; n++)
        fabric_write_copied(engine.fabric, n, win, at + sizeof(struct barrier_counter_head), vt,
                            VT_BYTES(engine.nodes));
    PROBE(barrier_releasing);
    for (int n = 0; n < engine.nodes; n++)
        /* no thread waits here yet: this thread acts for the node */
        if (n != engine.node && (engine.fabric->caps & FABRIC_WRITE_IMM))
            fabric_write_wake(engine.fabric, n, win, at, &word, sizeof word, NULL);
        else
            fabric_write(engine.fabric, n, win, at, &word, sizeof word, NULL);
}

static void barrier_counter_arrive(uint64_t epoch, const uint64_t *own, enum parts_arrival kind,
                                   enum meeting call)
{
    uint64_t vt[NODES_MAX], kinds = kind == ARRIVAL_PLAIN   ? PLAIN
                                    : kind == ARRIVAL_MOVES ? MOVES
                                                            : 0;
    struct policy_gather_climb climb =
        policy_gather_begin((uint32_t)engine.node, (uint32_t)engine.nodes, barrier_counter_fan());
    struct policy_gather g;
    int parity = (int)(epoch & 1);
    memcpy(vt, own, VT_BYTES(engine.nodes));
    while (policy_gather_next(&climb, &g))
        if (g.members > 1) {
            if (!barrier_counter_arrive_at(&g, parity, vt, ARRIVAL_WORD(kinds, call)))
                return;
            barrier_counter_collect(&g, parity, call, vt, &kinds);
        }
    barrier_counter_release_all(epoch, vt, kinds);
}

/* [barrier-counter.epochs] */
static bool barrier_counter_is_released(void *arg)
{
    const struct barrier_counter_head *h =
        engine_control_at(barrier_counter_release_at((int)(*(uint64_t *)arg & 1)));
    return atomic_load_explicit(&h->word, memory_order_acquire) >> 1 == *(uint64_t *)arg + 1;
}

static bool barrier_counter_await(uint64_t *vt)
{
    uint64_t epoch = awaited++;
    const struct barrier_counter_head *h =
        engine_control_at(barrier_counter_release_at((int)(epoch & 1)));
    progress_wait((struct waits_wait){ WAITS_BARRIER, epoch, 0 }, barrier_counter_is_released,
                  &epoch, WAIT_STATE);
    memcpy(vt, h + 1, VT_BYTES(engine.nodes));
    return atomic_load_explicit(&h->word, memory_order_relaxed) & 1;
}

static bool barrier_counter_over(void)
{
    uint64_t epoch = awaited;
    return barrier_counter_is_released(&epoch);
}

const struct parts_barrier barrier_by_counter = {
    .caps = FABRIC_READ | FABRIC_ATOMICS,
    .init = barrier_counter_init,
    .arrive = barrier_counter_arrive,
    .await = barrier_counter_await,
    .over = barrier_counter_over,
};
