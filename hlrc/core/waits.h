/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * waits.h - the table of everything a thread may wait for. A wait names its kind; the node and
 * hlrcrun take the text of their messages from here.
 */
#ifndef HLRC_WAITS_H
#define HLRC_WAITS_H

#include <stddef.h>
#include <stdint.h>

/* X(kind, text, 1 if the object's number follows it, text before the number of a node or NULL).
 * Kinds travel in reports (progress/report.h), so a new one is added at the end. */
#define WAITS(X)                                                                    \
    X(WAITS_NOTHING, "nothing", 0, NULL)                                            \
    X(WAITS_LOCK, "lock", 1, NULL)                                                  \
    X(WAITS_TRY, "the answer to a try of lock", 1, NULL)                            \
    X(WAITS_LOCK_NEXT, "the name of the next in the queue of lock", 1, NULL)        \
    X(WAITS_BARRIER, "barrier", 1, NULL)                                            \
    X(WAITS_GROUP, "the barrier of group", 1, NULL)                                 \
    X(WAITS_MEMBER, "hlrc_group_create", 0, " of node ")                            \
    X(WAITS_INVITATION, "hlrc_group_create", 0, " of node ")                        \
    X(WAITS_MAKING, "another thread's hlrc_group_create", 0, NULL)                  \
    X(WAITS_SIGNAL, "a signal of condition variable", 1, NULL)                      \
    X(WAITS_COND, "a place at condition variable", 1, NULL)                         \
    X(WAITS_COND_RECORD, "the record of condition variable", 1, NULL)               \
    X(WAITS_COND_NEXT, "the name of the next at condition variable", 1, NULL)       \
    X(WAITS_PAGE, "page", 1, " of home ")                                           \
    X(WAITS_PAGE_DIFFS, "diffs at the home of page", 1, ", node ")                  \
    X(WAITS_PAGE_OWN_DIFFS, "diffs for page", 1, NULL)                              \
    X(WAITS_PAGE_BUSY, "another thread's work on page", 1, NULL)                    \
    X(WAITS_PAGE_PREFETCH, "the prefetch of page", 1, NULL)                         \
    X(WAITS_PAGE_MOVES, "the new home of page", 1, NULL)                            \
    X(WAITS_HOME, "the home of page", 1, NULL)                                      \
    X(WAITS_PLACE, "placing page", 1, NULL)                                         \
    X(WAITS_NOTICES, "write notices", 0, " of node ")                               \
    X(WAITS_LOG, "room in the notice log", 0, " of node ")                          \
    X(WAITS_CLOSING, "the closing of interval", 1, NULL)                            \
    X(WAITS_ACQUIRE, "another acquire", 0, NULL)                                    \
    X(WAITS_ROOM, "room for a message", 0, " at node ")                             \
    X(WAITS_ATOMIC, "atomic word", 1, NULL)                                         \
    X(WAITS_TAKEN, "all nodes to take the piece of a broadcast of number", 1, NULL) \
    X(WAITS_PIECE, "a piece of the broadcast", 0, " of node ")                      \
    X(WAITS_FINALIZE, "all nodes in hlrc_finalize", 0, NULL)                        \
    X(WAITS_WORD, "an operation at the home of page", 1, NULL)                      \
    X(WAITS_SITE, "the block that has page", 1, NULL)                               \
    X(WAITS_SERVED, "reads to be compared", 0, " at node ")                         \
    X(WAITS_MUTEX, "mutex", 1, " of node ")                                         \
    X(WAITS_MUTEX_NEXT, "the name of the next in the queue of mutex", 1, " of node ")

enum waits {
#define X(kind, words, number, node) kind,
    WAITS(X)
#undef X
        WAITS_KINDS
};

/* One wait: its kind, the number of its object, and the node, if the table has text for them. */
struct waits_wait {
    enum waits what;
    uint64_t object;
    int node;
};

/* Text of a wait, such as "page 12 of home 3". Returns buf. */
const char *waits_words(struct waits_wait what, char *buf, size_t len);

#endif
