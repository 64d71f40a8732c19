/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* checkpoint_process.c - see checkpoint_process.h. */
#include "hlrc/checkpoint/checkpoint_process.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/quiet_thread.h"
#include "base/tasks.h"
#include "boot/boot.h"
#include "hlrc/checkpoint/checkpoint_calls.h"
#include "hlrc/checkpoint/checkpoint_image.h"
#include "hlrc/core/engine.h"

#define INTERVAL_LEAST_MS 100 /* of --checkpoint 0 */

static int count;
static struct checkpoint_process_calls call;
static struct checkpoint_job *job;
static pthread_t thread;
static bool runs;
static atomic_bool ends;
static atomic_int woken; /* a futex */

void checkpoint_process_set(int processes)
{
    count = processes;
}

int checkpoint_process_count(void)
{
    return count;
}

void checkpoint_process_wake(void)
{
    atomic_fetch_add(&woken, 1);
    (void)CALL(futex, &woken, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void checkpoint_process_sleep(int64_t ms, int seen)
{
    const struct timespec t = { ms / 1000, ms % 1000 * 1000000 };
    (void)CALL(futex, &woken, FUTEX_WAIT_PRIVATE, seen, &t, NULL, 0);
}

/* In the process that continues: what the new job has changed. */
static void checkpoint_process_resume(void)
{
    const struct checkpoint_image_given *given = checkpoint_image_given();
    char err[CONFIG_ERROR_MAX];
    memcpy(job->dir, given->dir, sizeof job->dir);
    memcpy(job->memory, given->memory, sizeof job->memory);
    strcpy(engine.config.restart, given->restart);
    engine.config.progress = given->progress;
    count = given->processes;
    job->interval_ms = given->interval_ms;
    if (given->here.role[CHECKPOINT_DESCRIPTORS_DIR] < 0)
        job->dir_fd = -1;
    checkpoint_manifest_free(&job->last);
    if (checkpoint_manifest_read(given->restart, &job->last, err, sizeof err) != 0)
        diag_warn("%s", err);
    job->full = true;
    job->resizes = false;
    if (job->dir[0])
        boot_resize(engine.boot, BOOT_RESIZE_READY, NULL);
    boot_resize(engine.boot, BOOT_RESIZE_RESTORED, NULL);
}

static void checkpoint_process_save(bool leaves)
{
    static struct checkpoint_result all[NODES_MAX];
    struct checkpoint_manifest next;
    int64_t begun = clock_ns();
    if (!job->dir[0])
        return;
    int rc = call.save_all(&next, leaves, all);
    checkpoint_manifest_free(rc ? &next : &job->last);
    if (rc == CHECKPOINT_IMAGE_RESUMED)
        checkpoint_process_resume();
    else if (rc && job->resizes)
        boot_resize(engine.boot, BOOT_RESIZE_REFUSED, "it cannot be saved");
    job->resizes = false;
    job->full = rc != 0 || job->to_disk; /* [checkpoint.all-or-none] */
    job->to_disk = false;
    if (rc)
        return;
    job->last = next;
    int64_t stopped = checkpoint_image_stopped_ns(), written = clock_ns() - begun - stopped;
    job->hurries = job->interval_ms > 0 && written / 1000000 > job->interval_ms;
    call.report(next.generation, all, stopped, written);
}

static int64_t checkpoint_process_due(void)
{
    return clock_ms() +
           (job->interval_ms < INTERVAL_LEAST_MS ? INTERVAL_LEAST_MS : job->interval_ms);
}

static void *checkpoint_process_main(void *unused)
{
    uint64_t usr1 = UINT64_C(1) << (SIGUSR1 - 1);
    (void)unused;
    (void)pthread_setname_np(pthread_self(), "hlrc-checkpoint");
    tasks_own(1);
    (void)CALL(rt_sigprocmask, SIG_UNBLOCK, &usr1, NULL, sizeof usr1);
    int64_t due = checkpoint_process_due();
    if (job->dir[0])
        boot_resize(engine.boot, BOOT_RESIZE_READY, NULL);
    while (!atomic_load(&ends)) {
        bool leaves = false;
        int seen = atomic_load(&woken);
        int64_t left = due - clock_ms();
        if (call.is_asked(&leaves) || left <= 0) {
            checkpoint_process_save(leaves);
            due = checkpoint_process_due();
        } else {
            checkpoint_process_sleep(left, seen);
        }
    }
    tasks_own(-1);
    return NULL;
}

int checkpoint_process_start(struct checkpoint_job *of,
                             const struct checkpoint_process_calls *calls)
{
    job = of;
    call = *calls;
    atomic_store(&ends, false);
    int rc = checkpoint_image_init();
    if (rc == 0)
        rc = quiet_thread_create(&thread, NULL, checkpoint_process_main, NULL);
    runs = rc == 0;
    if (rc)
        diag_report(1, "--checkpoint: %s",
                    rc == -ENOTSUP ? "this CPU, or this version of the C library, is not supported "
                                     "for a program that does not call hlrc_checkpoint"
                                   : strerror(-rc));
    return rc;
}

int checkpoint_process_become(const struct checkpoint_job *of)
{
    struct checkpoint_image_given *give = calloc(1, sizeof *give);
    char why[PATH_MAX + 512] = "no memory";
    if (give) {
        give->here.role[CHECKPOINT_DESCRIPTORS_LAUNCHER] = boot_fd(engine.boot);
        give->here.role[CHECKPOINT_DESCRIPTORS_DIR] = of->dir_fd;
        give->here.role[CHECKPOINT_DESCRIPTORS_FILE] = -1;
        give->interval_ms = of->interval_ms;
        give->progress = engine.config.progress;
        give->processes = count;
        memcpy(give->dir, of->dir, sizeof give->dir);
        memcpy(give->memory, of->memory, sizeof give->memory);
        strcpy(give->restart, engine.config.restart);
        (void)checkpoint_image_restore(&of->last, give, why, sizeof why);
    }
    free(give);
    diag_report(1, "--restart: %s", why);
    return -EINVAL;
}

void checkpoint_process_stop(void)
{
    if (!runs)
        return;
    atomic_store(&ends, true);
    checkpoint_process_wake();
    checkpoint_image_abandon();
    (void)pthread_join(thread, NULL);
    runs = false;
}
