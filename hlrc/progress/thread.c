/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* thread.c - see thread.h. */
#include "hlrc/progress/thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/futex.h"
#include "base/race.h"
#include "base/system_sigaction.h"
#include "hlrc/core/engine.h"
#include "hlrc/progress/altstack.h"
#include "hlrc/progress/uncounted.h"

static struct thread *slots;
static uint32_t slot_count;
static _Atomic uint32_t taken_count;
static pthread_key_t exit_key;
static bool have_key;
_Thread_local struct thread *thread_current;
bool thread_guards;

static void thread_release_slot(void *arg)
{
    struct thread *t = arg;
    thread_current = NULL;
    probe_current = NULL;
    if (!slots) /* the thread outlived hlrc_finalize */
        return;
    stats_clock_stop(&t->probe.clock);
    altstack_leave(t->index); /* the next thread of the slot gets it */
    atomic_fetch_sub(&taken_count, 1);
    atomic_store_explicit(&t->probe.taken, false, memory_order_release);
}

static struct probe_thread *progress_thread_take_slot(void)
{
    return &thread_take_slot()->probe;
}

int thread_init(uint32_t max)
{
    slot_count = max + THREADS_OWN;
    thread_guards = engine.config.signals == SIGNALS_MASK || race_watched();
    slots = aligned_alloc(64, (size_t)slot_count * sizeof *slots);
    uint64_t *versions = calloc(slot_count * FETCH_WORDS(engine.nodes), sizeof *versions);
    if (!slots || !versions || altstack_init(slot_count) != 0)
        return -ENOMEM;
    memset(slots, 0, (size_t)slot_count * sizeof *slots);
    atomic_store(&taken_count, 0);
    for (uint32_t i = 0; i < slot_count; i++) {
        slots[i].index = slots[i].probe.lane = i;
        slots[i].call_token = 2 * i;
        slots[i].cond_token = 2 * i + 1;
        slots[i].versions = versions + i * FETCH_WORDS(engine.nodes);
    }
    probe_slots =
        (struct probe_slots){ (char *)slots, sizeof *slots, slot_count, progress_thread_take_slot };
    if (!have_key && pthread_key_create(&exit_key, thread_release_slot) != 0)
        return -EAGAIN;
    have_key = true;
    return 0;
}

void hlrc_thread_uncounted(void)
{
    stats_clock_stop(&thread_self()->probe.clock);
}

void hlrc_thread_wait(_Atomic uint32_t *word, uint32_t value)
{
    struct thread *t = thread_enter();
    struct probe_span span = PROBE_BEGIN(lock_wait);
    futex_wait(word, value, -1);
    PROBE_END(lock_wait, span);
    thread_leave(t);
}

void thread_end(void)
{
    if (slots)
        free(slots[0].versions);
    free(slots);
    slots = NULL;
    thread_current = NULL;
    probe_current = NULL;
    probe_slots.count = 0;
}

struct thread *thread_take_slot(void)
{
    for (uint32_t i = 0; i < slot_count - THREADS_OWN; i++) {
        bool free_slot = false;
        if (atomic_compare_exchange_strong(&slots[i].probe.taken, &free_slot, true)) {
            thread_current = &slots[i];
            probe_current = &slots[i].probe;
            atomic_fetch_add(&taken_count, 1);
            slots[i].reused = slots[i].used;
            slots[i].used = true;
            atomic_store_explicit(&probe_current->trace.count, 0, memory_order_relaxed);
            (void)pthread_setspecific(exit_key, thread_current);
            stats_clock_start(&probe_current->clock);
            altstack_take(i);
            return thread_current;
        }
    }
    diag_fatal(1,
               "more than %u threads of one node use shared memory; raise --threads (HLRC_THREADS)",
               slot_count - THREADS_OWN);
}

uint32_t thread_taken(void)
{
    return atomic_load_explicit(&taken_count, memory_order_relaxed);
}

struct thread *thread_own(enum thread_of_runtime which)
{
    uint32_t slot = slot_count - THREADS_OWN + which;
    thread_current = &slots[slot];
    probe_current = &thread_current->probe;
    atomic_store(&probe_current->taken, true);
    return thread_current;
}

static _Atomic uint64_t handled_signals; /* as bits */

void thread_handles_signal(int sig, bool handled)
{
    uint64_t bit = UINT64_C(1) << (sig - 1);
    if (handled)
        handled_signals |= bit;
    else
        handled_signals &= ~bit;
}

/* Excludes signals of an error of the thread itself, and signals that end or stop a program. */
void thread_signals(sigset_t *set)
{
    static const int others[] = { SIGSEGV, SIGBUS,  SIGFPE, SIGILL,  SIGTRAP, SIGSYS,
                                  SIGABRT, SIGTERM, SIGINT, SIGQUIT, SIGHUP,  SIGTSTP };
    enum { ERRORS = 7 }; /* the first ones */
    sigfillset(set);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (i < ERRORS || !(handled_signals & UINT64_C(1) << (others[i] - 1)))
            sigdelset(set, others[i]);
}

void thread_guard(struct thread *t)
{
    if (t->inside == 0 && engine.config.signals == SIGNALS_MASK) {
        sigset_t set;
        thread_signals(&set);
        system_sigaction_mask(SIG_BLOCK, &set, &t->unmasked);
    }
    t->inside++;
    if (race_watched())
        race_ignore_begin();
}

void thread_unguard(struct thread *t)
{
    if (race_watched())
        race_ignore_end();
    t->inside--;
    if (t->inside == 0 && engine.config.signals == SIGNALS_MASK)
        system_sigaction_mask(SIG_SETMASK, &t->unmasked, NULL);
}

struct thread *thread_of_token(uint32_t token)
{
    return token < 2 * slot_count ? &slots[token / 2] : NULL;
}

struct thread *thread_slot(uint32_t index)
{
    return &slots[index];
}

uint32_t thread_max(void)
{
    return slot_count;
}

void thread_sleep(struct thread *t, bool (*done)(void *), void *arg, int64_t timeout_ns)
{
    uint32_t seen = atomic_load(&t->bell);
    atomic_store(&t->asleep, SLEEPS_ALONE);
    /* orders the write of asleep before the reads in done() [progress.sleep-test] */
    atomic_thread_fence(memory_order_seq_cst);
    PROBE(thread_announced);
    if (!done(arg))
        futex_wait(&t->bell, seen, timeout_ns);
    atomic_store(&t->asleep, AWAKE);
}

void thread_wake(struct thread *t)
{
    PROBE(thread_waking);
    /* orders the completion's write before the read of asleep [progress.sleep-test] */
    atomic_thread_fence(memory_order_seq_cst);
    switch (atomic_load_explicit(&t->asleep, memory_order_relaxed)) {
    case SLEEPS_ALONE:
        atomic_fetch_add(&t->bell, 1);
        futex_wake(&t->bell, 1);
        break;
    case SLEEPS_SERVING:
        fabric_rx_wake(engine.fabric, FABRIC_APP);
        break;
    default:
        break;
    }
}
