/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A node's side of the wire-up with hlrcrun. The launcher's side is in job.c; the messages are in
 * wire.h.
 *
 *   - open() sends HELLO. From then until GOODBYE the end of the process counts as a death, which
 *     ends the whole job.
 *   - Each message is one packet, so that threads and signal handlers may send at the same time.
 *   - One thread at a time reads from the socket, the one that holds `reading`: for a whole
 *     exchange, or for one check for a request of hlrcrun. So a check never receives a piece of a
 *     result, and an exchange saves a request for the next check.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/config.h"
#include "base/diag.h"
#include "base/parse.h"
#include "boot/boot_backend.h"
#include "boot/wire.h"

struct boot_local {
    struct boot head;
    atomic_flag reading;
    _Atomic uint32_t put_by; /* number of a request that an exchange has received; 0: none */
};

static struct boot_local *boot_local_of(struct boot *boot)
{
    return (struct boot_local *)boot;
}

/* One packet; async-signal-safe. */
static int boot_local_packet_send(int fd, const struct wire_head *head, const void *body,
                                  size_t len, int flags)
{
    struct iovec iov[2] = { { (void *)(uintptr_t)head, sizeof *head },
                            { (void *)(uintptr_t)body, len } };
    struct msghdr msg = { .msg_iov = iov, .msg_iovlen = len > 0 ? 2 : 1 };

    while (sendmsg(fd, &msg, MSG_NOSIGNAL | flags) < 0)
        if (errno != EINTR)
            return -errno;
    return 0;
}

static int boot_local_blob_send(int fd, const char *blob, size_t len)
{
    size_t at = 0;

    do {
        size_t piece = len - at < WIRE_PIECE ? len - at : WIRE_PIECE;
        struct wire_head head = { .type = WIRE_EXCHANGE,
                                  .total = (uint32_t)len,
                                  .offset = (uint32_t)at };
        int err = boot_local_packet_send(fd, &head, blob + at, piece, 0);

        if (err < 0)
            return err;
        at += piece;
    } while (at < len);
    return 0;
}

/* Next piece of the result, at offset at; returns its length. */
static ssize_t boot_local_result_receive(struct boot_local *local, char *all, size_t total,
                                         size_t at)
{
    struct wire_head head;
    struct iovec iov[2] = { { &head, sizeof head },
                            { all + at, total - at < WIRE_PIECE ? total - at : WIRE_PIECE } };
    struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };
    ssize_t got;

    do {
        got = recvmsg(local->head.fd, &msg, 0);
        if (got == (ssize_t)sizeof head && head.type == WIRE_LOOK)
            atomic_store(&local->put_by, head.total);
    } while ((got < 0 && errno == EINTR) ||
             (got == (ssize_t)sizeof head && head.type == WIRE_LOOK));
    if (got <= 0)
        return got < 0 ? -errno : -ECONNRESET;
    if ((size_t)got < sizeof head || head.type != WIRE_RESULT || head.total != total ||
        head.offset != at)
        return -EPROTO;
    return got - (ssize_t)sizeof head;
}

static int boot_local_exchange(struct boot *boot, const void *mine, size_t len, void *all)
{
    size_t at = 0, total = len * (size_t)boot->nodes;
    int err = boot_local_blob_send(boot->fd, mine, len);

    if (err < 0)
        return err == -EPIPE ? -ECONNRESET : err;
    do {
        ssize_t got = boot_local_result_receive(boot_local_of(boot), all, total, at);

        if (got < 0)
            return (int)got;
        if (got == 0 && total > 0)
            return -EPROTO;
        at += (size_t)got;
    } while (at < total);
    return 0;
}

static int boot_local_gather(struct boot *boot, const void *mine, size_t len, void *all)
{
    struct boot_local *local = boot_local_of(boot);
    int err;

    while (atomic_flag_test_and_set(&local->reading)) /* the monitor may be checking */
        sched_yield();
    err = boot_local_exchange(boot, mine, len, all);
    atomic_flag_clear(&local->reading);
    return err;
}

/* Only requests arrive while no thread exchanges. */
static int boot_local_asked(struct boot *boot, uint32_t *number)
{
    struct boot_local *local = boot_local_of(boot);
    struct wire_head head = { 0 };
    ssize_t got;

    *number = atomic_exchange(&local->put_by, 0);
    if (*number != 0)
        return 0;
    if (atomic_flag_test_and_set(&local->reading))
        return -EBUSY;
    got = recv(boot->fd, &head, sizeof head, MSG_DONTWAIT);
    atomic_flag_clear(&local->reading);
    *number = head.total;
    return got == (ssize_t)sizeof head && head.type == WIRE_LOOK ? 0 : -EAGAIN;
}

static int boot_local_waits(struct boot *boot, const void *report, size_t len)
{
    struct wire_head head = { .type = WIRE_WAITS };

    return boot_local_packet_send(boot->fd, &head, report, len, MSG_DONTWAIT) < 0 ? -EAGAIN : 0;
}

static void boot_local_goodbye(struct boot *boot, bool finalized)
{
    struct wire_head head = { .type = WIRE_GOODBYE, .status = finalized };

    (void)boot_local_packet_send(boot->fd, &head, NULL, 0, 0);
}

static int boot_local_quit(struct boot *boot, int status)
{
    struct wire_head head = { .type = WIRE_QUIT, .status = status };

    return boot_local_packet_send(boot->fd, &head, NULL, 0, 0);
}

