/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * native_rma.c - hints, windows, put and get (hlrc_rma.h), as far as the applications use them, for
 * processes that share memory without HLRC.
 *
 * A window takes one piece of the arena per node, and one more. Over the extra piece each process
 * maps its own part a second time. So the own part is at the same address for all, and the parts
 * of others are at addresses common to all nodes. Memory is coherent, so all operations are loads
 * and stores, complete on return.
 */
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE
#endif
#include <hlrc.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "apps/native.h"

#define MAX_WINDOWS 8

static struct window {
    char *at;
    size_t size;
} windows[MAX_WINDOWS];
static int count;

int hlrc_prefetch(const void *addr, size_t len)
{
    (void)addr, (void)len;
    return 0;
}

int hlrc_touch(void *addr, size_t len, int write)
{
    (void)addr, (void)len, (void)write;
    return 0;
}

void *hlrc_window_create(size_t size)
{
    size_t rounded = (size + 4095) & ~(size_t)4095;
    char *at;

    if (count == MAX_WINDOWS || size == 0 || rounded < size)
        return NULL;
    at = hlrc_malloc_all(rounded * (size_t)(hlrc_node_count() + 1));
    if (at == NULL)
        return NULL;
    /* a length of 0 keeps the old mapping as well */
    if (mremap(at + rounded * (size_t)(hlrc_node_id() + 1), 0, rounded,
               MREMAP_MAYMOVE | MREMAP_FIXED, at) == MAP_FAILED)
        native_die("cannot map a window of %zu bytes", rounded);
    windows[count++] = (struct window){ at, rounded };
    return at;
}

/* This process's address of `at` in the part of a node; `at` itself for its own, and with
 * HLRC_HOMES. */
static void *address_of(const void *at, int node)
{
    char *mine = (char *)(uintptr_t)at;
    bool elsewhere = node != HLRC_HOMES && node != hlrc_node_id();

    for (int i = 0; elsewhere && i < count; i++)
        if (mine >= windows[i].at && mine < windows[i].at + windows[i].size)
            return mine + windows[i].size * (size_t)(node + 1);
    return mine;
}

/* Only for one level. */
void hlrc_get_strided_nb(void *dst, const size_t *dst_strides, const void *src,
                         const size_t *src_strides, const size_t *counts, int levels, int node,
                         hlrc_handle_t *handle)
{
    const char *from = address_of(src, node);

    (void)levels, (void)handle;
    for (size_t i = 0; i < counts[1]; i++)
        memcpy((char *)dst + i * dst_strides[0], from + i * src_strides[0], counts[0]);
}

void hlrc_put_nb(void *dst, const void *src, size_t len, int node, hlrc_handle_t *handle)
{
    (void)handle;
    memcpy(address_of(dst, node), src, len);
}

hlrc_word_t hlrc_word_window(void *addr, int node)
{
    return (hlrc_word_t){ .addr = addr, .node = node };
}

/* Only HLRC_XOR of HLRC_UINT64, without the old value: then it is one instruction. */
int hlrc_word_fetch_nb(hlrc_word_t word, hlrc_type type, hlrc_op op, const void *value, void *old,
                       hlrc_handle_t *handle)
{
    (void)old, (void)type, (void)op, (void)handle;
    (void)__atomic_fetch_xor((uint64_t *)address_of(word.addr, word.node), *(const uint64_t *)value,
                             __ATOMIC_SEQ_CST);
    return 0;
}

void hlrc_fence_all(void)
{
}
