/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Laws and growth: what a law's text means (sim/law_expr.h LE1, LE2, sim/law.h LW1, LW2), and
 * traces of two and four nodes, made by hand, that grow to eight (sim/growth.h GL1 to GL4): pages,
 * bytes and times are known beforehand.
 */
#include "sim/growth.h"
#include "sim/replay.h"
#include "tests/sim/replay_machine.h"
#include "tests/sim/trace_make.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define FIRST 1000u /* page of the array */
#define SIZE  16u   /* its pages */
#define TURNS 6u

/* Each writes its block and reads the last bytes of the block before its own, in turns. */
static const char blocks[] = "param size = 16   # pages\n"
                             "param turns = 6\n"
                             "weak size = size * N / M\n"
                             "def first(j) = page * (size * j / N)\n"
                             "array a[page * size]\n"
                             "write a[first(n) .. first(n + 1)]\n"
                             "barrier\n"
                             "for k = 0 .. turns\n"
                             "  write a[first(n) .. first(n + 1) - 2048]\n"
                             "  work size / N\n"
                             "  barrier\n"
                             "  if n > 0\n"
                             "    read a[first(n) - 8 .. first(n)]\n"
                             "  end\n"
                             "  barrier\n"
                             "end\n";

static struct law law;
static struct growth g;
static struct made made[2];
static struct trace traces[2];

/* ---- expressions and texts ---- */

static int64_t value_of(const char *text, bool *wrong)
{
    struct law_text t = { .at = text };
    struct law_values v = { .name = { 0 } };
    uint16_t e;

    law.e.nodes = 0;
    e = law_parse(&law.e, &t);
    assert_null(t.wrong);
    assert_int_equal(*t.at, '\0');
    int64_t value = law_value(&law.e, e, &v);
    *wrong = v.wrong;
    return value;
}

static void test_expressions(void **unused)
{
    static const struct {
        const char *text;
        int64_t value;
    } some[] = {
        { "1 + 2 * 3", 7 },
        { "(1 + 2) * 3", 9 },
        { "10 - 2 - 3", 5 },
        { "-7 / 2", -4 }, /* LE1 */
        { "-7 % 2", 1 },
        { "7 % -2", -1 },
        { "(0 - 9223372036854775807 - 1) / -1", INT64_MIN }, /* LE2: wraps */
        { "9223372036854775807 + 1", INT64_MIN },
        { "1 < 2 && 2 <= 2 && 3 > 2 && 2 >= 2 && 1 != 2 && !(1 == 2)", 1 },
        { "0 && 1 / 0", 0 },
        { "1 || 1 / 0", 1 },
        { "2 < 1 ? 10 : 2 < 3 ? 20 : 30", 20 },
        { "min(3, 4) + max(3, 4)", 7 },
        { "root(15) * 100 + root(16)", 304 },
        { "root(9223372036854775807)", INT64_C(3037000499) },
        { "log2(1) + log2(1024) + log2(1025)", 20 },
        { "marked(3)", 0 },
    };
    bool wrong;

    (void)unused;
    assert_null(law_read(&law, ""));
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        assert_int_equal(value_of(some[i].text, &wrong), some[i].value);
        assert_false(wrong);
    }
    (void)value_of("1 + 4 / (2 - 2)", &wrong);
    assert_true(wrong); /* LE2 */
}

static void test_wrong_texts(void **unused)
{
    static const char *const some[] = {
        "\nnothing 3",
        "\nlet x",
        "\nlet n = 3",
        "\nlet x = y",
        "\nlet x = 1 +",
        "\nlet x = (1",
        "\nlet x = 1 2",
        "\nlet x = 99999999999999999999",
        "\nread a[0 .. 1]",
        "\nfor i = 0 .. 3",
        "\nend",
        "\nif 1",
        "\nelse",
        "\ndef f(x) = f(x)",
        "\ndef f(n) = 1",
        "\narray a 3",
        "\nweak size = 1",
        "\nlet x = ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1",
        "\nbarrier barrier",
        "\nlet x = min(1)",
    };

    (void)unused;
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        const char *wrong = law_read(&law, some[i]);
        assert_non_null(wrong);
        assert_memory_equal(wrong, "line 2: ", 8);
    }
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

static const char *run(const char *text, uint32_t nodes, uint32_t node)
{
    static const struct law_seen seen[] = { { 0, 2 }, { 1, 1 }, { 1, 3 }, { 2, 1 } };
    struct law_job job = { .nodes = nodes,
                           .node = node,
                           .traced = 4,
                           .page_bytes = 100,
                           .first_page = 1,
                           .seen = seen,
                           .seen_count = 4 };

    told[0] = '\0';
    assert_null(law_read(&law, text));
    return law_run(&law, &job, &teller, NULL);
}

