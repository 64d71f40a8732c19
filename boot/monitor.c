/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "boot/monitor.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/quiet_thread.h"
#include "base/tasks.h"

/* How long the launcher's requests are left to a thread in an exchange. */
enum { DEAF_MS = 100 };

/* Written before the thread starts and after it has ended. */
static struct {
    struct boot *boot;
    struct monitor_duty duty[MONITOR_DUTIES];
    struct monitor_watch watch;
    pthread_t thread;
    int duties;
    void (*ending)(void);
    int bell_fd; /* -1: not started */
    bool running;
} monitor = { .bell_fd = -1 };

static atomic_bool stopping;

/* Used by the monitor's thread only. */
static int64_t look_at;    /* time of the next check of the watch; 0: it rests */
static int64_t deaf_until; /* requests are not read until then; 0: they are */

static int64_t monitor_earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Runs the duties that are due; returns the time of the next duty, INT64_MAX if there is none. */
static int64_t monitor_attend(int64_t due[MONITOR_DUTIES], int64_t now)
{
    int64_t next = INT64_MAX;

    for (int i = 0; i < monitor.duties; i++) {
        if (monitor.duty[i].period_ms <= 0)
            continue;
        if (due[i] == 0)
            due[i] = now + monitor.duty[i].period_ms;
        if (due[i] <= now) {
            monitor.duty[i].run();
            due[i] = now + monitor.duty[i].period_ms;
        }
        next = monitor_earlier(next, due[i]);
    }
    return next;
}

/* The same for the watch. */
static int64_t monitor_look(int64_t now)
{
    int ms;

    if (look_at != 0 && look_at <= now) {
        ms = monitor.watch.look();
        look_at = ms > 0 ? clock_ms() + ms : 0;
    }
    return look_at != 0 ? look_at : INT64_MAX;
}

/* Answers a request of the launcher. If another thread receives requests, retries later
 * (boot.h). */
static void monitor_answer(void)
{
    uint32_t number;
    int ret = boot_asked(monitor.boot, &number);

    if (ret == 0)
        monitor.watch.asked(number);
    deaf_until = ret == -EBUSY ? clock_ms() + DEAF_MS : 0;
}

/* Milliseconds until the next work, -1 if there is none. */
static int monitor_work(int64_t due[MONITOR_DUTIES])
{
    int64_t now = clock_ms(), next = monitor_earlier(monitor_attend(due, now), monitor_look(now));

    if (deaf_until != 0 && deaf_until <= now)
        monitor_answer();
    if (deaf_until != 0)
        next = monitor_earlier(next, deaf_until);
    now = clock_ms();
    return next == INT64_MAX ? -1 : next > now ? (int)(next - now) : 0;
}

static void monitor_take_rouse(void)
{
    uint64_t rung;

    if (read(monitor.bell_fd, &rung, sizeof rung) == (ssize_t)sizeof rung && look_at == 0 &&
        monitor.watch.look != NULL)
        look_at = clock_ms() + monitor.watch.first_ms;
}

/* Events of the launcher's socket that wake this thread. */
static short monitor_events_of(bool listens, bool ends)
{
    return (short)((listens && deaf_until == 0 ? POLLIN : 0) | (ends ? POLLRDHUP : 0));
}

/* False when the job is ending. */
static bool monitor_hear(short events)
{
    if (events & ~(POLLIN | POLLRDHUP))
        _exit(1); /* the launcher has died, and its guard reports it */
    if ((events & POLLIN) && !(events & POLLRDHUP))
        monitor_answer();
    return !(events & POLLRDHUP);
}

static void *monitor_main(void *unused)
{
    struct pollfd fds[2] = { { .fd = boot_fd(monitor.boot) },
                             { .fd = monitor.bell_fd, .events = POLLIN } };
    int64_t due[MONITOR_DUTIES] = { 0 };
    bool listens = monitor.watch.asked != NULL && boot_gathers(monitor.boot),
         ends = monitor.ending != NULL;

    (void)unused;
    pthread_setname_np(pthread_self(), "hlrc-monitor");
    tasks_own(1);
    look_at = deaf_until = 0;
    for (;;) {
        int timeout = monitor_work(due);

        fds[0].events = monitor_events_of(listens, ends);
        if (poll(fds, 2, timeout) <= 0)
            continue;
        if (fds[1].revents != 0)
            monitor_take_rouse();
        if (atomic_load(&stopping))
            break;
        if (fds[0].revents != 0 && !monitor_hear(fds[0].revents)) {
            monitor.ending();
            listens = ends = false;
        }
    }
    tasks_own(-1);
    return NULL;
}

/* Enough for poll and one message, and too much for glibc to give this stack, in a child, to a
 * thread with the smallest one: that is, more than four times its size. A program with much
 * thread-local storage needs more, and gets the default. */
static int monitor_thread_create(void)
{
    pthread_attr_t attr;
    int err = pthread_attr_init(&attr);

    if (err != 0)
        return -err;
    pthread_attr_setstacksize(&attr, 128 * 1024);
    err = quiet_thread_create(&monitor.thread, &attr, monitor_main, NULL);
    pthread_attr_destroy(&attr);
    return err == -EINVAL ? quiet_thread_create(&monitor.thread, NULL, monitor_main, NULL) : err;
}

static int monitor_run(void)
{
    int err = monitor_thread_create();

    monitor.running = err == 0;
    return err;
}

static void monitor_bell_close(void)
{
    close(monitor.bell_fd);
    monitor.bell_fd = -1;
}

int monitor_start(struct boot *boot, const struct monitor_duty *duties, int count,
                  void (*ending)(void), const struct monitor_watch *watch_given)
{
    bool wanted = boot_fd(boot) >= 0;
    int err;

    monitor.bell_fd = eventfd(0, EFD_CLOEXEC);
    if (monitor.bell_fd < 0)
        return -errno;
    monitor.boot = boot;
    monitor.duties = count;
    monitor.ending = ending;
    for (int i = 0; i < count; i++) {
        monitor.duty[i] = duties[i];
        wanted = wanted || duties[i].period_ms > 0;
    }
    monitor.watch = watch_given != NULL ? *watch_given : (struct monitor_watch){ 0 };
    atomic_store(&stopping, false);
    err = wanted ? monitor_run() : 0;
    if (err < 0)
        monitor_bell_close();
    return err;
}

static void monitor_ring(void)
{
    uint64_t one = 1;

    /* cannot fail: the counter is far from full */
    (void)!write(monitor.bell_fd, &one, sizeof one);
}

void monitor_rouse(void)
{
    if (monitor.bell_fd < 0)
        return;
    monitor_ring();
    if (!monitor.running)
        (void)monitor_run(); /* without a thread there are no checks */
}

void monitor_stop(void)
{
    if (monitor.running) {
        atomic_store(&stopping, true);
        monitor_ring();
        pthread_join(monitor.thread, NULL);
        monitor.running = false;
    }
    if (monitor.bell_fd >= 0)
        monitor_bell_close();
}
