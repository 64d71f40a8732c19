/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pairs.h - a dissemination barrier by remote writes only: in each round every member notifies one
 * other member of its arrival, and of all arrivals it has heard of.
 *
 * Of n members, numbered from 0, member i writes in round r to member (i + 2^r) mod n, and waits
 * for the write of member (i - 2^r) mod n. Before round r it has heard of itself and of the 2^r -
 * 1 members before it, so after ceil(log2 n) rounds of all. It is the dissemination barrier of
 * Hensgen, Finkel and Manber (Two Algorithms for Barrier Synchronization, 1988), which grew out of
 * the butterfly of Brooks (The Butterfly Barrier, 1986) and needs no power of two. It has no
 * atomics, no reads and no master; all members write equally much.
 *
 * A member writes everything that it has heard of: the maximum of each component of the vector
 * times, and the maximum kind of arrival. Some members are counted twice if n is no power of two,
 * which changes neither.
 *
 *   begin: send round 0      round r received: merge, send round r + 1      last round: complete
 *
 * Invariants
 *   [barrier-pairs.word-last] The vector time of a round is written before its word
 *       [fabric.write-order], which has the epoch and so is never reset.
 *       - Round r + 1 is sent when round r is merged: a word covers all members its sender has
 *         heard of.
 *   [barrier-pairs.two-slots] There are two slots for each round, by parity of the epoch. A member
 *       that writes in epoch e + 2 has completed e + 1, for which all had begun e + 1, and read
 *       their slots of e. So a write of a partner that is one epoch ahead is recorded, and never
 *       lost. From four members on a partner can be ahead: it has heard of this one through others.
 *       - A slot belongs to one round at one member, and is written by one other.
 *   [barrier-pairs.sleep-test] A member that is about to sleep in a round requests a wake, by a
 *       word in the slot of the member that will write to it, and then polls its own slot once
 *       more. A writer that finds such a word after its own write wakes; no member wakes a node
 *       that has not begun. If request and write cross in the network the sleeper finds the word by
 *       itself: it sleeps for bounded times [progress.sleep-test].
 */
#ifndef HLRC_PAIRS_H
#define HLRC_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hlrc/core/engine.h"

struct report_draft;

/* Successive barriers of the same members. One thread at a time works on it. */
struct pairs {
    const int *nodes; /* of the members in order; NULL: member i is node i */
    int count, self;  /* number of members, and the number of this one */
    size_t slots;     /* offset in the control window of every member */
    uint64_t first;   /* epoch of the first barrier: larger than those of earlier members */
    uint64_t epoch;   /* of the barrier that has begun, or of the next */
    int round;        /* being awaited */
    bool asked;       /* a wake was requested in this round */
    enum parts_arrival kind;
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

/* Slots needed at each member [barrier-pairs.two-slots]. */
static inline size_t pairs_slots(int members)
{
    return 2 * (size_t)pairs_rounds(members);
}

/* For slots in memory that is registered piece by piece: after this no write of a barrier waits
 * for registration. Waits, without serving. */
void pairs_prepare(const struct pairs *p);

/* This member arrives, with this vector time, in this call [collective.same-call]. Does not
 * wait. */
void pairs_begin(struct pairs *p, const uint64_t *vt, enum parts_arrival kind, enum meeting call);
/* Advances as far as the others allow; true if the barrier is complete. Does not wait. */
bool pairs_go_on(struct pairs *p);
/* Waits until all members have arrived: p->vt and p->kind are then merged over all. The next
 * barrier may begin. `what` and `object` describe the wait: struct waits_wait. */
void pairs_end(struct pairs *p, enum waits what, uint64_t object);

/* Adds the progress of a barrier (a group, or MEETING_OF_ALL) to a report; at any time. */
void pairs_report(struct report_draft *d, uint32_t group, const struct pairs *p);

#endif
