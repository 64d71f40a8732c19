/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fence.h - see fence.c. */
#ifndef COMPAT_FENCE_H
#define COMPAT_FENCE_H

/* Other threads' flushed writes become visible here, and this thread's writes to later flushes. */
void fence_flush(void) __attribute__((visibility("hidden")));
/* Around one atomic instruction on `word`. */
void fence_lock(const void *word) __attribute__((visibility("hidden")));
void fence_unlock(void) __attribute__((visibility("hidden")));

#endif
