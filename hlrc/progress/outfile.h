/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * outfile.h - files that a job leaves: statistics, a timeline.
 *
 * What is in a file is whole: it is written beside its place under another name and renamed. Where
 * the directory does not allow that, and to what is no regular file (a device, a pipe), it is
 * written directly.
 */
#ifndef HLRC_OUTFILE_H
#define HLRC_OUTFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* outfile_special - whether it is there, and neither a regular file nor a directory */
bool outfile_special(const char *name);

/* outfile_try - at the start, whether the file of this option can be written: makes it where there
 * is none. 0, or a negative errno and a line in err */
int outfile_try(const char *option, const char *name, char *err, size_t errlen);

/* outfile_write - what `put` writes; `waits`: for a reader, if it is a pipe. 0 or a negative errno;
 * nothing is said */
int outfile_write(const char *name, bool waits, void (*put)(FILE *out, const void *arg),
                  const void *arg);

#endif
