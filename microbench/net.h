/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the microbenchmarks on the fabric's interface: a job of nodes with one window each,
 * and the activity of the other nodes during a measurement. Node 0 measures from one thread. The
 * others sleep, or node 1 serves.
 */
#ifndef MICROBENCH_NET_H
#define MICROBENCH_NET_H

#include "fabric/fabric.h"
#include "microbench/bench.h"

#define NET_BATCH 16 /* operations timed together or in flight together */
#define NET_PAGE  BENCH_PAGE

/*
 * Layout of the window: the area that other nodes read and write, the local buffer of this node's
 * operations, and words. The first two have NET_AREA bytes each.
 */
#define NET_AREA   ((size_t)16 << 20)
#define NET_LOCAL  NET_AREA
#define NET_WORDS  (2 * NET_AREA)
#define NET_EVENTS (NET_WORDS + 1024) /* target of requests (writes with immediate) */
#define NET_CREDIT (NET_WORDS + 2048) /* at node 0: number of NET_GIVE requests served */
#define NET_ANSWER (NET_WORDS + 3072) /* at node 0: word that follows a requested page */
#define NET_SIZE   (2 * NET_AREA + 8192)

struct net {
    struct fabric *fabric;
    struct fabric_window window;
    int node, nodes;
    const char *device; /* as --device has it; empty: any */
};

extern struct net net;

/*
 * Parses the arguments, joins the job, opens its fabric (HLRC_FABRIC), creates a window of SIZE
 * bytes, and begins the table at node 0. Ends the program if the job has fewer than NODES nodes or
 * the fabric lacks one of CAPS.
 */
void net_open(const struct bench_program *program, int argc, char **argv, size_t size, int nodes,
              unsigned caps);

/* Collective: a barrier that sleeps. net_gather() also gathers a word of each node into
 * all[nodes]. */
void net_meet(void);
void net_gather(uint64_t mine, uint64_t *all);

/* Collective: ends the table, leaves the job, ends the program. WRONG: number of wrong values at
 * node 0. */
_Noreturn void net_close(uint64_t wrong);

/* ---- Operations ---- */

/* Starts a read or write of node 1's window: at this offset there and in NET_LOCAL here. */
typedef void net_start(size_t at, size_t bytes, struct fabric_op *op);
void net_start_read(size_t at, size_t bytes, struct fabric_op *op);
void net_start_write(size_t at, size_t bytes, struct fabric_op *op);

/* Words of a node's window. The write is not awaited. net_fetch_add() returns the old value. */
uint64_t net_read_word(int node, size_t offset);
void net_write_word(int node, size_t offset, uint64_t value);
uint64_t net_fetch_add(int node, size_t offset, uint64_t add);

/* ---- Requests of node 0 to node 1, by a write with immediate ---- */

enum net_request {
    NET_TAKE, /* only take the event */
    NET_GIVE, /* increment the word NET_CREDIT */
    NET_ECHO, /* reply with a write with immediate of the same length */
    NET_ASK,  /* send NET_PAGE bytes, then the word of the request to NET_ANSWER */
    NET_STOP,
};

/* The immediate of a request; BYTES up to NET_AREA. */
static inline uint32_t net_immediate(enum net_request request, size_t bytes)
{
    return (uint32_t)bytes << 3 | (uint32_t)request;
}

/* Node 1: serves until NET_STOP arrives. */
void net_serve(void);
void net_stop_serving(void); /* node 0 */

/* Polls until an event arrives; yields the core now and then. */
uint32_t net_await_event(void);
/* Waits until a word of this node's window, written by others, equals VALUE; or until it no longer
 * does, and returns it. */
void net_await_word(size_t offset, uint64_t value);
uint64_t net_await_change(size_t offset, uint64_t value);

#endif
