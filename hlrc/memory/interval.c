/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* interval.c - see interval.h for the invariants. */
#include "hlrc/memory/interval.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/fence.h"
#include "base/reserve.h"
#include "hlrc/core/engine.h"
#include "hlrc/memory/copies.h"
#include "hlrc/memory/diff.h"
#include "hlrc/memory/dirty.h"
#include "hlrc/memory/exclusive.h"
#include "hlrc/memory/only_node.h"
#include "hlrc/memory/page.h"
#include "hlrc/memory/page_claim.h"
#include "hlrc/memory/past.h"
#include "hlrc/memory/reads.h"
#include "hlrc/memory/renew.h"
#include "hlrc/memory/sample.h"
#include "hlrc/probe/dump.h"
#include "hlrc/probe/probe.h"
#include "hlrc/probe/profile.h"
#include "hlrc/probe/recorder.h"
#include "hlrc/progress/progress.h"
#include "hlrc/progress/thread.h"
#include "hlrc/races/races.h"

static uint32_t *announced;                 /* pages of the interval being flushed */
static struct parts_notices_wanted *wanted; /* of the current acquire: room for one per node */

_Atomic bool interval_unread;
_Atomic bool interval_closing; /* one flush at a time [interval.covers-dirty] */
/* a flush has noted new readers, and has not ended: [unshared.new-readers] */
static _Atomic bool looking;
static _Atomic bool acquire_busy; /* one acquire at a time [interval.pages-first] */
/* flushes; the nth to begin is the nth to end */
static _Atomic uint64_t closes_begun, closes_ended;
static _Atomic int urgent_closers; /* threads in an urgent interval_close */
/* guards vt, except reads of single components, which only rise */
static spin_lock_word vt_lock;
static _Atomic uint64_t *vt;

#define ANNOUNCED_BYTES ((size_t)engine.pages * sizeof *announced)

static uint64_t interval_vt_of(int writer)
{
    return atomic_load_explicit(&vt[writer], memory_order_acquire); /* [interval.pages-first] */
}

static void interval_dump_intervals(char *line, size_t len)
{
    uint64_t begun = atomic_load(&closes_begun), ended = atomic_load(&closes_ended);
    dump_append(line, len, "%llu flushes%s%s; vector time", (unsigned long long)begun,
                begun != ended ? ", one in progress" : "",
                atomic_load(&acquire_busy) ? "; an acquire is in progress" : "");
    for (int w = 0; w < engine.nodes; w++) /* without its lock */
        dump_append(line, len, " %llu", (unsigned long long)interval_vt_of(w));
}

/* [copies.flush-early]: the flush includes this thread's stores. */
static void interval_close_for_room(void)
{
    interval_close(true); /* [interval.quiet-diffs]: no barrier is near */
}

int interval_init(void)
{
    atomic_store(&interval_unread, false);
    copies_on_crowd(interval_close_for_room);
    dump_add(interval_dump_intervals);
    announced = reserve(ANNOUNCED_BYTES);
    vt = calloc((size_t)engine.nodes, sizeof *vt);
    wanted = calloc((size_t)engine.nodes, sizeof *wanted);
    return announced && vt && wanted ? 0 : -ENOMEM;
}

void interval_end(void)
{
    reserve_end(announced, ANNOUNCED_BYTES);
    announced = NULL;
    free((void *)vt);
    vt = NULL;
    free(wanted);
    wanted = NULL;
}

/* ASSUMPTION: vt_lock is held. */
static void interval_raise_vt(int writer, uint64_t interval)
{
    atomic_store_explicit(&vt[writer], interval, memory_order_release); /* [interval.pages-first] */
}

void interval_vt(uint64_t *out)
{
    spin_lock(&vt_lock);
    for (int w = 0; w < engine.nodes; w++)
        out[w] = interval_vt_of(w);
    spin_unlock(&vt_lock);
}

void interval_hand_on(uint64_t *out)
{
    interval_vt(out);
    engine.protocol.diffs->hand_on(); /* [interval.quiet-diffs] */
}

void interval_met(void)
{
    engine.protocol.diffs->met(); /* [interval.quiet-diffs] */
}

