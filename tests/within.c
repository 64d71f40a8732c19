/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* within.c - timeout(1) by the clock of time_limit.h.
 *
 *   within [-k SECONDS] SECONDS COMMAND...
 *
 * Status 124 once SECONDS are over: COMMAND and its process group get SIGTERM, and SIGKILL after
 * the SECONDS of -k (default 5). Otherwise the status is COMMAND's, or 128 + its signal. Signals
 * that end a program are passed on. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/time_limit.h"

static pid_t child;
static volatile sig_atomic_t passed_on;

static void send_to_group(int sig)
{
    signal(sig, SIG_IGN); /* we are one of the group */
    kill(child, sig);
    kill(0, sig);
    kill(child, SIGCONT);
    kill(0, SIGCONT);
}

static void pass_on(int sig)
{
    passed_on = sig;
}

static void wake_up(int sig)
{
    (void)sig;
}

static void start_command(char **argv)
{
    static const int ending[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT };
    sigset_t set;
    setpgid(0, 0);
    signal(SIGCHLD, wake_up);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        signal(ending[i], pass_on);
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL); /* await_child receives it */
    child = fork();
    if (child == 0) {
        for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
            signal(ending[i], SIG_DFL);
        signal(SIGCHLD, SIG_DFL);
        sigprocmask(SIG_UNBLOCK, &set, NULL);
        execvp(argv[0], argv);
        fprintf(stderr, "within: %s: %s\n", argv[0], strerror(errno));
        _exit(errno == ENOENT ? 127 : 126);
    }
}

/* Waits for the end of COMMAND for `seconds`; false if they are over. */
static bool await_child(double seconds, int *status)
{
    struct time_limit limit;
    struct timespec moment = { 0, 100000000 };
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    time_limit_begin(&limit, child, seconds);
    bool ended;
    while (!(ended = waitpid(child, status, WNOHANG) == child) && !time_limit_exceeded(&limit)) {
        sigtimedwait(&set, NULL, &moment);
        if (passed_on)
            send_to_group(passed_on);
        passed_on = 0;
    }
    time_limit_end(&limit);
    return ended;
}

static double number(const char *text)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value > 0)) {
        fprintf(stderr, "within: %s: not a number of seconds above 0\n", text);
        exit(125);
    }
    return value;
}

int main(int argc, char **argv)
{
    double grace = 5;
    int status, at = 1;
    if (argc > 3 && strcmp(argv[1], "-k") == 0) {
        grace = number(argv[2]);
        at = 3;
    }
    if (argc < at + 2) {
        fprintf(stderr, "usage: within [-k SECONDS] SECONDS COMMAND...\n");
        return 125;
    }
    double seconds = number(argv[at]);
    start_command(argv + at + 1);
    if (child < 0) {
        perror("within: fork");
        return 125;
    }
    if (await_child(seconds, &status))
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    send_to_group(SIGTERM);
    if (!await_child(grace, &status))
        kill(0, SIGKILL); /* this process as well, as timeout(1) does; status 137 */
    return 124;
}
