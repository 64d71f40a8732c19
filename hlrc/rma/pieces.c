/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pieces.c - see pieces.h. */
#include "hlrc/rma/pieces.h"

#include <string.h>

#include "base/diag.h"
#include "hlrc/core/call.h"
#include "hlrc/rma/window.h"

void pieces_shared_check(const char *call, const void *there, size_t len)
{
    uint32_t in_a_row;
    bool inside = engine_in_space(there);
    call_check(call);
    if (inside)
        (void)engine_app_run(engine_page_of(there), &in_a_row);
    if (!inside || len > ((size_t)in_a_row << PAGE_SHIFT) - (uintptr_t)there % PAGE_SIZE)
        diag_fatal(1,
                   "%s: %zu bytes at %p, HLRC_HOMES, are not shared memory; use memory of "
                   "hlrc_malloc, or pass a node and an address in a window",
                   call, len, there);
}

/* The names of the public calls' arguments: what a get writes is here. */
static void pieces_check_there(const char *call, bool strides, const void *there)
{
    static const char *const names[2][2] = { { "dst", "dst_strides" }, { "src", "src_strides" } };
    call_check_given(call, names[strncmp(call, "hlrc_get", 8) == 0][strides], there);
}

static void pieces_check_here(const char *call, bool strides, const void *here)
{
    static const char *const names[2][2] = { { "src", "src_strides" }, { "dst", "dst_strides" } };
    call_check_given(call, names[strncmp(call, "hlrc_get", 8) == 0][strides], here);
}

/* ---- strided ---- */

/* Joins levels that are contiguous on both sides; drops levels of one. */
static void pieces_join_levels(struct pieces *p)
{
    int kept = 0;
    for (int i = 0; i < p->levels; i++) {
        if (p->count[i] == 1)
            continue;
        if (kept == 0 && p->far[i] == p->bytes && p->near[i] == p->bytes) {
            p->bytes *= p->count[i];
            continue;
        }
        p->far[kept] = p->far[i];
        p->near[kept] = p->near[i];
        p->count[kept++] = p->count[i];
    }
    p->levels = kept;
}

/* Bytes from the first to the last; SIZE_MAX: beyond the address space. */
static size_t pieces_span_of(size_t bytes, const size_t *strides, const size_t *counts, int levels)
{
    size_t span = bytes, step;
    for (int i = 0; i < levels; i++)
        if (__builtin_mul_overflow(counts[i] - 1, strides[i], &step) ||
            __builtin_add_overflow(span, step, &span))
            return SIZE_MAX;
    return span;
}

/* Offset in the arena; for shared memory the address. */
static size_t pieces_place_of(const char *call, const void *there, size_t len, int node)
{
    if (node != HLRC_HOMES)
        return window_offset(call, there, len, node);
    pieces_shared_check(call, there, len);
    return (uintptr_t)there;
}

struct pieces pieces_strided(const char *call, void *there, const size_t *far, void *here,
                             const size_t *near, const size_t *counts, int levels, int node)
{
    struct pieces p = { .call = call, .node = node };
    if (levels < 0 || levels > HLRC_STRIDE_LEVELS)
        diag_fatal(1, "%s: %d levels of strides; pass 0 to %d", call, levels, HLRC_STRIDE_LEVELS);
    call_check_given(call, "counts", counts);
    if (levels > 0) {
        pieces_check_there(call, true, far);
        pieces_check_here(call, true, near);
    }
    p.left = p.bytes = counts[0];
    p.levels = levels;
    for (int i = 0; i < levels; i++) {
        p.far[i] = far[i];
        p.near[i] = near[i];
        p.count[i] = counts[i + 1];
        p.left = p.count[i] == 0 ? 0 : p.left;
    }
    if (p.left == 0) {
        p.off = pieces_place_of(call, there, 0, node);
        return p;
    }
    pieces_check_here(call, false, here);
    size_t span = pieces_span_of(p.bytes, p.near, p.count, levels);
    p.off = pieces_place_of(call, there, pieces_span_of(p.bytes, p.far, p.count, levels), node);
    p.may_fault = node == HLRC_HOMES || window_local_is_shared(here, span);
    p.local = p.may_fault ? here : window_local_mem(here);
    pieces_join_levels(&p);
    return p;
}

/* Advances to the next row when the first level is complete. */
static void pieces_next_row(struct pieces *p)
{
    for (int i = 0; i < p->levels; i++) {
        if (p->done[i] < p->count[i])
            return;
        p->off -= p->far[i] * p->count[i];
        p->local -= p->near[i] * p->count[i];
        p->done[i] = 0;
        if (i + 1 < p->levels) {
            p->off += p->far[i + 1];
            p->local += p->near[i + 1];
            p->done[i + 1]++;
        }
    }
    p->left = 0;
}

static size_t pieces_next_strided(struct pieces *p, struct fabric_piece *piece)
{
    size_t n = 0;
    if (p->levels == 0) {
        piece[0] = (struct fabric_piece){ p->off, p->local, p->bytes };
        p->left = 0;
        return 1;
    }
    while (n < PIECES && p->left) {
        size_t row = p->count[0] - p->done[0], end = row < PIECES - n ? n + row : PIECES;
        size_t off = p->off, far = p->far[0], near = p->near[0], bytes = p->bytes;
        char *local = p->local;
        p->done[0] += end - n;
        for (; n < end; n++) {
            piece[n] = (struct fabric_piece){ off, local, bytes };
            off += far;
            local += near;
        }
        p->off = off;
        p->local = local;
        pieces_next_row(p);
    }
    return n;
}

/* ---- vector ---- */

struct pieces pieces_vector(const char *call, void *const *there, void *const *here, size_t count,
                            size_t bytes, int node)
{
    call_check(call);
    if (node != HLRC_HOMES && (node < 0 || node >= engine.nodes))
        window_refuse(call, NULL, 0, node);
    if (count) {
        pieces_check_there(call, false, there);
        pieces_check_here(call, false, here);
    }
    return (struct pieces){ .call = call,
                            .node = node,
                            .may_fault = true,
                            .bytes = bytes,
                            .there = there,
                            .here = here,
                            .left = count };
}

static size_t pieces_next_listed(struct pieces *p, struct fabric_piece *piece)
{
    size_t n = p->left < PIECES ? p->left : PIECES;
    for (size_t i = 0; i < n; i++) {
        if (p->bytes)
            pieces_check_here(p->call, false, p->here[i]);
        piece[i] = (struct fabric_piece){ pieces_place_of(p->call, p->there[i], p->bytes, p->node),
                                          p->here[i], p->bytes };
    }
    p->there += n;
    p->here += n;
    p->left -= n;
    return p->bytes ? n : 0;
}

size_t pieces_next(struct pieces *p, struct fabric_piece *piece)
{
    if (p->left == 0)
        return 0;
    return p->there ? pieces_next_listed(p, piece) : pieces_next_strided(p, piece);
}
