/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lines.c - see lines.h. */
#include "hlrc/crash/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

#define ADDRESSES 64 /* at most in one call */
#define FIXED     7  /* arguments before the addresses */

static int64_t until;

void lines_begin(int seconds)
{
    until = clock_ms() + seconds * 1000;
}

/* ---- the output: an address, then pairs of a function and its file and line ---- */

struct lines_answer {
    struct lines *const *out;
    int count, at; /* index of the address; -1: before the first */
    bool named;    /* the function of a pair has been read */
};

static void lines_take_place(char *place, const char *line)
{
    const char *more = strstr(line, " (discriminator");
    size_t len = more ? (size_t)(more - line) : strlen(line);
    place[0] = '\0';
    if (line[0] == '?' || (len >= 2 && strncmp(line + len - 2, ":?", 2) == 0) ||
        (len >= 2 && strncmp(line + len - 2, ":0", 2) == 0))
        return;
    snprintf(place, LINES_PLACE, "%.*s", (int)len, line);
}

static void lines_take_line(struct lines_answer *a, const char *line)
{
    if (strncmp(line, "0x", 2) == 0) {
        a->at++;
        a->named = false;
        return;
    }
    if (a->at < 0 || a->at >= a->count)
        return;
    struct lines *l = a->out[a->at];
    if (!a->named) {
        a->named = true;
        if (l->count < LINES_INLINED && strcmp(line, "??") != 0)
            snprintf(l->of[l->count++].function, LINES_NAME, "%.*s", LINES_NAME - 1, line);
        return;
    }
    a->named = false;
    if (l->count > 0)
        lines_take_place(l->of[l->count - 1].place, line);
}

/* Reads to the end, or until time is up. */
static void lines_read_answer(int fd, struct lines_answer *a)
{
    static char line[LINES_PLACE + 32], bytes[4096];
    size_t len = 0;
    for (;;) {
        struct pollfd ready = { .fd = fd, .events = POLLIN };
        int64_t left = until - clock_ms();
        if (left <= 0 || (poll(&ready, 1, (int)left) <= 0 && errno != EINTR))
            return;
        ssize_t got = read(fd, bytes, sizeof bytes);
        if (got <= 0 && !(got < 0 && errno == EINTR))
            return;
        for (ssize_t i = 0; i < got; i++) {
            if (bytes[i] != '\n') {
                line[len] = bytes[i];
                len += len < sizeof line - 1;
                continue;
            }
            line[len] = '\0';
            len = 0;
            lines_take_line(a, line);
        }
    }
}

/* ---- the process ---- */

/* In the child, which shares this process's memory until execve. */
_Noreturn static void lines_become(char **argv, int out)
{
    static const char *const places[] = { "/usr/bin/addr2line", "/usr/local/bin/addr2line",
                                          "/bin/addr2line" };
    static char *const environment[] = { (char *)"LC_ALL=C", NULL };
    int null = open("/dev/null", O_RDWR);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0 ||
        dup2(out, STDOUT_FILENO) < 0)
        _exit(1);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        execve(places[i], argv, environment);
    _exit(127);
}

static void lines_ask(char **argv, struct lines_answer *answer)
{
    int ends[2], status;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return;
    pid_t child = vfork();
    if (child == 0)
        lines_become(argv, ends[1]);
    close(ends[1]);
    if (child > 0) {
        lines_read_answer(ends[0], answer);
        kill(child, SIGKILL); /* it has ended already, unless it takes too long */
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
    }
    close(ends[0]);
}

void lines_find(const char *file, const uint64_t *addresses, struct lines *const *out, int count)
{
    static char numbers[ADDRESSES][20];
    char *argv[FIXED + ADDRESSES + 1] = { (char *)"addr2line",    (char *)"-a", (char *)"-f",
                                          (char *)"-C",           (char *)"-i", (char *)"-e",
                                          (char *)(uintptr_t)file };
    struct lines_answer answer = { .out = out, .count = count, .at = -1 };
    for (int i = 0; i < count && i < ADDRESSES; i++) {
        snprintf(numbers[i], sizeof numbers[i], "0x%llx", (unsigned long long)addresses[i]);
        argv[FIXED + i] = numbers[i];
    }
    if (clock_ms() < until)
        lines_ask(argv, &answer);
}
