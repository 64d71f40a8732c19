/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The wire-up by the program: a function that gathers bytes of all nodes, such as an MPI_Allgather
 * of a communicator (hlrc_init_with).
 *
 *   - Nodes of one host watch each other's process. A thread sleeps in poll() and ends this one
 *     when another ends before its hlrc_finalize. The lowest node that is left writes the line.
 *   - Nodes of other hosts are left to the program's own launcher, and to the fabric.
 *   - A node stops watching before the last exchange, after which another may end.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/limits.h"
#include "base/procfs.h"
#include "base/quiet_thread.h"
#include "base/tasks.h"
#include "boot/boot_backend.h"

#define HOST_ID "/proc/sys/kernel/random/boot_id"

/* How long a node that reports lets others fail for the same reason; they say nothing. */
enum { SPEAKER_MS = 200 };

/* What each node tells about itself. */
struct boot_user_node {
    char host[64];  /* empty: unknown */
    char space[32]; /* of process numbers */
    int pid;
};

struct boot_user {
    struct boot head;
    int (*gather)(const void *mine, size_t bytes, void *all, void *arg);
    void *arg;
    pthread_t watcher;
    bool watches;
    int stop[2];                   /* a pipe: written to end the watcher */
    struct pollfd fds[NODES_MAX];  /* of the processes of this host; and the pipe's end */
    int node_of[NODES_MAX], count; /* which nodes they are */
    struct boot_user_node nodes[NODES_MAX];
};

static atomic_bool leaving; /* this node finalizes, or ends the job itself */

static struct boot_user *boot_user_of(struct boot *boot)
{
    return (struct boot_user *)boot;
}

static int boot_user_exchange(struct boot *boot, const void *mine, size_t len, void *all)
{
    struct boot_user *u = boot_user_of(boot);
    char none = 0, nothing[NODES_MAX];
    int err = len > 0 ? u->gather(mine, len, all, u->arg) : u->gather(&none, 1, nothing, u->arg);

    if (err == 0)
        return 0;
    diag_report(1, "the exchange of hlrc_init_with returned %d; it gathers the bytes of all nodes",
                err);
    return -ECONNRESET;
}

/* ---- the other processes of this host ---- */

/* The process has ended: the lowest node of the host that is left says so. */
static void boot_user_end(const struct boot_user *u, int dead)
{
    int speaker = u->head.node;

    for (int i = 0; i < u->count; i++)
        if (u->node_of[i] < speaker && u->node_of[i] != dead)
            speaker = u->node_of[i];
    if (atomic_exchange(&leaving, true))
        return;
    if (speaker == u->head.node)
        diag_warn("node %d (pid %d) ended before hlrc_finalize; ending the job", dead,
                  u->nodes[dead].pid);
    _exit(1);
}

static void *boot_user_watch(void *arg)
{
    struct boot_user *u = arg;

    for (;;) {
        if (poll(u->fds, (nfds_t)u->count + 1, -1) < 0 && errno != EINTR)
            return NULL;
        if (u->fds[u->count].revents != 0)
            return NULL;
        for (int i = 0; i < u->count; i++)
            if (u->fds[i].revents != 0)
                boot_user_end(u, u->node_of[i]);
        if (atomic_load(&leaving))
            return NULL;
    }
}

static struct boot_user_node boot_user_describe(void)
{
    struct boot_user_node node = { .pid = (int)getpid() };
    ssize_t n = readlink("/proc/self/ns/pid", node.space, sizeof node.space - 1);

    node.space[n > 0 ? n : 0] = '\0';
    if (procfs_read(HOST_ID, node.host, sizeof node.host) <= 0)
        node.host[0] = '\0';
    return node;
}

static bool boot_user_is_near(const struct boot_user_node *a, const struct boot_user_node *b)
{
    return a->host[0] && a->space[0] && strcmp(a->host, b->host) == 0 &&
           strcmp(a->space, b->space) == 0;
}

static int boot_user_watch_start(struct boot_user *u)
{
    struct boot_user_node mine = boot_user_describe();
    int err = boot_user_exchange(&u->head, &mine, sizeof mine, u->nodes);

    if (err != 0 || pipe2(u->stop, O_CLOEXEC) < 0)
        return err != 0 ? err : -errno;
    for (int n = 0; n < u->head.nodes; n++) {
        if (n == u->head.node || !boot_user_is_near(&mine, &u->nodes[n]))
            continue;
        int fd = (int)syscall(SYS_pidfd_open, u->nodes[n].pid, 0);
        if (fd < 0) /* an old kernel: only the launcher ends the job */
            continue;
        u->node_of[u->count] = n;
        u->fds[u->count++] = (struct pollfd){ .fd = fd, .events = POLLIN };
    }
    u->fds[u->count] = (struct pollfd){ .fd = u->stop[0], .events = POLLIN };
    err = u->count > 0 ? quiet_thread_create(&u->watcher, NULL, boot_user_watch, u) : 0;
    u->watches = err == 0 && u->count > 0;
    if (u->watches)
        tasks_own(1);
    return err;
}

/* ---- the end ---- */

static void boot_user_goodbye(struct boot *boot, bool finalized)
{
    (void)finalized;
    atomic_store(&leaving, true);
    (void)boot_user_exchange(boot, NULL, 0, NULL);
}

static int boot_user_quit(struct boot *boot, int status)
{
    (void)boot;
    return status == 0 ? -ENOTSUP : 0;
}

static void boot_user_report(struct boot *boot, int status, const char *line)
{
    (void)boot;
    if (!atomic_exchange(&leaving, true))
        diag_warn("%s", line);
    if (status > 128) /* a signal ends the caller, which must still dump core */
        return;
    poll(NULL, 0, SPEAKER_MS);
    _exit(status > 0 ? status : 1);
}

static void boot_user_detail(struct boot *boot, const char *line)
{
    (void)boot;
    diag_warn("%s", line);
}

static void boot_user_close(struct boot *boot)
{
    struct boot_user *u = boot_user_of(boot);

    if (u->watches) {
        char end = 0;
        while (write(u->stop[1], &end, 1) < 0 && errno == EINTR)
            ;
        pthread_join(u->watcher, NULL);
    }
    for (int i = 0; i < u->count; i++)
        close(u->fds[i].fd);
    close(u->stop[0]);
    close(u->stop[1]);
    close(boot->fd);
    free(u);
}

static const struct boot_ops user_ops = {
    .launcher = BOOT_OTHER,
    .exchange = boot_user_exchange,
    .goodbye = boot_user_goodbye,
    .quit = boot_user_quit,
    .report = boot_user_report,
    .detail = boot_user_detail,
    .close = boot_user_close,
};

int boot_open_by(struct boot **out, int node, int nodes,
                 int (*gather)(const void *mine, size_t bytes, void *all, void *arg), void *arg)
{
    struct boot_user *u = calloc(1, sizeof *u);
    int err, ends[2];

    boot_mark_environment();
    if (u == NULL) {
        diag_warn("out of memory at start");
        return -ENOMEM;
    }
    u->head = (struct boot){ .ops = &user_ops, .node = node, .nodes = nodes };
    u->gather = gather;
    u->arg = arg;
    /* never hangs up: the write end stays open as long as this process */
    err = pipe2(ends, O_CLOEXEC) < 0 ? -errno : 0;
    if (err == 0) {
        u->head.fd = ends[0];
        err = boot_user_watch_start(u);
    }
    if (err != 0) {
        diag_warn("node %d: starting the wire-up of hlrc_init_with: %s", node, strerror(-err));
        free(u);
        return err;
    }
    *out = &u->head;
    return 0;
}
