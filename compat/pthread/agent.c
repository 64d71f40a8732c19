/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* agent.c - see agent.h. */
#include "compat/pthread/agent.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat/process/catcher.h"
#include "compat/process/pending.h"
#include "compat/pthread/balance.h"
#include "compat/pthread/cancel.h"
#include "compat/pthread/kill.h"
#include "compat/pthread/limits.h"
#include "compat/start/lane.h"
#include "compat/start/numbers.h"
#include "compat/start/start.h"

enum { MOVE_TRIES = 5000 }; /* about a millisecond each */

static struct lane lanes[TABLE_THREADS + 1]; /* of this node's threads, by entry */
static bool started[TABLE_THREADS + 1];
static uint32_t started_count;
static struct lane *main_lane; /* of node 0 */
static pthread_t agent_thread; /* node 0's */
static uint32_t per_node;
static void *(*thread_body)(void *entry);

void agent_has_main(struct lane *lane)
{
    main_lane = lane;
}

static struct lane *agent_lane(uint32_t entry)
{
    return entry == 0 ? main_lane : started[entry] ? &lanes[entry] : NULL;
}

static void agent_cancel(uint32_t entry)
{
    const struct lane *lane = agent_lane(entry);
    if (lane)
        cancel_request(entry, lane);
}

/* ---- threads of this node ---- */

#if defined(__has_attribute) && __has_attribute(no_stack_protector)
#    define UNGUARDED __attribute__((no_stack_protector))
#else
#    define UNGUARDED
#endif

static void agent_reap(uint32_t entry)
{
    if (!started[entry])
        return;
    pthread_join(lanes[entry].thread, NULL);
    started[entry] = false;
    started_count--;
}

/* An ending thread uses an HLRC thread slot until it is gone. */
static void agent_reap_ended(void)
{
    bool ended[TABLE_THREADS + 1];
    hlrc_lock(LOCK_THREADS);
    for (uint32_t i = 1; i <= TABLE_THREADS; i++) {
        const struct table_entry *e = &table->entries[i];
        ended[i] = e->state != ENTRY_RUNNING || e->node != hlrc_node_id();
    }
    hlrc_unlock(LOCK_THREADS);
    for (uint32_t i = 1; i <= TABLE_THREADS; i++)
        if (ended[i])
            agent_reap(i);
}

/* The stack protector's value of the calling thread, which threads that it starts get. */
UNGUARDED static uintptr_t agent_swap_guard(uintptr_t to)
{
    uintptr_t was = 0;
#ifndef __x86_64__
    (void)to;
#else
    __asm__ volatile("movq %%fs:0x28, %0\n\tmovq %1, %%fs:0x28" : "=&r"(was) : "r"(to) : "memory");
#endif
    return was;
}

/* A thread that moves is not refused: its place on the node that it left is about to be free. */
static bool agent_retries(uint32_t entry, int *tries)
{
    return table->entries[entry].frames && (*tries)++ < MOVE_TRIES && usleep(1000) == 0;
}

static int agent_start_thread(uint32_t entry)
{
    int tries = 0, rc;
    do {
        uintptr_t own = agent_swap_guard(table->guard); /* [move.equal] */
        rc = start_thread(&lanes[entry], (int)entry - 1, thread_body, (void *)(uintptr_t)entry);
        (void)agent_swap_guard(own);
    } while (rc == -EAGAIN && agent_retries(entry, &tries));
    return rc;
}

static void agent_report(uint32_t entry, bool ok)
{
    hlrc_lock(LOCK_THREADS);
    table_report_start(entry, ok);
    hlrc_unlock(LOCK_THREADS);
}

static void agent_start(uint32_t entry)
{
    agent_reap(entry);
    if (started_count >= per_node)
        agent_reap_ended();
    cancel_prepare(entry);
    bool awaited = table->entries[entry].awaited && !table->entries[entry].frames;
    int rc = agent_start_thread(entry);
    if (rc && !awaited)
        start_fail("cannot start a thread: %s; raise the limit on processes (ulimit -u)",
                   strerror(-rc));
    started[entry] = rc == 0;
    started_count += rc == 0;
    if (awaited)
        agent_report(entry, rc == 0);
}

/* ---- the agent ---- */

static void agent_flush(void)
{
    hlrc_unlock(LOCK_THREADS);
    fflush(NULL);
    hlrc_lock(LOCK_THREADS);
    if (++table->flushed == (uint32_t)hlrc_node_count())
        monitor_queue_wake_all(&table->all_flushed);
}

void agent_serve(void)
{
    lane_block_signals(NULL); /* they are for the program's threads */
    int node = hlrc_node_id();
    enum table_closing seen = OPEN;
    hlrc_lock(LOCK_THREADS);
    limits_observe();
    while (hlrc_atomic_load(table->ended) == 0) {
        balance_heed();
        uint32_t entry = table_take(node);
        if (entry) {
            limits_observe();
            hlrc_unlock(LOCK_THREADS);
            agent_start(entry);
            hlrc_lock(LOCK_THREADS);
        } else if (table->nodes[node].signals) {
            table->nodes[node].signals = 0;
            kill_deliver_sent(node, agent_lane, agent_cancel);
            kill_deliver_offered(node, agent_lane);
        } else if (table->closing != seen) {
            seen = FLUSH;
            agent_flush();
        } else {
            hlrc_cond_wait(table->nodes[node].news, LOCK_THREADS);
        }
    }
    hlrc_unlock(LOCK_THREADS);
    catcher_end();
    for (uint32_t i = 1; i <= TABLE_THREADS; i++)
        agent_reap(i);
}

/* What a handler has stored is seen on another node once the agent there has acquired it. */
static void agent_wake_others(void)
{
    hlrc_lock(LOCK_THREADS);
    for (int n = 0; n < hlrc_node_count(); n++) {
        table->nodes[n].signals++;
        hlrc_cond_signal(table->nodes[n].news);
    }
    hlrc_unlock(LOCK_THREADS);
}

/* Other nodes' agents look which of their threads takes them. */
static void agent_offer(uint64_t signals)
{
    hlrc_lock(LOCK_THREADS);
    table->offered = signals;
    for (int n = 1; n < hlrc_node_count(); n++) {
        table->nodes[n].signals++;
        hlrc_cond_signal(table->nodes[n].news);
    }
    hlrc_unlock(LOCK_THREADS);
}

static void *agent_run(void *arg)
{
    (void)arg;
    agent_serve();
    return NULL;
}

void agent_begin(void *(*body)(void *entry), uint32_t most)
{
    thread_body = body;
    per_node = most;
    catcher_handled = agent_wake_others;
    catcher_offer = agent_offer;
    pending_send_to = kill_send_timer;
    if (hlrc_node_id() != 0)
        return;
    table->guard = agent_swap_guard(0);
    (void)agent_swap_guard(table->guard);
    int rc = pthread_create(&agent_thread, NULL, agent_run, NULL);
    if (rc)
        start_fail("cannot start a thread: %s", strerror(rc));
}

void agent_end(void)
{
    pthread_join(agent_thread, NULL);
}

void agent_close(enum table_closing how)
{
    hlrc_lock(LOCK_THREADS);
    table->closing = how;
    if (how == END)
        table_end();
    else
        table_tell_all();
    if (how == FLUSH && table->flushed < (uint32_t)hlrc_node_count())
        (void)monitor_queue_wait(&table->all_flushed, LOCK_THREADS, 0, NULL);
    hlrc_unlock(LOCK_THREADS);
    catcher_unblock();
    balance_report();
}
