/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * race.h - what ThreadSanitizer is told, where the program was built with it. It sees the accesses
 * of the program and what both call of the C library; of the order that HLRC makes it knows what
 * is said here. It judges the threads of a node; what other nodes do, it does not see.
 *
 *   RC1  A thread that takes a lock from a thread of its node is behind what that one did before it
 *        let go. A thread that acquires in any other way may have got the news over other nodes: it
 *        is behind all that threads of its node have released.
 *   RC2  What the runtime does to pages and tables is not judged: its own order is not known.
 *
 * In other programs each call is a look at a pointer.
 */
#ifndef HLRC_RACE_H
#define HLRC_RACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of the sanitizer's runtime; NULL without it. Clang exports no __tsan_ignore_thread_begin(). */
void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));
void AnnotateIgnoreReadsBegin(const char *file, int line) __attribute__((weak));
void AnnotateIgnoreReadsEnd(const char *file, int line) __attribute__((weak));
void AnnotateIgnoreWritesBegin(const char *file, int line) __attribute__((weak));
void AnnotateIgnoreWritesEnd(const char *file, int line) __attribute__((weak));

/* Stand for what is ordered: all that this node has released; locks, of which some share one. */
#define RACE_LOCKS 4096
extern uint64_t race_node __attribute__((visibility("hidden")));
extern uint64_t race_locks[RACE_LOCKS] __attribute__((visibility("hidden")));

static inline bool race_watched(void)
{
    return __tsan_acquire != NULL;
}

static inline void race_acquire(void)
{
    if (race_watched())
        __tsan_acquire(&race_node);
}

static inline void race_release(void)
{
    if (race_watched())
        __tsan_release(&race_node);
}

static inline void race_lock(uint32_t lock)
{
    if (race_watched())
        __tsan_acquire(&race_locks[lock % RACE_LOCKS]);
}

/* Before it is let go of: it may go to another node, or to a thread of this one. */
static inline void race_unlock(uint32_t lock)
{
    if (race_watched()) {
        __tsan_release(&race_locks[lock % RACE_LOCKS]);
        __tsan_release(&race_node);
    }
}

/* RC2; they nest. */
void race_ignore_begin(void);
void race_ignore_end(void);

#endif
