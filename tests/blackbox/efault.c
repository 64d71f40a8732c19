/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Black box: a system call that is given a protected buffer fails with EFAULT, and hlrc_touch cures
 * it. */
#include "tests/litmus/litmus.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

const char litmus_rule[] = "system calls on shared memory";
const int litmus_nodes[] = { 2, 0 };

static void expect_efault(ssize_t rc, const char *what)
{
    expect(rc == -1 && errno == EFAULT, "%s: %zd, %s, not EFAULT", what, rc, strerror(errno));
}

void litmus_run(void)
{
    volatile unsigned char *shared = shared_bytes(4 * PAGE);
    char *at = (char *)(uintptr_t)shared, line[32] = "";
    int fds[2];
    expect(pipe(fds) == 0, "pipe: %s", strerror(errno));
    if (me == 0)
        for (int p = 0; p < 4; p++)
            memcpy(at + (unsigned)p * PAGE + PAGE - 8, "0123456789abcdef", p < 3 ? 16 : 8);
    hlrc_barrier();
    if (me == 1) {
        char *across = at + PAGE - 8; /* two pages */
        expect_efault(write(fds[1], across, 16), "write from a page that is out of date");
        expect(hlrc_touch(across, 16, 0) == 0, "hlrc_touch to read");
        expect(write(fds[1], across, 16) == 16, "write after hlrc_touch: %s", strerror(errno));
        expect_efault(read(fds[0], across, 16), "read into a page that may be read only");
        expect(hlrc_touch(across, 16, 1) == 0, "hlrc_touch to write");
        expect(write(fds[1], "hello, two pages", 16) == 16, "write: %s", strerror(errno));
        ssize_t got = read(fds[0], across, 16); /* what the failed read left or took is not told */
        expect(got > 0, "read after hlrc_touch: %s", strerror(errno));
        memcpy(across, "HELLO, TWO PAGES", 16);
    }
    hlrc_barrier();
    memcpy(line, at + PAGE - 8, 16);
    expect(strcmp(line, "HELLO, TWO PAGES") == 0, "what was read into shared memory is \"%s\"",
           line);
    memcpy(line, at + 3 * PAGE - 8, 16);
    expect(strcmp(line, "0123456789abcdef") != 0 || me < 2, "the other pages");
    hlrc_barrier();
}
