/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * json.h - text as JSON.
 *
 *   JS1  The output is valid whatever the text: quotes, backslashes and control characters are
 *        escaped, and each byte that is not part of a UTF-8 character is replaced by '?'.
 */
#ifndef HLRC_JSON_H
#define HLRC_JSON_H

#include <stdio.h>

/* Writes the inside of a JSON string (JS1). */
void json_put_text(FILE *out, const char *text);

/* The same between quotes. */
void json_put_string(FILE *out, const char *text);

#endif
