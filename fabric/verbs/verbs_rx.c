/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * verbs_rx.c - the receive queue and sleeping; see verbs.h and the state machine of fabric.h.
 *
 * Events are completions of receives without data: the data went into a window. A receive is posted
 * again after its completion is taken, in batches; the job bounds the events.
 *
 * Invariants
 *   - Events are taken under rx_lock, in the order of the completion queue [fabric.event-order].
 *     One may be kept in `stash`: a test for pending events takes it from the adapter.
 *   - A sleeper sleeps on the completion channel and on its own eventfd. The thread that takes an
 *     event of the channel rings the bell of the sleeper that rx_mode names, if that is another
 *     thread: that one may not have seen the channel readable.
 *   - Arming requests a notification and then tests the queue: the test finds earlier events, later
 *     ones notify.
 *   - A sender cannot see whether it wakes a thread. The sleeper counts the wake, for the sender of
 *     the first event that it takes after a notification, unless it armed again and found none:
 *     then the notification was for an earlier event.
 *   - The channel wakes all its sleepers. After several wakes in a row for events of a thread that
 *     sleeps in its place, a handler leaves the channel and sleeps only on its bell; the thread
 *     that arms the queue for the handler again rings it. The handler sets off_channel before it
 *     reads rx_mode once more, and the other thread writes the mode before it reads off_channel.
 */
#include "fabric/verbs/verbs_parts.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { MODE_POLLING, MODE_HANDLER, MODE_APP };

#define MISLED 3
#define REPOST 32 /* receives are posted again in batches of this size */

static int verbs_rx_post_receives(struct verbs_fabric *v, uint32_t count)
{
    struct ibv_recv_wr wr[REPOST], *bad;
    while (count) {
        uint32_t n = count < REPOST ? count : REPOST;
        memset(wr, 0, sizeof wr);
        for (uint32_t i = 0; i + 1 < n; i++)
            wr[i].next = &wr[i + 1];
        int rc = ibv_post_srq_recv(v->srq, wr, &bad);
        if (rc)
            return -rc;
        count -= n;
    }
    return 0;
}

int verbs_rx_start(struct verbs_fabric *v)
{
    for (int s = 0; s < 2; s++) {
        v->bell_fd[s] = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
        if (v->bell_fd[s] < 0)
            return -errno;
    }
    return verbs_rx_post_receives(v, v->receives);
}

void verbs_rx_end(struct verbs_fabric *v)
{
    for (int s = 0; s < 2; s++)
        if (v->bell_fd[s] > 0)
            close(v->bell_fd[s]);
}

int verbs_node_of(const struct verbs_fabric *v, uint32_t qp_num)
{
    for (int n = 0; n < v->job.nodes; n++)
        if (v->peer[n].qp->qp_num == qp_num)
            return n;
    return -1;
}

/* Takes the next event from the adapter; performs internal ones. ASSUMPTION: rx_lock is held. */
static bool verbs_rx_take_event(struct verbs_fabric *v, struct fabric_event *ev)
{
    struct ibv_wc wc;
    while (ibv_poll_cq(v->recv_cq, 1, &wc) > 0) {
        if (wc.status != IBV_WC_SUCCESS)
            verbs_fail(v, "receive", verbs_node_of(v, wc.qp_num), ibv_wc_status_str(wc.status));
        if (++v->unreturned == REPOST) {
            v->unreturned = 0;
            verbs_rx_post_receives(v, REPOST);
        }
        uint32_t imm = be32toh(wc.imm_data);
        if (v->woken) {
            v->woken = false;
            atomic_fetch_add_explicit(&v->count[verbs_node_of(v, wc.qp_num)].woken, 1,
                                      memory_order_relaxed);
        }
        if (imm < VERBS_IMM_INTERNAL) {
            *ev = (struct fabric_event){ .from = verbs_node_of(v, wc.qp_num), .imm = imm };
            return true;
        }
        if (imm != VERBS_IMM_WAKE)
            /* the peer waits for the key */
            verbs_want(v, (int)(imm >> 24 & 0xf), imm & 0xffffff);
    }
    return false;
}

int verbs_rx_poll(struct fabric *f, struct fabric_event *ev)
{
    struct verbs_fabric *v = verbs_of(f);
    pthread_spin_lock(&v->rx_lock);
    bool got = v->stashed || verbs_rx_take_event(v, ev);
    if (v->stashed) {
        *ev = v->stash;
        v->stashed = false;
        got = true;
    }
    pthread_spin_unlock(&v->rx_lock);
    return got;
}

