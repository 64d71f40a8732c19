/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* conformance_flight.c - long transfers and what follows them; many operations and threads. */
#include "tests/fabric/conformance.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>

#define LONG_BYTES (48 * KIB + 8) /* no multiple of a page, or of what a CPU copies at once */
#define LONG_WORDS (LONG_BYTES / 8)

static uint64_t *words(const struct run *r, size_t off)
{
    return (uint64_t *)(void *)own(r, off);
}

static void fill_words(uint64_t *w, size_t count, uint64_t value)
{
    for (size_t i = 0; i < count; i++)
        w[i] = value;
}

/* ---- what follows a long write comes after the whole of it ---- */

enum follower { BY_WORD, BY_ATOMIC, BY_EVENT };

static void follow(struct run *r, enum follower by, uint64_t k)
{
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t old;
    if (by == BY_WORD)
        put_word(r, right_of(r), AREA_ACK, k);
    else if (by == BY_ATOMIC)
        fabric_fetch_add(r->f, right_of(r), r->win.id, AREA_WORDS + 48 * KIB, 1, &old, &op);
    else
        fabric_write_imm(r->f, right_of(r), r->win.id, AREA_ACK + 64, &k, 8, (uint32_t)k, true,
                         NULL);
    finish(r, &op);
}

static void await_follower(struct run *r, enum follower by, uint64_t k)
{
    struct fabric_event ev;
    if (by == BY_WORD)
        await_word(r, AREA_ACK, k);
    while (by == BY_ATOMIC && add(r, r->node, AREA_WORDS + 48 * KIB, 0) < k)
        sched_yield();
    while (by == BY_EVENT && fabric_rx_poll(r->f, &ev) == 0)
        sched_yield();
}

static void follow_rounds(struct run *r, enum follower by)
{
    size_t shift = by == BY_ATOMIC ? 8 : 0;
    memset(own(r, AREA_ACK), 0, 128);
    fabric_rx_busy(r->f);
    for (uint64_t k = 1; k <= rounds(r, 200); k++) {
        struct fabric_op op = FABRIC_OP_INIT;
        meet(r); /* nobody looks any more */
        fill_words(words(r, AREA_SOURCE), LONG_WORDS, k);
        fabric_write(r->f, right_of(r), r->win.id, AREA_TARGET + shift, own(r, AREA_SOURCE),
                     LONG_BYTES, &op);
        follow(r, by, k); /* the write is not waited for */
        await_follower(r, by, k);
        for (size_t i = 0; i < LONG_WORDS; i++)
            expect(r, own_word(r, AREA_TARGET + shift + 8 * i) == k,
                   "%s: word %zu of a long write came after %s",
                   by == BY_ATOMIC ? "atomic-order" : "write-order", i,
                   by == BY_WORD    ? "a later word"
                   : by == BY_EVENT ? "a later event"
                                    : "a later atomic");
        finish(r, &op);
    }
}

static void test_follow_word(struct run *r)
{
    follow_rounds(r, BY_WORD);
}
static void test_follow_atomic(struct run *r)
{
    follow_rounds(r, BY_ATOMIC);
}
static void test_follow_event(struct run *r)
{
    follow_rounds(r, BY_EVENT);
}

/* ---- [fabric.whole-word]: the words of a long transfer are whole ---- */

static const uint64_t both[] = { 0x0123456789abcdefu, 0xfedcba9876543210u };

static void expect_whole(struct run *r, const char *what, uint64_t word, size_t i)
{
    expect(r, word == both[0] || word == both[1],
           "whole-word: word %zu of a long transfer was %s as %jx", i, what, (uintmax_t)word);
}

