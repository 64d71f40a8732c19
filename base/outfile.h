/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * outfile.h - output files of a job: statistics, a timeline.
 *
 * A file is always complete: it is written under another name in the same directory, then renamed.
 * If the directory does not allow that, or for a device or a pipe, it is written directly.
 */
#ifndef HLRC_OUTFILE_H
#define HLRC_OUTFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/config.h"

/* outfile_special - true if it exists and is neither a regular file nor a directory */
bool outfile_special(const char *name);

/* outfile_try_all - at the start, tests whether the files of all options, with `trace` that of
 * --trace as well, can be written; creates missing ones. Returns 0, or a negative errno and a line
 * in err. */
int outfile_try_all(const struct config *cfg, bool trace, char *err, size_t errlen);

/* outfile_write - writes the file by `put`. `waits`: waits for a reader of a pipe. Returns 0 or a
 * negative errno, without a message. */
int outfile_write(const char *name, bool waits, void (*put)(FILE *out, const void *arg),
                  const void *arg);

#endif