/* The calling thread has stored nothing since its last flush. */
static _Thread_local bool unstored;

/* [races.last-writers]. */
static bool interval_flush_home(uint32_t page, uint64_t interval, bool *changed)
{
    uint64_t mask[DIFF_MASK_WORDS], time[NODES_MAX];
    if (!first_write_races_checked())
        return page_flush_home(page, changed);
    *changed = page_flush_tracked(page, mask);
    if (*changed) {
        interval_vt(time);
        races_note_own(page, interval, time, mask);
    }
    return *changed || page_flush_same(page);
}

/* ASSUMPTION: the page is sealed or retained writable, and its home is here. */
static void interval_profile_own(uint32_t page)
{
    uint64_t mask[DIFF_MASK_WORDS];
    struct probe_span span = PROBE_BEGIN(profiling);
    profile_written(page, page_tracked(page, mask) ? mask : NULL, true);
    PROBE_END(profiling, span);
}

/* ASSUMPTION: the diff is this node's, for that home. */
static void interval_profile_away(uint32_t page, const void *diff, size_t len, size_t changed,
                                  int home)
{
    uint64_t mask[DIFF_MASK_WORDS];
    if (!probe_profiles())
        return;
    struct probe_span span = PROBE_BEGIN(profiling);
    profile_diff(page, changed, home);
    if (profile_is_told(page))
        profile_written(page, changed && diff_mask(diff, len, mask) ? mask : NULL, false);
    PROBE_END(profiling, span);
}

/* Captures the diff of one sealed page. True if the page is to be announced. ASSUMPTION: BUSY. */
static bool interval_capture(uint32_t page, uint64_t interval, bool urgent, bool *changed)
{
    struct page *p = page_at(page);
    if (page_is_home(p, engine.node)) {
        if (profile_is_told(page))
            interval_profile_own(page);
        size_t bytes = 0, len = record_all ? page_flush_size(page, &bytes) : 0;
        if (!interval_flush_home(page, interval, changed))
            return false;
        if (*changed)
            PROBE(flush_home, page, len, bytes);
        /* orders this node's ended writes to the page before the version [interval.applied-last] */
        atomic_store_explicit(engine_applied_here(page, engine.node), interval,
                              memory_order_release);
        return true;
    }
    int home = (int)p->home - 1;
    struct probe_span span = PROBE_BEGIN(flush_page);
    void *diff = engine.protocol.diffs->room(home, interval, urgent);
    size_t len = page_flush_diff(page, diff);
    *changed = len != 0;
    if (len == 0 && !p->worded) /* [word.announced] */
        return false;
    size_t bytes = diff_changed_bytes(diff, len);
    interval_profile_away(page, diff, len, bytes, home);
    engine.protocol.diffs->add(home, page, len);
    PROBE_END(flush_page, span, page, home, interval, bytes, len);
    return true;
}

/* Why an interval is flushed. */
struct interval_closing {
    bool urgent; /* the homes serve the diffs at once */
    bool asked;  /* requested by another node, not by a thread of the program [page.touched] */
};

/* Seals and captures all pages of closing[n] [page.busy-capture]. Returns the number of announced
 * pages. */
static uint32_t interval_capture_all(const uint32_t *closing, uint32_t n, uint64_t interval,
                                     struct interval_closing why)
{
    uint32_t count = 0;
    for (uint32_t i = page_flush_skip(closing, n); i < n;
         i += page_flush_skip(closing + i, n - i)) {
        uint32_t run = page_flush_begin(closing + i, n - i, why.asked);
        PROBE(page_sealed);
        for (uint32_t k = i; k < i + run; k++) {
            uint32_t page = closing[k];
            if (k + 1 < i + run)
                page_flush_prefetch(closing[k + 1]);
            bool changed, announce = interval_capture(page, interval, why.urgent, &changed);
            if (announce)
                announced[count++] = page;
            PROBE(page_captured);
            page_flush_end(page, announce ? interval : 0, changed);
        }
        i += run;
    }
    engine.protocol.diffs->send(why.urgent); /* [interval.diff-first] */
    return count;
}

