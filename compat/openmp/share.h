/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* share.h - what the threads of a construct of worksharing share; see gomp_reduction.c. */
#ifndef COMPAT_SHARE_H
#define COMPAT_SHARE_H

#include <stdint.h>

/* The calling lane begins a construct with these reductions of tasks, or NULL, and with as many
 * bytes of zeros, which all its threads have, as *memory says, which becomes where they are; or
 * NULL. */
void share_begin(uintptr_t *reductions, void **memory);

#endif
