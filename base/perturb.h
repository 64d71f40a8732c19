/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * perturb.h - delay points: named points at which a test delays a thread.
 *
 * If two threads or nodes synchronise by the order of their steps, a race may have a window of a
 * few instructions, which a test rarely hits. With --enable-perturb, a thread that reaches such a
 * point sleeps, yields or continues, by a seeded schedule. Without it a point is no code.
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

/* Name, and the step that a thread at this point has not done yet. */
#define PERTURB_POINTS(X)                                                                    \
    X(queue_drawn, "shm: position of the receive queue drawn, entry not written (Q1)")       \
    X(queue_filled, "shm: entry written, mode not read (Q4)")                                \
    X(queue_alerting, "shm: mode read, sleeper not rung (Q4)")                               \
    X(queue_armed, "shm: mode written, queue not looked at again (Q4)")                      \
    X(queue_sleeping, "shm: about to sleep on the bell")                                     \
    X(progress_locked, "progress lock taken, queue not declared busy (S1)")                  \
    X(progress_armed, "queue armed, progress lock not given up (S2)")                        \
    X(progress_passed, "progress lock given up amid events, handler not woken (S9)")         \
    X(progress_unlocked, "progress lock given up, queue not looked at again (S2, S6)")       \
    X(handler_woken, "handler awake, progress lock not tried for (S7)")                      \
    X(handler_missed, "handler found the progress lock taken, has not left word (S7)")       \
    X(watch_looked, "the watch has looked at all waits, and has not gone to rest (W2)")      \
    X(worker_woken, "worker awake, its work not begun (WK1)")                                \
    X(wait_counted, "waiter counted, progress lock not tried for (S6)")                      \
    X(wait_unserved, "about to sleep without the progress lock, nobody knows (NH1)")         \
    X(wait_ending, "wait over, progress lock not given up (S6)")                             \
    X(thread_announced, "thread says that it sleeps, what it waits for not looked at again") \
    X(thread_waking, "what a thread waits for is true, whether it sleeps not read")          \
    X(change_made, "what local waiters wait for is true, who waits not read")                \
    X(event_taken, "event taken from the queue, not served")                                 \
    X(reply_written, "answer in its slot, token not complete (M3)")                          \
    X(page_busy, "page BUSY, what has to be done not begun (P1)")                            \
    X(page_sealed, "run of pages sealed, nothing captured (P7)")                             \
    X(page_captured, "diff captured, page still BUSY (P7)")                                  \
    X(page_compared, "kept page differs from its twin, copy not taken (P8)")                 \
    X(page_copied, "kept page copied, twin not renewed (P8)")                                \
    X(page_applied, "diff in the page, not in its twin (P8)")                                \
    X(exclusive_listed, "home page on the list, its readers not looked at again (EP2)")      \
    X(exclusive_seen, "arrivals noted, EXCLUSIVE pages not looked at (EP4)")                 \
    X(copy_closed, "copy BUSY and closed, its memory not given back (CP2)")                  \
    X(copy_gone, "copy's memory given back, page not STALE (CP2)")                           \
    X(renew_expecting, "expected copies under way, no notice taken (RN5)")                   \
    X(renew_pending, "copies pending, none renewed (RN1)")                                   \
    X(page_fetched, "copy here, page not locked for installing (P4)")                        \
    X(page_twinned, "twin taken, view not opened (P3)")                                      \
    X(prefetch_started, "prefetch under way, PREFETCH not set")                              \
    X(prefetch_taken, "PREFETCH taken away, fetch not finished")                             \
    X(clean_looked, "dirty list empty, whether a closing is under way not looked at (I8)")   \
    X(close_begun, "closing begun, dirty list not taken (I1)")                               \
    X(close_taken, "dirty list taken, no page sealed (I1)")                                  \
    X(close_captured, "diffs sent, interval not published (I4)")                             \
    X(close_published, "interval published, vector time not raised (I6)")                    \
    X(acquire_noticed, "notices applied, vector time not raised (I5)")                       \
    X(open_compared, "what the home has stored, looked at and not noted (races.h RK2)")      \
    X(diff_arrived, "a diff at its home, not in the page yet (WD2)")                         \
    X(word_performed, "a word changed at its home, not here yet (WD3)")                      \
    X(diff_applied, "diff in the page, version not raised (I3)")                             \
    X(diff_written, "runs written, version not (DW1)")                                       \
    X(notice_written, "records written, tail or last not (N1, NR1)")                         \
    X(notice_tabled, "interval in the table, its record not written (NR1)")                  \
    X(pages_settled, "pages to be reset published, still looked at (EP5)")                   \
    X(pages_closed, "pages to be reset closed, their states as before (P11)")                \
    X(pages_given, "pages reset on all nodes, still held here (EP5)")                        \
    X(notice_room, "oldest raised, its record not written over (NR2)")                       \
    X(notice_read, "words of a ring read, oldest not (NR2)")                                 \
    X(notice_lost, "last read, the table not (NR3)")                                         \
    X(lock_dropping, "interval closed or marked, lock not given up (L3)")                    \
    X(lock_published, "LISTED lock's interval closed, lock not granted (L6)")                \
    X(stream_copied, "piece of a broadcast in its slot, nobody told (ST1)")                  \
    X(stream_fetched, "piece of a broadcast read, root not told (ST2)")                      \
    X(lock_granting, "lock no longer here, grant not sent (L1)")                             \
    X(lock_taken, "lock was free, its vector time not read (MQ3)")                           \
    X(lock_queued, "in the queue of a lock, the one before not told (MQ2)")                  \
    X(lock_leaving, "lock's vector time written, lock not let go of (MQ3)")                  \
    X(lock_asking, "WAITING set, request not sent (L2)")                                     \
    X(lock_trying, "BUSY for a try, tail not read (LQ4)")                                    \
    X(parcel_met, "barrier passed, parcels not read (PC2)")                                  \
    X(barrier_arriving, "interval closed, arrival not sent (R1)")                            \
    X(barrier_releasing, "time of a release or round written, its word not (BC3, PE2)")      \
    X(barrier_released, "release here, notices not taken (R4)")                              \
    X(group_inviting, "list and number of a group there, its word not (GR3)")                \
    X(group_answering, "invitation to a group read, not answered (GR3)")                     \
    X(part_performed, "bytes read or written at a page's home, page still BUSY (PP3)")       \
    X(block_locked, "lock of a block of a window taken, its values not read (RA1)")          \
    X(block_written, "values of a block written, its lock not let go of (RA1)")              \
    X(cond_registered, "waiter registered, its lock not released (C1)")                      \
    X(cond_signalling, "signaller's interval closed, signal not sent (C2)")                  \
    X(home_asking, "home not known, compare-and-swap or request not started (A1, H1)")       \
    X(home_appointed, "home word written, nobody told (H2)")                                 \
    X(bulk_credit, "credit seen, slot not written (B1)")

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
