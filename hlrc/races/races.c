/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* races.c - see races.h for the invariants. */
#include "hlrc/races/races.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "base/futex.h"
#include "base/reserve.h"
#include "base/spin.h"
#include "hlrc/core/engine.h"
#include "hlrc/memory/diff.h"
#include "hlrc/progress/thread.h"

#define RECORDS_OF_PAGE 8 /* maximum before some are dropped */
#define RECORDS         (4 * (size_t)engine.pages + (1u << 16))
#define KEYS            (1u << 16) /* remembered triples of a page and two nodes */
/* races that wait for a report; further ones are only counted */
#define QUEUE 64

/* The bytes of a page that one interval of a node changed (or read) and that no later one of it
 * did. Index 0 is none. The records of a page, and the free ones, are lists by `next`, the newest
 * first. */
struct races_record {
    uint64_t interval;
    struct first_write first;
    uint32_t next;
    int16_t writer; /* or reader */
    bool reads;
    uint64_t mask[DIFF_MASK_WORDS];
};

static spin_lock_word lock; /* guards all except the queue's futex word */
static uint32_t *heads;     /* per page: its first record */
static struct races_record *records;
static uint32_t used, unused; /* records taken so far; head of the free list */
static uint64_t *keys;
static struct races_race *queue;
static uint32_t queued, taken;
static _Atomic uint32_t changes; /* futex word: raised after a change that races_take waits for */
static _Atomic bool stopping;
static _Atomic uint64_t found;
static uint64_t *times; /* per writer; accessed by the holder of the progress lock */
static uint64_t *sent;  /* per home; accessed by flushes */
static uint64_t *met;   /* vector times of the last two meetings of all nodes */

uint64_t (*races_code)(uint64_t code);

/* X(table, bytes) */
#define RACES_TABLES(X)                                    \
    X(heads, (size_t)engine.pages * sizeof *heads)         \
    X(records, (size_t)RECORDS * sizeof *records)          \
    X(keys, (size_t)KEYS * sizeof *keys)                   \
    X(queue, (size_t)QUEUE * sizeof *queue)                \
    X(times, (size_t)engine.nodes *VT_BYTES(engine.nodes)) \
    X(sent, (size_t)engine.nodes *VT_BYTES(engine.nodes))  \
    X(met, 2 * VT_BYTES(engine.nodes))

int races_init(void)
{
    if (!first_write_races_checked())
        return 0;
    bool all = true RACES_TABLES(RESERVE_TABLE);
    used = unused = queued = taken = 0;
    atomic_store(&found, 0);
    atomic_store(&stopping, false);
    return all ? 0 : -ENOMEM;
}

void races_end(void){ RACES_TABLES(RESERVE_TABLE_END) }

uint64_t *races_time_of(int writer)
{
    return times + (size_t)writer * (size_t)engine.nodes;
}

uint64_t *races_time_sent(int home)
{
    return sent + (size_t)home * (size_t)engine.nodes;
}

/* ---- reports ---- */

static void races_announce(void)
{
    atomic_fetch_add(&changes, 1);
    futex_wake(&changes, 1);
}

/* True if the page and nodes are new. False if the table is full. */
static bool races_is_new(uint32_t page, int a, int b)
{
    uint64_t low = (uint64_t)(a < b ? a : b), high = (uint64_t)(a < b ? b : a);
    uint64_t key = ((uint64_t)page << 22 | low << 11 | high) + 1;
    uint64_t at = key * UINT64_C(0x9e3779b97f4a7c15) >> 48;
    for (uint32_t i = 0; i < KEYS; i++) {
        uint64_t *slot = &keys[(at + i) % KEYS];
        if (*slot == key)
            return false;
        if (*slot != 0)
            continue;
        *slot = key;
        return true;
    }
    return false;
}

static struct races_side races_side_of(const struct races_record *r)
{
    return (struct races_side){ r->writer, r->reads, r->interval, r->first };
}

static uint32_t races_first_run(const uint64_t *a, const uint64_t *b, uint32_t *bytes);

/* ASSUMPTION: the lock is held. */
static void races_report(uint32_t page, const struct races_record *earlier,
                         const struct races_record *later)
{
    if (!races_is_new(page, earlier->writer, later->writer))
        return;
    atomic_fetch_add(&found, 1);
    if (queued - taken == QUEUE)
        return;
    struct races_race *race = &queue[queued++ % QUEUE];
    *race = (struct races_race){ .page = page,
                                 .earlier = races_side_of(earlier),
                                 .later = races_side_of(later) };
    race->byte = races_first_run(earlier->mask, later->mask, &race->bytes);
    races_announce();
}

