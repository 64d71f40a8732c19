/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fail.h - ends hlrc_sim with an error line: cause, value, limit, remedy. */
#ifndef SIM_FAIL_H
#define SIM_FAIL_H

#include <stddef.h>

enum { SIM_FAILED = 1, SIM_WRONG_USE = 2 };

_Noreturn void fail_with(int status, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Ends the program with a line if standard output could not be written; returns the status 0. */
int fail_flush(void);

/* Zero-filled memory; the program ends if there is none. */
void *fail_alloc(size_t count, size_t size);

/* FAIL_NEW - allocated memory that holds a struct of that type, of the values given */
#define FAIL_NEW(type, ...) ((type *)fail_copy(&(type){ __VA_ARGS__ }, sizeof(type)))
void *fail_copy(const void *from, size_t size);

/* The same memory resized to COUNT as by realloc(); new memory is not cleared. */
void *fail_realloc(void *old, size_t count, size_t size);

#endif
