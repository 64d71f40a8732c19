/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ASYNC's handler at a home: requests that wait for diffs, without a network. This is node 0, home
 * of all pages; the requests of five other nodes lie in an array. [pages-async.parked] is an
 * invariant of [unshared.reader-mark].
 */
#include "hlrc/core/engine.h"
#include "hlrc/core/protocol.h"
#include "hlrc/layout.h"
#include "hlrc/memory/page.h"
#include "hlrc/progress/msg.h"
#include "tests/unit/rng.h"
#include "tests/unit/unit.h"

#include <string.h>
#include <sys/mman.h>

#define NODES         6
#define TOKENS        32u
#define PAGES         7u /* of the space; 0 and 6, whose default home is node 0, are left out */
#define PREFETCH_FLAG 1u
#define REFUSED       2

static struct slot {
    uint64_t words[sizeof(struct request) / sizeof(uint64_t) + NODES]; /* the request */
    unsigned written, answered; /* how often the page was written for it, and it was answered */
    int64_t status;
    bool waits;
} slots[NODES][TOKENS];

static struct request *request_of(struct slot *s)
{
    return (struct request *)(void *)s->words;
}

/* ---- what lies beside ---- */

static bool covered(const struct request *req)
{
    for (int w = 0; w < NODES; w++)
        if (atomic_load(engine_applied_here(req->object, w)) < req->vec[w])
            return false;
    return true;
}

/* The word says which request it answers, what became of it (0: the page is there, or REFUSED), and
 * home + 1. */
static void write_word(struct fabric *f, int peer, int win, size_t off, const void *src, size_t len,
                       struct fabric_op *op)
{
    struct slot *s = &slots[peer][(off - engine.at.answers) / 8];
    uint64_t word;

    (void)f, (void)win, (void)op;
    assert_int_equal(len, sizeof word);
    memcpy(&word, src, sizeof word);
    assert_int_equal(word >> 32, request_of(s)->arg[1]);
    assert_int_equal(word & 0xffff, 1);
    s->answered++;
    s->status = word >> 16 & 0xffff;
    assert_int_equal(s->written, s->status == 0); /* behind the page */
}

static bool has_reader[PAGES]; /* [unshared.reader-mark] */

/* The offset that a request names tells whose it is. */
static void write_any(struct fabric *f, int peer, int win, size_t off, const void *src, size_t len,
                      struct fabric_op *op)
{
    if (len == sizeof(uint64_t) && !(f->caps & FABRIC_SEES_SLEEPERS)) { /* a word without a wake */
        write_word(f, peer, win, off, src, len, op);
        return;
    }
    struct slot *s = &slots[peer][off / PAGE_SIZE];
    assert_int_equal(len, PAGE_SIZE);
    assert_ptr_equal(src, engine_page_mem(request_of(s)->object));
    assert_true(covered(request_of(s)));
    assert_true(has_reader[request_of(s)->object]);
    s->written++;
}

struct request *__wrap_msg_slot(int from, uint32_t token);
void __wrap_page_set_home(uint32_t page, int home);
void __wrap_exclusive_reader(uint32_t page);

struct request *__wrap_msg_slot(int from, uint32_t token)
{
    return request_of(&slots[from][token]);
}

void __wrap_page_set_home(uint32_t page, int home)
{
    assert_true(page < PAGES);
    assert_int_equal(home, 0);
}

void __wrap_exclusive_reader(uint32_t page)
{
    assert_true(page < PAGES);
    has_reader[page] = true;
}

static struct fabric fabric;

