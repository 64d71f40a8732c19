/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hook.c - does the hook (chaos.h) do all that it may, and nothing that it must not? It is stacked
 * on a recorder and judged by the steps that reach it, and by when it reports completions.
 */
#include "tests/fabric/hook.h"

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fabric/chaos/chaos.h"
#include "tests/time_limit.h"

#define RUN_SECONDS 120 /* all together; a run takes some seconds */

static const char *test;

_Noreturn void fail(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fprintf(stderr, "FAILED: %s: ", test);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
    _exit(1);
}

void set_only(const char *strength)
{
    static const char *const others[] = { "ORDERED", "LAZY", "HEAL", "SLOW", "DROP" };
    char name[64];
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        snprintf(name, sizeof name, "HLRC_CHAOS_%s", others[i]);
        unsetenv(name);
    }
    setenv("HLRC_CHAOS_SEED", "1", 1);
    setenv("HLRC_CHAOS_STRENGTH", strength, 1);
}

struct fabric *open_hook(unsigned caps)
{
    struct fabric *f = NULL;
    recorder_reset(caps);
    int rc = chaos_stack(&recorder.head, &f);
    expect(rc == 0, "chaos_stack: %s", strerror(-rc));
    return f;
}

/* ---- buffers ---- */

/* A source is read when the write is performed; that of a write without op was copied. */
static void test_source(void)
{
    static uint64_t source;
    unsigned read_late = 0;
    set_only("5");
    struct fabric *f = open_hook(ALL_CAPS);
    for (int i = 0; i < ROUNDS; i++) {
        struct fabric_op op = FABRIC_OP_INIT;
        uint64_t *there = (uint64_t *)(void *)recorder.memory[1];
        recorder_forget();
        source = 1;
        fabric_write(f, 1, 0, 0, &source, 8, NULL);
        fabric_write(f, 1, 0, 8, &source, 8, &op);
        source = 2;
        fabric_wait(f, &op);
        expect(there[0] == 1, "whole-word: the source of a write without op was not copied");
        read_late += there[1] == 2;
    }
    expect(read_late > 0, "never in %d rounds: a source is read after the write was started",
           ROUNDS);
    fabric_close(f);
}

/* What a read fetches cannot be seen before it is performed, and no older value either. */
static void test_destination(void)
{
    static uint64_t destination;
    unsigned rubbish = 0;
    set_only("5");
    struct fabric *f = open_hook(ALL_CAPS);
    for (int i = 0; i < ROUNDS; i++) {
        struct fabric_op op = FABRIC_OP_INIT;
        recorder_forget();
        destination = 0;
        fabric_read(f, 1, 0, 0, &destination, 8, &op);
        rubbish += *(volatile uint64_t *)&destination != 0;
        fabric_wait(f, &op);
        expect(destination == 0, "read %jx", (uintmax_t)destination);
    }
    expect(rubbish > 0, "never in %d rounds: rubbish where a read is under way", ROUNDS);
    fabric_close(f);
}

/* HLRC_CHAOS_LAZY: nobody but who starts, tests or waits learns of a completion. */
static void test_lazy(void)
{
    struct fabric_event ev;
    set_only("5");
    setenv("HLRC_CHAOS_LAZY", "1", 1);
    struct fabric *f = open_hook(ALL_CAPS);
    for (int i = 0; i < 200; i++) {
        struct fabric_op op = FABRIC_OP_INIT;
        uint64_t word = 0;
        recorder_forget();
        started[0].len = 8;
        fabric_write(f, 1, 0, 0, &word, 8, &op);
        bool at_once = atomic_load(&op.pending) == 0;
        while (!performed(0))
            fabric_rx_poll(f, &ev);
        /* the worker may look at it again, and tell nobody */
        nanosleep(&(struct timespec){ 0, 200000 }, NULL);
        expect(at_once || atomic_load(&op.pending) == 1,
               "a completion was reported to who did not ask for it");
        fabric_wait(f, &op);
    }
    fabric_close(f);
}

/* ---- sleeping ---- */

struct sleeps {
    unsigned armed, slept, cut; /* of ROUNDS: reached the fabric below; with another timeout */
};

