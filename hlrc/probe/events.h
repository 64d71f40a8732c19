/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * events.h - the tables of events and sections: one row says everything that is noted of one. The
 * engine and the protocols name them by PROBE, PROBE_BEGIN and PROBE_END (probe.h).
 *
 * The arguments of the call are a to e.
 *
 *   counts     adds to counters of the statistics; passes a delay point (base/perturb.h)
 *   listeners  what the others get, if they are on, in this order:
 *       RING(kind, object)                  an entry of the thread's ring (trace.h)
 *       MARK(kind, object, peer, extra)     a record of the timeline, at one moment (timeline.h)
 *       SPAN(kind, object, peer, extra)     a record of the timeline, of the whole section
 *       SPAN_AS                             the same, if the kind is an expression
 *       RECORD(kind, a, b, c, d)            an item of the recorder (recorder.h)
 *       RECORD_AS                           the same, if the kind is an expression
 *       RECORD_CALL(expression)             anything else that the recorder notes
 *       PROFILE(expression)                 counts of the profile (memory/profile.h)
 *       ASKED, LOCK_SPAN(kind, lock)        the thread starts to acquire or release a lock; it has
 *                                           done so: timeline and profile, from ASKED on
 *
 * A section has two more:
 *
 *   time       its time counts for this category of the statistics
 *   begin      done by PROBE_BEGIN. `more` is kept for PROBE_END: the number of a grant, or of an
 *              acquire. `begin` is the time for PROBE_END, in ticks.
 */
#ifndef HLRC_PROBE_EVENTS_H
#define HLRC_PROBE_EVENTS_H

/* clang-format off */
/* Each delay point is an event of its own, without a listener. */
#define PROBE_POINT(name, text) X(name, perturb(name), NONE)

