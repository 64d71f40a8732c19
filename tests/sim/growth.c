/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Laws and growth: what the calls of a law mean (sim/law.h), and traces of two and four nodes, made
 * by hand, that grow to eight (sim/growth.h): pages, bytes and times are known beforehand.
 */
#include "sim/growth.h"
#include "sim/replay.h"
#include "tests/sim/harness.h"
#include "tests/sim/replay_machine.h"
#include "tests/sim/trace_make.h"

#include <stdlib.h>

#define FIRST 1000u /* page of the array */
#define SIZE  16u   /* its pages */
#define TURNS 6u

/* Each writes its block and reads the last bytes of the block before its own, in turns. */
enum { BLOCKS_SIZE, BLOCKS_TURNS };

static int64_t blocks_first(const struct law_run *r, int64_t size, int64_t j)
{
    return r->page * law_share(r, size, j);
}

static int blocks_write, blocks_worked, blocks_waited; /* lines of blocks_run */

static void blocks_run(struct law_run *r)
{
    int64_t size = r->param[BLOCKS_SIZE];

    if (r->weak)
        size = size * r->nodes / r->traced;
    int64_t from = blocks_first(r, size, r->node), to = blocks_first(r, size, r->node + 1);
    struct law_array a = law_array(r, r->page * size);
    law_write(r, a, from, to);
    law_barrier(r);
    for (int64_t k = 0; k < r->param[BLOCKS_TURNS]; k++) {
        law_write(r, a, from, to - 2048), blocks_write = __LINE__;
        law_work(r, size / r->nodes);
        law_barrier(r), blocks_worked = __LINE__;
        if (r->node > 0)
            law_read(r, a, from - 8, from);
        law_barrier(r), blocks_waited = __LINE__;
    }
}

static const struct law blocks = { "blocks",
                                   blocks_run,
                                   { { "size", 16, 1, 1024 }, { "turns", TURNS, 1, 100 } } };

static struct growth g;
static struct made made[2];
static struct trace traces[2];

/* ---- numbers ---- */

TEST(test_numbers)
{
    assert_int_equal(law_divide(-7, 2), -4);
    assert_int_equal(law_divide(7, -2), -4);
    assert_int_equal(law_divide(-8, 2), -4);
    assert_int_equal(law_divide(7, 2), 3);
    assert_int_equal(law_rest(-7, 2), 1);
    assert_int_equal(law_rest(7, -2), -1);
    assert_int_equal(law_root(15) * 100 + law_root(16), 304);
    assert_int_equal(law_root(INT64_MAX), INT64_C(3037000499));
    assert_int_equal(law_log2(1) + law_log2(1024) + law_log2(1025), 20);
    assert_int_equal(law_whole(1, 64) + law_whole(64, 64), 128);
}

/* ---- a run ---- */

static char told[4000];

static void tell(const char *format, ...)
{
    va_list ap;
    size_t length = strlen(told);

    va_start(ap, format);
    vsnprintf(told + length, sizeof told - length, format, ap);
    va_end(ap);
}

static void tell_access(void *self, const struct law_access *a)
{
    (void)self;
    tell("%s %u-%u ", a->kind == LAW_READ ? "read" : "write", (unsigned)a->begin, (unsigned)a->end);
}

static bool tell_sync(void *self, enum law_kind kind, uint64_t arg, uint32_t site, uint64_t work)
{
    (void)self;
    (void)site;
    tell("%s %u after %u; ",
         kind == LAW_BARRIER  ? "barrier"
         : kind == LAW_LOCK   ? "lock"
         : kind == LAW_UNLOCK ? "unlock"
                              : "end",
         (unsigned)arg, (unsigned)work);
    return true;
}

static const struct law_sink teller = { tell_access, tell_sync };

static uint64_t space; /* pages; 0: any number */

static const char *run(void (*fn)(struct law_run *r), uint32_t nodes, uint32_t node)
{
    static const struct law_seen seen[] = { { 0, 2 }, { 1, 1 }, { 1, 3 }, { 2, 1 } };
    const struct law law = { "some", fn, { { 0 } } };
    struct law_job job = { .law = &law,
                           .nodes = nodes,
                           .node = node,
                           .traced = 4,
                           .page_bytes = 100,
                           .first_page = 1,
                           .pages = space,
                           .seen = seen,
                           .seen_count = 4 };

    told[0] = '\0';
    return law_run_node(&job, &teller, NULL);
}

