/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* timeline_tool.c - see timeline_tool.h. */
#include "hlrc/report/timeline_tool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "base/companion.h"
#include "base/diag.h"
#include "base/limits.h"

/* Unused memory of the buffers becomes holes. */
static int timeline_tool_copy(int from, int to)
{
    off_t end = 0;
    for (off_t at; (at = lseek(from, end, SEEK_DATA)) >= 0;) {
        end = lseek(from, at, SEEK_HOLE);
        if (lseek(to, at, SEEK_SET) < 0)
            return -errno;
        while (at < end)
            if (sendfile(to, from, &at, (size_t)(end - at)) <= 0)
                return -errno;
    }
    return ftruncate(to, lseek(from, 0, SEEK_END)) < 0 ? -errno : 0;
}

static int timeline_tool_keep_node(const char *file, int node, int fd)
{
    char name[PATH_MAX + 16];
    snprintf(name, sizeof name, "%s.node%d", file, node);
    (void)unlink(name); /* not through a symbolic link of another user */
    int to = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (to < 0)
        return -errno;
    int rc = fd < 0 ? 0 : timeline_tool_copy(fd, to);
    close(to);
    return rc;
}

static int timeline_tool_keep(const char *file, const int *fd, int nodes, const char *failed,
                              const char *why)
{
    int rc = 0;
    for (int n = 0; n < nodes && rc == 0; n++)
        rc = timeline_tool_keep_node(file, n, fd[n]);
    if (rc)
        diag_warn("--trace %s: hlrc_timeline cannot be run: %s; nor can the events be written: %s",
                  file, why, strerror(-rc));
    else if (nodes == 1)
        diag_warn("--trace %s: hlrc_timeline cannot be run: %s; run: hlrc_timeline %s%s %s.node0",
                  file, why, failed, file, file);
    else
        diag_warn("--trace %s: hlrc_timeline cannot be run: %s; run: hlrc_timeline %s%s "
                  "%s.node{0..%d}",
                  file, why, failed, file, file, nodes - 1);
    return rc;
}

int timeline_tool_write(const char *file, const int *fd, int nodes, bool failed, int signals)
{
    static const char *argv[NODES_MAX + 4] = { "hlrc_timeline", "--failed" };
    static char names[NODES_MAX][32];
    const char **next = argv + (failed ? 2 : 1);
    *next++ = file;
    for (int n = 0; n < nodes; n++) {
        snprintf(names[n], sizeof names[n], fd[n] < 0 ? "/dev/null" : "/proc/self/fd/%d", fd[n]);
        if (fd[n] >= 0)
            (void)fcntl(fd[n], F_SETFD, 0); /* inherited */
        *next++ = names[n];
    }
    *next = NULL;
    int rc = companion_run(argv, -1, signals);
    if (rc < 0)
        rc = timeline_tool_keep(file, fd, nodes, failed ? "--failed " : "", strerror(-rc));
    if (rc > 128)
        diag_warn("--trace %s: signal %d (%s) has ended hlrc_timeline; the file is not complete",
                  file, rc - 128, strsignal(rc - 128));
    return rc > 128 ? rc : rc ? STATUS_OUTPUT : 0;
}
