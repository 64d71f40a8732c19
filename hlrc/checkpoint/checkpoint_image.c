/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* checkpoint_image.c - saves a process; see checkpoint_image.h. */
#include "hlrc/checkpoint/checkpoint_image.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "hlrc/checkpoint/checkpoint_calls.h"
#include "hlrc/checkpoint/checkpoint_context.h"
#include "hlrc/checkpoint/checkpoint_image_file.h"
#include "hlrc/checkpoint/checkpoint_memory.h"
#include "hlrc/checkpoint/checkpoint_partner.h"
#include "hlrc/checkpoint/checkpoint_room.h"
#include "hlrc/checkpoint/checkpoint_threads.h"

#define SPARE_PAGES 65536               /* that may be mapped while threads are being stopped */
#define KEPT_MORE   ((uint64_t)4 << 20) /* for the mappings, and for memory that is used since */
#define CHILD_NICE  10

/* Written by the child. */
struct checkpoint_image_child {
    int64_t rc;
    uint64_t pages, bytes;
};

static struct {
    struct checkpoint_maps maps;
    struct checkpoint_memory_table table[2]; /* of the last checkpoint, and of the next */
    int last;
    struct checkpoint_image_child *child;
    void *kept; /* state and shared memory, on the way to the child */
    size_t kept_bytes;
    bool hurries;
    int (*leave)(uint64_t bytes); /* NULL: the process continues */
    _Atomic pid_t pid;            /* of the child; 0: none */
    int64_t stopped_at, stopped_ns;
    atomic_bool ends; /* the program: a checkpoint that is not complete is of no use */
} image;

static struct checkpoint_image_given given; /* written by the process that continues */

int64_t checkpoint_image_stopped_ns(void)
{
    return image.stopped_ns;
}

const struct checkpoint_image_given *checkpoint_image_given(void)
{
    return &given;
}

/* First thread of the process that continues. */
static void checkpoint_image_arrive(void)
{
    (void)CALL(munmap, given.unmap, given.unmap_bytes);
    checkpoint_descriptors_restore(&given.here);
}

void checkpoint_image_set_leave(int (*leave)(uint64_t bytes))
{
    image.leave = leave;
}

int checkpoint_image_init(void)
{
    checkpoint_threads_at_resume(checkpoint_image_arrive);
    int rc = checkpoint_threads_init();
    return rc ? rc : checkpoint_descriptors_init();
}

/* ---- before and after ---- */

/* What exists only while it is saved is of no use in the process that continues. */
static void checkpoint_image_forget(void)
{
    memset(&image, 0, sizeof image);
}

/* Memory for copies: as much as there is room for. The child has it after it is unmapped here. */
static void checkpoint_image_map_kept(void)
{
    uint64_t need = checkpoint_memory_objects_bytes(&image.maps), most;
    need += need / 8 + KEPT_MORE;
    most = (uint64_t)checkpoint_room_captured();
    image.kept = NULL;
    for (image.kept_bytes = need < most ? need : most; !image.kept && image.kept_bytes >= PAGE_SIZE;
         image.kept_bytes /= image.kept ? 1 : 2)
        image.kept = checkpoint_maps_scratch(image.kept_bytes);
    if (image.kept)
        checkpoint_maps_without(&image.maps, image.kept, image.kept_bytes);
}

static void checkpoint_image_unmap_kept(void)
{
    if (image.kept)
        (void)CALL(munmap, image.kept, image.kept_bytes);
    image.kept = NULL;
}

static int checkpoint_image_prepare(const int *role, char *why, size_t len)
{
    int rc = image.maps.map ? 0 : checkpoint_maps_open(&image.maps);
    if (rc == 0 && !image.child && !(image.child = checkpoint_maps_scratch(sizeof *image.child)))
        rc = -ENOMEM;
    if (rc == 0)
        rc = checkpoint_maps_read(&image.maps, why, len);
    if (rc == 0)
        rc = checkpoint_descriptors_read(role, why, len);
    if (rc)
        return rc;
    image.maps.withouts = 1;
    checkpoint_maps_without(&image.maps, image.child, sizeof *image.child);
    rc = checkpoint_memory_table_room(&image.table[!image.last], image.maps.pages + SPARE_PAGES);
    for (int i = 0; i < 2 && rc == 0; i++)
        if (image.table[i].count)
            checkpoint_maps_without(&image.maps, image.table[i].count,
                                    (image.table[i].room + 1) * sizeof *image.table[i].page);
    if (rc == 0)
        checkpoint_image_map_kept();
    if (rc)
        snprintf(why, len, "%s", strerror(-rc));
    return rc;
}

/* While the threads are stopped. */
static int checkpoint_image_read(const int *role, struct checkpoint_image_head *head, char *why,
                                 size_t len)
{
    int rc = checkpoint_maps_read(&image.maps, why, len);
    if (rc == 0)
        rc = checkpoint_maps_identify(&image.maps, why, len);
    if (rc == 0)
        rc = checkpoint_descriptors_read(role, why, len);
    checkpoint_threads_first(&head->context, &head->tls);
    if (rc == 0 && head->context == 0) {
        snprintf(why, len, "main has ended by pthread_exit");
        rc = -ENOTSUP;
    }
    head->magic = CHECKPOINT_IMAGE_MAGIC;
    head->load = (uint64_t)(uintptr_t)checkpoint_context_load;
    head->given = (uint64_t)(uintptr_t)&given;
    head->maps = image.maps.count;
    head->names = image.maps.names_used;
    head->pages = image.maps.pages;
    return rc;
}

/* ---- the child ---- */

