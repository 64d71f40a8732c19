/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * mailbox.h - mailboxes, by which tasks move. Each compute thread has a mailbox in shared
 * memory, into which others put tasks for it and reports on tasks that it has sent. A word at its
 * node counts these writes.
 *
 * An idle thread sends a steal request (mailbox_request_any): to any thread, by its bit in global
 * words, or to one thread, by a word at that thread's node. A thread with spare tasks polls these
 * words, claims a request, and puts tasks into the requester's mailbox.
 *
 * Invariants
 *   - A mailbox is filled under its lock, and the word that counts writes is incremented after the
 *     lock is released. The owner empties it under the lock. So the thread that runs a task, or
 *     waited for it, sees all that the sender had written or seen.
 *   - Only the thread that claims a steal request sends tasks to the requester, and a thread has at
 *     most one request. A requester that withdraws its request and finds it claimed waits for the
 *     tasks.
 *   - There is room for reports on all tasks that a thread may have sent, SENT_MOST.
 *   - A phase, in which a barrier waits for all tasks, ends when all threads of the team have
 *     arrived. The last one raises a word of each thread, also outside the team, that counts
 *     phases, and phases in which tasks were created.
 *   - All threads decide alike whether a barrier has a phase, from the earlier phases of this
 *     region's code. Code without tasks has a phase only now and then, to detect new ones.
 */
#ifndef COMPAT_MAILBOX_H
#define COMPAT_MAILBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "compat/openmp/gomp.h"
#include "compat/openmp/team.h"

#define BATCH_MOST 32 /* most tasks sent at once */
#define LANES_MOST 65535
#define SENT_MOST  512 /* most tasks a thread has sent that are not reported complete */
#define SENT_ROOM  128 /* bytes of a task's variables that are sent with it */

/* A task in transit. */
struct task_message {
    gomp_fn *fn;
    void *data; /* NULL: in `room`; else in shared memory, freed by the thread that runs it */
    size_t bytes, align;
    int origin;        /* the thread that created it, which gets the reports */
    bool final, alone; /* alone: may be waited for apart from the rest of its batch */
    bool copied;
    uint64_t ref; /* identifies the task there */
    uintptr_t *reductions;
    struct settings settings;
    _Alignas(16) char room[SENT_ROOM];
};

/* A report: a task's `ref` and its new state. */
enum {
    REPORT_DONE = 1,
    REPORT_GONE = 2 /* its descendants are done, too */,
    REPORT_CANCELLED = 4,
    REPORT_BACK = 8 /* not begun */
};
#define REPORT_BITS ((uint64_t)15)

/* Contents taken out of a mailbox. */
struct mailbox_contents {
    unsigned tasks, reports;
    struct task_message task[BATCH_MOST];
    uint64_t report[2 * SENT_MOST];
};

/* Called on every node, by one thread each, if the program has tasks. */
void mailbox_begin(int lanes);
/* For more threads of a job of one process. mailbox_resume follows. */
void mailbox_grow(int lanes);
/* This node's copy; NULL: there are none. */
extern struct mailbox_address *mailbox_addresses __attribute__((visibility("hidden")));
static inline bool mailbox_exists(void)
{
    return mailbox_addresses != NULL;
}

/* All on the private stack, for the calling thread. */
unsigned mailbox_count(void);                          /* number of writes so far */
void mailbox_empty(struct mailbox_contents *contents); /* empties the mailbox */
void mailbox_put_tasks(int to, const struct task_message *tasks, unsigned count);
void mailbox_put_reports(int to, const uint64_t *reports, unsigned count);

/* Sends a steal request: to any thread, or to thread `lane` for descendants of the task that it
 * was sent as `ref`. The second may fail for now. */
void mailbox_request_any(void);
bool mailbox_request_from(int lane, uint64_t ref);
/* Withdraws the request. False: it was claimed, and tasks will arrive. */
bool mailbox_withdraw_any(void);
bool mailbox_withdraw_from(int lane, uint64_t ref);

/* Claims a steal request. mailbox_claim_any: one to any thread, -1 if there is none; *more:
 * further requests. mailbox_claim_from: the one to this thread, for descendants of `ref`;
 * mailbox_requested only reads it. */
int mailbox_claim_any(unsigned *more);
bool mailbox_requested(int *lane, uint64_t *ref);
bool mailbox_claim_from(int lane, uint64_t ref);

/* Called for each barrier by all threads, also outside the team of `threads`: does it have a
 * phase? */
bool mailbox_has_phase(void (*code)(void *), int threads);
/* This thread of the team arrives at the phase. has_made: it has created tasks since its last. */
void mailbox_arrive(bool has_created);
bool mailbox_phase_is_over(void); /* polled until true, once for each phase */
/* Called by all threads between two phases, if some have taken no part in the last ones. A barrier
 * follows. */
void mailbox_resume(void);

#endif