/* Sleeps, and keeps the worker busy, who wakes sleepers for nothing where the hook heals. */
static struct sleeps sleep_often(struct fabric *f)
{
    struct sleeps s = { 0, 0, 0 };
    for (unsigned i = 0; i < 3 * ROUNDS; i++) {
        struct fabric_op op = FABRIC_OP_INIT;
        uint64_t word = 0;
        fabric_write(f, 1, 0, 0, &word, 8, &op);
        while (atomic_load_explicit(&op.pending, memory_order_acquire)) /* for the worker */
            sched_yield();
        recorder.timeout = 0;
        uint32_t before = recorder.sleeps;
        s.armed += fabric_rx_arm(f, FABRIC_HANDLER, FABRIC_ALL);
        fabric_rx_sleep(f, FABRIC_APP, 0, i % 2 ? -1 : 1000000000);
        s.slept += recorder.sleeps - before;
        s.cut += recorder.sleeps > before && recorder.timeout != (i % 2 ? -1 : 1000000000);
    }
    return s;
}

/* [fabric.armed-wake]: nobody is woken but by what the fabric below admits. */
static void test_unhealed(void)
{
    set_only("5");
    struct fabric *f = open_hook(ALL_CAPS);
    struct sleeps s = sleep_often(f);
    expect(s.armed == 3 * ROUNDS, "arming failed %u times", 3 * ROUNDS - s.armed);
    expect(s.slept == 3 * ROUNDS && s.cut == 0, "%u of %d sleeps, %u of them shorter", s.slept,
           3 * ROUNDS, s.cut);
    expect(atomic_load(&recorder.rings) == 0, "%u sleepers were woken for nothing",
           atomic_load(&recorder.rings));
    fabric_close(f);
}

/* Arming fails with 1/32, a sleep is left out with 1/8, cut with 1/9; the worker rings with 1/64 in
 * each of its turns, of which half of the writes make one: (63/64)^1500 is below 1e-10. */
static void test_healed(void)
{
    set_only("5");
    setenv("HLRC_CHAOS_HEAL", "1", 1);
    struct fabric *f = open_hook(ALL_CAPS);
    struct sleeps s = sleep_often(f);
    expect(s.armed < 3 * ROUNDS, "arming never failed");
    expect(s.slept < 3 * ROUNDS && s.cut > 0, "no sleep was left out, or cut");
    expect(atomic_load(&recorder.rings) > 0, "nobody was woken for nothing");
    fabric_close(f);
}

/* ---- slow ways ---- */

#define SLOW_NS 20000000

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* A write, an event or a wake that are waited for; all else is performed in the call that starts it
 * (strength 0). */
static void slow_round(struct fabric *f, enum step_kind kind)
{
    struct started *s = started;
    recorder_forget();
    for (int i = 0; i < 5; i++)
        choose(&s[i], i);
    for (int i = 5; i < SLOTS; i++)
        s[i].kind = STEP_READ; /* none */
    s[0].kind = kind;
    s[0].has_op = kind != STEP_WAKE;
    s[1].kind = STEP_READ;
    s[2].kind = s[3].kind = STEP_EVENT;
    s[4].kind = STEP_ATOMIC;
    s[1].has_op = s[2].has_op = s[3].has_op = s[4].has_op = true;
    s[0].peer = s[1].peer = s[3].peer = s[4].peer = 1;
    s[2].peer = 2;
    s[4].len = 8;
    int64_t begin = now_ns();
    for (int i = 0; i < 5; i++)
        start(f, &s[i], i);
    uint32_t steps = atomic_load(&recorder.steps);
    /* else the machine is busy, and the worker may have performed more */
    bool in_time = now_ns() - begin < SLOW_NS;
    expect(performed(1) && performed(2), "a slow way holds a read, or a write to another node");
    expect(steps == 2 || !in_time, "what goes a slow way arrived at once");
    for (int i = 4; i >= 0; i--)
        fabric_wait(f, &s[i].op);
    expect(now_ns() - begin >= SLOW_NS, "a slow way took %jd ns only",
           (intmax_t)(now_ns() - begin));
    assign_steps((int)atomic_load(&recorder.steps));
    expect(s[0].first < s[3].first && s[3].first < s[4].first,
           "write-order, atomic-order: a slow way changes the order");
}

