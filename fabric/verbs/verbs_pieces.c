/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * verbs_pieces.c - transfers of many pieces. A work request costs more than the bytes of a short
 * piece: pieces that lie close together at the peer share one.
 *
 * Invariants
 *   - A read of several pieces fetches all bytes from the first piece to the last into a slot: at
 *     most FABRIC_INLINE bytes, VERBS_GAP between two pieces, and from one piece of registered
 *     memory. At its completion only the requested bytes are copied to their destinations.
 *   - A write of several pieces writes only the requested bytes: the pieces are adjacent at the
 *     peer. They are copied to a slot when it is started.
 *   - Pieces are taken in the order of the list, and are joined only if their offsets at the peer
 *     ascend: so overlapping writes land in their order.
 */
#include <assert.h>
#include <string.h>

#include "fabric/verbs/verbs_parts.h"

/* Bytes that are read but not requested, at most. A work request of an adapter takes as long as
 * some hundred bytes to a KiB on its link; with soft-RoCE, as long as several KiB. */
#define VERBS_GAP 1024

/* Number of pieces, from the first one on, that may share a request; *bytes is their total
 * span. */
static size_t verbs_pieces_together(const struct fabric_piece *p, size_t n, size_t gap,
                                    size_t *bytes)
{
    size_t k = 1, end = p[0].len;
    for (; k < n && k < VERBS_PARTS; k++) {
        size_t at = p[k].off - p[0].off; /* wraps to a huge value if before it */
        if (at < end || at - end > gap || at + p[k].len > FABRIC_INLINE)
            break;
        end = at + p[k].len;
    }
    *bytes = end;
    return k;
}

/* Prepares a request for all these bytes; false: they span more than one piece of registered
 * memory. */
static bool verbs_pieces_aim(struct verbs_fabric *v, struct verbs_order *o, int win, size_t off,
                             size_t bytes)
{
    size_t len = bytes;
    o->rkey = verbs_remote_key(v, o->peer, win, off, &len);
    o->remote = verbs_remote_at(v, o->peer, win, off);
    o->len = bytes;
    return len == bytes;
}

static void verbs_pieces_count(_Atomic uint64_t *c, uint64_t by)
{
    atomic_fetch_add_explicit(c, by, memory_order_relaxed);
}

void verbs_hand_out(struct verbs_fabric *v, const struct verbs_work *w)
{
    const struct verbs_part *part = v->part[w->bounce];
    const char *slot = verbs_bounce_at(v, w->bounce);
    for (int i = 0; i < w->parts; i++)
        memcpy(part[i].dst, slot + part[i].at, part[i].len);
}

static bool verbs_pieces_read_together(struct verbs_fabric *v, struct verbs_order *o, int win,
                                       const struct fabric_piece *p, size_t n, size_t bytes)
{
    if (!verbs_pieces_aim(v, o, win, p->off, bytes))
        return false;
    verbs_take_bounce(v, o);
    for (size_t i = 0; i < n; i++)
        v->part[o->bounce][i] =
            (struct verbs_part){ p[i].local, (uint16_t)(p[i].off - p[0].off), (uint16_t)p[i].len };
    o->parts = (int)n;
    verbs_pieces_count(&v->reads, 1);
    verbs_pieces_count(&v->count[o->peer].read_bytes, bytes);
    verbs_post(v, o);
    return true;
}

static bool verbs_pieces_write_together(struct verbs_fabric *v, struct verbs_order *o, int win,
                                        const struct fabric_piece *p, size_t n, size_t bytes)
{
    if (!verbs_pieces_aim(v, o, win, p->off, bytes))
        return false;
    verbs_take_bounce(v, o);
    char *to = o->local;
    for (size_t i = 0; i < n; to += p[i++].len)
        memcpy(to, p[i].local, p[i].len);
    assert((size_t)(to - (char *)o->local) == bytes);
    verbs_pieces_count(&v->writes, 1);
    verbs_pieces_count(&v->count[o->peer].written_bytes, bytes);
    verbs_post(v, o);
    return true;
}

void verbs_read_pieces(struct fabric *f, int peer, int win, const struct fabric_piece *p,
                       size_t count, struct fabric_op *op)
{
    struct verbs_fabric *v = verbs_of(f);
    for (size_t i = 0, n, bytes; i < count; i += n) {
        struct verbs_order o = { .kind = VERBS_READ, .peer = peer, .op = op };
        n = v->peer[peer].near ? 1 : verbs_pieces_together(p + i, count - i, VERBS_GAP, &bytes);
        if (n > 1 && verbs_pieces_read_together(v, &o, win, p + i, n, bytes))
            continue;
        for (size_t k = i; k < i + n; k++)
            verbs_read(f, peer, win, p[k].off, p[k].local, p[k].len, op);
    }
}

/* A piece that the adapter copies when it is posted needs no completion, unless it is the last one,
 * which follows it [fabric.write-order]. */
void verbs_write_pieces(struct fabric *f, int peer, int win, const struct fabric_piece *p,
                        size_t count, struct fabric_op *op)
{
    struct verbs_fabric *v = verbs_of(f);
    for (size_t i = 0, n, bytes; i < count; i += n) {
        struct verbs_order o = { .kind = VERBS_WRITE, .peer = peer, .op = op };
        n = v->peer[peer].near ? 1 : verbs_pieces_together(p + i, count - i, 0, &bytes);
        if (n > 1 && verbs_pieces_write_together(v, &o, win, p + i, n, bytes))
            continue;
        for (size_t k = i; k < i + n; k++)
            verbs_write(f, peer, win, p[k].off, p[k].local, p[k].len,
                        k == count - 1 || p[k].len > v->max_inline ? op : NULL);
    }
}