/* Writes now one, now the other, with lengths that take all ways through a copy. */
static void *write_both(void *arg)
{
    struct run *r = arg;
    static const size_t lengths[] = { LONG_BYTES, 4096, 8, 24, 136, 1000 };
    fill_words(words(r, AREA_SOURCE), LONG_WORDS, both[0]);
    fill_words(words(r, AREA_SOURCE + MIB), LONG_WORDS, both[1]);
    for (uint64_t k = 0; k < rounds(r, 1500); k++)
        put(r, right_of(r), AREA_TARGET + 8, own(r, AREA_SOURCE + (k & 1) * MIB),
            lengths[k / 2 % 6]);
    put_word(r, right_of(r), AREA_ACK, 1);
    return NULL;
}

static void test_long_words(struct run *r)
{
    pthread_t writer;
    bool reads = r->f->caps & FABRIC_READ;
    memset(own(r, AREA_ACK), 0, 64);
    fill_words(words(r, AREA_TARGET + 8), LONG_WORDS, both[0]);
    meet(r);
    expect(r, pthread_create(&writer, NULL, write_both, r) == 0, "pthread_create");
    while (own_word(r, AREA_ACK) == 0) {
        for (size_t i = 0; i < LONG_WORDS; i++)
            expect_whole(r, "seen", own_word(r, AREA_TARGET + 8 + 8 * i), i);
        if (reads)
            get(r, right_of(r), AREA_TARGET + 8, own(r, AREA_BACK), LONG_BYTES);
        for (size_t i = 0; reads && i < LONG_WORDS; i++)
            expect_whole(r, "read", words(r, AREA_BACK)[i], i);
    }
    pthread_join(writer, NULL);
}

/* ---- completion ---- */

/* fabric_test alone finds out; then the data is there. */
static void test_test(struct run *r)
{
    struct fabric_op op = FABRIC_OP_INIT;
    bool reads = r->f->caps & FABRIC_READ;
    expect(r, fabric_test(r->f, &op), "an operation that was not started is pending");
    finish(r, &op);
    for (uint64_t k = 0; k < rounds(r, 200); k++) {
        fill_words(words(r, AREA_SOURCE), 1000, k);
        fabric_write(r->f, right_of(r), r->win.id, AREA_TARGET, own(r, AREA_SOURCE), 8000, &op);
        while (!fabric_test(r->f, &op))
            sched_yield();
        if (reads)
            fabric_read(r->f, right_of(r), r->win.id, AREA_TARGET, own(r, AREA_BACK), 8000, &op);
        while (!fabric_test(r->f, &op))
            sched_yield();
        for (size_t i = 0; reads && i < 1000; i++)
            expect(r, words(r, AREA_BACK)[i] == k,
                   "word %zu of what was written and read in round %ju is %ju", i, (uintmax_t)k,
                   (uintmax_t)words(r, AREA_BACK)[i]);
        expect(r, atomic_load(&op.pending) == 0, "fabric_test says complete, %u are pending",
               op.pending);
    }
}

#define ATOMICS 256

/* Each of many atomics in flight counts, and returns a value of its own. Reads of the word may look
 * on [fabric.atomics-only]. */
static void test_many_atomics(struct run *r)
{
    static uint64_t old[ATOMICS];
    bool found[ATOMICS] = { false };
    size_t word = AREA_WORDS + 56 * KIB; /* of the right neighbour, raised by this node alone */
    uint64_t *looked = words(r, AREA_BACK);
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t before = add(r, right_of(r), word, 0), least = before;
    for (size_t i = 0; i < ATOMICS; i++) {
        fabric_fetch_add(r->f, right_of(r), r->win.id, word, 1, &old[i], &op);
        if (i % 16)
            continue;
        get(r, right_of(r), word, looked, 8);
        expect(r, *looked >= least && *looked <= before + i + 1,
               "atomics-only: %ju was read after %ju", (uintmax_t)*looked, (uintmax_t)least);
        least = *looked;
    }
    finish(r, &op);
    for (size_t i = 0; i < ATOMICS; i++) {
        expect(r, old[i] - before < ATOMICS && !found[old[i] - before],
               "fetch_add %zu returned %ju, again or wrongly", i, (uintmax_t)old[i]);
        found[old[i] - before] = true;
    }
    expect(r, add(r, right_of(r), word, 0) == before + ATOMICS, "the sum of many atomics");
}

