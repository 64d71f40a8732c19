/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * race.h - annotations for ThreadSanitizer, in a program built with it. It sees the accesses of
 * the program and the calls of the C library that both make; these annotations give it the order
 * that HLRC establishes. It checks the threads of one node; it does not see other nodes.
 *
 *   - A thread that takes a lock from a thread of its node is ordered after what that thread did
 *     before the release. A thread that acquires in any other way may have been notified through
 *     other nodes: it is ordered after all releases by threads of its node.
 *   - The runtime's accesses to pages and tables are not checked: the sanitizer does not know their
 *     order.
 *
 * Without the sanitizer each call only tests a pointer.
 */
#ifndef HLRC_RACE_H
#define HLRC_RACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The sanitizer's runtime; NULL without it. Clang exports no __tsan_ignore_thread_begin(). */
void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));
void AnnotateIgnoreReadsBegin(const char *file, int line) __attribute__((weak));
void AnnotateIgnoreReadsEnd(const char *file, int line) __attribute__((weak));
void AnnotateIgnoreWritesBegin(const char *file, int line) __attribute__((weak));
void AnnotateIgnoreWritesEnd(const char *file, int line) __attribute__((weak));

/* Objects of the sanitizer's order: all releases of this node; locks, several of which may share
 * one. */
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

/* Before the release: the next owner may be another node, or a thread of this one. */
static inline void race_unlock(uint32_t lock)
{
    if (race_watched()) {
        __tsan_release(&race_locks[lock % RACE_LOCKS]);
        __tsan_release(&race_node);
    }
}

/* Calls nest. */
void race_ignore_begin(void);
void race_ignore_end(void);

#endif
