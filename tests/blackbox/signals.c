/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A signal comes to a thread that waits in a call, and its handler reads a page that has to be
 * fetched [thread.no-fault]. signals.sh says what must become of the job. Node 1 waits for a lock
 * that node 0 has; node 0 sends the signal.
 */
#include "tests/litmus/litmus.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

LITMUS("thread.no-fault: a signal in the midst of a call", 2)

#define SIGNALS 50 /* each reads a page of its own */

static volatile uint64_t *data, *pid;
static volatile sig_atomic_t calling, handled;

static void handler(int number)
{
    (void)number;
    if (calling && handled < SIGNALS) {
        expect_word(data[(uint64_t)handled * PAGE_WORDS], 7, "what the handler read");
        handled++;
    }
}

/* More than one signal: the first may come before the other node is in its call. */
static void hold_and_signal(void)
{
    hlrc_lock(1);
    meet_outside();
    await_asleep(1);
    for (int i = 0; i < SIGNALS; i++) {
        kill((pid_t)*pid, SIGUSR1);
        sleep_ms(2);
    }
    hlrc_unlock(1);
}

static void wait_in_call(void)
{
    signal(SIGUSR1, handler);
    meet_outside();
    calling = 1;
    hlrc_lock(1);
    hlrc_unlock(1);
    while (!handled)
        sleep_ms(1);
    printf("handled\n");
}

void litmus_run(void)
{
    data = shared_words(SIGNALS * PAGE_WORDS);
    pid = shared_words(1);
    meet_pids();
    for (uint64_t i = 0; me == 0 && i < SIGNALS; i++)
        data[i * PAGE_WORDS] = 7;
    if (me == 1)
        *pid = (uint64_t)getpid();
    hlrc_barrier(); /* node 1's copies of the pages are old now */
    if (me == 0)
        hold_and_signal();
    else
        wait_in_call();
    hlrc_barrier();
}
