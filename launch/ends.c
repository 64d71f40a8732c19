/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launch/ends.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

int ends_open(struct ends *ends, int most)
{
    *ends = (struct ends){ .epoll = epoll_create1(EPOLL_CLOEXEC), .most = most };
    if (ends->epoll < 0)
        return -errno;
    ends->order = calloc((size_t)most, sizeof *ends->order);
    if (!ends->order) {
        close(ends->epoll);
        return -ENOMEM;
    }
    return 0;
}

/* EPOLLONESHOT reports each end only once. */
int ends_watch(struct ends *ends, int number, int pidfd)
{
    struct epoll_event event = { .events = EPOLLIN | EPOLLONESHOT, .data.u32 = (uint32_t)number };

    return epoll_ctl(ends->epoll, EPOLL_CTL_ADD, pidfd, &event) < 0 ? -errno : 0;
}

void ends_read(struct ends *ends)
{
    struct epoll_event event;

    while (ends->count < ends->most && epoll_wait(ends->epoll, &event, 1, 0) == 1)
        ends->order[ends->count++] = (int)event.data.u32;
}

void ends_close(struct ends *ends)
{
    close(ends->epoll);
    free(ends->order);
}