uint64_t races_found(void)
{
    return atomic_load(&found);
}

static bool races_take_next(struct races_race *out)
{
    spin_lock(&lock);
    bool any = taken != queued;
    if (any)
        *out = queue[taken++ % QUEUE];
    spin_unlock(&lock);
    return any;
}

bool races_take(struct races_race *out)
{
    for (;;) {
        uint32_t seen = atomic_load(&changes); /* before the tests */
        bool last_look = atomic_load(&stopping);
        if (races_take_next(out))
            return true;
        if (last_look)
            return false;
        futex_wait(&changes, seen, -1);
    }
}

void races_stop(void)
{
    atomic_store(&stopping, true);
    races_announce();
}

/* ---- comparing; the lock is held ---- */

static uint32_t races_record_take(void)
{
    uint32_t r = unused;
    if (r)
        unused = records[r].next;
    else if (used + 1 < RECORDS)
        r = ++used;
    return r;
}

/* Removes the record that *link names from its list. */
static void races_record_drop(uint32_t *link)
{
    uint32_t r = *link;
    *link = records[r].next;
    records[r].next = unused;
    unused = r;
}

static bool races_is_ordered(const struct races_record *earlier, int writer, const uint64_t *time)
{
    return earlier->writer == writer || time[earlier->writer] >= earlier->interval;
}

/* The first run of bytes that are set in both. */
static uint32_t races_first_run(const uint64_t *a, const uint64_t *b, uint32_t *bytes)
{
    uint32_t at = 0;
    while (!(a[at / 64] & b[at / 64]))
        at += 64;
    at += (uint32_t)__builtin_ctzll(a[at / 64] & b[at / 64]);
    uint32_t end = at;
    while (end < DIFF_PAGE && ((a[end / 64] & b[end / 64]) >> end % 64 & 1))
        end++;
    *bytes = end - at;
    return at;
}

/* Every machine has registers of this size. The compiler would split wider ones in memory. */
typedef uint64_t wide __attribute__((vector_size(16), aligned(8), may_alias));
#define WIDES (DIFF_MASK_WORDS / 2)

static bool races_any_of(const wide *bits)
{
    return ((*bits)[0] | (*bits)[1]) != 0;
}

static bool races_meet(const uint64_t *a, const uint64_t *b)
{
    const wide *x = (const wide *)a, *y = (const wide *)b;
    wide any = x[0] & y[0];
    for (unsigned w = 1; w < WIDES; w++)
        any |= x[w] & y[w];
    return races_any_of(&any);
}

/* Removes the bytes of b from a. True if some are left. */
static bool races_without(uint64_t *a, const uint64_t *b)
{
    wide *x = (wide *)a, any = { 0 };
    const wide *y = (const wide *)b;
    for (unsigned w = 0; w < WIDES; w++)
        any |= x[w] &= ~y[w];
    return races_any_of(&any);
}

static void races_add(uint64_t *a, const uint64_t *b)
{
    wide *x = (wide *)a;
    const wide *y = (const wide *)b;
    for (unsigned w = 0; w < WIDES; w++)
        x[w] |= y[w];
}

void races_met(const uint64_t *time)
{
    spin_lock(&lock);
    memcpy(met + engine.nodes, met, VT_BYTES(engine.nodes));
    memcpy(met, time, VT_BYTES(engine.nodes));
    spin_unlock(&lock);
}

/* With one test for all nodes: the cheap half of races_is_past. */
static bool races_is_behind_meetings(const struct races_record *r)
{
    return met[engine.nodes + r->writer] >= r->interval;
}

/* Every diff that may arrive is ordered after it. This node knows the time of the last meeting. */
static bool races_is_past(const struct races_record *r)
{
    bool past = races_is_behind_meetings(r);
    for (int n = 0; n < engine.nodes && !past; n++) {
        const uint64_t *time = n == engine.node ? met : races_time_of(n);
        if (n != r->writer && time[r->writer] < r->interval)
            return false;
    }
    return true;
}

/* Merges the two oldest of one node, whose records are in the order of their intervals. */
static void races_join_oldest(uint32_t page)
{
    uint32_t *seen[2][NODES_MAX] = { 0 }, *last = NULL, *before = NULL;
    for (uint32_t *link = &heads[page]; *link; link = &records[*link].next) {
        uint32_t **of = &seen[records[*link].reads][records[*link].writer];
        if (*of) {
            before = *of;
            last = link;
        }
        *of = link;
    }
    if (!last)
        return;
    races_add(records[*last].mask, records[*before].mask);
    races_record_drop(before);
}

