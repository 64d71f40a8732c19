/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* library.h - what program.c calls of the library that gcc has built. */
#ifndef TESTS_COMPAT_PRIVATE_LIBRARY_H
#define TESTS_COMPAT_PRIVATE_LIBRARY_H

#include <stddef.h>

char *library_copy(const char *text);
char *library_block(size_t bytes);
void *library_thread(void);
void library_allocate(const char *file);
void library_write_maps(const char *path, int at_begin);

#endif
