/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* companion.c - see companion.h. */
#include "base/companion.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool companion_lies_in(const char *folder, size_t len, const char *more, const char *name,
                              char *path)
{
    int used = snprintf(path, PATH_MAX, "%.*s%s/%s", (int)len, folder, more, name);
    return used < PATH_MAX && access(path, X_OK) == 0;
}

/* Its path, or its name, for a search in PATH. */
static const char *companion_find(const char *name, char *path)
{
    static const char *const from_library[] = { "/../bin", "/../../bin", "/.." };
    const char *tools = secure_getenv("HLRC_TOOLS");
    Dl_info info;
    if (tools && companion_lies_in(tools, strlen(tools), "", name, path))
        return path;
    const char *end = dladdr(__func__, &info) != 0 ? strrchr(info.dli_fname, '/') : NULL;
    for (size_t i = 0; end && i < sizeof from_library / sizeof *from_library; i++)
        if (companion_lies_in(info.dli_fname, (size_t)(end - info.dli_fname), from_library[i], name,
                              path))
            return path;
    return companion_lies_in(BINDIR, strlen(BINDIR), "", name, path) ? path : name;
}

/* Passes signals on until the child has ended. */
static void companion_pass_signals(pid_t child, int signals)
{
    struct signalfd_siginfo info;
    struct pollfd fd = { .fd = signals, .events = POLLIN };
    siginfo_t ended = { .si_pid = 0 };
    while (waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           ended.si_pid == 0) {
        (void)poll(&fd, 1, -1);
        while (read(signals, &info, sizeof info) == (ssize_t)sizeof info)
            if (info.ssi_signo != SIGCHLD)
                (void)kill(child, (int)info.ssi_signo);
    }
}

static int companion_wait(pid_t child, int signals)
{
    int status = 0;
    if (signals >= 0)
        companion_pass_signals(child, signals);
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return 0; /* the program has waited for all of its children */
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int companion_run(const char *const *argv, int in, int signals)
{
    char path[PATH_MAX];
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, ends;
    pid_t child;
    sigemptyset(&none);
    sigemptyset(&ends); /* signals that are passed on, even if this process ignored them */
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    int rc = posix_spawn_file_actions_init(&files);
    if (rc)
        return -rc;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &ends);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
    if (in >= 0)
        posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
    rc = posix_spawnp(&child, companion_find(argv[0], path), &files, &attributes,
                      (char *const *)(uintptr_t)argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return rc ? -rc : companion_wait(child, signals);
}