/* X(event, counts, listeners) */
#define PROBE_EVENTS(X) \
    PERTURB_POINTS(PROBE_POINT) \
    /* messages */ \
    X(message_posted, probe_count(STAT_MESSAGES, 1), NONE) \
    X(log_overflowed, probe_count(STAT_LOG_OVERFLOWS, 1), NONE) \
    /* a fault: page, write, look */ \
    X(fault_resolved, probe_count(b ? STAT_WRITE_FAULTS : STAT_READ_FAULTS, 1), \
        RECORD_AS(b ? RECORD_WRITE : c ? RECORD_LOOK : RECORD_READ, a, 0, 0, 0)) \
    X(page_opened, NONE, RING(READ, a)) \
    X(page_opened_dirty, NONE, RING(WRITE, a)) \
    X(twin_created, probe_count(STAT_TWINS, 1), NONE) \
    /* fetches: page, home; page, first write */ \
    X(fetch_round_trip, probe_count(STAT_FETCH_ROUND_TRIPS, 1), NONE) \
    X(fetch_retried, probe_count(STAT_FETCH_RETRIES, 1), NONE) \
    X(page_prefetched, probe_count(STAT_PAGE_FETCHES, 1), \
        PROFILE(profile_fetched((uint32_t)a, (int)b))) \
    X(page_complete, probe_count(STAT_FIRST_WRITE_FAULTS, b), RING(FETCH, a)) \
    X(page_updated, probe_count(STAT_RENEWED_PAGES, a), NONE) \
    X(page_kept_open, NONE, RECORD(RENEWED, a, 0, 0, 0)) \
    /* runs: first page, pages, argument of the item, pages that count */ \
    X(pages_ahead, probe_count(STAT_AHEAD_PAGES, d), RECORD(AHEAD, a, 1, b, c)) \
    X(pages_opened_ahead, probe_count(STAT_AHEAD_PAGES, a), NONE) \
    X(pages_placed, NONE, RECORD(PLACE, a, b, c, 0)) \
    X(pages_prefetch, NONE, RECORD(PREFETCH, a, b, 0, 0)) \
    X(pages_touch, NONE, RECORD(TOUCH, a, b, c, 0)) \
    X(pages_reset, NONE, RECORD(RESET, a, b, 0, 0)) \
    X(pages_evicted, probe_count(STAT_EVICTIONS, a), NONE) \
    X(page_exclusive, probe_count(STAT_EXCLUSIVE_PAGES, 1), NONE) \
    X(home_assigned, probe_count(STAT_HOMES_ASSIGNED, 1), NONE) \
    X(home_claimed, \
        (probe_count(STAT_HOMES_ASSIGNED, 1), probe_count(STAT_FIRST_WRITE_FAULTS, a)), NONE) \
    X(home_moved, probe_count(STAT_HOMES_MOVED, 1), NONE) \
    /* flushes and notices */ \
    X(flush_home, NONE, RECORD_CALL(recorder_record_closing_page((uint32_t)a, true, b, c))) \
    X(flush_retained, probe_count(a ? STAT_HOT_PAGES : STAT_HOT_UNCHANGED, 1), NONE) \
    X(flush_ended, NONE, RECORD_CALL(recorder_record_closing_end(a))) \
    X(page_invalidated, probe_count(STAT_INVALIDATIONS, 1), \
        PROFILE(profile_count((uint32_t)a, PROFILE_invalidations, 1))) \
    X(notice_applied, NONE, \
        MARK(NOTICE, b << 32 | a, c, d) \
        PROFILE(profile_told((uint32_t)a, (uint32_t)b))) \
    /* locks */ \
    X(lock_ask, NONE, RING(LOCK, a) ASKED) \
    X(lock_try, NONE, ASKED) \
    X(lock_acquired, probe_count_lock(t), \
        RECORD(LOCK, a, 0, 0, 0) \
        RING(LOCKED, a) \
        LOCK_SPAN(LOCK, a)) \
    X(lock_busy, NONE, RECORD(BUSY, a, 0, 0, 0) LOCK_SPAN(BUSY, a)) \
    X(lock_released, NONE, RECORD(UNLOCK, a, 0, 0, 0) RING(UNLOCK, a) LOCK_SPAN(UNLOCK, a)) \
    X(lock_lazy_release, probe_count(STAT_LAZY_RELEASES, a), NONE) \
    /* condition variables, barriers, groups */ \
    X(cond_waiting, perturb(cond_registered), RING(COND_WAIT, a)) \
    X(cond_signal_called, NONE, RING(SIGNAL, a)) \
    X(barrier_called, NONE, RING(ARRIVE, a)) \
    X(barrier_arrived, NONE, RECORD(ARRIVE, a, 0, 0, 0)) \
    X(barrier_departed, NONE, \
        RECORD_CALL(b ? recorder_record_add(probe_self(), RECORD_DEPART, 0, 0, 0, 0) : (void)0) \
        RING(DEPART, a)) \
    X(group_member, NONE, RECORD(MEMBER, a, b, c, 0)) \
    /* atomic and one-sided operations (base/record.h) */ \
    X(atomic_operation, NONE, RECORD(ATOMIC, a, 0, 0, 0)) \
    X(word_operation, NONE, RECORD(WORD, a, 1, 0, 0)) \
    X(computing_suspended, NONE, RECORD_CALL(recorder_record_suspend(probe_self()))) \
    X(computing_resumed, NONE, RECORD_CALL(recorder_record_resume(probe_self()))) \
    X(transfer_begun, NONE, RECORD_AS(a ? RECORD_PUT : RECORD_GET, b, c, d, e)) \
    X(part_begun, NONE, RECORD(PART, a, b, c, 0)) \
    X(parts_expected, NONE, RECORD(EXPECT, a, b, 0, 0)) \
    X(fence_begun, NONE, RECORD(FENCE, a, b, 0, 0)) \
    X(values_combined, NONE, RECORD(ACC, a, b, c, d)) \
    X(value_changed, NONE, RECORD(RMW, a, b, 0, 0)) \
    X(mutex_locked, NONE,                                                     \
      RECORD_CALL(recorder_record_resume(probe_self())) RECORD(MUTEX, a, b, 0, 0)) \
    X(mutex_unlocked, NONE, RECORD(UNMUTEX, a, b, 0, 0)) \
    /* checkpoints: pages, bytes, microseconds of the stop, and until it was complete */ \
    X(checkpoint_saved, \
        (probe_count(STAT_CHECKPOINTS, 1), probe_count(STAT_CHECKPOINT_PAGES, a), \
         probe_count(STAT_CHECKPOINT_BYTES, b), probe_count(STAT_CHECKPOINT_US, c), \
         probe_count(STAT_CHECKPOINT_WRITE_US, d)), NONE) \
    X(program_ended, NONE, RECORD(END, 0, 0, 0, 0))