#ifdef HLRC_DEBUG
/* Before an interval is published. ASSUMPTION: the caller flushes it. */
static void interval_assert_state(uint64_t interval, uint32_t count)
{
    assert(interval == interval_vt_of(engine.node) + 1); /* [interval.own-time] */
    for (uint32_t i = 0; i < count; i++) {
        assert(i == 0 || announced[i - 1] < announced[i]);
        page_assert_announced(announced[i], interval); /* [page.busy-capture] */
    }
}
#else
#    define interval_assert_state(interval, count) ((void)0)
#endif

/* [races.reads-first]. The sets are sent with the diffs. */
static void interval_send_reads(const struct reads_set *sets, uint32_t count, uint64_t interval,
                                bool urgent)
{
    uint64_t time[NODES_MAX];
    if (count) {
        interval_vt(time);
        progress_settle();
    }
    for (uint32_t i = 0; i < count; i++) {
        int home = page_claim_read(sets[i].page);
        if (home == engine.node)
            races_note_own_reads(interval, time, &sets[i]);
        else if (home >= 0)
            engine.protocol.diffs->reads(home, interval, urgent, &sets[i]);
    }
}

static void interval_close_dirty(struct interval_closing why)
{
    struct probe_span span = PROBE_BEGIN(flush_dirty);
    atomic_store(&looking, true); /* [unshared.new-readers] */
    if (!exclusive_look())        /* [unshared.new-readers] */
        atomic_store(&looking, false);
    const uint32_t *closing;
    uint32_t n = dirty_take(&closing), read;
    const struct reads_set *sets = reads_take(&read);
    PROBE(close_taken);
    if (n == 0 && read == 0)
        return;
    past_turn();
    uint64_t interval =
        interval_vt_of(engine.node) + 1; /* written only by flushes, which are serialised */
    interval_send_reads(sets, read, interval, why.urgent);
    uint32_t count = interval_capture_all(closing, n, interval, why);
    if (count == 0 && read == 0)
        return; /* [interval.own-time] */
    if (read)
        engine.protocol.diffs->reads_wait();
    interval_assert_state(interval, count);
    PROBE(close_captured);
    engine.protocol.notices->publish(interval, announced, count); /* [interval.diff-first] */
    PROBE(close_published);
    spin_lock(&vt_lock);
    interval_raise_vt(engine.node, interval); /* [interval.own-time] */
    spin_unlock(&vt_lock);
    PROBE_END(flush_dirty, span, interval, count, (uintptr_t)announced);
}

/* Performs a flush. ASSUMPTION: the caller has set interval_closing for it. */
static void interval_close_once(bool asked)
{
    struct probe_span span = PROBE_BEGIN(flush);
    uint64_t number = atomic_fetch_add(&closes_begun, 1) + 1;
    fence_after_rmw(); /* [interval.unpublished-test]: before the pages are read */
    /* read after closes_begun rose: includes all callers that this flush serves */
    interval_close_dirty(
        (struct interval_closing){ .urgent = atomic_load(&urgent_closers) > 0, .asked = asked });
    atomic_store(&looking, false);
    PROBE(flush_ended, asked);
    atomic_store(&closes_ended, number);
    atomic_store(&interval_closing, false);
    progress_changed(&interval_closing);
    PROBE_END(flush, span);
}

/* A flush that began after the caller arrived has ended, or it is the caller's turn. */
static bool interval_closing_over(void *arg)
{
    return atomic_load(&closes_ended) >= *(const uint64_t *)arg || !atomic_load(&interval_closing);
}

/* No page is dirty, and none is in an unfinished flush, so this thread's writes are published
 * [interval.covers-dirty]. They are on the list before the test, and so are the writes that it
 * learnt of through a lock of the program. */
bool interval_clean(void)
{
    if (engine.alone)
        return true;
    /* [interval.unpublished-test] */
    fence_full();
    if (atomic_load(&interval_unread)) /* [interval.no-readers] */
        return true;
    /* [interval.unpublished-test], [unshared.new-readers] */
    if (atomic_load(&interval_closing) || exclusive_arrivals() || dirty_any())
        return false;
    PROBE(clean_looked);
    /* [interval.unpublished-test], [unshared.new-readers] */
    return !atomic_load(&interval_closing);
}

