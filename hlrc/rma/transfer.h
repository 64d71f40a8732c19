/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* transfer.h - common parts of put and get, between the program's memory and a window. */
#ifndef HLRC_TRANSFER_H
#define HLRC_TRANSFER_H

#include <stddef.h>
#include <stdint.h>

#include "base/record.h"
#include "fabric/fabric.h"
#include "hlrc/probe/probe.h"
#include "hlrc/rma/handle.h"
#include "hlrc/rma/pieces.h"
#include "hlrc/rma/window.h"

enum transfer_way { PUT, GET };

static inline void transfer_start_long(enum transfer_way way, int node, size_t off, void *local,
                                       size_t len, struct fabric_op *op)
{
    if (way == PUT)
        fabric_write_long(engine.fabric, node, arena.id, off, local, len, op);
    else
        fabric_read_long(engine.fabric, node, arena.id, off, local, len, op);
}

/* For memory that does not fault. ASSUMPTION: within thread_enter. */
static inline void transfer_start(enum transfer_way way, int node, size_t off, void *local,
                                  size_t len, struct fabric_op *op)
{
    if (__builtin_expect(len >= FABRIC_LONG, 0))
        transfer_start_long(way, node, off, local, len, op);
    else if (way == PUT)
        fabric_write(engine.fabric, node, arena.id, off, local, len, op);
    else
        fabric_read(engine.fabric, node, arena.id, off, local, len, op);
}

/* An operation that completed at once needs no wait. */
static inline void transfer_finish(struct fabric_op *op)
{
    if (atomic_load_explicit(&op->pending, memory_order_acquire) != 0)
        fabric_wait(engine.fabric, op);
}

/* For --trace-sim, before the operations; computing_resumed follows. */
static inline void transfer_record(enum transfer_way way, int node, size_t bytes,
                                   enum record_wait wait, size_t operations)
{
    PROBE(transfer_begun, way == PUT, node, bytes, wait, operations);
    if (probe_records() && wait == RECORD_LEFT)
        handle_left();
}

/* [thread.no-fault]. Pieces of shared memory, staged through a stack buffer. */
struct transfer_stage {
    enum transfer_way way;
    int node;
    size_t count, used;
    struct fabric_piece piece[PIECES];
    char *user[PIECES]; /* the program's address */
    char room[16384];
};

/* Adds a piece, split where it does not fit; may make room. transfer_stage_end completes the
 * staged pieces. Both wait for the network, and for page faults. Not within thread_enter. */
void transfer_stage_add(struct transfer_stage *s, size_t off, void *local, size_t len);
void transfer_stage_end(struct transfer_stage *s);

#endif
