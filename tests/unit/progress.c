/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Serving, on a receive queue that the test fills. progress_settle returns when what had arrived is
 * served, not when it is taken. And a flood of events, of which there is always one more, does not
 * hold a thread that has what it waits for. Without a handler those who wait serve, one after the
 * other, and who sleeps on the queue passes a wake on; sleeps of theirs are without a limit here,
 * which the runtime gives them. And who spins offers its core to other threads, and sleeps when
 * these have taken it. The invariants are those of hlrc/progress/progress.h.
 */
#include "hlrc/progress/progress.h"
#include "base/clock.h"
#include "base/perturb.h"
#include "hlrc/core/engine.h"
#include "hlrc/progress/msg.h"
#include "hlrc/progress/thread.h"
#include "tests/unit/unit.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FLOODED 1000000u /* events of a flood, after which a thread counts as held */
#define SOME    200u     /* a thread serves no more of them for nothing */
#define LOOKS \
    300u /* that a thread takes at the queue and at who serves before it counts as waiting */

static _Atomic uint64_t arrived, taken, served; /* events */
static _Atomic unsigned looks;                  /* at the queue, by rx_past */
static _Atomic bool serving, asleep, settled, done;
/* an event is served only when somebody posts `go` */
static bool held;
static bool flood;       /* there is always one more */
static bool yielding;    /* who serves lets other threads run after each event */
static uint64_t done_at; /* the event that completes the wait, in a flood */
static _Atomic unsigned handler_rung;
static _Atomic unsigned alone;            /* threads that sleep alone */
static _Atomic bool first_over;           /* what the first of two waits for */
static _Atomic bool late, first_has_left; /* [progress.no-handler] */
/* the queue is armed; it was when a wake was passed on [progress.sleep-test] */
static _Atomic bool armed, armed_while_passing;
static _Atomic bool second_has_left;
/* a thread that spins is watched; another one gets its core, or another program's */
static bool spins, core_is_taken, by_others;
static unsigned offers, spun;
static sem_t go, bell;

/* ---- the queue, and what serves ---- */

static bool rx_pending(struct fabric *f)
{
    (void)f;
    return flood || atomic_load(&taken) < atomic_load(&arrived);
}

static int rx_poll(struct fabric *f, struct fabric_event *ev)
{
    if (!rx_pending(f))
        return 0;
    *ev = (struct fabric_event){ .from = 1 };
    atomic_fetch_add(&taken, 1);
    return 1;
}

static uint64_t rx_mark(struct fabric *f)
{
    (void)f;
    return atomic_load(&arrived);
}

static bool rx_past(struct fabric *f, uint64_t mark)
{
    (void)f;
    atomic_fetch_add(&looks, 1);
    return atomic_load(&taken) >= mark;
}

static void rx_busy(struct fabric *f)
{
    (void)f;
    atomic_store(&armed, false);
}

static uint32_t rx_ticket(struct fabric *f, enum fabric_sleeper s)
{
    (void)f, (void)s;
    return 0;
}

static bool rx_arm(struct fabric *f, enum fabric_sleeper s, enum fabric_level level)
{
    (void)s, (void)level;
    bool empty = !rx_pending(f);
    atomic_store(&armed, empty);
    return empty;
}

static void rx_sleep(struct fabric *f, enum fabric_sleeper s, uint32_t ticket, int64_t timeout_ns)
{
    (void)f, (void)ticket, (void)timeout_ns;
    assert_int_equal(s, FABRIC_APP);
    if (spins) {
        atomic_store(&done, true);
        return;
    }
    atomic_store(&asleep, true);
    while (sem_wait(&bell) != 0)
        ;
    atomic_store(&asleep, false);
}

static void rx_wake(struct fabric *f, enum fabric_sleeper s)
{
    (void)f;
    assert_int_equal(s, FABRIC_HANDLER);
    atomic_fetch_add(&handler_rung, 1);
}

