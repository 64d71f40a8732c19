/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* conformance_queue.c - writes with immediate: events, their order, and the sleep of the receiver.
 * See conformance.h. */
#include "tests/fabric/conformance_queue.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

static size_t slot_of(int from, uint64_t k)
{
    return AREA_SLOTS + ((size_t)from * RX_DEPTH + k % RX_DEPTH) * 64;
}

void send_event(struct run *r, int peer, uint64_t k, bool urgent)
{
    uint64_t data[8];
    for (int i = 0; i < 8; i++)
        data[i] = (uint64_t)r->node << 32 | k;
    fabric_write_imm(r->f, peer, r->win.id, slot_of(r->node, k), data, sizeof data, (uint32_t)k,
                     urgent, NULL);
}

void expect_event(struct run *r, const struct fabric_event *ev, int from, uint64_t k)
{
    expect(r, ev->from == from && ev->imm == (uint32_t)k,
           "event-order: event %u of node %d, not %ju of node %d", ev->imm, ev->from, (uintmax_t)k,
           from);
    const uint64_t *data = (const uint64_t *)(void *)own(r, slot_of(from, k));
    for (int i = 0; i < 8; i++)
        expect(r, data[i] == ((uint64_t)from << 32 | k),
               "write-order: event %ju of node %d came before its data", (uintmax_t)k, from);
}

/* ---- order and delivery: everybody sends to everybody ---- */

#define EVENTS 5000

struct traffic {
    uint64_t sent[MAX_NODES], got[MAX_NODES];
};

static bool receive(struct run *r, struct traffic *t)
{
    struct fabric_event ev;
    int rc = fabric_rx_poll(r->f, &ev);
    if (rc == 0)
        return false;
    expect(r, rc == 1 && ev.from >= 0 && ev.from < r->nodes, "rx_poll: %d, an event of node %d", rc,
           ev.from);
    expect_event(r, &ev, ev.from, t->got[ev.from]);
    t->got[ev.from]++;
    /* room for the sender */
    put_word(r, ev.from, AREA_ACK + 64 * (size_t)r->node, t->got[ev.from]);
    return true;
}

static bool may_send(struct run *r, const struct traffic *t, int peer)
{
    return t->sent[peer] < rounds(r, EVENTS) &&
           t->sent[peer] - own_word(r, AREA_ACK + 64 * (size_t)peer) < RX_DEPTH;
}

static bool finished(const struct run *r, const struct traffic *t)
{
    for (int n = 0; n < r->nodes; n++)
        if (t->sent[n] < rounds(r, EVENTS) || t->got[n] < rounds(r, EVENTS))
            return false;
    return true;
}

static void test_events(struct run *r)
{
    struct traffic t = { { 0 }, { 0 } };
    memset(own(r, AREA_ACK), 0, 64 * MAX_NODES);
    fabric_rx_busy(r->f);
    meet(r);
    while (!finished(r, &t)) {
        bool any = false;
        for (int n = 0; n < r->nodes; n++)
            for (; may_send(r, &t, n); any = true) {
                send_event(r, n, t.sent[n], t.sent[n] & 1);
                t.sent[n]++;
            }
        while (receive(r, &t))
            any = true;
        if (!any)
            sched_yield();
    }
    meet(r);
    expect(r, !fabric_rx_pending(r->f), "event-order: more events than were sent");
}

/* Every pair has as many events outstanding as it may, and nobody polls before. */
static void test_full(struct run *r)
{
    struct traffic t = { { 0 }, { 0 } };
    memset(own(r, AREA_ACK), 0, 64 * MAX_NODES);
    fabric_rx_busy(r->f);
    meet(r);
    for (int n = 0; n < r->nodes; n++)
        for (uint64_t k = 0; k < RX_DEPTH; k++)
            send_event(r, n, k, k & 1);
    meet(r);
    for (int n = 0; n < r->nodes; n++)
        while (t.got[n] < RX_DEPTH)
            if (!receive(r, &t))
                sched_yield();
    meet(r);
    expect(r, !fabric_rx_pending(r->f), "event-order: more events than were sent");
}

