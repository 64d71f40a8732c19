/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* checkpoint_save.c - see checkpoint_save.h. */
#include "hlrc/checkpoint/checkpoint_save.h"

#include <errno.h>
#include <hlrc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/quiet_thread.h"
#include "base/tasks.h"
#include "boot/boot.h"
#include "hlrc/checkpoint/checkpoint_exchange.h"
#include "hlrc/checkpoint/checkpoint_file.h"
#include "hlrc/checkpoint/checkpoint_image.h"
#include "hlrc/checkpoint/checkpoint_leave.h"
#include "hlrc/checkpoint/checkpoint_pages.h"
#include "hlrc/checkpoint/checkpoint_partner.h"
#include "hlrc/checkpoint/checkpoint_process.h"
#include "hlrc/checkpoint/checkpoint_queue.h"
#include "hlrc/checkpoint/checkpoint_room.h"
#include "hlrc/checkpoint/checkpoint_state.h"
#include "hlrc/checkpoint/checkpoint_store.h"
#include "hlrc/core/engine.h"
#include "hlrc/probe/probe.h"
#include "hlrc/rma/window.h"
#include "hlrc/sync/barrier.h"

/* Of the host's memory: what the queue leaves. */

static struct checkpoint_job *job;

/* The checkpoint that is being saved. The caller writes it before it closes the queue, or before
 * it creates the thread; then the thread owns it until it has ended. */
static struct {
    struct checkpoint_manifest next;
    struct checkpoint_result mine, all[NODES_MAX];
    struct checkpoint_queue queue;
    pthread_t thread;
    bool pending, threaded;
    atomic_bool done;
    int rc;
    int64_t captured_at, stopped_ns, written_ns;
    struct probe_span span; /* of the writing */
} save;

void checkpoint_save_init(struct checkpoint_job *of)
{
    job = of;
    checkpoint_exchange_reset();
}

/* ---- the file ---- */

static const char *checkpoint_save_target(const struct checkpoint_manifest *m)
{
    return m->partner ? job->memory : job->dir;
}

static char *checkpoint_save_path(char path[PATH_MAX], const struct checkpoint_manifest *next)
{
    return checkpoint_manifest_file(path, PATH_MAX, checkpoint_save_target(next), next->generation,
                                    (uint32_t)engine.node);
}

static struct checkpoint_file *checkpoint_save_create(int *rc)
{
    char path[PATH_MAX];
    struct checkpoint_file *f = checkpoint_file_create(checkpoint_save_path(path, &save.next), rc);
    if (f)
        checkpoint_file_limit(f, save.next.partner ? checkpoint_partner_room : NULL);
    return f;
}

static void checkpoint_save_finish(struct checkpoint_file *f, int rc)
{
    char path[PATH_MAX];
    if (f)
        rc = checkpoint_file_finish(f, &save.mine.bytes);
    if (rc)
        diag_warn("checkpoint %u: %s: %s; checkpoint %u is the last complete one",
                  save.next.generation, checkpoint_save_path(path, &save.next), strerror(-rc),
                  job->last.generation);
    if (rc)
        save.mine.rc = rc;
}

/* By the thread: a file that fails, or cannot be created, lets the queue become empty as well. */
static void checkpoint_save_drain(void)
{
    struct checkpoint_queue_piece *piece;
    int rc;
    struct checkpoint_file *f = checkpoint_save_create(&rc);
    while ((piece = checkpoint_queue_take(&save.queue))) {
        if (f)
            checkpoint_file_put(f, piece->bytes, piece->used);
        checkpoint_queue_release(&save.queue, piece);
    }
    if (f && save.mine.rc)
        checkpoint_file_fail(f, (int)save.mine.rc);
    checkpoint_save_finish(f, rc);
}

static void checkpoint_save_put(struct checkpoint_file *f)
{
    struct checkpoint_head head = { save.next.generation, (uint32_t)engine.node,
                                    (uint32_t)engine.nodes, engine.pages };
    checkpoint_file_put(f, &head, sizeof head);
    checkpoint_state_save(f);
    save.mine.pages = checkpoint_pages_save(f, save.next.base == save.next.generation);
}

/* ---- the manifest ---- */

/* A full one, if the chain has become long, or longer than the full one at its beginning. */
static bool checkpoint_save_is_full(void)
{
    const struct checkpoint_manifest *m = &job->last;
    uint64_t first = 0, rest = 0;
    if (job->full || job->to_disk || m->generation - m->base + 1 >= CHECKPOINT_CHAIN)
        return true;
    for (uint32_t i = 0; i < (m->generation - m->base + 1) * m->nodes; i++)
        *(i < m->nodes ? &first : &rest) += m->bytes[i];
    return rest > first;
}

