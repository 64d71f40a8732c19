/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Placement control (policy_threads.h) with programs whose times on one node and on all nodes are
 * given: what each takes in all, beside one that stays on one node. */
#include "hlrc/policy/policy_threads.h"

#include <stddef.h>

#include "tests/unit/unit.h"

#define MS 1e6
#define S  1e9

/* A region: its time gathered and spread, and its locks. */
struct region {
    char code[64]; /* its address */
    double gathered, spread, syncs;
};

/* Cycles through its regions. A move costs `move` in the first cycle, and in each later cycle
 * `again` times the cost of the previous cycle. */
struct program {
    struct region region[4];
    size_t regions;
    double move, again;
};

static double half; /* the time of any region with span 2 */

struct outcome {
    double time, alone; /* time taken; the same gathered */
    unsigned moves;
};

/* Runs it for `length` of its gathered time. `p` and *now continue. */
static struct outcome run(struct policy_threads *p, const struct program *program, double length,
                          double *now)
{
    struct outcome out = { 0, 0, 0 };
    const struct region *before = NULL;
    size_t since_move = 0;
    double move = 0; /* of this cycle */

    for (size_t k = 0; out.alone < length; k = (k + 1) % program->regions) {
        const struct region *r = &program->region[k];
        bool was = !policy_threads_is_spread(p);
        int span = policy_threads_span(p);
        struct policy_threads_done done = { .work = 1, .syncs = before && was ? before->syncs : 0 };
        policy_threads_next(p, r->code, *now, &done);
        bool gathered = !policy_threads_is_spread(p);
        out.moves += span != policy_threads_span(p);
        if (span != policy_threads_span(p)) {
            since_move = 0;
            move = program->move;
        } else if (++since_move % program->regions == 0) {
            move *= program->again;
        }
        double took = gathered ? r->gathered : policy_threads_span(p) == 2 ? half : r->spread;
        took += move / (double)program->regions;
        *now += took;
        out.time += took;
        out.alone += r->gathered;
        before = r;
    }
    return out;
}

static struct outcome run_alone(const struct program *program, double length)
{
    struct policy_threads p;
    double now = 1 * S;

    policy_threads_begin(&p, POLICY_THREADS_REST, 0, 2, now);
    return run(&p, program, length, &now);
}

static const struct program gains = {
    { { "a", 4 * MS, 2 * MS, 0 }, { "b", 2 * MS, 1.2 * MS, 1 }, { "c", 1 * MS, 1.5 * MS, 0 } },
    3,
    40 * MS,
    0
};
static const struct program loses = {
    { { "a", 4 * MS, 12 * MS, 0 }, { "b", 1 * MS, 30 * MS, 0 } }, 2, 40 * MS, 0
};

/* At least 0.8 of what spreading gains, in a run of some seconds. */
static void test_gain(void)
{
    struct outcome o = run_alone(&gains, 10 * S);
    double all_spread = o.alone * (2 + 1.2 + 1.5) / (4 + 2 + 1);

    assert_true(o.time < o.alone - 0.8 * (o.alone - all_spread));
    assert_true(o.moves <= 3);
}

static void test_loss(void)
{
    for (double length = 1 * S; length < 2000 * S; length *= 3) {
        struct outcome o = run_alone(&loses, length);
        assert_true(o.time <= 1.1 * o.alone);
    }
}

/* One period takes seconds when it is spread: its locks say so beforehand. */
static void test_never(void)
{
    static const struct program locks = {
        { { "a", 4 * MS, 4000 * MS, 50 }, { "b", 4 * MS, 2 * MS, 0 } }, 2, 0, 0
    };
    static const struct program fine = { { { "a", 0.1 * MS, 0.05 * MS, 0 } }, 1, 0, 0 };

    assert_int_equal(run_alone(&locks, 100 * S).moves, 0);
    assert_int_equal(run_alone(&fine, 100 * S).moves, 0);
}

/* [threads.known] While the threads are spread, regions come that would take seconds there, once or
 * again and again. */
