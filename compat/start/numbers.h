/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* numbers.h - the static HLRC locks that this library uses itself, from the upper end. */
#ifndef COMPAT_NUMBERS_H
#define COMPAT_NUMBERS_H

#include <hlrc.h>

enum {
    LOCK_CRITICAL = HLRC_STATIC_LOCKS - 1, /* unnamed critical regions */
    LOCK_NAMES = HLRC_STATIC_LOCKS - 2,    /* guards the locks of named ones */
    LOCK_ORDERED = HLRC_STATIC_LOCKS - 3,
    LOCK_FLUSH = HLRC_STATIC_LOCKS - 4,
    LOCK_ATOMIC = HLRC_STATIC_LOCKS - 5,  /* GOMP_atomic_start */
    LOCK_THREADS = HLRC_STATIC_LOCKS - 6, /* the table of threads */
    LOCK_KEYS = HLRC_STATIC_LOCKS - 7,    /* the table of keys */
    LOCK_EXCEPTIONS = HLRC_STATIC_LOCKS - 8,
    LOCK_DELEGATE = HLRC_STATIC_LOCKS - 9, /* calls that node 0 performs */
    LOCK_WORDS = HLRC_STATIC_LOCKS / 2,    /* the first for atomic words, by address */
    LOCK_WORDS_COUNT = HLRC_STATIC_LOCKS / 2 - 16,
    LOCK_MONITORS = HLRC_STATIC_LOCKS / 4, /* the first for monitors of objects, by address */
    LOCK_MONITORS_COUNT = HLRC_STATIC_LOCKS / 4
};

#endif
