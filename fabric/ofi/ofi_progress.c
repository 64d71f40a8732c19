/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ofi_progress.c - the progress thread; see ofi.h.
 *
 * After a request it polls for SPIN_NS: a thread that sleeps takes longer to wake than a request
 * takes. It does so only while no other thread wants its CPU. While a thread of the program polls,
 * it naps.
 */
#include "fabric/ofi/ofi.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/futex.h"

#define IDLE_MS  100    /* sleep at most */
#define SPIN_NS  100000 /* after a request */
#define NAP_NS   100000
#define SLACK_NS 1000 /* of the timer of a nap */
/* A yield that takes longer has given the CPU to another thread. Then the thread does not spin for
 * some time. If it happens again within CALM times that time, it does not for twice as long. */
#define YIELD_NS      20000
#define CALM          4
#define CROWDED_LEAST INT64_C(1000000)
#define CROWDED_MOST  INT64_C(1000000000)
/* A broken connection ends the job after this time: the launcher reports why a node died. */
#define LOST_NS INT64_C(1000000000)

/* ---- sleeping ---- */

static bool ofi_progress_poll(struct ofi_fabric *o, int ms)
{
    struct pollfd fds[] = { { .fd = o->kick_fd, .events = POLLIN },
                            { .fd = o->cq_fd, .events = POLLIN } };
    return poll(fds, 2, ms) > 0 && fds[0].revents;
}

static bool ofi_progress_poll_streams(struct ofi_fabric *o, int ms)
{
    struct epoll_event ready[2];
    int n = epoll_wait(o->wait_fd, ready, 2, ms);
    for (int i = 0; i < n; i++)
        if (ready[i].data.u32 == (uint32_t)o->job.node)
            return true;
    return false;
}

/* Until something arrives or is to be sent; shortly if something waits for room. */
static void ofi_progress_doze(struct ofi_fabric *o)
{
    struct fid *all[] = { o->streams ? NULL : &o->cq->fid };
    uint64_t kicks;
    atomic_store(&o->dozing, true);
    pthread_mutex_lock(&o->net_lock);
    bool retries = !o->streams && (o->stuck || o->held.first || o->unposted.first || o->cq_fd < 0);
    bool may = (o->stuck || !atomic_load(&o->unsent)) &&
               (o->streams || o->cq_fd < 0 || fi_trywait(o->net, all, 1) == 0);
    if (o->streams)
        ofi_stream_watch(o);
    pthread_mutex_unlock(&o->net_lock);
    int ms = retries ? 1 : IDLE_MS;
    if (may && (o->streams ? ofi_progress_poll_streams(o, ms) : ofi_progress_poll(o, ms)))
        (void)!read(o->kick_fd, &kicks, sizeof kicks);
    atomic_store(&o->dozing, false);
}

/* Messages in the lists are sent by the next holder of net_lock, or by the progress thread: it
 * tests for them after it has set `dozing`. */
void ofi_progress_kick(struct ofi_fabric *o)
{
    uint64_t one = 1;
    if (atomic_load(&o->unsent) && atomic_exchange(&o->dozing, false))
        (void)!write(o->kick_fd, &one, sizeof one);
}

static void ofi_progress_nap(struct ofi_fabric *o)
{
    atomic_store(&o->naps, 1);
    futex_wait(&o->naps, 1, NAP_NS);
    atomic_store(&o->naps, 0);
}

void ofi_progress_rouse(struct ofi_fabric *o)
{
    if (atomic_load(&o->naps) && atomic_exchange(&o->naps, 0))
        futex_wake(&o->naps, 1);
}

/* ---- spinning ---- */

/* Lets others run. False if one did: then spinning pauses. */
static bool ofi_progress_yield(struct ofi_fabric *o)
{
    int64_t before = clock_ns();
    sched_yield();
    int64_t now = clock_ns();
    if (now - before < YIELD_NS)
        return true;
    bool again = now - o->yield_until < CALM * o->yield_ns;
    o->yield_ns = !again                           ? CROWDED_LEAST
                  : o->yield_ns < CROWDED_MOST / 2 ? 2 * o->yield_ns
                                                   : CROWDED_MOST;
    o->yield_until = now + o->yield_ns;
    return false;
}

/* Returns how many requests this node has served. */
static uint64_t ofi_progress_advance(struct ofi_fabric *o)
{
    pthread_mutex_lock(&o->net_lock);
    ofi_link_advance(o);
    for (int n = 0; n < o->job.nodes; n++)
        if (o->peer[n].lost_ns && clock_ns() - o->peer[n].lost_ns > LOST_NS &&
            !atomic_load(&o->closing))
            ofi_fail_silent(o, n);
    uint64_t served = o->served;
    pthread_mutex_unlock(&o->net_lock);
    return served;
}

static void *ofi_progress_run(void *arg)
{
    struct ofi_fabric *o = arg;
    uint64_t served = 0, polls = 0;
    int64_t last = 0;
    (void)prctl(PR_SET_TIMERSLACK, SLACK_NS);
    while (!atomic_load(&o->ends)) {
        uint64_t before = served;
        served = ofi_progress_advance(o);
        int64_t now = clock_ns();
        if (o->streams && atomic_load(&o->polls) != polls) {
            polls = atomic_load(&o->polls);
            ofi_progress_nap(o);
            continue;
        }
        if (served != before)
            last = now;
        if (!o->streams || now - last > SPIN_NS || now < o->yield_until || !ofi_progress_yield(o))
            ofi_progress_doze(o);
    }
    return NULL;
}

/* ---- start and end ---- */

int ofi_progress_start(struct ofi_fabric *o)
{
    struct epoll_event e = { .events = EPOLLIN, .data.u32 = (uint32_t)o->job.node };
    o->kick_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    o->wait_fd = epoll_create1(EPOLL_CLOEXEC);
    if (o->kick_fd < 0 || o->wait_fd < 0 ||
        epoll_ctl(o->wait_fd, EPOLL_CTL_ADD, o->kick_fd, &e) != 0)
        return -errno;
    int rc = pthread_create(&o->progress, NULL, ofi_progress_run, o);
    o->progress_runs = rc == 0;
    return -rc;
}

/* Wakes the thread, which otherwise sleeps for up to IDLE_MS. */
void ofi_progress_end(struct ofi_fabric *o)
{
    uint64_t one = 1;
    atomic_store(&o->ends, true);
    if (o->kick_fd >= 0)
        (void)!write(o->kick_fd, &one, sizeof one);
    if (o->progress_runs)
        pthread_join(o->progress, NULL);
    o->progress_runs = false;
    if (o->kick_fd >= 0)
        close(o->kick_fd);
    if (o->wait_fd >= 0)
        close(o->wait_fd);
    o->kick_fd = o->wait_fd = -1;
}
