/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launch/process.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/procfs.h"

enum { TAKES_LOOKS = 20, TAKES_NAP_NS = 2000000 };

int process_open(pid_t pid)
{
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);

    return fd < 0 ? -errno : fd;
}

int process_signal(int pidfd, int sig)
{
    return syscall(SYS_pidfd_send_signal, pidfd, sig, NULL, 0) < 0 ? -errno : 0;
}

bool process_ended(int pidfd)
{
    struct pollfd fd = { .fd = pidfd, .events = POLLIN };

    return poll(&fd, 1, 0) > 0;
}

/* The first character of the value of `key` in /proc/PID/status; 0: none. */
static char process_status_read(pid_t pid, const char *key)
{
    char path[32], text[4096];

    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    (void)procfs_read(path, text, sizeof text);
    const char *value = procfs_find(text, key);
    return value == NULL ? '\0' : *value;
}

bool process_dumping(pid_t pid)
{
    return process_status_read(pid, "CoreDumping") == '1';
}

bool process_runs(pid_t pid)
{
    char state = process_status_read(pid, "State");
    return state == 'R' || state == 'D';
}

static bool process_mask_has(const char *path, const char *key, int sig)
{
    char text[4096];

    (void)procfs_read(path, text, sizeof text);
    const char *mask = procfs_find(text, key);
    return mask != NULL && (strtoull(mask, NULL, 16) >> (sig - 1) & 1) != 0;
}

/* In sigwait, when the system shows its signals as not blocked. */
static bool process_awaits_signal(pid_t pid, const char *tid)
{
    char path[300];

    snprintf(path, sizeof path, "/proc/%d/task/%s/syscall", (int)pid, tid);
    return procfs_number(path, 0) == SYS_rt_sigtimedwait;
}

/* A thread that enters or leaves sigwait shows its signals as not blocked for a moment, or longer,
 * if it waits for a processor. */
static bool process_one_takes(pid_t pid, const char *tid, int sig)
{
    char path[300];
    struct timespec nap = { 0, TAKES_NAP_NS };

    snprintf(path, sizeof path, "/proc/%d/task/%s/status", (int)pid, tid);
    for (int looks = 0; looks < TAKES_LOOKS; looks++) {
        if (process_mask_has(path, "SigBlk", sig) || process_awaits_signal(pid, tid))
            return false;
        (void)nanosleep(&nap, NULL);
    }
    return access(path, F_OK) == 0;
}

/* True for no process as well. */
static bool process_thread_takes(pid_t pid, int sig)
{
    char path[300];
    struct dirent *entry;
    bool takes = false;

    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *tasks = opendir(path);
    if (tasks == NULL)
        return true;
    while (!takes && (entry = readdir(tasks)) != NULL) {
        if (*entry->d_name >= '0' && *entry->d_name <= '9')
            takes = process_one_takes(pid, entry->d_name, sig);
    }
    closedir(tasks);
    return takes;
}

bool process_withstands(pid_t pid, int sig)
{
    char path[32];

    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    return process_mask_has(path, "SigCgt", sig) || process_mask_has(path, "SigIgn", sig) ||
           !process_thread_takes(pid, sig);
}

struct process_family {
    struct process_member {
        pid_t pid, parent;
        bool in;
    } * members;
    size_t count, room;
};

static pid_t process_parent_read(const char *pid)
{
    char path[300], text[512];

    snprintf(path, sizeof path, "/proc/%s/stat", pid);
    (void)procfs_read(path, text, sizeof text);
    const char *state = procfs_stat_field(text, 3), *parent = procfs_stat_field(text, 4);
    return parent == NULL || *state == 'Z' ? -1 : (pid_t)atoi(parent);
}

static int process_member_add(struct process_family *family, pid_t pid, pid_t parent)
{
    if (family->count == family->room) {
        size_t room = family->room > 0 ? 2 * family->room : 256;
        struct process_member *grown = realloc(family->members, room * sizeof *grown);

        if (grown == NULL)
            return -ENOMEM;
        family->members = grown;
        family->room = room;
    }
    family->members[family->count++] = (struct process_member){ pid, parent, false };
    return 0;
}

static void process_family_read(struct process_family *family)
{
    DIR *proc = opendir("/proc");
    struct dirent *entry;

    if (proc == NULL)
        return;
    while ((entry = readdir(proc)) != NULL) {
        pid_t parent;

        if (*entry->d_name < '0' || *entry->d_name > '9')
            continue;
        parent = process_parent_read(entry->d_name);
        if (parent > 0 && process_member_add(family, (pid_t)atoi(entry->d_name), parent) < 0)
            break;
    }
    closedir(proc);
}

static bool process_among(pid_t pid, const pid_t *pids, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (pids[i] == pid)
            return true;
    return false;
}

static bool process_parent_in(const struct process_family *family, pid_t parent)
{
    for (size_t i = 0; i < family->count; i++)
        if (family->members[i].pid == parent)
            return family->members[i].in;
    return false;
}

/* Marks children of marked processes until nothing changes. */
static void process_family_mark(struct process_family *family, const pid_t *roots, size_t n,
                                pid_t skip)
{
    bool changed = true;

    while (changed) {
        changed = false;
        for (size_t i = 0; i < family->count; i++) {
            struct process_member *m = &family->members[i];

            if (m->in || m->pid == skip)
                continue;
            m->in = process_among(m->parent, roots, n) || process_parent_in(family, m->parent);
            changed = changed || m->in;
        }
    }
}

/* Opens the pidfd, then reads the parent again: a reused pid is not signalled. */
static bool process_member_signal(const struct process_member *m, int sig)
{
    char pid[16];
    int fd = process_open(m->pid);
    bool sent;

    if (fd < 0)
        return false;
    snprintf(pid, sizeof pid, "%d", (int)m->pid);
    sent = process_parent_read(pid) == m->parent && process_signal(fd, sig) == 0;
    close(fd);
    return sent;
}

int process_sweep(const pid_t *roots, size_t n, bool they_too, pid_t skip, int sig)
{
    struct process_family family = { 0 };
    int sent = 0;

    process_family_read(&family);
    process_family_mark(&family, roots, n, skip);
    for (size_t i = 0; i < family.count; i++) {
        const struct process_member *m = &family.members[i];
        bool root = process_among(m->pid, roots, n);

        if (root ? they_too : m->in)
            sent += process_member_signal(m, sig);
    }
    free(family.members);
    return sent;
}