static void races_shorten(uint32_t page, uint32_t count)
{
    for (uint32_t *link = &heads[page]; *link && count >= RECORDS_OF_PAGE;)
        if (races_is_past(&records[*link])) {
            races_record_drop(link);
            count--;
        } else {
            link = &records[*link].next;
        }
    if (count >= RECORDS_OF_PAGE)
        races_join_oldest(page);
}

/* Diffs of a flush arrive by ascending pages. */
static void races_prefetch_records(uint32_t page)
{
    const char *at = page < engine.pages ? (const char *)&records[heads[page]] : NULL;
    for (size_t i = 0; at && i < sizeof *records; i += 64)
        __builtin_prefetch(at + i);
}

/* A diff, or a set of reads, to compare. */
struct races_written {
    uint32_t page;
    int writer;
    bool reads;
    uint64_t interval;
    const uint64_t *time, *mask;
    struct first_write first;
};

static bool races_is_same(const struct races_record *r, const struct races_written *w)
{
    return r->writer == w->writer && r->interval == w->interval && r->reads == w->reads;
}

/* [races.last-writers]: compares r with it. True if r keeps some bytes. */
static bool races_outlives(struct races_record *r, const struct races_written *w)
{
    bool one_writes = !r->reads || !w->reads;
    if (races_is_same(r, w))
        return true;
    if (one_writes && !races_is_ordered(r, w->writer, w->time) && races_meet(r->mask, w->mask)) {
        struct races_record new = { w->interval, w->first, 0, (int16_t)w->writer, w->reads, { 0 } };
        memcpy(new.mask, w->mask, sizeof new.mask);
        races_report(w->page, r, &new);
    }
    if (w->reads && !(r->reads && r->writer == w->writer))
        return true;
    return races_without(r->mask, w->mask);
}

/* [races.last-writers]: compares all records of the page. Returns the record of the same interval,
 * or NULL, and the number of records left. */
static struct races_record *races_compare_all(const struct races_written *w, uint32_t *count)
{
    struct races_record *same = NULL;
    *count = 0;
    for (uint32_t *link = &heads[w->page]; *link;) {
        struct races_record *r = &records[*link];
        if (races_is_behind_meetings(r) || !races_outlives(r, w)) {
            races_record_drop(link);
            continue;
        }
        if (races_is_same(r, w))
            same = r;
        ++*count;
        link = &r->next;
    }
    return same;
}

static void races_note_written(const struct races_written *w)
{
    uint32_t count, r;
    struct races_record *same = races_compare_all(w, &count);
    if (same) {
        races_add(same->mask, w->mask);
        return;
    }
    if (count >= RECORDS_OF_PAGE)
        races_shorten(w->page, count);
    if (!(r = races_record_take()))
        return;
    struct races_record *new = &records[r];
    new->interval = w->interval;
    new->first = w->first;
    new->writer = (int16_t)w->writer;
    new->reads = w->reads;
    new->next = heads[w->page];
    memcpy(new->mask, w->mask, sizeof new->mask);
    heads[w->page] = r;
}

static void races_note_locked(const struct races_written *w)
{
    spin_lock(&lock);
    races_note_written(w);
    races_prefetch_records(w->page + 1);
    spin_unlock(&lock);
}

void races_note(uint32_t page, int writer, uint64_t interval, const uint64_t *time,
                struct first_write first, const uint64_t *mask)
{
    races_note_locked(&(struct races_written){ page, writer, false, interval, time, mask, first });
}

void races_note_own(uint32_t page, uint64_t interval, const uint64_t *time, const uint64_t *mask)
{
    struct first_write first = first_write_of(page);
    first.code = races_code(first.code);
    races_note(page, engine.node, interval, time, first, mask);
}

void races_note_reads(int reader, uint64_t interval, const uint64_t *time,
                      const struct reads_set *set)
{
    races_note_locked(
        &(struct races_written){ set->page, reader, true, interval, time, set->mask, set->first });
}

void races_note_own_reads(uint64_t interval, const uint64_t *time, const struct reads_set *set)
{
    struct reads_set own = *set;
    own.first.code = races_code(own.first.code);
    races_note_reads(engine.node, interval, time, &own);
}
