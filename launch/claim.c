/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launch/claim.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"

enum { REFUSALS_MOST = 10 };

/* Makes a socket, and calls `use` (bind or connect) with the name. Returns its descriptor, or a
 * negative errno. */
static int claim_name_use(const char *name, int type,
                          int (*use)(int fd, const struct sockaddr *address, socklen_t size))
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    /* an abstract name begins with a zero byte */
    int len = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "%s", name);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len);

    if (fd >= 0 && use(fd, (const struct sockaddr *)&address, size) < 0) {
        int err = errno;

        close(fd);
        return -err;
    }
    return fd < 0 ? -errno : fd;
}

/* Whether a process of this user, or of root, holds the name: others may hold it for ever. */
static bool claim_lock_is_ours(const char *name, int *refusals)
{
    int fd = claim_name_use(name, SOCK_SEQPACKET, connect);
    struct ucred holder = { .uid = (uid_t)-1 };
    socklen_t size = sizeof holder;

    if (fd == -ECONNREFUSED) /* it has ended, or does not listen yet */
        return ++*refusals < REFUSALS_MOST;
    if (fd == -EAGAIN) /* so many wait */
        return true;
    if (fd < 0)
        return false;
    (void)getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &holder, &size);
    close(fd);
    return holder.uid == geteuid() || holder.uid == 0;
}

static int claim_lock_take(const struct topology *t)
{
    int64_t until = clock_ms() + CLAIM_WAIT_MS;
    char name[64];
    int fd, refusals = 0;

    snprintf(name, sizeof name, "hlrc-cores-%llx", (unsigned long long)t->identity);
    while ((fd = claim_name_use(name, SOCK_SEQPACKET, bind)) < 0 && clock_ms() < until &&
           claim_lock_is_ours(name, &refusals))
        poll(NULL, 0, 5);
    if (fd >= 0)
        (void)listen(fd, SOMAXCONN);
    return fd;
}

static int claim_first_cpu(const struct topology_core *core)
{
    int cpu = 0;

    while (!CPU_ISSET((size_t)cpu, &core->cpus))
        cpu++;
    return cpu;
}

static int claim_core_claim(const struct topology *t, int core, int level)
{
    char name[80];

    snprintf(name, sizeof name, "hlrc-core-%llx-%d-%d", (unsigned long long)t->identity,
             claim_first_cpu(&t->core[core]), level);
    return claim_name_use(name, SOCK_DGRAM, bind);
}

void claim_find(struct claim_list *claims, const struct topology *t, int wanted)
{
    claims->lock = claim_lock_take(t);
    claims->count = 0;
    for (int i = 0; i < t->cores; i++) {
        claims->free[i] = false;
        claims->fd[i] = -1;
    }
    for (int level = 0; level < CLAIM_LEVELS && claims->count < wanted; level++)
        for (int i = 0; i < t->cores; i++)
            if (!claims->free[i] && (claims->fd[i] = claim_core_claim(t, i, level)) >= 0) {
                claims->free[i] = true;
                claims->count++;
            }
    if (claims->count >= wanted)
        return;
    for (int i = 0; i < t->cores; i++) /* too few can be claimed: share all cores */
        claims->free[i] = true;
    claims->count = t->cores;
}

void claim_keep(struct claim_list *claims, const struct topology *t, const bool *used)
{
    for (int i = 0; i < t->cores; i++)
        if (!used[i] && claims->fd[i] >= 0) {
            close(claims->fd[i]);
            claims->fd[i] = -1;
        }
    if (claims->lock >= 0)
        close(claims->lock);
    claims->lock = -1;
}
