/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * profile_shared.h - decides whether accesses of several nodes to one page are false sharing: the
 * page moves between nodes, and none of them needs the others' writes.
 *
 * Writes of a node are known to the byte (memory/profile.h). Its reads are known only by samples,
 * so the rules are conservative. One case is missed: a program that after each acquire, before it
 * stores to the page, reads its own bytes there first and others' later.
 *
 *   - At least two nodes write the page while each knows that another one does, and it has changed
 *     hands at least TURNS times: a page written once by each in turn costs nothing.
 *   - No byte is written by two of them. Only the changed bytes are known: two nodes that store to
 *     one word may change different bytes of it. So if they change bytes of one word, WORD_TURNS
 *     are needed to count it as intended.
 *   - Of each node's samples, at most one in READS is of a byte that only another node writes. Some
 *     are allowed, since one node often reads everything at the end. A node that only fetches the
 *     page, or reads it between two barriers without storing there, is a reader, if it does so more
 *     often than that.
 *   - If each node's bytes are one piece, the page is a border between their parts. None of them
 *     also fetches a neighbouring page of the same block that another of them writes: a node that
 *     needs data beyond the border needs the data at it.
 */
#ifndef HLRC_PROFILE_SHARED_H
#define HLRC_PROFILE_SHARED_H

#include <stdbool.h>
#include <stdint.h>

#include "hlrc/probe/profile.h"

#define SHARED_TURNS      4
#define SHARED_WORD_TURNS 32
#define SHARED_READS      8

enum profile_shared_verdict {
    SHARED_NOT, /* one node writes it, or none */
    SHARED_SELDOM,
    SHARED_OVERLAP, /* the same bytes */
    SHARED_READ,    /* other nodes' bytes are read */
    SHARED_FALSE
};

/* The accesses of one node to the page. */
struct profile_shared_side {
    const struct profile_mask *mask;
    uint64_t fetches;
    uint32_t turns, looks;
};

/* How the nodes' bytes are interleaved. */
struct profile_shared_form {
    uint32_t writers;
    uint32_t pieces;   /* runs of bytes of one node, ignoring bytes that no node writes */
    uint32_t distance; /* bytes from start to start of adjacent pieces: the most frequent value */
    bool words;        /* two have changed bytes of one word */
};

/* `form`: of the page, if at least two nodes write it. */
enum profile_shared_verdict profile_shared_judge(const struct profile_shared_side *side, int count,
                                                 struct profile_shared_form *form);

#endif
