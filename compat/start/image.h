/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* image.h - what the executable of this process is made of. */
#ifndef COMPAT_IMAGE_H
#define COMPAT_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

struct image {
    char *begin, *end; /* whole pages of .data and .bss; equal where there is none */
    size_t tls_bytes;  /* of its thread-local variables, */
    size_t tls_room;   /* and with their alignment */
    const char *code, *code_end;
};

/* False: the executable is no ELF file that the system describes. */
bool image_find(struct image *out);

/* The calling thread's copy of the executable's thread-local variables; NULL: there are none. */
void *image_tls(void);

/* Calls fn with the names that the executable takes from libraries; `copied`: it has a variable of
 * a library in its own data (bytes of it). */
void image_each_needed(void (*fn)(const char *name, bool copied, size_t bytes));

#endif
