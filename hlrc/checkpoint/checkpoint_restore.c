/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* checkpoint_restore.c - becomes a saved process; see checkpoint_image.h. */
#include <errno.h>
#include <linux/prctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/procfs.h"
#include "hlrc/checkpoint/checkpoint_calls.h"
#include "hlrc/checkpoint/checkpoint_context.h"
#include "hlrc/checkpoint/checkpoint_image.h"
#include "hlrc/checkpoint/checkpoint_image_file.h"
#include "hlrc/checkpoint/checkpoint_memory.h"
#include "hlrc/checkpoint/checkpoint_threads.h"

#define USER_BEGIN    UINT64_C(0x10000)
#define USER_END      UINT64_C(0x7ffffffff000)
#define CONTROL_BYTES (UINT64_C(16) << 20) /* steps, and what they need */
#define SPECIAL_AT    (UINT64_C(15) << 20) /* where [vdso] and the like pass through */
#define SET_FS        0x1002               /* ARCH_SET_FS */
#define FAILURE       "hlrc: --restart: the system does not allow a process to be restored here\n"

/* At the beginning of the control memory. */
struct checkpoint_restore_control {
    char code[512];
    char failure[128];
    struct prctl_mm_map bounds;
    uint32_t count;
    struct checkpoint_context_step step[];
};

struct checkpoint_restore_range {
    uint64_t begin, end;
};

static struct {
    struct checkpoint_memory_image image;
    struct checkpoint_maps here;
    struct checkpoint_image_head head;
    struct checkpoint_restore_range hole; /* unused in both processes */
    struct checkpoint_restore_control *control;
    bool sets_bounds;
} restore;

/* ---- an unused range of addresses ---- */

