/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fold.h - texts as wide as the terminal. */
#ifndef HLRC_FOLD_H
#define HLRC_FOLD_H

#include <stddef.h>
#include <stdio.h>

/* Prints the text and a line feed. The text begins in column `at`; on a terminal further lines are
 * indented by `indent`. Where `out` is no terminal, it stays one line. */
void fold_print(FILE *out, size_t at, size_t indent, const char *text);

#endif
