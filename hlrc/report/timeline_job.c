/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* timeline_job.c - see timeline_job.h. */
#include "hlrc/report/timeline_job.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/addresses.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/digest.h"
#include "boot/boot.h"
#include "fabric/locality.h"
#include "hlrc/core/engine.h"
#include "hlrc/probe/timeline.h"
#include "hlrc/progress/thread.h"
#include "hlrc/report/gather.h"
#include "hlrc/report/timeline_tool.h"

enum { ROUNDS = 200 };

/* Answer of node 0 to a node; lies at that node. */
struct timeline_job_answer {
    int64_t ns;
    _Atomic uint64_t round;
};

static_assert(sizeof(struct timeline_job_answer) <= TIMELINE_CLOCK_BYTES,
              "it fits the space reserved in the layout");

static int own_fd; /* of this node's memory, if it writes the file; otherwise -1 */
static uint64_t machines[NODES_MAX]; /* machines with a clock each; by node */

static bool timeline_job_wanted(void)
{
    return engine.config.trace[0] != '\0';
}

static bool timeline_job_gathers_here(void)
{
    return boot_launcher(engine.boot) != BOOT_HLRCRUN;
}

/* ---- clocks ---- */

/* A namespace may have its own monotonic clock. */
static uint64_t timeline_job_this_machine(void)
{
    struct locality here;
    struct stat st;
    uint64_t inode = stat("/proc/self/ns/time", &st) == 0 ? st.st_ino : 0;
    locality_here(&here);
    uint64_t machine = digest_add(DIGEST_START, here.boot_id, strlen(here.boot_id));
    return digest_add(machine, &inode, sizeof inode);
}

static size_t timeline_job_word_of(int node)
{
    return engine.at.clocks + (size_t)node * TIMELINE_CLOCK_BYTES;
}

/* Offset at a node of node 0's answer. */
static size_t timeline_job_answer_at(void)
{
    return timeline_job_word_of(engine.nodes);
}

/* The first node of a machine that is not node 0's. */
static bool timeline_job_is_leader(int node)
{
    for (int n = 0; n < node; n++)
        if (machines[n] == machines[node])
            return false;
    return node > 0;
}

/* On node 0. */
static void timeline_job_answer_node(int node, uint64_t first)
{
    for (uint64_t round = first; round < first + ROUNDS; round++) {
        gather_await(engine_control_at(timeline_job_word_of(node)), round);
        int64_t now = clock_ns();
        fabric_write_copied(engine.fabric, node, engine.control.id,
                            timeline_job_answer_at() + offsetof(struct timeline_job_answer, ns),
                            &now, sizeof now);
        /* [fabric.write-order] */
        gather_write_word(node,
                          timeline_job_answer_at() + offsetof(struct timeline_job_answer, round),
                          round);
    }
}

/* On another machine's first node. */
static struct timeline_offset timeline_job_ask_node_0(uint64_t first)
{
    const struct timeline_job_answer *answer = engine_control_at(timeline_job_answer_at());
    struct timeline_offset best = { .error = INT64_MAX };
    for (uint64_t round = first; round < first + ROUNDS; round++) {
        int64_t before = clock_ns();
        fabric_write_copied(engine.fabric, 0, engine.control.id, timeline_job_word_of(engine.node),
                            &round, sizeof round);
        gather_await(&answer->round, round);
        int64_t after = clock_ns(), half = (after - before + 1) / 2;
        if (half < best.error)
            best = (struct timeline_offset){ before + half, before + half - answer->ns, half };
    }
    return best;
}

static void timeline_job_compare_clocks(int which)
{
    uint64_t first = (uint64_t)which * ROUNDS + 1;
    for (int n = 1; n < engine.nodes && engine.node == 0; n++)
        if (timeline_job_is_leader(n))
            timeline_job_answer_node(n, first);
    if (timeline_job_is_leader(engine.node))
        timeline_head()->offset[which] = timeline_job_ask_node_0(first);
}

/* ---- start ---- */

static int timeline_job_hand_over(int fd)
{
    int rc = 0;
    own_fd = timeline_job_gathers_here() && engine.node == 0 ? fd : -1;
    if (own_fd < 0) {
        rc = timeline_job_gathers_here() ? 0 : boot_timeline(engine.boot, fd);
        close(fd);
    }
    return rc;
}

int timeline_job_start(void)
{
    if (!timeline_job_wanted())
        return 0;
    uint64_t machine = timeline_job_this_machine();
    int fd = timeline_open(engine.config.trace_size, thread_max(), THREADS_OWN, machine);
    int rc = fd < 0 ? fd : timeline_job_hand_over(fd);
    if (rc)
        diag_report(1, "--trace: no memory for events: %s; lower --trace-size or --threads",
                    strerror(-rc));
    if (rc == 0)
        rc = boot_exchange(engine.boot, &machine, sizeof machine, machines);
    if (rc == 0)
        timeline_job_compare_clocks(0);
    return rc;
}

/* ---- gathering ---- */

/* Of each lane the used part. */
static void timeline_job_send_all(void)
{
    const struct timeline_head *h = timeline_head();
    const struct timeline_lane *lanes = (const struct timeline_lane *)(h + 1);
    size_t front = sizeof *h + h->lanes * sizeof *lanes;
    struct gather g = GATHER_INIT;
    gather_send(&g, h, 0, front);
    for (uint32_t k = 0; k < h->lanes; k++) {
        uint64_t count = atomic_load(&lanes[k].count);
        size_t each = sizeof(struct timeline_record);
        gather_send(&g, h, front + (size_t)k * h->records * each,
                    (count < h->records ? count : h->records) * each);
    }
    gather_end(&g);
}

static int timeline_job_receive(int node)
{
    void *room;
    int fd = timeline_memory(timeline_bytes(), &room);
    if (fd < 0)
        diag_fatal(1, "--trace %s: no memory for the events of all nodes; lower --trace-size",
                   engine.config.trace);
    gather_receive(node, room);
    addresses_unmap(room, timeline_bytes());
    return fd;
}

static void timeline_job_write_gathered(void)
{
    static int fd[NODES_MAX];
    fd[0] = own_fd;
    for (int n = 1; n < engine.nodes; n++)
        fd[n] = timeline_job_receive(n);
    if (timeline_tool_write(engine.config.trace, fd, engine.nodes, false, -1) != 0)
        diag_exit_status(STATUS_OUTPUT);
    for (int n = 1; n < engine.nodes; n++)
        close(fd[n]);
}

void timeline_job_finish(void)
{
    if (!timeline_job_wanted())
        return;
    boot_exchange(engine.boot, NULL, 0, NULL); /* no node serves any more */
    timeline_job_compare_clocks(1);
    timeline_head()->end = clock_both();
    timeline_stop();
    if (timeline_job_gathers_here() && engine.node == 0) {
        timeline_job_write_gathered();
        close(own_fd);
    } else if (timeline_job_gathers_here()) {
        timeline_job_send_all();
    }
}
