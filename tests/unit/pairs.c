/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Meetings from pair to pair, without a network: the first of three members, whose partners are in
 * the hands of the test. Who is about to sleep asks the one that will write to it, and looks at its
 * own slot once more; who writes looks whether it was asked when its word is there. So one of the
 * two sees the other, wherever they cross. The invariants are those of hlrc/sync/pairs.h.
 */
#include "hlrc/sync/pairs.h"
#include "hlrc/core/engine.h"
#include "hlrc/layout.h"
#include "hlrc/progress/progress.h"
#include "hlrc/progress/thread.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MEMBERS 3
#define ROUNDS  2
#define OFTEN   5u
#define ASKED   8 /* in a slot, behind its word */
#define CALL    MEETING_BARRIER

static struct pairs p;
static struct fabric fabric;
static char *window;                /* of this member */
static unsigned words[MEMBERS];     /* written to the others, */
static unsigned times[MEMBERS];     /* and vector times before them */
static unsigned questions[MEMBERS]; /* asked of them */
static unsigned wakes[MEMBERS];     /* that went to them */
static bool comes_when_asked;       /* the word of the partner, at that moment */
static bool asks_when_written;      /* the partner, when the word is there */
static bool waited;                 /* a sleep was tried */

static int behind(int round)
{
    return (1 << round) % MEMBERS;
}

static int before(int round)
{
    return (MEMBERS - (1 << round)) % MEMBERS;
}

static size_t slot_at(int round)
{
    return p.slots + ((size_t)round * 2 + (p.epoch & 1)) * engine.at.meeting_slot_size;
}

static uint64_t *here(size_t at)
{
    return (uint64_t *)(void *)(window + at);
}

/* Of all members: pairs.c, struct pairs_head. */
static uint64_t word_of_meeting(void)
{
    return ((p.epoch + 1) << MEETING_BITS | (uint64_t)CALL) * 4 + (uint64_t)ARRIVAL_WAITS;
}

/* What the partner of a round sends: all that it has heard of has begun this meeting. */
static void come(int round)
{
    for (int m = 0; m < MEMBERS; m++)
        here(slot_at(round) + PAIRS_HEAD)[m] = p.epoch + (m == before(round) || round > 0);
    *here(slot_at(round)) = word_of_meeting();
}

static void be_asked(int round)
{
    *here(slot_at(round) + ASKED) = p.epoch + 1;
}

/* ---- what lies below ---- */

static void write_window(struct fabric *f, int peer, int win, size_t off, const void *src,
                         size_t len, struct fabric_op *op)
{
    uint64_t word;

    (void)f, (void)win, (void)op;
    memcpy(&word, src, sizeof word);
    if (off == slot_at(p.round) + PAIRS_HEAD) {
        assert_int_equal(peer, behind(p.round));
        assert_int_equal(len, VT_BYTES(MEMBERS));
        times[peer]++;
    } else if (off == slot_at(p.round)) {
        assert_int_equal(peer, behind(p.round));
        assert_int_equal(word, word_of_meeting());
        assert_int_equal(times[peer], ++words[peer]); /* [barrier-pairs.word-last] */
        if (asks_when_written)
            be_asked(p.round);
    } else {
        assert_int_equal(off, slot_at(p.round) + ASKED);
        assert_int_equal(peer, before(p.round));
        assert_int_equal(word, p.epoch + 1);
        questions[peer]++;
        if (comes_when_asked)
            come(p.round);
    }
}

static void wake(struct fabric *f, int peer)
{
    (void)f;
    wakes[peer]++;
    assert_in_range(wakes[peer], 1, words[peer]); /* not before its word */
}

static void write_wake(struct fabric *f, int peer, int win, size_t off, const void *src, size_t len,
                       struct fabric_op *op)
{
    write_window(f, peer, win, off, src, len, op);
    wake(f, peer);
}

/* What a thread does that is about to sleep: it says so, and looks. */
void __wrap_progress_wait(struct waits_wait what, bool (*done)(void *), void *arg,
                          enum progress_wait kind);
void __wrap_progress_wait(struct waits_wait what, bool (*done)(void *), void *arg,
                          enum progress_wait kind)
{
    struct thread *t = thread_self();
    unsigned asked = questions[before(p.round)];

