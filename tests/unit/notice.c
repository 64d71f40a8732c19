/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Interval logs, their trimming, and vector times, without a network: one process is the writer,
 * node 0, while it publishes, and the reader, node 1, while it takes. Two buffers are their control
 * windows. What the reader revokes is compared with a model: the latest interval in which each page
 * was written. The invariants are those of [interval.pages-first] that of hlrc/memory/interval.h.
 */
#include "hlrc/core/engine.h"
#include "hlrc/layout.h"
#include "hlrc/memory/interval.h"
#include "hlrc/memory/notices.h"
#include "hlrc/progress/msg.h"
#include "hlrc/progress/progress.h"
#include "hlrc/progress/thread.h"
#include "tests/unit/rng.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGES 4096u  /* that random intervals are about */
#define SPACE 65536u /* all there are */

#define RUNS_MAX 240u /* of publish_once; fewer than are cut into several records */

static char *control[2];        /* of the two nodes */
static uint64_t written[SPACE]; /* model: last interval that names the page, 0 none */
static uint64_t revoked[SPACE]; /* latest interval for which the reader revoked it */
static uint64_t published;      /* intervals so far */
static unsigned drains, calls;  /* requests to drain; calls of page_invalidate */
static bool acquiring;          /* [interval.pages-first] is looked at */
/* of those that are written once: no later record covers a lost one */
static uint32_t next_page;
/* up to this interval all are published while the reader waits */
static uint64_t while_waiting;

static void become(int node)
{
    engine.node = node;
    engine.control.base = control[node];
}

/* ---- what lies below and beside the logs ---- */

static void write_window(struct fabric *f, int peer, int win, size_t off, const void *src,
                         size_t len, struct fabric_op *op)
{
    (void)f, (void)win, (void)op;
    assert_in_range(peer, 0, 1);
    assert_true(off + len <= engine.at.end);
    assert_true(len <= FABRIC_INLINE); /* without op: the transport copies */
    memcpy(control[peer] + off, src, len);
}

void __wrap_page_invalidate(uint32_t first, uint32_t count, int writer, uint64_t interval);
void __wrap_page_invalidate(uint32_t first, uint32_t count, int writer, uint64_t interval)
{
    uint64_t vt[2];

    assert_int_equal(engine.node, 1);
    assert_int_equal(writer, 0);
    assert_true(count > 0 && first < SPACE && count <= SPACE - first);
    interval_vt(vt);
    /* [interval.pages-first] */
    assert_true(!acquiring || vt[0] < interval || interval <= revoked[first]);
    calls++;
    for (uint32_t p = first; p < first + count; p++)
        if (revoked[p] < interval)
            revoked[p] = interval;
}

static void (*serve_drain)(struct request *);

void __wrap_msg_handle(enum request_type type, void (*serve)(struct request *));
void __wrap_msg_handle(enum request_type type, void (*serve)(struct request *))
{
    assert_int_equal(type, REQUEST_LOG_DRAIN);
    serve_drain = serve;
}

/* The reader's handler serves at once. */
void __wrap_msg_send(struct request *req, int to, bool with_vec, bool urgent);
void __wrap_msg_send(struct request *req, int to, bool with_vec, bool urgent)
{
    (void)with_vec;
    assert_int_equal(req->type, REQUEST_LOG_DRAIN);
    assert_true(urgent); /* or a reader that computes would never look */
    drains++;
    become(to);
    serve_drain(req);
    become(0);
}

const struct request_reply *__wrap_msg_wait(uint32_t token);
const struct request_reply *__wrap_msg_wait(uint32_t token)
{
    (void)token;
    return NULL;
}

struct request *__wrap_msg_compose(uint32_t token, enum request_type type, uint32_t object);
struct request *__wrap_msg_compose(uint32_t token, enum request_type type, uint32_t object)
{
    static struct request req;

    req = (struct request){
        .type = (uint16_t)type, .from = (uint16_t)engine.node, .token = token, .object = object
    };
    return &req;
}

void __wrap_msg_reply(const struct request *req, int64_t status, uint64_t arg, const uint64_t *vec);
void __wrap_msg_reply(const struct request *req, int64_t status, uint64_t arg, const uint64_t *vec)
{
    (void)req, (void)status, (void)arg, (void)vec;
}

static void publish_random(uint32_t rarity);

/* What the reader waits for comes, and more: the log is drained before the reader looks again. */
void __wrap_progress_wait(struct waits_wait what, bool (*done)(void *), void *arg,
                          enum progress_wait kind);
