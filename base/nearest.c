/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* nearest.c - see nearest.h. */
#include "base/nearest.h"

#include <string.h>
#include <strings.h>

enum {
    NAME_MAX_LENGTH = 40, /* longer names match nothing */
    PART_LEAST = 3,       /* letters that part of a name must have to match */
    PART_DISTANCE = 2,    /* distance of a part: a name that is nearer by letters comes first */
    BEGIN_DISTANCE = 1    /* distance of a part at the beginning of the given name */
};

static int nearest_letter(const char *text, int at)
{
    return text[at] >= 'A' && text[at] <= 'Z' ? text[at] - 'A' + 'a' : text[at];
}

static int nearest_least(int a, int b)
{
    return a < b ? a : b;
}

/* Row i of the table: edits that turn the first i letters of a into the first j of b. */
static void nearest_row_fill(const char *a, const char *b, int i, int len, const int *two_up,
                             const int *one_up, int *row)
{
    row[0] = i;
    for (int j = 1; j <= len; j++) {
        int same = nearest_letter(a, i - 1) == nearest_letter(b, j - 1);

        row[j] = nearest_least(nearest_least(one_up[j], row[j - 1]) + 1, one_up[j - 1] + !same);
        if (i > 1 && j > 1 && nearest_letter(a, i - 1) == nearest_letter(b, j - 2) &&
            nearest_letter(a, i - 2) == nearest_letter(b, j - 1))
            row[j] = nearest_least(row[j], two_up[j - 2] + 1);
    }
}

static int nearest_distance(const char *a, const char *b)
{
    int rows[3][NAME_MAX_LENGTH + 1], lines = (int)strlen(a), len = (int)strlen(b);

    for (int j = 0; j <= len; j++)
        rows[0][j] = j;
    for (int i = 1; i <= lines; i++)
        nearest_row_fill(a, b, i, len, rows[(i + 1) % 3], rows[(i + 2) % 3], rows[i % 3]);
    return rows[lines % 3][len];
}

void nearest_begin(struct nearest *nearest, const char *given)
{
    /* errors allowed: a third of the letters; two in a short name, one in a name of one or two
     * letters */
    int given_len = (int)strnlen(given, NAME_MAX_LENGTH + 1), most = given_len < PART_LEAST ? 1
                                                                     : given_len < 7
                                                                         ? 2
                                                                         : (given_len + 2) / 3;

    *nearest = (struct nearest){ .given = given, .distance = most + 1 };
}

void nearest_offer(struct nearest *nearest, const char *name)
{
    size_t given = strnlen(nearest->given, NAME_MAX_LENGTH + 1), len = strlen(name);
    int found;

    if (given == 0 || given > NAME_MAX_LENGTH || len > NAME_MAX_LENGTH)
        return;
    found = nearest_distance(nearest->given, name);
    if ((given >= PART_LEAST && strcasestr(name, nearest->given) != NULL) ||
        (len > PART_LEAST && strcasestr(nearest->given, name) != NULL))
        found = nearest_least(found, PART_DISTANCE);
    if (len > PART_LEAST && strncasecmp(nearest->given, name, len) == 0)
        found = nearest_least(found, BEGIN_DISTANCE);
    if (found < nearest->distance) {
        nearest->distance = found;
        nearest->name = name;
    }
}
