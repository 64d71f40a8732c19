/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* word.h - atomic operations on shared memory, hlrc_fetch_op and hlrc_compare_swap, by the rules
 * of memory/page_word.h. */
#ifndef HLRC_WORD_H
#define HLRC_WORD_H

struct request;

int word_init(void);
void word_serve(struct request *req); /* at the page's home; does not wait */

#endif
