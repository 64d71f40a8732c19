/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hook_rounds.c - rounds of many operations over the hook, all in flight together, and what is seen
 * of them.
 *
 * What must not happen is never to be seen. What may happen must be seen at least once: each round
 * draws anew, and of
 * 1000 rounds 168 showed the rarest of the freedoms (HOOK_VERBOSE=1 prints how many do). Were it
 *      one in 40, all 1000
 * would still miss it with a probability below 1e-10 only. On a busy machine a delay that nobody
 * notices is a round lost; nothing has to happen in a short time.
 */
#include "tests/fabric/hook.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t random_below(uint64_t n)
{
    static uint64_t x = 88172645463325252u;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return (x >> 11) % n;
}

/* ---- what a round starts ---- */

struct started started[SLOTS];

static bool is_written(const struct started *s)
{
    return s->kind == STEP_WRITE || s->kind == STEP_EVENT || s->kind == STEP_WAKE;
}

/* What [fabric.read-order] is about. */
static bool asks(const struct started *s)
{
    return s->kind == STEP_READ || s->kind == STEP_ATOMIC;
}

void choose(struct started *s, int slot)
{
    static const size_t lengths[] = { 1, 8, 8, 16, 24, 100, 1000, 4000 };
    s->kind = (enum step_kind)random_below(5);
    s->peer = (int)random_below(2) + 1;
    s->off = (size_t)slot * SLOT_BYTES;
    s->len = s->kind == STEP_ATOMIC ? 8 : lengths[random_below(8)];
    if (s->len > 16 && random_below(2))
        s->off += 3; /* at odd places, too */
    s->urgent = random_below(2);
    s->has_op = asks(s) || (s->kind != STEP_WAKE && random_below(2));
    s->op = (struct fabric_op)FABRIC_OP_INIT;
    s->first = s->last = -1;
    s->pieces = 0;
    s->event = false;
    memset(s->covered, 0, sizeof s->covered);
    memset(s->buffer, 0, sizeof s->buffer);
    for (size_t i = 0; i < s->len; i++)
        (s->kind == STEP_READ ? recorder.memory[s->peer] + s->off : s->buffer)[i] =
            (char)(1 + random_below(255));
}

void start(struct fabric *f, struct started *s, int slot)
{
    struct fabric_op *op = s->has_op ? &s->op : NULL;
    switch (s->kind) {
    case STEP_READ:
        fabric_read(f, s->peer, 0, s->off, s->buffer, s->len, op);
        break;
    case STEP_WRITE:
        fabric_write(f, s->peer, 0, s->off, s->buffer, s->len, op);
        break;
    case STEP_EVENT:
        fabric_write_imm(f, s->peer, 0, s->off, s->buffer, s->len, (uint32_t)slot, s->urgent, op);
        break;
    case STEP_WAKE:
        fabric_wake(f, s->peer);
        break;
    case STEP_ATOMIC:
        fabric_fetch_add(f, s->peer, 0, s->off, 1, &s->old, op);
        break;
    }
}

bool performed(int slot)
{
    return atomic_load_explicit(&recorder.arrived[slot], memory_order_acquire) == started[slot].len;
}

/* ---- what may be seen of it ---- */

enum freedom {
    LATE_READ,
    LATE_WRITE,
    LATE_EVENT,
    LATE_ATOMIC,
    LATE_REPORT,
    TORN_READ,
    TORN_WRITE,
    TORN_EVENT,
    TORN_BACKWARDS,
    TORN_APART,
    READ_BY_READ,
    WRITE_BY_READ,
    READ_BY_WRITE,
    ATOMIC_BY_READ,
    READ_BY_ATOMIC,
    ATOMIC_BY_WRITE,
    ATOMIC_BY_ATOMIC,
    OTHER_WAY,
    OTHER_EVENT,
    FREEDOMS,
};

static const char *const freedom_names[FREEDOMS] = {
    [LATE_READ] = "a read is performed after it was started",
    [LATE_WRITE] = "a write is performed after it was started",
    [LATE_EVENT] = "a write with immediate is performed after it was started",
    [LATE_ATOMIC] = "an atomic is performed after it was started",
    [LATE_REPORT] = "an operation that was performed is not complete yet",
    [TORN_READ] = "a read comes in pieces [fabric.whole-word]",
    [TORN_WRITE] = "a write comes in pieces [fabric.whole-word]",
    [TORN_EVENT] = "a write with immediate comes in pieces [fabric.whole-word]",
    [TORN_BACKWARDS] = "a later piece comes before an earlier one [fabric.whole-word]",
    [TORN_APART] = "something happens between two pieces [fabric.whole-word]",
    [READ_BY_READ] = "a read is overtaken by a read [fabric.read-order]",
    [WRITE_BY_READ] = "a write is overtaken by a read",
    [READ_BY_WRITE] = "a read is overtaken by a write",
    [ATOMIC_BY_READ] = "an atomic is overtaken by a read",
    [READ_BY_ATOMIC] = "a read is overtaken by an atomic",
    [ATOMIC_BY_WRITE] = "an atomic is overtaken by a write",
    [ATOMIC_BY_ATOMIC] = "an atomic is overtaken by an atomic",
    [OTHER_WAY] = "a write is overtaken by a write to another node [fabric.target-order]",
    [OTHER_EVENT] = "an event is overtaken by an event for another node [fabric.target-order]",
};

