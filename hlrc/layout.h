/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* layout.h - where the tables of all modules lie in the control window. */
#ifndef HLRC_LAYOUT_H
#define HLRC_LAYOUT_H

#include "hlrc/core/engine.h"

/* `threads`: slots of threads (thread.h); the first 2 * threads of the tokens are theirs. */
void layout_init(struct engine_layout *at, int nodes, uint32_t pages, uint32_t tokens,
                 uint32_t threads);

#endif
