/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* inherit.h - see inherit.c. */
#ifndef COMPAT_INHERIT_H
#define COMPAT_INHERIT_H

/* Called by a thread that begins, or begins a region, on the private stack. It has acquired what
 * was shown before. */
void inherit_begin(void);

/* Called by a thread that has joined another, or ended a region, on the private stack: takes what
 * the other has set of C++. */
void inherit_joined(void);

/* Called before a thread is created, or a region begins, on the private stack. */
void inherit_show(void);

/* Other nodes will use what this std::locale refers to. */
void inherit_keep_locale(void *locale);

/* Node 0 has called setlocale. */
void inherit_locale_changed(void);

#endif
