/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_ALIASES_H
#define HLRC_ALIASES_H

/*
 * Options under the names that mpirun and srun give them. Each does what it does there, or is
 * refused with a message that names the replacement.
 */

#include <stdbool.h>
#include <stdio.h>

enum aliases_meaning {
    ALIAS_SAME,    /* same as an option of the table */
    ALIAS_EXPORT,  /* a variable of the nodes' environment */
    ALIAS_NOTHING, /* already the behaviour of hlrcrun */
    ALIAS_ROOT,    /* the same; also passed to Open MPI if it starts the nodes */
    ALIAS_INSTEAD  /* not supported; text names the replacement */
};

struct aliases_entry {
    const char *name;     /* long name, after one or two dashes; NULL: only the letter */
    char letter;          /* after one dash; 0: none */
    const char *argument; /* NULL: takes none */
    enum aliases_meaning meaning;
    int id; /* ALIAS_SAME: of the option */
    /* ALIAS_SAME: values that mean the same here; others are refused with text. NULL: all */
    const char *only;
    const char *text;
};

/* alias - the alias of index 0, 1, ...; NULL after the last */
const struct aliases_entry *alias(int index);

/* aliases_alias_refuses - whether the option is refused with this value; if so, writes a line to
 * err */
bool aliases_alias_refuses(const struct aliases_entry *alias, const char *value, char *err,
                           size_t errlen);

void aliases_alias_help(FILE *out);
void aliases_alias_man(FILE *out);

#endif
