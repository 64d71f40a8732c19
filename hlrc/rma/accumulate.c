/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * accumulate.c - hlrc_acc and its variants: values are read, combined here and written back, under
 * a lock at their node. No CPU of that node takes part.
 *
 * A part of a window is divided into blocks of 16 KiB; each belongs to one of the BLOCK_LOCKS
 * words of its node, 0 or the node + 1 that works there. Consecutive pieces of a call in one block
 * are read and written together.
 *
 *   compare-and-swap 0 -> me, and reads | combine | writes, and compare-and-swap me -> 0
 *
 * That is two round trips where the adapter orders reads (FABRIC_READ_ORDERED), else three. If
 * another node has the block the request is retried with increasing back-off.
 *
 * Words of 4 bytes are handled in the same way where an adapter's atomics would undo neighbouring
 * stores.
 *
 * Invariants
 *   - Every accumulate into a value holds its block's lock: it reads the value after the
 *     compare-and-swap that took the lock, and releases after its writes [fabric.atomic-order].
 *   - A piece that overlaps an earlier one of its list is combined after that one is written.
 *   - Without FABRIC_ATOMICS_NARROW no atomic of the fabric touches a word of 4 bytes, nor the 4
 *     beside it: all operations on it hold its block's lock, and write these 4 bytes only.
 *   - The operations that hlrc_acc_nb and its variants leave pending need no thread here any more:
 *     the writes' sources have been copied, and the lock is released after them
 *     [fabric.atomic-order]. So a waiter for a block's lock waits for adapters only, not for a
 *     program to complete its operations.
 */
#include <errno.h>
#include <hlrc.h>
#include <string.h>
#include <time.h>

#include "base/backoff.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/thread.h"
#include "hlrc/rma/accumulate.h"
#include "hlrc/rma/handle.h"
#include "hlrc/rma/pieces.h"
#include "hlrc/rma/transfer.h"
#include "hlrc/rma/window.h"
#include "hlrc/sync/combine.h"

#define BLOCK ((size_t)16384)
#define ROOM  ((size_t)16384) /* bytes of values in flight at a time */

#define SPINS  50
#define YIELDS 200
#define NAP_NS 50000

/* The operation. A value of a complex type is two of `part`. */
struct accumulate_kind {
    hlrc_type part;
    hlrc_op op;
    size_t bytes, part_bytes; /* of a value */
    bool complex;
    const void *scale; /* NULL: none; private, one value */
};

struct accumulate_batch {
    const struct accumulate_kind *kind;
    int node;
    struct fabric_op *tail; /* counter of its last operation; NULL: the call waits for it */
    size_t block;
    size_t count, used;
    struct fabric_piece piece[PIECES]; /* `local` is in room */
    _Alignas(16) char room[ROOM];      /* values read from the target, at the same offsets as */
    _Alignas(16) char add[ROOM];       /* the values to combine with them */
};

/* ---- the values ---- */

#define SCALE(T, U)                                    \
    do {                                               \
        T *v = at, by;                                 \
        memcpy(&by, k->scale, sizeof by);              \
        for (size_t i = 0; i < bytes / sizeof *v; i++) \
            v[i] = (T)((U)v[i] * (U)by);               \
    } while (0)

#define SCALE_COMPLEX(T)                                    \
    do {                                                    \
        T *v = at, by[2];                                   \
        memcpy(by, k->scale, sizeof by);                    \
        for (size_t i = 0; i < bytes / sizeof *v; i += 2) { \
            T re = v[i] * by[0] - v[i + 1] * by[1];         \
            v[i + 1] = v[i] * by[1] + v[i + 1] * by[0];     \
            v[i] = re;                                      \
        }                                                   \
    } while (0)

static void accumulate_scale(const struct accumulate_kind *k, void *at, size_t bytes)
{
    if (k->complex && k->part == HLRC_FLOAT)
        SCALE_COMPLEX(float);
    else if (k->complex)
        SCALE_COMPLEX(double);
    else if (k->part == HLRC_FLOAT)
        SCALE(float, float);
    else if (k->part == HLRC_DOUBLE)
        SCALE(double, double);
    else if (k->part_bytes == 4)
        SCALE(uint32_t, uint32_t);
    else
        SCALE(uint64_t, uint64_t);
}

