/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The atomic unit: times worked out by hand, and many operations through units of all shapes, whose
 * reads and writes are looked at on their way to the host. The invariants are those of
 * sim/atomic_unit.h, and of sim/host_port.h.
 */
#include "sim/atomic_unit.h"
#include "sim/random.h"
#include "sim/torus.h"
#include "tests/sim/harness.h"

#include <string.h>

#define WORDS 24
#define MOST  600

static struct event_loop loop;
static struct host_port port;
static struct atomic_unit unit;
static sim_time at[MOST]; /* an operation's result */
static uint64_t done;
static uint64_t word_of[MOST];
static unsigned writes_under_way[WORDS];
static bool fresh[WORDS]; /* the host has the newest value, or will */
static bool wrote;        /* since the last result */

/* ---- what goes to the host ---- */

void __real_host_port_read(struct host_port *p, event_fn fn, void *self, uint64_t arg);
void __real_host_port_write(struct host_port *p, event_fn fn, void *self, uint64_t arg);
void __wrap_host_port_read(struct host_port *p, event_fn fn, void *self, uint64_t arg);
void __wrap_host_port_write(struct host_port *p, event_fn fn, void *self, uint64_t arg);

void __wrap_host_port_read(struct host_port *p, event_fn fn, void *self, uint64_t arg)
{
    const uint64_t word = unit.queue[unit.fetched & (unit.room - 1)].address / 8;

    assert_int_equal(writes_under_way[word], 0);
    for (uint64_t n = unit.written; n < unit.fetched; n++) /* nor will one be */
        assert_true(unit.queue[n & (unit.room - 1)].address != word * 8);
    __real_host_port_read(p, fn, self, arg);
}

static event_fn write_done;

static void write_over(void *self, uint64_t address)
{
    writes_under_way[address / 8]--;
    write_done(self, address);
}

void __wrap_host_port_write(struct host_port *p, event_fn fn, void *self, uint64_t address)
{
    write_done = fn;
    writes_under_way[address / 8]++;
    wrote = true;
    __real_host_port_write(p, write_over, self, address);
}

/* Results in the order in which operations came. */
static void result(void *self, uint64_t number)
{
    (void)self;
    assert_int_equal(number, done);
    at[done++] = loop.now;
    fresh[word_of[number]] = wrote;
    wrote = false;
    assert_true(port.free_tags <= port.cfg.tags);
}

/* ---- a unit ---- */

/* 1 GB/s each way, 100 ns, 70 ns at the memory. */
static void begin(struct atomic_unit_config cfg, unsigned tags)
{
    struct host_port_config p = { tags, 100 * SIM_NS, 70 * SIM_NS, 1000000000, 8, 16, 12, 32 };

    cfg.cycle = 2 * SIM_NS;
    cfg.alu_cycles = 3;
    done = 0;
    memset(writes_under_way, 0, sizeof writes_under_way);
    event_loop_init(&loop);
    host_port_init(&port, &loop, &p);
    atomic_unit_init(&unit, &loop, &port, &cfg, result, NULL);
}

static void add(void *self, uint64_t number)
{
    (void)self;
    atomic_unit_add(&unit, word_of[number] * 8, number);
}

static void end(uint64_t operations)
{
    event_loop_run(&loop);
    assert_int_equal(done, operations);
    for (uint64_t i = 0; i < operations; i++)
        assert_true(fresh[word_of[i]]);
    assert_int_equal(port.free_tags, port.cfg.tags);
    assert_int_equal(unit.raw_used, 0);
    assert_int_equal(unit.registers_used, 0);
    atomic_unit_free(&unit);
    assert_int_equal(port.waiting, 0);
    event_loop_free(&loop);
}

static void run(struct atomic_unit_config cfg, unsigned tags, const char *words)
{
    uint64_t count = strlen(words);

    begin(cfg, tags);
    for (uint64_t i = 0; i < count; i++) {
        word_of[i] = (uint64_t)(words[i] - 'A');
        add(NULL, i);
    }
    end(count);
}

static const struct atomic_unit_config plain = {
    .lines = 4, .ways = 1, .registers = 4, .raw = 8, .pipeline = 16
};

/* A read of 8 ns, 100 there, 70, 12 and 100 back: the word is there at 290, the result at 296. */
TEST(test_times)
{
    struct atomic_unit_config cfg = plain;

    run(cfg, 8, "A");
    assert_int_equal(at[0], 296 * SIM_NS);
    /* The second one hits, and computes when the first has its result. */
    run(cfg, 8, "AA");
    assert_int_equal(at[1], 302 * SIM_NS);
    assert_int_equal(port.writes, 2);
    assert_int_equal(unit.hits, 1);
    /* Another word's read is 8 ns behind, and its answer too: the cycle that begins then. */
    run(cfg, 8, "AB");
    assert_int_equal(at[1], 308 * SIM_NS);
}

/* With a window of one the first of two results is not written, of three with a limit of one the
 * second is. */
