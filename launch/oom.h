/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_OOM_H
#define HLRC_OOM_H

/*
 * Whether the kernel's out-of-memory killer has killed a node. A counter of the node's control
 * group shows it. The counter has risen by the time the victim is seen to have ended.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { OOM_GROUPS = 64, OOM_PATH = 512 };

struct oom {
    int count;
    struct oom_group {
        char dir[OOM_PATH];
        int version;     /* of the cgroup interface */
        uint64_t killed; /* counter at the last query */
    } group[OOM_GROUPS];
};

/* oom_watch - watches the control group of a process from now on; 0: of this process */
void oom_watch(struct oom *oom, pid_t pid);

/* oom_seen - whether a process of a watched group was killed since then; text describes the limit
 * that was exceeded: "the limit of its control group is 600 MiB" */
bool oom_seen(struct oom *oom, char *text, size_t len);

#endif
