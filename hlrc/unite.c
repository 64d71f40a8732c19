/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* unite.c - see unite.h. */
#include "hlrc/unite.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

#include "base/diag.h"
#include "base/procfs.h"
#include "boot/boot.h"
#include "hlrc/checkpoint/checkpoint_process.h"
#include "hlrc/core/engine.h"

#define HOST_ID "/proc/sys/kernel/random/boot_id"

struct unite_node {
    char host[64];        /* empty: unknown */
    cpu_set_t processors; /* that it may use */
};

static struct unite_node unite_describe(void)
{
    struct unite_node node = { .host = "" };
    if (procfs_read(HOST_ID, node.host, sizeof node.host) <= 0)
        node.host[0] = '\0';
    if (sched_getaffinity(0, sizeof node.processors, &node.processors) != 0)
        CPU_ZERO(&node.processors);
    return node;
}

/* Number of the first node on another host than node 0, or 0. *processors: of those on its host,
 * *here of them. */
static int unite_look(const struct unite_node *nodes, int count, cpu_set_t *processors, int *here)
{
    int other = 0;
    CPU_ZERO(processors);
    *here = 0;
    for (int n = 0; n < count; n++) {
        if (strcmp(nodes[n].host, nodes[0].host) == 0) {
            CPU_OR(processors, processors, &nodes[n].processors);
            ++*here;
        } else if (!other) {
            other = n;
        }
    }
    return other;
}

/* hlrcrun forwards a signal to the processes of all nodes. It must not kill a process that is about
 * to leave the job, when the program may run already on node 0. */
static void unite_block_signals(void)
{
    sigset_t all;
    sigfillset(&all);
    if (boot_node(engine.boot) != 0 && boot_launcher(engine.boot) == BOOT_HLRCRUN)
        (void)pthread_sigmask(SIG_SETMASK, &all, NULL);
}

int hlrc_unite(enum unite_way way, int *here)
{
    static struct unite_node all[NODES_MAX];
    struct unite_node mine = unite_describe();
    cpu_set_t processors;
    int rc = way == UNITE_ALONE ? boot_open_alone(&engine.boot) : boot_open(&engine.boot);
    if (rc)
        return rc;
    boot_speak(engine.boot);
    unite_block_signals();
    int count = boot_nodes(engine.boot);
    rc = boot_exchange(engine.boot, &mine, sizeof mine, all);
    if (rc)
        return rc;
    int other = unite_look(all, count, &processors, here);
    if (other && way == UNITE_HOST) {
        diag_report(1,
                    "node %d is on another host, but according to the launcher's variables all %d "
                    "are on one; start the job with --placement-control off",
                    other, count);
        return -EXDEV;
    }
    boot_unite(engine.boot);
    checkpoint_process_set(count);
    (void)sched_setaffinity(0, sizeof processors, &processors);
    return count;
}