/* ---- a block ---- */

static size_t accumulate_lock_of(const struct accumulate_batch *b)
{
    return engine.at.block_locks + b->block % BLOCK_LOCKS * 8;
}

static bool accumulate_try_lock(const struct accumulate_batch *b, bool reads)
{
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t seen = 1;
    fabric_cas(engine.fabric, b->node, engine.control.id, accumulate_lock_of(b), 0,
               (uint64_t)engine.node + 1, &seen, &op);
    if (reads)
        fabric_read_pieces(engine.fabric, b->node, arena.id, b->piece, b->count, &op);
    fabric_wait(engine.fabric, &op);
    return seen == 0;
}

/* Afterwards `room` has the target's values. Returns how often it tried to lock the block. */
static unsigned accumulate_lock_and_read(const struct accumulate_batch *b)
{
    bool together = engine.fabric->caps & FABRIC_READ_ORDERED;
    unsigned asked = 1 + together;
    if (together && accumulate_try_lock(b, true))
        return 1;
    for (int try = 0; !accumulate_try_lock(b, false); try++, asked++)
        backoff_pause((unsigned)try, SPINS, YIELDS, NAP_NS);
    PROBE(block_locked);
    struct fabric_op op = FABRIC_OP_INIT;
    fabric_read_pieces(engine.fabric, b->node, arena.id, b->piece, b->count, &op);
    fabric_wait(engine.fabric, &op);
    return asked;
}

/* Each thread locks one block at a time: the next one may have to wait for another node, which may
 * wait for this one. */
static void accumulate_write_and_leave(const struct accumulate_batch *b)
{
    for (const struct fabric_piece *p = b->piece; p < b->piece + b->count; p++)
        fabric_write_copied(engine.fabric, b->node, arena.id, p->off, p->local, p->len);
    PROBE(block_written);
    fabric_cas(engine.fabric, b->node, engine.control.id, accumulate_lock_of(b),
               (uint64_t)engine.node + 1, 0, NULL, b->tail);
}

static void accumulate_write_and_unlock(const struct accumulate_batch *b)
{
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t me = (uint64_t)engine.node + 1, seen = 0;
    fabric_write_pieces(engine.fabric, b->node, arena.id, b->piece, b->count, &op);
    PROBE(block_written);
    fabric_cas(engine.fabric, b->node, engine.control.id, accumulate_lock_of(b), me, 0, &seen, &op);
    fabric_wait(engine.fabric, &op);
    debug_assert(seen == me);
}

/* After completion. */
static void accumulate_note(const struct accumulate_batch *b, bool left, unsigned asked)
{
    size_t bytes = 0;
    for (size_t i = 0; i < b->count; i++)
        bytes += b->piece[i].len;
    PROBE(values_combined, b->node, bytes, b->count << 1 | left, asked);
    if (left)
        handle_left();
}

/* Also writes an unchanged value. */
uint64_t accumulate_change(int node, size_t off, const struct change *c)
{
    uint32_t room = 0;
    struct accumulate_batch b;
    b.node = node;
    b.block = off / BLOCK;
    b.count = 1;
    b.piece[0] = (struct fabric_piece){ off, &room, sizeof room };
    unsigned asked = accumulate_lock_and_read(&b);
    uint64_t old = room;
    room = (uint32_t)change_of(c, old);
    accumulate_write_and_unlock(&b);
    if (probe_records())
        accumulate_note(&b, false, asked);
    return old;
}

static void accumulate_batch_end(struct accumulate_batch *b)
{
    if (b->count == 0)
        return;
    PROBE(computing_suspended);
    struct thread *t = thread_enter();
    unsigned asked = accumulate_lock_and_read(b);
    for (size_t i = 0; i < b->count; i++) {
        char *there = b->piece[i].local;
        combine(b->kind->part, b->kind->op, there, b->add + (there - b->room),
                b->piece[i].len / b->kind->part_bytes);
    }
    if (b->tail)
        accumulate_write_and_leave(b);
    else
        accumulate_write_and_unlock(b);
    thread_leave(t);
    PROBE(computing_resumed);
    if (probe_records())
        accumulate_note(b, b->tail != NULL, asked);
    b->count = 0;
}

