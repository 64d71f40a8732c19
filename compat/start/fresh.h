/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fresh.h - the C library's heap as a program finds it that begins without HLRC. */
#ifndef COMPAT_FRESH_H
#define COMPAT_FRESH_H

/* Before the program's first code, in a job of one node: the heap holds nothing that HLRC has
 * freed. The program's first allocations are zero, as they are without HLRC. */
void fresh_hide_freed(void);

#endif
