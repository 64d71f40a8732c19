/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stream.c - see stream.h for the invariants. */
#include "hlrc/heap/stream.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "hlrc/core/engine.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/progress.h"
#include "hlrc/progress/thread.h"

static uint64_t pieces[NODES_MAX]; /* by root: sent by it and taken by this node */

void stream_reset(void)
{
    memset(pieces, 0, sizeof pieces);
}

static size_t stream_slot_at(uint64_t piece)
{
    return engine.at.stream + (piece % STREAM_SLOTS) * STREAM_PIECE;
}

static size_t stream_told_at(int root)
{
    return engine.at.stream_told + (size_t)root * 64;
}

static size_t stream_taken_at(int node)
{
    return engine.at.stream_taken + (size_t)node * 64;
}

/* A word that another node writes one-sidedly. */
static uint64_t stream_word_at(size_t off)
{
    const _Atomic uint64_t *word = engine_control_at(off);
    return atomic_load_explicit(word, memory_order_acquire);
}

/* Writes a count; its reader may be asleep. */
static void stream_write_count(int node, size_t at, uint64_t count)
{
    fabric_write(engine.fabric, node, engine.control.id, at, &count, sizeof count, NULL);
    if (engine.fabric->caps & FABRIC_SEES_SLEEPERS)
        fabric_wake(engine.fabric, node);
}

static size_t stream_piece_of(size_t left)
{
    return left < STREAM_PIECE ? left : STREAM_PIECE;
}

/* ---- root ---- */

/* True if all other nodes have taken this many pieces. */
static bool stream_all_have(void *arg)
{
    uint64_t count = *(const uint64_t *)arg;
    for (int n = 0; n < engine.nodes; n++)
        if (n != engine.node && stream_word_at(stream_taken_at(n)) < count)
            return false;
    return true;
}

static void stream_await_all(uint64_t count)
{
    if (stream_all_have(&count))
        return;
    struct thread *t = thread_enter();
    for (int n = 0; n < engine.nodes; n++)
        if (n != engine.node && stream_word_at(stream_taken_at(n)) < count)
            fabric_wake(engine.fabric, n);
    progress_wait((struct waits_wait){ WAITS_TAKEN, count, 0 }, stream_all_have, &count,
                  WAIT_STATE);
    thread_leave(t);
}

static bool stream_is_read(void)
{
    return (engine.fabric->caps & FABRIC_READ) != 0;
}

static void stream_write_piece(uint64_t piece, size_t len)
{
    struct fabric_op op = FABRIC_OP_INIT;
    size_t at = stream_slot_at(piece);
    for (int n = 0; n < engine.nodes; n++)
        if (n != engine.node)
            fabric_write(engine.fabric, n, engine.control.id, at, engine_control_at(at), len, &op);
    fabric_wait(engine.fabric, &op);
}

static void stream_tell_all(uint64_t piece, size_t len)
{
    struct thread *t = thread_enter();
    if (!stream_is_read())
        stream_write_piece(piece, len);
    for (int n = 0; n < engine.nodes; n++)
        if (n != engine.node)
            stream_write_count(n, stream_told_at(engine.node), piece + 1);
    thread_leave(t);
}

void stream_send(const void *buf, size_t len)
{
    uint64_t k = pieces[engine.node];
    for (size_t done = 0; done < len; k++) {
        size_t n = stream_piece_of(len - done);
        if (k >= STREAM_SLOTS)
            stream_await_all(k + 1 - STREAM_SLOTS);
        memcpy(engine_control_at(stream_slot_at(k)), (const char *)buf + done, n);
        PROBE(stream_copied);
        stream_tell_all(k, n);
        done += n;
    }
    pieces[engine.node] = k;
}

/* ---- receivers ---- */

struct stream_awaited {
    int root;
    uint64_t piece;
};

static bool stream_is_told(void *arg)
{
    const struct stream_awaited *a = arg;
    return stream_word_at(stream_told_at(a->root)) > a->piece;
}

/* Reads a piece into this node's slot of its number, or finds it there. */
static void stream_fetch(int root, uint64_t piece, size_t len)
{
    struct stream_awaited a = { root, piece };
    debug_assert(root != engine.node);
    struct fabric_op op = FABRIC_OP_INIT;
    struct thread *t = thread_enter();
    if (!stream_is_told(&a)) {
        fabric_wake(engine.fabric, root);
        progress_wait((struct waits_wait){ WAITS_PIECE, 0, root }, stream_is_told, &a, WAIT_STATE);
    }
    if (stream_is_read())
        fabric_read(engine.fabric, root, engine.control.id, stream_slot_at(piece),
                    engine_control_at(stream_slot_at(piece)), len, &op);
    fabric_wait(engine.fabric, &op);
    PROBE(stream_fetched);
    thread_leave(t);
}

static void stream_tell_taken(int root, uint64_t piece)
{
    struct thread *t = thread_enter();
    stream_write_count(root, stream_taken_at(engine.node), piece + 1);
    thread_leave(t);
}

void stream_receive(void *buf, size_t len, int root)
{
    uint64_t k = pieces[root];
    for (size_t done = 0; done < len; k++) {
        size_t n = stream_piece_of(len - done);
        stream_fetch(root, k, n);
        if (stream_is_read()) /* the root's slot; else this node's own */
            stream_tell_taken(root, k);
        memcpy((char *)buf + done, engine_control_at(stream_slot_at(k)), n);
        if (!stream_is_read())
            stream_tell_taken(root, k);
        done += n;
    }
    pieces[root] = k;
}
