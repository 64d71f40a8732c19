/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * checkpoint_process.h - when a program that runs as one process is saved: by a thread, after each
 * interval and after SIGUSR1 (checkpoint_image.h).
 */
#ifndef HLRC_CHECKPOINT_PROCESS_H
#define HLRC_CHECKPOINT_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "hlrc/checkpoint/checkpoint_job.h"

/* This job is one process instead of that number. Before hlrc_init. */
void checkpoint_process_set(int processes);
/* 0: it is another job */
int checkpoint_process_count(void);

/* Functions of checkpoint.c. */
struct checkpoint_process_calls {
    bool (*is_asked)(bool *leaves); /* by SIGUSR1; leaves: the job ends then */
    int (*save_all)(struct checkpoint_manifest *next, bool leaves, struct checkpoint_result *all);
    void (*report)(uint32_t generation, const struct checkpoint_result *all, int64_t stopped_ns,
                   int64_t written_ns);
};

/* Starts the thread. 0, or a negative errno after one line. */
int checkpoint_process_start(struct checkpoint_job *of,
                             const struct checkpoint_process_calls *calls);
/* Becomes the process that of->last has. Returns only if that fails, after one line. */
int checkpoint_process_become(const struct checkpoint_job *of);
void checkpoint_process_stop(void);
/* In a signal handler: the thread looks at once. */
void checkpoint_process_wake(void);

#endif
