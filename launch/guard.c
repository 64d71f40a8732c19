/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launch/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/config.h"
#include "launch/partner.h"
#include "launch/process.h"

enum {
    /* a wrapper and its program for each node, and some ended processes */
    WATCHED_MAX = 4 * NODES_MAX,
    TERM_MS = 500,
    KILL_MS = 1000
};

enum guard_order { ORDER_WATCH, ORDER_HUSH, ORDER_DISMISS };

struct guard_message {
    enum guard_order order;
    pid_t pid;
};

struct guard_watch {
    pid_t launcher, guard; /* guard: that has been killed, in the witness; 0: none */
    struct guard witness;  /* fd -1: none, or this process is the witness */
    bool hushed;
    const char *memory; /* of --partner */
    size_t count;
    struct {
        pid_t pid;
        int pidfd;
    } process[WATCHED_MAX];
};

static void guard_watch_forget_ended(struct guard_watch *watch)
{
    size_t kept = 0;

    for (size_t i = 0; i < watch->count; i++)
        if (process_ended(watch->process[i].pidfd))
            close(watch->process[i].pidfd);
        else
            watch->process[kept++] = watch->process[i];
    watch->count = kept;
}

static void guard_watch_add(struct guard_watch *watch, pid_t pid, int pidfd)
{
    if (watch->count == WATCHED_MAX)
        guard_watch_forget_ended(watch);
    if (watch->count == WATCHED_MAX) {
        close(pidfd);
        return;
    }
    watch->process[watch->count].pid = pid;
    watch->process[watch->count++].pidfd = pidfd;
}

