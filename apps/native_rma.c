/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * native_rma.c - windows of no_rma.h, for processes that share memory without HLRC.
 *
 * A window takes one piece of the arena per node, and one more. Over the extra piece each process
 * maps its own part a second time. So the own part is at the same address for all, and the parts
 * of others are at addresses common to all nodes.
 */
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE
#endif
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "apps/native.h"

#define MAX_WINDOWS 8

static struct window {
    char *at;
    size_t size;
} windows[MAX_WINDOWS];
static int count;

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
               MREMAP_MAYMOVE | MREMAP_FIXED, at) == MAP_FAILED) {
        perror("native: a window");
        exit(1);
    }
    windows[count++] = (struct window){ at, rounded };
    return at;
}

void *rma_place(const void *at, int node)
{
    char *mine = (char *)(uintptr_t)at;

    for (int i = 0; node != HLRC_HOMES && i < count; i++)
        if (mine >= windows[i].at && mine < windows[i].at + windows[i].size)
            return mine + windows[i].size * (size_t)(node + 1);
    return mine;
}
