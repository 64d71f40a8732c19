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

#define MOST_BYTES (sizeof(struct ofi_message) + OFI_PART_LONG + 8) /* of a message */
#define IN_BYTES   (MOST_BYTES + OFI_PART_STREAM)
#define TOGETHER   64   /* messages in one call at most */
#define LONG_BYTES 4096 /* an answer that does not wait for others */
#define READY      16   /* streams found to be readable by one call */
#define HEAD_BYTES 4096 /* received at once where the data that follows may have its place */

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

/* The kernel probes a peer that has sent nothing for a second, every second
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

/* Lengthens the first piece by the ones that follow it, as far as there is room for a copy. Returns
 * how many pieces it is then. A long piece is not copied. */
static int ofi_stream_join(struct ofi_fabric *o, struct iovec *first, int n)
{
    size_t bytes = first->iov_len, alone = bytes;
    int i = 1;
    for (; i < n && bytes + first[i].iov_len <= sizeof o->joined; i++) {
        memcpy(o->joined + bytes, first[i].iov_base, first[i].iov_len);
        bytes += first[i].iov_len;
    }
    if (i > 1) {
        memcpy(o->joined, first->iov_base, alone);
        *first = (struct iovec){ o->joined, bytes };
    }
    return i;
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
    int joined = ofi_stream_join(o, v, n);
    *offered = v[0].iov_len;
    return send(fd, v[0].iov_base, *offered, joined < n ? flags | MSG_MORE : flags);
}

/* Returns how many pieces the message has: three if its data is elsewhere and ends within a
 * word. */
static int ofi_stream_split(struct ofi_slot *s, struct iovec *v)
{
    static char zeros[8];
    size_t bytes = ofi_link_bytes(&s->message), before = sizeof s->message + s->message.off % 8;
    v[0] = (struct iovec){ &s->message, s->source ? before : bytes };
    if (!s->source)
        return 1;
    v[1] = (struct iovec){ (char *)(uintptr_t)s->source, s->message.len };
    v[2] = (struct iovec){ zeros, bytes - before - s->message.len };
    return v[2].iov_len ? 3 : 2;
}

/* Removes the first `sent` bytes of the pieces. Returns how many pieces remain. */
static int ofi_stream_skip(struct iovec **v, int n, size_t sent)
{
    for (; n && sent >= (*v)->iov_len; ++*v, n--)
        sent -= (*v)->iov_len;
    (*v)->iov_base = (char *)(*v)->iov_base + sent;
    (*v)->iov_len -= sent;
    return n;
}

/* Returns how many messages the kernel has taken as a whole. s->sent gets its bytes of the next. */
static int ofi_stream_whole(struct ofi_stream *s, struct ofi_slot *const *slots, int n,
                            size_t taken)
{
    int whole = 0;
    for (size_t bytes; whole < n; taken -= bytes, whole++)
        if ((bytes = ofi_link_bytes(&slots[whole]->message)) > taken)
            break;
    s->sent = taken;
    return whole;
}

/* One call. false: the kernel took not all of it, or there is nothing to send. */
static bool ofi_stream_send(struct ofi_fabric *o, int peer)
{
    struct ofi_peer *p = &o->peer[peer];
    struct ofi_slot *slots[TOGETHER];
    struct iovec pieces[TOGETHER + 2], *v = pieces;
    size_t offered;
    int most = ofi_link_unsent(o, p, slots, TOGETHER), n = 0, count = 0;
    for (; n < most && count < TOGETHER; n++)
        count += ofi_stream_split(slots[n], pieces + count);
    if (n == 0)
        return false;
    count = ofi_stream_skip(&v, count, p->stream.sent);
    ssize_t took = ofi_stream_send_pieces(o, p->stream.fd, v, count, &offered);
    if (took < 0 && errno == EFAULT)
        ofi_fail(o, "write", peer, "its source is not memory that can be read");
    if (took < 0 && errno != EAGAIN && errno != EINTR)
        ofi_link_lose(o, peer);
    took = took > 0 ? took : 0;
    p->stream.full = (size_t)took < offered;
    ofi_link_sent(o, p, slots,
                  ofi_stream_whole(&p->stream, slots, n, p->stream.sent + (size_t)took));
    return !p->stream.full;
}

void ofi_stream_flush(struct ofi_fabric *o, int peer)
{
    while (!o->peer[peer].lost_ns && ofi_stream_send(o, peer))
        ;
    o->stuck |= o->peer[peer].stream.full || o->peer[peer].lost_ns;
}

/* ---- receiving ---- */