static void some_run(struct law_run *r)
{
    struct law_array a = law_array(r, 150), b = law_array(r, 10);

    law_work(r, 5);
    law_work(r, -7); /* counts as none */
    law_read(r, a, 1, 7);
    law_write(r, b, 0, 2);
    law_lock(r, 7);
    law_work(r, r->nodes);
    law_unlock(r, r->node + r->traced);
    law_barrier(r);
    law_read(r, a, 9, 3);
}

static void seen_run(struct law_run *r)
{
    struct law_array a = law_array(r, 1), b = law_array(r, 200);
    int64_t x = law_seen_first(r, b);

    law_barrier(r);
    law_lock(r, law_seen_first(r, a)); /* page 1 */
    law_lock(r, x);
    law_lock(r, law_seen_first(r, b));
}

/* As well: nothing is left of the run before. */
TEST(test_run)
{
    for (int i = 0; i < 2; i++) {
        assert_null(run(some_run, 2, 1));
        /* the second array begins at the third page of 100 bytes */
        assert_string_equal(told, "read 101-107 write 300-302 lock 7 after 5; unlock 5 after 2; "
                                  "barrier 0 after 0; end 0 after 0; ");
        assert_null(run(seen_run, 2, 0));
        assert_string_equal(told, "barrier 0 after 0; lock 0 after 0; lock 0 after 0; "
                                  "lock 4294967295 after 0; end 0 after 0; ");
    }
}

static int wrong_line;

static void wrong_array(struct law_run *r)
{
    wrong_line = __LINE__, (void)law_array(r, 0);
}

static void wrong_pages(struct law_run *r)
{
    (void)law_array(r, INT64_C(400000000000));
    wrong_line = __LINE__, (void)law_array(r, INT64_C(40000000000));
}

static void wrong_end(struct law_run *r)
{
    struct law_array a = law_array(r, 150);

    law_read(r, a, 0, 150);
    wrong_line = __LINE__, law_read(r, a, 0, 151);
    abort();
}

static void wrong_begin(struct law_run *r)
{
    struct law_array a = law_array(r, 150);

    wrong_line = __LINE__, law_read(r, a, -1, 1);
    abort();
}

static void wrong_size(struct law_run *r)
{
    char *owned = law_alloc(r, 10, 1);
    law_require(r, owned[9] == 0, "not wrong");
    wrong_line = __LINE__, law_require(r, r->nodes == 3, "three nodes");
    abort();
}

static void wrong_endless(struct law_run *r)
{
    struct law_array a = law_array(r, 150);

    for (;;)
        wrong_line = __LINE__, law_prefetch(r, a, 0, 1), told[0] = '\0';
}

static void wrong_space(struct law_run *r)
{
    wrong_line = __LINE__, (void)law_array(r, INT64_C(100) * 100000000);
}

/* With the line. */
TEST(test_wrong_runs)
{
    static const struct {
        void (*run)(struct law_run *r);
        const char *what, *told;
    } some[] = {
        { wrong_array, "an array has no bytes, or more than 16 TB", "" },
        { wrong_pages, "its arrays have more pages than a trace can have", "" },
        { wrong_end, "a range lies outside of its array", "read 100-250 " },
        { wrong_begin, "a range lies outside of its array", "" },
        { wrong_size, "three nodes", "" },
        { wrong_endless, "more accesses than 33,554,432 without synchronization", "" },
        { wrong_space, "its arrays have more pages than the space of the run", "" },
    };

    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        char line[120];
        space = some[i].run == wrong_space ? 100000000 : 0;
        const char *wrong = run(some[i].run, 2, 0);
        snprintf(line, sizeof line, "line %d of sim/law_some.c: %s", wrong_line, some[i].what);
        assert_string_equal(wrong, line);
        assert_string_equal(told, some[i].told);
    }
}

/* ---- growth ---- */

static void close_run(struct made *m, unsigned node, uint32_t first, uint32_t count, bool known)
{
    struct made_node *n = &m->node[node];
    unsigned char *at = record_number_put(n->closings + n->closing_bytes, count << 1);

    for (uint32_t i = 0; i < count; i++) {
        at = record_number_put(at, record_fold(i == 0 ? (int64_t)first : 1));
        at = record_number_put(at, known ? 1200 << 1 : 1);
        at = record_number_put(at, known ? 1024 : 0);
    }
    n->closing_bytes = (size_t)(at - n->closings);
    n->closing_count++;
    made_put(m, node, RECORD_CLOSED, 0, 1, 0);
}

