/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* shared_core.h - shared memory in a core dump (--core). */
#ifndef HLRC_SHARED_CORE_H
#define HLRC_SHARED_CORE_H

/* With --core full: includes the pages of the program's view that this node has touched; otherwise
 * the view is excluded. The system would allocate untouched pages in order to dump them. Called in
 * the crash path: crash.h. */
void shared_core_mark(void);

#endif
