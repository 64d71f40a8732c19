/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pairs.h - a meeting by remote writes alone: in each round every member tells one other that it is
 * there, and who told it so before.
 *
 * Of n members, numbered from 0, member i writes in round r to member (i + 2^r) mod n, and waits
 * for what member (i - 2^r) mod n writes to it. In front of round r it has heard of itself and of
 * the 2^r - 1 before it, so after ceil(log2 n) rounds of all. It is the dissemination barrier of
 * Hensgen, Finkel and Manber (Two Algorithms for Barrier Synchronization, 1988), which grew out of
 * the butterfly of Brooks (The Butterfly Barrier, 1986) and needs no power of two. No atomics, no
 * reads, and nobody is the master; all members write as much.
 *
 * What a member writes is all that it has heard of: the largest of each component of the vector
 * times, and the largest kind of arrival. Some members are counted twice if n is no power of two,
 * which changes neither.
 *
 *   begin: round 0 sent      round r here: merged, round r + 1 sent      last round here: over
 *
 * Invariants
 *   PE1  A slot is that of one round at one member, and is written by one other.
 *   PE2  The vector time of a round is written before its word (fabric.h F1), which has the epoch
 *        and so is never reset.
 *   PE3  There are two slots for each round, by parity of the epoch. Who writes in epoch e + 2 has
 *        ended e + 1, for which all had begun e + 1, and read their slots of e: what a partner
 *        writes who is one meeting ahead is recorded, and never lost. From four members on one can
 *        be: it has heard of this one by way of others.
 *   PE4  Round r + 1 is sent when round r is merged: a word speaks for all whom its sender heard
 *        of.
 *   PE5  Who is about to sleep in a round asks for a wake, by a word in the slot of the member that
 *        will write to it, and then looks at its own slot once more. Who finds such a word when it
 *        has written its own wakes; nobody wakes a node that has not begun. Where the two cross in
 *        the network the sleeper finds the word by itself: it sleeps for bounded times (progress.h
 *        S5).
 */
#ifndef HLRC_PAIRS_H
#define HLRC_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hlrc/engine.h"

struct report_draft;

/* One meeting after the other of the same members. One thread at a time works on it. */
struct pairs {
    const int *nodes; /* of the members in turn; NULL: each member is the node of its number */
    int count, self;  /* how many, and the number of this one */
    size_t slots;     /* where in the control window of every member */
    uint64_t epoch;   /* of the meeting that has begun, or of the next */
    int round;        /* the one that is awaited */
    bool asked;       /* for a wake, in this round */
    enum arrival kind;
    enum meeting call;
    uint64_t vt[NODES_MAX]; /* merged so far, with the kind */
};

#define PAIRS_HEAD 16 /* bytes of a slot before its vector time */

/* The least n with 2^n >= members. */
static inline int pairs_rounds(int members)
{
    int n = 0;
    while (1 << n < members)
        n++;
    return n;
}

/* Slots that so many members need at each of them (PE3). */
static inline size_t pairs_slots(int members)
{
    return 2 * (size_t)pairs_rounds(members);
}

/* For slots in memory that is registered piece by piece: from now on no write of a meeting waits
 * for a piece. This waits, and serves nothing meanwhile. */
void pairs_prepare(const struct pairs *p);

/* This member is there, with this vector time, in this call (ME1). Does not wait. */
void pairs_begin(struct pairs *p, const uint64_t *vt, enum arrival kind, enum meeting call);
/* Goes on as far as others are; whether the meeting is over. Does not wait. */
bool pairs_go_on(struct pairs *p);
/* Waits until all members are there: p->vt and p->kind are those of all. The next may begin. What
 * is waited for: struct wait_for. */
void pairs_end(struct pairs *p, enum waits what, uint64_t object);

/* Adds how far a meeting is (of a group, or MEETING_OF_ALL) to a report; at any moment (RE1). */
void pairs_report(struct report_draft *d, uint32_t group, const struct pairs *p);

#endif
