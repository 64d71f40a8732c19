/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launch/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/diag.h"
#include "boot/wire.h"
#include "launch/debugger.h"
#include "launch/process.h"
#include "launch/program.h"

/* Above the descriptors that shells use for redirections. */
enum { LAUNCH_FD_LOW = 100 };

/* Descriptors of the child after fork. */
struct spawn_child {
    int node;
    int sock;
    int output[2]; /* write ends */
};

int spawn_open(struct spawn *spawn)
{
    return pipe2(spawn->gate, O_CLOEXEC) < 0 ? -errno : 0;
}

void spawn_close(struct spawn *spawn)
{
    close(spawn->gate[0]);
    close(spawn->gate[1]);
}

int spawn_release(struct spawn *spawn, int nodes)
{
    char bytes[NODES_MAX] = { 0 };

    return write(spawn->gate[1], bytes, (size_t)nodes) == nodes ? 0 : -errno;
}

/* Exit status as in shells: 127 no such program, 126 it cannot be run. */
_Noreturn static void spawn_child_fail(const struct spawn *spawn, int sock, const char *what,
                                       int err)
{
    struct wire_head head = { .type = WIRE_NO_EXEC, .status = err == ENOENT ? 127 : 126 };
    char line[DIAG_LINE_MAX];
    int len = snprintf(line, sizeof line, "%.800s: %s (%s)", spawn->path, what, strerror(err));
    struct iovec iov[2] = { { &head, sizeof head }, { line, (size_t)len } };
    struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };

    sendmsg(sock, &msg, MSG_NOSIGNAL);
    _exit(head.status);
}

static void spawn_child_descriptors(const struct spawn *spawn, struct spawn_child *child,
                                    bool debugged)
{
    int null = -1;

    if (child->node != (spawn->config->gdb >= 0 ? spawn->config->gdb : 0)) {
        null = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (null < 0 || dup2(null, STDIN_FILENO) < 0)
            spawn_child_fail(spawn, child->sock, "cannot redirect standard input", errno);
    }
    if (!debugged &&
        (dup2(child->output[0], STDOUT_FILENO) < 0 || dup2(child->output[1], STDERR_FILENO) < 0))
        spawn_child_fail(spawn, child->sock, "cannot redirect output", errno);
}

static void spawn_child_environment(const struct spawn *spawn, const struct spawn_child *child)
{
    char number[16];
    /* the copy stays open on exec, unlike the original */
    int fd = fcntl(child->sock, F_DUPFD, LAUNCH_FD_LOW);

    if (fd < 0)
        fd = fcntl(child->sock, F_DUPFD, 3);
    snprintf(number, sizeof number, "%d", fd);
    if (fd < 0 || setenv("HLRC_LAUNCH_FD", number, 1) != 0)
        spawn_child_fail(spawn, child->sock, "cannot pass the launch socket on", errno);
    snprintf(number, sizeof number, "%d", child->node);
    if (setenv("HLRC_NODE", number, 1) != 0)
        spawn_child_fail(spawn, child->sock, "cannot set the environment", errno);
    snprintf(number, sizeof number, "%d", spawn->config->nodes);
    if (setenv("HLRC_NODES", number, 1) != 0)
        spawn_child_fail(spawn, child->sock, "cannot set the environment", errno);
}

static void spawn_child_restore(const struct spawn *spawn)
{
    struct sigaction quit;

    /* the terminal sends SIGQUIT to all: hlrcrun handles it, and no node may die of it */
    if (sigaction(SIGQUIT, NULL, &quit) == 0 && quit.sa_handler == SIG_DFL) {
        quit.sa_handler = SIG_IGN;
        sigaction(SIGQUIT, &quit, NULL);
    }
    setrlimit(RLIMIT_NOFILE, &spawn->files);
    sigaction(SIGPIPE, &spawn->pipe_action, NULL);
    sigprocmask(SIG_SETMASK, &spawn->mask, NULL);
}

