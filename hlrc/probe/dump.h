/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * dump.h - the state of a node in a few lines, for a job that stands still. Each module with state
 * to show registers a part.
 *
 *   - A part takes no lock and does not wait: the job may stand still because a lock is never
 *     released. So its text may show a change half done.
 */
#ifndef HLRC_DUMP_H
#define HLRC_DUMP_H

#include <stddef.h>

#define DUMP_PARTS 16

/* Registers a part, which writes one line without a newline, or "" for none. Called before a
 * second thread exists. If there are more than DUMP_PARTS, the program ends with a line. */
void dump_add(void (*part)(char *line, size_t len));
void dump_end(void); /* forgets all parts */

/* Passes the lines of all parts to `say`, in the order of registration. */
void dump(void (*say)(const char *line));

/* Appends to a line, like snprintf. For parts. */
void dump_append(char *line, size_t len, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
