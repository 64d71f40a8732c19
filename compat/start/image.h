/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* image.h - segments and imported names of this process's executable. */
#ifndef COMPAT_IMAGE_H
#define COMPAT_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

struct image {
    char *begin, *end; /* whole pages of .data and .bss; equal if there are none */
    size_t tls_bytes;  /* of its thread-local variables */
    size_t tls_room;   /* with their alignment */
    const char *code, *code_end;
};

/* False: the executable is no ELF file that the system describes. */
bool image_find(struct image *out);

/* The calling thread's copy of the executable's thread-local variables; NULL: none. */
void *image_tls(void);

/* Calls fn for each name that the executable imports from libraries. `copied`: a library's
 * variable of `bytes` bytes lies in the executable's data. */
void image_each_needed(void (*fn)(const char *name, bool copied, size_t bytes));

#endif
