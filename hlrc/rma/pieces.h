/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pieces.h - iterates over the parts of a strided or vector transfer. */
#ifndef HLRC_PIECES_H
#define HLRC_PIECES_H

#include <hlrc.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/record.h"
#include "fabric/fabric.h"

#define PIECES RECORD_PIECES /* listed for the fabric at a time */

struct pieces {
    const char *call;
    int node;
    /* some of the program's memory may be shared: check each piece [thread.no-fault] */
    bool may_fault;
    /* strided: the next piece, and for each level the number of pieces, and the number done */
    size_t off;
    char *local;
    size_t bytes; /* of a piece */
    int levels;
    size_t far[HLRC_STRIDE_LEVELS], near[HLRC_STRIDE_LEVELS];
    size_t count[HLRC_STRIDE_LEVELS], done[HLRC_STRIDE_LEVELS];
    /* vector: the remaining addresses there and here, of `left` pieces; NULL: strided */
    void *const *there, *const *here;
    size_t left; /* strided: 0 at the end */
};

/*
 * Both check that all of it is in windows of the node, a vector's piece by piece, and end the job
 * if not. `there` is in a window, `here` is the program's memory.
 */
struct pieces pieces_strided(const char *call, void *there, const size_t *far, void *here,
                             const size_t *near, const size_t *counts, int levels, int node);
struct pieces pieces_vector(const char *call, void *const *there, void *const *here, size_t count,
                            size_t bytes, int node);

/* Ends the job if these bytes are not contiguous shared memory. */
void pieces_shared_check(const char *call, const void *there, size_t len);

/* The next pieces, none of them empty; returns their number, up to PIECES, 0 at the end. Reads the
 * program's lists: not within thread_enter. */
size_t pieces_next(struct pieces *p, struct fabric_piece *piece);

#endif
