/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sched.h - loops that one process distributes: setup for Tmk_startup. */
#ifndef COMPAT_TREADMARKS_SCHED_H
#define COMPAT_TREADMARKS_SCHED_H

/* Called by all processes. */
void sched_begin(void);

#endif