void __wrap_msg_dispatch(const struct fabric_event *ev);
void __wrap_msg_dispatch(const struct fabric_event *ev)
{
    assert_int_equal(ev->from, 1);
    atomic_store(&serving, true);
    while (held && sem_wait(&go) != 0)
        ;
    uint64_t n = atomic_fetch_add(&served, 1) + 1;
    if (yielding)
        sched_yield();
    if (flood && n == done_at)
        atomic_store(&done, true);
    if (n > FLOODED) {
        print_error("a thread serves and serves: %u events\n", (unsigned)n);
        _exit(1);
    }
}

/* A sleep ends by a wake only. */
long __wrap_syscall(long number, void *word, long what, long value, void *limit, void *w2, long v3);
long __real_syscall(long number, ...);
long __wrap_syscall(long number, void *word, long what, long value, void *limit, void *w2, long v3)
{
    if (number != SYS_futex || what != FUTEX_WAIT_PRIVATE)
        return __real_syscall(number, word, what, value, limit, w2, v3);
    atomic_fetch_add(&alone, 1);
    long rc = __real_syscall(number, word, what, value, NULL, w2, v3);
    atomic_fetch_sub(&alone, 1);
    return rc;
}

int __wrap_sched_yield(void);
int __real_sched_yield(void);
int __wrap_sched_yield(void)
{
    if (!spins)
        return __real_sched_yield();
    offers++;
    if (by_others)
        usleep(3000);
    for (int64_t end = clock_ns() + 20000; core_is_taken && clock_ns() < end;)
        ;
    return 0;
}

/* Who is about to sleep while another thread serves is late: that one is gone before it sleeps. */
void __wrap_perturb_at(enum perturb_point at);
void __wrap_perturb_at(enum perturb_point at)
{
    if (at == PERTURB_thread_waking && atomic_load(&armed))
        atomic_store(&armed_while_passing, true);
    if (at != PERTURB_wait_unserved || !atomic_exchange(&late, false))
        return;
    atomic_store(&first_over, true);
    sem_post(&go);
    while (!atomic_load(&first_has_left))
        sched_yield();
}

void __wrap_msg_drained(void);
void __wrap_msg_drained(void)
{
}

static void begin(void)
{
    static struct fabric fabric;

    fabric.ops.rx_poll = rx_poll;
    fabric.ops.rx_pending = rx_pending;
    fabric.ops.rx_mark = rx_mark;
    fabric.ops.rx_past = rx_past;
    fabric.ops.rx_busy = rx_busy;
    fabric.ops.rx_ticket = rx_ticket;
    fabric.ops.rx_arm = rx_arm;
    fabric.ops.rx_sleep = rx_sleep;
    fabric.ops.rx_wake = rx_wake;
    engine.fabric = &fabric;
    engine.nodes = 2;
    arrived = taken = served = 0;
    serving = asleep = settled = done = held = flood = yielding = false;
    handler_rung = alone = 0;
    first_over = late = first_has_left = false;
    armed = armed_while_passing = second_has_left = false;
    sem_init(&go, 0, 0);
    sem_init(&bell, 0, 0);
    assert_int_equal(thread_init(4), 0);
}

static void end(void)
{
    thread_end();
}

/* ---- threads ---- */

static void *poll_main(void *arg)
{
    progress_poll();
    return arg;
}

static bool is_done(void *arg)
{
    (void)arg;
    return atomic_load(&done);
}

static void *wait_main(void *arg)
{
    progress_wait((struct waits_wait){ .object = 0 }, is_done, NULL, WAIT_EVENT);
    return arg;
}

static void *settle_main(void *arg)
{
    progress_settle();
    atomic_store(&settled, true);
    return arg;
}

static pthread_t start(void *(*fn)(void *))
{
    pthread_t t;

    assert_int_equal(pthread_create(&t, NULL, fn, NULL), 0);
    return t;
}

static void await_flag(_Atomic bool *flag)
{
    while (!atomic_load(flag))
        sched_yield();
}

/* Starts progress_settle in a thread, which does not return however often it looks. */
static pthread_t start_settling(void)
{
    atomic_store(&looks, 0);
    pthread_t t = start(settle_main);
    while (atomic_load(&looks) < LOOKS && !atomic_load(&settled))
        sched_yield();
    if (atomic_load(&settled)) {
        print_error("progress_settle returns: %u events taken, %u served\n", (unsigned)taken,
                    (unsigned)served);
        _exit(1); /* threads hang in the test */
    }
    return t;
}

