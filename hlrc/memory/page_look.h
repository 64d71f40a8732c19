/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* page_look.h - pages that are closed to detect whether they are used (recorder.h). */
#ifndef HLRC_PAGE_LOOK_H
#define HLRC_PAGE_LOOK_H

#include "hlrc/memory/page.h"
#include "hlrc/probe/recorder.h"

int page_look_init(void); /* 0 or -ENOMEM */
void page_look_end(void);

/* For a home page that another node has written: returns whether it is to be closed, and marks it.
 * ASSUMPTION: locked. */
bool page_look_later(struct page *p);

/* Lists a page that is about to be opened. ASSUMPTION: locked. */
void page_look_list(uint32_t page, struct page *p);

static inline void page_look_opens(uint32_t page, struct page *p)
{
    p->looked = 0;
    if (record_all && !p->listed)
        page_look_list(page, p);
}

/* Takes the *N pages listed since the last call; valid until the next call. One thread at a
 * time. */
const uint32_t *page_look_take(uint32_t *n);

#endif