void __wrap_progress_wait(struct waits_wait what, bool (*done)(void *), void *arg,
                          enum progress_wait kind)
{
    (void)what;
    assert_int_equal(kind, WAIT_STATE); /* a write notice is no event */
    assert_int_equal(engine.node, 1);
    while (published < while_waiting)
        publish_random(6);
    become(1);
    assert_true(done(arg));
}

/* ---- the two nodes ---- */

static void begin(void)
{
    static struct fabric fabric;

    fabric.ops.write = write_window;
    engine.fabric = &fabric;
    engine.nodes = 2;
    engine.pages = SPACE;
    engine.tokens = msg_token_count(2, PREFETCHES);
    layout_init(&engine.at, 2, SPACE, engine.tokens, 0);
    for (int n = 0; n < 2; n++) {
        control[n] = mmap(NULL, engine.at.end, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        assert_ptr_not_equal(control[n], MAP_FAILED);
    }
    become(0);
    memset(written, 0, sizeof written);
    memset(revoked, 0, sizeof revoked);
    published = drains = calls = 0;
    next_page = 0;
    while_waiting = 0;
    acquiring = false;
    assert_int_equal(thread_init(2), 0);
    engine.protocol.notices = &notices_by_log;
    engine.protocol.diffs = &diffs_by_message;
    assert_int_equal(notices_by_log.init(), 0);
    assert_int_equal(interval_init(), 0);
}

static void end(void)
{
    interval_end();
    notices_by_log.end();
    thread_end();
    for (int n = 0; n < 2; n++)
        munmap(control[n], engine.at.end);
}

/* The writer's next interval: a page is in it with one chance in `rarity`. */
static void publish_random(uint32_t rarity)
{
    uint32_t pages[PAGES], count = 0;

    become(0);
    published++;
    for (uint32_t p = 0; p < PAGES; p++) {
        if (rng(rarity) != 0)
            continue;
        pages[count++] = p;
        written[p] = published;
    }
    if (count == 0) {
        pages[count++] = 7;
        written[7] = published;
    }
    notices_by_log.publish(published, pages, count);
}

/* The writer's next interval: so many runs, of pages that no other interval names. */
static void publish_once(uint32_t runs)
{
    uint32_t pages[2 * RUNS_MAX], count = 0;

    become(0);
    published++;
    for (assert_true(runs <= RUNS_MAX); runs > 0; runs--, next_page++) {
        for (uint32_t n = 1 + rng(2); n > 0; n--) {
            assert_true(next_page < SPACE);
            written[next_page] = published;
            pages[count++] = next_page++;
        }
    }
    notices_by_log.publish(published, pages, count);
}

/* Neither early nor late: what is revoked is what was written, and nothing up to this interval
 * lacks. */
static void check_revoked_up_to(uint64_t interval)
{
    for (uint32_t p = 0; p < next_page; p++)
        assert_true(revoked[p] == written[p] || (revoked[p] == 0 && written[p] > interval));
}

static void take(uint64_t interval)
{
    become(1);
    notices_by_log.take(&(struct parts_notices_wanted){ 0, interval }, 1);
}

static void check_all_revoked(void)
{
    for (uint32_t p = 0; p < SPACE; p++)
        assert_true(revoked[p] == written[p]);
}

/* ---- the tests ---- */

static void an_interval_arrives(void)
{
    static const uint32_t pages[] = { 0, 1, 2, 5, 9, 10, PAGES - 1 };

    published = 1;
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++)
        written[pages[i]] = 1;
    notices_by_log.publish(1, pages, sizeof pages / sizeof pages[0]);
    take(1);
    check_all_revoked();
    assert_int_equal(calls, 4); /* neighbouring pages are one run, revoked in one call */
}

/* [notices-log.never-late]: nothing later than asked for is needed, but nothing earlier may
 * lack. */
static void taken_up_to_an_interval(void)
{
    uint64_t model[PAGES];

    for (int i = 0; i < 10; i++) {
        publish_random(40);
        if (i == 4)
            memcpy(model, written, sizeof model);
    }
    take(5);
    for (uint32_t p = 0; p < PAGES; p++)
        assert_true(revoked[p] >= model[p] && revoked[p] <= written[p]);
    take(10);
    check_all_revoked();
}

/* [fabric.write-order]: an interval of many runs is cut into records; without the last one's tail
 * it is not covered. */
