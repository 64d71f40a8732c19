/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* maps.c - see maps.h. */
#include "hlrc/crash/maps.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LINE_MAX_BYTES 4608 /* a path may have 4096 */

struct reader {
    int fd;
    size_t at, end;
    char bytes[16384];
};

static int next_byte(struct reader *r)
{
    if (r->at == r->end) {
        ssize_t got;
        do
            got = read(r->fd, r->bytes, sizeof r->bytes);
        while (got < 0 && errno == EINTR);
        if (got <= 0)
            return -1;
        r->at = 0;
        r->end = (size_t)got;
    }
    return (unsigned char)r->bytes[r->at++];
}

static bool next_line(struct reader *r, char *line)
{
    size_t len = 0;
    int byte;
    while ((byte = next_byte(r)) >= 0 && byte != '\n')
        if (len < LINE_MAX_BYTES - 1)
            line[len++] = (char)byte;
    line[len] = '\0';
    return byte >= 0 || len > 0;
}

static uint64_t hex(const char **at)
{
    uint64_t value = 0;
    for (;; ++*at) {
        unsigned digit = (unsigned char)**at;
        if (digit - '0' < 10)
            value = value * 16 + (digit - '0');
        else if (digit - 'a' < 6)
            value = value * 16 + (digit - 'a' + 10);
        else
            return value;
    }
}

/* "start-end rwxp offset device inode   name" */
static void parse(const char *line, struct mapping *out)
{
    const char *at = line;
    out->start = hex(&at);
    at += *at == '-';
    out->end = hex(&at);
    at += *at == ' ';
    out->readable = at[0] == 'r';
    out->writable = at[0] && at[1] == 'w';
    out->executable = at[0] && at[1] && at[2] == 'x';
    at += strcspn(at, " ");
    at += *at == ' ';
    out->offset = hex(&at);
    for (int field = 0; field < 2; field++) {
        at += strspn(at, " ");
        at += strcspn(at, " ");
    }
    at += strspn(at, " ");
    size_t len = strnlen(at, sizeof out->name - 1);
    memcpy(out->name, at, len);
    out->name[len] = '\0';
}

bool maps_walk(pid_t pid, bool (*show)(const struct mapping *mapping, void *arg), void *arg)
{
    static struct reader reader;
    static struct mapping mapping;
    static char line[LINE_MAX_BYTES];
    char path[40] = "/proc/self/maps";
    if (pid != 0)
        snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    reader.fd = open(path, O_RDONLY | O_CLOEXEC);
    if (reader.fd < 0)
        return false;
    reader.at = reader.end = 0;
    while (next_line(&reader, line)) {
        parse(line, &mapping);
        if (!show(&mapping, arg))
            break;
    }
    close(reader.fd);
    return true;
}

struct search {
    uintptr_t address, below, above;
    struct mapping *out;
    bool found;
};

static bool look(const struct mapping *mapping, void *arg)
{
    struct search *s = arg;
    if (mapping->end <= s->address) {
        s->below = mapping->end;
        return true;
    }
    s->found = mapping->start <= s->address;
    if (s->found)
        *s->out = *mapping;
    else
        s->above = mapping->start;
    return false;
}

bool maps_find(uintptr_t address, struct mapping *out, uintptr_t *below, uintptr_t *above)
{
    struct search s = { .address = address, .out = out };
    (void)maps_walk(0, look, &s);
    if (below)
        *below = s.below;
    if (above)
        *above = s.above;
    return s.found;
}
