/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* conformance_data.c - windows, reads, writes, atomics, counters. See conformance.h. */
#include "tests/fabric/conformance.h"
#include "tests/proc_status.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

/* By words, which instrumented and emulated programs are fast enough with. */
static uint64_t pattern(uint64_t seed, size_t i)
{
    uint64_t x = (seed + i / 8) * 0x9e3779b97f4a7c15u;
    return x ^ x >> 32;
}

static void fill(char *p, size_t len, uint64_t seed)
{
    size_t i = 0;
    for (; len - i >= 8; i += 8)
        memcpy(p + i, &(uint64_t){ pattern(seed, i) }, 8);
    memcpy(p + i, &(uint64_t){ pattern(seed, i) }, len - i);
}

static void compare(const struct run *r, const char *p, size_t len, uint64_t seed, const char *what)
{
    for (size_t i = 0; i < len; i += 8) {
        uint64_t want = pattern(seed, i), got = want;
        (void)(len - i >= 8 ? memcpy(&got, p + i, 8) : memcpy(&got, p + i, len - i));
        expect(r, got == want, "%s of %zu bytes: one of those from %zu on is wrong", what, len, i);
    }
}

/* ---- whole data, and nothing beside it ---- */

#define GUARD 64

static void expect_guard(const struct run *r, const char *p, size_t len)
{
    for (size_t i = 0; i < GUARD; i++)
        expect(r, p[-1 - (ptrdiff_t)i] == 0x5a && p[len + i] == 0x5a,
               "write of %zu bytes changed its neighbourhood", len);
}

static void transfer(struct run *r, size_t len, size_t from_shift, size_t to_shift)
{
    size_t src = AREA_SOURCE + GUARD + from_shift, dst = AREA_TARGET + GUARD + to_shift;
    size_t back = dst - AREA_TARGET + AREA_BACK;
    uint64_t seed = len * 31 + (uint64_t)r->node, left_seed = len * 31 + (uint64_t)left_of(r);
    fill(own(r, src), len, seed);
    memset(own(r, dst) - GUARD, 0x5a, len + 2 * GUARD);
    meet(r);
    put(r, right_of(r), dst, own(r, src), len);
    meet(r);
    compare(r, own(r, dst), len, left_seed, "write");
    expect_guard(r, own(r, dst), len);
    if (!(r->f->caps & FABRIC_READ))
        return;
    memset(own(r, back) - GUARD, 0x5a, len + 2 * GUARD);
    get(r, right_of(r), dst, own(r, back), len);
    compare(r, own(r, back), len, seed, "read");
    expect_guard(r, own(r, back), len);
}

static void test_sizes(struct run *r)
{
    static const size_t sizes[] = { 1,    2,    3,    7,    8,         9,   15,      16,
                                    17,   63,   64,   65,   127,       128, 129,     136,
                                    1000, 4095, 4096, 4097, 65536 + 3, MIB, 16 * MIB };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        transfer(r, sizes[i], 0, 0);
        meet(r);
        if (sizes[i] > MIB)
            continue;
        transfer(r, sizes[i], 3, 5);
        meet(r);
        transfer(r, sizes[i], 8, 1);
        meet(r);
    }
}

/* A small write without an operation: its source may change at once. */
static void test_inline(struct run *r)
{
    char mem[FABRIC_INLINE];
    for (size_t k = 0, len; k < 8; k++) {
        len = k == 7 ? FABRIC_INLINE : 1 + 100 * k;
        fill(mem, len, k + (uint64_t)r->node);
        fabric_write(r->f, right_of(r), r->win.id, AREA_TARGET + k * FABRIC_INLINE, mem, len, NULL);
        memset(mem, 0, sizeof mem);
    }
    /* complete, hence so are the writes before it [fabric.write-order] */
    put(r, right_of(r), AREA_BACK, own(r, AREA_SOURCE), 8);
    meet(r);
    for (size_t k = 0; k < 8; k++)
        compare(r, own(r, AREA_TARGET + k * FABRIC_INLINE), k == 7 ? FABRIC_INLINE : 1 + 100 * k,
                k + (uint64_t)left_of(r), "inline write");
}