_Noreturn static void spawn_child_debug(const struct spawn *spawn, int sock)
{
    char script[PATH_MAX + 32];
    const char *const before[] = { "gdb", "-q", "-x", debugger_script(script, sizeof script),
                                   "--args" };
    size_t count = 0, n = sizeof before / sizeof *before;
    char **argv;

    while (spawn->argv[count] != NULL)
        count++;
    argv = calloc(n + count + 1, sizeof *argv);
    if (argv == NULL)
        spawn_child_fail(spawn, sock, "cannot run under gdb", ENOMEM);
    memcpy(argv, before, sizeof before);
    memcpy(argv + n, spawn->argv, count * sizeof *argv);
    argv[n] = (char *)(uintptr_t)spawn->path;
    execvp("gdb", argv);
    spawn_child_fail(spawn, sock, "cannot run under gdb", errno);
}

/* execvp gives to a shell what the kernel does not know: a script, but no program. */
_Noreturn static void spawn_child_exec(const struct spawn *spawn, int sock)
{
    char text[512];

    if (program_is_elf(spawn->path))
        execv(spawn->path, spawn->argv);
    else
        execvp(spawn->path, spawn->argv);
    int err = errno;
    spawn_child_fail(spawn, sock, program_run_failure(spawn->path, err, text, sizeof text), err);
}

_Noreturn static void spawn_child_main(struct spawn *spawn, struct spawn_child *child)
{
    bool debugged = child->node == spawn->config->gdb;
    char byte;

    close(spawn->gate[1]);
    if (read(spawn->gate[0], &byte, 1) != 1)
        _exit(1);
    spawn_child_descriptors(spawn, child, debugged);
    spawn_child_environment(spawn, child);
    bind_node(spawn->bindings, child->node);
    if (spawn->config->no_aslr &&
        personality((unsigned long)personality(0xffffffff) | ADDR_NO_RANDOMIZE) < 0)
        spawn_child_fail(spawn, child->sock, "--no-aslr is not allowed here", errno);
    if (spawn->config->syscalls != SYSCALLS_OFF &&
        !getenv("HLRC_FILTERED")) /* the node reports it if not permitted */
        (void)personality((unsigned long)personality(0xffffffff) | ADDR_COMPAT_LAYOUT);
    spawn_child_restore(spawn);
    if (debugged)
        spawn_child_debug(spawn, child->sock);
    if (spawn->config->gdb == GDB_ALL)
        debugger_child_wait();
    spawn_child_exec(spawn, child->sock);
}

/* Creates the output pipes; a node under gdb keeps the terminal. */
static int spawn_output_pipes(bool wanted, int ends[2], int write_ends[2])
{
    int pair[2];

    ends[0] = ends[1] = write_ends[0] = write_ends[1] = -1;
    for (int i = 0; wanted && i < 2; i++) {
        if (pipe2(pair, O_CLOEXEC) < 0)
            return -errno;
        ends[i] = pair[0];
        write_ends[i] = pair[1];
        if (fcntl(ends[i], F_SETFL, O_NONBLOCK) < 0)
            return -errno;
    }
    return 0;
}

static void spawn_close_if_open(int fd)
{
    if (fd >= 0)
        close(fd);
}

static int spawn_socket_pair(struct spawn_child_ids *out, struct spawn_child *child)
{
    int pair[2], on = 1;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return -errno;
    out->sock = pair[0];
    child->sock = pair[1];
    /* every message carries the pid of its sender */
    return setsockopt(out->sock, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) < 0 ? -errno : 0;
}

/* Forks. The child must not inherit half-written output, nor its own pidfd. */
static int spawn_child_fork(struct spawn *spawn, struct spawn_child_ids *out,
                            struct spawn_child *child)
{
    fflush(NULL);
    out->pid = fork();
    if (out->pid < 0)
        return -errno;
    if (out->pid == 0)
        spawn_child_main(spawn, child);
    out->pidfd = process_open(out->pid);
    return out->pidfd < 0 ? out->pidfd : 0;
}

int spawn_node(struct spawn *spawn, int node, struct spawn_child_ids *out)
{
    struct spawn_child child = { .node = node, .sock = -1, .output = { -1, -1 } };
    int err;

    *out = (struct spawn_child_ids){ .pid = 0, .pidfd = -1, .sock = -1, .output = { -1, -1 } };
    err = spawn_socket_pair(out, &child);
    if (err == 0)
        err = spawn_output_pipes(node != spawn->config->gdb, out->output, child.output);
    if (err == 0)
        err = spawn_child_fork(spawn, out, &child);
    spawn_close_if_open(child.sock);
    spawn_close_if_open(child.output[0]);
    spawn_close_if_open(child.output[1]);
    return err;
}
