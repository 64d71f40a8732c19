/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * no_rma.h - the put and get operations (hlrc_rma.h) that the applications use, for programs that
 * link no HLRC: sequential.h, native.h.
 *
 * Memory is coherent there, so all operations are loads and stores, complete on return. The
 * including file declares rma_place(): the calling process's address of `at` in the part of a
 * node, or `at` itself with HLRC_HOMES.
 */
#ifndef APPS_NO_RMA_H
#define APPS_NO_RMA_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HLRC_HOMES (-1) /* as in hlrc_rma.h */

typedef uint64_t hlrc_handle_t;

/* Only for one level. */
static inline void hlrc_get_strided_nb(void *dst, const size_t *dst_strides, const void *src,
                                       const size_t *src_strides, const size_t *counts, int levels,
                                       int node, hlrc_handle_t *handle)
{
    const char *from = rma_place(src, node);

    (void)levels;
    (void)handle;
    for (size_t i = 0; i < counts[1]; i++)
        memcpy((char *)dst + i * dst_strides[0], from + i * src_strides[0], counts[0]);
}

static inline void hlrc_put_nb(void *dst, const void *src, size_t len, int node,
                               hlrc_handle_t *handle)
{
    (void)handle;
    memcpy(rma_place(dst, node), src, len);
}

/* Only for this type and operation, and for any part of a window. */
typedef enum { HLRC_UINT64 } hlrc_type;
typedef enum { HLRC_XOR } hlrc_op;

static inline int hlrc_rmw(void *word, const void *value, void *old, hlrc_type type, hlrc_op op,
                           int node)
{
    uint64_t was = __atomic_fetch_xor((uint64_t *)rma_place(word, node), *(const uint64_t *)value,
                                      __ATOMIC_SEQ_CST);

    (void)type;
    (void)op;
    if (old != NULL)
        *(uint64_t *)old = was;
    return 0;
}

static inline void hlrc_fence_all(void)
{
}

#endif
