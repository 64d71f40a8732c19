/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* checkpoint_descriptors.c - see checkpoint_descriptors.h. */
#include "hlrc/checkpoint/checkpoint_descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/kcmp.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/procfs.h"
#include "base/reserve.h"
#include "hlrc/checkpoint/checkpoint_calls.h"

#define FILES_MOST     65536
#define NAMES_MOST     (64u << 20)
#define SIGNALS        64
#define INHERITED_MOST 1024
#define TIMERS         3

enum checkpoint_descriptors_kind {
    DESCRIPTOR_FILE,
    DESCRIPTOR_STANDARD, /* value: 0 to 2 */
    DESCRIPTOR_OBJECT,   /* value: its inode */
    DESCRIPTOR_EVENT,    /* value: its counter */
    DESCRIPTOR_ROLE,     /* value: enum checkpoint_descriptors_role */
    DESCRIPTOR_INHERITED /* no file; open already when the program was started */
};

struct checkpoint_descriptor {
    int fd, kind;
    int flags, own_flags; /* F_GETFL, F_GETFD */
    int same;             /* shares position and flags with this one; -1: with none */
    uint32_t name;
    int64_t position, size; /* size: -1, if it is not to be truncated */
    uint64_t value;
};

/* The system's struct sigaction. */
struct checkpoint_descriptors_action {
    void *handler;
    uint64_t flags;
    void *restorer;
    uint64_t mask;
};

/* The system's format (getdents64). */
struct checkpoint_descriptors_entry {
    uint64_t inode;
    int64_t offset;
    uint16_t bytes;
    unsigned char type;
    char name[];
};

/* Saved with the memory of the process. */
static struct {
    struct checkpoint_descriptor *file;
    char *names;
    uint32_t count, names_used;
    struct {
        dev_t dev;
        ino_t ino;
        bool is_file;
    } inherited[INHERITED_MOST]; /* at the start */
    struct checkpoint_descriptors_action action[SIGNALS + 1];
    struct itimerval timer[TIMERS];
    struct rlimit limit[RLIM_NLIMITS];
    unsigned mask;
    char directory[PATH_MAX];
} kept;

static void checkpoint_descriptors_inherit(int fd, int as)
{
    struct stat st;
    if (as >= INHERITED_MOST)
        return;
    memset(&kept.inherited[as], 0, sizeof kept.inherited[as]);
    if (CALL(fstat, fd, &st) != 0)
        return;
    kept.inherited[as].dev = st.st_dev;
    kept.inherited[as].ino = st.st_ino;
    kept.inherited[as].is_file = S_ISREG(st.st_mode);
}

int checkpoint_descriptors_init(void)
{
    kept.file = reserve(FILES_MOST * sizeof *kept.file);
    kept.names = reserve(NAMES_MOST);
    for (int fd = 0; fd < INHERITED_MOST; fd++)
        checkpoint_descriptors_inherit(fd, fd);
    return kept.file && kept.names ? 0 : -ENOMEM;
}

/* ---- reading one ---- */

struct checkpoint_descriptors_look {
    struct stat st;
    char path[PATH_MAX]; /* text of the link */
    char info[1024];
};

static bool checkpoint_descriptors_look(int fd, struct checkpoint_descriptors_look *l)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    long len = CALL(readlinkat, AT_FDCWD, link, l->path, sizeof l->path - 1);
    l->path[len > 0 ? len : 0] = '\0';
    snprintf(link, sizeof link, "/proc/self/fdinfo/%d", fd);
    return len > 0 && procfs_read(link, l->info, sizeof l->info) >= 0 &&
           CALL(fstat, fd, &l->st) == 0;
}

static bool checkpoint_descriptors_was(int fd, const struct stat *st)
{
    return fd < INHERITED_MOST && kept.inherited[fd].ino == st->st_ino &&
           kept.inherited[fd].dev == st->st_dev && st->st_ino != 0;
}

