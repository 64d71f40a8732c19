/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* kill.c - see kill.h. */
#include "compat/pthread/kill.h"

#include <errno.h>
#include <hlrc.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>

#include "compat/process/carry.h"
#include "compat/process/delegate.h"
#include "compat/process/signals.h"
#include "compat/pthread/table.h"
#include "compat/start/lane.h"
#include "compat/start/numbers.h"
#include "compat/start/start.h"

/* By the agent, which has not joined the thread. */
static void kill_thread_here(struct lane *lane, int sig)
{
    if (!lane)
        return;
    signals_get_handler(sig);
    if (start_away)
        delegate_send(lane, sig);
    else
        (void)pthread_kill(lane->thread, sig);
}

void kill_deliver_sent(int node, kill_find_lane_fn *find, void (*cancel)(uint32_t entry))
{
    for (uint32_t i = 0; i <= TABLE_THREADS; i++) {
        struct table_entry *e = &table->entries[i];
        while (e->signals && e->node == node) {
            int sig = __builtin_ctzll(e->signals) + 1;
            e->signals &= e->signals - 1;
            bool runs = e->state == ENTRY_RUNNING;
            hlrc_unlock(LOCK_THREADS);
            if (runs && sig == KILL_CANCEL)
                cancel(i);
            else if (runs)
                kill_thread_here(find(i), sig);
            hlrc_lock(LOCK_THREADS);
        }
    }
}

struct kill_request {
    pthread_t name;
    int sig, rc;
};

/* Real-time signals are queued, so the agent takes one before the next is sent. */
static bool kill_is_counted(int sig)
{
    return sig >= SIGRTMIN && sig <= SIGRTMAX;
}

static void kill_perform(void *arg)
{
    struct kill_request *out = arg, k = *out;
    hlrc_lock(LOCK_THREADS);
    struct table_entry *e = table_find(k.name);
    while (e && kill_is_counted(k.sig) && e->state != ENTRY_DONE && e->signals & carry_bit(k.sig)) {
        hlrc_unlock(LOCK_THREADS);
        sched_yield();
        hlrc_lock(LOCK_THREADS);
        e = table_find(k.name);
    }
    k.rc = !e ? ESRCH : k.sig < 0 || k.sig > 64 ? EINVAL : 0;
    if (k.rc == 0 && k.sig && e->state != ENTRY_DONE) {
        e->signals |= carry_bit(k.sig);
        table->nodes[e->node].signals++;
        hlrc_cond_signal(table->nodes[e->node].news);
    }
    hlrc_unlock(LOCK_THREADS);
    out->rc = k.rc;
}

int kill_send(pthread_t thread, int sig)
{
    struct kill_request k = { .name = thread, .sig = sig };
    lane_call(kill_perform, &k);
    return k.rc;
}
