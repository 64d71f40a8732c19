/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sample.c - see sample.h. */
#include "hlrc/memory/sample.h"

#include <stdatomic.h>

#include "hlrc/core/engine.h"
#include "hlrc/memory/page.h"
#include "hlrc/memory/page_look.h"
#include "hlrc/memory/page_view.h"
#include "hlrc/probe/profile.h"

#define AT_ONCE 4

/* Afterwards the view allows less than the state permits, which is always right. Not pages that
 * hlrc_touch has opened for stores: its caller may be about to make a system call
 * [page.touched]. */
static bool sample_may_close(const struct page *p)
{
    return p->access != ACCESS_NONE && !p->touched && !p->held &&
           !(p->flags & (PAGE_BUSY | PAGE_STALE | PAGE_EXCLUSIVE));
}

static void sample_close_one(uint32_t page)
{
    struct page *p = page_lock(page);
    int rc = sample_may_close(p) ? page_view_change(page, 1, ACCESS_NONE) : 1;
    if (rc == 0)
        profile_sampled(page);
    page_unlock(p);
    if (rc < 0)
        page_view_mend(page, 1);
}

void sample_some(void)
{
    uint32_t page, first = 0;
    bool due;
    for (int i = 0; i < AT_ONCE && profile_next(&page, &due) && (i == 0 || page != first); i++) {
        first = i == 0 ? page : first;
        if (due)
            sample_close_one(page);
    }
}

/* A page that cannot be closed now is retried after the next acquire. */
static void sample_look_at(uint32_t page)
{
    struct page *p = page_lock(page);
    int rc = 0;
    p->listed = 0;
    if (page_look_later(p))
        rc = page_view_change(page, 1, ACCESS_NONE);
    if (p->access != ACCESS_NONE)
        page_look_list(page, p);
    page_unlock(p);
    if (rc)
        page_view_mend(page, 1);
}

void sample_all(void)
{
    static _Atomic bool busy;
    uint32_t n;
    if (atomic_exchange(&busy, true))
        return;
    const uint32_t *pages = page_look_take(&n);
    for (uint32_t i = 0; i < n; i++)
        sample_look_at(pages[i]);
    atomic_store(&busy, false);
}