/* Which of standard input, output and error it is; -1: none. */
static int checkpoint_descriptors_standard(int fd, const struct stat *st)
{
    for (int i = 0; i < 3; i++) {
        int k = fd < 3 ? (fd + i) % 3 : i; /* all of them may be one terminal */
        if (checkpoint_descriptors_was(k, st) && !(k == 0 && kept.inherited[0].is_file))
            return k;
    }
    return -1;
}

/* The same numbers on every host. */
static bool checkpoint_descriptors_is_common_device(const char *path)
{
    static const char *const common[] = { "/dev/null",    "/dev/zero",   "/dev/full",
                                          "/dev/urandom", "/dev/random", "/dev/tty" };
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        if (strcmp(path, common[i]) == 0)
            return true;
    return false;
}

static const char *checkpoint_descriptors_refuse(const struct checkpoint_descriptors_look *l)
{
    size_t len = strlen(l->path);
    if (strstr(l->info, "\nlock:"))
        return "a file that is locked";
    if (S_ISSOCK(l->st.st_mode))
        return "a socket";
    if (S_ISFIFO(l->st.st_mode))
        return "a pipe";
    if (S_ISREG(l->st.st_mode) && len > 10 && strcmp(l->path + len - 10, " (deleted)") == 0)
        return "a file that was deleted";
    if (S_ISREG(l->st.st_mode) || S_ISDIR(l->st.st_mode))
        return l->path[0] == '/' ? NULL : "not a file with a name";
    if ((S_ISCHR(l->st.st_mode) && checkpoint_descriptors_is_common_device(l->path)))
        return NULL;
    return S_ISCHR(l->st.st_mode) || S_ISBLK(l->st.st_mode) ? "a device" : "of another kind";
}

static bool checkpoint_descriptors_is_memory(const struct checkpoint_descriptors_look *l)
{
    return strncmp(l->path, "/memfd:", 7) == 0;
}

static void checkpoint_descriptors_describe(struct checkpoint_descriptor *d,
                                            const struct checkpoint_descriptors_look *l)
{
    bool written = (d->flags & O_ACCMODE) != O_RDONLY;
    d->kind = DESCRIPTOR_FILE;
    d->position = CALL(lseek, d->fd, 0, SEEK_CUR);
    d->size = S_ISREG(l->st.st_mode) && written ? (int64_t)l->st.st_size : -1;
    d->name = kept.names_used;
    strcpy(kept.names + d->name, l->path);
    kept.names_used += (uint32_t)strlen(l->path) + 1;
}

/* Duplicates share their position. */
static int checkpoint_descriptors_same(const struct checkpoint_descriptor *d)
{
    long pid = CALL(getpid);
    for (uint32_t i = 0; i < kept.count; i++)
        if (kept.file[i].kind == DESCRIPTOR_FILE && kept.file[i].same < 0 &&
            kept.file[i].flags == d->flags &&
            CALL(kcmp, pid, pid, KCMP_FILE, kept.file[i].fd, d->fd) == 0)
            return kept.file[i].fd;
    return -1;
}

static int checkpoint_descriptors_role_of(const int role[CHECKPOINT_DESCRIPTORS_ROLES], int fd)
{
    int i = 0;
    while (i < CHECKPOINT_DESCRIPTORS_ROLES && role[i] != fd)
        i++;
    return i;
}

