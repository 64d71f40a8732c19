/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * page_view.h - the application's view of the pages: the one place where its protection changes.
 *
 * The system splits a mapping where two neighbours' protections differ, and allows so many per
 * process. A change that would need more fails, and may leave the first part of its range changed.
 *
 * Invariants
 *   G1  `access` of a page is what the view allows, or more. So revoking by `access` revokes
 *       all that is there. It is more only between a change that failed and the view_mend that
 *       follows it; the page is `unsure` then.
 *   G2  A change that fails is followed by view_mend, by the same thread and with no page locked,
 *       and is tried again. A fault in between finds its page open, returns, and comes again.
 *   G3  A collapse makes a range one mapping without access, and so takes as many mappings away as
 *       it finds borders: it takes that sixteenth of the pages that were ever used which has
 *       most, else all of them, else the space. Where there is none left, the process has too many
 *       others.
 */
#ifndef HLRC_PAGE_VIEW_H
#define HLRC_PAGE_VIEW_H

#include <stdint.h>

#include "hlrc/protocol/protocol.h"

#define RUN_PAGES 256u /* pages whose locks are held together at most, but for a collapse */

/* 0, or -ENOMEM: then G2. ASSUMPTION: the pages are locked, and their flags permit `right`. */
int view_change(uint32_t first, uint32_t count, enum page_access_right right);

/* The same for those pages of [first, first+count) that `marked` names, run by run. */
int view_change_marked(uint32_t first, uint32_t count, const bool *marked,
                       enum page_access_right right);

/*
 * Makes room for mappings by a collapse, and closes the pages of a change that failed, so that
 * `access` is exact again. Ends the process with a line where nothing can be gained. ASSUMPTION: no
 * page is locked by the caller.
 */
void view_mend(uint32_t first, uint32_t count);

/*
 * The initial protection of these pages, which are closed, in runs. init: before anything is known
 * of them; reset: they are in their initial state again.
 */
int view_init(uint32_t first, uint32_t count);
void view_reset(uint32_t first, uint32_t count);
void view_close(uint32_t first, uint32_t count); /* all of them, however long it takes */

#endif
