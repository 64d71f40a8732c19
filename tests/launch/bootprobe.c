/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A node without an engine: what the launcher's tests need of boot.h, diag.h and monitor.h.
 *
 *   bootprobe exchange LEN ROUNDS      exchange and check blobs of LEN bytes, with threads sending
 *                                      progress meanwhile
 *   bootprobe wait                     say HELLO, meet the others, print "ready PID", sleep for
 *                                      ever
 *   bootprobe NODE ACTION [ARGUMENT]   the others wait in an exchange, and node NODE does ACTION:
 *       exit STATUS, kill SIGNAL, leave (exit 0 without goodbye), silent (exit 0 without HELLO),
 *       report STATUS, fatal STATUS, quit STATUS, segv (report, then die of SIGSEGV),
 *       mix (another length of blob), linger STATUS (report, make the file HLRCTEST_FILE a while
 *       later, then die of signal STATUS - 128)
 *   bootprobe progress [SECONDS]       send counters for two seconds, or SECONDS
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/config.h"
#include "base/diag.h"
#include "boot/boot.h"
#include "boot/monitor.h"

static struct boot *boot;
static atomic_bool done;
static _Atomic uint64_t ticks;

static void fill(struct boot_counters *counters)
{
    uint64_t now = atomic_fetch_add(&ticks, 1);

    *counters =
        (struct boot_counters){ .faults = 1000 * now, .bytes = 4096 * 1000 * now, .barriers = now };
}

static void report_progress(void)
{
    struct boot_counters counters;

    fill(&counters);
    boot_progress(boot, &counters);
}

/* As hlrc_init() begins. */
static void open_boot(void)
{
    static struct config config;
    static const struct monitor_duty duty = { 100, report_progress };
    char err[CONFIG_ERROR_MAX];

    if (boot_open(&boot) < 0)
        exit(1);
    boot_speak(boot);
    if (config_load(&config, err, sizeof err) < 0)
        diag_fatal(1, "%s", err);
    if (monitor_start(boot, &duty, 1, NULL, NULL) < 0)
        exit(1);
}

static void close_boot(void)
{
    monitor_stop();
    boot_goodbye(boot);
    boot_speak(NULL);
    boot_close(boot);
}

static void check_exchange(size_t len, int round)
{
    size_t nodes = (size_t)boot_nodes(boot);
    unsigned char *mine = malloc(len + 1), *all = malloc(nodes * len + 1);
    int err;

    if (mine == NULL || all == NULL)
        diag_fatal(1, "no memory for %zu bytes", len);
    for (size_t i = 0; i < len; i++)
        mine[i] = (unsigned char)(i * 7 + (size_t)boot_node(boot) * 31 + (size_t)round);
    err = boot_exchange(boot, mine, len, all);
    if (err < 0)
        diag_fatal(1, "exchange of %zu bytes: %s", len, strerror(-err));
    for (size_t node = 0; node < nodes; node++)
        for (size_t i = 0; i < len; i++)
            if (all[node * len + i] != (unsigned char)(i * 7 + node * 31 + (size_t)round))
                diag_fatal(1, "round %d: byte %zu of node %zu is wrong", round, i, node);
    free(mine);
    free(all);
}

static void *progress_main(void *unused)
{
    while (!atomic_load(&done)) {
        struct boot_counters counters;

        fill(&counters);
        boot_progress(boot, &counters);
        nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
    }
    return unused;
}

static void do_exchange(size_t len, int rounds)
{
    pthread_t thread;

    open_boot();
    if (pthread_create(&thread, NULL, progress_main, NULL) != 0)
        exit(1);
    for (int round = 0; round < rounds; round++)
        check_exchange(len, round);
    atomic_store(&done, true);
    pthread_join(thread, NULL);
    close_boot();
}

static void do_wait(void)
{
    open_boot();
    check_exchange(16, 0);
    printf("ready %d %d\n", boot_node(boot), (int)getpid());
    fflush(stdout);
    for (;;)
        pause();
}

/* As long as a core dump takes; then a file shows that nobody ended it meanwhile. */
static void linger(int status)
{
    const char *name = getenv("HLRCTEST_FILE");
    FILE *file;

    diag_report(status, "something signalled");
    nanosleep(&(struct timespec){ .tv_nsec = 200000000 }, NULL);
    file = name != NULL ? fopen(name, "we") : NULL;
    if (file != NULL)
        fclose(file);
    raise(status - 128);
}

static void act(const char *action, int argument)
{
    if (strcmp(action, "exit") == 0)
        exit(argument);
    if (strcmp(action, "kill") == 0)
        raise(argument);
    if (strcmp(action, "leave") == 0)
        exit(0);
    if (strcmp(action, "report") == 0)
        diag_report(argument, "something\nwent wrong at %d", boot_node(boot));
    if (strcmp(action, "fatal") == 0)
        diag_fatal(argument, "something fatal happened");
    if (strcmp(action, "quit") == 0) {
        (void)boot_quit(boot, argument);
        _exit(argument);
    }
    if (strcmp(action, "segv") == 0) {
        diag_report(139, "SIGSEGV at 0x10: not shared memory");
        raise(SIGSEGV);
    }
    if (strcmp(action, "linger") == 0)
        linger(argument);
    if (strcmp(action, "mix") == 0)
        check_exchange(17, 1);
    for (;;)
        pause();
}

static void do_action(int node, const char *action, int argument)
{
    const char *me = getenv("HLRC_NODE");

    if (strcmp(action, "silent") == 0 && me != NULL && atoi(me) == node)
        exit(0);
    open_boot();
    if (strcmp(action, "silent") != 0)
        check_exchange(16, 0);
    if (boot_node(boot) == node)
        act(action, argument);
    check_exchange(16, 1);
    close_boot();
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "exchange") == 0) {
        do_exchange((size_t)atol(argv[2]), atoi(argv[3]));
    } else if (argc == 2 && strcmp(argv[1], "wait") == 0) {
        do_wait();
    } else if (argc >= 2 && strcmp(argv[1], "progress") == 0) {
        open_boot();
        nanosleep(&(struct timespec){ .tv_sec = argc > 2 ? atoi(argv[2]) : 2 }, NULL);
        close_boot();
    } else if (argc >= 3) {
        do_action(atoi(argv[1]), argv[2], argc > 3 ? atoi(argv[3]) : 0);
    } else {
        return 2;
    }
    return 0;
}
