/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launch/debugger.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/procfs.h"
#include "launch/job.h"

#define WAIT_MS     20
#define COMMAND_MAX (PATH_MAX + 100)

extern char **environ;

const char *debugger_script(char *path, size_t len)
{
    static const char *const places[] = { "/../share/hlrc/hlrc.gdb", "/share/hlrc.gdb" };
    char self[PATH_MAX];
    (void)procfs_program(self, sizeof self);
    const char *name = strrchr(self, '/');

    for (size_t i = 0; name != NULL && i < sizeof places / sizeof *places; i++) {
        snprintf(path, len, "%.*s%s", (int)(name - self), self, places[i]);
        if (access(path, R_OK) == 0)
            return path;
    }
    snprintf(path, len, "%s", PKGDATADIR "/hlrc.gdb");
    return access(path, R_OK) == 0 ? path : "/dev/null";
}

static bool debugger_is_attached(void)
{
    char text[4096];

    return procfs_read("/proc/self/status", text, sizeof text) > 0 &&
           procfs_value(text, "TracerPid", 0) != 0;
}

/* gdb is no ancestor of this process, which some systems require otherwise. */
void debugger_child_wait(void)
{
    (void)prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    while (!debugger_is_attached())
        (void)poll(NULL, 0, WAIT_MS);
}

/* gdb stops again where the program begins. */
static void debugger_command(pid_t pid, char *buf, size_t len)
{
    char script[PATH_MAX + 32];

    snprintf(buf, len,
             "gdb -q -iex 'set pagination off' -p %d -ex 'tcatch exec' -ex continue -x '%s' "
             "-ex 'set pagination on'",
             (int)pid, debugger_script(script, sizeof script));
}

static int debugger_tmux(const struct job *job, char *const *argv)
{
    posix_spawnattr_t attr;
    pid_t pid;
    int status = -1;

    if (posix_spawnattr_init(&attr) != 0)
        return -1;
    (void)posix_spawnattr_setsigmask(&attr, &job->spawn.mask);
    (void)posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
    if (posix_spawnp(&pid, "tmux", NULL, &attr, argv, environ) == 0)
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
    posix_spawnattr_destroy(&attr);
    return status;
}

/* A window of tmux with a pane for each node. false: there is none. */
static bool debugger_panes(const struct job *job)
{
    static char command[DEBUGGER_PANES][COMMAND_MAX];
    char *argv[6 * DEBUGGER_PANES + 1];
    size_t n = 0;

    if (getenv("TMUX") == NULL || job->config->nodes > DEBUGGER_PANES)
        return false;
    argv[n++] = "tmux";
    for (int i = 0; i < job->config->nodes; i++) {
        debugger_command(job->nodes[i].pid, command[i], sizeof command[i]);
        argv[n++] = i == 0 ? "new-window" : "split-window";
        argv[n++] = command[i];
        argv[n++] = ";";
        argv[n++] = "select-layout";
        argv[n++] = "tiled";
        argv[n++] = ";";
    }
    argv[n - 1] = NULL;
    return debugger_tmux(job, argv) == 0;
}

void debugger_attach(struct job *job)
{
    char command[COMMAND_MAX];

    if (debugger_panes(job))
        return;
    for (int i = 0; i < job->config->nodes; i++) {
        debugger_command(job->nodes[i].pid, command, sizeof command);
        job_say(job, "hlrcrun: node %d waits for: %s", i, command);
    }
}