static void test_known(void)
{
    static const struct program once = { { { "b", 100 * MS, 60 * S, 50000 } }, 1, 0, 0 }, mixed = {
        { { "a", 40 * MS, 20 * MS, 0 }, { "c", 4 * MS, 4 * S, 5000 } }, 2, 0, 0
    };
    static const struct program plain = { { { "a", 40 * MS, 20 * MS, 0 } }, 1, 0, 0 };
    struct policy_threads p;
    double now = 0;

    policy_threads_begin(&p, POLICY_THREADS_REST, 0, 2, now);
    (void)run(&p, &plain, 4 * S, &now);
    assert_true(p.spread);
    struct outcome o = run(&p, &once, 100 * MS, &now);
    assert_true(o.time <= 1.1 * o.alone);
    o = run(&p, &mixed, 20 * S, &now);
    assert_true(o.time < 0.7 * o.alone);
}

/* [threads.budget] No trial begins whose data are too many to move in this time, over a network as
 * fast as memory and over a slow one. */
static void test_pages(void)
{
    static const char code;
    static const double trips[] = { 0, 0.2 * MS };
    struct policy_threads p;

    for (size_t i = 0; i < 2; i++) {
        double now = 0, at = 0, move = 200000 * policy_threads_page(trips[i]);
        policy_threads_begin(&p, POLICY_THREADS_REST, trips[i], 2, now);
        for (; !p.spread && now < 1000 * S; now += 20 * MS) {
            struct policy_threads_done done = { .work = 1, .pages = 200000 };
            policy_threads_next(&p, &code, now, &done);
            at = now;
        }
        assert_true(at * POLICY_THREADS_BUDGET >= move && at < 1.5 * move / POLICY_THREADS_BUDGET);
    }
}

/* [threads.worth] A period takes some round trips, so over a slow network it must be longer. */
static void test_trips(void)
{
    static const struct program some = { { { "a", 4 * MS, 2 * MS, 0 } }, 1, 0, 0 };
    struct policy_threads p;
    double now = 1 * S;

    assert_true(run_alone(&some, 20 * S).moves > 0);
    policy_threads_begin(&p, POLICY_THREADS_REST, 1 * MS, 2, now);
    assert_int_equal(run(&p, &some, 20 * S, &now).moves, 0);
}

/* POSIX threads: periods of one kind, by what was computed. Spread, twice as much is; later, for
 * half of the time, only one thread has work, which is no loss. */
static void test_work(void)
{
    static const char code;
    struct policy_threads p;
    double now = 1 * S, computed = 0;
    unsigned moves = 0;

    policy_threads_begin(&p, POLICY_THREADS_REST, 0, 2, now);
    for (int k = 0; k < 4000; k++) {
        bool was = p.spread, one = k % 400 >= 200 && k > 1000;
        double work = p.spread && !one ? 50 * MS : 25 * MS;
        struct policy_threads_done done = { .work = work, .part = one ? 1 : 0.9 };
        now += 25 * MS;
        computed += work;
        policy_threads_next(&p, &code, now, &done);
        moves += p.spread != was;
    }
    assert_int_equal(moves, 1);
    assert_true(computed > 1.5 * 4000 * 25 * MS);
}

/* The same, but little is computed while threads wait for pages. */
static void test_work_lost(void)
{
    static const char code;
    struct policy_threads p;
    double now = 1 * S, computed = 0;

    policy_threads_begin(&p, POLICY_THREADS_REST, 0, 2, now);
    for (int k = 0; k < 40000; k++) {
        double work = p.spread ? 5 * MS : 25 * MS;
        struct policy_threads_done done = { .work = work, .part = p.spread ? 0.1 : 1 };
        now += 25 * MS;
        computed += work;
        policy_threads_next(&p, &code, now, &done);
    }
    assert_true(computed > 0.92 * 40000 * 25 * MS);
}

/* The cost of moving is learnt: a move that does not pay within the budget is not repeated. */
static void test_moves(void)
{
    static const struct program heavy = { { { "a", 10 * MS, 10.5 * MS, 0 } }, 1, 60 * MS, 0 };

    for (double length = 1 * S; length < 200 * S; length *= 3) {
        struct outcome o = run_alone(&heavy, length);
        assert_true(o.time <= 1.1 * o.alone);
        assert_true(o.moves <= 20);
    }
}

