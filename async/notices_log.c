/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* notices_log.c - see notices.h for the invariants. */
#include "hlrc/memory/notices.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/reserve.h"
#include "base/spin.h"
#include "hlrc/core/engine.h"
#include "hlrc/memory/page.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/msg.h"
#include "hlrc/progress/progress.h"
#include "hlrc/progress/thread.h"

#define LAST 0x80000000u
#define RECORD_RUNS \
    496u /* maximum number in one record, which is then short enough to be written inline */

struct notices_log_run {
    uint32_t first, count;
};

struct notices_log_record {
    uint64_t interval;
    uint32_t count; /* runs, and LAST */
    uint32_t spare;
    struct notices_log_run run[RECORD_RUNS];
};

static_assert(offsetof(struct notices_log_record, run) == 16 && sizeof(struct notices_log_run) == 8,
              "records are sent as raw bytes");

/* tail of this node's log at each reader, in words; written only by flushes */
static uint64_t sent[NODES_MAX];

/* Reading side, per writer. */
static struct notices_log_reader {
    spin_lock_word lock;   /* guards all fields; held while reading records, never across a wait */
    uint64_t head;         /* words read */
    uint64_t reported;     /* head as the writer knows it */
    uint64_t seen;         /* last interval whose LAST record was read */
    uint64_t *parked;      /* per page: latest interval in drained records; 0: none */
    uint32_t *parked_list; /* pages with parked != 0 */
    uint32_t parked_count;
} readers[NODES_MAX];

#define PARKED_BYTES (sizeof(uint64_t) + sizeof(uint32_t)) /* per page and writer */

static char *parked; /* of all writers; only address space until a log is drained */

static size_t notices_log_parked_bytes(void)
{
    return (size_t)engine.nodes * ((size_t)engine.pages + 1) * PARKED_BYTES;
}

static void notices_log_notice_serve_drain(struct request *req);

static int notices_log_notice_init(void)
{
    memset(sent, 0, sizeof sent);
    msg_handle(REQUEST_LOG_DRAIN, notices_log_notice_serve_drain);
    size_t pages = (size_t)engine.pages + (engine.pages & 1); /* words stay aligned */
    parked = reserve(notices_log_parked_bytes());
    for (int w = 0; w < engine.nodes && parked; w++) {
        uint64_t *mine = (uint64_t *)(void *)(parked + (size_t)w * pages * PARKED_BYTES);
        readers[w] = (struct notices_log_reader){ .parked = mine,
                                                  .parked_list = (uint32_t *)(mine + pages) };
    }
    return parked ? 0 : -ENOMEM;
}

static void notices_log_notice_end(void)
{
    reserve_end(parked, notices_log_parked_bytes());
    parked = NULL;
    memset(readers, 0, sizeof readers);
}

static size_t notices_log_at(int writer)
{
    return engine.at.logs + (size_t)writer * NOTICE_LOG_BYTES;
}

static size_t notices_log_tail_at(int writer)
{
    return engine.at.log_tails + (size_t)writer * 64;
}

static size_t notices_log_head_at(int reader)
{
    return engine.at.log_heads + (size_t)reader * 64;
}

/* ---- writing ---- */

static uint64_t notices_log_room(int reader)
{
    _Atomic uint64_t *head =
        engine_control_at(notices_log_head_at(reader)); /* written by the reader, one-sidedly */
    return NOTICE_LOG_WORDS - (sent[reader] - atomic_load_explicit(head, memory_order_acquire));
}

static void notices_log_drain_reader(int reader)
{
    uint32_t token = thread_self()->call_token;
    PROBE(log_overflowed);
    msg_send(msg_compose(token, REQUEST_LOG_DRAIN, (uint32_t)reader), reader, false, true);
    msg_wait(token);
}

/* Writes words at the tail of the log at `reader`, wrapping at the end of the ring. */
static void notices_log_append_words(int reader, const void *words, uint32_t count)
{
    uint32_t at = (uint32_t)(sent[reader] % NOTICE_LOG_WORDS);
    uint32_t first = count < NOTICE_LOG_WORDS - at ? count : NOTICE_LOG_WORDS - at;
    size_t base = notices_log_at(engine.node);
    fabric_write(engine.fabric, reader, engine.control.id, base + (size_t)at * 4, words,
                 (size_t)first * 4, NULL);
    if (count > first)
        fabric_write(engine.fabric, reader, engine.control.id, base,
                     (const uint32_t *)words + first, (size_t)(count - first) * 4, NULL);
    sent[reader] += count;
}

static void notices_log_append_record(const struct notices_log_record *r)
{
    uint32_t words = 4 + 2 * (r->count & ~LAST);
    for (int n = 0; n < engine.nodes; n++) {
        if (n == engine.node)
            continue;
        while (notices_log_room(n) < words)
            notices_log_drain_reader(n);
        notices_log_append_words(n, r, words);
        PROBE(notice_written);
        /* [fabric.write-order] */
        fabric_write(engine.fabric, n, engine.control.id, notices_log_tail_at(engine.node),
                     &sent[n], 8, NULL);
    }
}