static void test_self(struct run *r)
{
    fill(own(r, AREA_SOURCE), 5000, 77);
    put(r, r->node, AREA_TARGET, own(r, AREA_SOURCE), 5000);
    compare(r, own(r, AREA_TARGET), 5000, 77, "write to itself");
    if (r->f->caps & FABRIC_READ) {
        get(r, r->node, AREA_TARGET, own(r, AREA_BACK), 5000);
        compare(r, own(r, AREA_BACK), 5000, 77, "read from itself");
    }
}

/* ---- order ---- */

#define ORDER_ROUNDS 20000

/* [fabric.write-order]: the left neighbour writes AREA_ACK, then AREA_ACK + 64; rounds rise. */
static void write_rounds(struct run *r, uint64_t from)
{
    for (uint64_t k = from; k < from + rounds(r, ORDER_ROUNDS); k++) {
        put_word(r, right_of(r), AREA_ACK, k);
        put_word(r, right_of(r), AREA_ACK + 64, k);
    }
}

/* Once all nodes have cleared what is written. */
static pthread_t start_writer(struct run *r, void *(*body)(void *))
{
    pthread_t writer;
    memset(own(r, AREA_ACK), 0, 128);
    meet(r);
    expect(r, pthread_create(&writer, NULL, body, r) == 0, "pthread_create");
    return writer;
}

static void *write_rounds_thread(void *arg)
{
    write_rounds(arg, 1);
    return NULL;
}

static void test_write_order(struct run *r)
{
    pthread_t writer = start_writer(r, write_rounds_thread);
    for (uint64_t second = 0; second < rounds(r, ORDER_ROUNDS);) {
        second = own_word(r, AREA_ACK + 64);
        uint64_t first = own_word(r, AREA_ACK);
        expect(r, first >= second,
               "write-order: the second write of round %ju is here, the first is that of round %ju",
               (uintmax_t)second, (uintmax_t)first);
    }
    pthread_join(writer, NULL);
}

/* [fabric.read-order]: of two reads started at once the later one does not see an older state. */
static void test_read_order(struct run *r)
{
    /* [0] second word, read first; [8] first word, read second */
    uint64_t *seen = (uint64_t *)(void *)own(r, AREA_BACK);
    pthread_t writer = start_writer(r, write_rounds_thread);
    for (seen[0] = 0; seen[0] < rounds(r, ORDER_ROUNDS);) {
        struct fabric_op op = FABRIC_OP_INIT;
        fabric_read(r->f, left_of(r), r->win.id, AREA_ACK + 64, &seen[0], 8, &op);
        fabric_read(r->f, left_of(r), r->win.id, AREA_ACK, &seen[8], 8, &op);
        finish(r, &op);
        expect(r, seen[8] >= seen[0], "read-order: reads were performed out of order");
    }
    pthread_join(writer, NULL);
}

/* [fabric.read-order]: a read behind an atomic, started without waiting, sees what that has
 * changed; an atomic behind a read changes nothing that it sees. */
static void test_atomic_read_order(struct run *r)
{
    /* this node's word there, raised by nobody else */
    size_t word = AREA_WORDS + MIB / 2 + 64 * (size_t)r->node;
    uint64_t *seen = (uint64_t *)(void *)own(r, AREA_BACK);
    put_word(r, left_of(r), word, 0);
    for (uint64_t k = 0; k < rounds(r, 2000); k++) {
        struct fabric_op op = FABRIC_OP_INIT;
        fabric_read(r->f, left_of(r), r->win.id, word, &seen[0], 8, &op);
        fabric_fetch_add(r->f, left_of(r), r->win.id, word, 1, &seen[8], &op);
        fabric_read(r->f, left_of(r), r->win.id, word, &seen[16], 8, &op);
        finish(r, &op);
        expect(r, seen[0] == k && seen[8] == k && seen[16] == k + 1,
               "read-order: a word that was %ju is read as %ju, raised from %ju, and read as %ju",
               (uintmax_t)k, (uintmax_t)seen[0], (uintmax_t)seen[8], (uintmax_t)seen[16]);
    }
}

