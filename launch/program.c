/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launch/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* 0: can be run. -EPERM: existence is unknown, since the user may not search a folder of the
 * path. */
static int program_file_check(const char *path)
{
    struct stat status;

    if (stat(path, &status) < 0)
        return errno == EACCES ? -EPERM : -errno;
    if (S_ISDIR(status.st_mode))
        return -EISDIR;
    return access(path, X_OK) < 0 ? -errno : 0;
}

static int program_file_refuse(const char *path, int err_number, char *err, size_t errlen)
{
    switch (err_number) {
    case -ENOENT:
    case -ENOTDIR:
        snprintf(err, errlen, "%.300s: no such program; check the path", path);
        return -ENOENT;
    case -EISDIR:
        snprintf(err, errlen, "%.300s: a directory, not a program", path);
        return -EACCES;
    case -EACCES:
        snprintf(err, errlen,
                 "%.300s: cannot be executed (permission denied); make it executable with chmod +x",
                 path);
        return -EACCES;
    case -EPERM:
        snprintf(err, errlen,
                 "%.300s: a directory of this path cannot be searched (permission denied); check "
                 "the path, or chmod +x that directory",
                 path);
        return -EACCES;
    default:
        snprintf(err, errlen, "%.300s: %s", path, strerror(-err_number));
        return -EACCES;
    }
}

/* Writes the next folder of PATH with name appended to path; an empty folder is the current
 * one. */
static const char *program_path_next(const char *folders, const char *name, char *path, size_t len)
{
    size_t folder = strcspn(folders, ":");

    snprintf(path, len, "%.*s/%s", folder > 0 ? (int)folder : 1, folder > 0 ? folders : ".", name);
    return folders[folder] == ':' ? folders + folder + 1 : NULL;
}

/* Not found. closed: the first candidate that could not be checked, or empty. */
static int program_path_refuse(const char *name, const char *closed, char *err, size_t errlen)
{
    char here[PATH_MAX];

    snprintf(here, sizeof here, "./%s", name);
    if (program_file_check(here) == 0)
        snprintf(err, errlen, "%.300s: not in PATH, but in this directory; write %.300s", name,
                 here);
    else if (*closed != '\0')
        snprintf(err, errlen,
                 "%.300s: no such program in PATH; its directory %.*s cannot be searched; check "
                 "the name, or give a path",
                 name, (int)(strlen(closed) - strlen(name) - 1), closed);
    else
        snprintf(err, errlen, "%.300s: no such program in PATH; check the name, or give a path",
                 name);
    return -ENOENT;
}

static int program_path_search(const char *name, char *path, size_t len, char *err, size_t errlen)
{
    const char *folders = getenv("PATH");
    char closed[PATH_MAX] = "", barred[PATH_MAX] = "";

    if (folders == NULL)
        folders = "/usr/local/bin:/usr/bin:/bin";
    while (folders != NULL) {
        int ret;

        folders = program_path_next(folders, name, path, len);
        ret = program_file_check(path);
        if (ret == 0)
            return 0;
        if (ret == -EACCES && *barred == '\0')
            snprintf(barred, sizeof barred, "%s", path);
        if (ret == -EPERM && *closed == '\0')
            snprintf(closed, sizeof closed, "%s", path);
    }
    if (*barred != '\0')
        return program_file_refuse(barred, -EACCES, err, errlen);
    return program_path_refuse(name, closed, err, errlen);
}

int program_find(const char *name, char *path, size_t len, char *err, size_t errlen)
{
    int ret;

    if (strchr(name, '/') == NULL && *name != '\0')
        return program_path_search(name, path, len, err, errlen);
    snprintf(path, len, "%s", name);
    ret = *name != '\0' ? program_file_check(path) : -ENOENT;
    return ret < 0 ? program_file_refuse(path, ret, err, errlen) : 0;
}

bool program_is_this(const char *path)
{
    char name[PATH_MAX] = "";
    struct stat file, own;

    /* the link is read, since an emulator names the emulated program there */
    return readlink("/proc/self/exe", name, sizeof name - 1) > 0 && stat(name, &own) == 0 &&
           stat(path, &file) == 0 && file.st_dev == own.st_dev && file.st_ino == own.st_ino;
}

/* The first bytes of the file, with a zero after them. */
static size_t program_head_read(const char *path, char *head, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd >= 0 ? pread(fd, head, size - 1, 0) : 0;

    if (fd >= 0)
        close(fd);
    head[n > 0 ? n : 0] = '\0';
    return n > 0 ? (size_t)n : 0;
}

bool program_is_elf(const char *path)
{
    char head[SELFMAG + 1];

    return program_head_read(path, head, sizeof head) == SELFMAG &&
           memcmp(head, ELFMAG, SELFMAG) == 0;
}

static const char *program_script_failure(const char *head, char *text, size_t len)
{
    const char *name = head + 2 + strspn(head + 2, " \t");
    int end = (int)strcspn(name, " \t\r\n");

    if (name[end] == '\r')
        return "the lines of this script end with a carriage return; remove them: sed -i "
               "'s/\\r$//' FILE";
    snprintf(text, len, "its interpreter %.*s is missing; correct the first line, or install it",
             end, name);
    return text;
}

const char *program_run_failure(const char *path, int err, char *text, size_t len)
{
    char head[256] = "";
    size_t n = program_head_read(path, head, sizeof head);
    bool elf = n > EI_CLASS && memcmp(head, ELFMAG, SELFMAG) == 0;

    if (err == ENOENT && memcmp(head, "#!", 2) == 0)
        return program_script_failure(head, text, len);
    if (err == ENOENT && elf && head[EI_CLASS] == ELFCLASS32)
        return "its loader is missing: a program of 32 bits; install the C library of 32 bits, or "
               "build it for this machine";
    if (err == ENOENT && elf)
        return "its loader is missing (readelf -l shows it); build it on this machine";
    if (err == ENOEXEC && elf)
        return "built for another kind of processor; build it on this machine";
    return "cannot be run";
}

/* Names stand in the program's table of strings, each between two zeros. */
static bool program_wants(const char *file, size_t len)
{
    static const char names[][20] = { "\0GOMP_parallel", "\0__kmpc_fork_call", "\0pthread_create" };
    bool found = false;

    for (size_t i = 0; !found && i < sizeof names / sizeof *names; i++)
        found = memmem(file, len, names[i], strlen(names[i] + 1) + 2) != NULL;
    return found;
}

bool program_starts_threads(const char *path)
{
    struct stat status;
    bool found = false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0)
        return false;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > SELFMAG) {
        size_t len = (size_t)status.st_size;
        char *file = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0);

        if (file != MAP_FAILED) {
            found = memcmp(file, ELFMAG, SELFMAG) == 0 && program_wants(file, len);
            munmap(file, len);
        }
    }
    close(fd);
    return found;
}