static const char *checkpoint_descriptors_add(const int *role, int fd,
                                              const struct checkpoint_descriptors_look *l)
{
    struct checkpoint_descriptor *d = &kept.file[kept.count];
    const char *event = procfs_find(l->info, "eventfd-count"), *refused = NULL;
    int standard = checkpoint_descriptors_standard(fd, &l->st),
        own = checkpoint_descriptors_role_of(role, fd);
    *d = (struct checkpoint_descriptor){ .fd = fd,
                                         .flags = (int)CALL(fcntl, fd, F_GETFL, 0),
                                         .own_flags = (int)CALL(fcntl, fd, F_GETFD, 0),
                                         .same = -1 };
    if (own == CHECKPOINT_DESCRIPTORS_FILE)
        return NULL;
    if (kept.count == FILES_MOST - 1 || kept.names_used > NAMES_MOST - PATH_MAX)
        return "one of too many";
    if (own < CHECKPOINT_DESCRIPTORS_ROLES) {
        d->kind = DESCRIPTOR_ROLE;
        d->value = (uint64_t)own;
    } else if (standard >= 0) {
        d->kind = DESCRIPTOR_STANDARD;
        d->value = (uint64_t)standard;
    } else if (checkpoint_descriptors_is_memory(l)) {
        d->kind = DESCRIPTOR_OBJECT;
        d->value = l->st.st_ino;
        d->position = CALL(lseek, fd, 0, SEEK_CUR);
    } else if (event) {
        d->kind = DESCRIPTOR_EVENT;
        d->value = strtoull(event, NULL, 16);
        d->size = procfs_find(l->info, "eventfd-semaphore") ? 1 : 0;
    } else if (!(refused = checkpoint_descriptors_refuse(l))) {
        checkpoint_descriptors_describe(d, l);
        d->same = checkpoint_descriptors_same(d);
    } else if (checkpoint_descriptors_was(fd, &l->st)) {
        d->kind = DESCRIPTOR_INHERITED;
        refused = NULL;
    }
    kept.count += !refused;
    return refused;
}

/* ---- reading all ---- */

