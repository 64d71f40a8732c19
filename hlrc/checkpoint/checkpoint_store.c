/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* checkpoint_store.c - see checkpoint_store.h. */
#include "hlrc/checkpoint/checkpoint_store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/config.h"
#include "base/diag.h"
#include "boot/boot.h"
#include "hlrc/checkpoint/checkpoint_manifest.h"
#include "hlrc/core/engine.h"

#define ID_NAME   "id"
#define GRACE_SEC 3600 /* for the next nodes of a job, and for a checkpoint that is late */

static struct {
    uint64_t id[NODES_MAX]; /* of the stores of all nodes */
    int fd;                 /* of ROOT, on several hosts; locked */
} store = { .fd = -1 };

bool checkpoint_store_is_root(const char *path)
{
    return strstr(path, "/" CONFIG_HOSTS_ROOT) != NULL;
}

/* ---- ROOT on several hosts ---- */

static int checkpoint_store_error(const char *path, int rc)
{
    diag_report(1, "--partner: %s: %s", path, strerror(-rc));
    return rc;
}

/* The locked descriptor of a directory of this user, or a negative errno. */
static int checkpoint_store_lock(const char *path, int lock)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int rc = fstat(fd, &st) != 0 ? -errno : st.st_uid != geteuid() ? -EPERM : 0;
    if (rc == 0 && flock(fd, lock | LOCK_NB) != 0)
        rc = -errno;
    if (rc == 0 && (fstat(fd, &st) != 0 || st.st_nlink == 0))
        rc = -ENOENT;
    if (rc == 0)
        return fd;
    close(fd);
    return rc;
}

static bool checkpoint_store_is_old(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
           st.st_mtime + GRACE_SEC < time(NULL);
}

static void checkpoint_store_remove(const char *path)
{
    int fd = checkpoint_store_lock(path, LOCK_EX);
    DIR *all = fd < 0 ? NULL : opendir(path);
    for (const struct dirent *e; all && (e = readdir(all));)
        (void)unlinkat(fd, e->d_name, 0);
    if (all)
        closedir(all);
    if (fd >= 0) {
        (void)rmdir(path);
        close(fd);
    }
}

/* `root` is in the directory that is swept. */
static void checkpoint_store_sweep(const char *root)
{
    char path[PATH_MAX];
    int place = (int)(strrchr(root, '/') - root);
    snprintf(path, sizeof path, "%.*s", place, root);
    DIR *all = opendir(path);
    for (const struct dirent *e; all && (e = readdir(all));) {
        if (strncmp(e->d_name, CONFIG_HOSTS_ROOT, strlen(CONFIG_HOSTS_ROOT)) != 0 ||
            snprintf(path, sizeof path, "%.*s/%s", place, root, e->d_name) >= (int)sizeof path)
            continue;
        if (strcmp(path, root) != 0 && checkpoint_store_is_old(path))
            checkpoint_store_remove(path);
    }
    if (all)
        closedir(all);
}

static int checkpoint_store_id_read(const char *path, uint64_t *id)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int rc = read(fd, id, sizeof *id) == sizeof *id ? 0 : -EBADMSG;
    close(fd);
    return rc;
}

/* The file gets its name when it is complete, and a second one does not replace it. */
static int checkpoint_store_id_write(const char *path)
{
    char mine[PATH_MAX + 16];
    uint64_t id;
    snprintf(mine, sizeof mine, "%s.%d", path, engine.node);
    int fd = open(mine, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), rc = 0;
    if (fd < 0)
        return -errno;
    if (getrandom(&id, sizeof id, 0) != sizeof id || write(fd, &id, sizeof id) != sizeof id)
        rc = -EIO;
    close(fd);
    if (rc == 0 && link(mine, path) != 0 && errno != EEXIST)
        rc = -errno;
    (void)unlink(mine);
    return rc;
}

static int checkpoint_store_open_root(const char *root, uint64_t *id)
{
    char path[PATH_MAX];
    checkpoint_store_sweep(root);
    if (mkdir(root, 0700) != 0 && errno != EEXIST)
        return -errno;
    int fd = checkpoint_store_lock(root, LOCK_SH);
    if (fd < 0)
        return fd;
    store.fd = fd;
    snprintf(path, sizeof path, "%.*s/" ID_NAME, PATH_MAX - 8, root);
    int rc = checkpoint_store_id_read(path, id);
    if (rc == -ENOENT && (rc = checkpoint_store_id_write(path)) == 0)
        rc = checkpoint_store_id_read(path, id);
    return rc;
}

/* ---- open and close ---- */

static int checkpoint_store_open_own(const char *root, char path[PATH_MAX])
{
    checkpoint_manifest_node_dir(path, PATH_MAX, root, (uint32_t)engine.node);
    int rc = mkdir(path, 0700) != 0 && errno != EEXIST ? -errno : 0;
    for (int n = 0; n < engine.nodes; n++)
        store.id[n] = (uint64_t)n;
    return rc ? checkpoint_store_error(path, rc) : 0;
}

int checkpoint_store_open(const char *root, char path[PATH_MAX])
{
    uint64_t id = 0;
    if (!root[0] || boot_launcher(engine.boot) == BOOT_NOBODY)
        return 0;
    if (!checkpoint_store_is_root(root))
        return checkpoint_store_open_own(root, path);
    int rc = checkpoint_store_open_root(root, &id);
    if (rc)
        return checkpoint_store_error(root, rc);
    snprintf(path, PATH_MAX, "%s", root);
    checkpoint_store_touch(0);
    return boot_exchange(engine.boot, &id, sizeof id, store.id);
}

void checkpoint_store_close(void)
{
    if (store.fd >= 0)
        close(store.fd);
    store.fd = -1;
}

void checkpoint_store_touch(int64_t interval_ms)
{
    struct timespec at[2] = { { .tv_nsec = UTIME_OMIT }, { time(NULL) + interval_ms / 500, 0 } };
    if (store.fd >= 0)
        (void)futimens(store.fd, at);
}

/* ---- which nodes share a store ---- */

static int checkpoint_store_first(int node)
{
    int n = 0;
    while (store.id[n] != store.id[node])
        n++;
    return n;
}

bool checkpoint_store_leads(int node)
{
    return checkpoint_store_first(node) == node;
}

/* First node of the store after the one that begins with `first`; the last is followed by the
 * first. */
static int checkpoint_store_next(int first)
{
    for (int n = first + 1; n < engine.nodes; n++)
        if (checkpoint_store_leads(n))
            return n;
    return 0;
}

/* Nodes of the store of `node` before `end`. */
static int checkpoint_store_count(int node, int end)
{
    int count = 0;
    for (int n = 0; n < end; n++)
        count += store.id[n] == store.id[node];
    return count;
}

/* Of the next store [checkpoint.other-store], the nodes in turn. */
int checkpoint_store_partner(int node)
{
    int first = checkpoint_store_first(node), other = checkpoint_store_next(first), n = other;
    if (other == first)
        return -1;
    int turn = checkpoint_store_count(node, node) % checkpoint_store_count(other, engine.nodes);
    while (turn > 0)
        turn -= store.id[++n] == store.id[other];
    return n;
}
