/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * caller.h - the line of the program that made a call or an access: --profile, --advise,
 * --check races.
 *
 *   - Skipped are the libraries of HLRC and the runtime libraries of C, C++ and OpenMP, and
 *     functions of namespace std.
 *   - Neither allocates nor locks, so it may run in a handler of page faults.
 */
#ifndef HLRC_CALLER_H
#define HLRC_CALLER_H

#include <stdbool.h>
#include <stdint.h>

/* Notes the libraries of this process. */
void caller_init(void);

/* Set before caller_init: whether code of the program at this address is of namespace std. NULL:
 * none is. */
extern bool (*caller_is_std)(uint64_t code);

/* `code`, an address in this thread's stack of calls, or the first return address further up that
 * is not skipped; 0: there is none. */
uintptr_t caller_outside(uintptr_t code);

#endif