static void meet(struct made *m, unsigned node, uint64_t time)
{
    made_put(m, node, RECORD_ARRIVE, time, 1, 0);
    made_put(m, node, RECORD_DEPART, 0, 0, 0);
}

/* What `blocks` says, in 1000 + 10 work ns up to the barrier in the loop, with the last page of a
 * block known to change by half of what is written. */
static void make(struct made *m, unsigned nodes)
{
    made_begin(m, nodes);
    for (unsigned n = 0; n < nodes; n++) {
        uint32_t first = FIRST + SIZE * n / nodes, count = SIZE / nodes;
        for (uint32_t p = first; p < first + count; p++)
            made_put(m, n, RECORD_WRITE, 10, p, 0);
        close_run(m, n, first, count, false);
        meet(m, n, 0);
        for (uint32_t k = 0; k < TURNS; k++) {
            for (uint32_t p = first; p < first + count; p++)
                made_put(m, n, RECORD_WRITE, 10, p, 0);
            close_run(m, n, first, count - 1, false);
            close_run(m, n, first + count - 1, 1, true);
            meet(m, n, 1000);
            if (n > 0)
                made_put(m, n, RECORD_READ, 300, first - 1, 0);
            meet(m, n, n > 0 ? 0 : 300);
        }
        made_put(m, n, RECORD_END, 20, 0, 0);
    }
    made_end(m);
}

static void begin(const struct law *law)
{
    memset(&g, 0, sizeof g);
    g.law = law;
    law_defaults(law, g.param);
    g.traces = 2;
    for (unsigned i = 0; i < 2; i++) {
        make(&made[i], 2 + 2 * i);
        assert_null(trace_read(&traces[i], made[i].bytes, made[i].length));
        g.trace[i] = &traces[i];
    }
}

static void end(void)
{
    growth_free(&g);
    trace_free(&traces[0]);
    trace_free(&traces[1]);
}

static char *grown(const struct growth_wish *wish, size_t *length)
{
    char *bytes;
    FILE *out = open_memstream(&bytes, length);

    assert_null(growth_write(&g, wish, out));
    assert_int_equal(fclose(out), 0);
    return bytes;
}

/* All pages are those of the law. */
TEST(test_fit)
{
    begin(&blocks);
    assert_null(growth_fit(&g));
    assert_int_equal(g.first_page, FIRST);
    for (unsigned i = 0; i < 2; i++) {
        const struct growth_seen *s = &g.seen[i];
        unsigned nodes = 2 + 2 * i;
        assert_int_equal(s->writes, SIZE * (TURNS + 1));
        assert_int_equal(s->writes_stated, s->writes);
        assert_int_equal(s->stated, s->writes);
        assert_int_equal(s->reads, (nodes - 1) * TURNS);
        assert_int_equal(s->reads_stated, s->reads);
    }
    assert_in_range(growth_ns(&g, (uint32_t)blocks_worked, 8), 1079, 1080);
    assert_in_range(growth_ns(&g, (uint32_t)blocks_worked, 2), 1019, 1020);
    assert_int_equal(growth_ns(&g, (uint32_t)blocks_waited, 0), 300); /* no work: the mean */
    assert_int_equal(g.change[blocks_write].bytes * 2, g.change[blocks_write].written);
    end();
}

/* A trace that is only compared changes nothing. */
TEST(test_check)
{
    begin(&blocks);
    g.is_check[1] = true;
    assert_null(growth_fit(&g));
    assert_int_equal(g.largest->set[RECORD_SET_nodes], 2);
    assert_int_equal(g.seen[1].writes_stated, SIZE * (TURNS + 1));
    /* of eight pages alone, in proportion to the work */
    assert_int_equal(g.line[blocks_worked].constant, 0);
    assert_in_range(growth_ns(&g, (uint32_t)blocks_worked, 4), 539, 540);
    end();
}

/* A law of synchronization: each letter of `script` is a step, a number the lock that follows. */
static const char *script;
static int script_unlock; /* a line */

