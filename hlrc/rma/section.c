/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* section.c - put and get of many pieces, strided and listed, in batches. */
#include <hlrc.h>

#include "hlrc/probe/probe.h"
#include "hlrc/progress/thread.h"
#include "hlrc/rma/handle.h"
#include "hlrc/rma/pieces.h"
#include "hlrc/rma/shared.h"
#include "hlrc/rma/transfer.h"
#include "hlrc/rma/window.h"

static void *section_writable(const void *at)
{
    return (void *)(uintptr_t)at;
}

static void section_note(enum transfer_way way, int node, const struct fabric_piece *piece,
                         size_t n, enum record_wait wait)
{
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++)
        bytes += piece[i].len;
    transfer_record(way, node, bytes, wait, n);
}

/* `wait`: when the started operations are waited for. */
static void section_start(enum transfer_way way, int node, const struct fabric_piece *piece,
                          size_t n, enum record_wait wait, struct fabric_op *op)
{
    if (probe_records())
        section_note(way, node, piece, n, wait);
    struct thread *t = thread_enter();
    if (way == PUT)
        fabric_write_pieces(engine.fabric, node, arena.id, piece, n, op);
    else
        fabric_read_pieces(engine.fabric, node, arena.id, piece, n, op);
    thread_leave(t);
    PROBE(computing_resumed);
}

/* [thread.no-fault]. Keeps the pieces that the fabric may touch; stages the others. */
static size_t section_sort_out(struct transfer_stage *s, struct fabric_piece *piece, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        struct fabric_piece p = piece[i];
        if (window_local_is_shared(p.local, p.len)) {
            transfer_stage_add(s, p.off, p.local, p.len);
        } else {
            p.local = window_local_mem(p.local);
            piece[kept++] = p;
        }
    }
    return kept;
}

static void section_start_careful(enum transfer_way way, struct pieces *p, enum record_wait wait,
                                  struct fabric_op *op)
{
    struct fabric_piece piece[PIECES];
    struct transfer_stage s;
    size_t n;
    s.way = way;
    s.node = p->node;
    s.count = s.used = 0;
    while ((n = pieces_next(p, piece)) > 0)
        if ((n = section_sort_out(&s, piece, n)) > 0)
            section_start(way, p->node, piece, n, wait, op);
    transfer_stage_end(&s);
}

static void section_start_all(enum transfer_way way, struct pieces *p, enum record_wait wait,
                              struct fabric_op *op)
{
    struct fabric_piece piece[PIECES];
    size_t n;
    if (p->may_fault) {
        section_start_careful(way, p, wait, op);
        return;
    }
    while ((n = pieces_next(p, piece)) > 0)
        section_start(way, p->node, piece, n, wait, op);
}

static void section_transfer(enum transfer_way way, struct pieces p)
{
    if (p.node == HLRC_HOMES) {
        shared_copy_pieces(way, &p);
        return;
    }
    struct fabric_op op = FABRIC_OP_INIT;
    section_start_all(way, &p, RECORD_LATER, &op);
    transfer_record(way, p.node, 0, RECORD_AWAITED, 0);
    struct thread *t = thread_enter();
    transfer_finish(&op);
    thread_leave(t);
    PROBE(computing_resumed);
}

static void section_transfer_nb(enum transfer_way way, struct pieces p, hlrc_handle_t *handle)
{
    if (p.node == HLRC_HOMES) {
        shared_copy_pieces(way, &p);
        if (handle)
            *handle = (hlrc_handle_t){ handle_done() };
        return;
    }
    struct handle *h = handle ? handle_take(p.node) : NULL;
    section_start_all(way, &p, RECORD_LEFT, h ? &h->op : handle_none(p.node));
    if (handle)
        *handle = (hlrc_handle_t){ handle_name(h) };
}

void hlrc_put_strided(void *dst, const size_t *dst_strides, const void *src,
                      const size_t *src_strides, const size_t *counts, int levels, int node)
{
    section_transfer(PUT, pieces_strided("hlrc_put_strided", dst, dst_strides,
                                         section_writable(src), src_strides, counts, levels, node));
}

void hlrc_get_strided(void *dst, const size_t *dst_strides, const void *src,
                      const size_t *src_strides, const size_t *counts, int levels, int node)
{
    section_transfer(GET, pieces_strided("hlrc_get_strided", section_writable(src), src_strides,
                                         dst, dst_strides, counts, levels, node));
}

void hlrc_put_strided_nb(void *dst, const size_t *dst_strides, const void *src,
                         const size_t *src_strides, const size_t *counts, int levels, int node,
                         hlrc_handle_t *handle)
{
    section_transfer_nb(PUT,
                        pieces_strided("hlrc_put_strided_nb", dst, dst_strides,
                                       section_writable(src), src_strides, counts, levels, node),
                        handle);
}

void hlrc_get_strided_nb(void *dst, const size_t *dst_strides, const void *src,
                         const size_t *src_strides, const size_t *counts, int levels, int node,
                         hlrc_handle_t *handle)
{
    section_transfer_nb(GET,
                        pieces_strided("hlrc_get_strided_nb", section_writable(src), src_strides,
                                       dst, dst_strides, counts, levels, node),
                        handle);
}

void hlrc_put_vector(void *const *dst, const void *const *src, size_t count, size_t len, int node)
{
    section_transfer(PUT,
                     pieces_vector("hlrc_put_vector", dst, (void *const *)src, count, len, node));
}

void hlrc_get_vector(void *const *dst, const void *const *src, size_t count, size_t len, int node)
{
    section_transfer(GET,
                     pieces_vector("hlrc_get_vector", (void *const *)src, dst, count, len, node));
}

void hlrc_put_vector_nb(void *const *dst, const void *const *src, size_t count, size_t len,
                        int node, hlrc_handle_t *handle)
{
    section_transfer_nb(PUT,
                        pieces_vector("hlrc_put_vector_nb", dst, (void *const *)src, count, len,
                                      node),
                        handle);
}

void hlrc_get_vector_nb(void *const *dst, const void *const *src, size_t count, size_t len,
                        int node, hlrc_handle_t *handle)
{
    section_transfer_nb(GET,
                        pieces_vector("hlrc_get_vector_nb", (void *const *)src, dst, count, len,
                                      node),
                        handle);
}
