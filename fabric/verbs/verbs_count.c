/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * verbs_count.c - counters, and whether peers answer; see verbs.h.
 *
 * Only the node that started a one-sided operation knows of it. Each node therefore keeps a row of
 * counts per peer (struct verbs_count) in registered memory, and a node that computes its sums
 * reads its row at every peer.
 */
#include "base/addresses.h"
#include "base/clock.h"
#include "fabric/verbs/verbs_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static size_t verbs_count_table_bytes(const struct verbs_fabric *v)
{
    return (size_t)v->job.nodes * sizeof *v->count;
}

static int verbs_count_make_table(struct verbs_fabric *v)
{
    void *p = addresses_map(verbs_count_table_bytes(v), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1);
    if (p == MAP_FAILED)
        return -ENOMEM;
    v->count = p;
    (void)madvise(p, verbs_count_table_bytes(v), MADV_DONTFORK);
    v->count_mr = verbs_register(v, p, verbs_count_table_bytes(v),
                                 IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
    return 0;
}

int verbs_count_start(struct verbs_fabric *v)
{
    struct verbs_count_table {
        uint64_t base;
        uint32_t rkey;
        int32_t status;
    } mine = { .status = verbs_count_make_table(v) }, all[NODES_MAX];
    if (mine.status == 0) {
        mine.base = (uint64_t)(uintptr_t)v->count;
        mine.rkey = v->count_mr->rkey;
    }
    int rc = v->job.exchange(v->job.ctx, &mine, sizeof mine, all);
    for (int n = 0; n < v->job.nodes && rc == 0; n++) {
        rc = all[n].status;
        v->peer[n].counts = all[n].base + (size_t)v->job.node * sizeof *v->count;
        v->peer[n].counts_rkey = all[n].rkey;
    }
    return rc;
}

/* The least of several, since any of them may be delayed by a busy machine. */
static int64_t verbs_count_least_round_trip(struct verbs_fabric *v, int peer)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < 8; i++) {
        struct fabric_op op = FABRIC_OP_INIT;
        int64_t begun = clock_ns();
        verbs_read_at(v, peer, v->peer[peer].counts, v->peer[peer].counts_rkey, NULL,
                      sizeof(uint64_t), &op);
        verbs_wait(&v->head, &op);
        int64_t took = clock_ns() - begun;
        least = took < least ? took : least;
    }
    return least;
}

/* To the next node, and to the one half a job away, which is likely to be on another machine. */
void verbs_time_round_trip(struct verbs_fabric *v)
{
    int nodes = v->job.nodes;
    const int away[] = { 1, nodes / 2 };
    for (size_t i = 0; i < sizeof away / sizeof away[0]; i++) {
        int peer = (v->job.node + away[i]) % nodes;
        if (peer == v->job.node || v->peer[peer].near)
            continue;
        int64_t took = verbs_count_least_round_trip(v, peer);
        v->head.round_trip_ns = took > v->head.round_trip_ns ? took : v->head.round_trip_ns;
    }
}

void verbs_count_end(struct verbs_fabric *v)
{
    if (v->count_mr)
        ibv_dereg_mr(v->count_mr);
    if (v->count)
        addresses_unmap(v->count, verbs_count_table_bytes(v));
}

/* Reads the peer's counts of its traffic with this node. */
static void verbs_count_read_row(struct verbs_fabric *v, int peer, uint64_t row[3],
                                 struct fabric_op *op)
{
    if (peer == v->job.node)
        memcpy(row, &v->count[peer], 3 * sizeof *row);
    else
        verbs_read_at(v, peer, v->peer[peer].counts, v->peer[peer].counts_rkey, row,
                      3 * sizeof *row, op);
}

#define ROWS 64 /* in flight at a time: they are on the stack, perhaps the monitor's */

static void verbs_count_add_rows(struct verbs_fabric *v, int first, int end,
                                 struct fabric_counters *out)
{
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t row[ROWS][3]; /* read, written, woken */
    for (int n = first; n < end; n++)
        verbs_count_read_row(v, n, row[n - first], &op);
    verbs_wait(&v->head, &op);
    for (int n = first; n < end; n++) {
        out->bytes_in += v->count[n].read_bytes + row[n - first][1];
        out->bytes_out += v->count[n].written_bytes + row[n - first][0];
        out->wakes += row[n - first][2];
    }
}

void verbs_counters(struct fabric *f, struct fabric_counters *out)
{
    struct verbs_fabric *v = verbs_of(f);
    *out =
        (struct fabric_counters){ .reads = v->reads, .writes = v->writes, .atomics = v->atomics };
    for (int n = 0; n < v->job.nodes; n += ROWS)
        verbs_count_add_rows(v, n, n + ROWS < v->job.nodes ? n + ROWS : v->job.nodes, out);
}

/* Keeps one read in flight to every other node; the error of a read that fails ends the process
 * (verbs_fail). */
void verbs_check(struct fabric *f)
{
    struct verbs_fabric *v = verbs_of(f);
    verbs_progress(v);
    for (int n = 0; n < v->job.nodes; n++) {
        struct verbs_peer *p = &v->peer[n];
        if (n != v->job.node && atomic_load_explicit(&p->check.pending, memory_order_acquire) == 0)
            verbs_read_at(v, n, p->counts, p->counts_rkey, NULL, sizeof(uint64_t), &p->check);
    }
}
