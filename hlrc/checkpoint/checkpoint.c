/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* checkpoint.c - see checkpoint.h. */
#include "hlrc/checkpoint/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <hlrc.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/system_sigaction.h"
#include "boot/boot.h"
#include "hlrc/checkpoint/checkpoint_choice.h"
#include "hlrc/checkpoint/checkpoint_file.h"
#include "hlrc/checkpoint/checkpoint_job.h"
#include "hlrc/checkpoint/checkpoint_leave.h"
#include "hlrc/checkpoint/checkpoint_manifest.h"
#include "hlrc/checkpoint/checkpoint_pages.h"
#include "hlrc/checkpoint/checkpoint_partner.h"
#include "hlrc/checkpoint/checkpoint_process.h"
#include "hlrc/checkpoint/checkpoint_save.h"
#include "hlrc/checkpoint/checkpoint_state.h"
#include "hlrc/checkpoint/checkpoint_store.h"
#include "hlrc/core/call.h"
#include "hlrc/core/engine.h"
#include "hlrc/heap/collective.h"
#include "hlrc/heap/heap.h"
#include "hlrc/memory/page.h"
#include "hlrc/probe/probe.h"
#include "hlrc/rma/handle.h"
#include "hlrc/sync/barrier.h"
#include "hlrc/sync/lock.h"

/* Of node 0, for all nodes. */
struct checkpoint_decision {
    uint32_t wish;
    uint32_t awaits; /* the checkpoint that was begun by an earlier call */
};

enum checkpoint_wish {
    CHECKPOINT_NONE,
    CHECKPOINT_SAVE,
    CHECKPOINT_SAVE_ASKED,
    CHECKPOINT_SAVE_AND_END,
    CHECKPOINT_SAVE_AND_RESIZE
};

static struct checkpoint_job job;

/* By SIGUSR1, and by SIGUSR1 with a value. */
static volatile sig_atomic_t asked, asked_resize;

/* ---- start and end ---- */

static void checkpoint_ask(int sig, siginfo_t *info, void *unused)
{
    (void)sig, (void)unused;
    if (info->si_code == SI_QUEUE && info->si_value.sival_int > 0)
        asked_resize = 1;
    else
        asked = 1;
    checkpoint_process_wake();
}

/* The program's own handler stays. */
static void checkpoint_listen(void)
{
    struct sigaction action = { .sa_sigaction = checkpoint_ask,
                                .sa_flags = SA_RESTART | SA_SIGINFO },
                     before;
    if (system_sigaction(SIGUSR1, NULL, &before) != 0 || before.sa_handler != SIG_DFL ||
        system_sigaction(SIGUSR1, &action, NULL) != 0)
        return;
    if (engine.node == 0 && checkpoint_process_count() == 0)
        boot_resize(engine.boot, BOOT_RESIZE_READY, NULL);
}

/* Checkpoints there are not of the job that this one continues. */
static bool checkpoint_is_foreign(uint32_t newest)
{
    return newest > 0 && !(job.restores && (newest == job.last.generation || job.last.partner));
}

/* Nodes of the job before that run on other hosts than its launcher may end after it. */
#define LOCK_WAIT_MS 10000

