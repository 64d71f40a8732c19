/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hlrcrun: start the nodes of a job on this machine, and see them to their end.
 *
 * Everything that can be wrong with the command line is found here, before there are nodes that
 * could each complain of it. The job itself is in job.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fabric/fabric.h"
#include "launch/hosts.h"
#include "launch/job.h"
#include "launch/manual.h"
#include "launch/options.h"
#include "launch/program.h"

enum { EXIT_USAGE = 2, EXIT_NO_ACCESS = 126, EXIT_NO_PROGRAM = 127 };

/* Descriptors of hlrcrun: pipes, sockets and pidfds of each node, and some of its own. */
enum { FILES_PER_NODE = 6, FILES_MORE = 32 };

__attribute__((format(printf, 2, 3))) _Noreturn static void give_up(int status, const char *fmt,
                                                                    ...)
{
    va_list args;

    fprintf(stderr, "hlrcrun: ");
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fprintf(stderr, "\n");
    exit(status);
}

static void help_print(void)
{
    printf("Usage: hlrcrun -n N [options] [--] program [arguments]\n"
           "Start N nodes of a program that shares memory by HLRC, on this machine.\n\n");
    config_help(stdout);
    printf("  -h, --help\n        this text\n  -V, --version\n        the version\n"
           "      --man\n        the manual page, for man -l -\n\n"
           "The exit status is that of the first node that failed, 128 + N for signal N; 126 or "
           "127 if the program\n"
           "cannot be run or is not there, 2 if the command line is wrong.\n");
}

/* Descriptors 0, 1 and 2 must be something, or a pipe of ours would take their place. */
static void standard_files(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY) < 0)
            exit(1);
}

static void files_limit(struct spawn *spawn, int nodes)
{
    rlim_t needed = (rlim_t)(nodes * FILES_PER_NODE + FILES_MORE);
    struct rlimit limit;

    getrlimit(RLIMIT_NOFILE, &spawn->files);
    limit = spawn->files;
    if (limit.rlim_cur >= needed)
        return;
    limit.rlim_cur = needed;
    if (limit.rlim_max < needed || setrlimit(RLIMIT_NOFILE, &limit) < 0)
        give_up(1, "--nodes %d: needs %llu open files, the limit is %llu; raise it (ulimit -n)",
                nodes, (unsigned long long)needed, (unsigned long long)limit.rlim_max);
}

/*
 * SIGINT and SIGTERM end a job even if they came ignored, as they do to a background process of a
 * script; nohup's SIGHUP does not. Under --gdb the terminal's SIGINT is for the debugger: hlrcrun
 * and, by inheritance, the other nodes ignore it.
 */
static int job_signals(struct spawn *spawn, bool debugger)
{
    struct sigaction action = { .sa_handler = SIG_IGN };
    struct sigaction hangup;
    sigset_t mask;

    sigemptyset(&mask);
    sigaddset(&mask, SIGTERM);
    sigaddset(&mask, SIGQUIT);
    sigaddset(&mask, SIGUSR1);
    sigaddset(&mask, SIGUSR2);
    sigaddset(&mask, SIGCHLD);
    if (debugger)
        sigaction(SIGINT, &action, NULL);
    else
        sigaddset(&mask, SIGINT);
    sigaction(SIGHUP, NULL, &hangup);
    if (hangup.sa_handler != SIG_IGN)
        sigaddset(&mask, SIGHUP);
    sigaction(SIGPIPE, &action, &spawn->pipe_action);
    /* a parent's ignored SIGCHLD would take the nodes' statuses away */
    action.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &action, NULL);
    sigprocmask(SIG_BLOCK, &mask, &spawn->mask);
    return signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* The nodes look themselves at what depends on their machine. */
_Noreturn static void hand_over(const struct config *cfg, char **argv)
{
    char err[CONFIG_ERROR_MAX];
    int ret = hosts_hand_over(cfg, argv, err, sizeof err);

    give_up(ret == -ENOENT ? EXIT_NO_PROGRAM : EXIT_USAGE, "%s", err);
}

/* Fills cfg and returns the index of the program, or ends hlrcrun. */
static int command_line(int argc, char **argv, struct config *cfg)
{
    char err[CONFIG_ERROR_MAX];
    struct options options;
    config_ask_fabrics(fabric_probe);
    int ret = options_parse(argc, argv, cfg, &options, err, sizeof err);

    if (ret == 0 && options.help)
        help_print();
    else if (ret == 0 && options.version)
        printf("hlrcrun %s\n", PACKAGE_VERSION);
    else if (ret == 0 && options.man)
        manual_hlrcrun(stdout);
    if (ret == 0 && (options.help || options.version || options.man))
        exit(fflush(stdout) == 0 ? 0 : 1);
    if (ret == 0 && cfg->hosts[0] != '\0' && options.rest < argc)
        hand_over(cfg, argv + options.rest);
    if (ret == 0)
        ret = config_resolve(cfg, err, sizeof err);
    if (ret == 0)
        ret = config_check_job(cfg, err, sizeof err);
    if (ret < 0)
        give_up(EXIT_USAGE, "%s", err);
    if (options.rest >= argc)
        give_up(EXIT_USAGE, "no program is given; hlrcrun -n N [options] program [arguments]");
    ret = config_check_memory(cfg, err, sizeof err);
    if (ret < 0)
        give_up(EXIT_USAGE, "%s", err);
    if (ret == MEMORY_MAY_NOT_FIT)
        fprintf(stderr, "hlrcrun: %s\n", err);
    return options.rest;
}

/* A hlrcrun that a node's script runs begins a job of its own. */
static void outer_job_forget(void)
{
    if (getenv("HLRC_LAUNCH_FD") == NULL)
        return;
    unsetenv("HLRC_LAUNCH_FD");
    unsetenv("HLRC_NODE");
    unsetenv("HLRC_NODES");
}

/* The nodes write to pipes and cannot see what is behind them; --progress has the one line to
 * itself. */
static void terminal_export(const struct config *cfg)
{
    if (isatty(STDERR_FILENO) == 1 && !cfg->progress)
        setenv("HLRC_TERMINAL", "1", 1);
    else
        unsetenv("HLRC_TERMINAL");
}

int main(int argc, char **argv)
{
    static struct config cfg;
    static struct job job;
    char path[PATH_MAX], err[CONFIG_ERROR_MAX + 256];
    int first, ret;

    standard_files();
    outer_job_forget();
    first = command_line(argc, argv, &cfg);
    ret = program_find(argv[first], path, sizeof path, err, sizeof err);
    if (ret < 0)
        give_up(ret == -ENOENT ? EXIT_NO_PROGRAM : EXIT_NO_ACCESS, "%s", err);
    if (config_export(&cfg) < 0)
        give_up(1, "cannot set the environment: %s", strerror(errno));
    terminal_export(&cfg);
    files_limit(&job.spawn, cfg.nodes);
    job.config = &cfg;
    job.spawn.config = &cfg;
    job.spawn.path = path;
    job.spawn.argv = argv + first;
    job.signal_fd = job_signals(&job.spawn, cfg.gdb >= 0);
    if (job.signal_fd < 0)
        give_up(1, "cannot receive signals: %s", strerror(errno));
    return job_run(&job);
}
