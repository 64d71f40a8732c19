/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* word.h - atomic operations on words of shared memory, by the rules of memory/page_word.h. */
#ifndef HLRC_WORD_H
#define HLRC_WORD_H

#include <stdint.h>

struct change;
struct request;

int word_init(void);
/* Returns 0 and the old value of the word, or a negative errno value. */
int word_perform(void *word, const struct change *c, uint64_t *old);
void word_serve(struct request *req); /* at the page's home; does not wait */

#endif
