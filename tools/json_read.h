/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* json_read.h - reads JSON into a tree. An absent member reads as 0, "" or an empty list. */
#ifndef HLRC_JSON_READ_H
#define HLRC_JSON_READ_H

#include <stdint.h>
#include <stdio.h>

struct json_read {
    const char *name;              /* NULL in a list */
    const char *text;              /* of a string, a number, true, false, null; "" otherwise */
    struct json_read *next, *list; /* list: members of an object or a list */
    struct json_read *made_before;
};

/* json_read_file - NULL: an error of the file, no JSON, or no memory; *why says which. One tree at
 * a time; json_read_free frees it, or what was read of one before an error. */
const struct json_read *json_read_file(FILE *in, const char **why);
void json_read_free(void);

const struct json_read *json_read_member(const struct json_read *of, const char *name);
const struct json_read *json_read_list(const struct json_read *of, const char *name);
const char *json_read_text(const struct json_read *of, const char *name);
uint64_t json_read_count(const struct json_read *of, const char *name);
double json_read_number(const struct json_read *of, const char *name);

/* for (JSON_READ_EACH(member, list)) */
#define JSON_READ_EACH(v, first)         \
    const struct json_read *v = (first); \
    v;                                   \
    v = v->next

#endif
