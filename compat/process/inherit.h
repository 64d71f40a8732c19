/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* inherit.h - see inherit.c. */
#ifndef COMPAT_INHERIT_H
#define COMPAT_INHERIT_H

/* Called by a thread that begins, on the private stack. */
void inherit_begin(void);

/* Called before a thread is created, on the private stack. */
void inherit_show(void);

#endif
