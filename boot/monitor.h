/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_MONITOR_H
#define HLRC_MONITOR_H

/*
 * A small thread that sleeps until the launcher dies, and then ends this process. It also runs
 * periodic duties, runs a watch (the node's part of deadlock detection), which rests until a
 * thread rouses it, and answers the launcher's requests (boot_asked).
 *
 *   - It blocks every signal, allocates nothing, and takes no lock that is held across a wait; a
 *     duty may allocate. When the launcher dies it takes no lock and only calls _exit: that works
 *     whatever state the other threads are in.
 *   - It prints nothing: the launcher's guard prints the one message of the job.
 *   - It only sleeps in poll(): a second *running* thread would make each mprotect of the
 *     application more expensive.
 *   - A rouse during a check of the watch (look) causes another check: a rouse is recorded before
 *     the sleep that it ends, and schedules a check if none is due.
 */

#include <stdint.h>

#include "boot/boot.h"

/* Called every period_ms milliseconds in the monitor's thread; it must not wait. */
struct monitor_duty {
    int period_ms; /* 0: never */
    void (*run)(void);
};

/* In the monitor's thread as well; neither function waits. */
struct monitor_watch {
    int first_ms;                   /* from the rouse to the check */
    int (*look)(void);              /* milliseconds until the next one; 0: it rests */
    void (*asked)(uint32_t number); /* a request by a launcher that gathers reports */
};

enum { MONITOR_DUTIES = 4, MONITOR_PROGRESS_MS = 500 /* the period of hlrcrun --progress */ };

/* monitor_start - at most MONITOR_DUTIES; they are copied, and so is the watch, which may be NULL.
 * A process without launcher and duties gets no thread until the watch is roused. ending: called
 * once when the launcher reports that the job ends; may be NULL. 0 or a negative errno. */
int monitor_start(struct boot *boot, const struct monitor_duty *duties, int count,
                  void (*ending)(void), const struct monitor_watch *watch);

/* monitor_rouse - the watch checks in first_ms, or earlier if a check is due. Any thread, one at a
 * time; does not wait. No effect if no monitor was started. */
void monitor_rouse(void);

/* monitor_stop - returns when the thread has ended; call it before boot_goodbye() */
void monitor_stop(void);

#endif
