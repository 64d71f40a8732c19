/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * json.h - writes JSON, member by member.
 *
 *   - The output is valid whatever the text: quotes, backslashes and control characters are
 *     escaped, and each byte that is not part of a UTF-8 character is replaced by '?'. Numbers have
 *     a decimal point in any locale.
 */
#ifndef HLRC_JSON_H
#define HLRC_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
    FILE *out;
    bool more; /* the open object or list has members */
};

/* Of all functions: `name` NULL in a list. */
void json_open(struct json *j, const char *name, char bracket); /* '{' or '[' */
void json_close(struct json *j, char bracket);
void json_line(struct json *j); /* the next member begins a line */

__attribute__((format(printf, 3, 4))) void json_put(struct json *j, const char *name,
                                                    const char *format, ...);
void json_put_count(struct json *j, const char *name, uint64_t value);
void json_put_seconds(struct json *j, const char *name, double value);
void json_put_string(struct json *j, const char *name, const char *text);
/* A list of numbers. */
void json_put_counts(struct json *j, const char *name, const uint64_t *value, uint32_t count);

#endif