/* What the exchanges of one node returned: of each node's values none twice, and in the order in
 * which they were put there. Returns their sum. */
static uint64_t exchange_many(struct run *r, size_t word, uint64_t times)
{
    uint64_t last[MAX_NODES + 1] = { 0 }, sum = 0;
    for (uint64_t k = 1; k <= times; k++) {
        uint64_t mine = (uint64_t)(r->node + 1) << 32 | k;
        uint64_t old = fabric_exchange(r->f, 0, r->win.id, word, mine, k % 3 ? mine - 1 : 0);
        uint64_t from = old >> 32, value = old & UINT32_MAX;
        expect(r, from <= (uint64_t)r->nodes && (from == 0 || value > last[from]) && old != mine,
               "exchange %ju returned %#jx", (uintmax_t)k, (uintmax_t)old);
        last[from] = value;
        sum += old;
    }
    return sum;
}

/* What was put there is returned once, to some node, or is there in the end. */
static void test_exchange(struct run *r)
{
    size_t word = AREA_WORDS + 52 * KIB;
    uint64_t times = rounds(r, 2000), nodes = (uint64_t)r->nodes;
    meet(r);
    uint64_t sum = exchange_many(r, word, times);
    atomic_store(&r->word[r->node], sum);
    meet(r);
    uint64_t out = add(r, 0, word, 0), in = 0;
    for (uint64_t n = 0; n < nodes; n++) {
        out += atomic_load(&r->word[n]);
        in += times * ((n + 1) << 32) + times * (times + 1) / 2;
    }
    expect(r, in == out, "exchanged in %ju, out %ju", (uintmax_t)in, (uintmax_t)out);
}

/* A compare-and-swap of which nobody wants to know what was there. */
static void test_unasked(struct run *r)
{
    size_t word = AREA_WORDS + 48 * KIB;
    int peer = right_of(r);
    put_word(r, peer, word, 7);
    for (uint64_t k = 0; k < 20; k++) {
        struct fabric_op op = FABRIC_OP_INIT;
        fabric_cas(r->f, peer, r->win.id, word, 7 + k, 8 + k, NULL, &op);
        finish(r, &op);
        expect(r, swap(r, peer, word, 0, 0) == 8 + k, "word %ju was not exchanged", (uintmax_t)k);
    }
}

/* ---- runs ---- */

#define RUNS       1500
#define RUN_REGION (64 * KIB)

/* Runs of 1 to 40 bytes, with gaps of 1 to 3, but for some as long as a page. Returns the bytes of
 * all. */
static size_t make_runs(struct fabric_run *run, uint64_t k)
{
    size_t at = k % 7, bytes = 0;
    for (size_t i = 0; i < RUNS; i++) {
        uint32_t n = i % 250 == 100 ? 4096 : (uint32_t)((i * 7 + k) % (i % 3 ? 11 : 41)) + 1;
        run[i] = (struct fabric_run){ (uint32_t)at, n };
        at += n + 1 + (i + k) % 3;
        bytes += n;
    }
    return bytes;
}

/* The bytes of all runs, and none between them, once the operation is complete; and a word that was
 * written behind them comes after them [fabric.write-order]. */
