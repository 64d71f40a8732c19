/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * checkpoint_image.h - checkpoint and restart of a whole process: of a program that does not know
 * HLRC and runs as one process (hlrc/unite.h).
 *
 *   all threads stop       | checkpoint_threads.h
 *   the process's state    | mappings, descriptors, shared memory: copied to memory of the child
 *   a child is created     | it has the process's memory as it is now
 *   the threads continue   |
 *   the child              | writes the copies and changed pages, and ends (checkpoint_memory.h)
 *
 * Any moment is consistent, since there are no other processes.
 *
 * A restart runs the program up to its first function. There this process reads the whole
 * checkpoint into memory at unused addresses, so that damage is found while it can still report it.
 * Then it removes all else, moves the saved memory to its addresses, and becomes the first thread
 * of the saved process, in the handler of the signal that had stopped it. That one replaces the
 * descriptors and creates the other threads.
 *
 *   [checkpoint.one-moment] All that is saved is of the moment in which no other thread runs:
 *       shared memory is copied and descriptors are read before the threads continue, and the
 *       child is created before.
 *   [checkpoint.leave-stopped] If the process ends after the checkpoint, its threads stay stopped
 *       until then. What they did after it would be done twice.
 */
#ifndef HLRC_CHECKPOINT_IMAGE_H
#define HLRC_CHECKPOINT_IMAGE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hlrc/checkpoint/checkpoint_descriptors.h"
#include "hlrc/checkpoint/checkpoint_manifest.h"

/* What the continued process learns of the one that continues it. */
struct checkpoint_image_given {
    struct checkpoint_descriptors_here here;
    uint64_t unmap, unmap_bytes;
    int64_t interval_ms;
    char dir[PATH_MAX];    /* for its checkpoints; empty: none */
    char memory[PATH_MAX]; /* as checkpoint_job.h */
    char restart[CONFIG_TEXT_MAX];
    bool progress;
    int processes; /* that became it */
};

#define CHECKPOINT_IMAGE_RESUMED 1

/* Before the program runs, on a thread of the C library. 0 or a negative errno. */
int checkpoint_image_init(void);

struct checkpoint_image_result {
    uint64_t pages, bytes;
    bool waited; /* the program, since there was no memory for copies */
};

/* For the next one only: called with the length of the complete file while the threads are stopped.
 * It ends the process, or returns a negative errno. */
void checkpoint_image_set_leave(int (*leave)(uint64_t bytes));
/* Writes the file; `hurries`: at the expense of the program. The descriptors are not saved. 0, or a
 * negative errno after a line in `why`; CHECKPOINT_IMAGE_RESUMED in the process that continues,
 * which then has *given. */
int checkpoint_image_save(const char *path, const struct checkpoint_manifest *next, bool hurries,
                          int launcher_fd, int dir_fd, struct checkpoint_image_result *result,
                          char *why, size_t len);
const struct checkpoint_image_given *checkpoint_image_given(void);
/* How long the threads were stopped for the last one. */
int64_t checkpoint_image_stopped_ns(void);
/* The program ends: a child that writes is ended, and `why` is empty. By another thread. */
void checkpoint_image_abandon(void);

/* Becomes the saved process. Returns only if that fails: a negative errno after a line in `why`. */
int checkpoint_image_restore(const struct checkpoint_manifest *m,
                             const struct checkpoint_image_given *give, char *why, size_t len);

#endif
