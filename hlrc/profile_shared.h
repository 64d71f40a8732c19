/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * profile_shared.h - whether what nodes do to one page is false sharing: the page goes to and fro,
 * and none of them needs what the others write.
 *
 * What a node writes is known to the byte (memory/profile.h PF1). What it reads is known by samples
 * alone (PF2), so the rules are on the safe side, but for a program that behind each acquire,
 * before it stores to the page, reads its own bytes there first and others' later: that is not
 * seen.
 *
 *   FS1  Two nodes or more write the page while each knows that another one does, and it has
 *        changed hands TURNS times at least: what is written once, by turns, costs nothing.
 *   FS2  No byte is written by two of them. What is known is which bytes they have changed: two who
 *        store to one word may change different bytes of it. So where they change bytes of one
 *        word, it takes WORD_TURNS for that to be by intention.
 *   FS3  Of each one's samples, one in READS at most is of a byte that another one alone writes.
 *        Not none, since one node often reads all in the end. Who only fetches the page, or looks
 *        at it between two barriers and stores nothing there meanwhile, reads it, if it does so
 *        more often than that.
 *   FS4  Where each node's bytes are one piece, the page is a border between their parts. None of
 *        them also fetches a page beside it, of the same block, that another of them writes: who
 *        needs what lies behind the border needs what lies at it.
 */
#ifndef HLRC_PROFILE_SHARED_H
#define HLRC_PROFILE_SHARED_H

#include <stdbool.h>
#include <stdint.h>

#include "hlrc/memory/profile.h"

#define SHARED_TURNS      4
#define SHARED_WORD_TURNS 32
#define SHARED_READS      8

enum shared_verdict {
    SHARED_NOT,     /* one node writes it, or none (FS1) */
    SHARED_SELDOM,  /* FS1 */
    SHARED_OVERLAP, /* the same bytes (FS2) */
    SHARED_READ,    /* others' bytes are read (FS3) */
    SHARED_FALSE
};

/* What one node did to the page. */
struct shared_side {
    const struct profile_mask *mask;
    uint64_t fetches;
    uint32_t turns, looks;
};

/* How the bytes of the nodes lie among each other. */
struct shared_form {
    uint32_t writers;
    uint32_t pieces;   /* runs of bytes of one node, those that nobody writes left out */
    uint32_t distance; /* bytes from the first byte of a piece to that of the next, most often */
    bool words;        /* two have changed bytes of one word */
};

/* `form`: of the page, where it is written by two nodes or more. */
enum shared_verdict shared_judge(const struct shared_side *side, int count,
                                 struct shared_form *form);

#endif
