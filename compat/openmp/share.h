/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* share.h - what the threads of a worksharing construct share; see gomp_reduction.c. */
#ifndef COMPAT_SHARE_H
#define COMPAT_SHARE_H

#include <stdint.h>

/* The calling thread begins a construct with these task reductions, or NULL. *memory: number of
 * zeroed bytes shared by its threads, replaced by their address; or NULL. */
void share_begin(uintptr_t *reductions, void **memory);

#endif
