/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_WIRE_H
#define HLRC_WIRE_H

/*
 * Messages between hlrcrun and a node, over one SOCK_SEQPACKET socket pair per node.
 *
 *   node -> hlrcrun   HELLO(version in status)  EXCHANGE(total, offset, bytes)...
 *                     PROGRESS(struct boot_counters)  REPORT(status, line)  DETAIL(line): a
 *                     further line of the report
 *                     GOODBYE(status 1: it has finalized; 0: its process may end in any way)
 *                     STATS(struct hlrc_stats; status 1: the last)
 *                     TIMELINE, with the descriptor of the node's trace memory (SCM_RIGHTS)
 *                     WAITS(a report of hlrc/report/deadlock_report.h), requested or not
 *                     QUIT(status): the job ends, with that status
 *                     SIGNALS, by node 0: the user's signals are for it only
 *                     RESIZE(enum boot_resize_state, reason), by node 0
 *                     NO_EXEC(status, line): from hlrcrun's child, if it cannot become a node
 *   hlrcrun -> node   RESULT(total, offset, bytes)...  LOOK(number in total): report the waits
 *                     shutdown of the sending side: the job is ending, the last STATS are wanted
 *
 *   - One packet is one message; it arrives whole, and in order.
 *   - A blob is sent in pieces of at most WIRE_PIECE bytes, so that no packet is near the size of a
 *     socket's buffer. The pieces of one blob are sent in ascending order; an empty blob is one
 *     piece.
 *   - A node's number follows from its socket; its process id, from the credentials that the kernel
 *     adds.
 */

#include <assert.h>
#include <stdint.h>

enum { WIRE_VERSION = 8, WIRE_PIECE = 32 * 1024 };

enum wire_type {
    WIRE_HELLO = 1,
    WIRE_EXCHANGE,
    WIRE_RESULT,
    WIRE_REPORT,
    WIRE_PROGRESS,
    WIRE_GOODBYE,
    WIRE_NO_EXEC,
    WIRE_STATS,
    WIRE_DETAIL,
    WIRE_LOOK,
    WIRE_WAITS,
    WIRE_QUIT,
    WIRE_TIMELINE,
    WIRE_SIGNALS,
    WIRE_RESIZE
};

struct wire_head {
    uint32_t type;
    /* HELLO: WIRE_VERSION; REPORT, NO_EXEC, QUIT: exit status of the job; GOODBYE; STATS; RESIZE */
    int32_t status;
    /* EXCHANGE: bytes of one node's blob; RESULT: bytes of all; LOOK: its number */
    uint32_t total;
    uint32_t offset; /* offset of this piece */
};

/* hlrcrun and the library may come from different builds. */
static_assert(sizeof(struct wire_head) == 16, "the head of a message has no padding");

#endif