static void notices_log_notice_publish(uint64_t interval, const uint32_t *pages, uint32_t count)
{
    struct notices_log_record r = { .interval = interval };
    for (uint32_t i = 0; i < count; i++) {
        if (r.count && r.run[r.count - 1].first + r.run[r.count - 1].count == pages[i]) {
            r.run[r.count - 1].count++;
            continue;
        }
        if (r.count == RECORD_RUNS) {
            notices_log_append_record(&r);
            r.count = 0;
        }
        r.run[r.count++] = (struct notices_log_run){ pages[i], 1 };
    }
    r.count |= LAST;
    notices_log_append_record(&r);
}

/* ---- reading ---- */

/* Takes the next record of a log if there is one. ASSUMPTION: the log's lock is held. */
static bool notices_log_read_record(int writer, struct notices_log_record *out)
{
    struct notices_log_reader *r = &readers[writer];
    _Atomic uint64_t *tail =
        engine_control_at(notices_log_tail_at(writer)); /* written by the writer, one-sidedly */
    const uint32_t *log = engine_control_at(notices_log_at(writer));
    if (r->head == atomic_load_explicit(tail, memory_order_acquire)) /* [fabric.write-order] */
        return false;
    uint32_t *words = (uint32_t *)(void *)out;
    for (uint32_t i = 0; i < 4; i++)
        words[i] = log[(r->head + i) % NOTICE_LOG_WORDS];
    uint32_t more = 2 * (out->count & ~LAST);
    debug_assert(more <= 2 * RECORD_RUNS);
    for (uint32_t i = 4; i < 4 + more; i++)
        words[i] = log[(r->head + i) % NOTICE_LOG_WORDS];
    r->head += 4 + more;
    if (out->count & LAST)
        r->seen = out->interval;
    return true;
}

/* Reports to the writer how far its log has been read. ASSUMPTION: the log's lock is held. */
static void notices_log_report_head(int writer)
{
    struct notices_log_reader *r = &readers[writer];
    r->reported = r->head;
    fabric_write(engine.fabric, writer, engine.control.id, notices_log_head_at(engine.node),
                 &r->reported, 8, NULL);
}

static void notices_log_park(struct notices_log_reader *r, const struct notices_log_record *rec)
{
    for (uint32_t i = 0; i < (rec->count & ~LAST); i++) {
        for (uint32_t p = rec->run[i].first; p < rec->run[i].first + rec->run[i].count; p++) {
            if (r->parked[p] == 0)
                r->parked_list[r->parked_count++] = p;
            r->parked[p] = rec->interval;
        }
    }
}

static void notices_log_notice_serve_drain(struct request *req)
{
    struct notices_log_reader *r = &readers[req->from];
    struct notices_log_record rec;
    spin_lock(&r->lock);
    while (notices_log_read_record(req->from, &rec))
        notices_log_park(r, &rec);
    notices_log_report_head(req->from);
    spin_unlock(&r->lock);
    msg_reply(req, 0, 0, NULL);
}

/* Applies all notices that draining kept [notices-log.never-late]. */
static void notices_log_take_parked(int writer)
{
    struct notices_log_reader *r = &readers[writer];
    for (;;) {
        spin_lock(&r->lock);
        if (r->parked_count == 0)
            break;
        uint32_t page = r->parked_list[--r->parked_count];
        uint64_t interval = r->parked[page];
        r->parked[page] = 0;
        spin_unlock(&r->lock);
        notices_apply(page, 1, writer, interval);
    }
    spin_unlock(&r->lock);
}

static bool notices_log_arrived(void *arg)
{
    const struct parts_notices_wanted *want = arg;
    struct notices_log_reader *r = &readers[want->writer];
    _Atomic uint64_t *tail = engine_control_at(notices_log_tail_at(want->writer));
    return r->head != atomic_load_explicit(tail, memory_order_acquire) || r->seen >= want->interval;
}

/* Applies records until the interval is covered or the log is empty. True if covered. */
static bool notices_log_take_records(const struct parts_notices_wanted *want)
{
    struct notices_log_reader *r = &readers[want->writer];
    struct notices_log_record rec;
    for (;;) {
        spin_lock(&r->lock);
        bool covered = r->seen >= want->interval;
        bool got = !covered && notices_log_read_record(want->writer, &rec);
        spin_unlock(&r->lock);
        if (!got)
            return covered;
        for (uint32_t i = 0; i < (rec.count & ~LAST); i++)
            notices_apply(rec.run[i].first, rec.run[i].count, want->writer, rec.interval);
    }
}

static void notices_log_take(const struct parts_notices_wanted *want)
{
    struct parts_notices_wanted mine = *want;
    struct notices_log_reader *r = &readers[want->writer];
    while (!notices_log_take_records(want))
        progress_wait((struct waits_wait){ WAITS_NOTICES, 0, want->writer }, notices_log_arrived,
                      &mine, WAIT_STATE);
    notices_log_take_parked(want->writer);
    spin_lock(&r->lock);
    if (r->head - r->reported >= NOTICE_LOG_WORDS / 4)
        notices_log_report_head(want->writer);
    spin_unlock(&r->lock);
}

static void notices_log_notice_take(const struct parts_notices_wanted *want, int count)
{
    for (int i = 0; i < count; i++) {
        notices_log_take(&want[i]);
        PROBE(acquire_noticed);
    }
}

const struct parts_notice notices_by_log = {
    .caps = FABRIC_WRITE_IMM,
    .init = notices_log_notice_init,
    .end = notices_log_notice_end,
    .publish = notices_log_notice_publish,
    .take = notices_log_notice_take,
};
