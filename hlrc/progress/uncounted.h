/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* uncounted.h - threads of a library above, such as libhlrc_compat, that wait most of the time. */
#ifndef HLRC_UNCOUNTED_H
#define HLRC_UNCOUNTED_H

#include <stdatomic.h>
#include <stdint.h>

/* The calling thread's time is not part of the statistics. Exported for libhlrc_compat. */
void hlrc_thread_uncounted(void);

/* Sleeps while the word has that value, by futex(2), or shorter: in the statistics the time of a
 * lock. Exported for libhlrc_compat. */
void hlrc_thread_wait(_Atomic uint32_t *word, uint32_t value);

#endif
