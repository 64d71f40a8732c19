/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Dependences between tasks, compared with a direct reading of the specification: a task depends on
 * every earlier one that names an address of its own, when one of the two writes there. depend.c
 * keeps only the last writer and the readers after it. The test keeps every pair.
 *
 * Tasks are added and completed in a random order. After each step the tasks that became ready must
 * be exactly those whose last predecessor has just completed.
 */
#include "compat/openmp/depend.h"
#include "compat/start/start.h"
#include "tests/unit/unit.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TASKS     700
#define CLAUSES   700
#define HEAD      5 /* words before the addresses, at most */
#define KIND_IN   1
#define KIND_SETS 4

struct access {
    unsigned address;
    bool writes;
};

struct task {
    struct depend_dependence *dependence;
    struct access access[CLAUSES];
    unsigned count;
    bool done, is_ready;
    unsigned times_ready;
};

static struct task tasks[TASKS];
static unsigned added;
static char memory[CLAUSES * 8]; /* addresses 8 bytes apart */
static struct depend_set *depends;
static uint32_t seed;

_Noreturn void start_fail(const char *fmt, ...)
{
    fail_msg("%s", fmt);
    abort();
}

static unsigned draw(unsigned below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

/* ---- the specification ---- */

static bool conflict(const struct task *a, const struct task *b)
{
    for (unsigned i = 0; i < a->count; i++)
        for (unsigned k = 0; k < b->count; k++)
            if (a->access[i].address == b->access[k].address &&
                (a->access[i].writes || b->access[k].writes))
                return true;
    return false;
}

/* Of the tasks before `end`, one that `t` depends on and that is not done. */
static bool has_predecessor(const struct task *t, unsigned end)
{
    for (unsigned k = 0; k < end; k++)
        if (!tasks[k].done && conflict(&tasks[k], t))
            return true;
    return false;
}

/* Sets leads[k] if `t`, added now, would wait for task k directly or through others. */
static void closure(const struct task *t, bool *leads)
{
    for (unsigned k = added; k-- > 0;) {
        leads[k] = !tasks[k].done && conflict(&tasks[k], t);
        for (unsigned j = k + 1; j < added && !tasks[k].done && !leads[k]; j++)
            leads[k] = leads[j] && conflict(&tasks[k], &tasks[j]);
    }
}

/* ---- what gcc passes ---- */

enum form { PLAIN, SETS, OBJECTS, FORMS };

static void *address_of(unsigned address)
{
    return &memory[address * 8];
}

/* Writes first, then reads. OBJECTS: every second access is by an omp_depend_t. */
static void **clauses(const struct task *t, enum form form)
{
    static void *words[HEAD + CLAUSES], *objects[CLAUSES][2];
    size_t n = form == PLAIN ? 2 : 5, by_object = 0, writes = 0, reads = 0;
    for (int pass = 0; pass < 2; pass++)
        for (unsigned k = 0; k < t->count; k++) {
            bool object = form == OBJECTS && k % 2 == 1;
            if (t->access[k].writes != (pass == 0) || object)
                continue;
            words[n++] = address_of(t->access[k].address);
            writes += pass == 0;
            reads += pass == 1;
        }
    for (unsigned k = 1; form == OBJECTS && k < t->count; k += 2) {
        objects[k][0] = address_of(t->access[k].address);
        objects[k][1] = (void *)(uintptr_t)(t->access[k].writes ? KIND_SETS : KIND_IN);
        words[n++] = objects[k];
        by_object++;
    }
    if (form == PLAIN) {
        words[0] = (void *)(writes + reads);
        words[1] = (void *)writes;
        return words;
    }
    words[0] = NULL;
    words[1] = (void *)(writes + reads + by_object);
    words[2] = (void *)(writes / 2); /* the other writes are mutexinoutset */
    words[3] = (void *)(writes - writes / 2);
    words[4] = (void *)reads;
    return words;
}

/* ---- steps ---- */

static void ready(void *task)
{
    struct task *t = task;
    t->is_ready = true;
    t->times_ready++;
}

static void add(enum form form)
{
    struct task *t = &tasks[added];
    bool waits = false, wanted = has_predecessor(t, added);
    void **c = clauses(t, form);
    assert_int_equal(depend_waits(depends, c), wanted);
    t->done = t->is_ready = false;
    t->times_ready = 0;
    t->dependence = depend_add(&depends, c, t, &waits);
    assert_int_equal(waits, wanted);
    if (!waits)
        ready(t);
    added++;
}

static void complete(struct task *t)
{
    t->done = true;
    depend_done(t->dependence, ready);
    for (unsigned k = 0; k < added; k++)
        assert_int_equal(tasks[k].times_ready, !has_predecessor(&tasks[k], k));
}

static struct task *any_ready(void)
{
    unsigned from = draw(added);
    for (unsigned k = 0; k < added; k++) {
        struct task *t = &tasks[(from + k) % added];
        if (!t->done && t->is_ready)
            return t;
    }
    return NULL;
}

/* Whom a taskwait with the clauses of `t` would wait for. */
static void look(const struct task *t, enum form form)
{
    static bool leads[TASKS];
    void **c = clauses(t, form);
    assert_int_equal(depend_waits(depends, c), has_predecessor(t, added));
    closure(t, leads);
    depend_mark(depends, c);
    for (unsigned k = 0; k < added; k++)
        if (!tasks[k].done)
            assert_int_equal(depend_leads(tasks[k].dependence), leads[k]);
}

static void complete_all(void)
{
    struct task *t;
    while ((t = any_ready()) != NULL)
        complete(t);
    for (unsigned k = 0; k < added; k++)
        assert_true(tasks[k].done);
    depend_free(depends);
    depends = NULL;
    added = 0;
}

static void access_add(struct task *t, unsigned address, bool writes)
{
    t->access[t->count++] = (struct access){ address, writes };
}

/* An address is named once: in the specification a list has no two items of the same storage. */
static void draw_accesses(struct task *t, unsigned addresses, unsigned most)
{
    unsigned first = draw(addresses), count = 1 + draw(most < addresses ? most : addresses);
    t->count = 0;
    for (unsigned k = 0; k < count; k++)
        access_add(t, (first + k) % addresses, draw(3) == 0);
}

/* ---- the tests ---- */

static void random_graphs(void)
{
    for (unsigned graph = 0; graph < 3000; graph++) {
        unsigned count = 2 + draw(24), addresses = 1 + draw(9), most = 1 + draw(9);
        seed = graph + 1;
        while (added < count) {
            draw_accesses(&tasks[added], addresses, most);
            if (draw(3) == 0)
                look(&tasks[added], draw(FORMS));
            add(draw(FORMS));
            struct task *t = draw(2) ? any_ready() : NULL;
            if (t)
                complete(t);
        }
        complete_all();
    }
}

/* One task waits for `count` others, of which `last` is the last one to complete. */
static void join(unsigned count, unsigned last, bool one_address, enum form form)
{
    struct task *end = &tasks[count];
    end->count = 0;
    for (unsigned k = 0; k < count; k++) {
        tasks[k].count = 0;
        access_add(&tasks[k], one_address ? 0 : k, !one_address);
        if (!one_address || k == 0)
            access_add(end, k, one_address || k % 3 == 0);
        add(form);
    }
    add(form);
    for (unsigned k = 0; k < count; k++)
        if (k != last)
            complete(&tasks[k]);
    assert_int_equal(end->times_ready, 0);
    complete(&tasks[last]);
    assert_int_equal(end->times_ready, 1);
    complete_all();
}

static void joins(void)
{
    static const unsigned counts[] = { 1, 2, 3, 4, 5, 8, 9, 16, 17, 33, 64, 65 };
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++)
        for (enum form form = PLAIN; form < FORMS; form++) {
            unsigned count = counts[i], lasts[] = { 0, count / 2, count - 1 };
            for (unsigned k = 0; k < 3; k++) {
                join(count, lasts[k], false, form);
                join(count, lasts[k], true, form);
            }
        }
}

/* More addresses than the table has at first, and many tasks behind one. */
static void many(void)
{
    join(600, 599, false, PLAIN);
    join(600, 0, false, OBJECTS);
    join(600, 599, true, SETS);
    for (unsigned k = 0; k < 300; k++) { /* one writer, 299 readers */
        tasks[k].count = 0;
        access_add(&tasks[k], 0, k == 0);
        add(PLAIN);
    }
    complete_all();
}

UNIT_MAIN(NULL, NULL, TEST(random_graphs), TEST(joins), TEST(many))