static bool accumulate_overlaps(const struct accumulate_batch *b, size_t off, size_t len)
{
    for (size_t i = 0; i < b->count; i++)
        if (off < b->piece[i].off + b->piece[i].len && b->piece[i].off < off + len)
            return true;
    return false;
}

/* For values at offset `at` of `add`. */
static void accumulate_batch_place(struct accumulate_batch *b, size_t off, size_t at, size_t len)
{
    if (b->count &&
        (off / BLOCK != b->block || b->count == PIECES || accumulate_overlaps(b, off, len)))
        accumulate_batch_end(b);
    b->block = off / BLOCK;
    b->piece[b->count++] = (struct fabric_piece){ off, b->room + at, len };
}

/* Whole values; the parts of a complex one may lie in different blocks. */
static void accumulate_batch_add(struct accumulate_batch *b, size_t off, const char *user,
                                 size_t len)
{
    while (len) {
        if (ROOM - b->used < b->kind->bytes) {
            accumulate_batch_end(b);
            b->used = 0;
        }
        size_t fit = (ROOM - b->used) / b->kind->bytes * b->kind->bytes, n = len < fit ? len : fit;
        memcpy(b->add + b->used, user, n); /* may fault [thread.no-fault] */
        if (b->kind->scale)
            accumulate_scale(b->kind, b->add + b->used, n);
        for (size_t i = 0, m; i < n; i += m) {
            m = BLOCK - (off + i) % BLOCK;
            m = n - i < m ? n - i : m;
            accumulate_batch_place(b, off + i, b->used + i, m);
        }
        b->used += n;
        user += n;
        off += n;
        len -= n;
    }
}

/* ---- the calls ---- */

/* Stores a copy of `accumulate_scale` at `copy`, of 16 bytes. */
static int accumulate_kind_of(struct accumulate_kind *k, hlrc_type type, hlrc_op op,
                              const void *scale, void *copy)
{
    bool complex = type == HLRC_COMPLEX_FLOAT || type == HLRC_COMPLEX_DOUBLE;
    hlrc_type part = type == HLRC_COMPLEX_FLOAT    ? HLRC_FLOAT
                     : type == HLRC_COMPLEX_DOUBLE ? HLRC_DOUBLE
                                                   : type;
    if (!combine_knows(part, op) || ((complex || scale) && op != HLRC_SUM))
        return -EINVAL;
    size_t bytes = combine_bytes(part);
    *k = (struct accumulate_kind){ .part = part,
                                   .op = op,
                                   .bytes = complex ? 2 * bytes : bytes,
                                   .part_bytes = bytes,
                                   .complex = complex,
                                   .scale = scale ? memcpy(copy, scale, complex ? 2 * bytes : bytes)
                                                  : NULL };
    return 0;
}

/* Checks all pieces, before the first operation. */
static bool accumulate_aligned(const struct pieces *p, size_t to)
{
    size_t low = p->off;
    for (int i = 0; i < p->levels; i++)
        low |= p->far[i];
    for (size_t i = 0; p->there && i < p->left; i++)
        low |= (uintptr_t)p->there[i];
    return low % to == 0;
}

/* For nonblocking calls: `at` receives the handle; NULL: none is wanted. */
struct accumulate_begins {
    hlrc_handle_t *at;
};

static int accumulate(const struct accumulate_kind *k, struct pieces *p,
                      const struct accumulate_begins *begins)
{
    if (!accumulate_aligned(p, k->part_bytes))
        return -EINVAL;
    if (p->node == HLRC_HOMES)
        window_refuse(p->call, NULL, 0, p->node);
    struct handle *h = begins && begins->at ? handle_take(p->node) : NULL;
    struct fabric_piece piece[PIECES];
    struct accumulate_batch b;
    size_t n;
    b.kind = k;
    b.node = p->node;
    b.tail = h ? &h->op : begins ? handle_none(p->node) : NULL;
    b.count = b.used = 0;
    while ((n = pieces_next(p, piece)) > 0)
        for (size_t i = 0; i < n; i++)
            accumulate_batch_add(&b, piece[i].off, piece[i].local, piece[i].len);
    accumulate_batch_end(&b);
    if (h)
        *begins->at = (hlrc_handle_t){ handle_name(h) };
    return 0;
}

