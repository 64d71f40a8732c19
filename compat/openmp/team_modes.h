/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* team_modes.h - threads of the team keep their modes of arithmetic (compat/start/modes.h), on
 * whatever node they run the next region. */
#ifndef COMPAT_TEAM_MODES_H
#define COMPAT_TEAM_MODES_H

#include "compat/start/modes.h"

/* Thread `index` begins a region, and ends it. `creator`: modes of thread 0, with which natively a
 * new thread begins its first region. */
void team_modes_begin(int index, const struct modes *creator);
void team_modes_end(int index);

#endif