/* Any flush that begins after this call takes everything that this thread wrote
 * [interval.covers-dirty], [lock.flush-first]. ASSUMPTION: a full fence since the caller's last
 * store [interval.unpublished-test]. */
uint64_t interval_next(void)
{
    return atomic_load(&closes_begun) + 1;
}

/* [unshared.new-readers]. A flush that has noted arrivals may not have announced the pages yet
 * [unshared.new-readers]. */
bool interval_published(uint64_t mark)
{
    if (engine.alone)
        return true;
    if (exclusive_arrivals() || atomic_load(&looking))
        return false;
    return atomic_load(&closes_ended) >= mark || interval_mark() == 0;
}

/* Flushes until `number` flushes have ended. ASSUMPTION: an urgent caller is counted in
 * urgent_closers. */
static void interval_close_until(uint64_t number, bool asked)
{
    while (atomic_load(&closes_ended) < number) {
        if (!atomic_exchange(&interval_closing, true))
            interval_close_once(asked);
        else
            progress_await((struct waits_wait){ WAITS_CLOSING, number, 0 }, &interval_closing,
                           interval_closing_over, &number);
    }
}

/* [interval.covers-dirty]. However many threads flush, each waits at most for the rest of one flush
 * and the whole of the next. */
void interval_close(bool urgent)
{
    if (interval_clean())
        return;
    /* before closes_begun is read: the next flush to begin is urgent */
    atomic_fetch_add(&urgent_closers, urgent);
    /* [interval.unpublished-test]: interval_clean has fenced */
    interval_close_until(interval_next(), false);
    atomic_fetch_sub(&urgent_closers, urgent);
}

void interval_publish(void)
{
    atomic_fetch_add(&urgent_closers, 1);
    interval_close_until(
        interval_next(),
        /* [interval.unpublished-test]: stores of other threads, visible to this one through a
         * lock */
        true);
    atomic_fetch_sub(&urgent_closers, 1);
}

/* [interval.no-readers] */
void hlrc_no_readers(bool are)
{
    if (atomic_exchange(&interval_unread, are) && !are)
        interval_publish();
}

static bool interval_covered(const uint64_t *want)
{
    bool yes = true;
    for (int w = 0; w < engine.nodes && yes; w++)
        /* this node's own entry is always the newest */
        yes = w == engine.node || interval_vt_of(w) >= want[w];
    return yes;
}

static bool interval_acquire_over(void *arg)
{
    return interval_covered(arg) || !atomic_load(&acquire_busy);
}

/* ASSUMPTION: the caller has taken acquire_busy. */
static void interval_acquire_all(const uint64_t *want, uint32_t occasion)
{
    int writers = 0;
    struct probe_span span = PROBE_BEGIN(acquire), pages = PROBE_BEGIN(acquire_pages);
    for (int w = 0; w < engine.nodes; w++)
        if (w != engine.node && interval_vt_of(w) < want[w])
            wanted[writers++] = (struct parts_notices_wanted){ w, want[w] };
    past_turn();
    renew_expected(occasion);
    engine.protocol.notices->take(wanted, writers);
    renew_all();
    PROBE_END(acquire_pages, pages);
    if (probe_profiles())
        sample_some();
    spin_lock(&vt_lock);
    for (int i = 0; i < writers; i++)
        interval_raise_vt(wanted[i].writer, wanted[i].interval); /* [interval.pages-first] */
    spin_unlock(&vt_lock);
    atomic_store(&acquire_busy, false);
    progress_changed(&acquire_busy);
    PROBE_END(acquire, span);
}

void interval_unstored(bool yes)
{
    unstored = yes;
}

void interval_acquire(const uint64_t *want, uint32_t occasion)
{
    if (first_write_races_checked() && !interval_covered(want) &&
        !(unstored && thread_taken() == 1))
        interval_close(true);
    while (!interval_covered(want)) {
        if (!atomic_exchange(&acquire_busy, true))
            interval_acquire_all(want, occasion);
        else
            progress_await((struct waits_wait){ WAITS_ACQUIRE, 0, 0 }, &acquire_busy,
                           interval_acquire_over, (void *)(uintptr_t)want);
    }
    if (record_all)
        sample_all();
}