/* [threads.falling] Data move for several windows, each of which alone would not pay. */
static void test_falling(void)
{
    static const struct program slow = { { { "a", 20 * MS, 11 * MS, 0 } }, 1, 40 * MS, 0.6 };
    struct outcome o = run_alone(&slow, 20 * S);

    assert_true(o.time < 0.7 * o.alone);
    assert_true(o.moves <= 3);
}

/* A program changes its ways, twice. */
static void test_phases(void)
{
    struct policy_threads p;
    double now = 5 * S;

    policy_threads_begin(&p, POLICY_THREADS_REST, 0, 2, now);
    struct outcome first = run(&p, &gains, 20 * S, &now), second = run(&p, &loses, 40 * S, &now),
                   third = run(&p, &gains, 200 * S, &now);
    assert_true(first.time < 0.8 * first.alone);
    assert_true(second.time <= 1.1 * second.alone);
    assert_true(third.time < 0.85 * third.alone);
}

/* The same code takes longer when it is spread: as it did gathered. */
static void test_same_code(void)
{
    struct program program = gains;
    struct policy_threads p;
    double now = 0;

    policy_threads_begin(&p, POLICY_THREADS_REST, 0, 2, now);
    (void)run(&p, &program, 20 * S, &now);
    assert_true(p.spread);
    for (size_t k = 0; k < program.regions; k++)
        program.region[k].spread = 10 * program.region[k].gathered;
    struct outcome o = run(&p, &program, 100 * S, &now);
    assert_true(o.time <= 1.1 * o.alone);
    assert_false(p.spread);
}

/* [threads.span] On four nodes: which of all, half and one is fastest. */
static void test_span(void)
{
    static const struct {
        double spread, half; /* 10 ms gathered */
        double most;         /* of the time gathered, in 60 s */
    } cases[] = {
        { 13 * MS, 6 * MS, 0.7 },     { 5 * MS, 4 * MS, 0.45 },   { 4 * MS, 6 * MS, 0.45 },
        { 13 * MS, 12 * MS, 1.05 },   { 4 * MS, 30 * MS, 0.47 },  { 30 * MS, 6 * MS, 0.7 },
        { 9.9 * MS, 9.9 * MS, 1.05 }, { 1 * MS, 9.5 * MS, 0.13 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct program program = { { { "a", 10 * MS, cases[i].spread, 0 } }, 1, 20 * MS, 0 };
        struct policy_threads p;
        double now = 1 * S;
        half = cases[i].half;
        policy_threads_begin(&p, POLICY_THREADS_REST, 0, 4, now);
        struct outcome o = run(&p, &program, 60 * S, &now);
        assert_true(o.time <= cases[i].most * o.alone);
    }
}

/* Eight nodes, of which two are fastest: each step there pays. */
static void test_span_of_many(void)
{
    static const char code;
    static const double took[] = { 0, 20 * MS, 12 * MS, 0, 7 * MS, 0, 0, 0, 30 * MS };
    struct policy_threads p;
    double now = 1 * S, alone = 0, begun = now;

    policy_threads_begin(&p, POLICY_THREADS_REST, 0, 8, now);
    while (alone < 120 * S) {
        struct policy_threads_done done = { .work = 1 };
        policy_threads_next(&p, &code, now, &done);
        assert_true(took[policy_threads_span(&p)] > 0);
        now += took[policy_threads_span(&p)];
        alone += took[8];
    }
    assert_true(now - begun < 0.35 * alone);
    assert_int_equal(p.before == 4 || p.span == 4, 1);
}

UNIT_MAIN(NULL, NULL, TEST(test_gain), TEST(test_loss), TEST(test_never), TEST(test_known),
          TEST(test_pages), TEST(test_trips), TEST(test_moves), TEST(test_falling),
          TEST(test_phases), TEST(test_same_code), TEST(test_work), TEST(test_work_lost),
          TEST(test_span), TEST(test_span_of_many))
