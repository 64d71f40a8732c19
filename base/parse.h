/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* parse.h - whole numbers of options, environment variables and files. */
#ifndef HLRC_PARSE_H
#define HLRC_PARSE_H

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Sets *value to the decimal number at the beginning of the text, which must end with it or
 * continue with one of the characters `ends`. Returns 0, -EINVAL (not a number) or -ERANGE (not
 * from `low` to `high`); *value is then unchanged. */
static inline int parse_number(const char *text, const char *ends, int64_t low, int64_t high,
                               int64_t *value)
{
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (end == text || (*end && !strchr(ends, *end)))
        return -EINVAL;
    if (errno == ERANGE || number < low || number > high)
        return -ERANGE;
    *value = number;
    return 0;
}

#endif
