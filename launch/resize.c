/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* resize.c - the job's side; see resize.h. */
#include "launch/resize.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "boot/boot.h"
#include "launch/command.h"
#include "launch/job.h"

socklen_t resize_address(struct sockaddr_un *address, pid_t pid)
{
    *address = (struct sockaddr_un){ .sun_family = AF_UNIX };
    int len =
        snprintf(address->sun_path + 1, sizeof address->sun_path - 1, "hlrc-resize.%d", (int)pid);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len);
}

bool resize_answer_send(pid_t pid, const struct resize_answer *answer)
{
    struct sockaddr_un address;
    socklen_t len = resize_address(&address, pid);
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool sent = fd >= 0 && sendto(fd, answer, sizeof *answer, MSG_DONTWAIT | MSG_NOSIGNAL,
                                  (struct sockaddr *)&address, len) == (ssize_t)sizeof *answer;
    if (fd >= 0)
        close(fd);
    return sent;
}

/* Signals only the program: a script around it would die of the signal. */
static void resize_ask(struct job *job)
{
    const struct node *node = &job->nodes[0];
    siginfo_t info = { .si_signo = SIGUSR1, .si_code = SI_QUEUE };
    int fd = node->engine_fd >= 0 ? node->engine_fd : node->ended ? -1 : node->pidfd;

    if (job->resize.wanted == 0 || !job->resize.ready || job->resize.asked || fd < 0)
        return;
    info.si_pid = getpid();
    info.si_uid = getuid();
    info.si_value.sival_int = job->resize.wanted;
    job->resize.asked = syscall(SYS_pidfd_send_signal, fd, SIGUSR1, &info, 0) == 0;
}

/* What the machine refuses. */
static bool resize_fits(const struct job *job, int nodes, char *why, size_t len)
{
    static struct config cfg;
    struct rlimit limit;

    cfg = *job->config;
    cfg.nodes = nodes;
    if (config_check_memory(&cfg, why, len) < 0)
        return false;
    getrlimit(RLIMIT_NOFILE, &limit);
    if (spawn_files_needed(nodes) <= limit.rlim_max)
        return true;
    snprintf(why, len, "they need %llu open files, the limit is %llu; raise it (ulimit -n)",
             (unsigned long long)spawn_files_needed(nodes), (unsigned long long)limit.rlim_max);
    return false;
}

/* False after the reason in `why`. */
static bool resize_possible(const struct job *job, int nodes, char *why, size_t len)
{
    const struct config *cfg = job->config;

    if (nodes < 1 || nodes > NODES_MAX)
        snprintf(why, len, "a job has 1 to %d nodes; give a number of these", NODES_MAX);
    else if (job->ending || job->resize.saved || job->nodes[0].state == NODE_FINALIZED)
        snprintf(why, len, "the job is ending");
    else if (cfg->checkpoint[0] == '\0')
        snprintf(why, len, "the job is not saved; start it with --checkpoint TIME");
    else if (cfg->gdb != GDB_NONE)
        snprintf(why, len, "the nodes are under --gdb; omit it");
    else if (nodes == cfg->nodes && job->resize.wanted == 0)
        snprintf(why, len, "it has as many");
    else
        return resize_fits(job, nodes, why, len);
    return false;
}

void resize_answer_make(struct resize_answer *answer, const struct job *job, int nodes,
                        const char *why)
{
    int now = job->config->nodes;

    memset(answer, 0, sizeof *answer);
    answer->status = why ? EXIT_USAGE : 0;
    if (!why)
        snprintf(answer->line, sizeof answer->line,
                 "job %d continues with %d instead of %d nodes when it can be saved next",
                 (int)getpid(), nodes, now);
    else
        snprintf(answer->line, sizeof answer->line, "not resized from %d to %d nodes: %s", now,
                 nodes, why);
}

bool resize_request(struct job *job, const struct signalfd_siginfo *info)
{
    static struct resize_answer answer;
    char why[CONFIG_ERROR_MAX] = "";
    int nodes = info->ssi_int;

    if (info->ssi_code != SI_QUEUE)
        return false;
    bool possible = resize_possible(job, nodes, why, sizeof why);
    resize_answer_make(&answer, job, nodes, possible ? NULL : why);
    bool answered = resize_answer_send((pid_t)info->ssi_pid, &answer);
    if (!possible && !answered)
        job_say(job, "hlrcrun: %s", answer.line);
    if (possible)
        job->resize.wanted = nodes;
    resize_ask(job);
    return true;
}

static void resize_refused(struct job *job, const char *why)
{
    if (job->resize.wanted > 0)
        job_say(job, "hlrcrun: not resized from %d to %d nodes: %s; the job continues",
                job->config->nodes, job->resize.wanted, why);
    job->resize.wanted = 0;
    job->resize.asked = false;
}

static void resize_restored(struct job *job)
{
    struct resize *r = &job->resize;

    if (r->from > 0 && !r->restored)
        job_say(job, "hlrcrun: resized from %d to %d nodes in %.2f s", r->from, job->config->nodes,
                (double)(clock_ms() - r->begun) / 1000);
    r->restored = true;
}

void resize_heard(struct job *job, int state, const char *why)
{
    switch (state) {
    case BOOT_RESIZE_READY:
        job->resize.ready = true;
        resize_ask(job);
        break;
    case BOOT_RESIZE_BEGUN:
        job->resize.begun = clock_ms();
        break;
    case BOOT_RESIZE_REFUSED:
        resize_refused(job, why);
        break;
    case BOOT_RESIZE_SAVED:
        job->resize.saved = true;
        break;
    default:
        resize_restored(job);
    }
}

void resize_hello(struct job *job)
{
    job->resize.ready = job->resize.asked = false;
}

void resize_end(struct job *job)
{
    if (job->resize.wanted > 0 && !job->resize.saved && !job->ending)
        job_say(job, "hlrcrun: not resized from %d to %d nodes: the program ended before",
                job->config->nodes, job->resize.wanted);
}