static void test_run(void **unused)
{
    (void)unused;
    assert_null(
        run("array a[150]\narray b[10]\n"
            "for i = n .. 3\nif i == 1\nwork 5\nread a[i .. 7]\nelse\nwrite b[0 .. i]\n"
            "end\nend\nlock 7\nwork N\nunlock n + M\nbarrier\nfor i = 3 .. 3\nbarrier\nend\n"
            "read a[9 .. 3]\n",
            2, 1));
    /* the second array begins at the third page of 100 bytes */
    assert_string_equal(told, "read 101-107 write 300-302 lock 7 after 5; unlock 5 after 2; "
                              "barrier 0 after 0; end 0 after 0; ");
    assert_null(run("array a[1]\narray b[200]\nseen x = b\nbarrier\nseen y = b\nmark 3\n"
                    "lock x + 1000\nlock y\nlock marked(2)\nlock marked(3)\n",
                    2, 0));
    assert_string_equal(told, "barrier 0 after 0; lock 1000 after 0; lock 100 after 0; "
                              "lock 0 after 0; lock 1 after 0; end 0 after 0; ");
}

/* LW1: nothing is left of the run before. */
static void test_twice(void **unused)
{
    struct law_job job = { .nodes = 2, .traced = 2, .page_bytes = 100 };

    (void)unused;
    assert_null(law_read(&law, "lock marked(3)\nmark 3\nlet x = 7\nwork 2\n"));
    for (int i = 0; i < 2; i++) {
        told[0] = '\0';
        assert_null(law_run(&law, &job, &teller, NULL));
        assert_string_equal(told, "lock 0 after 0; end 0 after 2; ");
    }
}

static void test_weak_and_set(void **unused)
{
    struct law_job job = { .nodes = 8, .traced = 4, .page_bytes = 100, .weak = true };

    (void)unused;
    assert_null(law_read(&law, "param size = 5\nweak size = size * N / M\nlet y = 3\nlock size\n"));
    assert_true(law_set(&law, "size", 6));
    assert_false(law_set(&law, "y", 6));
    assert_false(law_set(&law, "N", 6));
    told[0] = '\0';
    assert_null(law_run(&law, &job, &teller, NULL));
    assert_string_equal(told, "lock 12 after 0; end 0 after 0; ");
    job.weak = false;
    told[0] = '\0';
    assert_null(law_run(&law, &job, &teller, NULL));
    assert_string_equal(told, "lock 6 after 0; end 0 after 0; ");
}