static void test_slow(void)
{
    set_only("0");
    setenv("HLRC_CHAOS_SLOW", "1:1:7000000,0:1:20000,2:2:9000000", 1);
    struct fabric *f = open_hook(ALL_CAPS);
    for (int i = 0; i < 5; i++) {
        slow_round(f, STEP_WRITE);
        slow_round(f, STEP_EVENT);
        slow_round(f, STEP_WAKE);
    }
    fabric_close(f);
}

/* The same at strength 5, where fabric_wait hurries now and then. */
static void test_slow_hurried(void)
{
    set_only("5");
    setenv("HLRC_CHAOS_SLOW", "0:1:5000", 1);
    struct fabric *f = open_hook(ALL_CAPS);
    for (int i = 0; i < 100; i++) { /* one in four is hurried */
        struct fabric_op op = FABRIC_OP_INIT;
        uint64_t word = 0;
        int64_t begin = now_ns();
        fabric_write(f, 1, 0, 0, &word, 8, &op);
        fabric_wait(f, &op);
        expect(now_ns() - begin >= 5000000, "a slow way took %jd ns only",
               (intmax_t)(now_ns() - begin));
    }
    fabric_close(f);
}

static void test_bad_slow(void)
{
    static const char *const bad[] = { "0:1",         "0:1:",   "x",       "0:1:5,",
                                       "0:1:5;1:0:5", "0:1:5 ", "0:4000:5" };
    set_only("0");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct fabric *f = NULL;
        setenv("HLRC_CHAOS_SLOW", bad[i], 1);
        recorder_reset(ALL_CAPS);
        expect(chaos_stack(&recorder.head, &f) == -EINVAL && !f, "HLRC_CHAOS_SLOW=%s is taken",
               bad[i]);
    }
}

/* ---- what the fabric below lacks ---- */

static jmp_buf end_of_job;
static unsigned ends_of_job;

static void note_end(const char *line)
{
    expect(strstr(line, "fabric chaos has no "), "the job ends: %s", line);
    ends_of_job++;
    longjmp(end_of_job, 1);
}

static void test_missing(void)
{
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t word = 0;
    set_only("5");
    struct fabric *f = open_hook(0);
    f->fail = note_end;
    if (setjmp(end_of_job) == 0)
        fabric_read(f, 1, 0, 0, &word, 8, &op);
    if (setjmp(end_of_job) == 0)
        fabric_cas(f, 1, 0, 0, 0, 1, &word, &op);
    if (setjmp(end_of_job) == 0)
        fabric_fetch_add(f, 1, 0, 0, 1, &word, &op);
    if (setjmp(end_of_job) == 0)
        fabric_write_imm(f, 1, 0, 0, &word, 8, 0, true, &op);
    if (setjmp(end_of_job) == 0)
        fabric_write_wake(f, 1, 0, 0, &word, 8, &op);
    expect(ends_of_job == 5, "%u of 5 operations that are not there end the job", ends_of_job);
    expect(atomic_load(&op.pending) == 0 && word == 0, "a refused operation left something");
    fabric_close(f);
    expect(atomic_load(&recorder.steps) == 0, "a refused operation was performed");
}

int main(void)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } tests[] = {
        { "strength 5", test_worst },
        { "strength 5, reads in order", test_ordered },
        { "strength 0", test_harmless },
        { "source", test_source },
        { "destination", test_destination },
        { "lazy", test_lazy },
        { "unhealed", test_unhealed },
        { "healed", test_healed },
        { "slow", test_slow },
        { "slow, hurried", test_slow_hurried },
        { "bad slow", test_bad_slow },
        { "missing", test_missing },
    };
    time_limit_alarm(getpid(), RUN_SECONDS);
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        int64_t begin = now_ns();
        test = tests[i].name;
        tests[i].run();
        printf("%s: ok (%.1f s)\n", test, (double)(now_ns() - begin) / 1e9);
    }
    return 0;
}
