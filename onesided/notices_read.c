/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * notices_read.c - write notices that are stored once, at their writer, and read from there
 * (--notices read).
 *
 * A flush writes only this node's memory, however many nodes there are. An acquirer reads the
 * notices that it lacks, from the writers whose entry of the vector time rose, from several at
 * once. No node is interrupted, and none waits for another.
 *
 * The writer has a ring of records, one per interval, and a table of the last interval of each
 * page. A second table has the last interval of each block of pages, and a word has the end of the
 * blocks that are in any interval. A record is a word { interval, runs }, then a word per run {
 * first page, pages }. Two words describe the ring, each by an interval and a position: `oldest`,
 * the first interval whose record is whole and the begin of that record; `last`, the last interval
 * and the end of its record. The table is the ring compacted to the latest interval of each page.
 * So no notice is lost with its record, and both are of fixed size.
 *
 *      reader's position                 oldest                             last
 *      not before oldest:    ... lost ...  | record | record | record | record |
 *      read the records; else the table, and continue at `last`
 *
 * Invariants (in brackets the rules of doc/design.md)
 *   [notices-read.record-first] (3) The table and the record of an interval are written before
 *       `last`, and all of them before the interval is in any vector time. So a node that has
 *       learnt of an interval finds it.
 *   [notices-read.oldest] (9) `oldest` is raised before a word of a dropped record is overwritten,
 *       and is read after the words of a record. If it has not passed the record, the words are the
 *       record's.
 *       - (9) A reader that lacks an interval before `oldest` reads `last` first and the table
 *         after it. The table then has every interval up to `last`, where the reader continues.
 *       - (9) An interval with more runs than POLICY_NOTICES_MOST allows gets no record: `oldest`
 *         becomes the next interval.
 *   - Notices of an interval may be applied before an acquire covers it, as
 *     [notices-log.never-late].
 */
#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "hlrc/core/engine.h"
#include "hlrc/memory/notices.h"
#include "hlrc/memory/page.h"
#include "hlrc/probe/probe.h"

#define CHUNK      NOTICE_CHUNK /* maximum of one read of a ring or a table */
#define AT_ONCE    NOTICE_SLOTS /* writers whose rings are read at once */
#define PLACE_BITS 16           /* leaves 2^48 intervals */
#define PLACE_MASK ((UINT64_C(1) << PLACE_BITS) - 1)
#define BLOCKS     ((engine.pages + NOTICE_BLOCK - 1) / NOTICE_BLOCK)

static_assert(NOTICE_RING <= PLACE_MASK, "a ring slot, or the runs of a record");
static_assert(CHUNK % NOTICE_BLOCK == 0, "blocks of the table are read whole");

/* An interval with a position in the ring, or with a number of runs. */
static uint64_t notices_read_word_of(uint64_t interval, uint64_t place)
{
    return interval << PLACE_BITS | place;
}

static uint64_t notices_read_interval_of(uint64_t word)
{
    return word >> PLACE_BITS;
}

static uint32_t notices_read_place_of(uint64_t word)
{
    return (uint32_t)(word & PLACE_MASK);
}

static uint32_t notices_read_advance(uint32_t place, uint64_t words)
{
    return (uint32_t)((place + words) % NOTICE_RING);
}

static size_t notices_read_ring_at(uint32_t place)
{
    return engine.at.notice_ring + (size_t)place * 8;
}

static size_t notices_read_oldest_at(void)
{
    return engine.at.notice_ends;
}

static size_t notices_read_last_at(void)
{
    return engine.at.notice_ends + 8;
}

/* A part of the table: the highest block in it, plus 1. */
static size_t notices_read_blocks_end_at(void)
{
    return engine.at.notice_ends + 16;
}

static size_t notices_read_page_entry_at(uint32_t page)
{
    return engine.at.notice_pages + (size_t)page * 8;
}

static size_t notices_read_block_entry_at(uint32_t block)
{
    return engine.at.notice_blocks + (size_t)block * 8;
}

static void notices_read_store(size_t at, uint64_t value)
{
    atomic_store_explicit((_Atomic uint64_t *)engine_control_at(at), value, memory_order_relaxed);
}

/* ---- writing: only by flushes, which are serialised [interval.covers-dirty] ---- */

static struct {
    uint64_t oldest, last; /* copies of the words in the window */
    uint32_t used;         /* words of the ring between them */
    uint32_t blocks_end;   /* copy of the word in the window */
} mine;

/* Reading side, per writer: how far its notices have been applied. */
static struct notices_read_reader {
    uint64_t seen;  /* the last interval whose notices were all applied */
    uint32_t place; /* position of the next word in its ring */
    /* runs of the interval after `seen` still to apply; 0: its record was not read */
    uint32_t left;
} readers[NODES_MAX];

static int notices_read_init(void)
{
    memset(readers, 0, sizeof readers);
    mine.oldest = notices_read_word_of(1, 0);
    mine.last = notices_read_word_of(0, 0);
    mine.used = mine.blocks_end = 0;
    notices_read_store(notices_read_oldest_at(), mine.oldest);
    notices_read_store(notices_read_last_at(), mine.last);
    notices_read_store(notices_read_blocks_end_at(), 0);
    return 0;
}