static void boot_local_report(struct boot *boot, int status, const char *line)
{
    struct wire_head head = { .type = WIRE_REPORT, .status = status };

    (void)boot_local_packet_send(boot->fd, &head, line, strnlen(line, DIAG_LINE_MAX - 1), 0);
}

static void boot_local_detail(struct boot *boot, const char *line)
{
    struct wire_head head = { .type = WIRE_DETAIL };

    (void)boot_local_packet_send(boot->fd, &head, line, strnlen(line, DIAG_LINE_MAX - 1), 0);
}

static void boot_local_progress(struct boot *boot, const struct boot_counters *counters)
{
    struct wire_head head = { .type = WIRE_PROGRESS };

    (void)boot_local_packet_send(boot->fd, &head, counters, sizeof *counters, MSG_DONTWAIT);
}

static void boot_local_stats(struct boot *boot, const void *stats, size_t len, bool last)
{
    struct wire_head head = { .type = WIRE_STATS, .status = last };

    (void)boot_local_packet_send(boot->fd, &head, stats, len, MSG_DONTWAIT);
}

static void boot_local_take_signals(struct boot *boot)
{
    struct wire_head head = { .type = WIRE_SIGNALS };

    (void)boot_local_packet_send(boot->fd, &head, NULL, 0, 0);
}

static void boot_local_resize(struct boot *boot, enum boot_resize_state state, const char *why)
{
    struct wire_head head = { .type = WIRE_RESIZE, .status = (int32_t)state };

    (void)boot_local_packet_send(boot->fd, &head, why, strnlen(why, DIAG_LINE_MAX - 1), 0);
}

static int boot_local_timeline(struct boot *boot, int fd)
{
    struct wire_head head = { .type = WIRE_TIMELINE };
    union {
        struct cmsghdr align;
        char space[CMSG_SPACE(sizeof fd)];
    } control = { .space = { 0 } };
    struct iovec iov = { &head, sizeof head };
    struct msghdr msg = { .msg_iov = &iov,
                          .msg_iovlen = 1,
                          .msg_control = control.space,
                          .msg_controllen = sizeof control.space };
    struct cmsghdr *part = CMSG_FIRSTHDR(&msg);

    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(part), &fd, sizeof fd);
    while (sendmsg(boot->fd, &msg, MSG_NOSIGNAL) < 0)
        if (errno != EINTR)
            return -errno;
    return 0;
}

static void boot_local_close(struct boot *boot)
{
    close(boot->fd);
    free(boot);
}

static const struct boot_ops local_ops = {
    .launcher = BOOT_HLRCRUN,
    .exchange = boot_local_gather,
    .goodbye = boot_local_goodbye,
    .quit = boot_local_quit,
    .report = boot_local_report,
    .detail = boot_local_detail,
    .progress = boot_local_progress,
    .stats = boot_local_stats,
    .take_signals = boot_local_take_signals,
    .resize = boot_local_resize,
    .timeline = boot_local_timeline,
    .waits = boot_local_waits,
    .asked = boot_local_asked,
    .close = boot_local_close,
};

static int boot_local_number_from_environment(const char *name, int low, int high, int *out)
{
    const char *text = secure_getenv(name);
    int64_t value;

    if (text == NULL || *text == '\0')
        return -ENOENT;
    if (parse_number(text, "", low, high, &value) != 0) {
        diag_warn("%s=%s: not a number from %d to %d; hlrcrun sets it, do not change it", name,
                  text, low, high);
        return -EINVAL;
    }
    *out = (int)value;
    return 0;
}

static bool boot_local_is_launch_socket(int fd)
{
    int type;
    socklen_t len = sizeof type;

    return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) == 0 && type == SOCK_SEQPACKET;
}

static int boot_local_connect(struct boot *boot)
{
    struct wire_head hello = { .type = WIRE_HELLO, .status = WIRE_VERSION };
    int err = boot_local_number_from_environment("HLRC_NODES", 1, NODES_MAX, &boot->nodes);

    if (err == 0)
        err = boot_local_number_from_environment("HLRC_NODE", 0, boot->nodes - 1, &boot->node);
    if (err == 0 && !boot_local_is_launch_socket(boot->fd))
        err = -ENOTSOCK;
    if (err == 0 && fcntl(boot->fd, F_SETFD, FD_CLOEXEC) < 0)
        err = -errno;
    if (err == 0)
        err = boot_local_packet_send(boot->fd, &hello, NULL, 0, 0);
    if (err < 0 && err != -EINVAL)
        diag_warn(
            "HLRC_LAUNCH_FD=%d: no connection to hlrcrun (%s); unset it to run a job of one node",
            boot->fd, strerror(-err));
    return err == -ENOENT ? -EINVAL : err;
}

int boot_local_open(struct boot **out)
{
    int fd = -1, err = boot_local_number_from_environment("HLRC_LAUNCH_FD", 0, 1 << 20, &fd);
    struct boot_local *local;

    if (err < 0)
        return err;
    local = malloc(sizeof *local);
    if (local == NULL) {
        diag_warn("out of memory at start");
        return -ENOMEM;
    }
    *local = (struct boot_local){ .head = { .ops = &local_ops, .nodes = 1, .fd = fd },
                                  .reading = ATOMIC_FLAG_INIT };
    err = boot_local_connect(&local->head);
    if (err < 0) {
        free(local);
        return err;
    }
    *out = &local->head;
    return 0;
}