/* The immediate arrives as it was sent; with no data, too. */
static void test_immediates(struct run *r)
{
    static const uint32_t values[] = { 0,          1,          0xffff,     0x10000,
                                       0x12345678, 0x7fffffff, 0x80000000, 0xefffffff };
    struct fabric_event ev;
    fabric_rx_busy(r->f);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        for (size_t len = 0; len <= 8; len += 8) {
            meet(r);
            fabric_write_imm(r->f, right_of(r), r->win.id, slot_of(r->node, 0), own(r, AREA_SOURCE),
                             len, values[i], false, NULL);
            while (fabric_rx_poll(r->f, &ev) == 0)
                sched_yield();
            expect(r, ev.from == left_of(r) && ev.imm == values[i],
                   "event %#x of node %d, not %#x of node %d", ev.imm, ev.from, values[i],
                   left_of(r));
        }
}

/* Millions of events: where memory is the network, the queue's laps are counted in few bits. */
static void test_laps(struct run *r)
{
    struct fabric_event ev;
    if (r->nodes > 1 || strcmp(r->fabric_name, "shm") != 0)
        return;
    fabric_rx_busy(r->f);
    for (uint32_t k = 0; k < 4400000; k++) {
        fabric_write_imm(r->f, 0, r->win.id, AREA_SLOTS, own(r, AREA_SOURCE), 0, k, k & 1, NULL);
        expect(r, fabric_rx_poll(r->f, &ev) == 1 && ev.imm == k, "event-order: event %u", k);
        expect(r, k % 64 || fabric_rx_poll(r->f, &ev) == 0,
               "event-order: event %u was delivered again", ev.imm);
    }
}

/* Looks at the target from its end, by words: what comes late there has little time to. */
static void expect_filled(struct run *r, size_t len, int value, const char *when)
{
    uint64_t want;
    memset(&want, value, sizeof want);
    const uint64_t *got = (const uint64_t *)(void *)own(r, AREA_TARGET);
    for (size_t i = len / 8; i-- > 0;)
        expect(r, got[i] == want,
               "write-order: one of the bytes from %zu on was not there at the %s", i * 8, when);
}

/* An event's data is the whole of a large write. */
static void test_large(struct run *r)
{
    for (int k = 0; k < 4; k++) {
        struct fabric_event ev;
        struct fabric_op op = FABRIC_OP_INIT;
        fabric_rx_busy(r->f);
        memset(own(r, AREA_SOURCE), 1 + r->node + 16 * k, 4 * MIB);
        meet(r);
        fabric_write_imm(r->f, right_of(r), r->win.id, AREA_TARGET, own(r, AREA_SOURCE), 4 * MIB,
                         99, true, &op);
        while (fabric_rx_poll(r->f, &ev) == 0)
            sched_yield();
        expect(r, ev.from == left_of(r) && ev.imm == 99, "event %u of node %d", ev.imm, ev.from);
        expect_filled(r, 4 * MIB, 1 + left_of(r) + 16 * k, "event");
        finish(r, &op);
    }
}

void delay(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    for (volatile uint64_t i = *seed >> 54; i > 0; i--)
        ;
}

/* ---- who is woken by what; node 1 sleeps, node 0 sends ---- */

bool arm_as(struct run *r, enum receiver as)
{
    return fabric_rx_arm(r->f, as == APP ? FABRIC_APP : FABRIC_HANDLER,
                         as == ALL ? FABRIC_ALL : FABRIC_URGENT);
}

uint32_t ticket_as(struct run *r, enum receiver as)
{
    return fabric_rx_ticket(r->f, as == APP ? FABRIC_APP : FABRIC_HANDLER);
}

void sleep_as(struct run *r, enum receiver as, uint32_t ticket, int64_t timeout_ns)
{
    fabric_rx_sleep(r->f, as == APP ? FABRIC_APP : FABRIC_HANDLER, ticket, timeout_ns);
}