/* [fabric.atomic-order]: an atomic that follows a write is performed after it. */
static void test_write_atomic_order(struct run *r)
{
    /* this node's own word, raised by its left neighbour */
    size_t words = AREA_WORDS + 4096, counter = words + 64 * (size_t)r->node;
    size_t theirs = words + 64 * (size_t)right_of(r);
    uint64_t sent = 0, seen = 0;
    memset(own(r, AREA_ACK), 0, 64);
    meet(r);
    for (; sent < rounds(r, 2000); sent++) {
        put_word(r, right_of(r), AREA_ACK, sent + 1);
        add(r, right_of(r), theirs, 1);
        seen = add(r, r->node, counter, 0);
        uint64_t data = own_word(r, AREA_ACK);
        expect(r, data >= seen, "atomic-order: the counter says %ju, the data %ju", (uintmax_t)seen,
               (uintmax_t)data);
    }
}

/* [fabric.whole-word]: the left neighbour's aligned words come whole. */
static void *alternate_words(void *arg)
{
    struct run *r = arg;
    for (uint64_t k = 0; k < rounds(r, ORDER_ROUNDS); k++)
        put_word(r, right_of(r), AREA_ACK, k & 1 ? 0 : ~UINT64_C(0));
    put_word(r, right_of(r), AREA_ACK + 64, 1);
    return NULL;
}

static void test_whole_words(struct run *r)
{
    uint64_t *seen = (uint64_t *)(void *)own(r, AREA_BACK);
    pthread_t writer = start_writer(r, alternate_words);
    while (own_word(r, AREA_ACK + 64) == 0) {
        uint64_t here = own_word(r, AREA_ACK);
        expect(r, here == 0 || here == ~UINT64_C(0), "whole-word: half a word arrived: %jx",
               (uintmax_t)here);
        if (!(r->f->caps & FABRIC_READ))
            continue;
        get(r, left_of(r), AREA_ACK, seen, 8);
        expect(r, *seen == 0 || *seen == ~UINT64_C(0), "whole-word: half a word was read: %jx",
               (uintmax_t)*seen);
    }
    pthread_join(writer, NULL);
}

/* ---- atomics ---- */

#define ADDS        20000
#define ADD_THREADS 2

/* All threads of all nodes are at it together, even where they seldom run at the same time: they
 * wait on each other's heels. */
static void start_together(struct run *r, uint64_t times)
{
    uint64_t all = times * ADD_THREADS * (uint64_t)r->nodes;
    atomic_fetch_add(&r->word[0], 1);
    for (unsigned i = 1; atomic_load(&r->word[0]) < all; i++)
        if (i % 4096 == 0)
            sched_yield();
}

static void *add_many(void *arg)
{
    struct run *r = arg;
    uint64_t before = 0;
    for (uint64_t k = 0; k < rounds(r, ADDS); k++) {
        if (k % 1000 == 0)
            start_together(r, k / 1000 + 1);
        uint64_t old = add(r, 0, AREA_WORDS, 3);
        expect(r, k == 0 || old >= before + 3, "fetch_add returned %ju after %ju", (uintmax_t)old,
               (uintmax_t)before);
        before = old;
    }
    return NULL;
}

static void test_fetch_add(struct run *r)
{
    pthread_t threads[ADD_THREADS];
    for (int i = 0; i < ADD_THREADS; i++)
        expect(r, pthread_create(&threads[i], NULL, add_many, r) == 0, "pthread_create");
    for (int i = 0; i < ADD_THREADS; i++)
        pthread_join(threads[i], NULL);
    meet(r);
    uint64_t sum = add(r, 0, AREA_WORDS, 0),
             want = 3u * rounds(r, ADDS) * ADD_THREADS * (uint64_t)r->nodes;
    expect(r, sum == want, "the sum is %ju, not %ju", (uintmax_t)sum, (uintmax_t)want);
}

