/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * conformance_sleep.c - [fabric.armed-wake], step by step: what comes before, between and after
 * ticket, arm and sleep; who sleeps, and what ends it. See conformance.h.
 *
 * Sleeps have no limit, or one that outlasts the run: a wake that is lost is a hang, which the
 * harness tells. Node 1 sleeps where nothing else is said, node 0 wakes it; word[1] says how far
 * node 1 is.
 */
#include "tests/fabric/conformance_queue.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#define FOR_EVER INT64_C(1000000000000)

static bool admits(enum receiver as, bool urgent)
{
    return urgent || as != URGENT;
}

/* Node 1: has the other nodes do what they do next. */
static void step(struct run *r)
{
    atomic_fetch_add(&r->word[1], 1);
}

/* Sleeps on what is armed until event k of node 0, and takes it. Should the sleep end for nothing,
 * which it may, the queue is armed again. */
static void sleep_for_event(struct run *r, enum receiver as, uint32_t ticket, int64_t timeout_ns,
                            uint64_t k)
{
    struct fabric_event ev;
    uint64_t seed = k;
    sleep_as(r, as, ticket, timeout_ns);
    fabric_rx_busy(r->f);
    await_event(r, &ev, as, &seed);
    expect_event(r, &ev, 0, k);
}

static void await_pending(struct run *r)
{
    while (!fabric_rx_pending(r->f))
        sched_yield();
}

/* ---- an event at each place ---- */

enum place { BEFORE_TICKET, BEFORE_ARM, BEFORE_SLEEP };

/* Here the event of this place comes. */
static void event_comes(struct run *r, enum place here, enum place place)
{
    if (here != place)
        return;
    step(r);
    await_pending(r);
}

static void receive_at(struct run *r, enum receiver as, bool urgent, enum place place)
{
    event_comes(r, BEFORE_TICKET, place);
    uint32_t ticket = ticket_as(r, as);
    event_comes(r, BEFORE_ARM, place);
    if (place != BEFORE_SLEEP) {
        expect(r, !arm_as(r, as), "armed-wake: arm does not see what came %s the ticket",
               place == BEFORE_ARM ? "after" : "before");
        return;
    }
    ticket = arm_idle(r, as);
    event_comes(r, BEFORE_SLEEP, place);
    if (admits(as, urgent))
        sleep_as(r, as, ticket, -1);
    else
        expect(r, !arm_as(r, as), "armed-wake: arm does not see an event that wakes nobody");
}

static void test_places(struct run *r)
{
    uint64_t k = 0;
    for (enum receiver as = URGENT; as <= APP; as++)
        for (int urgent = 0; urgent < 2; urgent++)
            for (enum place place = BEFORE_TICKET; place <= BEFORE_SLEEP; place++, k++) {
                if (r->node == 1) {
                    receive_at(r, as, urgent, place);
                    take_event(r, 0, k);
                } else if (r->node == 0) {
                    await_armed(r, k + 1);
                    send_event(r, 1, k, urgent);
                }
            }
}

/* Armed for urgent events: one that is not lies there already, of another node or of the same, when
 * an urgent one comes. */
static void test_behind(struct run *r)
{
    int other = r->nodes > 2 ? 2 : 0;
    for (uint64_t k = 0; k < 10; k++) {
        if (r->node == other) {
            await_armed(r, 2 * k + 1);
            send_event(r, 1, other ? k : 2 * k, false);
        }
        if (r->node == 0) {
            await_armed(r, 2 * k + 2);
            send_event(r, 1, other ? k : 2 * k + 1, true);
        }
        if (r->node != 1)
            continue;
        uint32_t ticket = arm_idle(r, URGENT);
        step(r);
        await_pending(r);
        step(r);
        sleep_as(r, URGENT, ticket, -1);
        take_event(r, other, other ? k : 2 * k);
        uint64_t seed = k;
        struct fabric_event ev;
        await_event(r, &ev, URGENT, &seed);
        expect_event(r, &ev, 0, other ? k : 2 * k + 1);
    }
}

/* ---- fabric_wake, with nothing to find ---- */

static void test_bare_wake(struct run *r)
{
    uint64_t k = 0;
    memset(own(r, AREA_ACK), 0, 64);
    meet(r);
    for (enum receiver as = URGENT; as <= APP; as++)
        /* asleep, as far as one can know; or between arm and sleep */
        for (int first = 0; first < 2; first++) {
            k++;
            if (r->node == 1) {
                uint32_t ticket = arm_idle(r, as);
                step(r);
                if (first)
                    await_word(r, AREA_ACK, k);
                sleep_as(r, as, ticket, -1);
                fabric_rx_busy(r->f);
                expect(r, !fabric_rx_pending(r->f), "a wake became an event");
                await_word(r, AREA_ACK, k);
            } else if (r->node == 0) {
                await_armed(r, k);
                if (!first)
                    (void)nanosleep(&(struct timespec){ 0, 2000000 }, NULL);
                fabric_wake(r->f, 1);
                put_word(r, 1, AREA_ACK, k);
            }
        }
}

/* ---- timeouts ---- */

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Node 0 sends event K to node 1 once that has armed; true on node 1. */
static bool receives(struct run *r, uint64_t k, bool wake)
{
    if (r->node == 0) {
        await_armed(r, k + 1);
        send_event(r, 1, k, wake);
    }
    return r->node == 1;
}

/* A sleep ends when its time is over, and the queue is armed still: the next event ends the next
 * sleep, whose limit is for ever. */