static void test_runs(struct run *r)
{
    static struct fabric_run run[RUNS];
    static unsigned char expected[RUN_REGION];
    unsigned char *source = (unsigned char *)own(r, AREA_SOURCE);
    unsigned char *target = (unsigned char *)own(r, AREA_TARGET);
    memset(own(r, AREA_ACK), 0, 64);
    for (uint64_t k = 1; k <= rounds(r, 60); k++) {
        struct fabric_op op = FABRIC_OP_INIT;
        memset(target, 0xee, RUN_REGION);
        memset(expected, 0xee, RUN_REGION);
        size_t bytes = make_runs(run, k), from = 0;
        for (size_t i = 0; i < bytes; i++)
            source[i] = (unsigned char)(i * 31 + k);
        for (size_t i = 0; i < RUNS; from += run[i++].bytes)
            memcpy(expected + run[i].offset, source + from, run[i].bytes);
        meet(r);
        fabric_write_runs(r->f, right_of(r), r->win.id, AREA_TARGET, run, RUNS, source, &op);
        if (k % 2)
            finish(r, &op);
        put_word(r, right_of(r), AREA_ACK, k);
        await_word(r, AREA_ACK, k);
        expect(r, memcmp(target, expected, RUN_REGION) == 0,
               "write-order: not the bytes of the runs, and no others, round %ju", (uintmax_t)k);
        finish(r, &op);
        meet(r);
    }
}

/* A list of runs both ways: from here, there, and back to where it was, in the order of their
 * places or against it, to memory that the fabric knows or not. */
static void test_pieces(struct run *r)
{
    static struct fabric_run run[RUNS];
    static struct fabric_piece out[RUNS], in[RUNS];
    static unsigned char private[RUN_REGION], private_back[RUN_REGION];
    unsigned char *mine = (unsigned char *)own(r, AREA_SOURCE);
    for (uint64_t k = 1; k <= rounds(r, 8); k++) {
        struct fabric_op op = FABRIC_OP_INIT;
        unsigned char *source = k % 2 ? mine : private;
        unsigned char *back = k % 4 < 2 ? private_back : (unsigned char *)own(r, AREA_BACK);
        size_t bytes = make_runs(run, k), at = 0;
        memset(own(r, AREA_TARGET), 0xee, RUN_REGION);
        memset(back, 0xee, RUN_REGION);
        for (size_t i = 0; i < bytes; i++)
            source[i] = (unsigned char)(i * 17 + k);
        for (size_t i = 0; i < RUNS; at += run[i++].bytes) {
            out[i] =
                (struct fabric_piece){ AREA_TARGET + run[i].offset, source + at, run[i].bytes };
            in[k % 3 ? i : RUNS - 1 - i] =
                (struct fabric_piece){ AREA_TARGET + run[i].offset, back + at, run[i].bytes };
        }
        meet(r);
        fabric_write_pieces(r->f, right_of(r), r->win.id, out, RUNS, &op);
        finish(r, &op);
        if (r->f->caps & FABRIC_READ) {
            fabric_read_pieces(r->f, right_of(r), r->win.id, in, RUNS, &op);
            finish(r, &op);
            expect(r, memcmp(back, source, bytes) == 0 && back[bytes] == 0xee,
                   "other pieces came back than were written, round %ju", (uintmax_t)k);
        }
        meet(r);
        const unsigned char *target = (unsigned char *)own(r, AREA_TARGET);
        for (size_t i = 1, end = run[0].offset + run[0].bytes; i < RUNS; i++) {
            for (; end < run[i].offset; end++)
                expect(r, target[end] == 0xee, "byte %zu, between two pieces", end);
            end = run[i].offset + run[i].bytes;
        }
        meet(r);
    }
}

/* ---- bursts of small writes ---- */

#define BURST        500
#define BURST_REGION (4 * KIB)
#define BURST_OPS    80

/* Of one thread. */
struct burst {
    struct run *r;
    size_t off; /* of its regions in the areas */
    uint64_t seed;
    unsigned char expected[BURST_REGION];
    struct fabric_op op[BURST_OPS], last;
};

static size_t burst_next(struct burst *b)
{
    b->seed = b->seed * 6364136223846793005u + 1442695040888963407u;
    return b->seed >> 33;
}