static int checkpoint_descriptors_read_files(const int *role, char *why, size_t len)
{
    static struct checkpoint_descriptors_look look;
    alignas(8) static char buf[4096];
    int dir = (int)CALL(openat, AT_FDCWD, "/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const char *refused = NULL;
    long got = dir;
    kept.count = 0;
    kept.names_used = 0;
    while (dir >= 0 && !refused && (got = CALL(getdents64, dir, buf, sizeof buf)) > 0)
        for (long at = 0; at < got && !refused;) {
            const struct checkpoint_descriptors_entry *e = (const void *)(buf + at);
            int fd = atoi(e->name);
            at += e->bytes;
            if (e->name[0] == '.' || fd == dir || !checkpoint_descriptors_look(fd, &look))
                continue;
            refused = checkpoint_descriptors_add(role, fd, &look);
            if (refused)
                snprintf(why, len, "descriptor %d, %.200s, is %s", fd, look.path, refused);
        }
    if (dir >= 0)
        (void)CALL(close, dir);
    if (!refused && got < 0)
        snprintf(why, len, "/proc/self/fd: %s", strerror((int)-got));
    return refused ? -ENOTSUP : (int)got;
}

static const char *checkpoint_descriptors_other_state(void)
{
    char text[64] = "";
    siginfo_t info;
    (void)procfs_read("/proc/self/timers", text, sizeof text);
    if (text[0])
        return "the program has timers of timer_create";
    if (CALL(waitid, P_ALL, 0, &info, WNOHANG | WNOWAIT | WEXITED | __WALL, NULL) != -ECHILD)
        return "the program has child processes";
    return NULL;
}

static void checkpoint_descriptors_read_state(void)
{
    for (int sig = 1; sig <= SIGNALS; sig++)
        (void)CALL(rt_sigaction, sig, NULL, &kept.action[sig], sizeof(uint64_t));
    for (int i = 0; i < TIMERS; i++)
        (void)CALL(getitimer, i, &kept.timer[i]);
    for (int i = 0; i < (int)RLIM_NLIMITS; i++)
        (void)CALL(prlimit64, 0, i, NULL, &kept.limit[i]);
    kept.mask = (unsigned)CALL(umask, 0);
    (void)CALL(umask, kept.mask);
    if (CALL(getcwd, kept.directory, sizeof kept.directory) < 0)
        kept.directory[0] = '\0';
}

int checkpoint_descriptors_read(const int role[CHECKPOINT_DESCRIPTORS_ROLES], char *why, size_t len)
{
    const char *refused = checkpoint_descriptors_other_state();
    if (refused) {
        snprintf(why, len, "%s", refused);
        return -ENOTSUP;
    }
    checkpoint_descriptors_read_state();
    return checkpoint_descriptors_read_files(role, why, len);
}

int checkpoint_descriptors_of(uint64_t inode)
{
    for (uint32_t i = 0; i < kept.count; i++)
        if (kept.file[i].kind == DESCRIPTOR_OBJECT && kept.file[i].value == inode)
            return kept.file[i].fd;
    return -1;
}

/* ---- restoring ---- */

static int checkpoint_descriptors_open_file(const struct checkpoint_descriptor *d)
{
    const char *path = kept.names + d->name;
    struct stat st;
    int fd = (int)CALL(openat, AT_FDCWD, path, d->flags | O_CLOEXEC, 0);
    if (fd < 0 || CALL(fstat, fd, &st) != 0)
        checkpoint_calls_fail("%.300s: %s", path, strerror(fd < 0 ? -fd : EIO));
    if (d->size >= 0 && (int64_t)st.st_size < d->size)
        checkpoint_calls_fail("%.300s has %lld bytes, fewer than the %lld when the job was saved",
                              path, (long long)st.st_size, (long long)d->size);
    long rc = d->size >= 0 && (int64_t)st.st_size > d->size ? CALL(ftruncate, fd, d->size) : 0;
    if (rc >= 0 && d->position >= 0)
        rc = CALL(lseek, fd, d->position, SEEK_SET);
    if (rc < 0)
        checkpoint_calls_fail("%.300s: %s", path, strerror((int)-rc));
    return fd;
}

static int checkpoint_descriptors_object(const struct checkpoint_descriptors_here *here,
                                         const struct checkpoint_descriptor *d, int above)
{
    for (int i = 0; i < here->objects; i++)
        if (here->object[i].inode == d->value) {
            int fd = (int)CALL(fcntl, here->object[i].fd, F_DUPFD_CLOEXEC, above);
            (void)CALL(lseek, fd, d->position, SEEK_SET);
            return fd;
        }
    return (int)CALL(memfd_create, "hlrc-restored", MFD_CLOEXEC); /* it is mapped nowhere */
}

/* A descriptor of the process that continues, or a new one, above all that were saved. */
static int checkpoint_descriptors_make(const struct checkpoint_descriptors_here *here,
                                       const struct checkpoint_descriptor *d, int above,
                                       const int *standard)
{
    switch (d->kind) {
    case DESCRIPTOR_INHERITED:
        return (int)d->value;
    case DESCRIPTOR_STANDARD:
        return standard[d->value];
    case DESCRIPTOR_ROLE:
        return here->role[d->value];
    case DESCRIPTOR_OBJECT:
        return checkpoint_descriptors_object(here, d, above);
    case DESCRIPTOR_EVENT:
        return (int)CALL(eventfd2, d->value,
                         EFD_CLOEXEC | (d->flags & O_NONBLOCK) | (d->size ? EFD_SEMAPHORE : 0));
    default:
        return d->same >= 0 ? d->same : checkpoint_descriptors_open_file(d);
    }
}

static int checkpoint_descriptors_raise_one(int fd, int above)
{
    int high = fd < 0 ? -1 : (int)CALL(fcntl, fd, F_DUPFD_CLOEXEC, above);
    return high < 0 ? -1 : high;
}

/* Pipes and sockets that this process, too, was started with; a call with another one fails. */
static void checkpoint_descriptors_raise_inherited(const struct checkpoint_descriptors_here *here,
                                                   int above)
{
    for (uint32_t i = 0; i < kept.count; i++) {
        struct checkpoint_descriptor *d = &kept.file[i];
        struct stat st;
        if (d->kind != DESCRIPTOR_INHERITED)
            continue;
        bool is_open =
            CALL(fstat, d->fd, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)) &&
            checkpoint_descriptors_role_of(here->role, d->fd) == CHECKPOINT_DESCRIPTORS_ROLES;
        d->value = (uint64_t)(is_open ? checkpoint_descriptors_raise_one(d->fd, above) : -1);
    }
}

