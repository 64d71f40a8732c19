/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launch/hosts_job.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "launch/hosts.h"
#include "launch/hosts_resize.h"
#include "launch/hosts_watch.h"

static const int hosts_job_signals[] = {
    SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD
};
enum { HOSTS_JOB_SIGNALS = sizeof hosts_job_signals / sizeof *hosts_job_signals };

/* Those that the parent ignores, as nohup does, stay ignored. */
static void hosts_job_signals_block(sigset_t *blocked, sigset_t *before)
{
    struct sigaction action;

    sigemptyset(blocked);
    for (size_t i = 0; i < HOSTS_JOB_SIGNALS; i++) {
        bool child = hosts_job_signals[i] == SIGCHLD;

        if (child)
            signal(SIGCHLD, SIG_DFL); /* an ignored one loses the status */
        else if (sigaction(hosts_job_signals[i], NULL, &action) == 0 &&
                 action.sa_handler == SIG_IGN)
            continue;
        sigaddset(blocked, hosts_job_signals[i]);
    }
    sigprocmask(SIG_BLOCK, blocked, before);
}

_Noreturn static void hosts_job_child(const struct command_line *line, const sigset_t *mask,
                                      pid_t parent)
{
    char err[CONFIG_ERROR_MAX];

    prctl(PR_SET_PDEATHSIG, SIGTERM); /* the launcher ends its nodes */
    if (getppid() != parent)
        _exit(128 + SIGTERM);
    sigprocmask(SIG_SETMASK, mask, NULL);
    int ret = hosts_hand_over(&line->config, line->options.exported,
                              line->argv + line->options.rest, err, sizeof err);
    fprintf(stderr, "hlrcrun: %s\n", err);
    _exit(ret == -ENOENT ? EXIT_NO_PROGRAM : EXIT_USAGE);
}

/* A terminal sends its signals to the launcher as well. SIGUSR2 with a value is of hlrcrun
 * --resize. */
static void hosts_job_forward(struct job *job, pid_t pid, struct hosts_resize *resize,
                              const struct signalfd_siginfo *info)
{
    if (info->ssi_signo == SIGUSR2 && info->ssi_code == SI_QUEUE) {
        if (hosts_resize_request(job, resize, info))
            kill(pid, SIGUSR1);
        return;
    }
    job->user |= UINT64_C(1) << info->ssi_signo;
    if (info->ssi_code != SI_KERNEL)
        kill(pid, (int)info->ssi_signo);
}

/* From SIGTERM to SIGKILL for a launcher that waits for a host which is lost. */
enum { HOSTS_JOB_END_MS = 3000 };

/* Ends the launcher when a host is silent, or the job has been saved for another number of nodes.
 * Returns the milliseconds until the next look. */
static int hosts_job_watch(struct job *job, struct hosts_watch *watch, pid_t pid,
                           const struct hosts_resize *resize, int64_t *kill_at)
{
    int64_t now = clock_ms();

    if (*kill_at == 0 && (hosts_watch_proceed(watch, now) || hosts_resize_proceed(job, resize))) {
        kill(pid, SIGTERM);
        *kill_at = now + HOSTS_JOB_END_MS;
    }
    if (*kill_at > 0 && now >= *kill_at) {
        kill(pid, SIGKILL);
        *kill_at = now + HOSTS_JOB_END_MS;
    }
    int64_t due = (*kill_at > 0 ? *kill_at : watch->next) - now;
    if (job->resize.wanted > 0 && due > HOSTS_RESIZE_LOOK_MS)
        due = HOSTS_RESIZE_LOOK_MS;
    return due < 0 ? 0 : (int)due;
}

/* Reads signals from a descriptor: while sigwaitinfo waits, they are not blocked, and hlrcrun
 * --resize would take them for deadly. */
static int hosts_job_await(struct job *job, pid_t pid, struct hosts_watch *watch)
{
    int status = 0;
    int64_t kill_at = 0;
    struct hosts_resize resize = { .before = 0 };
    struct signalfd_siginfo info;
    struct pollfd ready = { .fd = job->signal_fd, .events = POLLIN };

    while (waitpid(pid, &status, WNOHANG) != pid)
        if (poll(&ready, 1, hosts_job_watch(job, watch, pid, &resize, &kill_at)) > 0 &&
            read(job->signal_fd, &info, sizeof info) == sizeof info && info.ssi_signo != SIGCHLD)
            hosts_job_forward(job, pid, &resize, &info);
    hosts_watch_end(watch);
    (void)hosts_resize_proceed(job, &resize); /* in a job of Slurm the nodes have ended */
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        poll(NULL, 0, HOSTS_JOB_END_MS); /* nodes on other hosts end when they find it missing */
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static bool hosts_job_has_failed(const struct job *job, int status)
{
    const uint64_t ends = UINT64_C(1) << SIGINT | UINT64_C(1) << SIGTERM | UINT64_C(1) << SIGHUP;

    return status != 0 && status != STATUS_CONTINUE && (job->user & ends) == 0;
}

int hosts_job_run(struct job *job, const struct command_line *line, const sigset_t *mask)
{
    static struct hosts_watch watch;
    static struct hosts_list hosts;
    sigset_t blocked, before;
    char err[CONFIG_ERROR_MAX];
    pid_t self = getpid();

    prctl(PR_SET_CHILD_SUBREAPER, 1); /* what the launcher leaves is ended */
    hosts_job_signals_block(&blocked, &before);
    getrlimit(RLIMIT_NOFILE, &job->spawn.files);
    sigaction(SIGPIPE, NULL, &job->spawn.pipe_action);
    fflush(NULL);
    job->config = &line->config;
    job->signal_fd = signalfd(-1, &blocked, SFD_CLOEXEC);
    job->spawn.mask = mask ? *mask : before;
    pid_t pid = job->signal_fd < 0 ? -1 : fork();
    if (pid < 0) {
        fprintf(stderr, "hlrcrun: cannot start the launcher: %s\n", strerror(errno));
        return EXIT_FAILURE;
    }
    if (pid == 0)
        hosts_job_child(line, &job->spawn.mask, self);
    if (hosts_places(&line->config, &hosts, err, sizeof err) == 0)
        hosts_watch_begin(&watch, &hosts, &line->config);
    int status = hosts_job_await(job, pid, &watch);
    if (job->resize.saved)
        return STATUS_CONTINUE;
    job->death = status > 128 && status <= 128 + SIGRTMAX ? status - 128 : 0;
    if (hosts_job_has_failed(job, status))
        hosts_loss_find(&job->loss, &line->config, &job->spawn.mask, watch.silent);
    return status;
}
