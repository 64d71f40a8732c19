/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * once.h - what is done once: by pthread_once, and by the first use of C++ variables in functions.
 *
 * Invariants
 *   ON1  A word says whether it is undone, under way or done; it is read and changed in its monitor
 *        alone. Who finds it done has thereby acquired what was done.
 */
#ifndef COMPAT_ONCE_H
#define COMPAT_ONCE_H

#include <stdbool.h>

/* Bytes or words may hold it: an accessor reads (`to` < 0) and changes it. */
enum { ONCE_UNDONE, ONCE_UNDER_WAY, ONCE_DONE };
typedef int once_word(void *object, int to);

/* True: it is the caller's turn, who then calls once_end. False: it is done. Waits for whoever is
 * at it. */
bool once_begin(void *object, once_word *word);
void once_end(void *object, once_word *word, bool done);

#endif
