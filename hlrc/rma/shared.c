/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * shared.c - put and get on shared memory: see shared.h.
 *
 * Works page by page. Where this node has a copy or is home, it uses loads and stores; elsewhere
 * only the bytes go from or to the home (memory/page_part.h). A get prefetches some of the pages
 * that it needs whole.
 */
#include "hlrc/rma/shared.h"

#include <string.h>

#include "hlrc/core/engine.h"
#include "hlrc/memory/copies.h"
#include "hlrc/memory/page_part.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/thread.h"

#define AHEAD 32 /* pages of a piece that are requested together */

/* Of one page. Bytes that bypass the page are staged on the stack: the program's memory may fault
 * [thread.no-fault]. */
static void shared_copy_part(enum transfer_way way, char *there, char *local, size_t len)
{
    char stage[PAGE_SIZE];
    if (way == PUT)
        memcpy(stage, local, len);
    PROBE(part_begun, engine_page_of(there), len, way == PUT);
    struct thread *t = thread_enter();
    bool done =
        page_part(way == PUT, engine_page_of(there), (uintptr_t)there % PAGE_SIZE, stage, len);
    if (copies_over())
        copies_trim();
    thread_leave(t);
    PROBE(computing_resumed);
    if (way == GET)
        memcpy(local, done ? stage : there, len);
    else if (!done)
        memcpy(there, stage, len);
}

/* Prefetches up to `most` pages. */
static void shared_expect(const void *there, size_t len, uint32_t most)
{
    uint32_t first = engine_page_of(there);
    size_t count = ((uintptr_t)there % PAGE_SIZE + len + PAGE_SIZE - 1) / PAGE_SIZE;
    uint32_t some = count < most ? (uint32_t)count : most;
    PROBE(parts_expected, first, some);
    struct thread *t = thread_enter();
    page_part_expect(first, some);
    thread_leave(t);
    PROBE(computing_resumed);
}

void shared_copy(enum transfer_way way, void *there, void *local, size_t len)
{
    for (size_t at = 0, n, next = 0; at < len; at += n) {
        char *from = (char *)there + at;
        if (way == GET && len - at > PAGE_SIZE && at >= next) {
            shared_expect(from, len - at, AHEAD);
            next = at + AHEAD / 2 * PAGE_SIZE;
        }
        n = PAGE_SIZE - (uintptr_t)from % PAGE_SIZE;
        n = len - at < n ? len - at : n;
        shared_copy_part(way, from, (char *)local + at, n);
    }
}

/* `off` of a piece is its address. */
void shared_copy_pieces(enum transfer_way way, struct pieces *p)
{
    struct fabric_piece piece[PIECES];
    size_t n;
    while ((n = pieces_next(p, piece)) > 0) {
        for (size_t i = 0; way == GET && i < n && p->left + n > 1; i++)
            shared_expect((void *)piece[i].off, piece[i].len, AHEAD);
        for (size_t i = 0; i < n; i++)
            shared_copy(way, (void *)piece[i].off, piece[i].local, piece[i].len);
    }
}
