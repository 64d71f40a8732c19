/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * object_lock.h - the locks of which POSIX objects consist: HLRC's. A forked child is no node of
 * the job: there they are words in its memory. In it, locks held at the fork are free: it has only
 * one of the threads that could hold them.
 */
#ifndef COMPAT_OBJECT_LOCK_H
#define COMPAT_OBJECT_LOCK_H

#include <hlrc.h>
#include <stdatomic.h>
#include <stdint.h>

#include "compat/start/start.h"

int object_lock_create_here(hlrc_lock_t *lock);
void object_lock_take_here(hlrc_lock_t lock);
int object_lock_try_here(hlrc_lock_t lock);
void object_lock_drop_here(hlrc_lock_t lock);

/* As hlrc_lock_create and so on. All on the private stack. */
static inline int object_lock_create(hlrc_lock_t *lock)
{
    return start_is_child ? object_lock_create_here(lock) : hlrc_lock_create(lock);
}

static inline void object_lock_destroy(hlrc_lock_t lock)
{
    if (!start_is_child)
        hlrc_lock_destroy(lock);
}

static inline void object_lock_take(hlrc_lock_t lock)
{
    if (__builtin_expect(start_is_child, 0))
        object_lock_take_here(lock);
    else
        hlrc_lock(lock);
}

static inline int object_lock_try(hlrc_lock_t lock)
{
    return start_is_child ? object_lock_try_here(lock) : hlrc_trylock(lock);
}

static inline void object_lock_drop(hlrc_lock_t lock)
{
    if (__builtin_expect(start_is_child, 0))
        object_lock_drop_here(lock);
    else
        hlrc_unlock(lock);
}

#endif