static bool checkpoint_is_locked(void)
{
    bool waits = job.restores && boot_launcher(engine.boot) == BOOT_OTHER;
    int64_t until = clock_ms() + (waits ? LOCK_WAIT_MS : 0);
    while (flock(job.dir_fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        if (clock_ms() >= until)
            return true;
        nanosleep(&(struct timespec){ 0, 20000000 }, NULL);
    }
    return false;
}

/* Two jobs would remove each other's files. */
static int checkpoint_lock_dir(void)
{
    int rc = mkdir(job.dir, 0777) != 0 && errno != EEXIST ? -errno : 0;
    job.dir_fd = rc ? -1 : open(job.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (rc == 0 && (job.dir_fd < 0 || access(job.dir, W_OK | X_OK) != 0))
        rc = -errno;
    if (rc) {
        diag_report(1, "--checkpoint: %s: %s; give a directory that can be written", job.dir,
                    strerror(-rc));
    } else if (checkpoint_is_locked()) {
        diag_report(1, "--checkpoint: %s is in use by another job; give another directory",
                    job.dir);
        rc = -EBUSY;
    } else if (checkpoint_is_foreign(checkpoint_manifest_newest(job.dir))) {
        diag_report(1,
                    "--checkpoint: %s has checkpoints of an earlier job; continue it with "
                    "--restart, or remove them",
                    job.dir);
        rc = -EEXIST;
    }
    return rc;
}

static int checkpoint_choose_dir(void)
{
    const char *dir = "";
    int64_t seconds = 0;
    char here[PATH_MAX / 2] = "";
    if (!engine.config.checkpoint[0])
        return 0;
    (void)config_checkpoint(&engine.config, &seconds, &dir);
    job.interval_ms = seconds * 1000;
    job.due_ms = clock_ms() + job.interval_ms;
    if (dir[0] != '/' && !getcwd(here, sizeof here))
        here[0] = '\0';
    snprintf(job.dir, sizeof job.dir, "%s%s%s", here, here[0] ? "/" : "", dir);
    checkpoint_listen();
    return engine.node == 0 ? checkpoint_lock_dir() : 0;
}

static int checkpoint_check_restart(const struct checkpoint_manifest *m)
{
    if (strcmp(m->version, HLRC_VERSION_STRING) != 0)
        diag_report(1, "--restart %s: saved by version %s; this is version %s",
                    engine.config.restart, m->version, HLRC_VERSION_STRING);
    else if (m->program != checkpoint_manifest_program())
        diag_report(1, "--restart %s: saved by another program: %s, as it was then",
                    engine.config.restart, m->path);
    else if ((m->processes > 0) != (checkpoint_process_count() > 0))
        diag_report(1,
                    "--restart %s: the program was saved %s; start it in the same way, without "
                    "--placement-control off and the like",
                    engine.config.restart,
                    m->processes > 0 ? "as one process" : "by its calls of hlrc_checkpoint");
    else if (m->processes > 0)
        return 0;
    else if (m->nodes != (uint32_t)engine.nodes && (!m->any || m->partner))
        diag_report(1,
                    "--restart %s: saved by %u nodes for as many; start with -n %u, or have the "
                    "program call hlrc_checkpoint_any",
                    engine.config.restart, m->nodes, m->nodes);
    else if (m->memory != engine.config.memory)
        diag_report(1, "--restart %s: --memory is %llu bytes, and was %llu", engine.config.restart,
                    (unsigned long long)engine.config.memory, (unsigned long long)m->memory);
    else if (m->app != (uint64_t)(uintptr_t)engine.app)
        diag_report(1, "--restart %s: shared memory is at %p, and was at %#llx",
                    engine.config.restart, (void *)engine.app, (unsigned long long)m->app);
    else
        return 0;
    return -EINVAL;
}

/* Each node reads the manifest: not all hosts may have the directory. */
static int checkpoint_read_manifest(void)
{
    char err[CONFIG_ERROR_MAX];
    int rc = checkpoint_manifest_read(engine.config.restart, &job.last, err, sizeof err);
    if (rc)
        diag_report(1, "%s", err);
    return rc;
}

/* On several hosts, where hlrcrun has not chosen the checkpoint. */
static int checkpoint_choose(void)
{
    const char *dir = "";
    int64_t seconds;
    (void)config_checkpoint(&engine.config, &seconds, &dir);
    int rc = checkpoint_choice_make(job.memory, dir, &job.last);
    if (rc != 0)
        return rc < 0 ? rc : 0;
    memmove(engine.config.restart, dir, strlen(dir) + 1);
    return checkpoint_read_manifest();
}

static int checkpoint_read_restart(void)
{
    int rc = checkpoint_store_is_root(engine.config.restart) ? checkpoint_choose()
                                                             : checkpoint_read_manifest();
    job.restores = true;
    if (rc == 0 && engine.config.memory == 0)
        engine.config.memory = job.last.memory;
    return rc;
}

int checkpoint_read(void (*finalize)(void))
{
    memset(&job, 0, sizeof job);
    job.finalize = finalize;
    job.dir_fd = -1;
    job.full = true;
    asked = asked_resize = 0;
    checkpoint_save_init(&job);
    int rc =
        engine.config.checkpoint[0] ? checkpoint_store_open(engine.config.partner, job.memory) : 0;
    return rc == 0 && engine.config.restart[0] ? checkpoint_read_restart() : rc;
}

static int checkpoint_start_process(void);

int checkpoint_start(void)
{
    int rc = job.restores && engine.node == 0 ? checkpoint_check_restart(&job.last) : 0;
    if (rc == 0)
        rc = checkpoint_choose_dir();
    if (rc == 0 && checkpoint_process_count() > 0 && (job.dir[0] || job.restores))
        return checkpoint_start_process();
    if (rc == 0 && job.dir[0])
        rc = checkpoint_pages_init();
    return rc;
}

void checkpoint_complete(void)
{
    (void)checkpoint_save_await(); /* [checkpoint.end-waits] */
}

void checkpoint_end(void)
{
    checkpoint_process_stop();
    if (job.dir[0] && !job.called && engine.node == 0 && checkpoint_process_count() == 0)
        diag_job("--checkpoint: the program has not called hlrc_checkpoint: nothing was saved");
    if (job.dir_fd >= 0)
        close(job.dir_fd);
    if (job.dir[0] && checkpoint_process_count() == 0)
        checkpoint_pages_end();
    checkpoint_store_close();
    checkpoint_manifest_free(&job.last);
    checkpoint_state_end();
    memset(&job, 0, sizeof job);
}

/* ---- agreement ---- */

/* Collective: the results of all nodes. Returns 0, or the error of one of them. */
static int checkpoint_agree(const struct checkpoint_result *mine, struct checkpoint_result *all)
{
    int rc = boot_exchange(engine.boot, mine, sizeof *mine, all);
    for (int n = 0; n < engine.nodes && rc == 0; n++)
        rc = (int)all[n].rc;
    return rc;
}

static int checkpoint_all_free(void)
{
    uint32_t thread;
    if (lock_held_from(0, &thread) == LOCK_NONE)
        return 0;
    lock_tell_held("hlrc_checkpoint");
    return -EBUSY;
}

/* All nodes are here, all their writes are at the homes, and no lock is held. */
static int checkpoint_settle(struct checkpoint_result *all)
{
    struct checkpoint_result mine = { .rc = checkpoint_all_free(), .met = page_met() };
    int rc = checkpoint_agree(&mine, all);
    if (rc == 0) {
        heap_trim();
        barrier_all(MEETING_CHECKPOINT);
    }
    return rc;
}

/* ---- restoring ---- */

_Noreturn static void checkpoint_refuse_file(const char *path, int rc)
{
    diag_fatal(1, "--restart: %s: %s", path, rc == -EBADMSG ? "damaged" : strerror(-rc));
}

static struct checkpoint_file *checkpoint_open_file(char *path, size_t len, uint32_t generation,
                                                    uint32_t node)
{
    int rc;
    struct checkpoint_head head;
    checkpoint_manifest_file(path, len, job.last.partner ? job.memory : engine.config.restart,
                             generation, node);
    struct checkpoint_file *f = checkpoint_file_open(path, &rc);
    if (!f)
        checkpoint_refuse_file(path, rc);
    checkpoint_file_get(f, &head, sizeof head);
    if (checkpoint_file_status(f) == 0 &&
        (head.generation != generation || head.node != node || head.pages != engine.pages))
        checkpoint_file_fail(f, -EBADMSG);
    return f;
}

static void checkpoint_close_file(struct checkpoint_file *f, const char *path)
{
    int rc = checkpoint_file_close(f);
    if (rc)
        checkpoint_refuse_file(path, rc);
}

/* With fewer nodes than before, each node stores the pages of several; with more, several share the
 * pages of one. */
static bool checkpoint_shares(uint32_t node, struct checkpoint_pages_load *l)
{
    uint32_t me = (uint32_t)engine.node, here = (uint32_t)engine.nodes, nodes = job.last.nodes;
    *l = (struct checkpoint_pages_load){ .share = 1 };
    if (here <= nodes)
        return node % here == me;
    l->share = (here - node + nodes - 1) / nodes;
    l->rank = me / nodes;
    return me % nodes == node;
}

static void checkpoint_load_older(uint32_t node, struct checkpoint_pages_load *l)
{
    char path[PATH_MAX];
    for (uint32_t g = job.last.generation - 1; l->left > 0 && g >= job.last.base; g--) {
        struct checkpoint_file *f = checkpoint_open_file(path, sizeof path, g, node);
        checkpoint_state_skip(f);
        checkpoint_pages_load_older(l, f);
        checkpoint_close_file(f, path);
    }
    if (l->left > 0)
        diag_fatal(1, "--restart: %llu pages of node %u are in no file",
                   (unsigned long long)l->left, node);
}

static void checkpoint_load_node(uint32_t node)
{
    char path[PATH_MAX];
    struct checkpoint_pages_load l;
    struct checkpoint_file *f = checkpoint_open_file(path, sizeof path, job.last.generation, node);
    checkpoint_state_load(f, node, job.last.nodes);
    if (!checkpoint_shares(node, &l)) {
        checkpoint_close_file(f, path);
        return;
    }
    checkpoint_pages_load_newest(&l, f);
    checkpoint_close_file(f, path);
    checkpoint_load_older(node, &l);
    checkpoint_pages_load_end(&l);
}

/* Heap pages that any node has used in this process. */
static uint32_t checkpoint_used(const struct checkpoint_result *all)
{
    uint64_t most = engine.alone ? engine_heap_pages() : 0;
    for (int n = 0; n < engine.nodes; n++)
        most = all[n].met > most ? all[n].met : most;
    return most < engine_heap_pages() ? (uint32_t)most : engine_heap_pages();
}

static int checkpoint_restore(void)
{
    static struct checkpoint_result all[NODES_MAX];
    int rc = checkpoint_settle(all);
    if (rc)
        return rc;
    if (job.last.partner && (rc = checkpoint_partner_recover(job.memory, &job.last)) != 0)
        diag_fatal(1, "--restart: checkpoint %u in %s: %s", job.last.generation, job.memory,
                   strerror(-rc));
    collective_clear(0, checkpoint_used(all), MEETING_CHECKPOINT);
    rc = checkpoint_state_load_begin();
    for (uint32_t node = 0; node < job.last.nodes && rc == 0; node++)
        if (!job.last.partner || node == (uint32_t)engine.node)
            checkpoint_load_node(node);
    if (rc == 0)
        rc = checkpoint_state_load_end();
    if (rc)
        diag_fatal(1, "--restart: %s",
                   rc == -ERANGE
                       ? "more locks, condition variables or atomic words are in use than "
                         "this number of nodes has; use more nodes"
                       : strerror(-rc));
    barrier_all(MEETING_CHECKPOINT);
    checkpoint_state_adopt();
    barrier_all(MEETING_CHECKPOINT);
    job.restores = false;
    if (engine.node == 0)
        boot_resize(engine.boot, BOOT_RESIZE_RESTORED, NULL);
    return 1;
}

/* ---- one process ---- */

/* Only node 0 is left. */
static bool checkpoint_process_asked(bool *leaves)
{
    bool now = (asked || asked_resize) && job.dir[0];
    job.resizes = now && asked_resize;
    asked = asked_resize = 0;
    job.to_disk = now && job.memory[0];
    job.hurries |= now;
    *leaves = now && (job.resizes || secure_getenv("SLURM_JOB_ID"));
    if (job.resizes)
        boot_resize(engine.boot, BOOT_RESIZE_BEGUN, NULL);
    return now;
}

static int checkpoint_start_process(void)
{
    static const struct checkpoint_process_calls calls = { checkpoint_process_asked,
                                                           checkpoint_save_process,
                                                           checkpoint_save_report };
    return job.restores ? checkpoint_process_become(&job) : checkpoint_process_start(&job, &calls);
}

/* ---- the call ---- */

/* By node 0. */
static bool checkpoint_may_resize(bool any)
{
    const char *why = checkpoint_leave_refusal(any);
    if (why) {
        asked_resize = 0;
        boot_resize(engine.boot, BOOT_RESIZE_REFUSED, why);
    }
    return !why;
}

/* By node 0. A checkpoint that becomes due while one is being written begins after it, without
 * waiting for it; one that was requested waits. */
static struct checkpoint_decision checkpoint_decide(bool any)
{
    job.resizes = asked_resize && job.dir[0] && checkpoint_may_resize(any);
    bool now = asked || job.resizes, pending = checkpoint_save_is_pending();
    bool written = !pending || checkpoint_save_is_done();
    struct checkpoint_decision d = { CHECKPOINT_NONE, pending && written };
    if (!job.dir[0] || (!now && (!written || clock_ms() < job.due_ms)))
        return d;
    asked = asked_resize = 0;
    d.awaits = pending;
    d.wish = CHECKPOINT_SAVE;
    if (job.resizes)
        d.wish = CHECKPOINT_SAVE_AND_RESIZE;
    else if (now)
        d.wish = secure_getenv("SLURM_JOB_ID") ? CHECKPOINT_SAVE_AND_END : CHECKPOINT_SAVE_ASKED;
    return d;
}

/* Collective. With --checkpoint 0 it is complete when it returns, and before the job ends. */
static int checkpoint_save(bool any, enum checkpoint_wish wish)
{
    static struct checkpoint_result all[NODES_MAX];
    int64_t begun = clock_ns();
    int rc = checkpoint_settle(all);
    if (rc)
        return rc;
    job.to_disk = job.memory[0] && wish >= CHECKPOINT_SAVE_ASKED;
    checkpoint_save_begin(any, begun);
    if (job.interval_ms == 0 || wish >= CHECKPOINT_SAVE_AND_END)
        rc = checkpoint_save_await();
    job.due_ms = clock_ms() + job.interval_ms;
    return rc;
}

static int checkpoint_call(bool any)
{
    struct checkpoint_decision d = { CHECKPOINT_NONE, 0 };
    if (!job.restores)
        d = checkpoint_decide(any);
    heap_flush();
    handle_fence_all();
    collective_share(MEETING_CHECKPOINT, any, &d, sizeof d);
    if (job.restores)
        return checkpoint_restore();
    int before = d.awaits ? checkpoint_save_await() : 0; /* [checkpoint.one-at-a-time] */
    if (d.wish == CHECKPOINT_NONE)
        return before;
    job.resizes = d.wish == CHECKPOINT_SAVE_AND_RESIZE;
    if (job.resizes && engine.node == 0)
        boot_resize(engine.boot, BOOT_RESIZE_BEGUN, NULL);
    int rc = checkpoint_save(any, (enum checkpoint_wish)d.wish);
    if (rc == 0 && d.wish >= CHECKPOINT_SAVE_AND_END)
        checkpoint_leave(&job, job.last.generation);
    if (job.resizes && engine.node == 0)
        boot_resize(engine.boot, BOOT_RESIZE_REFUSED, "it cannot be saved");
    job.resizes = false;
    return rc ? rc : before;
}

static int checkpoint_public(const char *call, bool any)
{
    call_check(call);
    if (!engine.config.checkpoint[0] && !engine.config.restart[0])
        return 0;
    job.called = true;
    int before; /* a cancelled caller would leave the others waiting */
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    struct probe_span span = PROBE_BEGIN(barrier_call);
    int rc = checkpoint_call(any);
    PROBE_END(barrier_call, span);
    (void)pthread_setcancelstate(before, NULL);
    return rc;
}

int hlrc_checkpoint(void)
{
    return checkpoint_public("hlrc_checkpoint", false);
}

int hlrc_checkpoint_any(void)
{
    return checkpoint_public("hlrc_checkpoint_any", true);
}
