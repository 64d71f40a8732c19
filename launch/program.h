/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_PROGRAM_H
#define HLRC_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

/*
 * program_find - writes to path, with a slash in it, the file that a shell would run for name. 0,
 * or a negative errno and a line in err: -ENOENT no such file, -EACCES it cannot be run.
 */
int program_find(const char *name, char *path, size_t len, char *err, size_t errlen);

/*
 * program_run_failure - why exec refused the file with err, and the remedy, for a line that ends
 * with the text of err. Written to text, or a constant.
 */
const char *program_run_failure(const char *path, int err, char *text, size_t len);

/* program_is_this - whether the file is the program that runs: hlrcrun. */
bool program_is_this(const char *path);

/* program_is_elf - whether a shell could not run the file as a script either. */
bool program_is_elf(const char *path);

/* program_starts_threads - whether the file is an ELF program that calls functions of a shared
 * library which start threads: of OpenMP's runtime, or of POSIX. */
bool program_starts_threads(const char *path);

#endif