static void checkpoint_image_write(struct checkpoint_file *f, bool full)
{
    checkpoint_file_put_kept(f);
    image.child->pages =
        checkpoint_memory_save(f, &image.maps, full ? NULL : &image.table[image.last],
                               &image.table[!image.last]);
    image.child->rc = checkpoint_file_complete(f, &image.child->bytes);
}

_Noreturn static void checkpoint_image_run_child(struct checkpoint_file *f, bool full)
{
    (void)CALL(prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (!image.hurries)
        (void)CALL(setpriority, PRIO_PROCESS, 0, CHILD_NICE);
    checkpoint_image_write(f, full);
    for (;;)
        (void)CALL(exit_group, 0);
}

static int checkpoint_image_await_child(char *why, size_t len)
{
    pid_t pid = atomic_load(&image.pid);
    int status = 0;
    while (CALL(wait4, pid, &status, __WALL, NULL) == -EINTR)
        ;
    atomic_store(&image.pid, 0);
    if (WIFSIGNALED(status)) {
        snprintf(why, len, "the process that writes it was killed by signal %d", WTERMSIG(status));
        return -EINTR;
    }
    return 0;
}

void checkpoint_image_abandon(void)
{
    atomic_store(&image.ends, true);
    pid_t pid = atomic_load(&image.pid);
    if (pid > 0)
        (void)CALL(kill, pid, SIGKILL);
}

/* The child, or this process, has written all. */
static int checkpoint_image_result(pid_t pid, char *why, size_t len)
{
    int rc = pid > 0 ? checkpoint_image_await_child(why, len) : 0;
    if (rc == 0 && (rc = (int)image.child->rc) != 0)
        snprintf(why, len, "%s", strerror(-rc));
    return rc;
}

/* [checkpoint.leave-stopped] Returns only after an error. */
static int checkpoint_image_leave(pid_t pid, char *why, size_t len)
{
    int rc = checkpoint_image_result(pid, why, len);
    if (rc == 0 && (rc = image.leave(image.child->bytes)) != 0)
        snprintf(why, len, "%s", strerror(-rc));
    return rc;
}

/* With the threads stopped, which run when it returns [checkpoint.one-moment]. Without memory for a
 * child they wait until all is written. */
static int checkpoint_image_capture(struct checkpoint_file *f,
                                    const struct checkpoint_image_head *head, bool full, char *why,
                                    size_t len)
{
    checkpoint_file_keep(f, image.kept, image.kept_bytes);
    checkpoint_image_file_put(f, head, &image.maps);
    checkpoint_memory_save_objects(f, &image.maps);
    image.child->rc = -EIO;
    pid_t pid = (pid_t)CALL(clone, 0, 0, 0, 0, 0); /* reported to no call of the program */
    if (pid == 0)
        checkpoint_image_run_child(f, full);
    if (pid < 0)
        checkpoint_image_write(f, full);
    checkpoint_image_unmap_kept();
    atomic_store(&image.pid, pid > 0 ? pid : 0);
    if (pid > 0 && atomic_load(&image.ends))
        (void)CALL(kill, pid, SIGKILL);
    bool leaves = image.leave != NULL;
    int rc = leaves ? checkpoint_image_leave(pid, why, len) : 0;
    checkpoint_threads_release();
    image.stopped_ns = clock_ns() - image.stopped_at;
    return leaves ? rc : checkpoint_image_result(pid, why, len);
}

static int checkpoint_image_save_file(struct checkpoint_file *f, const int *role,
                                      uint32_t generation, bool full, char *why, size_t len)
{
    struct checkpoint_image_head head = { .generation = generation };
    image.stopped_at = clock_ns();
    int rc = checkpoint_threads_stop(why, len);
    if (rc)
        return rc;
    rc = checkpoint_image_read(role, &head, why, len);
    if (rc) {
        checkpoint_threads_release();
        return rc;
    }
    if (checkpoint_context_save(checkpoint_threads_own()) == 0)
        return checkpoint_image_capture(f, &head, full, why, len);
    checkpoint_threads_own_resume();
    checkpoint_image_forget();
    return CHECKPOINT_IMAGE_RESUMED;
}

int checkpoint_image_save(const char *path, const struct checkpoint_manifest *next, bool hurries,
                          int launcher_fd, int dir_fd, struct checkpoint_image_result *result,
                          char *why, size_t len)
{
    bool full = next->base == next->generation;
    int role[CHECKPOINT_DESCRIPTORS_ROLES] = { launcher_fd, dir_fd, -1 }, rc;
    struct checkpoint_file *f = checkpoint_file_create(path, &rc);
    if (!f) {
        snprintf(why, len, "%s: %s", path, strerror(-rc));
        return rc;
    }
    checkpoint_file_limit(f, next->partner ? checkpoint_partner_room : NULL);
    role[CHECKPOINT_DESCRIPTORS_FILE] = checkpoint_file_descriptor(f);
    image.hurries = hurries;
    rc = checkpoint_image_prepare(role, why, len);
    if (rc == 0)
        rc = checkpoint_image_save_file(f, role, next->generation, full, why, len);
    if (rc == CHECKPOINT_IMAGE_RESUMED)
        return rc; /* the descriptor is another one */
    checkpoint_image_unmap_kept();
    result->waited = !atomic_load(&image.ends) && checkpoint_file_has_waited(f);
    (void)checkpoint_file_close(f);
    if (rc && atomic_load(&image.ends))
        why[0] = '\0';
    if (rc == 0) {
        image.last = !image.last;
        result->pages = image.child->pages;
        result->bytes = image.child->bytes;
    }
    return rc;
}
