/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hlrcrun: starts the nodes of a job on this machine and waits for their end. command.c reads the
 * command line, job.c runs the job.
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

#include "base/outfile.h"
#include "base/procfs.h"
#include "launch/aliases.h"
#include "launch/bind.h"
#include "launch/command.h"
#include "launch/hosts.h"
#include "launch/hosts_job.h"
#include "launch/job.h"
#include "launch/manual.h"
#include "launch/partner_hosts.h"
#include "launch/rerun.h"
#include "launch/resize.h"

__attribute__((format(printf, 2, 3))) _Noreturn static void hlrcrun_give_up(int status,
                                                                            const char *fmt, ...)
{
    va_list args;

    fprintf(stderr, "hlrcrun: ");
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fprintf(stderr, "\n");
    exit(status);
}

static void hlrcrun_help_print(void)
{
    printf("Usage: hlrcrun -n N [options] [--] program [arguments]\n"
           "Start N nodes of a program that shares memory with HLRC, on this machine.\n\n");
    config_help(stdout);
    printf("  -h, --help\n        this text\n  -V, --version\n        the version\n"
           "      --man\n        the manual page, for man -l -\n"
           "      --resize=N [PID]\n        continue the running job of the hlrcrun PID with N "
           "nodes\n");
    aliases_alias_help(stdout);
    printf("\nSIGQUIT (Ctrl-\\) prints what each thread of the job waits for.\n\n"
           "Exit status: that of the first node that failed, 128 + N for signal N; 66 if\n"
           "--check races found races; 74 if an output file was not written; 85 if the job\n"
           "can be continued (--restart); 123 for a deadlock; 124 if --timeout expired; 126\n"
           "if the program cannot be executed; 127 if it does not exist; 2 if the command\n"
           "line is wrong.\n");
}

/* Opens descriptors 0, 1 and 2 if they are closed; otherwise our pipes would get these numbers. */
static void hlrcrun_standard_files(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY) < 0)
            exit(1);
}

static void hlrcrun_files_limit(struct spawn *spawn, int nodes)
{
    rlim_t needed = spawn_files_needed(nodes);
    rlim_t liked = needed + CORES_MAX; /* for claims, which are optional */
    struct rlimit limit;

    getrlimit(RLIMIT_NOFILE, &spawn->files);
    limit = spawn->files;
    if (limit.rlim_cur >= liked)
        return;
    limit.rlim_cur = limit.rlim_max < liked ? limit.rlim_max : liked;
    if (limit.rlim_cur < needed || setrlimit(RLIMIT_NOFILE, &limit) < 0)
        hlrcrun_give_up(
            1, "--nodes %d: needs %llu open files, the limit is %llu; raise it (ulimit -n)", nodes,
            (unsigned long long)needed, (unsigned long long)limit.rlim_max);
}

/*
 * SIGINT and SIGTERM end a job even if they were ignored at the start, as in a background process
 * of a script. SIGHUP does not if nohup made it ignored. Under --gdb the terminal's SIGINT is for
 * the debugger: hlrcrun and, by inheritance, the other nodes ignore it.
 */
static int hlrcrun_job_signals(struct spawn *spawn, bool debugger)
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
    /* if the parent ignored SIGCHLD, the nodes' exit statuses would be lost */
    action.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &action, NULL);
    sigprocmask(SIG_BLOCK, &mask, &spawn->mask);
    return signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* The guard stays over all restarts. */
static void hlrcrun_hosts_partner(struct job *job, struct command_line *line,
                                  const struct rerun *rerun)
{
    sigset_t mask = rerun->mask;

    if (!rerun->again)
        sigprocmask(SIG_SETMASK, NULL, &mask);
    snprintf(line->config.partner, sizeof line->config.partner, "%s", rerun->partner.root);
    partner_hosts_begin(&line->config, &mask);
    job->guard = rerun->guard;
    int ret = job->guard.pid > 0 ? 0 : guard_start(&job->guard, rerun->partner.root);
    if (ret < 0)
        hlrcrun_give_up(1, "cannot start the guard: %s", strerror(-ret));
}

/* The job on several hosts that is continued after a death. */
_Noreturn static void hlrcrun_hosts_supervise(struct command_line *line, struct rerun *rerun)
{
    static struct job job;
    char err[CONFIG_ERROR_MAX];

    if (rerun_start(rerun, &line->config, err, sizeof err) < 0)
        hlrcrun_give_up(EXIT_USAGE, "%s", err);
    if (rerun->partner.root[0] != '\0')
        hlrcrun_hosts_partner(&job, line, rerun);
    int status = hosts_job_run(&job, line, rerun->again ? &rerun->mask : NULL);
    exit(rerun_proceed(rerun, line, &job, status));
}

/* Executes another launcher. The nodes check themselves what depends on their machine. */
_Noreturn static void hlrcrun_hand_over(struct command_line *line, struct rerun *rerun)
{
    char err[CONFIG_ERROR_MAX];

    if (line->config.source[CONFIG_ID_restarts] != CONFIG_DEFAULT)
        hlrcrun_hosts_supervise(line, rerun);
    int ret = hosts_hand_over(&line->config, line->options.exported,
                              line->argv + line->options.rest, err, sizeof err);

    hlrcrun_give_up(ret == -ENOENT ? EXIT_NO_PROGRAM : EXIT_USAGE, "%s", err);
}