static void begin(void)
{
    static char pages[PAGES * PAGE_SIZE];

    fabric.caps = FABRIC_SEES_SLEEPERS;
    fabric.ops.write = write_any;
    fabric.ops.write_wake = write_word;
    engine = (struct engine){
        .nodes = NODES, .pages = PAGES, .tokens = TOKENS, .fabric = &fabric, .mem = pages
    };
    layout_init(&engine.at, NODES, PAGES, TOKENS, 0);
    engine.control.base = mmap(NULL, engine.at.end, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(engine.control.base != MAP_FAILED);
    memset(slots, 0, sizeof slots);
    memset(has_reader, 0, sizeof has_reader);
}

static void end(void)
{
    munmap(engine.control.base, engine.at.end);
}

/* ---- requests and diffs ---- */

/* A request that needs interval `need` of `writer`. */
static void ask(int from, uint32_t token, uint32_t page, int writer, uint64_t need, uint32_t flags)
{
    struct slot *s = &slots[from][token];

    memset(s, 0, sizeof *s);
    *request_of(s) =
        (struct request){ .type = REQUEST_PAGE,
                          .from = (uint16_t)from,
                          .token = token,
                          .object = page,
                          .flags = flags,
                          .arg = { (uint64_t)token * PAGE_SIZE, 1000u * token + page } };
    request_of(s)->vec[writer] = need;
    s->waits = true;
    protocol_async.serve(request_of(s));
}

static void apply(uint32_t page, int writer, uint64_t interval)
{
    atomic_store(engine_applied_here(page, writer), interval);
    protocol_async.applied(page);
}

static void expect_answered(int from, uint32_t token, bool yes)
{
    assert_int_equal(slots[from][token].answered, yes);
    assert_int_equal(slots[from][token].written, yes);
    assert_int_equal(slots[from][token].status, 0);
}

/* Whoever waits is whoever lacks a version; all others have been answered, once. */

static void check_all(void)
{
    for (int n = 1; n < NODES; n++)
        for (uint32_t t = 0; t < TOKENS; t++)
            if (slots[n][t].waits)
                expect_answered(n, t, covered(request_of(&slots[n][t])));
}

/* ---- the tests ---- */

static void what_is_here_is_answered_at_once(void)
{
    ask(2, 3, 1, 2, 0, 0);
    expect_answered(2, 3, true);
    apply(1, 4, 9);
    ask(3, 3, 1, 4, 9, 0);
    expect_answered(3, 3, true);
}

/* Where a wake has a price the word goes without. */
static void an_answer_without_a_wake(void)
{
    fabric.caps = 0;
    fabric.ops.write_wake = NULL;
    ask(2, 3, 1, 2, 0, 0);
    expect_answered(2, 3, true);
}

/* [pages-async.parked]: one diff ends the waiting of all who wait for it, and of nobody else. */
static void all_who_wait_for_a_diff_are_answered(void)
{
    for (int n = 1; n < NODES; n++)
        for (uint32_t t = 0; t < 4; t++)
            ask(n, t, 1 + t % 2, 5, 7, 0);
    check_all();
    apply(2, 5, 6);
    apply(1, 4, 99);
    check_all();
    apply(2, 5, 7);
    for (int n = 1; n < NODES; n++)
        for (uint32_t t = 0; t < 4; t++)
            expect_answered(n, t, t % 2 == 1);
    apply(1, 5, 8);
    check_all();
    apply(1, 5, 9);
    check_all();
}

/* A prefetch does not wait: it is refused, once, and forgotten. */
static void a_prefetch_is_refused(void)
{
    ask(1, 0, 1, 5, 7, PREFETCH_FLAG);
    assert_int_equal(slots[1][0].answered, 1);
    assert_int_equal(slots[1][0].status, REFUSED);
    ask(2, 0, 1, 5, 7, 0);
    apply(1, 5, 7);
    expect_answered(2, 0, true);
    assert_int_equal(slots[1][0].answered, 1);
    ask(1, 0, 1, 5, 7, PREFETCH_FLAG);
    expect_answered(1, 0, true);
}

/* Requests and diffs in any order, for pages that nodes wait for together. */
static void any_order(void)
{
    uint64_t latest[PAGES][NODES] = { { 0 } };

    rng_state = 21;
    for (int k = 0; k < 20000; k++) {
        uint32_t page = 1 + rng(5), token = rng(TOKENS);
        int node = 1 + (int)rng(NODES - 1), writer = (int)rng(NODES);

        if (rng(3) != 0)
            apply(page, writer, ++latest[page][writer]);
        else if (!slots[node][token].waits || slots[node][token].answered)
            ask(node, token, page, writer, latest[page][writer] + rng(8), 0);
        check_all();
    }
}

UNIT_MAIN(begin, end, TEST(what_is_here_is_answered_at_once), TEST(an_answer_without_a_wake),
          TEST(all_who_wait_for_a_diff_are_answered), TEST(a_prefetch_is_refused), TEST(any_order))
