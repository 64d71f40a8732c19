/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fuzz.h - what a fuzz target offers: libFuzzer's interface. Linked with -fsanitize=fuzzer (clang)
 * libFuzzer drives it, otherwise driver.c, which needs no special compiler.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* For driver.c alone: inputs to begin with; NULL after the last. */
struct fuzz_seed {
    const void *data;
    size_t size;
};
extern const struct fuzz_seed fuzz_seeds[];

/* Ends the process as a failed assertion does, in optimized builds too. */
_Noreturn void fuzz_fail(const char *what, const char *file, int line);
#define must(cond) ((cond) ? (void)0 : fuzz_fail(#cond, __FILE__, __LINE__))

#endif