static unsigned seen[FREEDOMS]; /* rounds */
static bool seen_now[FREEDOMS];

static void note_late(int slot)
{
    static const enum freedom late[] = { [STEP_READ] = LATE_READ,
                                         [STEP_WRITE] = LATE_WRITE,
                                         [STEP_EVENT] = LATE_EVENT,
                                         [STEP_ATOMIC] = LATE_ATOMIC };
    if (started[slot].kind != STEP_WAKE && atomic_load(&recorder.arrived[slot]) == 0)
        seen_now[late[started[slot].kind]] = true;
}

/* Completion is never reported early; and now and then not even when the hook has looked at it
 * again after performing it. */
static void look(struct fabric *f, int slot)
{
    struct started *s = &started[slot];
    if (!s->has_op)
        return;
    bool was_performed = performed(slot), complete = fabric_test(f, &s->op);
    expect(!complete || performed(slot), "operation %d is complete, and was not performed", slot);
    if (was_performed && !complete)
        seen_now[LATE_REPORT] = true;
}

/* ---- judging the steps of a round ---- */

static void cover(struct started *s, const struct step *step)
{
    size_t end = step->off + step->len;
    expect(step->off >= s->off && end <= s->off + s->len, "bytes that nobody asked for");
    expect(step->off == s->off || step->off % 8 == 0, "whole-word: a cut at %zu", step->off);
    expect(end == s->off + s->len || end % 8 == 0, "whole-word: a cut at %zu", end);
    for (size_t i = step->off; i < end; i++) {
        expect(!s->covered[i % SLOT_BYTES], "byte %zu is transferred twice", i);
        s->covered[i % SLOT_BYTES] = true;
    }
}

static void judge_kind(struct started *s, const struct step *step, int slot)
{
    bool piece = s->kind == STEP_EVENT && step->kind == STEP_WRITE;
    expect(step->kind == s->kind || piece, "operation %d, of kind %d, became %d", slot, s->kind,
           step->kind);
    expect(!s->event, "write-order, event-order: event %d came before its data, or twice", slot);
    if (step->kind != STEP_EVENT)
        return;
    s->event = true;
    expect(step->imm == (uint32_t)slot && step->urgent == s->urgent, "event %d became %u%s", slot,
           step->imm, step->urgent ? ", urgent" : "");
}

static void assign(struct started *s, const struct step *step, int slot, int number)
{
    expect(step->peer == s->peer, "operation %d went to node %d", slot, step->peer);
    judge_kind(s, step, slot);
    cover(s, step);
    if (s->pieces++ == 0)
        s->first = number;
    else if (recorder.step[s->last].off > step->off)
        seen_now[TORN_BACKWARDS] = true;
    s->last = number;
}

/* Wakes look all the same, but keep their order with each peer. */
static int next_wake(int peer)
{
    for (int i = 0; i < SLOTS; i++)
        if (started[i].kind == STEP_WAKE && started[i].peer == peer && started[i].first < 0)
            return i;
    fail("a wake that nobody asked for");
}

void assign_steps(int steps)
{
    for (int n = 0; n < steps; n++) {
        const struct step *step = &recorder.step[n];
        if (step->kind == STEP_WAKE) {
            struct started *s = &started[next_wake(step->peer)];
            s->first = s->last = n;
        } else {
            assign(&started[slot_at(step->off)], step, slot_at(step->off), n);
        }
    }
}

static void note_torn(const struct started *s)
{
    static const enum freedom torn[] = {
        [STEP_READ] = TORN_READ, [STEP_WRITE] = TORN_WRITE, [STEP_EVENT] = TORN_EVENT
    };
    if (s->pieces < 2)
        return;
    expect(s->len > 8, "whole-word: a word came in pieces");
    seen_now[torn[s->kind]] = true;
    if (s->last - s->first >= s->pieces)
        seen_now[TORN_APART] = true;
}

static void note_overtaken(const struct started *a, const struct started *b)
{
    if (b->last >= a->first || a->kind == STEP_WAKE || b->kind == STEP_WAKE)
        return;
    bool ra = a->kind == STEP_READ, rb = b->kind == STEP_READ;
    bool aa = a->kind == STEP_ATOMIC, ab = b->kind == STEP_ATOMIC;
    if (a->peer != b->peer) {
        seen_now[OTHER_WAY] |= a->kind == STEP_WRITE && b->kind == STEP_WRITE;
        seen_now[OTHER_EVENT] |= a->kind == STEP_EVENT && b->kind == STEP_EVENT;
        return;
    }
    seen_now[ra   ? (rb   ? READ_BY_READ
                     : ab ? READ_BY_ATOMIC
                          : READ_BY_WRITE)
             : aa ? (rb   ? ATOMIC_BY_READ
                     : ab ? ATOMIC_BY_ATOMIC
                          : ATOMIC_BY_WRITE)
                  : WRITE_BY_READ] = true;
}

