/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * gups_check.h - checks that the table of RandomAccess contains all updates. A second pass, whose
 * way of finding an update's word is independent of the first.
 */
#ifndef APPS_GUPS_CHECK_H
#define APPS_GUPS_CHECK_H

#include <stdint.h>

#include "apps/common.h"

#define GUPS_UPDATES 4 /* per word */

/*
 * Collective, after a barrier that follows the updates. At `part`, a node has `count` words from
 * index `begin` on, of `words` in all; the updates begin after number `first` of the stream. The
 * node goes through the updates of all nodes, applies those in its part to a private copy, and
 * compares. One in a hundred of all words may differ.
 *
 * In `result` it sets, on every node, the checksum of the words at `part`, and with app.verify the
 * outcome.
 */
void gups_check(const uint64_t *part, uint64_t begin, uint64_t count, uint64_t words,
                uint64_t first, struct app_result *result);

#endif
