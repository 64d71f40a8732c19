/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* twin.c - see twin.h. */
#include "hlrc/memory/twin.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

#include "base/spin.h"
#include "hlrc/engine.h"

static spin_lock_word lock; /* guards what follows */
static char *frames;
static uint32_t *free_frames; /* a stack */
static uint32_t free_count, used, limit;

static void *reserve(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    (void)madvise(p, bytes, MADV_DONTDUMP);
    return p;
}

int twins_init(uint32_t pages)
{
    limit = pages;
    free_count = used = 0;
    frames = reserve((size_t)pages << PAGE_SHIFT);
    free_frames = reserve((size_t)pages * sizeof *free_frames);
    if (!frames || !free_frames)
        return -ENOMEM;
    /* growing by huge pages makes first twins cheap, where the system allows it */
    (void)madvise(frames, (size_t)pages << PAGE_SHIFT, MADV_HUGEPAGE);
    return 0;
}

void twins_end(void)
{
    if (frames)
        munmap(frames, (size_t)limit << PAGE_SHIFT);
    if (free_frames)
        munmap(free_frames, (size_t)limit * sizeof *free_frames);
    frames = NULL;
    free_frames = NULL;
}

uint32_t twin_take(void)
{
    spin_lock(&lock);
    uint32_t frame = free_count ? free_frames[--free_count] : ++used;
    spin_unlock(&lock);
    debug_assert(frame <= limit);
    return frame;
}

void twin_drop(uint32_t frame)
{
    spin_lock(&lock);
    free_frames[free_count++] = frame;
    spin_unlock(&lock);
}

void *twin_mem(uint32_t frame)
{
    return frames + ((size_t)(frame - 1) << PAGE_SHIFT);
}
