/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* locality.c - see locality.h. */
#include "fabric/locality.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/procfs.h"

/* Nodes exchange it, and may come from different builds. */
static_assert(sizeof(struct locality) == 40 + 3 * 8 + 2 * 4 + 64, "no padding");

static uint64_t locality_inode_of(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? st.st_ino : 0;
}

static uint64_t locality_device_of(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? st.st_dev : 0;
}

static void locality_read_boot_id(char *out, size_t len)
{
    (void)procfs_read("/proc/sys/kernel/random/boot_id", out, len);
    out[strcspn(out, "\n")] = '\0';
}

void locality_here(struct locality *out)
{
    memset(out, 0, sizeof *out);
    locality_read_boot_id(out->boot_id, sizeof out->boot_id);
    out->pid_namespace = locality_inode_of("/proc/self/ns/pid");
    out->ipc_namespace = locality_inode_of("/proc/self/ns/ipc");
    out->shm_device = locality_device_of("/dev/shm");
    out->user = geteuid();
    gethostname(out->host, sizeof out->host - 1);
}

const char *locality_apart(const struct locality *a, const struct locality *b)
{
    if (strcmp(a->boot_id, b->boot_id) != 0)
        return "they run on different machines";
    if (a->pid_namespace != b->pid_namespace)
        return "they run in different PID namespaces (containers)";
    if (a->ipc_namespace != b->ipc_namespace)
        return "they run in different IPC namespaces (containers)";
    if (a->shm_device != b->shm_device)
        return "each has its own /dev/shm (containers)";
    if (a->user != b->user)
        return "they run as different users";
    return NULL;
}

/* Prints one line with the two nodes, why they are apart, and the remedy. */
static void locality_complain(const struct fabric_job *job, const struct locality *all, int n,
                              const char *why)
{
    char line[512];
    snprintf(
        line, sizeof line,
        "fabric shm: nodes 0 (host %s) and %d (host %s) share no memory: %s; use --fabric auto "
        "(HLRC_FABRIC=auto), or start all nodes on one machine",
        all[0].host, n, all[n].host, why);
    job->fail(line);
}

/* Digest of all that distinguishes nodes; the host's name is left out. */
static uint64_t locality_digest_of(const struct locality *w)
{
    return digest_add(DIGEST_START, w, offsetof(struct locality, host));
}

/*
 * The localities of all nodes, in memory that the caller frees; NULL if the digests show that all
 * are equal: a job of a thousand nodes would exchange a million structures. Collective.
 */
static int locality_gather(const struct fabric_job *job, struct locality **out)
{
    struct locality mine;
    uint64_t digest, every[NODES_MAX];
    *out = NULL;
    locality_here(&mine);
    digest = locality_digest_of(&mine);
    int rc = job->exchange(job->ctx, &digest, sizeof digest, every);
    if (rc || digest_alike(every, job->nodes))
        return rc;
    struct locality *all = calloc((size_t)job->nodes, sizeof *all);
    if (!all)
        return -ENOMEM;
    rc = job->exchange(job->ctx, &mine, sizeof mine, all);
    if (rc)
        free(all);
    else
        *out = all;
    return rc;
}

/* A node that node 0 cannot share memory with; 0 if there is none. */
static int locality_first_apart(const struct locality *all, int nodes, const char **why)
{
    for (int n = 1; n < nodes; n++) {
        *why = locality_apart(&all[0], &all[n]);
        if (*why)
            return n;
    }
    return 0;
}

int locality_all_together(const struct fabric_job *job)
{
    struct locality *all;
    int rc = locality_gather(job, &all);
    if (rc || !all)
        return rc;
    const char *why;
    int apart = locality_first_apart(all, job->nodes, &why);
    if (apart && job->node == 0 && job->fail)
        locality_complain(job, all, apart, why);
    free(all);
    if (!apart)
        return 0;
    /* node 0 reports for all: the others wait here until the job ends, and return only if nothing
     * ends it */
    int32_t none = 0, every[NODES_MAX];
    rc = job->exchange(job->ctx, &none, sizeof none, every);
    return rc ? rc : -EXDEV;
}

int locality_near(const struct fabric_job *job, bool *near)
{
    struct locality mine, *all;
    int rc = locality_gather(job, &all);
    if (rc)
        return rc;
    locality_here(&mine);
    for (int n = 0; n < job->nodes; n++)
        near[n] = !all || locality_apart(&mine, &all[n]) == NULL;
    free(all);
    return 0;
}

int locality_neighbours(const struct fabric_job *job, int *count)
{
    struct locality mine, *all;
    int rc = locality_gather(job, &all);
    if (rc)
        return rc;
    locality_here(&mine);
    *count = job->nodes;
    for (int n = 0; all && n < job->nodes; n++)
        if (n != job->node && strcmp(all[n].boot_id, mine.boot_id) != 0)
            --*count;
    free(all);
    return 0;
}
