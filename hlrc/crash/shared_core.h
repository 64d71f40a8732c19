/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* shared_core.h - what a core dump has of shared memory (--core). */
#ifndef HLRC_SHARED_CORE_H
#define HLRC_SHARED_CORE_H

/* With --core full: of the program's view, which is left out otherwise, the pages that this node
 * has touched. The system would make the others in order to dump them. In the crash path:
 * crash.h. */
void core_mark(void);

#endif
