/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Black box: a system call that is given a protected buffer fails with EFAULT, and hlrc_touch cures
 * it; also where another node asks in between for the pages [pages-async.first-request], or for a
 * lock that is free here and whose holder has published nothing so far [page.touched]. */
#include "tests/litmus/litmus.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

LITMUS("system calls on shared memory", 2)

static void expect_efault(ssize_t rc, const char *what)
{
    expect(rc == -1 && errno == EFAULT, "%s: %zd, %s, not EFAULT", what, rc, strerror(errno));
}

LITMUS_SET(LAZY_RELEASE, "1") /* the lock has settled at its first unlock */

#define ASKED 64 /* pages, of more than one default home */
#define LOCK  20

/* Another node's request for the lock makes this one close an interval. */
static void have_lock(volatile unsigned char *guarded)
{
    for (unsigned char k = 1; k <= 3; k++) {
        hlrc_lock(LOCK);
        *guarded = k;
        hlrc_unlock(LOCK);
    }
}

static void ask_for(char *at, volatile unsigned char *guarded)
{
    expect(hlrc_prefetch(at, ASKED * PAGE) == 0 && hlrc_touch(at, ASKED * PAGE, 0) == 0,
           "asking for pages");
    hlrc_lock(LOCK);
    expect(*guarded == 3, "under the lock: %d", *guarded);
    hlrc_unlock(LOCK);
}

static void touched_and_asked_for(const int fds[2])
{
    char *at = (char *)(uintptr_t)shared_bytes(ASKED * PAGE), line[PAGE];
    volatile unsigned char *guarded = shared_bytes(1);
    if (me == 1) /* so that each of node 0's stores is one to publish */
        place(guarded, 1, 1);
    hlrc_barrier();
    if (me == 0) {
        have_lock(guarded);
        for (int p = 0; p < ASKED; p += 2) /* the others nobody has written */
            at[p * (int)PAGE] = 'x';
        expect(hlrc_touch(at, ASKED * PAGE, 1) == 0, "hlrc_touch to write");
    }
    meet_outside();
    if (me == 1)
        ask_for(at, guarded);
    meet_outside();
    memset(line, 'y', sizeof line);
    for (int p = 0; me == 0 && p < ASKED; p++) {
        expect(write(fds[1], line, PAGE) == PAGE, "write: %s", strerror(errno));
        expect(read(fds[0], at + p * (int)PAGE, PAGE) == PAGE,
               "read into page %d, which another node has asked for since hlrc_touch: %s", p,
               strerror(errno));
    }
    hlrc_barrier();
    for (int i = 0; i < ASKED * (int)PAGE; i++)
        expect(at[i] == 'y', "byte %d is %d", i, at[i]);
}

void litmus_run(void)
{
    volatile unsigned char *shared = shared_bytes(4 * PAGE);
    char *at = (char *)(uintptr_t)shared, line[32] = "";
    int fds[2];
    expect(pipe(fds) == 0, "pipe: %s", strerror(errno));
    meet_pids();
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
    touched_and_asked_for(fds);
    hlrc_barrier();
}
