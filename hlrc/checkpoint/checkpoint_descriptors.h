/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * checkpoint_descriptors.h - the open files of a process, and its other state in the system:
 * directory, umask, limits, signal handlers and interval timers.
 *
 *   - A file is opened again by its path, at its position. One that can be written is truncated to
 *     the size that it had.
 *   - Standard input, output and error are the ones of the process that continues, unless they are
 *     files that the program has opened, or a file from which it reads.
 *   - What cannot be saved is refused.
 *
 * Nothing is allocated, and no lock is acquired, except in checkpoint_descriptors_init.
 */
#ifndef HLRC_CHECKPOINT_DESCRIPTORS_H
#define HLRC_CHECKPOINT_DESCRIPTORS_H

#include <stddef.h>
#include <stdint.h>

/* What the descriptors of HLRC itself are. */
enum checkpoint_descriptors_role {
    CHECKPOINT_DESCRIPTORS_LAUNCHER, /* connection to hlrcrun */
    CHECKPOINT_DESCRIPTORS_DIR,      /* of the checkpoints */
    CHECKPOINT_DESCRIPTORS_FILE,     /* the checkpoint: not saved */
    CHECKPOINT_DESCRIPTORS_ROLES
};

#define CHECKPOINT_DESCRIPTORS_OBJECTS 64

/* Descriptors of the process that continues. */
struct checkpoint_descriptors_here {
    int role[CHECKPOINT_DESCRIPTORS_ROLES]; /* -1: none */
    int objects;
    struct {
        uint64_t inode; /* in the process that was saved */
        int fd;
    } object[CHECKPOINT_DESCRIPTORS_OBJECTS];
};

/* Before the program runs. 0 or -ENOMEM. */
int checkpoint_descriptors_init(void);

/* Reads the state of this process. 0, or a negative errno after a line in `why`. */
int checkpoint_descriptors_read(const int role[CHECKPOINT_DESCRIPTORS_ROLES], char *why,
                                size_t len);
/* A descriptor of shared memory; -1: none. */
int checkpoint_descriptors_of(uint64_t inode);

/* In the process that continues. Ends it, after a line, if that fails. */
void checkpoint_descriptors_restore(const struct checkpoint_descriptors_here *here);

#endif
