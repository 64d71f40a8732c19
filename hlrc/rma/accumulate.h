/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* accumulate.h - an atomic operation on a word of 4 bytes, under the lock of its accumulate
 * block. */
#ifndef HLRC_ACCUMULATE_H
#define HLRC_ACCUMULATE_H

#include <stddef.h>
#include <stdint.h>

#include "hlrc/sync/change.h"

/* Returns the old value. `off` is aligned, of a window. ASSUMPTION: within thread_enter. */
uint64_t accumulate_change(int node, size_t off, const struct change *c);

#endif
