/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fail.h - what hlrc_sim says when it cannot go on: a line with cause, value, limit, remedy. */
#ifndef SIM_FAIL_H
#define SIM_FAIL_H

#include <stddef.h>

enum { SIM_FAILED = 1, SIM_WRONG_USE = 2 };

_Noreturn void sim_fail(int status, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Memory, zero-filled; the program ends where there is none. */
void *sim_new(size_t count, size_t size);

/* The same memory with room for COUNT, as realloc() leaves it. */
void *sim_again(void *old, size_t count, size_t size);

#endif
