/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * reads.h - with --check races: the reads that the program reports (hlrc_note_read) since this
 * node's last interval.
 *
 *   - A read is noted before it is made, and belongs to the interval that its node's next flush
 *     ends. A node with noted reads is not clean, and its flush makes an interval even if it has
 *     changed no page.
 *   - Noting takes a spin lock, unless all bytes have been noted. The check without the lock may
 *     see another page's set: then a read is left out, none is added.
 *   [races.reads-first] A flush takes all sets at once and sends them to the pages' homes, which
 *       have compared them before the interval is announced. No write waits for a read's version,
 *       so nothing else would keep a write that is ordered after the read from arriving first. A
 *       page that was read before any node has written it gets a home for that (page_claim_read): a
 *       first writer that has not learnt of the read is compared with it there.
 *   - If the reader is the home, diffs that its vector time covers are compared before the read.
 *     They have arrived [interval.diff-first], but a thread that has noted a read, and not made it,
 *     may not have applied them. Taken for later ones, they would race with it. Reads that are sent
 *     arrive after them.
 */
#ifndef HLRC_READS_H
#define HLRC_READS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hlrc/memory/diff.h"
#include "hlrc/memory/first_write.h"

/* The bytes of a page that were read. */
struct reads_set {
    uint32_t page;
    struct first_write first; /* the first read of the page */
    uint64_t mask[DIFF_MASK_WORDS];
};

int reads_init(void); /* 0 or -ENOMEM */
void reads_end(void);

/* Takes the sets, `count` of them; valid until the next call. Only for flushes. */
const struct reads_set *reads_take(uint32_t *count);

#endif
