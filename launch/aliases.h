/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_ALIASES_H
#define HLRC_ALIASES_H

/*
 * Options by the names that mpirun and srun have for them. Each does here what it does there, or is
 * refused with a line that says what to write instead.
 */

#include <stdbool.h>
#include <stdio.h>

enum alias_meaning {
    ALIAS_SAME,    /* is an option of the table */
    ALIAS_EXPORT,  /* a variable of the nodes' environment */
    ALIAS_NOTHING, /* is so here without it */
    ALIAS_ROOT,    /* the same; Open MPI is told, if it starts the nodes */
    ALIAS_INSTEAD  /* is not done; text says what is */
};

struct alias {
    const char *name;     /* behind two dashes, or one; NULL: the letter alone */
    char letter;          /* behind one; 0: none */
    const char *argument; /* NULL: takes none */
    enum alias_meaning meaning;
    int id;           /* ALIAS_SAME: of the option */
    const char *only; /* ALIAS_SAME: the values that are the same, of which other ones are refused
                         by text; NULL: all */
    const char *text;
};

/* alias - those of index 0, 1, ...; NULL after the last */
const struct alias *alias(int index);

/* alias_refuses - whether the option is refused with this value: a line in err then */
bool alias_refuses(const struct alias *alias, const char *value, char *err, size_t errlen);

void alias_help(FILE *out);
void alias_man(FILE *out);

#endif
