/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * place.h - location of a variable or function in a form valid in every process: processes may
 * have loaded the program and its libraries at different addresses.
 */
#ifndef COMPAT_TREADMARKS_PLACE_H
#define COMPAT_TREADMARKS_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tmk_place {
    uint64_t object; /* a hash of the name of the executable or library */
    uint64_t offset; /* from its load address */
};

/* Do these bytes all lie in one segment of the program or a library, writable if `writable`? Then
 * sets *place. */
bool place_find(const void *addr, size_t size, bool writable, struct tmk_place *place);

/* Its address in this process; NULL if not loaded. */
void *place_here(const struct tmk_place *place);

#endif