/* Each write overlaps others, has a source that changes at once, or an operation of its own or of
 * many. Some are longer. */
static void *burst_write(void *arg)
{
    struct burst *b = arg;
    struct run *r = b->r;
    const unsigned char *source = (const unsigned char *)own(r, AREA_SOURCE + b->off);
    unsigned char copy[1400];
    for (size_t i = 0; i < BURST; i++) {
        size_t len = burst_next(b) % 50 ? 1 + burst_next(b) % 40 : 200 + burst_next(b) % 1200;
        size_t to = burst_next(b) % (BURST_REGION - len),
               from = burst_next(b) % (BURST_REGION - len);
        struct fabric_op *op = &b->op[i % 3 == 1 ? 0 : burst_next(b) % BURST_OPS];
        memcpy(b->expected + to, source + from, len);
        memcpy(copy, source + from, len);
        fabric_write(r->f, right_of(r), r->win.id, AREA_TARGET + b->off + to,
                     i % 3 ? source + from : copy, len, i % 3 ? op : NULL);
        memset(copy, 0xcc, len);
        if (i % 100 == 50)
            finish(r, op);
    }
    memcpy(b->expected, source, 8);
    fabric_write(r->f, right_of(r), r->win.id, AREA_TARGET + b->off, source, 8, &b->last);
    finish(r, &b->last);
    return NULL;
}

static void burst_prepare(struct run *r, struct burst *b, size_t t, uint64_t k)
{
    *b = (struct burst){ .r = r, .off = t * 64 * KIB, .seed = 2 * k + t };
    for (size_t i = 0; i < BURST_REGION; i++)
        own(r, AREA_SOURCE + b->off)[i] = (char)burst_next(b);
    memset(b->expected, 0xee, BURST_REGION);
    memset(own(r, AREA_TARGET + b->off), 0xee, BURST_REGION);
}

/* Of two threads: all writes are placed in their order once the last one of the thread is complete
 * [fabric.write-order]. */
static void test_burst(struct run *r)
{
    static struct burst burst[2];
    for (uint64_t k = 1; k <= rounds(r, 100); k++) {
        pthread_t other;
        for (size_t t = 0; t < 2; t++)
            burst_prepare(r, &burst[t], t, k);
        meet(r);
        expect(r, pthread_create(&other, NULL, burst_write, &burst[1]) == 0, "pthread_create");
        burst_write(&burst[0]);
        pthread_join(other, NULL);
        meet(r);
        for (size_t t = 0; t < 2; t++)
            expect(r,
                   memcmp(own(r, AREA_TARGET + burst[t].off), burst[t].expected, BURST_REGION) == 0,
                   "write-order: not the bytes of a burst, round %ju", (uintmax_t)k);
        for (size_t i = 0; i < 2 * BURST_OPS; i++)
            finish(r, &burst[i % 2].op[i / 2]);
        meet(r);
    }
}

/* ---- memory that no window has ---- */

static unsigned char byte_of(uint64_t seed, size_t i)
{
    return (unsigned char)(seed * 131 + i * 7 + (i >> 8) * 3);
}

static unsigned char *new_memory(const struct run *r, size_t len)
{
    unsigned char *at = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    expect(r, at != MAP_FAILED, "mmap of %zu bytes", len);
    return at;
}

static void expect_bytes(const struct run *r, const unsigned char *at, size_t len, uint64_t seed,
                         const char *what)
{
    size_t i = 0;
    while (i < len && at[i] == byte_of(seed, i))
        i++;
    expect(r, i == len, "%s of %zu bytes: byte %zu is wrong", what, len, i);
}

/* Memory comes and goes with each transfer, much of it at the same address, and that which is
 * written from may be read-only. */
