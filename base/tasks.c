/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tasks.c - see tasks.h. */
#include "base/tasks.h"

#include <fcntl.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int own;

/* The system's format (getdents64). */
struct tasks_entry {
    uint64_t inode;
    int64_t offset;
    uint16_t bytes;
    unsigned char type;
    char name[];
};

void tasks_own(int more)
{
    atomic_fetch_add(&own, more);
}

static int tasks_count_entries(const char *buf, long len)
{
    int count = 0;
    for (long at = 0; at < len;) {
        const struct tasks_entry *e = (const struct tasks_entry *)(const void *)(buf + at);
        count += e->name[0] != '.';
        at += e->bytes;
    }
    return count;
}

int tasks_all(void)
{
    alignas(8) char buf[2048];
    int fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC), count = 0;
    long len = -1;
    if (fd < 0)
        return -1;
    while ((len = syscall(SYS_getdents64, fd, buf, sizeof buf)) > 0)
        count += tasks_count_entries(buf, len);
    close(fd);
    return len == 0 && count > 0 ? count : -1;
}

int tasks_others(void)
{
    int all = tasks_all();
    return all < 0 ? -1 : all - atomic_load(&own);
}
