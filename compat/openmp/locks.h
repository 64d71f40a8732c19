/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* locks.h - the locks of HLRC that this runtime uses itself. */
#ifndef COMPAT_LOCKS_H
#define COMPAT_LOCKS_H

#include <hlrc.h>

#include "compat/start/numbers.h"

/* On the private stack. */
void locks_take(hlrc_lock_t lock);
void locks_drop(hlrc_lock_t lock);
/* What the holders of this lock have written before is seen, and what was written here by those
 * that follow. */
void locks_pass(hlrc_lock_t lock);

#endif
