/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * place.h - where a variable or a function is, in words that every process understands: processes
 * may have loaded the program and its libraries at different addresses.
 */
#ifndef COMPAT_TREADMARKS_PLACE_H
#define COMPAT_TREADMARKS_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tmk_place {
    uint64_t object; /* a hash of the name of the executable or library */
    uint64_t offset; /* from where that is loaded */
};

/* Whether these bytes are all in one segment of the program or of a library, which may be written
 * if `writable`; then *place says where. */
bool tmk_place_of(const void *addr, size_t size, bool writable, struct tmk_place *place);

/* Where that is here; NULL if this process has not loaded it. */
void *tmk_place_here(const struct tmk_place *place);

#endif
