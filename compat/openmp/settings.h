/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* settings.h - values of OMP_* variables, and what this runtime does not support. */
#ifndef COMPAT_SETTINGS_H
#define COMPAT_SETTINGS_H

#include "compat/openmp/team.h"

void settings_read(int lanes);
/* The number of threads that OMP_NUM_THREADS has for regions in a region of this level, if any. */
void settings_enter(struct settings *s, int level);
bool settings_is_true(const char *variable);
extern struct settings settings_initial __attribute__((visibility("hidden")));
extern bool settings_cancellation __attribute__((visibility("hidden"))); /* OMP_CANCELLATION */
extern int settings_max_priority __attribute__((visibility("hidden")));  /* OMP_MAX_TASK_PRIORITY */
/* What predefined allocator k + 1 is named after; ends with NULL. */
extern const char *const settings_allocators[] __attribute__((visibility("hidden")));
#define LEVELS_MOST 255 /* of OMP_MAX_ACTIVE_LEVELS, as in libgomp */

/* The reason why a program that imports this name cannot run; NULL: it can. */
const char *settings_refuse(const char *name);

#endif
