/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_MONITOR_H
#define HLRC_MONITOR_H

/*
 * A small thread that sleeps until the launcher dies, and then ends this process. Now and then it
 * has a duty.
 *
 *   MO1  It blocks every signal, allocates nothing, and takes no lock that is held across a wait;
 *        a duty may allocate. When the launcher dies it takes none, and ends the process by _exit
 *        alone: whatever state the other threads are in, it works.
 *   MO2  It says nothing: the launcher's guard prints the one message of
 *        the job.
 *   MO3  It only sleeps in poll(): a second *running* thread would make each mprotect of the
 *        application dearer.
 */

#include "boot/boot.h"

/* Something to do every so many milliseconds, in the monitor's thread; it must not wait. */
struct monitor_duty {
    int period_ms; /* 0: never */
    void (*run)(void);
};

enum { MONITOR_DUTIES = 5, MONITOR_PROGRESS_MS = 500 /* what hlrcrun --progress expects */ };

/* monitor_start - no thread where there is neither a launcher nor a duty. At most MONITOR_DUTIES;
 * they are copied. ending: called once when the launcher says that the job ends; may be NULL. 0 or
 * a negative errno. */
int monitor_start(struct boot *boot, const struct monitor_duty *duties, int count,
                  void (*ending)(void));

/* monitor_stop - returns when the thread is gone; before boot_goodbye() */
void monitor_stop(void);

#endif
