/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * nearest.h - suggests the name that the user probably meant by an unknown one.
 *
 * Names are offered one after the other; the nearest is kept, of equally near ones the first. The
 * distance is the number of insertions, deletions, exchanges and transpositions of neighbours
 * (Damerau-Levenshtein), ignoring case. A name that contains the given one, or is contained in it,
 * is near as well, nearest if the given name begins with it.
 */
#ifndef HLRC_NEAREST_H
#define HLRC_NEAREST_H

struct nearest {
    const char *given;
    const char *name; /* the nearest that was offered; NULL: none is near */
    int distance;
};

void nearest_begin(struct nearest *nearest, const char *given);

/* `name` must stay valid */
void nearest_offer(struct nearest *nearest, const char *name);

#endif
