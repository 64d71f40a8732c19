/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launch/hosts_watch.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

#define WATCH_PORT "9" /* discard */

static void hosts_watch_resolve(struct hosts_watch_host *host, const char *name)
{
    const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV };
    struct addrinfo *found = NULL;

    *host = (struct hosts_watch_host){ .fd = -1 };
    if (getaddrinfo(name, WATCH_PORT, &hints, &found) != 0)
        return;
    if (found->ai_addrlen <= sizeof host->address) {
        memcpy(&host->address, found->ai_addr, found->ai_addrlen);
        host->len = found->ai_addrlen;
    }
    freeaddrinfo(found);
}

static bool hosts_watch_is_answer(int error)
{
    return error == 0 || error == ECONNREFUSED || error == ECONNRESET;
}

/* The answer to the last request, if it has arrived. */
static void hosts_watch_hear(struct hosts_watch_host *host, int64_t now)
{
    struct pollfd ready = { .fd = host->fd, .events = POLLOUT };
    int error = ETIMEDOUT;
    socklen_t len = sizeof error;

    if (host->fd < 0)
        return;
    if (poll(&ready, 1, 0) > 0 && getsockopt(host->fd, SOL_SOCKET, SO_ERROR, &error, &len) == 0 &&
        hosts_watch_is_answer(error))
        host->heard = now;
    close(host->fd);
    host->fd = -1;
}

static void hosts_watch_request(struct hosts_watch_host *host, int64_t now)
{
    host->fd = socket(host->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (host->fd < 0)
        return;
    int ret = connect(host->fd, (const struct sockaddr *)&host->address, host->len);
    if (ret == 0 || errno == EINPROGRESS)
        return;
    if (hosts_watch_is_answer(errno))
        host->heard = now;
    close(host->fd);
    host->fd = -1;
}

void hosts_watch_begin(struct hosts_watch *watch, const struct hosts_list *hosts,
                       const struct config *cfg)
{
    int nodes = cfg->nodes;

    watch->silent_ms = 1000 * (int64_t)cfg->peer_timeout + WATCH_MORE_MS;
    memset(watch->silent, 0, sizeof watch->silent);
    watch->next = clock_ms();
    watch->count = 0;
    for (int i = 0; i < hosts->count && nodes > 0; nodes -= hosts->host[i++].nodes)
        hosts_watch_resolve(&watch->host[watch->count++], hosts->host[i].name);
}

bool hosts_watch_proceed(struct hosts_watch *watch, int64_t now)
{
    bool any = false;

    if (now < watch->next)
        return false;
    watch->next = now + WATCH_TICK_MS;
    for (int i = 0; i < watch->count; i++) {
        struct hosts_watch_host *host = &watch->host[i];

        if (host->len == 0)
            continue;
        hosts_watch_hear(host, now);
        watch->silent[i] = host->heard > 0 && now - host->heard >= watch->silent_ms;
        any = any || watch->silent[i];
        hosts_watch_request(host, now);
    }
    return any;
}

void hosts_watch_end(struct hosts_watch *watch)
{
    for (int i = 0; i < watch->count; i++)
        if (watch->host[i].fd >= 0)
            close(watch->host[i].fd);
    watch->count = 0;
}
