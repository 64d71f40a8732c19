/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ofi_stream.c - messages over the sockets of TCP connections that libfabric has made; see ofi.h.
 *
 * A stream is a sequence of messages. Unsent messages are sent together, as many as there are. What
 * arrives is read into a buffer of each peer, and performed there. libfabric is not called for a
 * connection after it is made, until it is closed.
 */
#include "fabric/ofi/ofi.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/addresses.h"

#define MOST_BYTES (sizeof(struct ofi_message) + OFI_PART_STREAM + 8) /* of a message */
#define IN_BYTES   (2 * MOST_BYTES)
#define TOGETHER   64   /* messages in one call at most */
#define LONG_BYTES 4096 /* an answer that does not wait for others */
#define READY      16   /* streams found to be readable by one call */

/* ---- the socket ---- */

/* The two ends name a connection. */
static bool ofi_stream_is(int fd, const struct sockaddr_storage *here, socklen_t here_len,
                          const struct sockaddr_storage *there, socklen_t there_len)
{
    struct sockaddr_storage a = { 0 }, b = { 0 };
    socklen_t a_len = sizeof a, b_len = sizeof b;
    return getsockname(fd, (struct sockaddr *)&a, &a_len) == 0 &&
           getpeername(fd, (struct sockaddr *)&b, &b_len) == 0 && a_len == here_len &&
           b_len == there_len && memcmp(&a, here, a_len) == 0 && memcmp(&b, there, b_len) == 0;
}

static int ofi_stream_find(struct fid_ep *ep)
{
    struct sockaddr_storage here = { 0 }, there = { 0 };
    size_t here_len = sizeof here, there_len = sizeof there;
    int found = -1;
    if (fi_getname(&ep->fid, &here, &here_len) != 0 || fi_getpeer(ep, &there, &there_len) != 0)
        return -1;
    DIR *dir = opendir("/proc/self/fd");
    struct dirent *e;
    while (dir && found < 0 && (e = readdir(dir)))
        if (e->d_name[0] != '.' && ofi_stream_is(atoi(e->d_name), &here, (socklen_t)here_len,
                                                 &there, (socklen_t)there_len))
            found = atoi(e->d_name);
    if (dir)
        closedir(dir);
    return found;
}

/* The kernel asks a peer from which nothing has come for a second, each second
 * [ofi.kernel-answers]. A program that this one starts does not keep the connection open. */
static void ofi_stream_set(int fd)
{
    const int one = 1, often = 100;
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &one, sizeof one);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &one, sizeof one);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &often, sizeof often);
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one);
}

