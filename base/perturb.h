/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * perturb.h - delay points: named points at which a test delays a thread.
 *
 * If two threads or nodes synchronise by the order of their steps, a race may have a window of a
 * few instructions, which a test rarely hits. With --enable-perturb, a thread that reaches such a
 * point sleeps, yields or continues, by a seeded schedule. Without it a point is no code. The
 * engine passes a point by PROBE (hlrc/probe/events.h), and a fabric, below the probes, by perturb.
 *
 *   HLRC_PERTURB_SEED=N        each point gets a strength derived from N: half of them
 *                              none, others up to every second pass and up to 3 ms. The threads'
 *                              random numbers follow from N, their node and their number.
 *   HLRC_PERTURB=POINT:PERCENT:MICROSECONDS,...   only these points; for an experiment
 *
 * A point only delays. It wakes no thread, and only PERTURB_FAILS makes something fail. So an
 * error found in a perturbed run can occur without it as well, only more rarely. perturb_report
 * prints the seed and the last points that acted.
 *
 * A delayed thread has the name PERTURB_THREAD: during the delay, or from a delay at queue_drawn
 * to queue_filled. A test then does not take it for a waiting thread (S in its stat). Nor does it
 * stop the thread between drawing a position of a queue and filling it, where all others would
 * wait for it. Afterwards it has the program's name again.
 */
#ifndef BASE_PERTURB_H
#define BASE_PERTURB_H

#include <stdbool.h>

#define PERTURB_THREAD "delayed"

/* Name, and the step that a thread at this point has not done yet. New ones go to the end, so that
 * each seed does what it did. */
