/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * first_write.h - with --check races: the first write to a page since its last interval. No store
 * goes untracked.
 *
 *   [races.tracked] No page is writable without being tracked, not even ASYNC's default home: a
 *       node's stores to a page between two flushes differ from a twin, at its home too.
 *   - At the home other nodes' diffs are applied to page and twin under the page's lock, and the
 *     two are compared under it (page_flush_tracked). So the difference is this node's own.
 *   - The note of a page is written under its lock, before the page is writable, and read by the
 *     flush that has write-protected it.
 */
#ifndef HLRC_FIRST_WRITE_H
#define HLRC_FIRST_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hlrc/core/engine.h"
#include "hlrc/memory/page.h"
#include "hlrc/probe/profile.h"
#include "hlrc/probe/recorder.h"

/* Sent between nodes in this form. */
struct first_write {
    uint64_t code;   /* the instruction; 0: in a call of HLRC */
    uint64_t thread; /* its index at its node */
};

static inline bool first_write_races_checked(void)
{
    return engine.config.check == CHECK_RACES && !engine.alone;
}

int first_write_init(void); /* 0 or -ENOMEM */
void first_write_end(void);

/* Attributes this thread's page faults to the instruction at `code`; 0: to none. */
void first_write_by(uintptr_t code);

void first_write_note(uint32_t page); /* ASSUMPTION: locked */
struct first_write first_write_of(uint32_t page);

/* Whether a twin distinguishes the home's own writes from others' ([races.tracked], profile.h,
 * recorder.h). */
static inline bool first_write_twin_at_home(uint32_t page)
{
    return first_write_races_checked() || profile_is_told(page) || record_all;
}

/* The application's right to a page that no node has touched [races.tracked]. */
static inline enum protocol_access first_write_access(uint32_t page)
{
    enum protocol_access right = engine.protocol.pages->initial(page);
    return right == ACCESS_WRITE && first_write_races_checked() ? ACCESS_READ : right;
}

/* What the view allows initially [page.unshared-block]. */
static inline enum protocol_access first_write_view(uint32_t page)
{
    enum protocol_access right = first_write_access(page);
    return right == ACCESS_WRITE ? ACCESS_NONE : right;
}

#endif
