/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* locks.h - the HLRC locks that this runtime uses itself. */
#ifndef COMPAT_LOCKS_H
#define COMPAT_LOCKS_H

#include <hlrc.h>
#include <stdbool.h>
#include <stdint.h>

#include "compat/start/numbers.h"

/* Callbacks of the task scheduler (scheduler.h). poll: before each lock. return_tasks: before a
 * wait for a lock of the program, if may_return. */
struct locks_watcher {
    void (*poll)(void);
    bool (*may_return)(void);
    void (*return_tasks)(void);
};
void locks_watch(const struct locks_watcher *w); /* by a constructor */

/* All threads of the program run on this node until it ends: a lock is a word of the program
 * (lock_word.h), and no HLRC lock is used. */
extern bool locks_are_words __attribute__((visibility("hidden")));
/* Lock, try, unlock for the program: `word` if locks_are_words, otherwise `lock`. */
void locks_take_of_program(hlrc_lock_t lock, _Atomic uint32_t *word);
bool locks_try(hlrc_lock_t lock, _Atomic uint32_t *word);
void locks_drop_of_program(hlrc_lock_t lock, _Atomic uint32_t *word);
/* Number of locks that the calling thread holds. */
unsigned locks_held(void);
/* Locks and ordered operations of this thread so far; atomic ones only if start_fences. */
extern _Thread_local uint64_t locks_syncs __attribute__((visibility("hidden")));
/* The same for locks held only within a call of this library. */
void locks_take(hlrc_lock_t lock);
void locks_drop(hlrc_lock_t lock);
/* No release and acquire without a lock: recordings (--trace-sim) have none, or the fabric. */
extern bool locks_only __attribute__((visibility("hidden")));
/* Releases what this thread wrote, acquires what other threads released; false: nothing new. */
void locks_release(void);
bool locks_acquire(void);
/* Acquires and releases the lock: sees what its earlier holders wrote, and later holders see what
 * this thread wrote. */
void locks_pass(hlrc_lock_t lock);

#endif