static int ofi_stream_take(struct ofi_fabric *o, int peer)
{
    struct ofi_stream *s = &o->peer[peer].stream;
    struct epoll_event e = { .events = EPOLLIN, .data.u32 = (uint32_t)peer };
    int fd = ofi_stream_find(o->peer[peer].ep);
    if (fd < 0)
        return -FI_ENOTCONN;
    s->in = addresses_map(IN_BYTES, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
    if (s->in == MAP_FAILED) {
        s->in = NULL;
        return -FI_ENOMEM;
    }
    (void)madvise(s->in, IN_BYTES, MADV_DONTFORK);
    ofi_stream_set(fd);
    pthread_mutex_lock(&o->net_lock);
    s->fd = fd;
    s->open = true;
    int rc = epoll_ctl(o->wait_fd, EPOLL_CTL_ADD, fd, &e) == 0 ? 0 : -errno;
    pthread_mutex_unlock(&o->net_lock);
    return rc;
}

int ofi_stream_take_all(struct ofi_fabric *o)
{
    int rc = 0;
    for (int n = 0; n < o->job.nodes && rc == 0; n++)
        if (n != o->job.node)
            rc = ofi_stream_take(o, n);
    return rc;
}

void ofi_stream_lose(struct ofi_fabric *o, int peer)
{
    (void)epoll_ctl(o->wait_fd, EPOLL_CTL_DEL, o->peer[peer].stream.fd, NULL);
}

void ofi_stream_end(struct ofi_fabric *o)
{
    for (int n = 0; n < o->job.nodes; n++)
        if (o->peer[n].stream.in)
            addresses_unmap(o->peer[n].stream.in, IN_BYTES);
}

/* ---- sending ---- */

/* Lengthens the first piece by the ones that follow it, as far as there is room for a copy.
 * Returns its bytes. */
static size_t ofi_stream_join(struct ofi_fabric *o, struct iovec *first, int n)
{
    size_t bytes = first->iov_len, alone = bytes;
    for (int i = 1; i < n && bytes + first[i].iov_len <= sizeof o->joined; i++) {
        memcpy(o->joined + bytes, first[i].iov_base, first[i].iov_len);
        bytes += first[i].iov_len;
    }
    if (bytes > alone) {
        memcpy(o->joined, first->iov_base, alone);
        first->iov_base = o->joined;
    }
    return bytes;
}

/* The pieces, or the first ones of them, in one call; *offered gets their bytes. A thread of the
 * program copies them: its calls of sendmsg are trapped (--syscalls), which costs more. */
static ssize_t ofi_stream_send_pieces(struct ofi_fabric *o, int fd, struct iovec *v, int n,
                                      size_t *offered)
{
    struct msghdr m = { .msg_iov = v, .msg_iovlen = (size_t)n };
    const int flags = MSG_DONTWAIT | MSG_NOSIGNAL;
    if (pthread_equal(pthread_self(), o->progress)) {
        *offered = 0;
        for (int i = 0; i < n; i++)
            *offered += v[i].iov_len;
        return sendmsg(fd, &m, flags);
    }
    *offered = ofi_stream_join(o, v, n);
    return send(fd, v[0].iov_base, *offered, flags);
}

/* One call. false: the kernel took not all of it, or there is nothing to send. */
static bool ofi_stream_send(struct ofi_fabric *o, int peer)
{
    struct ofi_peer *p = &o->peer[peer];
    struct ofi_slot *slots[TOGETHER];
    struct iovec v[TOGETHER];
    size_t offered;
    int n = ofi_link_unsent(o, p, slots, TOGETHER), whole = 0;
    for (int i = 0; i < n; i++)
        v[i] = (struct iovec){ &slots[i]->message, ofi_link_bytes(&slots[i]->message) };
    if (n == 0)
        return false;
    v[0].iov_base = (char *)v[0].iov_base + p->stream.sent;
    v[0].iov_len -= p->stream.sent;
    ssize_t took = ofi_stream_send_pieces(o, p->stream.fd, v, n, &offered);
    if (took < 0 && errno != EAGAIN && errno != EINTR)
        ofi_link_lose(o, peer);
    size_t left = took > 0 ? (size_t)took : 0;
    p->stream.full = left < offered;
    for (; whole < n && left >= v[whole].iov_len; whole++)
        left -= v[whole].iov_len;
    p->stream.sent = whole ? left : p->stream.sent + left;
    ofi_link_sent(o, p, slots, whole);
    return !p->stream.full;
}

void ofi_stream_flush(struct ofi_fabric *o, int peer)
{
    while (!o->peer[peer].lost_ns && ofi_stream_send(o, peer))
        ;
    o->stuck |= o->peer[peer].stream.full || o->peer[peer].lost_ns;
}

/* ---- receiving ---- */

/* The next whole message; NULL: there is none. */
static const struct ofi_message *ofi_stream_next(struct ofi_fabric *o, int peer)
{
    struct ofi_stream *s = &o->peer[peer].stream;
    const struct ofi_message *m = (const void *)(s->in + s->from);
    size_t has = s->to - s->from;
    if (has < sizeof *m)
        return NULL;
    if (!ofi_link_is_from_job(o, m, has) || !ofi_link_is_sound(o, peer, m)) /* [ofi.secret] */
        ofi_fail(o, "receive", peer, "this is no message of HLRC");
    size_t bytes = ofi_link_bytes(m);
    if (has < bytes)
        return NULL;
    s->from += bytes;
    return m;
}

/* Room for the rest of a message, aligned as its beginning. */
static void ofi_stream_make_room(struct ofi_stream *s)
{
    size_t has = s->to - s->from;
    if (has && IN_BYTES - s->to >= MOST_BYTES)
        return;
    memmove(s->in, s->in + s->from, has);
    s->from = 0;
    s->to = has;
}

/* One call. false: nothing more has come. */
static bool ofi_stream_read(struct ofi_fabric *o, int peer)
{
    struct ofi_stream *s = &o->peer[peer].stream;
    const struct ofi_message *m;
    ofi_stream_make_room(s);
    size_t room = IN_BYTES - s->to;
    ssize_t n = recv(s->fd, s->in + s->to, room, MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        ofi_link_lose(o, peer);
    if (n <= 0)
        return false;
    s->to += (size_t)n;
    while ((m = ofi_stream_next(o, peer))) {
        ofi_link_take_message(o, m);
        if (m->kind == OFI_READ && m->len >= LONG_BYTES)
            ofi_stream_flush(o, peer);
    }
    ofi_stream_flush(o, peer);
    return (size_t)n == room;
}

static void ofi_stream_drain(struct ofi_fabric *o, int peer)
{
    while (!o->peer[peer].lost_ns && ofi_stream_read(o, peer))
        ;
}

/* With one peer a read is as fast as the question whether there is something to read. */
void ofi_stream_receive(struct ofi_fabric *o)
{
    struct epoll_event ready[READY];
    if (o->job.nodes == 2) {
        if (o->peer[!o->job.node].stream.open)
            ofi_stream_drain(o, !o->job.node);
        return;
    }
    int n = epoll_wait(o->wait_fd, ready, READY, 0);
    for (int i = 0; i < n; i++)
        if (ready[i].data.u32 != (uint32_t)o->job.node) /* the kick */
            ofi_stream_drain(o, (int)ready[i].data.u32);
}

/* ---- waiting ---- */

void ofi_stream_watch(struct ofi_fabric *o)
{
    for (int n = 0; n < o->job.nodes; n++) {
        struct ofi_stream *s = &o->peer[n].stream;
        struct epoll_event e = { .events = s->full ? EPOLLIN | EPOLLOUT : EPOLLIN,
                                 .data.u32 = (uint32_t)n };
        if (s->full == s->watched || o->peer[n].lost_ns)
            continue;
        (void)epoll_ctl(o->wait_fd, EPOLL_CTL_MOD, s->fd, &e);
        s->watched = s->full;
    }
}

/* While the peer's window is closed the kernel asks ever less often: two unanswered questions
 * count. Otherwise it probes within a second, or sends unconfirmed bytes again. */
bool ofi_stream_silent(struct ofi_fabric *o, int peer, int64_t ms)
{
    struct tcp_info t = { 0 };
    socklen_t len = sizeof t;
    int waiting = 0, fd = o->peer[peer].stream.fd;
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &t, &len) != 0)
        return false;
    (void)ioctl(fd, SIOCOUTQNSD, &waiting);
    uint32_t quiet =
        t.tcpi_last_ack_recv < t.tcpi_last_data_recv ? t.tcpi_last_ack_recv : t.tcpi_last_data_recv;
    bool closed = t.tcpi_unacked == 0 && waiting > 0;
    return quiet > ms && (!closed || t.tcpi_probes >= 2);
}
