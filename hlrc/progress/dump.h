/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * dump.h - the state of a node in a few lines, for a job that stands still. Every module that has
 * something to say registers a part.
 *
 *   DU1  A part takes no lock and does not wait: the job may stand still because a lock is never
 *        given back. What it says may be half a change old.
 */
#ifndef HLRC_DUMP_H
#define HLRC_DUMP_H

#include <stddef.h>

#define DUMP_PARTS 16

/* Registers a part, which writes one line (no newline), or "" for nothing worth saying. Before a
 * second thread exists; once each, or the program ends with a line. */
void dump_add(void (*part)(char *line, size_t len));
void dump_end(void); /* forgets all parts */

/* Says the lines of all parts, in the order of their registration. */
void dump(void (*say)(const char *line));

/* Appends to a line, as snprintf would; for parts. */
void dump_append(char *line, size_t len, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