static int checkpoint_descriptors_highest(void)
{
    int highest = 2;
    for (uint32_t i = 0; i < kept.count; i++)
        if (kept.file[i].fd > highest)
            highest = kept.file[i].fd;
    return highest;
}

static void checkpoint_descriptors_restore_files(const struct checkpoint_descriptors_here *given)
{
    static struct checkpoint_descriptors_here here;
    int above = checkpoint_descriptors_highest() + 1, standard[3];
    here = *given;
    checkpoint_descriptors_raise_inherited(&here, above);
    for (int i = 0; i < 3; i++)
        standard[i] = checkpoint_descriptors_raise_one(i, above);
    for (int i = 0; i < CHECKPOINT_DESCRIPTORS_ROLES; i++)
        here.role[i] = checkpoint_descriptors_raise_one(here.role[i], above);
    for (int i = 0; i < here.objects; i++)
        here.object[i].fd = checkpoint_descriptors_raise_one(here.object[i].fd, above);
    (void)CALL(close_range, 3, above - 1, 0);
    bool is_standard[3] = { false };
    for (uint32_t i = 0; i < kept.count; i++) {
        const struct checkpoint_descriptor *d = &kept.file[i];
        int fd = checkpoint_descriptors_make(&here, d, above, standard);
        long rc = fd < 0 || fd == d->fd ? fd : CALL(dup3, fd, d->fd, O_CLOEXEC);
        if (rc >= 0)
            (void)CALL(fcntl, d->fd, F_SETFD, d->own_flags);
        if (fd >= 0 && fd != d->fd && fd < above && d->same != fd)
            (void)CALL(close, fd);
        if (d->fd < 3)
            is_standard[d->fd] = true;
        if (d->kind == DESCRIPTOR_INHERITED)
            checkpoint_descriptors_inherit(d->fd, d->fd);
    }
    for (int i = 0; i < 3; i++)
        checkpoint_descriptors_inherit(standard[i], i);
    for (int i = 0; i < 3; i++)
        if (!is_standard[i])
            (void)CALL(close, i);
    (void)CALL(close_range, above, ~0u, 0);
}

static void checkpoint_descriptors_restore_state(void)
{
    if (kept.directory[0] && CALL(chdir, kept.directory) != 0)
        checkpoint_calls_fail("the directory %.300s cannot be entered", kept.directory);
    (void)CALL(umask, kept.mask);
    for (int i = 0; i < (int)RLIM_NLIMITS; i++) {
        struct rlimit now;
        if (CALL(prlimit64, 0, i, NULL, &now) != 0 || now.rlim_cur == kept.limit[i].rlim_cur)
            continue;
        now.rlim_cur =
            kept.limit[i].rlim_cur < now.rlim_max ? kept.limit[i].rlim_cur : now.rlim_max;
        (void)CALL(prlimit64, 0, i, &now, NULL);
    }
    for (int sig = 1; sig <= SIGNALS; sig++)
        (void)CALL(rt_sigaction, sig, &kept.action[sig], NULL, sizeof(uint64_t));
    for (int i = 0; i < TIMERS; i++)
        (void)CALL(setitimer, i, &kept.timer[i], NULL);
}

void checkpoint_descriptors_restore(const struct checkpoint_descriptors_here *here)
{
    checkpoint_descriptors_restore_files(here);
    checkpoint_descriptors_restore_state();
}
