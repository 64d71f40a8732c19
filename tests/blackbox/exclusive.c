/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Black box: a home page that no other node has read costs two faults, and then no fault, no twin
 * and no notice, however often its home writes it (exclusive.h); from the interval on in which
 * somebody reads it, it is announced again, but once if it is not written any more
 * [unshared.new-readers]; what is written once is announced once. With ASYNC a default home opens a
 * block of its pages by one fault [page.unshared-block].
 */
#include "tests/litmus/litmus.h"

#include <stdlib.h>

LITMUS("exclusive pages", 2, 3)

#define PAGES  64u /* at each home */
#define ROUNDS 10u
#define READ   8u /* pages that are read, of them */

static volatile uint64_t *data; /* node n's pages begin at page n * PAGES */

static volatile uint64_t *word(int home, uint64_t page, uint64_t at)
{
    return data + ((uint64_t)home * PAGES + page) * PAGE_WORDS + at;
}

/* Each node is the home of its pages; also with ASYNC, whose default homes else write without a
 * fault until somebody asks. */
static volatile uint64_t *placed(volatile uint64_t *pages)
{
    if (me == 0)
        for (int n = 0; n < nodes; n++)
            place(pages + (uint64_t)n * PAGES * PAGE_WORDS, PAGES * PAGE, n);
    hlrc_barrier();
    return pages;
}

static void write_own(uint64_t k)
{
    for (uint64_t p = 0; p < PAGES; p++)
        *word(me, p, 0) = k * PAGES + p;
}

static void read_of(int home, uint64_t first, uint64_t count, uint64_t k)
{
    for (uint64_t p = first; p < first + count; p++)
        expect_word(*word(home, p, 0), k * PAGES + p, "page %ju of node %d in round %ju",
                    (uintmax_t)p, home, (uintmax_t)k);
}

static void expect_round(const struct hlrc_stats *before, uint64_t k, uint64_t faults,
                         uint64_t notices, uint64_t exclusive)
{
    struct hlrc_stats after = stats();
    expect_word(after.write_faults - before->write_faults, faults, "write faults in round %ju",
                (uintmax_t)k);
    expect_word(after.write_notices - before->write_notices, notices,
                "pages announced in round %ju", (uintmax_t)k);
    expect_word(after.exclusive_pages - before->exclusive_pages, exclusive,
                "pages that leave tracking in round %ju", (uintmax_t)k);
    expect_word(after.twins, before->twins, "twins");
}

/* Each node writes its own pages. */
static void written_alone(void)
{
    for (uint64_t k = 1; k <= ROUNDS; k++) {
        struct hlrc_stats before = stats();
        write_own(k);
        hlrc_lock((hlrc_lock_t)(10 + me));
        hlrc_unlock((hlrc_lock_t)(10 + me));
        hlrc_barrier();
        expect_round(&before, k, k <= 2 ? PAGES : 0, k == 1 ? PAGES : 0, k == 2 ? PAGES : 0);
        hlrc_barrier();
    }
}

/* The next node reads some pages, and they alone are tracked from then on: announced in the
 * interval in which it came, and whenever they are written. */
static void read_by_one(void)
{
    int next = (me + 1) % nodes;
    read_of(next, 0, READ, ROUNDS);
    hlrc_barrier();
    hlrc_barrier(); /* announced by now, though they were not written: nobody could know */
    struct hlrc_stats announced = stats();
    for (int k = 0; k < 4; k++) {
        read_of(next, 0, READ, ROUNDS);
        hlrc_barrier();
    }
    struct hlrc_stats read = stats();
    expect_word(read.write_notices, announced.write_notices,
                "announced again [unshared.new-readers]");
    expect_word(read.page_fetches - announced.page_fetches, READ,
                "page fetches [unshared.new-readers]");
    for (uint64_t k = ROUNDS + 1; k <= ROUNDS + 4; k++) {
        struct hlrc_stats before = stats();
        write_own(k);
        hlrc_barrier();
        struct hlrc_stats after = stats();
        expect_word(after.write_notices - before.write_notices, READ,
                    "pages announced in round %ju", (uintmax_t)k);
        expect_word(after.exclusive_pages, before.exclusive_pages, "pages that leave tracking");
        read_of(next, 0, READ, k);
        hlrc_barrier();
    }
    for (int home = 0; home < nodes; home++)
        read_of(home, 0, PAGES, ROUNDS + 4);
    hlrc_barrier();
}

