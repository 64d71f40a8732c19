/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hlrc/monitor.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Written before the thread starts and after it has ended. */
static struct {
    struct boot *boot;
    void (*fill)(struct boot_counters *);
    pthread_t thread;
    int progress_ms;
    int stop_fd;
    bool running;
} monitor = {.stop_fd = -1};

static void monitor_progress(void)
{
    struct boot_counters counters;

    memset(&counters, 0, sizeof counters);
    monitor.fill(&counters);
    boot_progress(monitor.boot, &counters);
}

static void *monitor_main(void *unused)
{
    struct pollfd fds[2] = {{.fd = boot_fd(monitor.boot)}, {.fd = monitor.stop_fd, .events = POLLIN}};
    int timeout = monitor.progress_ms > 0 ? monitor.progress_ms : -1;

    (void)unused;
    pthread_setname_np(pthread_self(), "hlrc-monitor");
    for (;;) {
        int ready = poll(fds, 2, timeout);

        if (ready > 0 && fds[1].revents != 0)
            return NULL;
        if (ready > 0 && fds[0].revents != 0)
            _exit(1); /* the launcher is gone, its guard says so */
        if (ready == 0)
            monitor_progress();
    }
}

/* Enough for poll and one message; a program with much thread-local storage needs more, and gets the default. */
static int thread_create(void)
{
    pthread_attr_t attr;
    int err = pthread_attr_init(&attr);

    if (err != 0)
        return -err;
    pthread_attr_setstacksize(&attr, 64 * 1024);
    err = pthread_create(&monitor.thread, &attr, monitor_main, NULL);
    pthread_attr_destroy(&attr);
    if (err == EINVAL)
        err = pthread_create(&monitor.thread, NULL, monitor_main, NULL);
    return -err;
}

int monitor_start(struct boot *boot, int progress_ms, void (*fill)(struct boot_counters *counters))
{
    sigset_t all, old;
    int err;

    if (boot_fd(boot) < 0)
        return 0;
    monitor.stop_fd = eventfd(0, EFD_CLOEXEC);
    if (monitor.stop_fd < 0)
        return -errno;
    monitor.boot = boot;
    monitor.fill = fill;
    monitor.progress_ms = fill != NULL ? progress_ms : 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    err = thread_create();
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (err < 0) {
        close(monitor.stop_fd);
        monitor.stop_fd = -1;
        return err;
    }
    monitor.running = true;
    return 0;
}

void monitor_stop(void)
{
    uint64_t one = 1;

    if (!monitor.running)
        return;
    if (write(monitor.stop_fd, &one, sizeof one) != (ssize_t)sizeof one)
        return; /* cannot happen: the counter is 0 */
    pthread_join(monitor.thread, NULL);
    close(monitor.stop_fd);
    monitor.stop_fd = -1;
    monitor.running = false;
}
