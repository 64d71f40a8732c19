/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* headroom.c - see headroom.h. */
#include "base/headroom.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/config_memory.h"
#include "base/procfs.h"

#define GROUPS    16 /* nested groups at most */
#define NEAR_PART 4  /* with less than this part left, the page cache is read */

struct headroom_group {
    int64_t limit;
    int version;
    int usage, stat; /* descriptors */
};

static struct headroom_group groups[GROUPS];
static int group_count;
static int meminfo = -1;

static int headroom_open_in(const char *dir, const char *name)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

/* The file's text from its beginning; "" if it cannot be read. */
static const char *headroom_text_of(int fd, char *buf, size_t len)
{
    ssize_t n = fd >= 0 ? pread(fd, buf, len - 1, 0) : 0;
    buf[n > 0 ? n : 0] = '\0';
    return buf;
}

/* -1: "max", or empty. */
static int64_t headroom_number(const char *text)
{
    int64_t value = 0;
    if (*text < '0' || *text > '9')
        return -1;
    for (; *text >= '0' && *text <= '9' && value < INT64_MAX / 16; text++)
        value = value * 10 + (*text - '0');
    return value;
}

static int64_t headroom_value_of(const char *text, const char *key)
{
    return (int64_t)procfs_value(text, key, 0);
}

static void headroom_open_group(const char *dir, int version, void *arg)
{
    (void)arg;
    char buf[64];
    int fd = headroom_open_in(dir, version == 2 ? "memory.max" : "memory.limit_in_bytes");
    int64_t limit = headroom_number(headroom_text_of(fd, buf, sizeof buf));
    if (fd >= 0)
        close(fd);
    if (limit < 0 || limit >= INT64_MAX / 16 || group_count == GROUPS)
        return;
    struct headroom_group *g = &groups[group_count++];
    *g = (struct headroom_group){
        .limit = limit,
        .version = version,
        .usage = headroom_open_in(dir, version == 2 ? "memory.current" : "memory.usage_in_bytes"),
        .stat = headroom_open_in(dir, "memory.stat"),
    };
}

void headroom_open(const char *root)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/proc", root);
    meminfo = headroom_open_in(path, "meminfo");
    config_memory_each_group(root, "self", headroom_open_group, NULL);
}

void headroom_close(void)
{
    for (; group_count > 0; group_count--) {
        struct headroom_group *g = &groups[group_count - 1];
        if (g->usage >= 0)
            close(g->usage);
        if (g->stat >= 0)
            close(g->stat);
    }
    if (meminfo >= 0)
        close(meminfo);
    meminfo = -1;
}

bool headroom_grouped(void)
{
    return group_count > 0;
}

/* Page cache of the group and of all groups below it. */
static int64_t headroom_cached(const struct headroom_group *g)
{
    char buf[8192];
    const char *text = headroom_text_of(g->stat, buf, sizeof buf);
    if (g->version == 2)
        return headroom_value_of(text, "inactive_file") + headroom_value_of(text, "active_file");
    return headroom_value_of(text, "total_inactive_file") +
           headroom_value_of(text, "total_active_file");
}

static void headroom_lower(struct headroom *h, int64_t left, int64_t whole)
{
    if (left < h->left)
        *h = (struct headroom){ left, whole };
}

struct headroom headroom_now(void)
{
    struct headroom h = { INT64_MAX, INT64_MAX };
    char buf[4096];
    const char *text = headroom_text_of(meminfo, buf, sizeof buf);
    int64_t whole = headroom_value_of(text, "MemTotal") * 1024;
    if (whole > 0)
        headroom_lower(&h, headroom_value_of(text, "MemAvailable") * 1024, whole);
    for (int i = 0; i < group_count; i++) {
        const struct headroom_group *g = &groups[i];
        int64_t used = headroom_number(headroom_text_of(g->usage, buf, sizeof buf));
        if (used < 0)
            continue;
        if (g->limit - used < g->limit / NEAR_PART)
            used -= headroom_cached(g);
        headroom_lower(&h, g->limit - used, g->limit);
    }
    return h;
}
