/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* home.c - the public calls about single pages: their home, placement, prefetch and touch. */
#include <errno.h>
#include <hlrc.h>

#include "hlrc/core/call.h"
#include "hlrc/core/engine.h"
#include "hlrc/memory/page.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/thread.h"

/* The pages that [addr, addr+len) touches; false when the range is not in shared space. */
static bool home_pages_of_range(const void *addr, size_t len, uint32_t *first, uint32_t *count)
{
    uint32_t in_a_row;
    if (!engine_in_space(addr))
        return false;
    size_t off = (uintptr_t)addr & (PAGE_SIZE - 1);
    *first = engine_page_of(addr);
    (void)engine_app_run(*first, &in_a_row);
    if (len > ((size_t)in_a_row << PAGE_SHIFT) - off)
        return false;
    *count = len ? (uint32_t)((off + len - 1) >> PAGE_SHIFT) + 1 : 0;
    return true;
}

int hlrc_home(const void *addr)
{
    call_check("hlrc_home");
    if (!engine_in_space(addr))
        return -EINVAL;
    uint32_t page = engine_page_of(addr);
    if (engine.alone)
        return 0;
    struct thread *t = thread_enter();
    int home = page_known_home(page);
    if (home < 0)
        home = engine.protocol.pages->home(page, t->call_token);
    thread_leave(t);
    return home;
}

/* Marks at its home that the page stays there (page_move.h). */
static void home_mark_placed(uint32_t page, int node, struct fabric_op *op)
{
    static const uint32_t mark = 1;
    if (node == engine.node)
        atomic_store(engine_placed_here(page), mark);
    else
        fabric_write(engine.fabric, node, engine.control.id, engine_placed_at(page), &mark,
                     sizeof mark, op);
}

int hlrc_place(void *addr, size_t len, int node)
{
    call_check("hlrc_place");
    uint32_t first, count;
    if (node < 0 || node >= engine.nodes || !home_pages_of_range(addr, len, &first, &count))
        return -EINVAL;
    if (engine.alone)
        return 0;
    int rc = 0;
    PROBE(pages_placed, first, count, node);
    struct fabric_op op = FABRIC_OP_INIT;
    struct thread *t = thread_enter();
    for (uint32_t i = first; i < first + count; i++)
        if (engine.protocol.pages->place(i, node, t->call_token) == node)
            home_mark_placed(i, node, &op);
        else
            rc = -EBUSY;
    fabric_wait(engine.fabric, &op);
    thread_leave(t);
    return rc;
}

int hlrc_prefetch(const void *addr, size_t len)
{
    call_check("hlrc_prefetch");
    uint32_t first, count;
    if (!home_pages_of_range(addr, len, &first, &count))
        return -EINVAL;
    if (engine.alone)
        return 0;
    struct thread *t = thread_enter();
    PROBE(pages_prefetch, first, count);
    page_prefetch(first, count);
    thread_leave(t);
    return 0;
}

int hlrc_touch(void *addr, size_t len, int write)
{
    call_check("hlrc_touch");
    uint32_t first, count;
    if (!home_pages_of_range(addr, len, &first, &count))
        return -EINVAL;
    if (engine.alone)
        return 0;
    struct thread *t = thread_enter();
    struct probe_span span = PROBE_BEGIN(touch);
    PROBE(pages_touch, first, count, write != 0);
    page_touch(first, count, write);
    PROBE_END(touch, span, first, count);
    thread_leave(t);
    return 0;
}
