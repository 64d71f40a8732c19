/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* page_look.c - see page_look.h. */
#include "hlrc/memory/page_look.h"

#include <errno.h>

#include "base/reserve.h"
#include "base/spin.h"
#include "hlrc/core/engine.h"
#include "hlrc/probe/probe.h"

/* Each page is listed once: `listed`. Two lists alternate, so that one fills while the other is
 * processed. */
static uint32_t *list[2];
static uint32_t count; /* of list[0] */
static spin_lock_word list_lock;

static size_t page_look_list_bytes(void)
{
    return (size_t)engine.pages * sizeof *list[0];
}

int page_look_init(void)
{
    bool wanted = engine.config.trace_sim[0] && engine.config.trace_sim_detail == DETAIL_ALL;
    for (int i = 0; i < 2 && wanted; i++)
        if ((list[i] = reserve(page_look_list_bytes())) == NULL)
            return -ENOMEM;
    return 0;
}

void page_look_end(void)
{
    for (int i = 0; i < 2; i++) {
        reserve_end(list[i], page_look_list_bytes());
        list[i] = NULL;
    }
    count = 0;
}

bool page_look_later(struct page *p)
{
    bool closes = probe_records() && p->access == ACCESS_READ && !p->held &&
                  !(p->flags & (PAGE_BUSY | PAGE_STALE | PAGE_DIRTY | PAGE_EXCLUSIVE));
    p->looked = p->looked || closes;
    return closes;
}

void page_look_list(uint32_t page, struct page *p)
{
    spin_lock(&list_lock);
    if (count < engine.pages) { /* pages that were freed may be on it twice */
        list[0][count++] = page;
        p->listed = 1;
    }
    spin_unlock(&list_lock);
}

const uint32_t *page_look_take(uint32_t *n)
{
    spin_lock(&list_lock);
    uint32_t *pages = list[0];
    *n = count;
    list[0] = list[1];
    list[1] = pages;
    count = 0;
    spin_unlock(&list_lock);
    return pages;
}