static void notices_read_end(void)
{
}

static void notices_read_enter_in_table(uint64_t interval, const uint32_t *pages, uint32_t count)
{
    uint32_t block = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++) {
        notices_read_store(notices_read_page_entry_at(pages[i]), interval);
        if (pages[i] / NOTICE_BLOCK == block)
            continue;
        block = pages[i] / NOTICE_BLOCK;
        notices_read_store(notices_read_block_entry_at(block), interval);
        mine.blocks_end = block < mine.blocks_end ? mine.blocks_end : block + 1;
    }
    notices_read_store(notices_read_blocks_end_at(), mine.blocks_end);
}

/* [notices-read.oldest] */
static void notices_read_raise_oldest(uint64_t word)
{
    mine.oldest = word;
    notices_read_store(notices_read_oldest_at(), word);
    atomic_thread_fence(memory_order_release); /* before the writes that follow */
    PROBE(notice_room);
}

/* [notices-read.oldest]: drops the oldest records until the ring has room for `words` words. */
static void notices_read_make_room(uint64_t words)
{
    uint64_t oldest = mine.oldest;
    while (NOTICE_RING - mine.used < words) {
        const uint64_t *head =
            engine_control_at(notices_read_ring_at(notices_read_place_of(oldest)));
        uint32_t length = 1 + notices_read_place_of(*head);
        debug_assert(notices_read_interval_of(*head) == notices_read_interval_of(oldest));
        oldest = notices_read_word_of(notices_read_interval_of(oldest) + 1,
                                      notices_read_advance(notices_read_place_of(oldest), length));
        mine.used -= length;
    }
    if (oldest != mine.oldest)
        notices_read_raise_oldest(oldest);
}

/* Writes the record of an interval at `last`. Returns its end. */
static uint32_t notices_read_write_record(uint64_t interval, const uint32_t *pages, uint32_t count,
                                          uint32_t runs)
{
    uint32_t place = notices_read_place_of(mine.last);
    notices_read_store(notices_read_ring_at(place), notices_read_word_of(interval, runs));
    for (uint32_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && pages[next] == pages[next - 1] + 1;)
            next++;
        place = notices_read_advance(place, 1);
        notices_read_store(notices_read_ring_at(place), (uint64_t)pages[i] << 32 | (next - i));
    }
    return notices_read_advance(place, 1);
}

static void notices_read_publish(uint64_t interval, const uint32_t *pages, uint32_t count)
{
    uint32_t runs = policy_notices_runs(pages, count), place = notices_read_place_of(mine.last);
    debug_assert(interval == notices_read_interval_of(mine.last) + 1);
    notices_read_enter_in_table(interval, pages, count);
    PROBE(notice_tabled);
    if (!policy_notices_recorded(runs)) { /* [notices-read.oldest] */
        notices_read_raise_oldest(notices_read_word_of(interval + 1, place));
        mine.used = 0;
    } else {
        notices_read_make_room(runs + 1);
        place = notices_read_write_record(interval, pages, count, runs);
        mine.used += runs + 1;
    }
    PROBE(notice_written);
    mine.last = notices_read_word_of(interval, place);
    /* [notices-read.record-first] */
    atomic_store_explicit((_Atomic uint64_t *)engine_control_at(notices_read_last_at()), mine.last,
                          memory_order_release);
}

/* ---- reading: one thread at a time [interval.pages-first] ---- */

/* Destination of reads of one writer: CHUNK words, then `oldest`. */
static uint64_t *notices_read_slot_mem(int k)
{
    return engine_control_at(engine.at.notice_slots + (size_t)k * NOTICE_SLOT_BYTES);
}

static void notices_read_words(int writer, size_t at, uint64_t *to, uint32_t words,
                               struct fabric_op *op)
{
    fabric_read(engine.fabric, writer, engine.control.id, at, to, (size_t)words * 8, op);
}

static void notices_read_now(int writer, size_t at, uint64_t *to, uint32_t words)
{
    struct fabric_op op = FABRIC_OP_INIT;
    notices_read_words(writer, at, to, words, &op);
    fabric_wait(engine.fabric, &op);
}

/* Applies the notices of `count` consecutive pages from entries of the table, also of an interval
 * that is being published [notices-log.never-late]. */
static void notices_read_apply_entries(int writer, uint32_t page, const uint64_t *entry,
                                       uint32_t count)
{
    for (uint32_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && entry[next] == entry[i];)
            next++;
        if (entry[i] > readers[writer].seen)
            notices_apply(page + i, next - i, writer, entry[i]);
    }
}

/* Applies the entries of some blocks that fit in the slot. */
static void notices_read_take_blocks(int writer, uint32_t first, uint32_t count)
{
    uint64_t *entries = notices_read_slot_mem(0);
    uint32_t page = first * NOTICE_BLOCK, pages = count * NOTICE_BLOCK;
    if (pages > engine.pages - page)
        pages = engine.pages - page;
    notices_read_now(writer, notices_read_page_entry_at(page), entries, pages);
    notices_read_apply_entries(writer, page, entries, pages);
}

