/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fence.h - see fence.c. */
#ifndef COMPAT_FENCE_H
#define COMPAT_FENCE_H

/* What other threads have flushed is seen, and what this one has written by those that follow. */
void fence_flush(void) __attribute__((visibility("hidden")));
/* Around one instruction that is atomic, on `word`. */
void fence_lock(const void *word) __attribute__((visibility("hidden")));
void fence_unlock(void) __attribute__((visibility("hidden")));

#endif