    assert_int_equal(what.object, p.epoch);
    assert_int_equal(what.node, before(p.round));
    assert_int_equal(kind, WAIT_STATE);
    assert_false(done(arg));
    assert_int_equal(questions[before(p.round)], asked); /* nobody sleeps yet */
    atomic_store(&t->asleep, SLEEPS_SERVING);
    waited = true;
    if (comes_when_asked) {
        assert_true(done(arg)); /* or it would sleep, and nobody wake it */
    } else {
        assert_false(done(arg));
        assert_false(done(arg));
        come(p.round);
        assert_true(done(arg));
    }
    atomic_store(&t->asleep, AWAKE);
    assert_int_equal(questions[before(p.round)], asked + 1); /* once in a round */
}

static void begin(void)
{
    fabric = (struct fabric){ .caps = FABRIC_WRITE_IMM };
    fabric.ops.write = write_window;
    fabric.ops.write_wake = write_wake;
    fabric.ops.wake = wake;
    engine.fabric = &fabric;
    engine.nodes = MEMBERS;
    engine.config.barrier = BARRIER_PAIRS;
    layout_init(&engine.at, MEMBERS, 64, 16, 4);
    window = mmap(NULL, engine.at.end, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_ptr_not_equal(window, MAP_FAILED);
    engine.control.base = window;
    p = (struct pairs){ .count = MEMBERS, .slots = engine.at.meeting_slots };
    memset(words, 0, sizeof words);
    memset(times, 0, sizeof times);
    memset(questions, 0, sizeof questions);
    memset(wakes, 0, sizeof wakes);
    comes_when_asked = asks_when_written = waited = false;
    assert_int_equal(thread_init(4), 0);
}

static void end(void)
{
    thread_end();
    assert_int_equal(munmap(window, engine.at.end), 0);
}

static void begin_meeting(void)
{
    const uint64_t vt[MEMBERS] = { p.epoch + 1, p.epoch, p.epoch };

    pairs_begin(&p, vt, ARRIVAL_WAITS, CALL);
}

static void end_meeting(void)
{
    pairs_end(&p, WAITS_BARRIER, p.epoch);
    for (int m = 0; m < MEMBERS; m++)
        assert_int_equal(p.vt[m], p.epoch);
}

static void expect_wakes(unsigned of_each)
{
    for (int r = 0; r < ROUNDS; r++) {
        assert_int_equal(words[behind(r)], OFTEN);
        assert_int_equal(wakes[behind(r)], of_each);
    }
}

/* ---- the tests ---- */

/* The others are there first: nobody sleeps, nobody is asked, nobody woken. */
static void nobody_sleeps(void)
{
    while (p.epoch < OFTEN) {
        for (int r = 0; r < ROUNDS; r++)
            come(r);
        begin_meeting();
        end_meeting();
    }
    assert_false(waited);
    expect_wakes(0);
    assert_int_equal(questions[1] + questions[2], 0);
}

/* [barrier-pairs.sleep-test]: and the word comes after the second look, or amid the question. */
static void who_sleeps_asks(void)
{
    for (int crossing = 0; crossing < 2; crossing++) {
        comes_when_asked = crossing;
        for (uint64_t until = p.epoch + OFTEN; p.epoch < until;) {
            begin_meeting();
            end_meeting();
        }
    }
    for (int r = 0; r < ROUNDS; r++)
        assert_int_equal(questions[before(r)], 2 * OFTEN);
    assert_int_equal(wakes[1] + wakes[2], 0);
}

/* [barrier-pairs.sleep-test]: before the word is written, or when it is there. */
static void meet_asked(bool late)
{
    asks_when_written = late;
    while (p.epoch < OFTEN) {
        for (int r = 0; r < ROUNDS; r++) {
            come(r);
            if (!late)
                be_asked(r);
        }
        begin_meeting();
        end_meeting();
    }
    expect_wakes(OFTEN);
}

static void who_is_asked_wakes(void)
{
    meet_asked(false);
}

static void who_is_asked_late_wakes(void)
{
    meet_asked(true);
}

static void who_is_asked_wakes_by_a_wake_of_its_own(void)
{
    fabric.caps = 0;
    meet_asked(false);
}

UNIT_MAIN(begin, end, TEST(nobody_sleeps), TEST(who_sleeps_asks), TEST(who_is_asked_wakes),
          TEST(who_is_asked_late_wakes), TEST(who_is_asked_wakes_by_a_wake_of_its_own))
