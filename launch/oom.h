/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_OOM_H
#define HLRC_OOM_H

/*
 * Whether the kernel has killed a node for want of memory. It says so by a counter of the node's
 * control group, which has risen by the time that the victim is seen to have ended.
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
        int version;     /* of its files */
        uint64_t killed; /* when it was looked at last */
    } group[OOM_GROUPS];
};

/* oom_watch - the group that counts for a process, from now on; 0: for this one */
void oom_watch(struct oom *oom, pid_t pid);

/* oom_seen - whether somebody was killed in one of them since; text says what the limit is that was
 * met: "the limit of its control group is 600 MiB" */
bool oom_seen(struct oom *oom, char *text, size_t len);

#endif
