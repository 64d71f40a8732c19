/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* atomics.h - see atomics.c. */
#ifndef COMPAT_ATOMICS_H
#define COMPAT_ATOMICS_H

#include <hlrc.h>

/* The lock that guards atomic operations on this word. */
hlrc_lock_t atomics_lock_of(const volatile void *word);

#endif
