/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* atomics.h - see atomics.c. */
#ifndef COMPAT_ATOMICS_H
#define COMPAT_ATOMICS_H

#include <hlrc.h>

/* The lock under which what is atomic on this word is done. */
hlrc_lock_t atomics_lock_of(const volatile void *word);

#endif