/* [notices-read.oldest] */
static void notices_read_take_table(int writer)
{
    struct notices_read_reader *r = &readers[writer];
    uint64_t *blocks = notices_read_slot_mem(1), last;
    notices_read_now(writer, notices_read_last_at(), blocks, 1);
    last = blocks[0];
    PROBE(notice_lost);
    notices_read_now(writer, notices_read_blocks_end_at(), blocks, 1);
    uint32_t end = blocks[0] < BLOCKS ? (uint32_t)blocks[0] : BLOCKS;
    for (uint32_t first = 0; first < end; first += CHUNK) {
        uint32_t count = end - first < CHUNK ? end - first : CHUNK;
        notices_read_now(writer, notices_read_block_entry_at(first), blocks, count);
        for (uint32_t i = 0, run; i < count; i += run ? run : 1) {
            run = 0;
            while (i + run < count && run < CHUNK / NOTICE_BLOCK && blocks[i + run] > r->seen)
                run++;
            if (run)
                notices_read_take_blocks(writer, first + i, run);
        }
    }
    *r = (struct notices_read_reader){ .seen = notices_read_interval_of(last),
                                       .place = notices_read_place_of(last) };
    PROBE(log_overflowed);
}

/* Number of words to read of a ring, at most up to its end. */
static uint32_t notices_read_words_wanted(const struct notices_read_reader *r, bool again)
{
    return policy_notices_words(r->place, again);
}

/* Applies the words read of a ring until the wanted interval is covered. */
static void notices_read_apply_words(const struct parts_notices_wanted *want, const uint64_t *word,
                                     uint32_t words)
{
    struct notices_read_reader *r = &readers[want->writer];
    for (uint32_t i = 0; i < words && r->seen < want->interval; i++) {
        r->place = notices_read_advance(r->place, 1);
        if (r->left == 0) {
            debug_assert(notices_read_interval_of(word[i]) == r->seen + 1);
            r->left = notices_read_place_of(word[i]);
            r->seen += r->left == 0; /* [interval.own-time]: an interval without pages */
            continue;
        }
        notices_apply((uint32_t)(word[i] >> 32), (uint32_t)word[i], want->writer, r->seen + 1);
        if (--r->left == 0)
            r->seen++;
    }
}

/* Reads each ring once whose `words` is not 0, all at once. */
static void notices_read_rings(const struct parts_notices_wanted *want, const uint32_t *words,
                               int count)
{
    struct fabric_op op = FABRIC_OP_INIT;
    bool ordered = engine.fabric->caps & FABRIC_READ_ORDERED;
    for (int k = 0; k < count; k++) {
        if (words[k] == 0)
            continue;
        notices_read_words(want[k].writer, notices_read_ring_at(readers[want[k].writer].place),
                           notices_read_slot_mem(k), words[k], &op);
        if (ordered)
            notices_read_words(want[k].writer, notices_read_oldest_at(),
                               notices_read_slot_mem(k) + CHUNK, 1, &op);
    }
    fabric_wait(engine.fabric, &op);
    PROBE(notice_read);
    for (int k = 0; k < count && !ordered; k++)
        if (words[k])
            notices_read_words(want[k].writer, notices_read_oldest_at(),
                               notices_read_slot_mem(k) + CHUNK, 1, &op);
    fabric_wait(engine.fabric, &op);
}

/* Takes the notices of up to AT_ONCE writers. */
static void notices_read_take_some(const struct parts_notices_wanted *want, int count)
{
    uint32_t words[AT_ONCE];
    for (bool again = false;; again = true) {
        uint32_t all = 0;
        for (int k = 0; k < count; k++) {
            const struct notices_read_reader *r = &readers[want[k].writer];
            words[k] = r->seen < want[k].interval ? notices_read_words_wanted(r, again) : 0;
            all += words[k];
        }
        if (all == 0)
            return;
        notices_read_rings(want, words, count);
        for (int k = 0; k < count; k++) {
            uint64_t oldest = notices_read_interval_of(notices_read_slot_mem(k)[CHUNK]);
            if (words[k] && oldest <= readers[want[k].writer].seen + 1) /* [notices-read.oldest] */
                notices_read_apply_words(&want[k], notices_read_slot_mem(k), words[k]);
            else if (words[k])
                words[k] = UINT32_MAX;
        }
        for (int k = 0; k < count; k++)
            if (words[k] == UINT32_MAX)
                notices_read_take_table(want[k].writer); /* needs the slots */
        PROBE(acquire_noticed);
    }
}

static void notices_read_take(const struct parts_notices_wanted *want, int count)
{
    for (int i = 0; i < count; i += AT_ONCE)
        notices_read_take_some(want + i, count - i < AT_ONCE ? count - i : AT_ONCE);
}

const struct parts_notice notices_by_read = {
    .caps = FABRIC_READ,
    .read = true,
    .init = notices_read_init,
    .end = notices_read_end,
    .publish = notices_read_publish,
    .take = notices_read_take,
};
