/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gather.c - see gather.h. */
#include "hlrc/report/gather.h"

#include <assert.h>
#include <sched.h>
#include <string.h>

#include "base/spin.h"
#include "hlrc/core/engine.h"

enum { SPINS = 1000 };

/* At a node, written by node 0: the number of pieces it has taken, + 1. The node may send that
 * many. */
static size_t gather_taken_at(void)
{
    return engine.at.pieces;
}

/* At node 0, before a piece: its offset and its number. */
struct gather_piece {
    uint64_t at, bytes; /* bytes 0: end */
    _Atomic uint64_t number;
};

static_assert(sizeof(struct gather_piece) <= GATHER_HEAD,
              "it fits the space reserved in the layout");

static size_t gather_piece_at(void)
{
    return engine.at.pieces + GATHER_HEAD;
}

void gather_await(const _Atomic uint64_t *word, uint64_t least)
{
    for (int i = 0; atomic_load_explicit(word, memory_order_acquire) < least; i++) {
        spin_cpu_relax();
        if (i > SPINS)
            sched_yield();
    }
}

void gather_write_word(int node, size_t at, uint64_t value)
{
    struct fabric_op op = FABRIC_OP_INIT;
    fabric_write(engine.fabric, node, engine.control.id, at, &value, sizeof value, &op);
    fabric_wait(engine.fabric, &op);
}

/* Sends one piece to node 0, after node 0 has room for it. */
static void gather_send_piece(struct gather *g, const char *from, size_t at, size_t bytes)
{
    _Atomic uint64_t *taken = engine_control_at(gather_taken_at());
    uint64_t head[2] = { at, bytes };
    gather_await(taken, ++g->number);
    if (bytes > 0)
        fabric_write_copied(engine.fabric, 0, engine.control.id, gather_piece_at() + GATHER_HEAD,
                            from, bytes);
    else
        atomic_store(taken, 0); /* before node 0 can start again */
    fabric_write_copied(engine.fabric, 0, engine.control.id, gather_piece_at(), head, sizeof head);
    /* [fabric.write-order] */
    gather_write_word(0, gather_piece_at() + offsetof(struct gather_piece, number), g->number);
}

void gather_send(struct gather *g, const void *memory, size_t at, size_t bytes)
{
    for (size_t done = 0; done < bytes; done += GATHER_PIECE)
        gather_send_piece(g, (const char *)memory + at + done, at + done,
                          bytes - done < GATHER_PIECE ? bytes - done : GATHER_PIECE);
}

void gather_end(struct gather *g)
{
    gather_send_piece(g, NULL, 0, 0);
}

void gather_receive(int node, void *to)
{
    struct gather_piece *piece = engine_control_at(gather_piece_at());
    const char *data = (const char *)piece + GATHER_HEAD;
    atomic_store(&piece->number, 0);
    for (uint64_t number = 1;; number++) {
        gather_write_word(node, gather_taken_at(), number);
        gather_await(&piece->number, number);
        if (piece->bytes == 0)
            return;
        memcpy((char *)to + piece->at, data, piece->bytes);
    }
}
