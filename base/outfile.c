/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* outfile.c - see outfile.h. */
#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct outfile_writing {
    void (*put)(FILE *out, const void *arg);
    const void *arg;
};

bool outfile_special(const char *name)
{
    struct stat st;
    return stat(name, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static int outfile_try(const char *option, const char *name, char *err, size_t errlen)
{
    int rc = 0;
    if (outfile_special(name)) {
        rc = access(name, W_OK) < 0 ? -errno : 0;
    } else {
        int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        rc = fd < 0 ? -errno : 0;
        if (fd >= 0)
            close(fd);
    }
    if (rc)
        snprintf(err, errlen, "%s%.300s: %s; give a file in a directory that can be written",
                 option, name, strerror(-rc));
    return rc;
}

int outfile_try_all(const struct config *cfg, bool trace, char *err, size_t errlen)
{
    const struct {
        const char *option, *name;
    } files[] = { { "--stats=", cfg->stats },
                  { "--trace ", trace ? cfg->trace : "" },
                  { "--trace-sim ", cfg->trace_sim },
                  { "--profile=", cfg->profile } };
    int rc = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files && rc == 0; i++)
        if (config_is_file(files[i].name))
            rc = outfile_try(files[i].option, files[i].name, err, errlen);
    return rc;
}

static int outfile_write_to(const char *name, const struct outfile_writing *w, int flags)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | flags, 0666);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (!out)
        return -errno;
    errno = 0;
    w->put(out, w->arg);
    int rc = !ferror(out) ? 0 : errno ? -errno : -EIO;
    if (fclose(out) != 0 && rc == 0)
        rc = -errno;
    return rc;
}

/* Writes to a temporary name in the same directory, then renames. Whatever has that name is
 * removed, not written to: it may be another user's symbolic link. */
static int outfile_write_whole(const char *name, const struct outfile_writing *w)
{
    char temporary[PATH_MAX];
    if (snprintf(temporary, sizeof temporary, "%s.%ld.tmp", name, (long)getpid()) >=
        (int)sizeof temporary)
        return -ENAMETOOLONG;
    (void)unlink(temporary);
    int rc = outfile_write_to(temporary, w, O_EXCL);
    if (rc == 0 && rename(temporary, name) != 0)
        rc = -errno;
    if (rc)
        (void)unlink(temporary);
    return rc;
}

int outfile_write(const char *name, bool waits, void (*put)(FILE *out, const void *arg),
                  const void *arg)
{
    struct outfile_writing w = { put, arg };
    if (outfile_special(name))
        return outfile_write_to(name, &w, waits ? 0 : O_NONBLOCK);
    /* a symbolic link stays; its target is replaced */
    char *real = realpath(name, NULL);
    int rc = outfile_write_whole(real ? real : name, &w);
    if (rc == -EACCES || rc == -EPERM || rc == -EEXIST)
        rc = outfile_write_to(name, &w, 0);
    free(real);
    return rc;
}
