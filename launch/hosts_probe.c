/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launch/hosts_probe.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "launch/hosts.h"

/* Commands at the same time; for one of them. A launcher may fail now and then, most of all while
 * another one runs. */
enum { PROBE_MOST = 16, PROBE_MS = 10000, PROBE_LOOK_MS = 5, PROBE_TRIES = 3 };

struct hosts_probe {
    pid_t pid;       /* 0: the slot is free */
    int host, tries; /* tries: that are left */
    int64_t until;
};

_Noreturn static void hosts_probe_child(const char *host, char *const *argv, const sigset_t *mask,
                                        pid_t parent)
{
    int null = open("/dev/null", O_RDWR);

    (void)setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || null < 0)
        _exit(1);
    for (int fd = 0; fd <= 2; fd++)
        (void)dup2(null, fd);
    sigprocmask(SIG_SETMASK, mask, NULL);
    (void)hosts_execute_at(host, argv);
    _exit(1);
}

/* The slot stays free if that fails. */
static void hosts_probe_start(struct hosts_probe *p, const char *host, char *const *argv,
                              const sigset_t *mask)
{
    pid_t self = getpid(), pid = fork();

    if (pid == 0)
        hosts_probe_child(host, argv, mask, self);
    p->pid = pid < 0 ? 0 : pid;
    p->until = clock_ms() + PROBE_MS;
}

/* True if it has ended, or is out of time. */
static bool hosts_probe_ended(struct hosts_probe *p, bool *lost)
{
    int status = 1;
    pid_t got = waitpid(p->pid, &status, WNOHANG);

    if (got == 0 && clock_ms() < p->until)
        return false;
    if (got == 0) {
        (void)kill(-p->pid, SIGKILL);
        (void)kill(p->pid, SIGKILL);
        (void)waitpid(p->pid, NULL, 0);
    }
    lost[p->host] = got != p->pid || status != 0;
    p->tries = got == p->pid && status != 0 ? p->tries - 1 : 0;
    return true;
}

/* The same host, earlier in the list, or -1. */
static int hosts_probe_earlier(const struct hosts_list *hosts, int host)
{
    for (int i = 0; i < host; i++)
        if (strcmp(hosts->host[i].name, hosts->host[host].name) == 0)
            return i;
    return -1;
}

/* Fills free slots from the next hosts. Returns the number of commands that run. */
static int hosts_probe_proceed(const struct hosts_list *hosts, char *const *argv,
                               const sigset_t *mask, struct hosts_probe *probes, int *next,
                               bool *lost)
{
    int running = 0;

    for (int i = 0; i < PROBE_MOST; i++) {
        struct hosts_probe *p = &probes[i];

        if (p->pid > 0 && hosts_probe_ended(p, lost)) {
            p->pid = 0;
            if (p->tries > 0)
                hosts_probe_start(p, hosts->host[p->host].name, argv, mask);
        }
        while (p->pid == 0 && *next < hosts->count) {
            int host = (*next)++;

            if (lost[host] || hosts_probe_earlier(hosts, host) >= 0)
                continue;
            *p = (struct hosts_probe){ .host = host, .tries = PROBE_TRIES };
            hosts_probe_start(p, hosts->host[host].name, argv, mask);
            lost[host] = p->pid == 0;
        }
        running += p->pid > 0;
    }
    return running;
}

void hosts_probe_run(const struct hosts_list *hosts, char *const *argv, const sigset_t *mask,
                     bool *lost)
{
    struct hosts_probe probes[PROBE_MOST] = { { .pid = 0 } };
    int next = 0;

    (void)hosts_launcher_find(); /* once, for all of them */
    while (hosts_probe_proceed(hosts, argv, mask, probes, &next, lost) > 0)
        poll(NULL, 0, PROBE_LOOK_MS);
    for (int i = 0; i < hosts->count; i++)
        if (hosts_probe_earlier(hosts, i) >= 0)
            lost[i] = lost[hosts_probe_earlier(hosts, i)];
}
