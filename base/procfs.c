/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* procfs.c - see procfs.h. */
#include "base/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static ssize_t procfs_read_again(int fd, char *to, size_t room)
{
    ssize_t got;
    do
        got = read(fd, to, room);
    while (got < 0 && errno == EINTR);
    return got < 0 ? -errno : got;
}

ssize_t procfs_read(const char *path, char *text, size_t room)
{
    size_t used = 0;
    ssize_t got;
    *text = '\0';
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    while ((got = procfs_read_again(fd, text + used, room - 1 - used)) > 0)
        used += (size_t)got;
    close(fd);
    text[got < 0 ? 0 : used] = '\0';
    return got < 0 ? got : (ssize_t)used;
}

ssize_t procfs_program(char *path, size_t room)
{
    ssize_t len = readlink("/proc/self/exe", path, room - 1);
    path[len > 0 ? len : 0] = '\0';
    return len < 0 ? -errno : len;
}

/* ---- numbers ---- */

static bool procfs_is_digit(char c, unsigned base)
{
    return (c >= '0' && c <= '9') || (base == 16 && c >= 'a' && c <= 'f');
}

/* UINT64_MAX if it is larger. */
static uint64_t procfs_take_number(const char **at, unsigned base)
{
    uint64_t value = 0;
    bool large = false;
    for (; procfs_is_digit(**at, base); ++*at) {
        unsigned digit = (unsigned)(**at <= '9' ? **at - '0' : **at - 'a' + 10);
        large |= __builtin_mul_overflow(value, base, &value) ||
                 __builtin_add_overflow(value, digit, &value);
    }
    return large ? UINT64_MAX : value;
}

static uint64_t procfs_number_or(const char *text, uint64_t otherwise)
{
    return text && procfs_is_digit(*text, 10) ? procfs_take_number(&text, 10) : otherwise;
}

uint64_t procfs_number(const char *path, uint64_t otherwise)
{
    char text[32];
    (void)procfs_read(path, text, sizeof text);
    return procfs_number_or(text, otherwise);
}

const char *procfs_find(const char *text, const char *key)
{
    size_t len = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, len) == 0 && line[len] && strchr(": \t", line[len]))
            return line + len + strspn(line + len, ": \t");
    }
    return NULL;
}

uint64_t procfs_value(const char *text, const char *key, uint64_t otherwise)
{
    return procfs_number_or(procfs_find(text, key), otherwise);
}

const char *procfs_stat_field(const char *text, int field)
{
    const char *at = strrchr(text, ')'); /* PS1 */
    for (int n = 2; at && n < field; n++)
        at = strchr(at + 1, ' ');
    return at ? at + 1 : NULL;
}

/* ---- mappings ---- */

static bool procfs_maps_open_path(struct procfs_maps *m, const char *path, bool used)
{
    m->at = m->end = 0;
    m->skips = false;
    m->used = used;
    m->fd = open(path, O_RDONLY | O_CLOEXEC);
    m->error = m->fd < 0 ? -errno : 0;
    return m->fd >= 0;
}

bool procfs_maps_open(struct procfs_maps *m, pid_t pid)
{
    char path[40] = "/proc/self/maps";
    if (pid)
        snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    return procfs_maps_open_path(m, path, false);
}

bool procfs_maps_open_used(struct procfs_maps *m)
{
    return procfs_maps_open_path(m, "/proc/self/smaps", true);
}

void procfs_maps_close(struct procfs_maps *m)
{
    close(m->fd);
}

/* Moves the begun line to the front and reads more behind it. False at the end. */
static bool procfs_fill(struct procfs_maps *m)
{
    m->end -= m->at;
    memmove(m->text, m->text + m->at, m->end);
    m->at = 0;
    ssize_t got = procfs_read_again(m->fd, m->text + m->end, sizeof m->text - 1 - m->end);
    m->error = got < 0 ? (int)got : 0;
    m->end += got > 0 ? (size_t)got : 0;
    return got > 0;
}

/* Takes a line of this length and what ends it; NULL if it is the rest of one that was cut off. */
static char *procfs_take_line(struct procfs_maps *m, size_t len, bool whole)
{
    char *line = m->text + m->at;
    bool rest = m->skips;
    line[len] = '\0';
    m->at += len + whole;
    m->skips = !whole;
    return rest ? NULL : line; /* PS2 */
}

static char *procfs_next_line(struct procfs_maps *m)
{
    for (;;) {
        size_t have = m->end - m->at;
        char *begin = m->text + m->at, *stop = memchr(begin, '\n', have), *line = NULL;
        if (stop)
            line = procfs_take_line(m, (size_t)(stop - begin), true);
        else if (have == sizeof m->text - 1)
            line = procfs_take_line(m, have, false);
        else if (!procfs_fill(m))
            return NULL;
        if (line)
            return line;
    }
}

static uint64_t procfs_take_field(const char **at, unsigned base, char after)
{
    uint64_t value = procfs_take_number(at, base);
    *at += **at == after;
    return value;
}

static bool procfs_take_letter(const char **at, char letter)
{
    bool same = **at == letter;
    *at += **at != '\0';
    return same;
}

/* Lines "KEY: value kB" follow a mapping; the last one is VmFlags. */
static void procfs_take_used(struct procfs_maps *m, struct procfs_map *out)
{
    const char *line;
    out->name = ""; /* the line is overwritten */
    out->used_kb = 0;
    while ((line = procfs_next_line(m)) && strncmp(line, "VmFlags:", 8) != 0)
        out->used_kb += procfs_value(line, "Rss", 0) + procfs_value(line, "Swap", 0);
}

/* "begin-end rwxp offset device inode   name" */
bool procfs_maps_next(struct procfs_maps *m, struct procfs_map *out)
{
    const char *at = procfs_next_line(m);
    if (!at)
        return false;
    out->begin = procfs_take_field(&at, 16, '-');
    out->end = procfs_take_field(&at, 16, ' ');
    out->readable = procfs_take_letter(&at, 'r');
    out->writable = procfs_take_letter(&at, 'w');
    out->executable = procfs_take_letter(&at, 'x');
    out->is_shared = procfs_take_letter(&at, 's');
    at += *at == ' ';
    out->offset = procfs_take_field(&at, 16, ' ');
    at += strcspn(at, " ");
    at += *at == ' ';
    out->inode = procfs_take_number(&at, 10);
    out->name = at + strspn(at, " ");
    if (m->used)
        procfs_take_used(m, out);
    return true;
}
