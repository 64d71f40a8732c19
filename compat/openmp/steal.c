/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* steal.c - see steal.h. */
#include "compat/openmp/steal.h"

#include <assert.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/spin.h"
#include "compat/openmp/locks.h"
#include "compat/openmp/places.h"
#include "compat/openmp/team_place.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

/* In TSC ticks, of which two or three are a nanosecond. */
#define ASK_AFTER     10000   /* idle ticks */
#define ASK_OTHERS    2000000 /* ticks without an answer */
#define SPIN_UNTIL    50000   /* idle ticks; then it sleeps */
#define REST_MOST_NS  500000
#define LOOK_LEAST    2000
#define LOOK_SHARE    16 /* least time between polls, in durations of a poll */
#define SKIPS         8
#define SHARE_SENDING 4 /* the same after a poll that sends tasks or reads the mailbox */

static uint64_t steal_ticks(void)
{
#ifdef __x86_64__
    return __builtin_ia32_rdtsc();
#else
    return 2 * (uint64_t)clock_ns();
#endif
}

static int steal_me(void)
{
    return lane_current->index;
}

/* ---- tasks of this thread that others have ---- */

static void steal_link_sent(struct task *t)
{
    t->prev = NULL;
    t->next = task_state.sent;
    if (t->next)
        t->next->prev = t;
    task_state.sent = t;
    task_state.sent_count++;
}

static void steal_unlink_sent(struct task *t)
{
    if (t->prev)
        t->prev->next = t->next;
    else
        task_state.sent = t->next;
    if (t->next)
        t->next->prev = t->prev;
    task_state.sent_count--;
}

static void steal_hear_report(uint64_t what)
{
    struct task *t = (struct task *)(uintptr_t)(what & ~REPORT_BITS);
    if (what & REPORT_CANCELLED)
        taskgroup_cancel(t->group);
    if (what & REPORT_DONE)
        task_state_done(t);
    if (!(what & (REPORT_GONE | REPORT_BACK)))
        return;
    steal_unlink_sent(t);
    if (what & REPORT_BACK) {
        task_state_push(t);
        return;
    }
    t->data = NULL; /* freed by the thread that ran it */
    task_state_complete(t);
    task_free(t);
}

/* ---- tasks received ---- */

static struct task *steal_unpack(const struct task_message *g, struct task_batch *p)
{
    struct task *t = task_allocate(g->data ? 0 : g->bytes);
    t->fn = g->fn;
    t->bytes = g->bytes;
    t->align = g->align;
    t->final = g->final;
    t->alone = g->alone;
    t->copied = g->copied;
    t->settings = g->settings;
    t->group = &p->group;
    t->origin = g->origin;
    t->ref = g->ref;
    t->placed = g->data != NULL;
    t->data = g->data ? g->data : t->room;
    if (!g->data)
        memcpy(t->room, g->room, g->bytes);
    return t;
}

static void steal_accept(const struct mailbox_contents *contents, struct task_wait *w)
{
    struct task_batch *p = calloc(1, sizeof *p);
    if (!p)
        start_fail("omp task: no memory");
    p->group.batch = p;
    p->group.reductions = contents->task[0].reductions;
    p->wait = w;
    p->unstarted = contents->tasks;
    w->batches++;
    w->unstarted += contents->tasks;
    for (unsigned k = 0; k < contents->tasks; k++)
        task_state_push(steal_unpack(&contents->task[k], p));
    task_state.request = REQUEST_NONE;
}

/* On the private stack. False: nothing new. `w`: NULL if the thread has sent no request. */
static bool steal_read_mailbox(struct task_wait *w)
{
    unsigned count = mailbox_count();
    if (count == task_state.mailbox_seen)
        return false;
    task_state.mailbox_seen = count;
    if (!task_state.received)
        task_state.received = malloc(sizeof *task_state.received);
    if (!task_state.received)
        start_fail("omp task: no memory");
    mailbox_empty(task_state.received);
    for (unsigned k = 0; k < task_state.received->reports; k++)
        steal_hear_report(task_state.received->report[k]);
    if (task_state.received->tasks)
        steal_accept(task_state.received, w);
    return true;
}

/* ---- tasks to send ---- */