/* ---- the tests ---- */

static void nobody_serves(void)
{
    progress_settle();
    arrived = 5;
    progress_settle();
    assert_int_equal(served, 5);
}

/* The event is out of the queue, and at work. */
static void another_thread_serves(void)
{
    held = true;
    arrived = 1;
    pthread_t handler = start(poll_main);
    await_flag(&serving);
    assert_int_equal(taken, 1);
    pthread_t settling = start_settling();
    assert_int_equal(served, 0);
    sem_post(&go);
    pthread_join(settling, NULL);
    assert_int_equal(served, 1);
    pthread_join(handler, NULL);
}

/* Whoever sleeps with the progress lock has served what it took; but not what it has not taken. */
static void a_sleeper_has_the_role(void)
{
    pthread_t sleeper = start(wait_main);
    await_flag(&asleep);
    progress_settle();
    arrived = 1;
    pthread_t settling = start_settling();
    assert_int_equal(served, 0);
    sem_post(&bell);
    pthread_join(settling, NULL);
    assert_int_equal(served, 1);
    atomic_store(&done, true);
    sem_post(&bell);
    pthread_join(sleeper, NULL);
}

/* [progress.serve-limit]: it serves until it has what it waits for, some more, and passes the
 * progress lock on. */
static void a_flood_holds_nobody(void)
{
    flood = true;
    done_at = 1000;
    pthread_join(start(wait_main), NULL);
    assert_in_range(served, 1000, 1000 + SOME);
    assert_int_equal(handler_rung, 1);
    uint64_t before = served;
    pthread_join(start(poll_main), NULL);
    assert_in_range(served, before, before + SOME);
    assert_int_equal(handler_rung, 2);
    before = served;
    progress_wake_on_all(true);
    progress_wake_on_all(false);
    assert_in_range(served, before, before + SOME);
    assert_int_equal(handler_rung, 3);
    flood = false; /* and the progress lock is free: who waits next takes it */
    done_at = 0;
    atomic_store(&done, false);
    pthread_t sleeper = start(wait_main);
    await_flag(&asleep);
    atomic_store(&done, true);
    sem_post(&bell);
    pthread_join(sleeper, NULL);
    assert_int_equal(handler_rung, 3);
}

/* [progress.settled]: a thread that waits for long keeps the progress lock all the time. */
static void a_flood_holds_no_settling(void)
{
    flood = yielding = true;
    pthread_t waiter = start(wait_main);
    await_flag(&serving);
    pthread_join(start(settle_main), NULL);
    assert_true(atomic_load(&settled));
    atomic_store(&done, true);
    pthread_join(waiter, NULL);
}

static bool is_first_over(void *arg)
{
    (void)arg;
    return atomic_load(&first_over);
}

static void *first_main(void *arg)
{
    progress_wait((struct waits_wait){ .object = 1 }, is_first_over, NULL, WAIT_STATE);
    atomic_store(&first_has_left, true);
    return arg;
}

static void *second_main(void *arg)
{
    progress_wait((struct waits_wait){ .object = 2 }, is_done, NULL, WAIT_STATE);
    atomic_store(&second_has_left, true);
    return arg;
}

/* The second thread is woken, or does not sleep, when the first gives the progress lock up: it
 * sleeps on the queue. */
static void expect_on_the_queue(void)
{
    for (int i = 0; i < 60000 && !atomic_load(&asleep); i++)
        usleep(1000);
    if (!atomic_load(&asleep)) {
        print_error("a thread waits, and none is on the queue\n");
        _exit(1); /* threads hang in the test */
    }
    atomic_store(&done, true);
    sem_post(&bell);
}

static pthread_t start_serving(void)
{
    assert_int_equal(progress_start(false), 0);
    held = true;
    arrived = 1;
    pthread_t first = start(first_main);
    await_flag(&serving);
    return first;
}

/* [progress.no-handler]: who gives the progress lock up wakes those who sleep alone. */
static void one_after_the_other(void)
{
    pthread_t first = start_serving(), second = start(second_main);
    while (atomic_load(&alone) == 0)
        sched_yield();
    atomic_store(&first_over, true);
    sem_post(&go);
    expect_on_the_queue();
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert_int_equal(handler_rung, 0);
}

