/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * gups_check.h - whether the table of RandomAccess has the updates in it: a second pass, which does
 * not share with the first how updates find their words.
 */
#ifndef APPS_GUPS_CHECK_H
#define APPS_GUPS_CHECK_H

#include <stdint.h>

#include "apps/common.h"

#define GUPS_UPDATES 4 /* per word */

/*
 * Collective, behind a barrier after the updates. A node has `count` words from number `begin` on
 * at `part`, of `words`; the updates begin behind number `first` of the stream. It takes those of
 * all nodes one after the other, makes what falls into its part there in private memory, and
 * compares. Of all words one in a hundred may differ.
 *
 * Of `result` it sets, on every node, the checksum, which is of the words at `part`; and, with
 * app.verify, what comes of it.
 */
void gups_check(const uint64_t *part, uint64_t begin, uint64_t count, uint64_t words,
                uint64_t first, struct app_result *result);

#endif
