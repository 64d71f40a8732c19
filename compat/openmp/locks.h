/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* locks.h - the locks of HLRC that this runtime uses itself. */
#ifndef COMPAT_LOCKS_H
#define COMPAT_LOCKS_H

#include <hlrc.h>
#include <stdbool.h>

#include "compat/start/numbers.h"

/* Who has to do with locks that are taken: looks before each; where there is something to give
 * back, does so before one of the program is waited for. crew.h */
struct locks_watcher {
    void (*look)(void);
    bool (*may_give_back)(void);
    void (*give_back)(void);
};
void locks_watch(const struct locks_watcher *w); /* by a constructor */

/* Taken by the program, or for it, and let go of; how many the calling thread has. */
void locks_take_of_program(hlrc_lock_t lock);
bool locks_try(hlrc_lock_t lock);
unsigned locks_held(void);
/* The same where it is not held for longer than the call of this library. */
void locks_take(hlrc_lock_t lock);
void locks_drop(hlrc_lock_t lock);
/* What the holders of this lock have written before is seen, and what was written here by those
 * that follow. */
void locks_pass(hlrc_lock_t lock);

#endif