/* The manifest of the next checkpoint; its own row of lengths is still missing. */
static int checkpoint_save_next(struct checkpoint_manifest *next, bool any)
{
    *next = (struct checkpoint_manifest){ .generation = job->last.generation + 1,
                                          .base = job->last.base,
                                          .nodes = (uint32_t)engine.nodes,
                                          .any = !any            ? 0
                                                 : arena.top > 0 ? CHECKPOINT_ANY_WINDOWS
                                                                 : 1,
                                          .partner = job->memory[0] && !job->to_disk,
                                          .processes = (uint32_t)checkpoint_process_count(),
                                          .app = (uint64_t)(uintptr_t)engine.app,
                                          .memory = engine.config.memory };
    if (checkpoint_save_is_full())
        next->base = next->generation;
    strcpy(next->version, HLRC_VERSION_STRING);
    size_t rows = next->generation - next->base + 1, row = next->nodes * sizeof *next->bytes;
    next->bytes = malloc(rows * row);
    if (next->bytes && rows > 1)
        memcpy(next->bytes, job->last.bytes, (rows - 1) * row);
    return next->bytes ? 0 : -ENOMEM;
}

/* By node 0, in memory by the first node of each store [checkpoint.manifest-last]
 * [checkpoint.copy-first]. */
static int checkpoint_save_complete(struct checkpoint_manifest *next)
{
    next->program = checkpoint_manifest_program();
    const char *dir = checkpoint_save_target(next);
    int rc = checkpoint_manifest_write(dir, next, &engine.config);
    if (rc)
        diag_warn("checkpoint %u: manifest in %s: %s; checkpoint %u is the last complete one",
                  next->generation, dir, strerror(-rc), job->last.generation);
    else if (job->last.generation > 0)
        checkpoint_manifest_clean(dir, job->last.base, job->last.generation);
    return rc;
}

/* ---- agreement ---- */

/* Collective: the results of all nodes. Returns 0, or the error of one of them. */
static int checkpoint_save_agree(const struct checkpoint_result *mine,
                                 struct checkpoint_result *all)
{
    int rc = 0;
    checkpoint_exchange(mine, sizeof *mine, all);
    for (int n = 0; n < engine.nodes && rc == 0; n++)
        rc = (int)all[n].rc;
    return rc;
}

/* This node's file is complete, or has failed. Collective. */
static int checkpoint_save_commit(struct checkpoint_manifest *next,
                                  const struct checkpoint_result *mine,
                                  struct checkpoint_result *all)
{
    static struct checkpoint_result unused[NODES_MAX];
    struct checkpoint_result done = { .rc = 0 };
    char path[PATH_MAX];
    int rc = checkpoint_save_agree(mine, all);
    uint64_t *row = next->bytes + (size_t)(next->generation - next->base) * next->nodes;
    for (int n = 0; n < engine.nodes && rc == 0; n++)
        row[n] = all[n].bytes;
    if (rc == 0 && next->partner && engine.nodes > 1)
        rc = checkpoint_partner_copy(job->memory, next, job->last.generation);
    if (rc == 0 && (next->partner ? checkpoint_store_leads(engine.node) : engine.node == 0))
        done.rc = checkpoint_save_complete(next);
    if (rc == 0)
        rc = checkpoint_save_agree(&done, unused);
    if (rc == 0 && next->partner)
        checkpoint_store_touch(job->interval_ms);
    if (rc && next->partner)
        checkpoint_partner_discard(job->memory, next);
    else if (rc)
        (void)unlink(checkpoint_save_path(path, next));
    return rc;
}

/* By node 0, as soon as it is complete. */
static void checkpoint_save_say(uint32_t generation, const struct checkpoint_result *all,
                                int64_t stopped_ns, int64_t written_ns)
{
    uint64_t pages = 0, bytes = 0;
    if (engine.node != 0 || !engine.config.progress)
        return;
    for (int n = 0; n < engine.nodes; n++) {
        pages += all[n].pages;
        bytes += all[n].bytes;
    }
    diag_job("checkpoint %u: %llu pages, %llu bytes, stopped for %lld ms, written in %lld ms",
             generation, (unsigned long long)pages, (unsigned long long)bytes,
             (long long)(stopped_ns / 1000000), (long long)(written_ns / 1000000));
}

static void checkpoint_save_conclude(void)
{
    save.rc = checkpoint_save_commit(&save.next, &save.mine, save.all);
    save.written_ns = clock_ns() - save.captured_at;
    PROBE_END(checkpoint_write, save.span, save.next.generation, save.mine.bytes);
    if (save.rc == 0)
        checkpoint_save_say(save.next.generation, save.all, save.stopped_ns, save.written_ns);
    atomic_store(&save.done, true);
}

/* ---- capture ---- */

static int checkpoint_save_room(void)
{
    return checkpoint_room_captured() > 0 ? 0 : -ENOMEM;
}

static void *checkpoint_save_main(void *unused)
{
    (void)unused;
    (void)pthread_setname_np(pthread_self(), "hlrc-checkpoint");
    tasks_own(1);
    checkpoint_save_drain();
    checkpoint_save_conclude();
    tasks_own(-1);
    return NULL;
}

static void checkpoint_save_slowly(uint32_t generation, const char *why)
{
    static bool said;
    if (!said)
        diag_warn("checkpoint %u: %s: the program waits while it is written", generation, why);
    said = true;
}

