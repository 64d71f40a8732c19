/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* resize_command.c - the command that requests it; see resize.h. */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/parse.h"
#include "base/procfs.h"
#include "launch/command.h"
#include "launch/process.h"
#include "launch/resize.h"

#define LAUNCHER "hlrcrun"

enum { RESIZE_START_MS = 2000, RESIZE_LOOK_MS = 10, RESIZE_ANSWER_MS = 10000, RESIZE_LISTED = 8 };

/* The kernel's name of the process, and that of its program's file if this user may see it: the
 * guard of a job has another name, and anything may have the name. */
static bool resize_is_launcher(pid_t pid, char *name, size_t len)
{
    char path[64], file[PATH_MAX];

    snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
    if (procfs_read(path, name, len) <= 0)
        name[0] = '\0';
    name[strcspn(name, "\n")] = '\0';
    snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
    ssize_t got = readlink(path, file, sizeof file - 1);
    file[got > 0 ? got : 0] = '\0';
    const char *base = strrchr(file, '/');
    return strcmp(name, LAUNCHER) == 0 && (base == NULL || strcmp(base + 1, LAUNCHER) == 0 ||
                                           strcmp(base + 1, LAUNCHER " (deleted)") == 0);
}

static bool resize_is_mine(pid_t pid, uid_t *user)
{
    char path[32];
    struct stat st;

    snprintf(path, sizeof path, "/proc/%d", (int)pid);
    *user = stat(path, &st) == 0 ? st.st_uid : geteuid();
    return *user == geteuid();
}

/* A job has started once its hlrcrun blocks the signal. */
static bool resize_takes_signal(pid_t pid)
{
    char path[32], text[4096];

    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    (void)procfs_read(path, text, sizeof text);
    const char *mask = procfs_find(text, "SigBlk");
    return mask != NULL && (strtoull(mask, NULL, 16) >> (SIGUSR2 - 1) & 1) != 0;
}

/* ---- which job ---- */

/* 0 after a line. */
static pid_t resize_choose_one(const pid_t *pids, int count, char *err, size_t errlen)
{
    if (count == 1)
        return pids[0];
    if (count == 0) {
        snprintf(err, errlen, "--resize: no hlrcrun of this user runs a job here");
        return 0;
    }
    int len =
        snprintf(err, errlen, "--resize: %d jobs of this user run; give the pid of one:", count);
    for (int i = 0; i < count && i < RESIZE_LISTED && len < (int)errlen; i++)
        len += snprintf(err + len, errlen - (size_t)len, " %d", (int)pids[i]);
    if (count > RESIZE_LISTED && len < (int)errlen)
        snprintf(err + len, errlen - (size_t)len, " and others");
    return 0;
}

static pid_t resize_find(char *err, size_t errlen)
{
    pid_t found[RESIZE_LISTED] = { 0 };
    int count = 0;
    char name[64];
    uid_t user;
    DIR *proc = opendir("/proc");

    for (const struct dirent *e; proc != NULL && (e = readdir(proc)) != NULL;) {
        pid_t pid = (pid_t)atoi(e->d_name);

        if (pid <= 0 || pid == getpid() || !resize_is_mine(pid, &user) ||
            !resize_is_launcher(pid, name, sizeof name) || !resize_takes_signal(pid))
            continue;
        if (count < RESIZE_LISTED)
            found[count] = pid;
        count++;
    }
    if (proc != NULL)
        closedir(proc);
    return resize_choose_one(found, count, err, errlen);
}

