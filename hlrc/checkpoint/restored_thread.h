/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* restored_thread.h - numbers of threads in a process that was restored
 * (checkpoint_threads.h). */
#ifndef HLRC_RESTORED_THREAD_H
#define HLRC_RESTORED_THREAD_H

#include <pthread.h>

/* hlrc_restored_thread - the system's number of a thread that was restored; 0: of another one, for
 * which the C library has it. Exported for libhlrc_compat. */
int hlrc_restored_thread(pthread_t thread);

/* hlrc_unsaved - checkpoints of this process are refused from now on: the program uses `what`.
 * Exported, too. */
void hlrc_unsaved(const char *what);

#endif