static void script_run(struct law_run *r)
{
    (void)law_array(r, 16 * r->page);
    for (const char *at = script; *at != '\0'; at++)
        if (*at == 'b')
            law_barrier(r);
        else if (*at == 'l')
            law_lock(r, *++at - '0');
        else if (*at == 'u')
            law_unlock(r, *++at - '0'), script_unlock = __LINE__;
        else
            law_work(r, *at - '0');
}

static const struct law scripted = { "scripted", script_run, { { 0 } } };

static void half_run(struct law_run *r)
{
    struct law_array a = law_array(r, 16 * r->page);

    for (int i = 0; i < 13; i++) {
        law_write(r, a, 0, 8 * r->page);
        law_barrier(r);
    }
}

static const struct law half = { "half", half_run, { { 0 } } };

TEST(test_mismatch)
{
    static const char *const others[] = { "b", "l3", "bu3", "bbbbbbbbbbbbbb" };

    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        script = others[i];
        begin(&scripted);
        assert_non_null(growth_fit(&g));
        end();
    }
    begin(&half);
    assert_null(growth_fit(&g));
    assert_int_equal(g.seen[0].writes_stated, 8 * (TURNS + 1)); /* node 0's */
    assert_int_equal(g.seen[0].stated, 2 * 13 * 8);
    assert_int_equal(g.seen[0].reads_stated, TURNS);
    end();
}

/* Of locks. */
TEST(test_locks)
{
    static const struct {
        const char *script;
        bool fits;
    } some[] = {
        { "l32u34", true },  { "l4u3", false }, { "l3u4", false },
        { "l3u3l3", false }, { "u3l3", false },
    };

    made_begin(&made[0], 2);
    for (unsigned n = 0; n < 2; n++) {
        made_put(&made[0], n, RECORD_LOCK, 10, 3, 0);
        made_put(&made[0], n, RECORD_UNLOCK, 20, 3, 0);
        made_put(&made[0], n, RECORD_END, 40, 0, 0);
    }
    made_end(&made[0]);
    assert_null(trace_read(&traces[0], made[0].bytes, made[0].length));
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        script = some[i].script;
        g = (struct growth){ .law = &scripted, .traces = 1, .trace = { &traces[0] } };
        assert_int_equal(growth_fit(&g) == NULL, some[i].fits);
        if (some[i].fits) {
            assert_int_equal(growth_ns(&g, (uint32_t)script_unlock, 2), 20);
            assert_int_equal(growth_ns(&g, 0, 4), 40); /* the end */
        }
        growth_free(&g);
    }
    trace_free(&traces[0]);
}

static void expect(struct script *s, unsigned kind, uint64_t arg)
{
    const struct script_op *op = script_next(s);

    assert_non_null(op);
    assert_int_equal(op->kind, kind);
    assert_int_equal(op->arg[0], arg);
}

/* Eight nodes: two pages each, of which the last one changes by half. */
TEST(test_grown)
{
    struct growth_wish wish = { .nodes = 8, .all = true };
    struct trace t;
    struct script s;
    size_t length;
    uint64_t time = 0;

    begin(&blocks);
    assert_null(growth_fit(&g));
    char *bytes = grown(&wish, &length);
    assert_null(trace_read(&t, (unsigned char *)bytes, length));
    assert_int_equal(t.set[RECORD_SET_nodes], 8);
    script_open(&s, &t, 3);
    uint32_t first = FIRST + 6;
    expect(&s, RECORD_WRITE, first);
    expect(&s, RECORD_WRITE, first + 1);
    expect(&s, SCRIPT_WROTE, first);
    expect(&s, SCRIPT_WROTE, first + 1);
    expect(&s, RECORD_ARRIVE, 1);
    expect(&s, RECORD_DEPART, 0);
    for (unsigned k = 0; k < TURNS; k++) {
        const struct script_op *op;
        uint64_t wrote[] = { 2048, 1024 };
        time = 0;
        for (unsigned i = 0; i < 2; i++) {
            assert_int_equal((op = script_next(&s))->kind, RECORD_WRITE);
            time += op->time;
        }
        for (unsigned i = 0; i < 2; i++) {
            assert_int_equal((op = script_next(&s))->kind, SCRIPT_WROTE);
            assert_int_equal(op->arg[2], wrote[i]);
            assert_int_equal(op->arg[1], wrote[i] * 1200 / 1024);
        }
        assert_int_equal((op = script_next(&s))->kind, RECORD_ARRIVE);
        assert_in_range(time + op->time, 1019, 1020);
        expect(&s, RECORD_DEPART, 0);
        expect(&s, RECORD_READ, first - 1);
        expect(&s, RECORD_ARRIVE, 1);
        expect(&s, RECORD_DEPART, 0);
    }
    expect(&s, RECORD_END, 0);
    assert_null(script_next(&s));
    script_close(&s);
    trace_free(&t);
    free(bytes);
    end();
}

