/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * nearest.h - the name that was probably meant by one that does not exist.
 *
 * Names are offered one after the other; the nearest is kept, of equally near ones the first. Near
 * is what takes few insertions, deletions, exchanges and transpositions of neighbours
 * (Damerau-Levenshtein), in either case; or a name that has the given one in it, or the reverse,
 * above all one with which it begins.
 */
#ifndef HLRC_NEAREST_H
#define HLRC_NEAREST_H

struct nearest {
    const char *given;
    const char *name; /* the nearest that was offered; NULL: none is near */
    int distance;
};

void nearest_begin(struct nearest *nearest, const char *given);

/* name stays the caller's */
void nearest_offer(struct nearest *nearest, const char *name);

#endif
