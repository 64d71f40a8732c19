/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* checkpoint_leave.c - see checkpoint_leave.h. */
#include "hlrc/checkpoint/checkpoint_leave.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/diag.h"
#include "boot/boot.h"
#include "hlrc/checkpoint/checkpoint_calls.h"
#include "hlrc/checkpoint/checkpoint_process.h"
#include "hlrc/core/engine.h"
#include "hlrc/rma/window.h"

/* Of one process. */
static struct {
    const struct checkpoint_job *job;
    struct checkpoint_manifest_text text;
    char temporary[PATH_MAX], path[PATH_MAX], dir[PATH_MAX];
} leave;

_Noreturn void checkpoint_leave(const struct checkpoint_job *job, uint32_t generation)
{
    if (engine.node == 0 && job->resizes)
        boot_resize(engine.boot, BOOT_RESIZE_SAVED, NULL);
    else if (engine.node == 0)
        diag_job("checkpoint %u is complete, and the job ends with status %d; continue it with "
                 "hlrcrun --restart %s",
                 generation, STATUS_CONTINUE, job->dir);
    if (checkpoint_process_count() == 0) {
        job->finalize();
        exit(STATUS_CONTINUE);
    }
    (void)boot_quit(engine.boot, STATUS_CONTINUE);
    _exit(STATUS_CONTINUE); /* buffered output is saved */
}

int checkpoint_leave_prepare(const struct checkpoint_job *job, const char *dir,
                             struct checkpoint_manifest *next)
{
    next->program = checkpoint_manifest_program();
    leave.job = job;
    leave.text = checkpoint_manifest_prepare(next, &engine.config);
    snprintf(leave.dir, sizeof leave.dir, "%s", dir);
    snprintf(leave.temporary, sizeof leave.temporary, "%.*s/manifest.new", PATH_MAX - 16, dir);
    checkpoint_manifest_path(leave.path, sizeof leave.path, dir, next->generation);
    return leave.text.text ? 0 : -ENOMEM;
}

void checkpoint_leave_cancel(void)
{
    free(leave.text.text);
    leave.text.text = NULL;
}

static int checkpoint_leave_sync(const char *path, int flags, const char *text, size_t len)
{
    int fd = (int)CALL(openat, AT_FDCWD, path, flags | O_CLOEXEC, 0666);
    if (fd < 0)
        return fd;
    long put = len > 0 ? CALL(write, fd, text, len) : 0;
    int rc = put < 0 ? (int)put : put != (long)len ? -ENOSPC : (int)CALL(fsync, fd);
    (void)CALL(close, fd);
    return rc == -EINVAL && len == 0 ? 0 : rc; /* of a file system that cannot sync a directory */
}

/* As checkpoint_manifest_write does. */
static int checkpoint_leave_write_manifest(void)
{
    int rc = checkpoint_leave_sync(leave.temporary, O_WRONLY | O_CREAT | O_TRUNC, leave.text.text,
                                   leave.text.len);
    if (rc == 0)
        rc = checkpoint_leave_sync(leave.dir, O_RDONLY | O_DIRECTORY, NULL, 0);
    if (rc == 0)
        rc = (int)CALL(renameat2, AT_FDCWD, leave.temporary, AT_FDCWD, leave.path, 0);
    if (rc)
        (void)CALL(unlinkat, AT_FDCWD, leave.temporary, 0);
    if (rc == 0 && (rc = checkpoint_leave_sync(leave.dir, O_RDONLY | O_DIRECTORY, NULL, 0)) != 0)
        (void)CALL(unlinkat, AT_FDCWD, leave.path, 0);
    return rc;
}

int checkpoint_leave_process(uint64_t bytes)
{
    checkpoint_manifest_set_last_length(&leave.text, bytes);
    int rc = checkpoint_leave_write_manifest();
    if (rc)
        return rc;
    checkpoint_leave(leave.job, leave.text.generation);
}

const char *checkpoint_leave_refusal(bool any)
{
    if (!any)
        return "the program is saved by hlrc_checkpoint for this number of nodes; have it call "
               "hlrc_checkpoint_any";
    if (arena.top > 0)
        return "the program has windows (hlrc_window_create), which are saved for this number of "
               "nodes only";
    return NULL;
}