/* a was started before b. */
static void judge_pair(const struct started *a, const struct started *b, bool reads_ordered)
{
    bool written = is_written(a) && (is_written(b) || b->kind == STEP_ATOMIC);
    bool read = reads_ordered && asks(a) && asks(b);
    if (a->peer == b->peer && (written || read))
        expect(a->last < b->first, "%s: kind %d of node %d is overtaken by kind %d",
               read                     ? "read-order"
               : b->kind == STEP_ATOMIC ? "atomic-order"
                                        : "write-order, event-order",
               a->kind, a->peer, b->kind);
    note_overtaken(a, b);
}

static void judge_data(const struct started *s)
{
    const char *there = recorder.memory[s->peer] + s->off;
    if (s->kind == STEP_WAKE || s->kind == STEP_ATOMIC)
        return;
    expect(memcmp(there, s->buffer, s->len) == 0, "what was transferred differs");
}

static void judge_round(bool reads_ordered)
{
    assign_steps((int)atomic_load(&recorder.steps));
    for (int i = 0; i < SLOTS; i++) {
        expect(started[i].first >= 0, "operation %d was never performed", i);
        expect(started[i].kind != STEP_EVENT || started[i].event, "event-order: event %d is lost",
               i);
        note_torn(&started[i]);
        judge_data(&started[i]);
        for (int k = i + 1; k < SLOTS; k++)
            judge_pair(&started[i], &started[k], reads_ordered);
    }
}

/* ---- rounds ---- */

static bool all_arrived(void)
{
    uint32_t wakes = 0;
    for (int i = 0; i < SLOTS; i++) {
        wakes += started[i].kind == STEP_WAKE;
        if (started[i].kind != STEP_WAKE && !performed(i))
            return false;
    }
    return atomic_load_explicit(&recorder.wakes, memory_order_acquire) == wakes;
}

static void make_round(struct fabric *f, bool reads_ordered)
{
    recorder_forget();
    memset(seen_now, 0, sizeof seen_now);
    for (int i = 0; i < SLOTS; i++)
        choose(&started[i], i);
    for (int i = 0; i < SLOTS; i++) {
        start(f, &started[i], i);
        note_late(i);
    }
    for (int i = 0; i < 2 * SLOTS; i++)
        look(f, (int)random_below(SLOTS));
    for (int i = SLOTS; i-- > 0;) {
        fabric_wait(f, &started[i].op);
        expect(!started[i].has_op || performed(i),
               "fabric_wait returned, and the operation was not performed");
        look(f, (int)random_below(SLOTS));
    }
    while (!all_arrived()) /* what has no op */
        sched_yield();
    judge_round(reads_ordered);
    for (int i = 0; i < FREEDOMS; i++)
        seen[i] += seen_now[i];
}

static void test_rounds(const char *strength, bool reads_ordered)
{
    set_only(strength);
    if (reads_ordered)
        setenv("HLRC_CHAOS_ORDERED", "1", 1);
    struct fabric *f = open_hook(ALL_CAPS);
    expect(!(f->caps & FABRIC_READ_ORDERED) == !reads_ordered, "capabilities %#x", f->caps);
    memset(seen, 0, sizeof seen);
    for (int i = 0; i < ROUNDS; i++)
        make_round(f, reads_ordered);
    expect(atomic_load(&recorder.rings) == 0, "armed-wake: the hook rang a bell by itself");
    fabric_close(f);
}

static void expect_freedoms(bool reads_ordered)
{
    for (int i = 0; i < FREEDOMS; i++) {
        if (getenv("HOOK_VERBOSE"))
            printf("%4u of %d rounds: %s\n", seen[i], ROUNDS, freedom_names[i]);
        bool ordered = i == READ_BY_READ || i == READ_BY_ATOMIC || i == ATOMIC_BY_READ ||
                       i == ATOMIC_BY_ATOMIC;
        if (ordered && reads_ordered)
            expect(seen[i] == 0, "read-order: %u times %s", seen[i], freedom_names[i]);
        else
            expect(seen[i] > 0, "never in %d rounds: %s", ROUNDS, freedom_names[i]);
    }
}

void test_worst(void)
{
    test_rounds("5", false);
    expect_freedoms(false);
}

void test_ordered(void)
{
    test_rounds("5", true);
    expect_freedoms(true);
}

/* Strength 0 is the fabric below. */
void test_harmless(void)
{
    test_rounds("0", false);
    for (int i = 0; i < FREEDOMS; i++)
        expect(seen[i] == 0, "%u times %s", seen[i], freedom_names[i]);
}
