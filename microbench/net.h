/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the microbenchmarks on the fabric's own interface share: a job of nodes with one window
 * each, and what the other nodes do meanwhile. Node 0 measures, from one thread; the others sleep,
 * or node 1 serves.
 */
#ifndef MICROBENCH_NET_H
#define MICROBENCH_NET_H

#include "fabric/fabric.h"
#include "microbench/bench.h"

#define NET_BATCH 16 /* operations that are timed together, or under way together */
#define NET_PAGE  4096

/*
 * The window: what others read and write, what this node reads into and writes from, and words.
 * NET_AREA bytes each, but the last.
 */
#define NET_AREA   ((size_t)16 << 20)
#define NET_LOCAL  NET_AREA
#define NET_WORDS  (2 * NET_AREA)
#define NET_EVENTS (NET_WORDS + 1024) /* where writes with immediate of requests go */
#define NET_CREDIT (NET_WORDS + 2048) /* at node 0: requests of NET_GIVE that were served */
#define NET_ANSWER (NET_WORDS + 3072) /* at node 0: the word behind a page that was asked for */
#define NET_SIZE   (2 * NET_AREA + 8192)

struct net {
    struct fabric *fabric;
    struct fabric_window window;
    int node, nodes;
};

extern struct net net;

/*
 * Take the arguments, join the job, open its fabric (HLRC_FABRIC), make a window of SIZE bytes, and
 * begin the table at node 0. Ends the program if the job has fewer than NODES nodes, or the fabric
 * lacks one of CAPS.
 */
void net_open(const struct bench_program *program, int argc, char **argv, size_t size, int nodes,
              unsigned caps);

/* Collective: a barrier that sleeps; and that gathers a word of each node, in all[nodes]. */
void net_meet(void);
void net_gather(uint64_t mine, uint64_t *all);

/* Collective: end the table, leave the job, end the program. WRONG, at node 0: values that were. */
_Noreturn void net_close(uint64_t wrong);

/* ---- What node 0 asks node 1 for, by a write with immediate ---- */

enum net_request {
    NET_TAKE, /* nothing: take the event */
    NET_GIVE, /* raise the word NET_CREDIT */
    NET_ECHO, /* a write with immediate of as many bytes, the other way */
    NET_ASK,  /* NET_PAGE bytes, and the word that came with the request to NET_ANSWER */
    NET_STOP,
};

/* The immediate of a request; BYTES up to NET_AREA. */
static inline uint32_t net_immediate(enum net_request request, size_t bytes)
{
    return (uint32_t)bytes << 3 | (uint32_t)request;
}

/* Node 1: serve until NET_STOP comes. */
void net_serve(void);
void net_stop_serving(void); /* node 0 */

/* Poll until an event comes; gives the core up now and then. */
uint32_t net_await_event(void);
/* Until a word of this node's window, which others write, is VALUE. */
void net_await_word(size_t offset, uint64_t value);

#endif
