/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launch/partner.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hlrc/checkpoint/checkpoint_manifest.h"
#include "launch/partner_hosts.h"

#define PLACE  "/dev/shm"
#define PREFIX "hlrc-partner."

enum { REMOVE_FILES = 8, MAKE_TRIES = 10 };

/* ---- making and removing ---- */

static int partner_remove_one(const char *path, const struct stat *st, int flag, struct FTW *at)
{
    (void)st, (void)flag, (void)at;
    (void)remove(path);
    return 0;
}

bool partner_is_on_hosts(const char *root)
{
    return strstr(root, "/" CONFIG_HOSTS_ROOT) != NULL;
}

void partner_remove(const char *root)
{
    if (partner_is_on_hosts(root))
        partner_hosts_remove(root);
    else if (root[0] != '\0')
        (void)nftw(root, partner_remove_one, REMOVE_FILES, FTW_DEPTH | FTW_PHYS);
}

/* The lock of a directory that exists, or -1. */
static int partner_lock(const char *root)
{
    struct stat st;
    int fd = open(root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd >= 0 && (fstat(fd, &st) < 0 || st.st_uid != geteuid() ||
                    flock(fd, LOCK_EX | LOCK_NB) < 0 || fstat(fd, &st) < 0 || st.st_nlink == 0)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static void partner_sweep(const char *place)
{
    char path[PATH_MAX];
    DIR *all = opendir(place);

    for (const struct dirent *e; all != NULL && (e = readdir(all)) != NULL;) {
        int fd = -1;

        if (strncmp(e->d_name, PREFIX, strlen(PREFIX)) == 0 &&
            snprintf(path, sizeof path, "%s/%s", place, e->d_name) < (int)sizeof path)
            fd = partner_lock(path);
        if (fd < 0)
            continue;
        partner_remove(path);
        close(fd);
    }
    if (all != NULL)
        closedir(all);
}

int partner_make(struct partner *partner, const char *where, char *err, size_t errlen)
{
    const char *place = strcmp(where, "on") == 0 ? PLACE : where;
    int ret = 0;

    partner_sweep(place);
    /* another hlrcrun may sweep it before it is locked */
    for (int tries = 0; tries < MAKE_TRIES; tries++) {
        (void)snprintf(partner->root, sizeof partner->root, "%.*s/" PREFIX "XXXXXX",
                       (int)(sizeof partner->root - sizeof PREFIX - 8), place);
        if (mkdtemp(partner->root) == NULL) {
            ret = -errno;
            break;
        }
        partner->fd = partner_lock(partner->root);
        if (partner->fd >= 0)
            return 0;
        ret = -EAGAIN;
    }
    partner->root[0] = '\0';
    snprintf(err, errlen,
             "--partner %.300s: %.300s: %s; give a directory in memory that can be written", where,
             place, strerror(-ret));
    return ret;
}

void partner_end(struct partner *partner)
{
    partner_remove(partner->root);
    if (partner->root[0] != '\0' && partner->fd >= 0)
        close(partner->fd);
    partner->root[0] = '\0';
}

/* ---- what is left ---- */

static bool partner_has(const struct partner *partner, const struct checkpoint_manifest *m,
                        uint32_t at, uint32_t node)
{
    char dir[PATH_MAX];
    bool all = true;

    checkpoint_manifest_node_dir(dir, sizeof dir, partner->root, at);
    for (uint32_t g = m->base; g <= m->generation && all; g++)
        all = checkpoint_manifest_has_file(dir, m, g, node);
    return all;
}

/* True if each node's files, or their copies, are left. */
static bool partner_is_whole(const struct partner *partner, const struct checkpoint_manifest *m,
                             uint32_t *lost_node)
{
    for (uint32_t n = 0; n < m->nodes; n++)
        if (!partner_has(partner, m, n, n) && !partner_has(partner, m, (n + 1) % m->nodes, n)) {
            *lost_node = n;
            return false;
        }
    return true;
}

/* The newest manifest of all nodes, and the node. */
static uint32_t partner_newest_manifest(const struct partner *partner, int nodes, uint32_t *at)
{
    char dir[PATH_MAX];
    uint32_t newest = 0;

    for (uint32_t n = 0; n < (uint32_t)nodes; n++) {
        uint32_t number = checkpoint_manifest_newest(
            checkpoint_manifest_node_dir(dir, sizeof dir, partner->root, n));

        if (number > newest) {
            newest = number;
            *at = n;
        }
    }
    return newest;
}

uint32_t partner_newest(const struct partner *partner, int nodes, char *dir, size_t len,
                        uint32_t *lost, uint32_t *node)
{
    char err[CONFIG_ERROR_MAX], path[PATH_MAX];
    struct checkpoint_manifest m;
    uint32_t at = 0, number;

    while ((number = partner_newest_manifest(partner, nodes, &at)) > 0) {
        checkpoint_manifest_node_dir(dir, len, partner->root, at);
        bool read = checkpoint_manifest_read_one(dir, number, &m, err, sizeof err) == 0;
        uint32_t lost_node = at;
        bool whole = read && partner_is_whole(partner, &m, &lost_node);

        if (read)
            checkpoint_manifest_free(&m);
        if (whole)
            return number;
        if (read && *lost == 0) {
            *lost = number;
            *node = lost_node;
        }
        checkpoint_manifest_path(path, sizeof path, dir, number);
        if (unlink(path) < 0)
            break;
    }
    return 0;
}
