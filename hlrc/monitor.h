/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_MONITOR_H
#define HLRC_MONITOR_H

/*
 * A small thread that sleeps until the launcher dies, and then ends this process.
 *
 *   1. It blocks every signal, allocates nothing, takes no lock, and ends the process by _exit alone: whatever
 *      state the other threads are in, it works.
 *   2. It says nothing: whoever watches the launcher (hlrcrun's guard) prints the one message of the job.
 *   3. It only sleeps in poll(): a second *running* thread would make each mprotect of the application dearer.
 */

#include "launch/boot.h"

/*
 * monitor_start - no thread for a job of one.  With progress_ms > 0, fill() is called that often, in the
 * monitor's thread, and its counters go to the launcher.  0 or a negative errno.
 */
int monitor_start(struct boot *boot, int progress_ms, void (*fill)(struct boot_counters *counters));

enum { MONITOR_PROGRESS_MS = 500 }; /* what hlrcrun --progress expects */

/* monitor_stop - returns when the thread is gone; before boot_goodbye() */
void monitor_stop(void);

#endif
