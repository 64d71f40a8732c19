/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The event loop of the simulator, beside a table of all that was asked for, sorted by qsort(): The
 * invariants are those of sim/event.h. And the random numbers, whose first ones are published.
 */
#include "sim/event.h"
#include "sim/random.h"
#include "tests/sim/harness.h"

#include <stdlib.h>
#include <string.h>

#define EVENTS 20000

struct asked {
    sim_time when;
    uint64_t number;
};

static struct asked asked[EVENTS], happened[EVENTS];
static size_t asked_for, done;
static struct event_loop loop;
static struct sim_random chance;
static sim_time spread; /* of the times that are asked for */

static void happen(void *self, uint64_t number);

static void ask(void)
{
    sim_time when = loop.now + random_number_below(&chance, spread);

    asked[asked_for] = (struct asked){ when, asked_for };
    event_at(&loop, when, happen, &chance, asked_for);
    asked_for++;
}

/* Some ask for more, at the present time too. */
static void happen(void *self, uint64_t number)
{
    assert_ptr_equal(self, &chance);
    assert_int_equal(loop.now, asked[number].when);
    happened[done++] = asked[number];
    for (uint64_t more = random_number_below(&chance, 4); more > 0 && asked_for < EVENTS; more--)
        ask();
}

static int by_time(const void *a, const void *b)
{
    const struct asked *x = a, *y = b;

    if (x->when != y->when)
        return x->when < y->when ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

static void run(uint64_t seed, sim_time times, size_t at_first)
{
    event_loop_init(&loop);
    chance = (struct sim_random){ seed };
    spread = times;
    asked_for = done = 0;
    for (size_t i = 0; i < at_first; i++)
        ask();
    event_loop_run(&loop);
    assert_int_equal(done, asked_for);
    assert_int_equal(loop.done, asked_for);
    event_loop_free(&loop);
}

/* In the order of times, and of asking where times are equal, with few times (many are equal) and
 * with many. */
TEST(test_order)
{
    static const sim_time spreads[] = { 1, 3, 1000, UINT64_C(1) << 32 };

    for (size_t s = 0; s < sizeof spreads / sizeof *spreads; s++)
        for (uint64_t seed = 0; seed < 5; seed++) {
            run(seed, spreads[s], 500);
            qsort(asked, asked_for, sizeof *asked, by_time);
            for (size_t i = 0; i < done; i++) {
                assert_int_equal(happened[i].when, asked[i].when);
                assert_int_equal(happened[i].number, asked[i].number);
            }
        }
}

TEST(test_the_same_again)
{
    static struct asked before[EVENTS];

    run(7, 50, 100);
    memcpy(before, happened, sizeof before);
    free(malloc(100000));
    run(7, 50, 100);
    assert_memory_equal(before, happened, sizeof before);
    run(8, 50, 100);
    assert_memory_not_equal(before, happened, sizeof before);
}

TEST(test_nothing)
{
    event_loop_init(&loop);
    event_loop_run(&loop);
    assert_int_equal(loop.now, 0);
    event_loop_free(&loop);
}

/* Those that are published for this seed (rosettacode.org, Pseudo-random numbers/Splitmix64). */
TEST(test_random)
{
    static const uint64_t published[] = {
        UINT64_C(6457827717110365317), UINT64_C(3203168211198807973), UINT64_C(9817491932198370423),
        UINT64_C(4593380528125082431), UINT64_C(16408922859458223821)
    };
    struct sim_random r = { 1234567 };

    for (size_t i = 0; i < sizeof published / sizeof *published; i++)
        assert_int_equal(random_next(&r), published[i]);
    for (int i = 0; i < 1000; i++) {
        assert_in_range(random_number_below(&r, 3), 0, 2);
        assert_int_equal(random_number_below(&r, 1), 0);
    }
}

TEST_MAIN(cmocka_unit_test(test_order), cmocka_unit_test(test_the_same_again),
          cmocka_unit_test(test_nothing), cmocka_unit_test(test_random))
