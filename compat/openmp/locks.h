/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* locks.h - the HLRC locks that this runtime uses itself. */
#ifndef COMPAT_LOCKS_H
#define COMPAT_LOCKS_H

#include <hlrc.h>
#include <stdbool.h>
#include <stdint.h>

#include "compat/openmp/lock_word.h"
#include "compat/start/numbers.h"

/* Callbacks of the task scheduler (scheduler.h). poll: before each lock. return_tasks: before a
 * wait for a lock of the program, if may_return. */
struct locks_watcher {
    void (*poll)(void);
    bool (*may_return)(void);
    void (*return_tasks)(void);
};
/* NULL: no tasks go from thread to thread. Set while one thread runs the program. */
extern const struct locks_watcher *locks_watcher __attribute__((visibility("hidden")));

/* All threads of the program run on this node: a lock is a word (lock_word.h). Changed only while
 * no lock is held, by the only thread that runs the program (gather.h). */
extern bool locks_are_words __attribute__((visibility("hidden")));
/* Some variable of the program may have the number of an HLRC lock. Never cleared. */
extern bool locks_have_numbers __attribute__((visibility("hidden")));

/* A lock of the program: a word, or an HLRC lock if `word` is NULL. */
struct locks_lock {
    _Atomic uint32_t *word;
    hlrc_lock_t number;
};
/* The lock in a variable of the program: its word, or the number of an HLRC lock plus
 * LOCKS_NUMBERS. It gets a number when it is used on several nodes, and keeps it. */
#define LOCKS_NUMBERS 4u
struct locks_lock locks_of_variable(_Atomic uint32_t *variable);
void locks_take_of_program(struct locks_lock lock);
bool locks_try(struct locks_lock lock);
void locks_drop_of_program(struct locks_lock lock);
/* Number of locks that the calling thread holds. */
extern _Thread_local unsigned locks_held __attribute__((visibility("hidden")));
/* Locks and ordered operations of this thread so far; atomic ones only if start_fences. */
extern _Thread_local uint64_t locks_syncs __attribute__((visibility("hidden")));

/* As locks_take_of_program and locks_drop_of_program, for a variable that is a word; the lock is
 * free. False: it is not a word, or not free, and nothing was done. */
static inline bool locks_take_free(_Atomic uint32_t *variable)
{
    if (!locks_are_words || locks_watcher || !lock_word_try(variable))
        return false;
    locks_held++;
    locks_syncs++;
    return true;
}

static inline bool locks_drop_word(_Atomic uint32_t *variable)
{
    if (!locks_are_words || locks_have_numbers)
        return false;
    if (lock_word_drop(variable) == LOCK_WORD_ZERO) { /* a lock that was not initialised */
        *variable = LOCK_WORD_ZERO;
        return false;
    }
    locks_held--;
    return true;
}
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
