/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fuzz.h - what a fuzz target offers: libFuzzer's interface. Linked with -fsanitize=fuzzer (clang)
 * libFuzzer drives it, otherwise driver.c, which needs no special compiler.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak)); /* if there is one */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* For driver.c alone: inputs to begin with; NULL after the last. */
struct fuzz_seed {
    const void *data;
    size_t size;
};
extern const struct fuzz_seed fuzz_seeds[];

static void (*fuzz_context)(void); /* prints what led to a failure; or NULL */

/* Ends the process as a failed assertion does, in optimized builds too. */
static inline _Noreturn void fuzz_fail(const char *what, const char *file, int line)
{
    fprintf(stderr, "%s:%d: %s\n", file, line, what);
    if (fuzz_context)
        fuzz_context();
    abort();
}
#define must(cond) ((cond) ? (void)0 : fuzz_fail(#cond, __FILE__, __LINE__))

#endif
