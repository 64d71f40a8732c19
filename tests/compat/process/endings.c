/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How programs end whose threads on other nodes register functions for the end, or end it. */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "common.h"

static const char *how;
static int ends[2];

static void at_end(void)
{
    printf("at the end\n");
}

static void later(void)
{
    printf("before that\n");
}

static void quickly(void)
{
    fflush(stdout);
    printf("quickly\n");
    fflush(stdout);
}

static void *registers(void *arg)
{
    printf("atexit %d, at_quick_exit %d\n", atexit(arg ? later : at_end), at_quick_exit(quickly));
    return arg;
}

static void *ends_job(void *arg)
{
    printf("thread ends it by %s, ", how);
    if (strcmp(how, "exit") == 0)
        exit(5);
    if (strcmp(how, "quick_exit") == 0)
        quick_exit(6);
    if (strcmp(how, "_exit") == 0)
        _exit(7); /* what is not written yet is lost */
    fflush(stdout);
    if (strcmp(how, "exec") == 0)
        execlp("sh", "sh", "-c", "echo executed; exit 8", (char *)NULL);
    return arg;
}

static void *blocks(void *arg)
{
    char c;
    return read(ends[0], &c, 1) == 1 ? arg : NULL;
}

static void on_signal(int sig)
{
    (void)sig;
    exit(9);
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    if (argc < 3 || chdir(argv[1]) != 0 || pipe(ends) != 0)
        return 2;
    how = argv[2];
    run_in(registers, NULL);
    run_in(registers, &how);
    if (strcmp(how, "return") == 0)
        return 4;
    if (strcmp(how, "signal") == 0) {
        signal(SIGTERM, on_signal);
        kill(getpid(), SIGTERM);
        for (;;)
            pause();
    }
    pthread_create(&t[0], NULL, blocks, NULL);
    pthread_create(&t[1], NULL, blocks, NULL);
    if (strcmp(how, "main") == 0) {
        usleep(100000);
        exit(3);
    }
    run_everywhere(ends_job);
    return 1;
}
