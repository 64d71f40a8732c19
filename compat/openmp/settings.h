/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* settings.h - what OMP_* variables say, and what this runtime does not have. */
#ifndef COMPAT_SETTINGS_H
#define COMPAT_SETTINGS_H

#include "compat/openmp/team.h"

void settings_read(int lanes);
const struct settings *settings_initial(void);
bool settings_cancellation(void); /* OMP_CANCELLATION */

/* Why a program that takes this name from libraries cannot run; NULL: it can. */
const char *settings_refuse(const char *name);

#endif