/* Of all nodes that compare and swap one word, one wins, and the others learn who. */
static void test_cas(struct run *r)
{
    uint64_t me = (uint64_t)r->node + 1, wins = 0;
    for (size_t k = 0; k < rounds(r, 2000); k++) {
        size_t word = AREA_WORDS + 64 * KIB + 8 * k;
        if (k % 50 == 0)
            meet(r); /* else one would be through before another begins */
        uint64_t old = swap(r, (int)k % r->nodes, word, 0, me);
        expect(r, old <= (uint64_t)r->nodes, "cas %zu returned %ju", k, (uintmax_t)old);
        uint64_t winner = old ? old : me;
        if (old == 0)
            atomic_fetch_add(&r->word[r->node], 1);
        expect(r, swap(r, (int)k % r->nodes, word, me + 1000, 7) == winner,
               "the winner of cas %zu changed", k);
    }
    meet(r);
    for (int n = 0; n < r->nodes; n++)
        wins += r->word[n];
    expect(r, wins == rounds(r, 2000), "%ju winners of %ju words", (uintmax_t)wins,
           (uintmax_t)rounds(r, 2000));
}

/* ---- many at once ---- */

#define FLIGHT 512

static void test_in_flight(struct run *r)
{
    static struct fabric_op ops[FLIGHT];
    struct fabric_op all = FABRIC_OP_INIT;
    fill(own(r, AREA_SOURCE), FLIGHT * 520, (uint64_t)r->node);
    for (size_t i = 0; i < FLIGHT; i++) {
        ops[i] = (struct fabric_op)FABRIC_OP_INIT;
        fabric_write(r->f, right_of(r), r->win.id, AREA_TARGET + i * 520,
                     own(r, AREA_SOURCE + i * 520), 520, &ops[i]);
    }
    for (size_t i = FLIGHT; i-- > 0;)
        finish(r, &ops[i]);
    if (r->f->caps & FABRIC_READ) {
        for (size_t i = 0; i < FLIGHT; i++)
            fabric_read(r->f, right_of(r), r->win.id, AREA_TARGET + i * 520,
                        own(r, AREA_BACK + i * 520), 520, &all);
        finish(r, &all);
        compare(r, own(r, AREA_BACK), FLIGHT * 520, (uint64_t)r->node, "reads in flight");
    }
    meet(r);
    compare(r, own(r, AREA_TARGET), FLIGHT * 520, (uint64_t)left_of(r), "writes in flight");
}

/* ---- windows ---- */

static void test_discard(struct run *r)
{
    memset(own(r, AREA_DISCARD), 1, 64 * KIB);
    meet(r);
    const size_t from = 16 * KIB - 24, to = 48 * KIB + 8; /* amid pages: their rest stays */
    int rc = fabric_window_discard(r->f, r->win.id, AREA_DISCARD + from, to - from);
    expect(r, rc == 0 || rc == -ENOTSUP, "fabric_window_discard: %s", strerror(-rc));
    meet(r);
    for (size_t i = 0; rc == 0 && i < 64 * KIB; i++)
        expect(r, own(r, AREA_DISCARD)[i] == (i < from || i >= to),
               "byte %zu after discarding %zu to %zu", i, from, to);
    meet(r);
    fill(own(r, AREA_SOURCE), 4096, 5);
    put(r, right_of(r), AREA_DISCARD + 20 * KIB, own(r, AREA_SOURCE), 4096);
    meet(r);
    compare(r, own(r, AREA_DISCARD + 20 * KIB), 4096, 5, "write to what was discarded");
    if (rc != 0 || !(r->f->caps & FABRIC_READ))
        return;
    get(r, right_of(r), AREA_DISCARD + 12 * KIB, own(r, AREA_BACK), 8 * KIB);
    for (size_t i = 0; i < 8 * KIB; i++)
        expect(r, own(r, AREA_BACK)[i] == (i < from - 12 * KIB),
               "byte %zu read from what was discarded", i);
}