static void test_timeout(struct run *r)
{
    static const int64_t times[] = { 0, 1, 1000, 999999, 3000000 };
    uint64_t k = 0;
    for (enum receiver as = URGENT; as <= APP; as++)
        for (size_t i = 0; i < sizeof times / sizeof times[0]; i++, k++) {
            if (!receives(r, k, true))
                continue;
            uint32_t ticket = arm_idle(r, as);
            sleep_as(r, as, ticket, times[i]);
            step(r);
            sleep_for_event(r, as, ticket, FOR_EVER, k);
        }
}

/* More than a second is slept, not polled. */
static void test_long_timeout(struct run *r)
{
    int64_t end = now_ns() + 1200000000;
    uint32_t ticket = arm_idle(r, ALL);
    int sleeps = 0;
    if (r->nodes > 1)
        return; /* it takes its time; once will do */
    for (int64_t left; (left = end - now_ns()) > 0; sleeps++)
        sleep_as(r, ALL, ticket, left);
    expect(r, sleeps <= 1000, "a sleep of 1.2 s ended %d times", sleeps);
    fabric_rx_busy(r->f);
}

/* ---- two sleepers ---- */

struct other_sleeper {
    struct run *r;
    enum receiver as;
    _Atomic bool armed;
};

static void *sleep_beside(void *arg)
{
    struct other_sleeper *o = arg;
    uint32_t ticket = arm_idle(o->r, o->as);
    atomic_store(&o->armed, true);
    sleep_as(o->r, o->as, ticket, -1);
    return NULL;
}

/* A thread armed and sleeps; another takes over, arms for itself and sleeps: the event is for that
 * one. Then the first one is woken from within. */
static void test_two_sleepers(struct run *r)
{
    for (uint64_t k = 0; k < 20; k++) {
        struct other_sleeper other = { .r = r, .as = k % 2 ? APP : ALL };
        enum receiver as = k % 2 ? ALL : APP;
        pthread_t thread;
        if (!receives(r, k, false))
            continue;
        expect(r, pthread_create(&thread, NULL, sleep_beside, &other) == 0, "pthread_create");
        while (!atomic_load(&other.armed))
            sched_yield();
        fabric_rx_busy(r->f);
        uint32_t ticket = arm_idle(r, as);
        step(r);
        sleep_for_event(r, as, ticket, -1, k);
        fabric_rx_wake(r->f, k % 2 ? FABRIC_APP : FABRIC_HANDLER);
        pthread_join(thread, NULL);
    }
}

/* rx_wake for one sleeper neither disarms the other nor uses up what would wake it. */
static void test_wake_beside(struct run *r)
{
    for (uint64_t k = 0; k < 20; k++) {
        enum receiver as = (enum receiver)(URGENT + k % 3);
        if (!receives(r, k, true))
            continue;
        uint32_t ticket = arm_idle(r, as);
        fabric_rx_wake(r->f, as == APP ? FABRIC_HANDLER : FABRIC_APP);
        step(r);
        sleep_for_event(r, as, ticket, -1, k);
    }
}

/* ---- many senders, urgent and not ---- */

#define BURST 60

/* Takes what has come; sleeps until there is something. */
static void receive_some(struct run *r, enum receiver as, uint64_t *got)
{
    struct fabric_event ev;
    uint64_t none = 0;
    await_event(r, &ev, as, &none);
    do
        expect_event(r, &ev, ev.from, got[ev.from]++);
    while (fabric_rx_poll(r->f, &ev));
}

static void receive_round(struct run *r, uint64_t k, uint64_t *got)
{
    uint32_t ticket = arm_idle(r, URGENT);
    atomic_store(&r->word[0], k);
    sleep_as(r, URGENT, ticket, -1);
    fabric_rx_busy(r->f);
    while (got[1] < k)
        receive_some(r, URGENT, got);
    for (int n = 2; n < r->nodes; n++)
        while (got[n] < k * BURST)
            receive_some(r, k % 2 ? ALL : APP, got);
}

/* Node 0 sleeps for urgent events alone. Node 1 sends one, the others bursts that are not urgent,
 * all at once: the urgent one must be seen wherever it comes to lie among them. Rounds begin when
 * all of the last one is received, so nothing comes later that would show what was overlooked. */
static void test_amid(struct run *r)
{
    uint64_t seed = (uint64_t)r->node, got[MAX_NODES] = { 0 };
    for (uint64_t k = 1; k <= rounds(r, 4000); k++) {
        if (r->node == 0) {
            receive_round(r, k, got);
            continue;
        }
        await_shared(&r->word[0], k);
        if (r->node == 1)
            delay(&seed);
        for (uint64_t i = 0; i < (r->node == 1 ? 1 : BURST); i++)
            send_event(r, 0, r->node == 1 ? k - 1 : (k - 1) * BURST + i, r->node == 1);
    }
}

const struct test sleep_tests[] = {
    { "places", FABRIC_WRITE_IMM, 2, test_places },
    { "behind", FABRIC_WRITE_IMM, 2, test_behind },
    { "bare wake", FABRIC_WRITE_IMM, 2, test_bare_wake },
    { "timeout", FABRIC_WRITE_IMM, 2, test_timeout },
    { "long timeout", 0, 1, test_long_timeout },
    { "two sleepers", FABRIC_WRITE_IMM, 2, test_two_sleepers },
    { "wake beside", FABRIC_WRITE_IMM, 2, test_wake_beside },
    { "amid", FABRIC_WRITE_IMM, 3, test_amid },
    { NULL, 0, 0, NULL },
};