/* And the size of --weak. */
TEST(test_again)
{
    struct growth_wish wish = { .nodes = 8, .weak = true };
    size_t first, second;
    struct trace t;

    begin(&blocks);
    assert_null(growth_fit(&g));
    char *one = grown(&wish, &first), *two = grown(&wish, &second);
    assert_int_equal(first, second);
    assert_memory_equal(one, two, first);
    assert_null(trace_read(&t, (unsigned char *)one, first));
    struct script s;
    script_open(&s, &t, 7);
    expect(&s, RECORD_WRITE, FIRST + 28); /* four pages each */
    script_close(&s);
    trace_free(&t);
    free(one);
    free(two);
    end();
}

static void replay_counts(const struct growth_wish *wish, uint64_t *count)
{
    static struct replay r;
    struct trace t;
    size_t length;
    char *bytes = grown(wish, &length);

    assert_null(trace_read(&t, (unsigned char *)bytes, length));
    replay_run(&r, &t, &machine, &(struct replay_wish){ .protocol = REPLAY_ARDMAR });
    assert_null(r.wrong);
    for (unsigned i = 0; i < RECORD_COUNTER_COUNT; i++) {
        count[i] = 0;
        for (unsigned n = 0; n < r.nodes; n++)
            count[i] += r.node[n].count[i];
    }
    replay_free(&r);
    trace_free(&t);
    free(bytes);
}

/* What is left out is what the replay would count nothing of. */
TEST(test_left_out)
{
    struct growth_wish some = { .nodes = 4 }, all = { .nodes = 4, .all = true };
    uint64_t with[RECORD_COUNTER_COUNT], without[RECORD_COUNTER_COUNT];

    begin(&blocks);
    assert_null(growth_fit(&g));
    replay_counts(&all, with);
    replay_counts(&some, without);
    assert_memory_equal(with, without, sizeof with);
    assert_int_equal(with[RECORD_COUNT_barriers], 4 * (2 * TURNS + 1));
    assert_int_equal(with[RECORD_COUNT_exclusive_pages], SIZE); /* at first nobody has read any */
    end();
}

/* What no law can state is not passed over. */
TEST(test_beyond_laws)
{
    static const enum record_kind some[] = { RECORD_WAIT, RECORD_SIGNAL, RECORD_ATOMIC,
                                             RECORD_WORD, RECORD_MEMBER, RECORD_GROUP,
                                             RECORD_PUT,  RECORD_GET,    RECORD_ACC,
                                             RECORD_RMW,  RECORD_PART,   RECORD_MUTEX,
                                             RECORD_RESET };

    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        made_begin(&made[0], 2);
        for (unsigned n = 0; n < 2; n++) {
            made_put3(&made[0], n, some[i], 0, 1, 1, 1);
            made_put(&made[0], n, RECORD_END, 0, 0, 0);
        }
        made_end(&made[0]);
        assert_null(trace_read(&traces[0], made[0].bytes, made[0].length));
        script = "";
        g = (struct growth){ .law = &scripted, .traces = 1, .trace = { &traces[0] } };
        assert_non_null(strstr(growth_fit(&g), "no law can state"));
        growth_free(&g);
        trace_free(&traces[0]);
    }
}

TEST_MAIN(cmocka_unit_test(test_numbers), cmocka_unit_test(test_run),
          cmocka_unit_test(test_wrong_runs), cmocka_unit_test(test_fit),
          cmocka_unit_test(test_check), cmocka_unit_test(test_mismatch),
          cmocka_unit_test(test_locks), cmocka_unit_test(test_grown), cmocka_unit_test(test_again),
          cmocka_unit_test(test_left_out), cmocka_unit_test(test_beyond_laws))