static void test_private(struct run *r)
{
    static const size_t sizes[] = { FABRIC_LONG, FABRIC_LONG + 1, 256 * KIB + 9, MIB, 3 * MIB + 5 };
    for (uint64_t k = 0; k < rounds(r, 20); k++) {
        struct fabric_op op = FABRIC_OP_INIT;
        size_t len = sizes[k / 2 % 5], skip = k / 2 % 3 * 1000, off = AREA_TARGET + k % 8;
        uint64_t mine = k * 17 + (uint64_t)r->node, left = k * 17 + (uint64_t)left_of(r);
        unsigned char *mem = new_memory(r, len + skip);
        for (size_t i = 0; i < len; i++)
            mem[skip + i] = byte_of(mine, i);
        if (k % 2)
            expect(r, mprotect(mem, len + skip, PROT_READ) == 0, "mprotect");
        fabric_write_long(r->f, right_of(r), r->win.id, off, mem + skip, len, &op);
        finish(r, &op);
        munmap(mem, len + skip);
        meet(r);
        expect_bytes(r, (unsigned char *)own(r, off), len, left, "write");
        if (r->f->caps & FABRIC_READ) {
            mem = new_memory(r, len + skip);
            fabric_read_long(r->f, right_of(r), r->win.id, off, mem + skip, len, &op);
            finish(r, &op);
            expect_bytes(r, mem + skip, len, mine, "read");
            munmap(mem, len + skip);
        }
        meet(r);
    }
}

#define READS  6
#define REGION (512 * (size_t)KIB) /* of a read, at its target */
#define GUARD  64                  /* zero bytes before and after a destination */

/* The read, and other operations in both directions before its answer. */
static unsigned char *start_read(struct run *r, size_t i, size_t len, struct fabric_op *op)
{
    unsigned char *mem = new_memory(r, len + 2 * GUARD);
    fabric_read_long(r->f, right_of(r), r->win.id, AREA_TARGET + i * REGION + i % 8, mem + GUARD,
                     len, op);
    fabric_write(r->f, right_of(r), r->win.id, AREA_BACK, own(r, AREA_SOURCE), 9000, op);
    fabric_read(r->f, right_of(r), r->win.id, AREA_TARGET, own(r, (i + 1) * MIB), 5000 * i, op);
    return mem;
}

/* Several long reads at a time: each receives its bytes, and no others. */
static void test_reads(struct run *r)
{
    static const size_t sizes[] = { 300 * KIB + 1,   FABRIC_LONG,   264 * KIB + 3,
                                    FABRIC_LONG + 7, 130 * KIB + 5, 128 * KIB + 2 };
    for (uint64_t k = 0; k < rounds(r, 20); k++) {
        struct fabric_op op[READS] = { FABRIC_OP_INIT };
        unsigned char *mem[READS];
        for (size_t i = 0; i < READS; i++)
            for (size_t b = 0; b < sizes[i]; b++)
                own(r, AREA_TARGET + i * REGION + i % 8)[b] =
                    (char)byte_of(k + i + 100 * (uint64_t)r->node, b);
        meet(r);
        for (size_t i = 0; i < READS; i++)
            mem[i] = start_read(r, i, sizes[i], &op[i]);
        for (size_t i = READS; i-- > 0;) {
            size_t len = sizes[i], beside = 0;
            finish(r, &op[i]);
            expect_bytes(r, mem[i] + GUARD, len, k + i + 100 * (uint64_t)right_of(r), "read");
            for (size_t b = 0; b < GUARD; b++)
                beside += mem[i][b] || mem[i][GUARD + len + b];
            expect(r, beside == 0, "a read of %zu bytes writes beside them", len);
            munmap(mem[i], len + 2 * GUARD);
        }
        meet(r);
    }
}

/* ---- threads ---- */

#define THREADS 4

struct mover {
    struct run *r;
    unsigned number;
};