static void test_windows(struct run *r)
{
    int seen = 1 << r->win.id;
    for (int k = 1; k < FABRIC_WINDOWS - 1; k++) {
        struct fabric_window w;
        size_t size = k == 1                               ? 4096
                      : k == 2 || r->f->ops.window_prepare ? (size_t)k * MIB
                                                           : 5 * GIB;
        int rc = fabric_window_create(r->f, size, &w);
        expect(r, rc == 0, "window %d: %s", k, strerror(-rc));
        expect(r, w.id >= 0 && w.id < FABRIC_WINDOWS && !(seen & 1 << w.id), "window %d has id %d",
               k, w.id);
        seen |= 1 << w.id;
        for (size_t i = 0; i < size; i += i == 4 * MIB ? size - 5 * MIB : 8)
            expect(r, *(uint64_t *)(void *)(w.base + i) == 0, "window %d is not zero at %zu", k, i);
        meet(r);
        fabric_write(r->f, right_of(r), w.id, size - 8, &(uint64_t){ 42 }, 8, NULL);
        put(r, right_of(r), AREA_TARGET, own(r, AREA_SOURCE), 8);
        meet(r);
        expect(r, *(uint64_t *)(void *)(w.base + size - 8) == 42, "the last word of window %d", k);
        expect(r, w.base[(uint32_t)(size - 8)] == (size <= UINT32_MAX ? 42 : 0),
               "offsets lose their upper half");
    }
}

/* ---- memory that nobody prepared ---- */

#define LARGE \
    (80 * MIB) /* so large that it is not registered as a whole, in pieces of at most 20 MiB */

struct large {
    struct run *r;
    struct fabric_window win;
    _Atomic bool stop;
};

/* A node serves: others ask it for what they cannot reach. */
static void *poll_events(void *arg)
{
    struct large *l = arg;
    struct fabric_event ev;
    while (!atomic_load(&l->stop)) {
        expect(l->r, fabric_rx_poll(l->r->f, &ev) == 0, "an event that nobody sent");
        sched_yield();
    }
    return NULL;
}

static void *prepare_all(void *arg)
{
    struct large *l = arg;
    expect(l->r, fabric_window_prepare(l->r->f, l->win.id, 0, LARGE) == 0, "fabric_window_prepare");
    return NULL;
}

/* KiB of this process that an adapter holds. */
static long pinned(void)
{
    return proc_status_kib("VmPin");
}

/* From a source that is not registered, which it does not become. */
static void write_from_unprepared(struct large *l)
{
    struct run *r = l->r;
    long before = pinned();
    fill(l->win.base + 20 * MIB, 100 * KIB, (uint64_t)r->node);
    put(r, right_of(r), AREA_TARGET, l->win.base + 20 * MIB, 100 * KIB);
    expect(r, pinned() - before < 1024, "a write registered its source: %ld KiB more are pinned",
           pinned() - before);
    meet(r);
    compare(r, own(r, AREA_TARGET), 100 * KIB, (uint64_t)left_of(r),
            "write from memory that is not prepared");
}

/* All ask their neighbour at once; then they read back, into memory that is not prepared either. */
static void write_to_unprepared(struct large *l)
{
    struct run *r = l->r;
    struct fabric_op op = FABRIC_OP_INIT;
    fill(own(r, AREA_SOURCE), 100 * KIB, (uint64_t)r->node + 9);
    meet(r);
    fabric_write(r->f, right_of(r), l->win.id, 40 * MIB, own(r, AREA_SOURCE), 100 * KIB, &op);
    finish(r, &op);
    if (r->f->caps & FABRIC_READ) {
        fabric_read(r->f, right_of(r), l->win.id, 40 * MIB, l->win.base + 60 * MIB, 100 * KIB, &op);
        finish(r, &op);
        compare(r, l->win.base + 60 * MIB, 100 * KIB, (uint64_t)r->node + 9,
                "read into memory that is not prepared");
    }
    meet(r);
    compare(r, l->win.base + 40 * MIB, 100 * KIB, (uint64_t)left_of(r) + 9,
            "write to memory that is not prepared");
}

