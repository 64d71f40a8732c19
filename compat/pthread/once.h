/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * once.h - one-time initialisation: pthread_once, and C++ function-local statics.
 *
 * Invariants
 *   - A word says whether it is undone, under way or done. It is read and changed only in its
 *     monitor, so a thread that finds it done has acquired its effects.
 */
#ifndef COMPAT_ONCE_H
#define COMPAT_ONCE_H

#include <stdbool.h>

/* The state may be in bytes or words: an accessor reads it (`to` < 0) or changes it. */
enum { ONCE_UNDONE, ONCE_UNDER_WAY, ONCE_DONE };
typedef int once_word(void *object, int to);

/* True: it is the caller's turn, and it must call once_end. False: it is done. Waits while another
 * thread is at it. */
bool once_begin(void *object, once_word *word);
void once_end(void *object, once_word *word, bool done);

#endif
