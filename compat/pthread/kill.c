/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* kill.c - see kill.h. */
#include "compat/pthread/kill.h"

#include <errno.h>
#include <hlrc.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

#include "compat/process/carry.h"
#include "compat/process/catcher.h"
#include "compat/process/claim.h"
#include "compat/process/delegate.h"
#include "compat/process/signals.h"
#include "compat/pthread/table.h"
#include "compat/start/lane.h"
#include "compat/start/numbers.h"
#include "compat/start/start.h"

/* By the agent, which has not joined the thread. */
static void kill_thread_here(struct lane *lane, const siginfo_t *info)
{
    if (!lane)
        return;
    signals_get_handler(info->si_signo);
    if (start_away)
        delegate_send(lane, info);
    else
        carry_send(lane, info);
    catcher_call(lane);
}

/* Of the next signal that was sent to the thread. Under LOCK_THREADS. */
static siginfo_t kill_take(struct table_entry *e)
{
    siginfo_t info = { .si_signo = __builtin_ctzll(e->signals) + 1, .si_code = SI_TKILL };
    e->signals &= e->signals - 1;
    info.si_uid = getuid();
    if (info.si_signo == e->queued) {
        info.si_code = e->code;
        info.si_value = e->value;
        e->queued = 0;
    }
    return info;
}

void kill_deliver_sent(int node, kill_find_lane_fn *find, void (*cancel)(uint32_t entry))
{
    for (uint32_t i = 0; i <= TABLE_THREADS; i++) {
        struct table_entry *e = &table->entries[i];
        while (e->signals && e->node == node) {
            siginfo_t info = kill_take(e);
            bool runs = e->state == ENTRY_RUNNING;
            hlrc_unlock(LOCK_THREADS);
            if (runs && info.si_signo == KILL_CANCEL)
                cancel(i);
            else if (runs)
                kill_thread_here(find(i), &info);
            hlrc_lock(LOCK_THREADS);
        }
    }
}

/* ---- signals of the process ---- */

/* By the agent of another node than 0. */
static bool kill_offer_to(struct lane *lane, uint64_t signal)
{
    siginfo_t info;
    if (!lane || !claim_would_take(lane, signal) || !claim_take(signal, &info))
        return false;
    carry_note(lane, info.si_signo);
    carry_send(lane, &info);
    catcher_call(lane);
    return true;
}

static void kill_offer(int node, kill_find_lane_fn *find, uint64_t signal)
{
    bool taken = false;
    for (uint32_t i = 0; i <= TABLE_THREADS && !taken; i++) {
        const struct table_entry *e = &table->entries[i];
        if (e->state != ENTRY_RUNNING || e->node != node)
            continue;
        hlrc_unlock(LOCK_THREADS);
        taken = kill_offer_to(find(i), signal);
        hlrc_lock(LOCK_THREADS);
    }
}

void kill_deliver_offered(int node, kill_find_lane_fn *find)
{
    uint64_t offered = node != 0 ? table->offered : 0;
    for (; offered; offered &= offered - 1)
        kill_offer(node, find, offered & -offered);
}

/* ---- pthread_kill ---- */

struct kill_request {
    pthread_t name;
    int sig, rc;
    const struct kill_value *with; /* NULL: none */
};

/* Real-time signals are queued, so the agent takes one before the next is sent. */
static bool kill_is_counted(int sig)
{
    return sig >= SIGRTMIN && sig <= SIGRTMAX;
}

static bool kill_has_to_wait(const struct table_entry *e, const struct kill_request *k)
{
    bool full = kill_is_counted(k->sig) && e->signals & carry_bit(k->sig);
    return e->state != ENTRY_DONE && (full || (k->with && e->queued));
}

static void kill_perform(void *arg)
{
    struct kill_request *out = arg, k = *out;
    struct kill_value with = k.with ? *k.with : (struct kill_value){ 0 };
    hlrc_lock(LOCK_THREADS);
    struct table_entry *e = table_find(k.name);
    while (e && kill_has_to_wait(e, &k)) {
        hlrc_unlock(LOCK_THREADS);
        sched_yield();
        hlrc_lock(LOCK_THREADS);
        e = table_find(k.name);
    }
    k.rc = !e ? ESRCH : k.sig < 0 || k.sig > 64 ? EINVAL : 0;
    if (k.rc == 0 && k.sig && e->state != ENTRY_DONE) {
        e->signals |= carry_bit(k.sig);
        if (k.with) {
            e->queued = k.sig;
            e->code = with.code;
            e->value = with.value;
        }
        table->nodes[e->node].signals++;
        hlrc_cond_signal(table->nodes[e->node].news);
    }
    hlrc_unlock(LOCK_THREADS);
    out->rc = k.rc;
}

void kill_send_timer(pthread_t thread, int sig, union sigval value)
{
    (void)kill_send(thread, sig, &(struct kill_value){ SI_TIMER, value });
}

int kill_send(pthread_t thread, int sig, const struct kill_value *with)
{
    struct kill_request k = { .name = thread, .sig = sig, .with = with };
    lane_call(kill_perform, &k);
    return k.rc;
}