uint32_t arm_idle(struct run *r, enum receiver as)
{
    for (;;) {
        uint32_t ticket = ticket_as(r, as);
        if (arm_as(r, as))
            return ticket;
        expect(r, r->heals, "arm found something pending");
    }
}

void take_event(struct run *r, int from, uint64_t k)
{
    struct fabric_event ev;
    fabric_rx_busy(r->f);
    expect(r, fabric_rx_poll(r->f, &ev) == 1, "no event after the sleep");
    expect_event(r, &ev, from, k);
}

/* Sleeps until something is pending; tells node 0 when it is armed for the first time. */
static void sleep_until_pending(struct run *r, enum receiver as, int64_t timeout_ns)
{
    uint32_t ticket = arm_idle(r, as);
    atomic_store(&r->word[1], r->word[1] + 1);
    do {
        sleep_as(r, as, ticket, timeout_ns);
        ticket = ticket_as(r, as);
    } while (arm_as(r, as) || !fabric_rx_pending(r->f));
}

void await_armed(struct run *r, uint64_t count)
{
    while (atomic_load(&r->word[1]) < count)
        sched_yield();
}

static uint64_t wakes(struct run *r)
{
    struct fabric_counters c;
    fabric_counters(r->f, &c);
    return c.wakes;
}

static void expect_wakes(struct run *r, uint64_t before, uint64_t count, const char *what)
{
    if (r->hooked)
        return;
    uint64_t got = wakes(r) - before;
    expect(r, got == count, "armed-wake: %s: %ju wakes, not %ju", what, (uintmax_t)got,
           (uintmax_t)count);
}

static void test_wake(struct run *r)
{
    static const struct {
        enum receiver as;
        bool urgent, wakes;
        const char *what;
    } cases[] = {
        { URGENT, true, true, "urgent event, handler armed for urgent ones" },
        { URGENT, false, false, "event, handler armed for urgent ones" },
        { ALL, true, true, "urgent event, handler armed for all" },
        { ALL, false, true, "event, handler armed for all" },
        { APP, true, true, "urgent event, application asleep" },
        { APP, false, true, "event, application asleep" },
    };
    for (uint64_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        uint64_t before = wakes(r);
        meet(r);
        if (r->node == 1) {
            sleep_until_pending(r, cases[k].as, cases[k].wakes ? -1 : 20000000);
            take_event(r, 0, k);
        } else if (r->node == 0) {
            await_armed(r, k + 1);
            send_event(r, 1, k, cases[k].urgent);
        }
        meet(r);
        expect_wakes(r, before, r->node == 0 && cases[k].wakes, cases[k].what);
    }
}

/* An event that wakes nobody lies there until fabric_wake; a busy receiver is never woken. */
static void test_wake_later(struct run *r)
{
    uint64_t before = wakes(r), last = 0;
    if (r->node == 1) {
        sleep_until_pending(r, URGENT, -1);
        take_event(r, 0, 0);
    } else if (r->node == 0) {
        await_armed(r, 1);
        send_event(r, 1, 0, false);
        fabric_wake(r->f, 1);
    }
    meet(r); /* node 1 is busy now */
    expect_wakes(r, before, r->node == 0, "fabric_wake after an event that wakes nobody");
    before = wakes(r);
    if (r->node == 0) {
        send_event(r, 1, 1, true);
        fabric_wake(r->f, 1);
        put(r, 1, AREA_ACK, &last, sizeof last); /* node 1 arms when all are done */
    }
    meet(r);
    expect_wakes(r, before, 0, "receiver busy");
    while (r->node == 1 && !fabric_rx_pending(r->f))
        sched_yield();
    for (enum receiver as = URGENT; r->node == 1 && as <= APP; as++)
        expect(r, fabric_rx_pending(r->f) && !arm_as(r, as), "arm does not see what is pending");
    if (r->node == 1)
        take_event(r, 0, 1);
}

/* ---- writes that wake ---- */

