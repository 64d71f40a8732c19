/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * delegate.h - calls of the C library whose effect belongs to the whole process: files, streams,
 * the working directory, the environment. Node 0 has the program's process. A thread of another
 * node sends such a call to node 0, where a thread of this library, its proxy, performs it.
 *
 *     thread of node n                     its proxy at node 0
 *        write(1, p, 5)  -- channel: function, words, signal mask, errno --> write(1, p, 5)
 *        5, errno       <-------------- result, errno ----------------------
 *
 * Invariants
 *   - A channel is used under its lock: the function sees the caller's stores, and the caller sees
 *     the function's.
 *   [delegate.own-proxy] A channel has a proxy for itself, and a thread uses one channel at a time.
 *       So a call that blocks holds up only its caller, and a stream that the caller has locked is
 *       locked by its proxy.
 *   [delegate.mask] During the call the proxy has the signal mask of the caller, otherwise it
 *       blocks all signals. So a signal of the process may interrupt the call, and its handler runs
 *       on the proxy, where pthread_self is the caller.
 *   [delegate.locale] During the call the proxy has the locale that the caller has set by
 *       uselocale. All nodes have it at the same address [locale.slot].
 *   [delegate.carries] Signals that are pending for the caller only, and blocked, are pending for
 *       the proxy during the call. So a signalfd has them, and sigtimedwait. One that is sent to
 *       the caller during the call goes to the proxy, and comes back if the call has not used it.
 *   [delegate.jumps] A handler or another function of the program that a proxy calls may leave by
 *       longjmp, to a setjmp of the caller. The proxy leaves the call, and the caller jumps.
 *   - Pointers are passed as they are: the program's variables, stacks and heap are shared.
 *     Thread-local variables and alternate stacks are not, so memory of known size is copied
 *     (delegate_buffer), and other calls with a thread-local variable end the job with a line.
 *   - Functions have the same address on all nodes (early.h).
 *   - On node 0 a call costs one test more, in a job of one process nothing (direct.c). Where node
 *     0 measures what other nodes would cost, it counts such calls.
 */
#ifndef COMPAT_DELEGATE_H
#define COMPAT_DELEGATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compat/start/lane.h"
#include "compat/start/start.h"

/* Any function whose arguments and result are words. */
typedef long delegate_fn(long, long, long, long, long, long);
#define DELEGATE_FN(fn) ((delegate_fn *)(void (*)(void))(fn))
#define DELEGATE_WORDS  6

/* Functions of the executable lie below, all others above. */
extern const char *delegate_program_end __attribute__((visibility("hidden")));

/* A buffer that node 0 may not be able to access: argument `at` points to it. */
struct delegate_buffer {
    int at;
    void *memory;
    size_t bytes;
    bool stores; /* the function may store to it */
    bool system; /* it is a system call, which fails with EFAULT if it cannot access the memory */
};

/* Performs the call at node 0. Returns its result and sets errno. `buffer` may be NULL. Either
 * stack. */
long delegate_call(delegate_fn *fn, const long words[DELEGATE_WORDS],
                   const struct delegate_buffer *buffer);
#define DELEGATE(fn, ...) delegate_call(DELEGATE_FN(fn), (const long[6]){ __VA_ARGS__ }, NULL)

/* Node 0 cannot access such an argument of another node: thread-local variables are on the private
 * stack. */
bool delegate_is_private(uintptr_t word);

/* Interrupts the call that node 0 performs for this thread of the caller's node, by a signal to its
 * proxy. False: there is none. */
struct lane;
bool delegate_interrupt(const struct lane *lane, int sig);
/* Sends a signal to this thread of the caller's node, as by pthread_kill, or with its value: to its
 * proxy during such a call. Not by the thread itself. */
void delegate_send(struct lane *lane, const siginfo_t *info);

/* Called by a thread before and after each call that is a cancellation point; NULL: by none. Set
 * by delegate_watch_points, after hlrc_init. */
extern void (*delegate_at_point)(void) __attribute__((visibility("hidden")));
void delegate_watch_points(void (*at_point)(void));
static inline void delegate_point(void)
{
    if (delegate_at_point)
        delegate_at_point();
}
/* This is another node than 0, or it has cancellation points. */
extern bool delegate_detours __attribute__((visibility("hidden")));

/* On node 0, from now on: each thread counts its calls (lane.h). */
void delegate_count_calls(void);
extern bool delegate_counts __attribute__((visibility("hidden")));
/* start_away or delegate_detours, or delegate_counts */
extern bool delegate_looks __attribute__((visibility("hidden")));
extern bool delegate_looks_at_points __attribute__((visibility("hidden")));

/* The calling thread makes such a call: does node 0 perform it for this node? */
static inline bool delegate_is_away(void)
{
    struct lane *l = __builtin_expect(delegate_counts, 0) ? lane_current : NULL;
    if (l)
        atomic_store_explicit(&l->calls, atomic_load_explicit(&l->calls, memory_order_relaxed) + 1,
                              memory_order_relaxed);
    return start_away;
}

/* Called by the functions of names.c; `count` of the words are arguments. It has another bit for a
 * cancellation point. */
#define DELEGATE_POINT 0x100
long delegate_words(long a, long b, long c, long d, long e, long f, delegate_fn *fn, int count)
    __attribute__((visibility("hidden")));

/* By a proxy, which performs a call: its caller, if that is a POSIX thread; otherwise 0. */
extern _Thread_local pthread_t delegate_caller __attribute__((visibility("hidden")));

/* The program has ended: ends the proxies. By node 0, on the private stack. */
void delegate_end(void);

#endif