/* Handles --help, --version and similar, then exits. */
static void hlrcrun_command_line(int argc, char **argv, struct command_line *line,
                                 struct rerun *rerun)
{
    char err[CONFIG_ERROR_MAX + 256];
    int status = command_read(argc, argv, line, err, sizeof err);

    if (status != 0)
        hlrcrun_give_up(status, "%s", err);
    switch (line->wish) {
    case COMMAND_HELP:
        hlrcrun_help_print();
        break;
    case COMMAND_VERSION:
        printf("hlrcrun %s\n", PACKAGE_VERSION);
        break;
    case COMMAND_MAN:
        manual_hlrcrun(stdout);
        break;
    case COMMAND_RESIZE:
        status = resize_command(line->options.resize,
                                line->options.rest < argc ? argv[line->options.rest] : NULL, err,
                                sizeof err);
        config_one_line(err);
        if (status != 0)
            hlrcrun_give_up(status, "%s", err);
        break;
    case COMMAND_HOSTS:
        hlrcrun_hand_over(line, rerun);
    case COMMAND_JOB:
        if (line->note[0] != '\0')
            fprintf(stderr, "hlrcrun: %s\n", line->note);
        return;
    }
    if (fflush(stdout) != 0 || ferror(stdout))
        hlrcrun_give_up(1, "standard output: %s; free some room", strerror(errno));
    exit(0);
}

/* Checks the output files before the job starts, not hours later. */
static void hlrcrun_files_check(const struct config *cfg)
{
    char err[CONFIG_ERROR_MAX];

    if (outfile_try_all(cfg, true, err, sizeof err) < 0)
        hlrcrun_give_up(EXIT_USAGE, "%s", err);
}

/* A hlrcrun that is run by a node's script starts a separate job. */
static void hlrcrun_outer_job_forget(void)
{
    if (getenv("HLRC_LAUNCH_FD") == NULL)
        return;
    unsetenv("HLRC_LAUNCH_FD");
    unsetenv("HLRC_NODE");
    unsetenv("HLRC_NODES");
}

/* The nodes write to pipes: variables are set if standard error and output are terminals. With
 * --progress the progress line needs the terminal. */
static void hlrcrun_terminal_export(const struct config *cfg)
{
    if (isatty(STDERR_FILENO) == 1 && !cfg->progress)
        setenv("HLRC_TERMINAL", "1", 1);
    else
        unsetenv("HLRC_TERMINAL");
    if (isatty(STDOUT_FILENO) == 1)
        setenv("HLRC_LINES", "1", 1);
    else
        unsetenv("HLRC_LINES");
}

/* Where the nodes, and this process at the end, find the programs of tools/. */
static void hlrcrun_tools_export(void)
{
    char self[PATH_MAX];
    ssize_t len = procfs_program(self, sizeof self);
    char *name = len > 0 ? strrchr(self, '/') : NULL;

    if (name == NULL)
        return;
    *name = '\0';
    setenv("HLRC_TOOLS", self, 0);
}

/* Processors of each node, for --threads-per-node auto. */
static void hlrcrun_processors_export(const struct bind_bindings *bindings, int nodes)
{
    char number[16];

    snprintf(number, sizeof number, "%d", bind_processors(bindings, nodes));
    setenv("HLRC_PROCESSORS", number, 1);
}

int main(int argc, char **argv)
{
    static struct command_line line;
    static struct bind_bindings bindings;
    static struct job job;
    static struct rerun rerun;

    hlrcrun_standard_files();
    hlrcrun_outer_job_forget();
    rerun_begin(&rerun);
    hlrcrun_command_line(argc, argv, &line, &rerun);
    hlrcrun_files_check(&line.config);
    if (config_export(&line.config) < 0)
        hlrcrun_give_up(1, "cannot set the environment: %s", strerror(errno));
    hlrcrun_terminal_export(&line.config);
    hlrcrun_tools_export();
    hlrcrun_files_limit(&job.spawn, line.config.nodes);
    bind_plan(&bindings, &line.config);
    hlrcrun_processors_export(&bindings, line.config.nodes);
    if (line.config.report_bindings)
        bind_report(&bindings, &line.config, stderr);
    job.spawn.bindings = &bindings;
    job.config = &line.config;
    job.spawn.config = &line.config;
    job.spawn.path = line.path;
    job.spawn.argv = line.argv + line.options.rest;
    job.signal_fd = hlrcrun_job_signals(&job.spawn, line.config.gdb >= 0);
    if (job.signal_fd < 0)
        hlrcrun_give_up(1, "cannot receive signals: %s", strerror(errno));
    if (rerun.again)
        job.spawn.mask = rerun.mask;
    char err[CONFIG_ERROR_MAX];
    if (rerun_start(&rerun, &line.config, err, sizeof err) < 0)
        hlrcrun_give_up(EXIT_USAGE, "%s", err);
    job.memory = rerun.partner.root;
    job.before = rerun.guard;
    job.resize = rerun.resize;
    return rerun_proceed(&rerun, &line, &job, job_run(&job));
}