static bool checkpoint_save_start_thread(void)
{
    int rc = checkpoint_queue_open(&save.queue, checkpoint_save_room);
    if (rc == 0) {
        rc = quiet_thread_create(&save.thread, NULL, checkpoint_save_main, NULL);
        if (rc)
            checkpoint_queue_end(&save.queue);
    }
    if (rc)
        checkpoint_save_slowly(save.next.generation, strerror(-rc));
    return rc == 0;
}

/* For the thread. */
static void checkpoint_save_fill(void)
{
    int rc;
    struct checkpoint_file *f = checkpoint_file_divert(&save.queue, &rc);
    if (f) {
        checkpoint_save_put(f);
        rc = checkpoint_file_close(f);
    }
    save.mine.rc = rc;
    if (save.queue.waited)
        checkpoint_save_slowly(save.next.generation, "memory is short");
}

static void checkpoint_save_capture(void)
{
    int rc;
    if (save.threaded && save.mine.rc == 0) {
        checkpoint_save_fill();
    } else if (save.mine.rc == 0) {
        struct checkpoint_file *f = checkpoint_save_create(&rc);
        if (f)
            checkpoint_save_put(f);
        checkpoint_save_finish(f, rc);
    }
}

void checkpoint_save_begin(bool any, int64_t begun)
{
    save.mine = (struct checkpoint_result){ .rc = checkpoint_save_next(&save.next, any) };
    job->to_disk = false;
    save.pending = true;
    atomic_store(&save.done, false);
    save.threaded = checkpoint_save_start_thread();
    save.span = PROBE_BEGIN(checkpoint_write);
    checkpoint_save_capture();
    barrier_meet(MEETING_CHECKPOINT); /* [checkpoint.captured-first] */
    save.captured_at = clock_ns();
    save.stopped_ns = save.captured_at - begun;
    if (save.threaded) {
        save.span = PROBE_BEGIN(checkpoint_write);
        checkpoint_queue_close(&save.queue);
    } else {
        checkpoint_save_conclude();
    }
}

bool checkpoint_save_is_pending(void)
{
    return save.pending;
}

bool checkpoint_save_is_done(void)
{
    return atomic_load(&save.done);
}

static void checkpoint_save_count(const struct checkpoint_result *mine, int64_t stopped_ns,
                                  int64_t written_ns)
{
    PROBE(checkpoint_saved, mine->pages, mine->bytes, (uint64_t)(stopped_ns / 1000),
          (uint64_t)(written_ns / 1000));
}

int checkpoint_save_await(void)
{
    if (!save.pending)
        return 0;
    if (save.threaded) {
        (void)pthread_join(save.thread, NULL);
        checkpoint_queue_end(&save.queue);
    }
    save.pending = false;
    /* the next one: after an error [checkpoint.all-or-none], and after one on the disk instead of
     * in memory */
    job->full = save.rc != 0 || save.next.partner != (job->memory[0] != '\0');
    checkpoint_manifest_free(save.rc ? &save.next : &job->last);
    if (save.rc)
        return save.rc;
    job->last = save.next;
    checkpoint_save_count(&save.all[engine.node], save.stopped_ns, save.written_ns);
    return 0;
}

/* ---- one process ---- */

int checkpoint_save_process(struct checkpoint_manifest *next, bool leaves,
                            struct checkpoint_result *all)
{
    char path[PATH_MAX], why[PATH_MAX + 512] = "";
    struct checkpoint_image_result result = { .pages = 0 };
    struct checkpoint_result mine = { .rc = checkpoint_save_next(next, false) };
    if (mine.rc == 0 && leaves)
        mine.rc = checkpoint_leave_prepare(job, checkpoint_save_target(next), next);
    checkpoint_image_set_leave(leaves ? checkpoint_leave_process : NULL);
    if (mine.rc == 0)
        mine.rc =
            checkpoint_image_save(checkpoint_save_path(path, next), next, job->hurries,
                                  boot_fd(engine.boot), job->dir_fd, &result, why, sizeof why);
    checkpoint_leave_cancel();
    if (mine.rc == CHECKPOINT_IMAGE_RESUMED)
        return CHECKPOINT_IMAGE_RESUMED;
    if (result.waited)
        checkpoint_save_slowly(next->generation, "memory is short");
    mine.pages = result.pages;
    mine.bytes = result.bytes;
    if (mine.rc < 0 && why[0]) /* otherwise the program has ended */
        diag_warn("checkpoint %u cannot be saved: %s; %s", next->generation, why,
                  job->last.generation > 0 ? "the one before is the last complete one"
                                           : "there is none yet");
    return checkpoint_save_commit(next, &mine, all);
}

void checkpoint_save_report(uint32_t generation, const struct checkpoint_result *all,
                            int64_t stopped_ns, int64_t written_ns)
{
    checkpoint_save_say(generation, all, stopped_ns, written_ns);
    checkpoint_save_count(&all[engine.node], stopped_ns, written_ns);
}
