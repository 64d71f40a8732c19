/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "boot/monitor.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

/* Written before the thread starts and after it has ended. */
static struct {
    struct boot *boot;
    struct monitor_duty duty[MONITOR_DUTIES];
    pthread_t thread;
    int duties;
    void (*ending)(void);
    int stop_fd;
    bool running;
} monitor = { .stop_fd = -1 };

/* Does what is due; milliseconds until the next duty, -1 when there is none. */
static int attend(int64_t due[MONITOR_DUTIES])
{
    int64_t now = clock_ms(), next = INT64_MAX;

    for (int i = 0; i < monitor.duties; i++) {
        if (monitor.duty[i].period_ms <= 0)
            continue;
        if (due[i] == 0)
            due[i] = now + monitor.duty[i].period_ms;
        if (due[i] <= now) {
            monitor.duty[i].run();
            due[i] = now + monitor.duty[i].period_ms;
        }
        if (due[i] < next)
            next = due[i];
    }
    return next == INT64_MAX ? -1 : (int)(next - now);
}

static void *monitor_main(void *unused)
{
    struct pollfd fds[2] = { { .fd = boot_fd(monitor.boot),
                               .events = monitor.ending != NULL ? POLLRDHUP : 0 },
                             { .fd = monitor.stop_fd, .events = POLLIN } };
    int64_t due[MONITOR_DUTIES] = { 0 };

    (void)unused;
    pthread_setname_np(pthread_self(), "hlrc-monitor");
    for (;;) {
        int ready = poll(fds, 2, attend(due));

        if (ready > 0 && fds[1].revents != 0)
            return NULL;
        if (ready > 0 && (fds[0].revents & ~POLLRDHUP) != 0)
            _exit(1); /* the launcher is gone, its guard says so */
        if (ready > 0 && fds[0].revents != 0) {
            monitor.ending();
            fds[0].events = 0;
        }
    }
}

/* Enough for poll and one message; a program with much thread-local storage needs more, and gets
 * the default. */
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

static bool any_due(const struct monitor_duty *duties, int count)
{
    for (int i = 0; i < count; i++)
        if (duties[i].period_ms > 0)
            return true;
    return false;
}

int monitor_start(struct boot *boot, const struct monitor_duty *duties, int count,
                  void (*ending)(void))
{
    sigset_t all, old;
    int err;

    if (boot_fd(boot) < 0 && !any_due(duties, count))
        return 0;
    monitor.stop_fd = eventfd(0, EFD_CLOEXEC);
    if (monitor.stop_fd < 0)
        return -errno;
    monitor.boot = boot;
    monitor.duties = count;
    monitor.ending = ending;
    for (int i = 0; i < count; i++)
        monitor.duty[i] = duties[i];
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