#define WOKEN_BY   AREA_ACK        /* the word that the sleeper waits for */
#define WOKEN_DATA (AREA_ACK + 64) /* written before it, 256 bytes */

static void expect_no_event(struct run *r)
{
    struct fabric_event ev;
    bool none = !fabric_rx_pending(r->f) && fabric_rx_poll(r->f, &ev) == 0;
    expect(r, none, "a write that wakes was delivered as an event");
}

/* Data by a plain write, or by one that wakes; the word behind it wakes. */
static void write_and_wake(struct run *r, int peer, uint64_t k)
{
    uint64_t data[32];
    for (int i = 0; i < 32; i++)
        data[i] = k;
    if (k % 2)
        fabric_write(r->f, peer, r->win.id, WOKEN_DATA, data, sizeof data, NULL);
    else
        fabric_write_wake(r->f, peer, r->win.id, WOKEN_DATA, data, sizeof data, NULL);
    fabric_write_wake(r->f, peer, r->win.id, WOKEN_BY, &k, sizeof k, NULL);
}

/* Sleeps until the word is k; says that it is about to, once the queue is armed and the word was
 * found to be old. */
static void sleep_until_word(struct run *r, enum receiver as, uint64_t k)
{
    while (own_word(r, WOKEN_BY) < k) {
        uint32_t ticket = ticket_as(r, as);
        if (arm_as(r, as) && own_word(r, WOKEN_BY) < k) {
            atomic_store(&r->word[1], k);
            sleep_as(r, as, ticket, -1);
        }
        expect_no_event(r);
    }
    fabric_rx_busy(r->f);
    const uint64_t *data = (const uint64_t *)(void *)own(r, WOKEN_DATA);
    for (int i = 0; i < 32; i++)
        expect(r, data[i] == k, "write-order: word %ju came before the data in front of it",
               (uintmax_t)k);
}

/* A sleeper of each level is woken by the word that it waits for, and by nothing before; a busy
 * receiver by none. */
static void test_write_wake(struct run *r)
{
    /* elsewhere the sleeper counts, and the word may be here before the wake */
    bool exact = r->f->caps & FABRIC_SEES_SLEEPERS;
    memset(own(r, AREA_ACK), 0, 64 * MAX_NODES);
    meet(r);
    for (uint64_t k = 1; k <= 9; k += 2) {
        uint64_t before = wakes(r);
        meet(r);
        if (r->node == 1) {
            sleep_until_word(r, (enum receiver)(URGENT + k % 3), k);
        } else if (r->node == 0) {
            await_armed(r, k);
            write_and_wake(r, 1, k);
        }
        meet(r);
        if (exact)
            expect_wakes(r, before, r->node == 0, "a write that wakes");
    }
    uint64_t before = wakes(r), word = 11;
    meet(r); /* node 1 is busy now */
    if (r->node == 0)
        fabric_write_wake(r->f, 1, r->win.id, WOKEN_BY, &word, sizeof word, NULL);
    if (r->node == 1)
        await_word(r, WOKEN_BY, word);
    meet(r);
    expect_no_event(r);
    if (exact)
        expect_wakes(r, before, 0, "a write that wakes, receiver busy");
}

/* The writer comes at any moment of the other's going to sleep; the data of both kinds of write is
 * there. */
static void test_write_wake_race(struct run *r)
{
    uint64_t seed = (uint64_t)r->node + 3;
    memset(own(r, AREA_ACK), 0, 64 * MAX_NODES);
    meet(r);
    for (uint64_t k = 1; r->node <= 1 && k <= rounds(r, 2000); k++) {
        delay(&seed);
        if (r->node == 0) {
            write_and_wake(r, 1, k);
            await_word(r, AREA_ACK + 512, k);
        } else {
            sleep_until_word(r, (enum receiver)(URGENT + k % 3), k);
            put_word(r, 0, AREA_ACK + 512, k);
        }
    }
}

/* A large one is there when the word behind it is, and complete when its operation is; to the own
 * node, too. */
