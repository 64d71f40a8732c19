/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * descriptors.h - HLRC's file descriptors have high numbers, so the program gets the numbers that
 * it gets without HLRC. The program cannot close them (compat/process/close.c), as one may try that
 * closes all.
 */
#ifndef COMPAT_DESCRIPTORS_H
#define COMPAT_DESCRIPTORS_H

#include <stdbool.h>

#define DESCRIPTORS_LEAST 100 /* hlrcrun's socket has this one, too */
#define DESCRIPTORS_END   1024

/* Before HLRC opens files, and after that. */
void descriptors_raise(void);
void descriptors_lower(void);

/* It is HLRC's: opened between the two calls, or by hlrcrun. */
bool descriptors_is_own(unsigned fd);

#endif