TEST(test_registers)
{
    struct atomic_unit_config cfg = plain;

    cfg.window = 1;
    run(cfg, 8, "AA");
    assert_int_equal(port.writes, 1);
    assert_int_equal(unit.kept, 1);
    run(cfg, 8, "ABAB");
    assert_int_equal(unit.kept, 0);
    cfg.window = 2;
    run(cfg, 8, "ABAB");
    assert_int_equal(unit.kept, 2);
    assert_int_equal(port.writes, 2);
    cfg.aging = AGING_COUNT;
    cfg.aging_count = 1;
    run(cfg, 8, "AAA");
    assert_int_equal(unit.kept, 1);
    run(cfg, 8, "AAAAA");
    assert_int_equal(unit.kept, 2);
    cfg.aging = AGING_QUEUE; /* a single write at a time: nothing waits */
    run(cfg, 8, "AA");
    assert_int_equal(unit.kept, 0);
    cfg.registers = 0;
    cfg.aging = AGING_NONE;
    run(cfg, 8, "AA");
    assert_int_equal(unit.kept, 0);
}

/* One line: B waits for it, and A's next operation comes behind B. */
TEST(test_line_in_the_way)
{
    struct atomic_unit_config cfg = plain;

    cfg.lines = 1;
    cfg.window = 8;
    run(cfg, 8, "ABABAAB");
    assert_int_equal(unit.kept, 1);
}

/* One line, all operations at once: B waits until A has its result, or passes the cache. Then its
 * read follows A's by 8 ns, and C's by 16. The second B waits until the first one's value is in
 * memory. */
TEST(test_line_in_use)
{
    struct atomic_unit_config cfg = plain;

    cfg.lines = 1;
    run(cfg, 8, "AB");
    assert_true(at[1] > 2 * 290 * SIM_NS);
    cfg.passes = true;
    run(cfg, 8, "ABC");
    assert_int_equal(at[1], 308 * SIM_NS);
    assert_int_equal(at[2], 320 * SIM_NS);
    run(cfg, 8, "ABB");
    assert_true(at[2] > at[1] + 290 * SIM_NS);
    assert_true(unit.stalled_raw > 0);
}

/* Without a cache each operation on the word waits for the write of the one before: 296, 16 and 100
 * to the memory, and then the same again. With two lines, C takes A's while A's value is on its
 * way, and A's next operation waits until it is there. */
TEST(test_read_after_write)
{
    struct atomic_unit_config cfg = plain;

    cfg.lines = 2;
    cfg.ways = 2;
    run(cfg, 8, "ABCA");
    assert_true(unit.stalled_raw > 0);
    assert_true(at[3] > (412 + 290) * SIM_NS);
    cfg.lines = 0;
    run(cfg, 8, "AA");
    assert_int_equal(at[0], 296 * SIM_NS);
    assert_int_equal(at[1], (412 + 296) * SIM_NS);
}

static unsigned choose(struct sim_random *r, const unsigned *of, unsigned count)
{
    return of[random_number_below(r, count)];
}

/* Units of all shapes: nothing stands still, and the rules hold. */
TEST(test_all_shapes)
{
    static const unsigned lines[] = { 0, 1, 2, 4, 8, 16 }, ways[] = { 1, 2, 4, 8 };
    static const unsigned few[] = { 1, 2, 3, 8, 64 }, many[] = { 0, 1, 4, 64 };
    struct sim_random r = { 11 };

    for (int round = 0; round < 400; round++) {
        struct atomic_unit_config cfg = { .lines = choose(&r, lines, 6) };
        uint64_t words = 1 + random_number_below(&r, WORDS), operations = MOST / 4;
        sim_time when = 0, apart = choose(&r, few, 5);

        do
            cfg.ways = choose(&r, ways, 4);
        while (cfg.lines % cfg.ways != 0);
        cfg.passes = round % 2 == 1;
        cfg.window = choose(&r, many, 4);
        cfg.registers = choose(&r, many, 4);
        cfg.aging = (enum atomic_unit_aging)random_number_below(&r, 4);
        cfg.aging_count = choose(&r, few, 5);
        cfg.aging_queue = choose(&r, many, 4);
        cfg.raw = choose(&r, few, 5);
        cfg.pipeline = choose(&r, few, 5);
        begin(cfg, choose(&r, few, 5));
        for (uint64_t i = 0; i < operations; i++) {
            word_of[i] = random_number_below(&r, words);
            when += random_number_below(&r, apart) * SIM_NS;
            event_at(&loop, when, add, NULL, i);
        }
        end(operations);
    }
}

/* 32 nodes are 4 by 4 by 2: from one corner the farthest is 2, 2 and 1 away. */
TEST(test_torus)
{
    struct torus t = torus_for(32);
    unsigned most = 0;

    assert_int_equal(t.side[0] + t.side[1] + t.side[2], 10);
    assert_int_equal(t.side[0] * t.side[1] * t.side[2], 32);
    for (unsigned a = 0; a < 32; a++)
        for (unsigned b = 0; b < 32; b++) {
            unsigned routers = torus_routers(&t, a, b);

            assert_int_equal(routers, torus_routers(&t, b, a));
            assert_int_equal(routers == 1, a == b);
            if (most < routers)
                most = routers;
        }
    assert_int_equal(most, 6);
}

TEST_MAIN(cmocka_unit_test(test_times), cmocka_unit_test(test_registers),
          cmocka_unit_test(test_line_in_the_way), cmocka_unit_test(test_line_in_use),
          cmocka_unit_test(test_read_after_write), cmocka_unit_test(test_all_shapes),
          cmocka_unit_test(test_torus))