/* What is written once and read by all is brought to each of them once. */
static void written_once(void)
{
    for (int k = 0; k < 20; k++)
        /* pages that stayed writable rest: until then they are announced [page.equal-twin] */
        hlrc_barrier();
    data = placed(shared_words(PAGES * PAGE_WORDS * (uint64_t)nodes));
    write_own(1);
    hlrc_barrier();
    struct hlrc_stats before = stats();
    for (int k = 0; k < 3; k++) {
        for (int home = 0; home < nodes; home++)
            read_of(home, 0, PAGES, 1);
        hlrc_barrier();
    }
    struct hlrc_stats after = stats();
    expect_word(after.page_fetches - before.page_fetches, (uint64_t)(nodes - 1) * PAGES,
                "page fetches of what was written once");
    expect_word(after.write_notices, before.write_notices, "announced, and not written");
}

/* Memory that is given back has no readers, and its pages leave tracking again. */
static void given_back(void)
{
    for (int n = 0; n < 3; n++) {
        data = hlrc_malloc_all(PAGES * PAGE * (size_t)nodes);
        expect(data, "hlrc_malloc_all");
        placed(data);
        struct hlrc_stats before = stats();
        for (uint64_t k = 1; k <= 4; k++) {
            write_own(k);
            hlrc_barrier();
        }
        struct hlrc_stats after = stats();
        expect_word(after.exclusive_pages - before.exclusive_pages, PAGES,
                    "pages that leave tracking, of new memory");
        for (int home = 0; home < nodes; home++)
            read_of(home, 0, PAGES, 4);
        hlrc_barrier();
        hlrc_free_all((void *)(uintptr_t)data);
    }
}

/* Of these pages some have their default home here, and the others appoint this node their home at
 * a fault each. Blocks have 32 pages, and some are cut. */
static void default_homes(void)
{
    enum { FRESH = 512, OF_BLOCK = 16 };
    volatile uint64_t *pages = shared_words(FRESH * PAGE_WORDS);
    struct hlrc_stats before = stats();
    for (uint64_t p = 0; p < FRESH && me == 0; p++)
        pages[p * PAGE_WORDS] = p;
    struct hlrc_stats after = stats();
    uint64_t others = after.homes_assigned - before.homes_assigned, own = FRESH - others;
    uint64_t faults = after.write_faults - before.write_faults;
    expect(me != 0 || !async || (others > 0 && own > 0 && faults > others), "homes of %ju pages",
           (uintmax_t)others);
    expect(me != 0 || !async || (faults - others) * OF_BLOCK <= own,
           "%ju faults for %ju pages of this node's own", (uintmax_t)(faults - others),
           (uintmax_t)own);
    hlrc_barrier();
}

/* What another node has written amid such a block is not opened with the pages around it. */
static void amid_a_block(void)
{
    enum { FRESH = 128 };
    volatile uint64_t *pages = shared_words(FRESH * PAGE_WORDS);
    for (uint64_t p = 1; p < FRESH && me == 1; p += 2)
        pages[p * PAGE_WORDS] = p;
    hlrc_barrier();
    for (uint64_t p = 0; p < FRESH && me == 0; p++) {
        if (p % 2 == 0)
            pages[p * PAGE_WORDS] = p;
        expect_word(pages[p * PAGE_WORDS], p, "page %ju of others amid own ones", (uintmax_t)p);
    }
    hlrc_barrier();
}

/* The home of a page that has left tracking is told by a lock of what another node has written to
 * it, and closes no interval since that one came: its next access waits for the diff
 * [page.open-not-stale]. */
static void told_of(void)
{
    enum { LOCK = 30 };
    volatile uint64_t *own = shared_words(PAGES * PAGE_WORDS);
    hlrc_atomic_t written = shared_atomic(), read = shared_atomic();
    if (me == 0)
        place(own, PAGES * PAGE, 0);
    for (uint64_t k = 0; k < 2; k++) {
        hlrc_barrier();
        for (uint64_t p = 0; p < PAGES && me == 0; p++)
            own[p * PAGE_WORDS] = k + 1;
    }
    hlrc_barrier();
    for (uint64_t p = 0; p < PAGES && me < 2; p++) {
        await_atomic(me == 0 ? written : read, me == 0 ? p + 1 : p);
        hlrc_lock(LOCK);
        if (me == 0)
            expect_word(own[p * PAGE_WORDS + 1], p + 1, "page %ju, by another node", (uintmax_t)p);
        else
            own[p * PAGE_WORDS + 1] = p + 1;
        hlrc_unlock(LOCK);
        hlrc_atomic_exchange(me == 0 ? read : written, p + 1);
    }
    hlrc_barrier();
}

/* So that each page faults for itself. */
LITMUS_SET(AHEAD, "0")

void litmus_run(void)
{
    data = placed(shared_words(PAGES * PAGE_WORDS * (uint64_t)nodes));
    written_alone();
    read_by_one();
    written_once();
    given_back();
    default_homes();
    amid_a_block();
    told_of();
}
