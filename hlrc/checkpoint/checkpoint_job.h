/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* checkpoint_job.h - the state of a job that is saved (checkpoint.c, checkpoint_process.c). */
#ifndef HLRC_CHECKPOINT_JOB_H
#define HLRC_CHECKPOINT_JOB_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "hlrc/checkpoint/checkpoint_manifest.h"

struct checkpoint_job {
    char dir[PATH_MAX];    /* empty: nothing is saved */
    int dir_fd;            /* locked by node 0 */
    char memory[PATH_MAX]; /* of --partner: this node's directory; empty: none */
    bool to_disk;          /* the next one, although there is one */
    bool hurries;          /* the next one, of one process: it is waited for */
    int64_t interval_ms, due_ms;
    bool full;   /* the next one */
    bool called; /* hlrc_checkpoint, once */
    /* the last complete checkpoint; after a restart that one, until the next */
    struct checkpoint_manifest last;
    bool restores; /* the next call restores `last` */
    void (*finalize)(void);
    bool resizes; /* the next one is for another number of nodes */
};

/* Of one node. */
struct checkpoint_result {
    int64_t rc;
    uint64_t bytes, pages, met;
};

/* At the beginning of a node's file, before the state. */
struct checkpoint_head {
    uint32_t generation, node, nodes, pages;
};

#endif