static int checkpoint_restore_compare(const void *a, const void *b)
{
    const struct checkpoint_restore_range *x = a, *y = b;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static size_t checkpoint_restore_add_here(struct checkpoint_restore_range *range, size_t room)
{
    static struct procfs_maps in;
    struct procfs_map p;
    size_t n = 0;
    if (!procfs_maps_open(&in, 0))
        return 0;
    while (n < room && procfs_maps_next(&in, &p))
        range[n++] = (struct checkpoint_restore_range){ p.begin, p.end };
    procfs_maps_close(&in);
    return in.error ? 0 : n;
}

/* The largest gap. */
static struct checkpoint_restore_range checkpoint_restore_gap(struct checkpoint_restore_range *all,
                                                              size_t count)
{
    struct checkpoint_restore_range gap = { 0, 0 };
    uint64_t at = USER_BEGIN;
    qsort(all, count, sizeof *all, checkpoint_restore_compare);
    for (size_t i = 0; i <= count; i++) {
        uint64_t begin = i < count && all[i].begin < USER_END ? all[i].begin : USER_END;
        if (begin > at && begin - at > gap.end - gap.begin)
            gap = (struct checkpoint_restore_range){ at, begin };
        if (i < count && all[i].end > at)
            at = all[i].end;
    }
    return gap;
}

static int checkpoint_restore_find_hole(uint64_t bytes, char *why, size_t len)
{
    const struct checkpoint_maps *m = &restore.image.maps;
    size_t room = m->count + CHECKPOINT_MAPS_SPECIALS + 70000, n = 0;
    struct checkpoint_restore_range *all = malloc(room * sizeof *all);
    if (all)
        n = checkpoint_restore_add_here(all, 70000);
    for (uint32_t i = 0; n > 0 && i < m->count; i++)
        all[n++] = (struct checkpoint_restore_range){ m->map[i].begin, m->map[i].end };
    for (uint32_t i = 0; n > 0 && i < m->system.specials; i++)
        all[n++] = (struct checkpoint_restore_range){ m->system.special[i].begin,
                                                      m->system.special[i].end };
    struct checkpoint_restore_range gap = { 0, 0 };
    if (n > 0)
        gap = checkpoint_restore_gap(all, n);
    free(all);
    /* in its middle: stacks grow */
    uint64_t at = (gap.begin + (gap.end - gap.begin - bytes) / 2) & ~((UINT64_C(2) << 20) - 1);
    void *got =
        gap.end - gap.begin <= bytes
            ? MAP_FAILED
            : mmap((void *)at, bytes, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == MAP_FAILED) {
        snprintf(why, len, "no range of %llu bytes of addresses is free; raise ulimit -v",
                 (unsigned long long)bytes);
        return -ENOMEM;
    }
    restore.hole = (struct checkpoint_restore_range){ at, at + bytes };
    return 0;
}

/* ---- steps ---- */

static void checkpoint_restore_step(int64_t number, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
                                    uint64_t e)
{
    struct checkpoint_restore_control *r = restore.control;
    r->step[r->count++] = (struct checkpoint_context_step){
        number, { a, b, c, d, e, 0 }, (uint64_t)(uintptr_t)r->failure, strlen(r->failure)
    };
}

static void checkpoint_restore_move(uint64_t from, uint64_t bytes, uint64_t to)
{
    checkpoint_restore_step(SYS_mremap, from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to);
}

static void checkpoint_restore_unmap(uint64_t begin, uint64_t end)
{
    if (begin < end)
        checkpoint_restore_step(SYS_munmap, begin, end - begin, 0, 0, 0);
}

/* All but the hole, and [vdso] and the like if they remain. */
static void checkpoint_restore_unmap_all(bool specials_stay)
{
    const struct checkpoint_maps_system *s = &restore.here.system;
    struct checkpoint_restore_range keep[2] = { restore.hole, restore.hole };
    if (specials_stay && s->specials > 0)
        keep[1] = (struct checkpoint_restore_range){ s->special[0].begin,
                                                     s->special[s->specials - 1].end };
    qsort(keep, 2, sizeof *keep, checkpoint_restore_compare);
    checkpoint_restore_unmap(USER_BEGIN, keep[0].begin);
    checkpoint_restore_unmap(keep[0].end, keep[1].begin);
    checkpoint_restore_unmap(keep[1].end, USER_END);
}

static uint64_t checkpoint_restore_special_in_hole(uint32_t i)
{
    const struct checkpoint_maps_system *s = &restore.here.system;
    return restore.hole.begin + SPECIAL_AT + (s->special[i].begin - s->special[0].begin);
}

static void checkpoint_restore_steps_remove(void)
{
    const struct checkpoint_maps_system *here = &restore.here.system,
                                        *saved = &restore.image.maps.system;
    bool stay = here->specials == 0 || here->special[0].begin == saved->special[0].begin;
    for (uint32_t i = 0; i < here->specials && !stay; i++)
        checkpoint_restore_move(here->special[i].begin,
                                here->special[i].end - here->special[i].begin,
                                checkpoint_restore_special_in_hole(i));
    checkpoint_restore_unmap_all(stay);
    for (uint32_t i = 0; i < here->specials && !stay; i++)
        checkpoint_restore_move(checkpoint_restore_special_in_hole(i),
                                here->special[i].end - here->special[i].begin,
                                saved->special[i].begin);
}

static void checkpoint_restore_steps_bounds(void)
{
    const uint64_t *saved = restore.image.maps.system.bounds;
    struct prctl_mm_map *b = &restore.control->bounds;
    if (!restore.sets_bounds) {
        checkpoint_restore_step(SYS_brk, saved[5], 0, 0, 0, 0);
        return;
    }
    memcpy(b, saved, CHECKPOINT_MAPS_BOUNDS * sizeof *saved);
    b->exe_fd = ~0u;
    checkpoint_restore_step(SYS_prctl, PR_SET_MM, PR_SET_MM_MAP, (uint64_t)(uintptr_t)b, sizeof *b,
                            0);
}

static void checkpoint_restore_steps_insert(void)
{
    const struct checkpoint_memory_image *image = &restore.image;
    for (uint32_t i = 0; i < image->maps.count; i++) {
        const struct checkpoint_map *map = &image->maps.map[i];
        checkpoint_restore_move((uint64_t)(uintptr_t)image->at[i], map->end - map->begin,
                                map->begin);
        if (image->is_open[i] && map->prot != (PROT_READ | PROT_WRITE))
            checkpoint_restore_step(SYS_mprotect, map->begin, map->end - map->begin, map->prot, 0,
                                    0);
    }
}

static void checkpoint_restore_steps_make(void)
{
    struct checkpoint_restore_control *r = restore.control;
    checkpoint_restore_steps_remove();
    if (!restore.sets_bounds)
        checkpoint_restore_steps_bounds();
    checkpoint_restore_steps_insert();
    if (restore.sets_bounds)
        checkpoint_restore_steps_bounds();
#ifdef __x86_64__ /* other CPUs restore nothing */
    checkpoint_restore_step(SYS_arch_prctl, SET_FS, restore.head.tls, 0, 0, 0);
#endif
    checkpoint_restore_step(CHECKPOINT_CONTEXT_LAST, restore.head.context, restore.head.load, 0, 0,
                            0);
    size_t bytes = (size_t)(checkpoint_context_steps_end - checkpoint_context_steps);
    memcpy(r->code, checkpoint_context_steps, bytes < sizeof r->code ? bytes : sizeof r->code);
}

static int checkpoint_restore_open_control(char *why, size_t len)
{
    void *at = mmap((void *)restore.hole.begin, SPECIAL_AT, PROT_READ | PROT_WRITE | PROT_EXEC,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (at == MAP_FAILED) {
        snprintf(why, len, "memory with code: %s", strerror(errno));
        return -errno;
    }
    restore.control = at;
    strcpy(restore.control->failure, FAILURE);
    return 0;
}

/* The end of the heap is the system's. */
static int checkpoint_restore_check_bounds(char *why, size_t len)
{
    unsigned size = 0;
    restore.sets_bounds = CALL(prctl, PR_SET_MM, PR_SET_MM_MAP_SIZE, &size, 0, 0) == 0 &&
                          size == sizeof(struct prctl_mm_map);
    if (restore.sets_bounds || restore.image.maps.system.bounds[4] == restore.here.system.bounds[4])
        return 0;
    snprintf(why, len,
             "this system cannot move the heap, which is at another address; start both jobs with "
             "--no-aslr");
    return -ENOTSUP;
}

/* ---- the files ---- */

static int checkpoint_restore_layout(char *why, size_t len)
{
    int rc = checkpoint_maps_check(&restore.image.maps, &restore.here, why, len);
    if (rc == 0)
        rc = checkpoint_restore_check_bounds(why, len);
    if (rc == 0)
        rc = checkpoint_restore_find_hole(CONTROL_BYTES +
                                              checkpoint_memory_bytes(&restore.image.maps),
                                          why, len);
    if (rc == 0)
        rc = checkpoint_restore_open_control(why, len);
    if (rc == 0)
        rc = checkpoint_memory_map(&restore.image, (char *)restore.hole.begin + CONTROL_BYTES, why,
                                   len);
    return rc;
}

static int checkpoint_restore_read_newest(struct checkpoint_file *f, uint32_t generation, char *why,
                                          size_t len)
{
    checkpoint_image_file_get(f, generation, &restore.head, &restore.image.maps);
    int rc = checkpoint_file_status(f);
    if (rc == 0)
        rc = checkpoint_restore_layout(why, len);
    if (rc)
        return rc;
    checkpoint_memory_load_objects(&restore.image, f);
    checkpoint_memory_load(&restore.image, f, true);
    return checkpoint_file_status(f);
}

static int checkpoint_restore_read_older(struct checkpoint_file *f, uint32_t generation)
{
    struct checkpoint_image_head head;
    checkpoint_image_file_get(f, generation, &head, NULL);
    checkpoint_memory_skip_objects(f);
    checkpoint_memory_load(&restore.image, f, false);
    return checkpoint_file_status(f);
}

static int checkpoint_restore_read(const struct checkpoint_manifest *m, const char *dir, char *why,
                                   size_t len)
{
    char path[PATH_MAX];
    int rc = 0;
    why[0] = '\0';
    for (uint32_t g = m->generation; rc == 0 && g >= m->base; g--) {
        if (g < m->generation && restore.image.left == 0)
            break;
        struct checkpoint_file *f =
            checkpoint_file_open(checkpoint_manifest_file(path, sizeof path, dir, g, 0), &rc);
        if (f) {
            rc = g == m->generation ? checkpoint_restore_read_newest(f, g, why, len)
                                    : checkpoint_restore_read_older(f, g);
            (void)checkpoint_file_close(f);
        }
    }
    if (rc && !why[0])
        snprintf(why, len, "%.300s: %s", path, rc == -EBADMSG ? "damaged" : strerror(-rc));
    if (rc == 0 && restore.image.left > 0) {
        snprintf(why, len, "%llu pages are in no file", (unsigned long long)restore.image.left);
        rc = -EBADMSG;
    }
    return rc;
}

/* ---- the end of this process ---- */

static void checkpoint_restore_give(const struct checkpoint_image_given *give)
{
    const struct checkpoint_memory_image *image = &restore.image;
    struct checkpoint_image_given g = *give;
    for (uint32_t i = 0; i < image->maps.count; i++)
        if (image->maps.map[i].kind == CHECKPOINT_MAPS_OBJECT &&
            g.here.objects < CHECKPOINT_DESCRIPTORS_OBJECTS) {
            g.here.object[g.here.objects].inode = image->maps.map[i].inode;
            g.here.object[g.here.objects++].fd = image->object_fd[i];
        }
    g.unmap = restore.hole.begin;
    g.unmap_bytes = restore.hole.end - restore.hole.begin;
    for (size_t i = 0; i < sizeof g; i++) { /* it may lie in two mappings */
        char *byte = checkpoint_memory_find(&restore.image, restore.head.given + i);
        if (byte)
            *byte = ((const char *)&g)[i];
    }
}

int checkpoint_image_restore(const struct checkpoint_manifest *m,
                             const struct checkpoint_image_given *give, char *why, size_t len)
{
    int rc = checkpoint_maps_open(&restore.image.maps);
    if (rc == 0)
        rc = checkpoint_maps_open(&restore.here);
    if (rc) {
        snprintf(why, len, "%s", strerror(-rc));
        return rc;
    }
    rc = checkpoint_maps_read(&restore.here, why, len);
    if (rc == 0)
        rc = checkpoint_restore_read(m, give->restart, why, len);
    if (rc)
        return rc;
    checkpoint_restore_give(give);
    checkpoint_restore_steps_make();
    checkpoint_threads_leave();
    ((void (*)(const struct checkpoint_context_step *))(uintptr_t)restore.control->code)(
        restore.control->step);
    return -EINVAL;
}
