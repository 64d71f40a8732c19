/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * meeting.h - the collective calls, in which all nodes meet at a barrier.
 *
 *   [collective.same-call] An arrival names its call, and the node that combines arrivals compares
 *       them. Nodes that meet in different calls end the job before any of them continues.
 */
#ifndef HLRC_MEETING_H
#define HLRC_MEETING_H

/* X(call, its name). Six bits hold a call. */
#define MEETINGS(X)                                  \
    X(MEETING_BARRIER, "hlrc_barrier")               \
    X(MEETING_BROADCAST, "hlrc_broadcast")           \
    X(MEETING_MALLOC_ALL, "hlrc_malloc_all")         \
    X(MEETING_FREE_ALL, "hlrc_free_all")             \
    X(MEETING_PLACED, "hlrc_alloc_placed")           \
    X(MEETING_REDUCE, "hlrc_reduce")                 \
    X(MEETING_FINALIZE, "hlrc_finalize")             \
    X(MEETING_MOVES, "the round of homes that move") \
    X(MEETING_WINDOW_CREATE, "hlrc_window_create")   \
    X(MEETING_WINDOW_FREE, "hlrc_window_free")       \
    X(MEETING_CHECKPOINT, "hlrc_checkpoint")

enum meeting {
#define X(call, name) call,
    MEETINGS(X)
#undef X
        MEETING_CALLS
};

#define MEETING_BITS 6

const char *meeting_name(enum meeting call);

/* Ends the job: node a is in one call, node b in another [collective.same-call]. */
_Noreturn void meeting_refuse(int a, enum meeting of_a, int b, enum meeting of_b);

#endif