static void test_write_wake_large(struct run *r)
{
    struct fabric_op op = FABRIC_OP_INIT;
    fabric_rx_busy(r->f);
    memset(own(r, AREA_ACK), 0, 64 * MAX_NODES);
    memset(own(r, AREA_SOURCE), 1 + r->node, 4 * MIB);
    meet(r);
    fabric_write_wake(r->f, right_of(r), r->win.id, AREA_TARGET, own(r, AREA_SOURCE), 4 * MIB, &op);
    put_word(r, right_of(r), AREA_ACK, 1);
    await_word(r, AREA_ACK, 1);
    expect_filled(r, 4 * MIB, 1 + left_of(r), "word");
    finish(r, &op);
    meet(r);
    expect_no_event(r);
}

/* Where there are no writes with immediate there are none that wake. */
static void test_no_wake_without_imm(struct run *r)
{
    uint64_t word = 1;
    if (!(r->f->caps & FABRIC_WRITE_IMM))
        expect_lack(r, fabric_write_wake(r->f, r->node, r->win.id, AREA_ACK, &word, 8, NULL));
}

/* What happens between arm and sleep is not slept through. The sleep may end for nothing before the
 * event is here: the meeting does not wait for that. */
static void test_no_sleep(struct run *r)
{
    for (enum receiver as = URGENT; as <= APP; as++) {
        meet(r);
        if (r->node == 0) {
            await_armed(r, (uint64_t)as);
            send_event(r, 1, (uint64_t)as, true);
        }
        uint32_t ticket = 0;
        if (r->node == 1) {
            ticket = arm_idle(r, as);
            atomic_store(&r->word[1], (uint64_t)as);
        }
        meet(r);
        if (r->node == 1) {
            sleep_as(r, as, ticket, -1);
            while (!fabric_rx_pending(r->f))
                sched_yield();
            take_event(r, 0, (uint64_t)as);
        }
    }
}

static void *wake_thread(void *arg)
{
    struct run *r = arg;
    await_armed(r, 1);
    fabric_rx_wake(r->f, FABRIC_HANDLER);
    return NULL;
}

static void test_own_wake(struct run *r)
{
    pthread_t thread;
    uint32_t ticket = arm_idle(r, APP);
    fabric_rx_wake(r->f, FABRIC_APP); /* before the sleep: the ticket is old */
    sleep_as(r, APP, ticket, -1);
    ticket = arm_idle(r, URGENT);
    sleep_as(r, URGENT, ticket, 1000000); /* its time passes */
    if (r->node != 1)
        return;
    expect(r, pthread_create(&thread, NULL, wake_thread, r) == 0, "pthread_create");
    ticket = arm_idle(r, ALL);
    atomic_store(&r->word[1], 1);
    sleep_as(r, ALL, ticket, -1);
    pthread_join(thread, NULL);
    fabric_rx_busy(r->f);
}

/* ---- no wake is lost ---- */

void await_event(struct run *r, struct fabric_event *ev, enum receiver as, uint64_t *seed)
{
    while (fabric_rx_poll(r->f, ev) == 0) {
        uint32_t ticket = ticket_as(r, as);
        delay(seed);
        if (arm_as(r, as)) {
            delay(seed);
            sleep_as(r, as, ticket, -1);
        }
        fabric_rx_busy(r->f);
    }
}

/* A token goes around; whoever waits for it sleeps, as handler or as application. */
static void test_ring(struct run *r)
{
    struct fabric_event ev;
    uint64_t seed = (uint64_t)r->node, turns = rounds(r, 6000) / (uint64_t)r->nodes;
    fabric_rx_busy(r->f);
    meet(r);
    for (uint64_t k = 0; k < turns; k++) {
        if (r->node == 0)
            send_event(r, right_of(r), k, k % 3 == 0);
        await_event(r, &ev, (enum receiver)(URGENT + k % 3), &seed);
        expect_event(r, &ev, left_of(r), k);
        delay(&seed);
        if (r->node != 0)
            send_event(r, right_of(r), k, k % 3 == 0);
    }
}

