/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* twin.c - see twin.h. */
#include "hlrc/memory/twin.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

#include "base/reserve.h"
#include "base/spin.h"
#include "hlrc/core/engine.h"

static spin_lock_word lock; /* guards the variables below */
static char *frames;
static uint32_t *free_frames; /* a stack */
static uint32_t free_count, used, limit;

int twin_init(uint32_t pages)
{
    limit = pages;
    free_count = used = 0;
    frames = reserve((size_t)pages << PAGE_SHIFT);
    free_frames = reserve((size_t)pages * sizeof *free_frames);
    if (!frames || !free_frames)
        return -ENOMEM;
    (void)madvise(frames, (size_t)pages << PAGE_SHIFT, MADV_DONTDUMP);
    (void)madvise(free_frames, (size_t)pages * sizeof *free_frames, MADV_DONTDUMP);
    /* huge pages make first twins cheap, where the system allows them */
    (void)madvise(frames, (size_t)pages << PAGE_SHIFT, MADV_HUGEPAGE);
    return 0;
}

void twin_end(void)
{
    reserve_end(frames, (size_t)limit << PAGE_SHIFT);
    reserve_end(free_frames, (size_t)limit * sizeof *free_frames);
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
