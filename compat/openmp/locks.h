/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* locks.h - the locks of HLRC that this runtime uses itself: static ones, from the upper end. */
#ifndef COMPAT_LOCKS_H
#define COMPAT_LOCKS_H

#include <hlrc.h>

enum {
    LOCK_CRITICAL = HLRC_STATIC_LOCKS - 1, /* without a name */
    LOCK_NAMES = HLRC_STATIC_LOCKS - 2,    /* guards which lock a name has */
    LOCK_ORDERED = HLRC_STATIC_LOCKS - 3,
    LOCK_FLUSH = HLRC_STATIC_LOCKS - 4,
    LOCK_ATOMIC = HLRC_STATIC_LOCKS - 5, /* GOMP_atomic_start */
    LOCK_WORDS = HLRC_STATIC_LOCKS / 2,  /* the first of those of atomic words, by address */
    LOCK_WORDS_COUNT = HLRC_STATIC_LOCKS / 2 - 16
};

/* On the private stack. */
void locks_take(hlrc_lock_t lock);
void locks_drop(hlrc_lock_t lock);
/* What the holders of this lock have written before is seen, and what was written here by those
 * that follow. */
void locks_pass(hlrc_lock_t lock);

#endif
