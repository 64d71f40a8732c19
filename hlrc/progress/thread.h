/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * thread.h - the application threads of a node.
 *
 * A thread takes a slot at its first fault or call and frees it when it ends. The slot carries the
 * thread's tokens (msg.h), what it needs to sleep, and its share of the statistics. Slots are made
 * at start. Taking one allocates nothing, so it may happen inside the fault handler.
 *
 *   [thread.no-fault] From thread_enter to thread_leave a thread may hold locks of the engine, the
 *       progress lock and unanswered requests. It does not touch the application's view there. So a
 *       fault in this section is that of a signal handler that interrupted the thread, and cannot
 *       be resolved. It ends the program with a line (fault.c), or with --signals mask the handler
 *       waits until thread_leave. While a fault is resolved signals are blocked anyway
 *       [thread.no-fault].
 */
#ifndef HLRC_THREAD_H
#define HLRC_THREAD_H

#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "hlrc/probe/probe.h"

enum thread_sleep_state {
    AWAKE,
    SLEEPS_ALONE /* on its futex word `bell` */,
    SLEEPS_SERVING /* on the receive queue */
};

struct thread {
    alignas(64) struct probe_thread probe; /* first: probe_slots */
    /* wake_seq: futex word, raised by the thread that completes the wait */
    alignas(64) _Atomic uint32_t bell;
    /* written by the thread; read by the completing thread (full fences on both sides) */
    _Atomic int asleep;
    /* a thread has had the slot, another had it before; written by the taking thread */
    bool used, reused;
    /* nesting depth of thread_enter [thread.no-fault]; also read by handlers that interrupt the
     * thread */
    volatile int inside;
    sigset_t unmasked;          /* signal mask before the outermost thread_enter */
    const void *_Atomic awaits; /* key of its progress_await; NULL: none */
    uint32_t index;
    /* requests of this thread: at most one outstanding on each */
    uint32_t call_token, cond_token;
    /* FETCH_WORDS: scratch of a page fetch */
    uint64_t *versions;
};

/* Slots for the runtime's own threads, the last ones. */
enum thread_of_runtime { THREAD_WORKER, THREAD_TELLER, THREADS_OWN };

int thread_init(uint32_t max); /* maximum of application threads */
void thread_end(void);
extern _Thread_local struct thread *thread_current __attribute__((visibility("hidden")));
/* Ends the program with a line if there are too many threads. */
struct thread *thread_take_slot(void);
static inline struct thread *thread_self(void)
{
    return thread_current ? thread_current : thread_take_slot();
}
/* Takes that slot for the calling thread, whose time is not counted. */
struct thread *thread_own(enum thread_of_runtime which);
struct thread *thread_of_token(uint32_t token); /* NULL for tokens that belong to no thread */
uint32_t thread_taken(void);                    /* application threads that have one */
struct thread *thread_slot(uint32_t index);     /* of thread_max() slots, taken or not */
uint32_t thread_max(void);                      /* including the runtime's */

/* True if thread_enter has to do more than count: block signals, or notify a sanitizer. Written by
 * thread_init. */
extern bool thread_guards __attribute__((visibility("hidden")));
void thread_guard(struct thread *t);
void thread_unguard(struct thread *t);

/* Encloses code that takes locks or the progress lock, or sends requests [thread.no-fault]. */
static inline struct thread *thread_enter(void)
{
    struct thread *t = thread_self();
    if (thread_guards)
        thread_guard(t);
    else
        t->inside++;
    return t;
}

static inline void thread_leave(struct thread *t)
{
    if (thread_guards)
        thread_unguard(t);
    else
        t->inside--;
}

/* the signals that are blocked while a thread is inside, or a fault is resolved */
void thread_signals(sigset_t *set);
/* The program handles this signal, or no longer: thread_signals has one that ends it only then. */
void thread_handles_signal(int sig, bool handled);

/* Announces the sleep; then sleeps unless done(arg) holds, until thread_wake, at most timeout_ns
 * (negative: no limit). Serves nothing: only progress.h waits and serves. */
void thread_sleep(struct thread *t, bool (*done)(void *), void *arg, int64_t timeout_ns);
void thread_wake(struct thread *t); /* costs nothing unless it sleeps */

#endif