/* Everybody sends to node 0, which goes to sleep whenever it has nothing to do. */
static void test_crowd(struct run *r)
{
    uint64_t seed = (uint64_t)r->node, count = rounds(r, 2000), got[MAX_NODES] = { 0 };
    memset(own(r, AREA_ACK), 0, 64 * MAX_NODES);
    fabric_rx_busy(r->f);
    meet(r);
    for (uint64_t k = 0; r->node != 0 && k < count; k++) {
        await_word(r, AREA_ACK, k >= RX_DEPTH ? k - RX_DEPTH + 1 : 0);
        send_event(r, 0, k, true);
        delay(&seed);
    }
    for (uint64_t k = 0; r->node == 0 && k < count * ((uint64_t)r->nodes - 1); k++) {
        struct fabric_event ev;
        await_event(r, &ev, (enum receiver)(URGENT + k % 3), &seed);
        expect_event(r, &ev, ev.from, got[ev.from]);
        got[ev.from]++;
        put_word(r, ev.from, AREA_ACK, got[ev.from]);
    }
}

void await_shared(_Atomic uint64_t *word, uint64_t value)
{
    for (unsigned i = 1; atomic_load_explicit(word, memory_order_acquire) < value; i++)
        if (i % 4096 == 0)
            sched_yield();
}

/* Node 0 sends in the very moment in which node 1 arms and goes to sleep: one of them must see the
 * other. */
static void test_race(struct run *r)
{
    struct fabric_event ev;
    uint64_t seed = (uint64_t)r->node + 7;
    memset(own(r, AREA_ACK), 0, 64 * MAX_NODES);
    if (r->node > 1)
        return;
    fabric_rx_busy(r->f);
    for (uint64_t k = 0; k < rounds(r, 5000); k++) {
        enum receiver as = (enum receiver)(URGENT + k % 3);
        atomic_store(&r->word[r->node], k + 1);
        await_shared(&r->word[1 - r->node], k + 1);
        /* 0 .. 127 */
        for (volatile uint64_t i = (seed = seed * 6364136223846793005u + 1) >> 57; i > 0; i--)
            ;
        if (r->node == 0) {
            send_event(r, 1, k, k % 3 == 0);
            await_word(r, AREA_ACK + 128, k + 1);
            continue;
        }
        uint32_t ticket = ticket_as(r, as);
        if (arm_as(r, as))
            sleep_as(r, as, ticket, -1);
        fabric_rx_busy(r->f);
        await_event(r, &ev, as, &seed);
        expect_event(r, &ev, 0, k);
        put_word(r, 0, AREA_ACK + 128, k + 1);
    }
}

const struct test queue_tests[] = {
    { "events", FABRIC_WRITE_IMM, 1, test_events },
    { "full", FABRIC_WRITE_IMM, 1, test_full },
    { "immediates", FABRIC_WRITE_IMM, 1, test_immediates },
    { "laps", FABRIC_WRITE_IMM, 1, test_laps },
    { "large event", FABRIC_WRITE_IMM, 1, test_large },
    { "wake", FABRIC_WRITE_IMM, 2, test_wake },
    { "wake later", FABRIC_WRITE_IMM, 2, test_wake_later },
    { "write-wake", FABRIC_WRITE_IMM, 2, test_write_wake },
    { "write-wake-race", FABRIC_WRITE_IMM, 2, test_write_wake_race },
    { "large-write-wake", FABRIC_WRITE_IMM, 1, test_write_wake_large },
    { "no-write-wake", 0, 1, test_no_wake_without_imm },
    { "no sleep", FABRIC_WRITE_IMM, 2, test_no_sleep },
    { "own wake", FABRIC_WRITE_IMM, 2, test_own_wake },
    { "ring", FABRIC_WRITE_IMM, 2, test_ring },
    { "race", FABRIC_WRITE_IMM, 2, test_race },
    { "crowd", FABRIC_WRITE_IMM, 2, test_crowd },
    { NULL, 0, 0, NULL },
};