static void test_unprepared(struct run *r)
{
    struct large l = { .r = r };
    pthread_t poller, other;
    int rc = fabric_window_create(r->f, LARGE, &l.win);
    expect(r, rc == 0, "a window of %u bytes: %s", LARGE, strerror(-rc));
    rc = pthread_create(&poller, NULL, poll_events, &l);
    expect(r, rc == 0, "pthread_create: %s", strerror(rc));
    write_from_unprepared(&l);
    write_to_unprepared(&l);
    rc = pthread_create(&other, NULL, prepare_all, &l); /* two at once */
    expect(r, rc == 0, "pthread_create: %s", strerror(rc));
    prepare_all(&l);
    pthread_join(other, NULL);
    meet(r);
    atomic_store(&l.stop, true);
    pthread_join(poller, NULL);
    struct fabric_window more;
    for (int k = 0; rc == 0 && k < FABRIC_WINDOWS; k++)
        rc = fabric_window_create(r->f, 4096, &more);
    expect(r, rc == -ENOSPC, "a window too many: %d, not -ENOSPC", rc);
}

/* ---- counters ---- */

static void test_counters(struct run *r)
{
    if (r->hooked)
        return;
    bool reads = r->f->caps & FABRIC_READ, atomics = r->f->caps & FABRIC_ATOMICS;
    struct fabric_counters a, b;
    fabric_counters(r->f, &a);
    meet(r);
    put(r, right_of(r), AREA_TARGET, own(r, AREA_SOURCE), 1000);
    if (reads)
        get(r, right_of(r), AREA_TARGET, own(r, AREA_BACK), 500);
    for (int i = 0; atomics && i < 3; i++)
        add(r, 0, AREA_WORDS + 32 * KIB, 1);
    meet(r);
    fabric_counters(r->f, &b);
    uint64_t bytes = 1000 + (reads ? 500u : 0);
    expect(r, b.writes - a.writes == 1, "%ju writes counted, not 1",
           (uintmax_t)(b.writes - a.writes));
    expect(r, b.reads - a.reads == reads, "%ju reads counted", (uintmax_t)(b.reads - a.reads));
    expect(r, b.atomics - a.atomics == (atomics ? 3 : 0), "%ju atomics counted",
           (uintmax_t)(b.atomics - a.atomics));
    expect(r, b.bytes_in - a.bytes_in == bytes, "%ju bytes in, not %ju",
           (uintmax_t)(b.bytes_in - a.bytes_in), (uintmax_t)bytes);
    expect(r, b.bytes_out - a.bytes_out == bytes, "%ju bytes out, not %ju",
           (uintmax_t)(b.bytes_out - a.bytes_out), (uintmax_t)bytes);
    expect(r, b.wakes == a.wakes, "one-sided operations woke somebody");
    atomic_store(&r->word[r->node], b.bytes_in - b.bytes_out);
    meet(r);
    uint64_t sum = 0;
    for (int n = 0; n < r->nodes; n++)
        sum += r->word[n];
    expect(r, sum == 0, "the sum of bytes_in is not that of bytes_out");
}

/* ---- what is not there says so ---- */

