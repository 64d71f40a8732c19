/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bind.h - see bind.c. */
#ifndef COMPAT_BIND_H
#define COMPAT_BIND_H

/* The program has loaded libraries. */
void hlrc_bind_libraries(void);

#endif
