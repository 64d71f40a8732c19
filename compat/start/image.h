/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* image.h - segments and imported names of this process's executable; calls of its libraries. */
#ifndef COMPAT_IMAGE_H
#define COMPAT_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

struct image {
    char *begin, *end; /* whole pages of .data and .bss; equal if there are none */
    size_t tls_bytes;  /* of its thread-local variables */
    size_t tls_room;   /* with their alignment */
    const char *code, *code_end;
    bool runs_stack; /* it has nested functions, whose trampolines are on stacks */
};

/* False: the executable is no ELF file that the system describes. */
bool image_find(struct image *out);

/* The calling thread's copy of the executable's thread-local variables; NULL: none. */
void *image_tls(void);

/* Calls fn for each name that the executable imports from libraries. `copied`: a library's
 * variable of `bytes` bytes lies in the executable's data. */
typedef void image_needed_fn(const char *name, bool copied, size_t bytes);
void image_each_needed(image_needed_fn *fn);

/* The loaded libraries, except the C library and HLRC, use these functions in place of functions
 * that they import by the same names. `find` returns NULL for other names. ASSUMPTION: no other
 * thread loads a library. */
typedef const void *image_replacement_fn(const char *name);
void image_bind(image_replacement_fn *find);
/* The same for calls within the C library of functions that a program may replace. */
void image_bind_c_library(image_replacement_fn *find);
/* The same for calls of the executable. */
void image_bind_program(image_replacement_fn *find);

#endif
