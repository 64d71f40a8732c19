/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * reads.h - with --check races: what the program says that it reads (hlrc_note_read), since this
 * node's last interval.
 *
 *   RR1  A read is noted before it is made, and belongs to the interval that its node's next
 *        closing ends: a node that has noted some is not clean, and the closing makes an interval
 *        though it may have changed no page.
 *   RR2  Noting takes a spin lock, unless all bytes have been noted. The look without it may see
 *        another page's set: then a read is left out, none is added.
 *   RR3  A closing takes all sets at once, and sends them to the pages' homes, which have compared
 *        them before the interval is announced: a write is behind a read's version for nobody, so
 *        nothing else would keep one that is ordered behind from coming first. A page that was
 *        read before anybody has written it gets a home for that (page_claim_read): who writes it
 *        first without having learnt of the read is compared with it there.
 *   RR4  Where the reader is home, diffs that its vector time covers are compared before the read
 *        is. They have arrived (interval.h I4), but who has noted a read, and not made it, may not
 *        have taken them in: taken for later, they would race with it. Reads that are sent come
 *        behind them.
 */
#ifndef HLRC_READS_H
#define HLRC_READS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hlrc/memory/diff.h"
#include "hlrc/memory/first_write.h"

/* The bytes of a page that were read. */
struct read_set {
    uint32_t page;
    struct first_write first; /* who read the page first */
    uint64_t mask[DIFF_MASK_WORDS];
};

int reads_init(void); /* 0 or -ENOMEM */
void reads_end(void);

/* The sets, `count` of them; valid until the next call. Closings alone. */
const struct read_set *reads_take(uint32_t *count);

#endif