/* [progress.no-handler]: and is gone when the other is about to sleep. */
static void gone_meanwhile(void)
{
#ifndef HLRC_PERTURB
    skip();
#endif
    late = true;
    pthread_t first = start_serving(), second = start(second_main);
    expect_on_the_queue();
    pthread_join(first, NULL);
    pthread_join(second, NULL);
}

/* [progress.sleep-test]: one thread sleeps on the queue, the other alone. What this one waits for
 * is written, with a wake, which reaches the first. */
static void a_wake_is_passed_on(void)
{
    assert_int_equal(progress_start(false), 0);
    pthread_t first = start(first_main);
    await_flag(&asleep);
    pthread_t second = start(second_main);
    while (atomic_load(&alone) == 0)
        sched_yield();
    atomic_store(&done, true);
    sem_post(&bell);
    for (int i = 0; i < 60000 && !atomic_load(&second_has_left); i++)
        usleep(1000);
    if (!atomic_load(&second_has_left)) {
        print_error("a thread sleeps alone, and the wake for it has ended another sleep\n");
        _exit(1); /* threads hang in the test */
    }
    pthread_join(second, NULL);
    atomic_store(&first_over, true);
    sem_post(&bell);
    pthread_join(first, NULL);
    assert_false(armed_while_passing);
}

static bool has_offered(void *arg)
{
    (void)arg;
    if (++spun > 1000 * FLOODED) { /* other programs end the offers for a while, again and again */
        print_error("a thread spins and spins, and lets no other one have its core\n");
        _exit(1);
    }
    if (by_others)
        return spun > 2000;
    return atomic_load(&done) || (!core_is_taken && offers == 10);
}

static void *has_a_slot(void *arg)
{
    (void)arg;
    thread_self();
    sem_post(&bell);
    sem_wait(&go);
    return NULL;
}

/* [progress.sleep-test]: more often than a wait spins for, which would take a quarter of an hour.
 * On one core. */
static void spin(bool taken_too, bool with_another)
{
    cpu_set_t before, one;
    pthread_t other;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    CPU_ZERO(&one);
    for (size_t cpu = 0; CPU_COUNT(&one) == 0; cpu++)
        if (CPU_ISSET(cpu, &before))
            CPU_SET(cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    thread_self();
    if (with_another) {
        assert_int_equal(pthread_create(&other, NULL, has_a_slot, NULL), 0);
        sem_wait(&bell);
    }
    engine.config.spin = 1000000000;
    assert_int_equal(progress_start(false), 0);
    spins = true;
    core_is_taken = taken_too;
    offers = spun = 0;
    progress_wait((struct waits_wait){ .object = 0 }, has_offered, NULL, WAIT_EVENT);
    spins = false;
    engine.config.spin = 0;
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
    if (with_another) {
        sem_post(&go);
        pthread_join(other, NULL);
    }
}

static void a_core_is_offered(void)
{
    spin(false, true);
    assert_in_range(offers, 4, 10);
}

static void a_core_is_taken(void)
{
    spin(true, true);
    assert_true(done);             /* by a sleep */
    assert_in_range(offers, 4, 9); /* an offer that another program prolongs does not count */
}

static void others_are_not_waited_for(void)
{
    by_others = true;
    spin(false, true);
    by_others = false;
    assert_false(done);
    assert_int_equal(offers, 1);
}

/* It has it to itself: no system call. */
static void a_thread_alone_keeps_it(void)
{
    by_others = true;
    spin(false, false);
    by_others = false;
    assert_int_equal(offers, 0);
}

UNIT_MAIN(begin, end, TEST(nobody_serves), TEST(another_thread_serves),
          TEST(a_sleeper_has_the_role), TEST(a_flood_holds_nobody), TEST(a_flood_holds_no_settling),
          TEST(one_after_the_other), TEST(gone_meanwhile), TEST(a_wake_is_passed_on),
          TEST(a_core_is_offered), TEST(a_core_is_taken), TEST(others_are_not_waited_for),
          TEST(a_thread_alone_keeps_it))
