/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * page_view.h - the application's view of the pages: the only code that changes its protection.
 *
 * The system splits a mapping where two neighbours' protections differ, and limits the mappings of
 * a process. A change that needs too many fails, and may leave the first part of its range
 * changed.
 *
 * Invariants
 *   - `access` of a page is what the view allows, or more. So revoking by `access` revokes all
 *     access. It is more only between a failed change and the page_view_mend that follows; the
 *     page is `unsure` then.
 *   - After a failed change the same thread calls page_view_mend, with no page locked, and
 *     retries. A fault in between finds its page open, returns, and is repeated.
 *   - A collapse makes a range one mapping without access, and so frees as many mappings as the
 *     range has borders. It takes the sixteenth of the pages ever used that has most borders, else
 *     all of them, else the space. If no border is left, the process has too many other mappings.
 */
#ifndef HLRC_PAGE_VIEW_H
#define HLRC_PAGE_VIEW_H

#include <stdint.h>

#include "hlrc/core/protocol.h"
#include "hlrc/policy/policy_batch.h"

/* most pages whose locks are held together, except by a collapse */
#define RUN_PAGES POLICY_BATCH_RUN

/* Returns 0, or -ENOMEM: then the caller mends the view and retries. ASSUMPTION: the pages are
 * locked, and their flags permit `right`. */
int page_view_change(uint32_t first, uint32_t count, enum protocol_access right);

/* The same for the pages of [first, first+count) marked in `marked`, run by run. */
int page_view_change_marked(uint32_t first, uint32_t count, const bool *marked,
                            enum protocol_access right);

/*
 * Frees mappings by a collapse, and closes the pages of a failed change, so that `access` is exact
 * again. Ends the process with an error line if no mapping can be freed. ASSUMPTION: no page is
 * locked by the caller.
 */
void page_view_mend(uint32_t first, uint32_t count);

/*
 * Set the initial protection of these pages, which are closed, in runs. init: before anything is
 * known of them; reset: they are in their initial state again.
 */
int page_view_init(uint32_t first, uint32_t count);
void page_view_reset(uint32_t first, uint32_t count);
void page_view_close(uint32_t first, uint32_t count); /* all of them; retries until it succeeds */

#endif