#define PERTURB_POINTS(X)                                                               \
    X(queue_drawn, "shm: position of the receive queue drawn, entry not written")       \
    X(queue_filled, "shm: entry written, mode not read")                                \
    X(queue_alerting, "shm: mode read, sleeping receiver not woken")                    \
    X(queue_armed, "shm: mode written, queue not checked again")                        \
    X(queue_sleeping, "shm: about to sleep until a wake-up")                            \
    X(progress_locked, "progress lock acquired, queue not declared busy")               \
    X(progress_armed, "queue armed, progress lock not released")                        \
    X(progress_passed, "progress lock released with events pending, handler not woken") \
    X(progress_unlocked, "progress lock released, queue not checked again")             \
    X(handler_woken, "handler awake, progress lock not tried")                          \
    X(handler_missed, "handler found the progress lock held, has not left a note")      \
    X(watch_looked, "deadlock detector has read all waits, not yet asleep")             \
    X(worker_woken, "worker awake, its work not started")                               \
    X(wait_counted, "waiter counted, progress lock not tried")                          \
    X(wait_unserved, "about to sleep without the progress lock, not registered")        \
    X(wait_ending, "wait ended, progress lock not released")                            \
    X(thread_announced, "thread marked as sleeping, its condition not tested again")    \
    X(thread_waking, "condition of a thread true, its sleep flag not read")             \
    X(change_made, "condition of local waiters true, waiters not read")                 \
    X(event_taken, "event removed from the queue, not served")                          \
    X(reply_written, "reply in its slot, token not complete")                           \
    X(page_busy, "page BUSY, operation not started")                                    \
    X(page_sealed, "run of pages write-protected, no diff captured")                    \
    X(page_captured, "diff captured, page still BUSY")                                  \
    X(page_compared, "retained page differs from its twin, not copied")                 \
    X(page_copied, "retained page copied, twin not updated")                            \
    X(page_applied, "diff applied to the page, not to its twin")                        \
    X(exclusive_listed, "home page on the list, readers not checked again")             \
    X(exclusive_seen, "arrivals recorded, EXCLUSIVE pages not checked")                 \
    X(copy_closed, "copy BUSY and inaccessible, memory not freed")                      \
    X(copy_gone, "memory of the copy freed, page not STALE")                            \
    X(renew_expecting, "expected copies in flight, no notice applied")                  \
    X(renew_pending, "copies pending, none updated")                                    \
    X(page_fetched, "copy received, page not locked for its installation")              \
    X(page_twinned, "twin created, view not writable")                                  \
    X(prefetch_started, "prefetch in flight, PREFETCH not set")                         \
    X(prefetch_taken, "PREFETCH cleared, fetch not finished")                           \
    X(clean_looked, "dirty list empty, flush flag not checked")                         \
    X(close_begun, "flush started, dirty list not taken")                               \
    X(close_taken, "dirty list taken, no page write-protected")                         \
    X(close_captured, "diffs sent, interval not published")                             \
    X(close_published, "interval published, vector time not raised")                    \
    X(acquire_noticed, "notices applied, vector time not raised")                       \
    X(open_compared, "stores of the home compared, not recorded")                       \
    X(diff_arrived, "diff arrived at the home, not applied")                            \
    X(order_written, "vector time in its slot, number of releases not raised")          \
    X(order_read, "slot of a vector time read, number of releases not read again")      \
    X(word_performed, "word changed at its home, change not received here")             \
    X(diff_applied, "diff applied, version not raised")                                 \
    X(diff_written, "runs written, version not")                                        \
    X(notice_written, "records written, tail or last not")                              \
    X(notice_tabled, "interval in the table, its record not written")                   \
    X(pages_settled, "pages to be reset published, not all checked")                    \
    X(pages_closed, "pages to be reset inaccessible, states unchanged")                 \
    X(pages_given, "pages reset on all nodes, still BUSY here")                         \
    X(notice_room, "oldest raised, its record not overwritten")                         \
    X(notice_read, "words of a ring read, oldest not read")                             \
    X(notice_lost, "last read, table not read")                                         \
    X(lock_dropping, "interval flushed or marked, lock not released")                   \
    X(lock_published, "interval of a LISTED lock flushed, lock not granted")            \
    X(stream_copied, "piece of a broadcast in its slot, no node notified")              \
    X(stream_fetched, "piece of a broadcast read, root not notified")                   \
    X(lock_granting, "lock no longer here, grant not sent")                             \
    X(lock_taken, "lock was free, its vector time not read")                            \
    X(lock_queued, "in the queue of a lock, predecessor not notified")                  \
    X(lock_leaving, "lock's vector time written, lock not released")                    \
    X(lock_asking, "WAITING set, request not sent")                                     \
    X(lock_trying, "BUSY for trylock, tail not read")                                   \
    X(parcel_met, "barrier passed, parcels not read")                                   \
    X(barrier_arriving, "interval flushed, arrival not sent")                           \
    X(barrier_releasing, "time of a release or round written, word not written")        \
    X(barrier_released, "release received, notices not applied")                        \
    X(group_inviting, "list and number of a group written, word not written")           \
    X(group_answering, "invitation to a group read, no reply sent")                     \
    X(part_performed, "bytes read or written at a page's home, page still BUSY")        \
    X(block_locked, "lock of a block of a window acquired, values not read")            \
    X(block_written, "values of a block written, its lock not released")                \
    X(cond_registered, "waiter registered, its lock not released")                      \
    X(cond_signalling, "signaller's interval flushed, signal not sent")                 \
    X(home_asking, "home unknown, compare-and-swap or request not started")             \
    X(home_appointed, "home word written, no node notified")                            \
    X(bulk_credit, "credit read, slot not written")                                     \
    X(view_failed, "protection not changed as requested, view not mended")              \
    X(word_read, "word read at its home by the home, not written")
#define PERTURB_ENUM_(name, text) PERTURB_##name,
enum perturb_point { PERTURB_POINTS(PERTURB_ENUM_) PERTURB_COUNT };
#undef PERTURB_ENUM_

#ifdef HLRC_PERTURB
void perturb_at(enum perturb_point at);
bool perturb_fails(void); /* PERTURB_FAILS */
#    define perturb(name)   perturb_at(PERTURB_##name)
#    define PERTURB_FAILS() perturb_fails()
#else
#    define perturb(name)   ((void)0)
#    define PERTURB_FAILS() false
#endif

/* perturb_start - reads the environment; from now on points act. One thread, before others reach a
 * point. */
void perturb_start(int node);

/*
 * perturb_report - the seed and the last points that acted, a line at a time; nothing if none
 * acts. May be called in a signal handler.
 */
void perturb_report(void (*say)(const char *line));

/* perturb_describe - for people: each point, its strength as the environment sets it, and its
 * text */
void perturb_describe(void (*say)(const char *line));

#endif