static bool steal_comes_from(const struct task *t, int lane, uint64_t ref)
{
    return t->origin >= 0 ? t->origin == lane && t->ref == ref
                          : t->top_lane == lane && t->top_ref == ref;
}

/* The same waiter. */
static bool steal_are_alike(const struct task *a, const struct task *b)
{
    return a->alone == b->alone && a->origin == b->origin && a->family == b->family &&
           a->group == b->group;
}

/* A task received by this thread has been sent on. */
static void steal_forget(struct task *t)
{
    t->data = NULL;
    t->group->batch->wait->unstarted--;
    t->group->batch->unstarted--;
    task_batch_close(t->group->batch);
    task_free(t);
}

bool steal_may_return(void)
{
    for (unsigned k = 0; k < task_state.queued; k++)
        if (task_state.queue[k]->origin >= 0 && task_state.queue[k]->alone)
            return true;
    return false;
}

void steal_return(void)
{
    for (unsigned k = task_state.queued; k > 0; k--) {
        struct task *t = task_state.queue[k - 1];
        if (t->origin < 0 || !t->alone)
            continue;
        task_report_queue(t->origin, t->ref | REPORT_BACK);
        steal_forget(task_state_remove(k - 1));
    }
    task_report_send();
}

static void steal_pack(struct task_message *g, struct task *t, int to)
{
    if (!t->placed && t->bytes > SENT_ROOM)
        task_place(t);
    *g = (struct task_message){ .fn = t->fn,
                                .data = t->placed ? t->data : NULL,
                                .bytes = t->bytes,
                                .align = t->align,
                                .origin = t->origin >= 0 ? t->origin : steal_me(),
                                .final = t->final,
                                .alone = t->alone,
                                .copied = t->copied,
                                .ref = t->origin >= 0 ? t->ref : (uintptr_t)t,
                                .reductions = t->group ? t->group->reductions : NULL,
                                .settings = t->settings };
    if (!t->placed)
        memcpy(g->room, t->data, t->bytes);
    if (t->origin >= 0) {
        steal_forget(t);
        return;
    }
    t->sent_to = to;
    steal_link_sent(t);
}

/* Number of tasks in a row from k on that are alike. */
static unsigned steal_count_alike(unsigned k)
{
    unsigned n = 1;
    while (k + n < task_state.queued && n < BATCH_MOST &&
           steal_are_alike(task_state.queue[k], task_state.queue[k + n]))
        n++;
    return n;
}

/* Sends one of `shares` shares of the tasks from k on that are alike. The batch is allocated, since
 * thread-local variables take room on the stack of every thread of the program. */
static void steal_send(int to, unsigned k, unsigned shares)
{
    static _Thread_local struct task_message *batch;
    if (!batch && !(batch = malloc(BATCH_MOST * sizeof *batch)))
        start_fail("omp task: no memory");
    unsigned n = steal_count_alike(k);
    n = n > shares ? n / shares : 1;
    for (unsigned i = 0; i < n; i++)
        steal_pack(&batch[i], task_state_remove(k), to);
    mailbox_put_tasks(to, batch, n);
}

static bool steal_may_send(void)
{
    return task_state.queued > 0 && task_state.sent_count + BATCH_MOST <= SENT_MOST;
}

static bool steal_send_to_thread(void)
{
    int lane;
    uint64_t ref;
    if (!mailbox_requested(&lane, &ref))
        return false;
    for (unsigned k = 0; k < task_state.queued; k++)
        if (steal_comes_from(task_state.queue[k], lane, ref)) {
            if (!mailbox_claim_from(lane, ref))
                return false;
            steal_send(lane, k, 2);
            return true;
        }
    return false;
}

/* On the private stack. */
static bool steal_send_some(void)
{
    unsigned more = 0;
    bool any = steal_may_send() && steal_send_to_thread();
    while (steal_may_send()) {
        int lane = mailbox_claim_any(&more);
        if (lane < 0)
            break;
        steal_send(lane, 0, more + 2);
        any = true;
    }
    return any;
}