bool verbs_rx_pending(struct fabric *f)
{
    struct verbs_fabric *v = verbs_of(f);
    struct fabric_event ev;
    pthread_spin_lock(&v->rx_lock);
    if (!v->stashed && verbs_rx_take_event(v, &ev)) {
        v->stash = ev;
        v->stashed = true;
    }
    bool pending = v->stashed;
    pthread_spin_unlock(&v->rx_lock);
    return pending;
}

void verbs_rx_busy(struct fabric *f)
{
    atomic_store(&verbs_of(f)->rx_mode, MODE_POLLING);
}

uint32_t verbs_rx_ticket(struct fabric *f, enum fabric_sleeper s)
{
    return atomic_load(&verbs_of(f)->bell[s]);
}

bool verbs_rx_arm(struct fabric *f, enum fabric_sleeper s, enum fabric_level level)
{
    struct verbs_fabric *v = verbs_of(f);
    atomic_store(&v->rx_mode, s == FABRIC_APP ? MODE_APP : MODE_HANDLER);
    if (s == FABRIC_HANDLER && atomic_load(&v->off_channel))
        verbs_rx_wake(f, FABRIC_HANDLER);
    ibv_req_notify_cq(v->recv_cq, s == FABRIC_HANDLER && level == FABRIC_URGENT);
    if (!verbs_rx_pending(f)) {
        pthread_spin_lock(&v->rx_lock);
        v->woken = false;
        pthread_spin_unlock(&v->rx_lock);
        return true;
    }
    atomic_store(&v->rx_mode, MODE_POLLING);
    return false;
}

void verbs_rx_wake(struct fabric *f, enum fabric_sleeper s)
{
    struct verbs_fabric *v = verbs_of(f);
    uint64_t one = 1;
    atomic_fetch_add(&v->bell[s], 1);
    (void)!write(v->bell_fd[s], &one, sizeof one);
}

/* Takes the channel's events; rings for the other sleeper if they are for it. */
static void verbs_rx_take_notifications(struct verbs_fabric *v, enum fabric_sleeper s)
{
    struct ibv_cq *cq;
    void *ctx;
    bool any = false;
    while (ibv_get_cq_event(v->recv_channel, &cq, &ctx) == 0) {
        ibv_ack_cq_events(cq, 1);
        any = true;
    }
    if (!any)
        return;
    pthread_spin_lock(&v->rx_lock);
    v->woken = true;
    pthread_spin_unlock(&v->rx_lock);
    int mode = atomic_load(&v->rx_mode);
    if (s == FABRIC_HANDLER)
        v->misled = mode == MODE_HANDLER ? 0 : v->misled + 1;
    if (s == FABRIC_HANDLER && mode == MODE_APP)
        verbs_rx_wake(&v->head, FABRIC_APP);
    if (s == FABRIC_APP && mode == MODE_HANDLER)
        verbs_rx_wake(&v->head, FABRIC_HANDLER);
}

/* Called by the handler's thread. */
static bool verbs_rx_leave_channel(struct verbs_fabric *v)
{
    if (v->misled < MISLED)
        return false;
    atomic_store(&v->off_channel, true);
    if (atomic_load(&v->rx_mode) != MODE_HANDLER)
        return true;
    atomic_store(&v->off_channel, false);
    v->misled = 0;
    return false;
}

void verbs_rx_sleep(struct fabric *f, enum fabric_sleeper s, uint32_t ticket, int64_t timeout_ns)
{
    struct verbs_fabric *v = verbs_of(f);
    bool off = s == FABRIC_HANDLER && verbs_rx_leave_channel(v);
    struct pollfd fd[2] = { { .fd = off ? -1 : v->recv_channel->fd, .events = POLLIN },
                            { .fd = v->bell_fd[s], .events = POLLIN } };
    struct timespec t = { .tv_sec = timeout_ns / 1000000000, .tv_nsec = timeout_ns % 1000000000 };
    uint64_t rung;
    int ready = -1; /* not polled: both may be ready */
    if (atomic_load(&v->bell[s]) == ticket)
        ready = ppoll(fd, 2, timeout_ns < 0 ? NULL : &t, NULL);
    if (ready < 0 || fd[1].revents)
        (void)!read(v->bell_fd[s], &rung, sizeof rung);
    if (off)
        atomic_store(&v->off_channel, false);
    if (ready < 0 || fd[0].revents)
        verbs_rx_take_notifications(v, s);
}