static int guard_order_send(const struct guard *guard, enum guard_order order, pid_t pid, int pidfd)
{
    union {
        struct cmsghdr align;
        char space[CMSG_SPACE(sizeof(int))];
    } control;
    struct guard_message message = { .order = order, .pid = pid };
    struct iovec iov = { &message, sizeof message };
    struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
    struct cmsghdr *part;

    if (order == ORDER_WATCH) {
        memset(&control, 0, sizeof control);
        msg.msg_control = control.space;
        msg.msg_controllen = sizeof control.space;
        part = CMSG_FIRSTHDR(&msg);
        part->cmsg_level = SOL_SOCKET;
        part->cmsg_type = SCM_RIGHTS;
        part->cmsg_len = CMSG_LEN(sizeof pidfd);
        memcpy(CMSG_DATA(part), &pidfd, sizeof pidfd);
    }
    return sendmsg(guard->fd, &msg, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* Receives one order; the pidfd of a process to watch comes with it. False: the sender is gone. */
static bool guard_order_receive(struct guard_watch *watch, int socket,
                                struct guard_message *message)
{
    union {
        struct cmsghdr align;
        char space[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec iov = { message, sizeof *message };
    struct msghdr msg = { .msg_iov = &iov,
                          .msg_iovlen = 1,
                          .msg_control = control.space,
                          .msg_controllen = sizeof control.space };
    ssize_t got;
    struct cmsghdr *part;
    int pidfd = -1;

    do
        got = recvmsg(socket, &msg, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got != (ssize_t)sizeof *message)
        return false;
    part = CMSG_FIRSTHDR(&msg);
    if (message->order == ORDER_WATCH && part != NULL && part->cmsg_type == SCM_RIGHTS) {
        memcpy(&pidfd, CMSG_DATA(part), sizeof pidfd);
        (void)guard_order_send(&watch->witness, ORDER_WATCH, message->pid, pidfd);
        guard_watch_add(watch, message->pid, pidfd);
    }
    return true;
}

static void guard_watch_hush(struct guard_watch *watch)
{
    watch->hushed = true;
    guard_hush(&watch->witness);
}

/* Follows orders until the sender is gone. True: dismissed. */
static bool guard_orders_follow(struct guard_watch *watch, int socket)
{
    struct guard_message message = { .order = ORDER_WATCH };

    while (guard_order_receive(watch, socket, &message)) {
        if (message.order == ORDER_DISMISS)
            return true;
        if (message.order == ORDER_HUSH)
            guard_watch_hush(watch);
    }
    return false;
}

static void guard_signal_all(struct guard_watch *watch, int sig)
{
    pid_t roots[WATCHED_MAX];

    guard_watch_forget_ended(watch);
    for (size_t i = 0; i < watch->count; i++)
        roots[i] = watch->process[i].pid;
    /* first the programs of wrappers: without their parent they could not be found */
    process_sweep(roots, watch->count, false, getpid(), sig);
    for (size_t i = 0; i < watch->count; i++)
        process_signal(watch->process[i].pidfd, sig);
}

static void guard_wait_all(const struct guard_watch *watch, int ms)
{
    int64_t until = clock_ms() + ms;

    for (size_t i = 0; i < watch->count; i++) {
        struct pollfd fd = { .fd = watch->process[i].pidfd, .events = POLLIN };
        int64_t left = until - clock_ms();

        if (left > 0)
            poll(&fd, 1, (int)left);
    }
}

static void guard_loss_report(const struct guard_watch *watch)
{
    char guard[48] = " was", line[128];
    int len;

    if (watch->guard != 0)
        snprintf(guard, sizeof guard, " and its guard (pid %d) were", (int)watch->guard);
    len = snprintf(line, sizeof line, "hlrcrun: the launcher (pid %d)%s killed; ending the job\n",
                   (int)watch->launcher, guard);
    if (write(STDERR_FILENO, line, (size_t)len) < 0)
        return; /* then nothing reads it */
}

static void guard_job_end(struct guard_watch *watch)
{
    if (!watch->hushed)
        guard_loss_report(watch);
    guard_watch_hush(watch);
    guard_signal_all(watch, SIGTERM);
    guard_wait_all(watch, TERM_MS);
    guard_signal_all(watch, SIGKILL);
    guard_wait_all(watch, KILL_MS);
    partner_remove(watch->memory);
}

/* Closes everything of the user's but standard error, and leaves the directory so that it can be
 * unmounted. */
static void guard_surroundings_leave(int keep)
{
    sigset_t all;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    prctl(PR_SET_NAME, "hlrc-guard");
    if (null >= 0) {
        dup2(null, STDIN_FILENO);
        dup2(null, STDOUT_FILENO);
    }
    dup2(keep, 3);
#ifdef SYS_close_range
    syscall(SYS_close_range, 4U, ~0U, 0U);
#else
    for (int fd = 4; fd < 1024; fd++)
        close(fd);
#endif
    if (chdir("/") < 0)
        return; /* then the directory stays busy */
}

/* Forks a guard that is connected to this process. In the guard pid is 0, and *socket its end. */
static int guard_fork(struct guard *guard, int *socket)
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return -errno;
    guard->pid = fork();
    if (guard->pid < 0) {
        int err = errno;

        close(pair[0]);
        close(pair[1]);
        return -err;
    }
    close(pair[guard->pid == 0 ? 0 : 1]);
    if (guard->pid == 0) {
        *socket = pair[1];
        return 0;
    }
    guard->fd = pair[0];
    /* never wait long for a stopped guard: the job continues without it */
    setsockopt(guard->fd, SOL_SOCKET, SO_SNDTIMEO, &(struct timeval){ .tv_usec = 200000 },
               sizeof(struct timeval));
    return 0;
}

/* In the name and the command line that tools find processes by. */
static void guard_witness_rename(void)
{
    static const char name[] = "hlrc-witness";
    size_t len = strlen(program_invocation_name);

    prctl(PR_SET_NAME, name);
    memset(program_invocation_name, 0, len);
    memcpy(program_invocation_name, name, len < sizeof name ? len : sizeof name - 1);
}

/* Returns in the guard, and in the witness once that has to replace the guard. */
static void guard_witness_start(struct guard_watch *watch)
{
    pid_t guard = getpid();
    int socket = -1;

    if (guard_fork(&watch->witness, &socket) < 0 || watch->witness.pid != 0)
        return;
    guard_witness_rename();
    if (guard_orders_follow(watch, socket))
        _exit(0);
    close(socket);
    watch->guard = guard;
}

_Noreturn static void guard_main(int socket, pid_t launcher, const char *memory)
{
    static struct guard_watch watch = { .witness = { .fd = -1 } };
    bool dismissed;

    guard_surroundings_leave(socket);
    watch.launcher = launcher;
    watch.memory = memory;
    guard_witness_start(&watch);
    dismissed = guard_orders_follow(&watch, 3);
    if (!dismissed)
        guard_job_end(&watch);
    if (watch.witness.pid > 0)
        kill(watch.witness.pid, SIGKILL);
    _exit(dismissed ? 0 : 1);
}

int guard_start(struct guard *guard, const char *memory)
{
    pid_t launcher = getpid();
    int socket = -1, err = guard_fork(guard, &socket);

    if (err == 0 && guard->pid == 0)
        guard_main(socket, launcher, memory);
    return err;
}

int guard_watch(const struct guard *guard, pid_t pid, int pidfd)
{
    return guard_order_send(guard, ORDER_WATCH, pid, pidfd);
}

void guard_hush(const struct guard *guard)
{
    guard_order_send(guard, ORDER_HUSH, 0, -1);
}

/* True once the guard has been waited for. */
static bool guard_reaped(const struct guard *guard)
{
    siginfo_t info = { .si_pid = 0 };

    return waitid(P_PID, (id_t)guard->pid, &info, WEXITED | WNOHANG) < 0 || info.si_pid != 0;
}

void guard_dismiss(struct guard *guard)
{
    /* kill a guard that is stopped or unreachable: no process may remain */
    if (guard_order_send(guard, ORDER_DISMISS, 0, -1) < 0 && guard->pid > 0)
        kill(guard->pid, SIGKILL);
    for (int tries = 0; guard->pid > 0 && !guard_reaped(guard) && tries < 40; tries++) {
        if (tries == 30)
            kill(guard->pid, SIGKILL);
        poll(NULL, 0, tries < 10 ? 1 : 10);
    }
    close(guard->fd);
    *guard = (struct guard){ .pid = 0, .fd = -1 };
}