static void a_long_interval_is_whole(void)
{
    rng_state = 11;
    for (int i = 0; i < 20; i++) {
        publish_random(2); /* about 1,000 runs */
        take(published);
        check_all_revoked();
    }
}

/* The ring goes round many times, in records of all lengths. */
static void the_log_goes_round(void)
{
    rng_state = 12;
    for (int i = 0; i < 3000; i++) {
        publish_random(1u << (3 + rng(8)));
        if (rng(4) == 0)
            take(published - rng(2) % published);
    }
    take(published);
    check_all_revoked();
}

/* rule 9: a reader that never looks has its log drained by its handler, which keeps the latest
 * interval of a page. */
static void a_full_log_loses_nothing(void)
{
    rng_state = 13;
    for (int i = 0; i < 500; i++)
        publish_random(8);
    assert_true(drains > 10);
    /* a handler revokes nothing: the application may be using the pages */
    assert_int_equal(calls, 0);
    take(published);
    check_all_revoked();
    assert_true(calls <= PAGES + 500 * PAGES / 8);
}

/* What was drained before and read from the log after: the later interval counts, whichever is
 * applied first. */
static void drained_and_read(void)
{
    rng_state = 14;
    for (int round = 0; round < 20; round++) {
        unsigned before = drains;
        while (drains == before)
            publish_random(6);
        publish_random(6);
        take(published);
        check_all_revoked();
    }
}

/* rule 9: every record counts, since its pages are in no other; the reader looks rarely, at times
 * that fit nothing. */
static void a_record_is_never_overwritten(void)
{
    rng_state = 16;
    while (next_page < SPACE - 3 * 40) {
        publish_once(1 + rng(40));
        if (rng(150) != 0)
            continue;
        uint64_t interval = published - rng(2) * rng((uint32_t)published);
        take(interval);
        check_revoked_up_to(interval);
    }
    assert_true(drains > 1);
    take(published);
    check_all_revoked();
}

/* rule 9, to the word: a record that fits is written, one that has two words too many waits for the
 * log to be drained. */
static void a_log_is_full(void)
{
    const uint32_t runs = 100, words = 4 + 2 * runs; /* of a record; see the head of notices.h */
    static const uint32_t more[] = { 0, 1, 2, 30 };

    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
        uint32_t room = NOTICE_LOG_WORDS;
        rng_state = 17 + i;
        for (; room >= 2 * words; room -= words)
            publish_once(runs);
        assert_int_equal(drains, 0);
        publish_once((room - 4) / 2 + more[i]);
        assert_int_equal(drains, more[i] ? 1 : 0);
        publish_once(1);
        assert_int_equal(drains, 1);
        take(published);
        check_all_revoked();
        end();
        begin();
    }
}

/* [notices-log.never-late]: what was drained while the reader waited is applied before it goes
 * on. */
static void drained_while_waiting(void)
{
    rng_state = 18;
    for (int round = 0; round < 3; round++) {
        unsigned before = drains;
        while_waiting = published + 40;
        take(while_waiting);
        assert_int_equal(published, while_waiting);
        assert_true(drains > before);
        check_all_revoked();
    }
}

/* [interval.pages-first], and that a vector time only grows. */
static void a_vector_time_rises_after_the_notices(void)
{
    uint64_t vt[2];

    rng_state = 15;
    acquiring = true;
    for (int i = 0; i < 200; i++) {
        publish_random(64);
        if (rng(3) != 0)
            continue;
        become(1);
        uint64_t want[2] = { published, 99 }; /* nobody tells this node how far it is itself */
        interval_acquire(want, OCCASION_MEETING);
        interval_vt(vt);
        assert_int_equal(vt[0], published);
        assert_int_equal(vt[1], 0);
        check_all_revoked();
        unsigned known = calls;
        uint64_t older[2] = { published / 2, 0 };
        interval_acquire(older, OCCASION_MEETING);
        interval_vt(vt);
        assert_int_equal(vt[0], published);
        assert_int_equal(calls, known); /* what is covered costs nothing */
    }
}

UNIT_MAIN(begin, end, TEST(an_interval_arrives), TEST(taken_up_to_an_interval),
          TEST(a_long_interval_is_whole), TEST(the_log_goes_round), TEST(a_full_log_loses_nothing),
          TEST(drained_and_read), TEST(a_record_is_never_overwritten), TEST(a_log_is_full),
          TEST(drained_while_waiting), TEST(a_vector_time_rises_after_the_notices))
