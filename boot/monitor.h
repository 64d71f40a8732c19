/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_MONITOR_H
#define HLRC_MONITOR_H

/*
 * A small thread that sleeps until the launcher dies, and then ends this process. Now and then it
 * has a duty. It also has a watch, which rests until a thread rouses it, and answers what the
 * launcher asks (boot_asked).
 *
 *   MO1  It blocks every signal, allocates nothing, and takes no lock that is held across a wait;
 *        a duty may allocate. When the launcher dies it takes none, and ends the process by _exit
 *        alone: whatever state the other threads are in, it works.
 *   MO2  It says nothing: the launcher's guard prints the one message of
 *        the job.
 *   MO3  It only sleeps in poll(): a second *running* thread would make each mprotect of the
 *        application dearer.
 *   MO4  Roused while the watch looks, it looks once more: a rouse is noted before the sleep that
 *        it ends, and one that comes while no look is due makes one due.
 */

#include <stdint.h>

#include "boot/boot.h"

/* Something to do every so many milliseconds, in the monitor's thread; it must not wait. */
struct monitor_duty {
    int period_ms; /* 0: never */
    void (*run)(void);
};

/* In the monitor's thread, too; neither waits. */
struct monitor_watch {
    int first_ms;                   /* from the rouse to the look */
    int (*look)(void);              /* milliseconds until the next one; 0: it rests */
    void (*asked)(uint32_t number); /* by a launcher that gathers reports */
};

enum { MONITOR_DUTIES = 4, MONITOR_PROGRESS_MS = 500 /* what hlrcrun --progress expects */ };

/* monitor_start - at most MONITOR_DUTIES; they are copied, and the watch, which may be NULL. A
 * process that nobody launched and that has no duties gets no thread, until the watch is roused.
 * ending: called once when the launcher says that the job ends; may be NULL. 0 or a negative errno.
 */
int monitor_start(struct boot *boot, const struct monitor_duty *duties, int count,
                  void (*ending)(void), const struct monitor_watch *watch);

/* monitor_rouse - the watch looks in first_ms, unless it looks earlier anyway. Any thread, one at a
 * time; does not wait. Nothing where no monitor was started. */
void monitor_rouse(void);

/* monitor_stop - returns when the thread is gone; before boot_goodbye() */
void monitor_stop(void);

#endif