/* The arguments common to all calls. */
struct accumulate_values {
    hlrc_type type;
    hlrc_op op;
    const void *scale;
};

static int accumulate_row(const char *call, void *dst, const void *src, size_t count,
                          struct accumulate_values v, int node,
                          const struct accumulate_begins *begins)
{
    char copy[16];
    struct accumulate_kind k;
    size_t bytes;
    call_check(call);
    int rc = accumulate_kind_of(&k, v.type, v.op, v.scale, copy);
    if (rc)
        return rc;
    if (__builtin_mul_overflow(count, k.bytes, &bytes))
        bytes = SIZE_MAX;
    struct pieces p =
        pieces_strided(call, dst, NULL, (void *)(uintptr_t)src, NULL, &bytes, 0, node);
    return accumulate(&k, &p, begins);
}

/* `bytes` of a piece. */
static int accumulate_section(struct pieces p, size_t bytes, struct accumulate_values v,
                              const struct accumulate_begins *begins)
{
    char copy[16];
    struct accumulate_kind k;
    int rc = accumulate_kind_of(&k, v.type, v.op, v.scale, copy);
    if (rc || bytes % k.bytes != 0)
        return -EINVAL;
    return accumulate(&k, &p, begins);
}

int hlrc_acc(void *dst, const void *src, size_t count, hlrc_type type, hlrc_op op,
             const void *scale, int node)
{
    return accumulate_row("hlrc_acc", dst, src, count,
                          (struct accumulate_values){ type, op, scale }, node, NULL);
}

int hlrc_acc_nb(void *dst, const void *src, size_t count, hlrc_type type, hlrc_op op,
                const void *scale, int node, hlrc_handle_t *handle)
{
    return accumulate_row("hlrc_acc_nb", dst, src, count,
                          (struct accumulate_values){ type, op, scale }, node,
                          &(struct accumulate_begins){ handle });
}

int hlrc_acc_strided(void *dst, const size_t *dst_strides, const void *src,
                     const size_t *src_strides, const size_t *counts, int levels, hlrc_type type,
                     hlrc_op op, const void *scale, int node)
{
    struct pieces p = pieces_strided("hlrc_acc_strided", dst, dst_strides, (void *)(uintptr_t)src,
                                     src_strides, counts, levels, node);
    return accumulate_section(p, counts[0], (struct accumulate_values){ type, op, scale }, NULL);
}

int hlrc_acc_strided_nb(void *dst, const size_t *dst_strides, const void *src,
                        const size_t *src_strides, const size_t *counts, int levels, hlrc_type type,
                        hlrc_op op, const void *scale, int node, hlrc_handle_t *handle)
{
    struct pieces p = pieces_strided("hlrc_acc_strided_nb", dst, dst_strides,
                                     (void *)(uintptr_t)src, src_strides, counts, levels, node);
    return accumulate_section(p, counts[0], (struct accumulate_values){ type, op, scale },
                              &(struct accumulate_begins){ handle });
}

int hlrc_acc_vector(void *const *dst, const void *const *src, size_t count, size_t len,
                    hlrc_type type, hlrc_op op, const void *scale, int node)
{
    struct pieces p = pieces_vector("hlrc_acc_vector", dst, (void *const *)src, count, len, node);
    return accumulate_section(p, len, (struct accumulate_values){ type, op, scale }, NULL);
}

int hlrc_acc_vector_nb(void *const *dst, const void *const *src, size_t count, size_t len,
                       hlrc_type type, hlrc_op op, const void *scale, int node,
                       hlrc_handle_t *handle)
{
    struct pieces p =
        pieces_vector("hlrc_acc_vector_nb", dst, (void *const *)src, count, len, node);
    return accumulate_section(p, len, (struct accumulate_values){ type, op, scale },
                              &(struct accumulate_begins){ handle });
}