/* Writes and reads back in an area of its own. */
static void *move(void *arg)
{
    const struct mover *m = arg;
    struct run *r = m->r;
    size_t at = m->number * 256u * KIB;
    for (uint64_t k = 0; k < rounds(r, 300); k++) {
        size_t count = k % 3 ? 1 + k % 64 : 4096;
        uint64_t value = (uint64_t)r->node << 48 | (uint64_t)m->number << 32 | k;
        fill_words(words(r, AREA_SOURCE + at), count, value);
        put(r, right_of(r), AREA_TARGET + at, own(r, AREA_SOURCE + at), count * 8);
        if (!(r->f->caps & FABRIC_READ))
            continue;
        get(r, right_of(r), AREA_TARGET + at, own(r, AREA_BACK + at), count * 8);
        for (size_t i = 0; i < count; i++)
            expect(r, words(r, AREA_BACK + at)[i] == value, "thread %u, round %ju: word %zu is %jx",
                   m->number, (uintmax_t)k, i, (uintmax_t)words(r, AREA_BACK + at)[i]);
    }
    return NULL;
}

static void test_threads(struct run *r)
{
    pthread_t threads[THREADS];
    struct mover movers[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        movers[i] = (struct mover){ r, i };
        expect(r, pthread_create(&threads[i], NULL, move, &movers[i]) == 0, "pthread_create");
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    meet(r);
    for (unsigned i = 0; i < THREADS; i++) {
        uint64_t last = *words(r, AREA_TARGET + i * 256u * KIB);
        expect(r, last >> 32 == ((uint64_t)left_of(r) << 16 | i),
               "thread %u wrote into another's area", i);
    }
}

/* A copied write of any length: its source is free at once, and all of it is there at the event. */
static void test_copied(struct run *r)
{
    static const size_t lengths[] = { 8, FABRIC_INLINE, FABRIC_INLINE + 8, 2 * FABRIC_INLINE,
                                      2 * FABRIC_INLINE + 808 };
    static char source[2 * FABRIC_INLINE + 808]; /* in no window */
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        struct fabric_event ev;
        const char *got = own(r, AREA_TARGET);
        fabric_rx_busy(r->f);
        memset(own(r, AREA_TARGET), 0, 4 * FABRIC_INLINE);
        memset(source, 1 + r->node + 16 * (int)i, sizeof source);
        meet(r);
        fabric_write_imm_copied(r->f, right_of(r), r->win.id, AREA_TARGET, source, lengths[i],
                                (uint32_t)i, true);
        memset(source, 0, sizeof source);
        while (fabric_rx_poll(r->f, &ev) == 0)
            sched_yield();
        expect(r, ev.from == left_of(r) && ev.imm == i, "event %u of node %d", ev.imm, ev.from);
        for (size_t at = 0; at < 4 * FABRIC_INLINE; at++)
            expect(r, got[at] == (char)(at < lengths[i] ? 1 + left_of(r) + 16 * (int)i : 0),
                   "write-order: byte %zu of %zu at the event", at, lengths[i]);
        meet(r);
    }
}

const struct test flight_tests[] = {
    { "long write, word", 0, 1, test_follow_word },
    { "long write, atomic", FABRIC_ATOMICS, 1, test_follow_atomic },
    { "long write, event", FABRIC_WRITE_IMM, 1, test_follow_event },
    { "long words", 0, 1, test_long_words },
    { "test", 0, 1, test_test },
    { "many atomics", FABRIC_ATOMICS | FABRIC_READ, 1, test_many_atomics },
    { "exchange", FABRIC_ATOMICS, 1, test_exchange },
    { "unasked", FABRIC_ATOMICS, 1, test_unasked },
    { "runs", 0, 1, test_runs },
    { "pieces", 0, 1, test_pieces },
    { "burst", 0, 1, test_burst },
    { "private", 0, 1, test_private },
    { "reads", FABRIC_READ, 1, test_reads },
    { "threads", 0, 1, test_threads },
    { "copied", FABRIC_WRITE_IMM, 1, test_copied },
    { NULL, 0, 0, NULL },
};
