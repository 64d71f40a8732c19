/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launch/partner_hosts.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "launch/hosts.h"
#include "launch/hosts_probe.h"

#define PLACE "/dev/shm"

/* For the nodes of a launcher that gets SIGTERM. */
enum { PARTNER_HOSTS_END_MS = 3000 };

static struct {
    const struct config *config;
    sigset_t mask;
    pid_t hlrcrun;
} job;

int partner_hosts_name(char root[CONFIG_TEXT_MAX], const char *where, char *err, size_t errlen)
{
    const char *place = strcmp(where, "on") == 0 ? PLACE : where;
    uint64_t number;

    if (getrandom(&number, sizeof number, 0) != sizeof number) {
        snprintf(err, errlen, "--partner: no random bytes: %s", strerror(errno));
        return -EIO;
    }
    int len = snprintf(root, CONFIG_TEXT_MAX, "%s/" CONFIG_HOSTS_ROOT "%016llx", place,
                       (unsigned long long)number);
    if (len < CONFIG_TEXT_MAX)
        return 0;
    snprintf(err, errlen, "--partner %.300s: the name is too long", where);
    return -ENAMETOOLONG;
}

void partner_hosts_begin(const struct config *cfg, const sigset_t *mask)
{
    job.config = cfg;
    job.mask = *mask;
    job.hlrcrun = getpid();
}

void partner_hosts_remove(const char *root)
{
    static struct hosts_list hosts;
    static bool lost[NODES_MAX];
    char *command[] = { (char *)(uintptr_t) "rm", (char *)(uintptr_t) "-rf",
                        (char *)(uintptr_t)root, NULL };
    char err[CONFIG_ERROR_MAX];

    if (job.config == NULL || hosts_places(job.config, &hosts, err, sizeof err) < 0)
        return;
    if (getpid() != job.hlrcrun)
        poll(NULL, 0, PARTNER_HOSTS_END_MS);
    memset(lost, 0, sizeof lost);
    hosts_probe_run(&hosts, command, &job.mask, lost);
}
