/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * first_write.h - with --check races: who wrote a page first since its last interval, and that no
 * store goes by unseen.
 *
 *   FW1  No page is writable without being tracked, the default home's of ASYNC neither: what a
 *        node stores to a page from a closing to the next differs from a twin, at its home too.
 *   FW2  At the home what others write comes to page and twin under the page's lock, and under it
 *        the two are compared (page_flush_tracked): the difference is this node's own.
 *   FW3  The note of a page is written under its lock, before the page is writable, and read by the
 *        closing that has sealed it.
 */
#ifndef HLRC_FIRST_WRITE_H
#define HLRC_FIRST_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hlrc/engine.h"
#include "hlrc/memory/page.h"
#include "hlrc/memory/profile.h"
#include "hlrc/progress/recorder.h"

/* It travels between nodes as it is. */
struct first_write {
    uint64_t code;   /* the instruction; 0: none of the program's, a call of HLRC */
    uint64_t thread; /* of the node */
};

static inline bool races_checked(void)
{
    return engine.config.check == CHECK_RACES && !engine.alone;
}

int first_write_init(void); /* 0 or -ENOMEM */
void first_write_end(void);

/* From now on the thread's page faults are by the instruction at `code`; 0: by none. */
void first_write_by(uintptr_t code);

void first_write_note(uint32_t page); /* FW3. ASSUMPTION: locked */
struct first_write first_write_of(uint32_t page);

/* Whether the home's own writing to a page is told apart from others' by a twin (FW1, profile.h
 * PF1, recorder.h TS5). */
static inline bool twin_at_home(uint32_t page)
{
    return races_checked() || profile_is_told(page) || record_all;
}

/* What the application may do with a page that no node has touched (FW1). */
static inline enum page_access_right first_access(uint32_t page)
{
    enum page_access_right right = engine.protocol.pages->initial(page);
    return right == ACCESS_WRITE && races_checked() ? ACCESS_READ : right;
}

/* What the view allows of it then (page.h P11). */
static inline enum page_access_right first_view(uint32_t page)
{
    enum page_access_right right = first_access(page);
    return right == ACCESS_WRITE ? ACCESS_NONE : right;
}

#endif
