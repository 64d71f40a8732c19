/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sched.h - loops that one process deals out: what Tmk_startup has to do for them. */
#ifndef COMPAT_TREADMARKS_SCHED_H
#define COMPAT_TREADMARKS_SCHED_H

/* By all processes. */
void tmk_sched_begin(void);

#endif