static void test_unsupported(struct run *r)
{
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t old = 0;
    unsigned caps = r->f->caps;
    int win = r->win.id;
    if (!(caps & FABRIC_READ))
        expect_lack(r, fabric_read(r->f, 0, win, 0, own(r, AREA_BACK), 8, &op));
    if (!(caps & FABRIC_ATOMICS)) {
        expect_lack(r, fabric_cas(r->f, 0, win, AREA_WORDS, 0, 1, &old, &op));
        expect_lack(r, fabric_fetch_add(r->f, 0, win, AREA_WORDS, 1, &old, &op));
    }
    if (!(caps & FABRIC_WRITE_IMM)) {
        expect_lack(r, fabric_write_imm(r->f, 0, win, AREA_SLOTS, own(r, 0), 8, 1, true, &op));
    }
    expect(r, op.pending == 0, "a refused operation is pending");
    bool noread = strstr(r->fabric_name, "-noread"), noimm = strstr(r->fabric_name, "-noimm");
    expect(r, !strstr(r->fabric_name, "-noswap") || !r->f->ops.exchange, "an exchange");
    expect(r, !noread || !(caps & (FABRIC_READ | FABRIC_ATOMICS)), "capabilities %#x", caps);
    expect(r, !noimm || !(caps & FABRIC_WRITE_IMM), "capabilities %#x", caps);
    expect(r, noread || noimm || (caps & FABRIC_WRITE_IMM && caps & FABRIC_READ),
           "capabilities %#x", caps);
}

static void test_names(struct run *r)
{
    static const char *const names[] = { "",    "nosuchfabric", "shm-", "shm-noreadx", "shmx",
                                         "SHM", "+chaos",       "shm+", "shm+chaosx" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct fabric *f = r->f;
        struct fabric_job job = { .node = r->node, .nodes = r->nodes, .rx_depth = RX_DEPTH };
        int rc = fabric_open(names[i], &job, &f);
        expect(r, rc == -ENOENT && f == r->f, "fabric_open(\"%s\"): %d, not -ENOENT", names[i], rc);
    }
}

static char refusal[256];

static void keep_refusal(const char *line)
{
    snprintf(refusal, sizeof refusal, "%s", line);
}

/* An adapter whose receive queue does not hold what can be outstanding is refused, in one line. */
static void test_too_many_events(struct run *r)
{
    struct fabric *f = NULL;
    struct fabric_job job = *r->job;
    bool named =
        strncmp(r->fabric_name, "verbs", 5) == 0 || strncmp(r->fabric_name, "mixed", 5) == 0;
    if (!named || fabric_probe("verbs", refusal, sizeof refusal) != 0)
        return;
    job.rx_depth = UINT32_MAX;
    job.fail = keep_refusal;
    int rc = fabric_open(r->fabric_name, &job, &f);
    expect(r, rc == -ENOSPC && !f, "fabric_open for %u events: %d, not -ENOSPC", job.rx_depth, rc);
    expect(r, strstr(refusal, "receives, but ") != NULL, "fabric_open for %u events says: %s",
           job.rx_depth, refusal);
}

const struct test data_tests[] = {
    { "names", 0, 1, test_names },
    { "unsupported", 0, 1, test_unsupported },
    { "too-many-events", 0, 1, test_too_many_events },
    { "sizes", 0, 1, test_sizes },
    { "inline", 0, 1, test_inline },
    { "self", 0, 1, test_self },
    { "write order", 0, 1, test_write_order },
    { "read order", FABRIC_READ | FABRIC_READ_ORDERED, 1, test_read_order },
    { "atomic, read order", FABRIC_READ | FABRIC_ATOMICS | FABRIC_READ_ORDERED, 1,
      test_atomic_read_order },
    { "write, atomic order", FABRIC_ATOMICS, 1, test_write_atomic_order },
    { "whole words", 0, 1, test_whole_words },
    { "fetch_add", FABRIC_ATOMICS, 1, test_fetch_add },
    { "cas", FABRIC_ATOMICS, 1, test_cas },
    { "in flight", 0, 1, test_in_flight },
    { "discard", 0, 1, test_discard },
    { "counters", 0, 1, test_counters },
    { "windows", 0, 1, test_windows },
    { "unprepared", 0, 1, test_unprepared },
    { NULL, 0, 0, NULL },
};
