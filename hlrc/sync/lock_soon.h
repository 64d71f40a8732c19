/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lock_soon.h - hlrc_lock for a lock that is free on this node. It touches private memory only, so
 * it may be called on any stack. Exported for libhlrc_compat. */
#ifndef HLRC_LOCK_SOON_H
#define HLRC_LOCK_SOON_H

#include <hlrc.h>
#include <stdbool.h>

/* False: nothing was done, and hlrc_lock has to acquire it. */
bool hlrc_lock_soon(hlrc_lock_t lock);

#endif
