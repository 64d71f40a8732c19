/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* last_thread.h - in a job of one process: if main ends by pthread_exit, the end of the program's
 * last thread ends the program with status 0, as without HLRC, whose own threads remain. */
#ifndef COMPAT_LAST_THREAD_H
#define COMPAT_LAST_THREAD_H

/* By the thread that will run main, after all threads of HLRC have started. */
void last_thread_begin(void);

#endif