/* X(section, time, begin, counts, listeners) */
#define PROBE_SECTIONS(X) \
    /* serving: type, object or bytes, sender */ \
    X(request, NONE, NONE, NONE, SPAN_AS(TIMELINE_SERVE + a, b, c, 0)) \
    X(bulk, NONE, NONE, NONE, SPAN_AS(TIMELINE_SERVE_BULK + a, b, c, 0)) \
    /* faults and fetches: page, byte, write, instruction; page, home */ \
    X(fault, FAULT, NONE, NONE, \
        SPAN_AS(c ? TIMELINE_WRITE_FAULT : TIMELINE_READ_FAULT, a, -1, 0) \
        PROFILE(profile_fault((uint32_t)a, (uint32_t)b, c, d, begin))) \
    X(touch, FAULT, NONE, NONE, SPAN(TOUCH, a, -1, b)) \
    X(page_wait, PAGE, NONE, NONE, NONE) \
    X(page_fetch, NONE, NONE, probe_count(STAT_PAGE_FETCHES, 1), \
        PROFILE(profile_fetched((uint32_t)a, (int)b)) \
        SPAN(FETCH, a, b, 0)) \
    X(prefetch, NONE, NONE, NONE, SPAN(PREFETCH, a, b, c)) \
    X(page_part, NONE, NONE, NONE, PROFILE(profile_part((uint32_t)a, b, c, (int)d, begin))) \
    /* flushes: interval, pages, list; page, home, interval, bytes, length */ \
    X(flush, DIFF, NONE, NONE, NONE) \
    X(flush_dirty, NONE, perturb(close_begun), probe_count(STAT_WRITE_NOTICES, b), \
        SPAN(CLOSE, a, -1, b) \
        PROFILE(profile_close((const uint32_t *)(uintptr_t)c, (uint32_t)b, begin))) \
    X(flush_page, NONE, NONE, (probe_count(STAT_DIFFS, 1), probe_count(STAT_DIFF_BYTES, d)), \
        SPAN(DIFF, a, b, c << 16 | d) \
        RECORD_CALL(e ? recorder_record_closing_page((uint32_t)a, false, e, d) : (void)0)) \
    X(profiling, NONE, NONE, NONE, PROFILE(profile_aside(begin))) \
    /* acquires */ \
    X(acquire, NONE, NONE, NONE, SPAN(ACQUIRE, 0, -1, 0)) \
    X(acquire_pages, NONE, more = probe_acquire(), NONE, \
        PROFILE(profile_acquire_end((int64_t)more))) \
    /* locks and condition variables: lock or condition, peer, number of the grant */ \
    X(lock_wait, LOCK, NONE, NONE, NONE) \
    X(lock_grant, NONE, more = probe_grant(), NONE, SPAN(GRANT, a, b, more)) \
    X(lock_pass, NONE, NONE, NONE, SPAN(GRANT, a, b, c)) \
    X(heap_lock, LOCK, NONE, NONE, SPAN(HEAP, 0, -1, a)) \
    X(cond_wait, LOCK, NONE, NONE, RECORD(WOKEN, a, b, c, 0)) \
    X(cond_await, NONE, NONE, NONE, RING(COND_WOKEN, a) SPAN(WAIT, a, -1, b)) \
    X(cond_unlock, NONE, NONE, NONE, RECORD(WAIT, a, b, 0, 0) SPAN(UNLOCK, b, -1, 0)) \
    X(cond_relock, NONE, NONE, NONE, SPAN(RELOCK, a, -1, b)) \
    X(cond_signal, LOCK, NONE, NONE, RECORD(SIGNAL, a, b, c, 0) SPAN(SIGNAL, a, -1, 0)) \
    X(cond_wake, NONE, more = probe_grant(), NONE, SPAN(WAKE, a, b, more)) \
    X(cond_pass, NONE, NONE, NONE, SPAN(WAKE, a, b, c)) \
    /* barriers and collectives: number, group, values or bytes */ \
    X(barrier_call, BARRIER, NONE, NONE, NONE) \
    X(barrier_arrive, NONE, NONE, NONE, SPAN(ARRIVE, a, -1, 0)) \
    X(barrier_await, NONE, NONE, perturb(barrier_released), PROFILE(profile_barrier(begin))) \
    X(barrier_depart, NONE, NONE, probe_count(STAT_BARRIERS, 1), SPAN(BARRIER, a, -1, 0)) \
    X(barrier_all, BARRIER, NONE, probe_count(STAT_BARRIERS, 1), SPAN(BARRIER, a, -1, 0)) \
    X(group_barrier, BARRIER, NONE, probe_count(STAT_BARRIERS, 1), \
        RECORD(GROUP, a, 0, 0, 0) \
        SPAN(GROUP, a, -1, 0)) \
    X(reduce, BARRIER, NONE, NONE, SPAN(REDUCE, a, -1, 0)) \
    X(broadcast, BARRIER, NONE, NONE, SPAN(BROADCAST, a, -1, 0)) \
    X(malloc_all, BARRIER, NONE, NONE, SPAN(MALLOC_ALL, a, -1, 0)) \
    X(free_all, BARRIER, NONE, NONE, SPAN(FREE_ALL, 0, -1, 0)) \
    /* checkpoints that are written while the program runs: number, bytes */ \
    X(checkpoint_write, NONE, NONE, NONE, SPAN(CHECKPOINT, a, -1, b)) \
    /* atomic operations on shared memory: page */ \
    X(word, NONE, NONE, probe_count(STAT_WORD_OPS, 1), SPAN(WORD, a, -1, 0)) \
    X(word_elsewhere, NONE, NONE, NONE, PROFILE(profile_word((uint32_t)a, begin)))
/* clang-format on */

#endif