/* Bytes of the message at `from` in the buffer: its head has arrived. */
static size_t ofi_stream_bytes(const struct ofi_stream *s)
{
    return ofi_link_bytes((const void *)(s->in + s->from)) - s->gap.bytes;
}

/* Of an answer that has not arrived as a whole the rest may be received in its place. The last
 * bytes, which are no whole word, are not. */
static void ofi_stream_place(struct ofi_fabric *o, struct ofi_stream *s)
{
    const struct ofi_message *m = (const void *)(s->in + s->from);
    size_t has = s->to - s->from, before = sizeof *m + m->off % 8;
    char *to = s->gap.bytes || has < before ? NULL : ofi_link_place_of(o, m);
    if (!to || has - before >= m->len)
        return;
    s->gap.at = has - before;
    s->gap.bytes = s->gap.left = (m->len - s->gap.at) / 8 * 8;
    s->gap.to = to + s->gap.at;
}

/* The next whole message, but for its gap; NULL: there is none. */
static const struct ofi_message *ofi_stream_next(struct ofi_fabric *o, int peer)
{
    struct ofi_stream *s = &o->peer[peer].stream;
    const struct ofi_message *m = (const void *)(s->in + s->from);
    size_t has = s->to - s->from;
    if (has < sizeof *m)
        return NULL;
    if (!ofi_link_is_from_job(o, m, has) || !ofi_link_is_sound(o, peer, m)) /* [ofi.secret] */
        ofi_fail(o, "receive", peer, "this is no message of HLRC");
    ofi_stream_place(o, s);
    return s->gap.left || has < ofi_stream_bytes(s) ? NULL : m;
}

static void ofi_stream_take_messages(struct ofi_fabric *o, int peer)
{
    struct ofi_stream *s = &o->peer[peer].stream;
    const struct ofi_message *m;
    while ((m = ofi_stream_next(o, peer))) {
        size_t bytes = ofi_stream_bytes(s);
        ofi_link_take_message(o, m, &s->gap);
        s->gap = (struct ofi_gap){ 0 };
        s->from += bytes;
        if (m->kind == OFI_READ && m->len >= LONG_BYTES)
            ofi_stream_flush(o, peer);
    }
    ofi_stream_flush(o, peer);
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

/* How many bytes to receive in the buffer. Fewer if an answer's data has its place: then hardly
 * more than the heads of messages. */
static size_t ofi_stream_room(const struct ofi_peer *p)
{
    const struct ofi_stream *s = &p->stream;
    size_t has = s->to - s->from;
    size_t lacks = has < sizeof(struct ofi_message) ? 0 : ofi_stream_bytes(s) - has;
    return !p->placed ? IN_BYTES - s->to : lacks > HEAD_BYTES ? lacks : HEAD_BYTES;
}

/* One call. false: nothing more has arrived. */
static bool ofi_stream_read(struct ofi_fabric *o, int peer)
{
    struct ofi_stream *s = &o->peer[peer].stream;
    bool places = s->gap.left;
    ofi_stream_make_room(s);
    size_t room = places ? s->gap.left : ofi_stream_room(&o->peer[peer]);
    ssize_t n = recv(s->fd, places ? s->gap.to : s->in + s->to, room, MSG_DONTWAIT);
    if (n < 0 && errno == EFAULT)
        ofi_fail(o, "read", peer, "its destination is not memory that can be written");
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        ofi_link_lose(o, peer);
    if (n <= 0)
        return false;
    s->received += (uint64_t)n;
    if (places) {
        s->gap.to += n;
        s->gap.left -= (size_t)n;
    } else {
        s->to += (size_t)n;
    }
    ofi_stream_take_messages(o, peer);
    return (size_t)n == room;
}

static bool ofi_stream_drain(struct ofi_fabric *o, int peer)
{
    struct ofi_stream *s = &o->peer[peer].stream;
    uint64_t before = s->received;
    while (!o->peer[peer].lost_ns && ofi_stream_read(o, peer))
        ;
    return s->received != before;
}

/* With one peer, recv costs no more than epoll_wait. */
bool ofi_stream_receive(struct ofi_fabric *o)
{
    struct epoll_event ready[READY];
    if (o->job.nodes == 2)
        return o->peer[!o->job.node].stream.open && ofi_stream_drain(o, !o->job.node);
    bool arrived = false;
    int n = epoll_wait(o->wait_fd, ready, READY, 0);
    for (int i = 0; i < n; i++)
        if (ready[i].data.u32 != (uint32_t)o->job.node) /* the kick */
            arrived |= ofi_stream_drain(o, (int)ready[i].data.u32);
    return arrived;
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

/* While the peer's window is closed the kernel probes at growing intervals: two unanswered probes
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