/* 0 after a line. */
static pid_t resize_check(const char *text, char *err, size_t errlen)
{
    int64_t number;
    char name[64];
    uid_t user;

    if (parse_number(text, "", 1, INT32_MAX, &number) != 0) {
        snprintf(err, errlen, "--resize: %.100s: not the pid of a process", text);
        return 0;
    }
    pid_t pid = (pid_t)number;
    bool launcher = resize_is_launcher(pid, name, sizeof name);
    if (name[0] == '\0') {
        snprintf(err, errlen, "--resize: there is no process %d; give the pid of a running hlrcrun",
                 (int)pid);
    } else if (!launcher) {
        snprintf(err, errlen,
                 "--resize: process %d is %s, not hlrcrun; jobs of other launchers, or on several "
                 "hosts without --restarts, are not resized: save them, and start them again with "
                 "--restart",
                 (int)pid, name);
    } else if (!resize_is_mine(pid, &user) && geteuid() != 0) {
        const struct passwd *owner = getpwuid(user);
        snprintf(err, errlen, "--resize: job %d is of user %s; only that user may resize it",
                 (int)pid, owner != NULL ? owner->pw_name : "another");
    } else {
        return pid;
    }
    return 0;
}

/* ---- request and answer ---- */

static int resize_listen(void)
{
    struct sockaddr_un address;
    socklen_t len = resize_address(&address, getpid());
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (fd >= 0 && bind(fd, (struct sockaddr *)&address, len) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* hlrcrun that starts is not yet ready for the signal, which would end it. */
static bool resize_await_start(int pidfd, pid_t pid)
{
    for (int ms = 0; ms < RESIZE_START_MS; ms += RESIZE_LOOK_MS) {
        if (resize_takes_signal(pid))
            return true;
        if (process_ended(pidfd))
            return false;
        poll(NULL, 0, RESIZE_LOOK_MS);
    }
    return false;
}

static int resize_answer_await(int fd, int pidfd, pid_t pid, char *err, size_t errlen)
{
    static struct resize_answer answer;
    struct pollfd fds[2] = { { .fd = fd, .events = POLLIN }, { .fd = pidfd, .events = POLLIN } };

    if (poll(fds, 2, RESIZE_ANSWER_MS) > 0 &&
        recv(fd, &answer, sizeof answer, MSG_DONTWAIT) == (ssize_t)sizeof answer) {
        answer.line[sizeof answer.line - 1] = '\0';
        if (answer.status == 0)
            printf("hlrcrun: %s\n", answer.line);
        snprintf(err, errlen, "--resize: %s", answer.line);
        return answer.status;
    }
    if (process_ended(pidfd))
        snprintf(err, errlen, "--resize: job %d has ended", (int)pid);
    else
        snprintf(err, errlen,
                 "--resize: job %d has not answered within %d s; it may be stopped, or of another "
                 "version of HLRC",
                 (int)pid, RESIZE_ANSWER_MS / 1000);
    return 1;
}

static int resize_send(int fd, int pidfd, pid_t pid, int nodes, char *err, size_t errlen)
{
    if (!resize_await_start(pidfd, pid)) {
        snprintf(err, errlen, "--resize: hlrcrun %d runs no job", (int)pid);
        return EXIT_USAGE;
    }
    if (sigqueue(pid, SIGUSR2, (union sigval){ .sival_int = nodes }) < 0) {
        snprintf(err, errlen, "--resize: job %d: %s", (int)pid, strerror(errno));
        return EXIT_USAGE;
    }
    return resize_answer_await(fd, pidfd, pid, err, errlen);
}

int resize_command(const char *nodes, const char *pid_text, char *err, size_t errlen)
{
    int64_t number;

    if (parse_number(nodes, "", 1, NODES_MAX, &number) != 0) {
        snprintf(err, errlen, "--resize %.100s: not a number of nodes from 1 to %d", nodes,
                 NODES_MAX);
        return EXIT_USAGE;
    }
    pid_t pid = pid_text != NULL ? resize_check(pid_text, err, errlen) : resize_find(err, errlen);
    if (pid == 0)
        return EXIT_USAGE;
    int fd = resize_listen(), pidfd = process_open(pid), status = EXIT_USAGE;
    if (fd < 0 || pidfd < 0)
        snprintf(err, errlen, "--resize: job %d: %s", (int)pid,
                 pidfd < 0 ? strerror(-pidfd) : "cannot open a socket for its answer");
    else
        status = resize_send(fd, pidfd, pid, (int)number, err, errlen);
    if (fd >= 0)
        close(fd);
    if (pidfd >= 0)
        close(pidfd);
    return status;
}