static void steal_poll_now(void *arg)
{
    uint64_t from = steal_ticks();
    (void)arg;
    bool heard = task_state.sent_count && steal_read_mailbox(NULL);
    bool any = steal_send_some();
    task_state.polled = steal_ticks();
    task_state.interval = (task_state.polled - from) * (any || heard ? SHARE_SENDING : LOOK_SHARE);
    if (task_state.interval < LOOK_LEAST)
        task_state.interval = LOOK_LEAST;
}

/* Where tasks are short, most calls do not even read the clock. */
void steal_poll(void)
{
    uint64_t since;
    if (task_state.skip > 0) {
        task_state.skip--;
        return;
    }
    if (!task_state.queued && !task_state.sent_count)
        return;
    since = steal_ticks() - task_state.polled;
    if (since >= task_state.interval)
        lane_call(steal_poll_now, NULL);
    else
        task_state.skip = SKIPS;
}

/* ---- steal requests ---- */

static bool steal_try_withdraw(void)
{
    return task_state.request == REQUEST_ANY
               ? mailbox_withdraw_any()
               : mailbox_withdraw_from(task_state.request_thread, task_state.request_ref);
}

static void steal_withdraw_now(void *arg)
{
    struct task_wait *w = arg;
    if (task_state.request == REQUEST_NONE)
        return;
    if (steal_try_withdraw())
        task_state.request = REQUEST_NONE;
    while (task_state.request != REQUEST_NONE)
        if (!steal_read_mailbox(w))
            sched_yield();
}

bool steal_withdraw(struct task_wait *w)
{
    unsigned before = w->batches;
    if (task_state.request != REQUEST_NONE)
        lane_call(steal_withdraw_now, w);
    return w->batches == before;
}

/* The next awaited task that was sent to another thread, after the one of the last request. */
static const struct task *steal_choose_task(const struct task_wait *w)
{
    const struct task *first = NULL, *t;
    bool behind = false;
    for (t = task_state.sent; t; t = t->next) {
        if (!task_wait_is_for(w, t))
            continue;
        if (behind)
            return t;
        if (!first)
            first = t;
        behind = (uintptr_t)t == task_state.request_ref;
    }
    return first;
}

static void steal_send_request(const struct task_wait *w, uint64_t now)
{
    const struct task *t;
    task_state.request_at = now;
    if (w->all && !w->batches) {
        mailbox_request_any();
        task_state.request = REQUEST_ANY;
        return;
    }
    t = locks_held ? NULL : steal_choose_task(w);
    if (!t || !mailbox_request_from(t->sent_to, (uintptr_t)t))
        return;
    task_state.request = REQUEST_ONE;
    task_state.request_thread = t->sent_to;
    task_state.request_ref = (uintptr_t)t;
}

static void steal_back_off(uint64_t so_far)
{
    if (so_far < SPIN_UNTIL && start_crowded) {
        sched_yield();
        return;
    }
    if (so_far < SPIN_UNTIL) {
        for (int k = 0; k < 20; k++)
            spin_cpu_relax();
        return;
    }
    long ns = so_far / 16 > REST_MOST_NS ? REST_MOST_NS : (long)(so_far / 16);
    (void)nanosleep(&(struct timespec){ .tv_nsec = ns }, NULL);
}

/* ---- a step ---- */

static void steal_step_now(void *arg)
{
    struct task_wait *w = arg;
    uint64_t now = steal_ticks();
    task_report_send();
    if (steal_read_mailbox(w)) {
        w->since = 0;
        return;
    }
    w->is_over = w->over(w);
    if (w->is_over && w->batches == 0) {
        steal_withdraw_now(w);
        return;
    }
    if (steal_send_some())
        w->since = 0;
    if (w->since == 0)
        w->since = now;
    if (task_state.request == REQUEST_ONE && now - task_state.request_at > ASK_OTHERS)
        steal_withdraw_now(w);
    else if (task_state.request == REQUEST_NONE && now - w->since > ASK_AFTER)
        steal_send_request(w, now);
    steal_back_off(now - w->since);
}

void steal_step(struct task_wait *w)
{
    if (!mailbox_exists() || !lane_is_numbered() || team_place.nest) {
        w->is_over = w->over(w);
        if (!w->is_over)
            sched_yield();
        return;
    }
    lane_call(steal_step_now, w);
}
