/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* uncounted.h - threads of a library above, such as libhlrc_compat, that wait most of the time. */
#ifndef HLRC_UNCOUNTED_H
#define HLRC_UNCOUNTED_H

/* The calling thread's time is not part of the statistics. Exported for libhlrc_compat. */
void hlrc_thread_uncounted(void);

#endif