/* LW2 and LE2, with the line. */
static void test_wrong_runs(void **unused)
{
    (void)unused;
    assert_string_equal(run("array a[150]\nread a[0 .. 150]\nread a[0 .. 151]\n", 2, 0),
                        "line 3: a range lies outside of its array");
    assert_string_equal(run("array a[150]\nread a[n - 1 .. 1]\n", 2, 0),
                        "line 2: a range lies outside of its array");
    assert_string_equal(run("\nlock 1 / n\n", 2, 0), "line 2: there is a division by 0");
    assert_string_equal(run("mark -1\n", 2, 0),
                        "line 1: only numbers from 0 to 1048575 can be marked");
    assert_string_equal(run("array a[400000000000]\narray b[40000000000]\n", 2, 0),
                        "line 2: its arrays have more pages than a trace can have");
    assert_string_equal(run("array a[0]\n", 2, 0),
                        "line 1: an array has no bytes, or more than 16 TB");
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

static void begin(const char *text)
{
    memset(&g, 0, sizeof g);
    assert_null(law_read(&law, text));
    g.law = &law;
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

/* GL2; all pages are those of the law. */
static void test_fit(void **unused)
{
    (void)unused;
    begin(blocks);
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
    /* the statements are numbered without functions: the barriers in the loop are 9 and 13 */
    assert_int_equal(law.at[9].kind, LAW_BARRIER);
    assert_in_range(growth_ns(&g, 9, 8), 1079, 1080);
    assert_in_range(growth_ns(&g, 9, 2), 1019, 1020);
    assert_int_equal(growth_ns(&g, 13, 0), 300); /* no work is stated: the mean */
    assert_int_equal(g.change[7].bytes * 2, g.change[7].written);
    end();
}

/* A trace that is only compared changes nothing. */
static void test_check(void **unused)
{
    (void)unused;
    begin(blocks);
    g.is_check[1] = true;
    assert_null(growth_fit(&g));
    assert_int_equal(g.largest->set[RECORD_SET_nodes], 2);
    assert_int_equal(g.seen[1].writes_stated, SIZE * (TURNS + 1));
    assert_int_equal(g.line[9].constant, 0); /* of eight pages alone, in proportion to the work */
    assert_in_range(growth_ns(&g, 9, 4), 539, 540);
    end();
}

/* GL1 */
static void test_mismatch(void **unused)
{
    static const char *const others[] = {
        "array a[page * 16]\nbarrier\n",
        "array a[page * 16]\nlock 3\n",
        "array a[page * 16]\nbarrier\nunlock 3\n",
        "array a[page * 16]\nfor i = 0 .. 14\nbarrier\nend\n",
    };

    (void)unused;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        begin(others[i]);
        assert_non_null(growth_fit(&g));
        end();
    }
    begin("param size = 8\narray a[page * 16]\nfor i = 0 .. 13\nwrite a[0 .. page * size]\n"
          "barrier\nend\n");
    assert_null(growth_fit(&g));
    assert_int_equal(g.seen[0].writes_stated, 8 * (TURNS + 1)); /* node 0's */
    assert_int_equal(g.seen[0].stated, 2 * 13 * 8);
    assert_int_equal(g.seen[0].reads_stated, TURNS);
    end();
}

/* GL1, of locks. */
static void test_locks(void **unused)
{
    static const struct {
        const char *law;
        bool fits;
    } some[] = {
        { "lock 3\nwork 2\nunlock 3\nwork 4\n", true },
        { "lock 4\nunlock 3\n", false },
        { "lock 3\nunlock 4\n", false },
        { "lock 3\nunlock 3\nlock 3\n", false },
        { "unlock 3\nlock 3\n", false },
    };

    (void)unused;
    made_begin(&made[0], 2);
    for (unsigned n = 0; n < 2; n++) {
        made_put(&made[0], n, RECORD_LOCK, 10, 3, 0);
        made_put(&made[0], n, RECORD_UNLOCK, 20, 3, 0);
        made_put(&made[0], n, RECORD_END, 40, 0, 0);
    }
    made_end(&made[0]);
    assert_null(trace_read(&traces[0], made[0].bytes, made[0].length));
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        assert_null(law_read(&law, some[i].law));
        g = (struct growth){ .law = &law, .traces = 1, .trace = { &traces[0] } };
        assert_int_equal(growth_fit(&g) == NULL, some[i].fits);
        if (some[i].fits) {
            assert_int_equal(growth_ns(&g, 2, 2), 20);
            assert_int_equal(growth_ns(&g, law.count, 4), 40);
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
static void test_grown(void **unused)
{
    struct growth_wish wish = { .nodes = 8, .all = true };
    struct trace t;
    struct script s;
    size_t length;
    uint64_t time = 0;

    (void)unused;
    begin(blocks);
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

/* GL4, and the size of --weak. */
static void test_again(void **unused)
{
    struct growth_wish wish = { .nodes = 8, .weak = true };
    size_t first, second;
    struct trace t;

    (void)unused;
    begin(blocks);
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

/* GL3: what is left out is what the replay would count nothing of. */
static void test_left_out(void **unused)
{
    struct growth_wish some = { .nodes = 4 }, all = { .nodes = 4, .all = true };
    uint64_t with[RECORD_COUNTER_COUNT], without[RECORD_COUNTER_COUNT];

    (void)unused;
    begin(blocks);
    assert_null(growth_fit(&g));
    replay_counts(&all, with);
    replay_counts(&some, without);
    assert_memory_equal(with, without, sizeof with);
    assert_int_equal(with[RECORD_COUNT_barriers], 4 * (2 * TURNS + 1));
    assert_int_equal(with[RECORD_COUNT_exclusive_pages], SIZE); /* at first nobody has read any */
    end();
}

/* What no law can state is not passed over. */
static void test_beyond_laws(void **unused)
{
    static const enum record_kind some[] = { RECORD_WAIT, RECORD_SIGNAL, RECORD_ATOMIC,
                                             RECORD_WORD, RECORD_MEMBER, RECORD_GROUP,
                                             RECORD_PUT,  RECORD_GET,    RECORD_ACC,
                                             RECORD_RMW,  RECORD_PART,   RECORD_MUTEX,
                                             RECORD_RESET };

    (void)unused;
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        made_begin(&made[0], 2);
        for (unsigned n = 0; n < 2; n++) {
            made_put3(&made[0], n, some[i], 0, 1, 1, 1);
            made_put(&made[0], n, RECORD_END, 0, 0, 0);
        }
        made_end(&made[0]);
        assert_null(trace_read(&traces[0], made[0].bytes, made[0].length));
        assert_null(law_read(&law, "array a[1]\n"));
        g = (struct growth){ .law = &law, .traces = 1, .trace = { &traces[0] } };
        assert_non_null(strstr(growth_fit(&g), "no law can state"));
        growth_free(&g);
        trace_free(&traces[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expressions),  cmocka_unit_test(test_wrong_texts),
        cmocka_unit_test(test_run),          cmocka_unit_test(test_twice),
        cmocka_unit_test(test_weak_and_set), cmocka_unit_test(test_wrong_runs),
        cmocka_unit_test(test_fit),          cmocka_unit_test(test_check),
        cmocka_unit_test(test_mismatch),     cmocka_unit_test(test_locks),
        cmocka_unit_test(test_grown),        cmocka_unit_test(test_again),
        cmocka_unit_test(test_left_out),     cmocka_unit_test(test_beyond_laws),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
