/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * start.h - turns a program that does not know HLRC into a job, before its main.
 *
 * The program is linked against this library before the C library, so its first function calls
 * __libc_start_main here. If all nodes are on one host, the job becomes one process
 * (hlrc/unite.h), unless the user wants to observe several. Each node then does, in this order:
 *
 *   1  unless the job is one process: gets the addresses that all nodes have (early.h),
 *      and keeps this node's private memory apart from other nodes' (early.h), before libraries
 *      are initialised
 *   2  shares the executable's .data and .bss and the stacks of compute threads (hlrc_share)
 *   3  calls hlrc_init, and begins the layer above (struct start_layer)
 *   4  starts compute threads (lanes); the first of node 0 calls the C library's
 *      __libc_start_main, which runs constructors and main; all others call the layer's `serve`
 *   5  when the program has ended, with all exit handlers and destructors, the layer ends the
 *      other threads; then all nodes call hlrc_finalize
 *
 * Invariants
 *   - No code of the program runs before 4, and from then on only node 0's, except code that the
 *     layer runs on other threads. So shared memory is equal on all nodes at first: contents of the
 *     executable, and addresses that the loader stored.
 *   - Libraries and their own allocations are not shared. Memory from a library or mmap on one node
 *     is accessible on no other [addresses.reserved].
 *   - The exit status of node 0 is the program's; the others exit with 0.
 *   - main's arguments and environment are copies in shared memory, since the kernel's have
 *     different addresses on each node.
 *   - System calls may be passed shared memory (--syscalls): enabled where possible, unless the
 *     user says otherwise. Programs started by this one do not inherit it.
 */
#ifndef COMPAT_START_H
#define COMPAT_START_H

#include <stdbool.h>
#include <stddef.h>

struct image;
struct lane;

/* The layer whose threads run the program on other nodes: OpenMP or POSIX threads. */
struct start_layer {
    const char *name;
    /* does a program that imports `name` from libraries need this layer? */
    bool (*takes)(const char *name);
    /* why this program cannot run on that many nodes, one line; NULL: it can */
    const char *(*refuse)(const char *name, int nodes);
    /* before hlrc_init: number of threads that it starts itself, on all nodes, by start_thread,
     * besides one per node. NULL: none, and each node has --threads-per-node */
    int (*threads)(int nodes);
    void (*begin)(void);              /* after hlrc_init, on every node */
    void (*enter)(void);              /* the calling thread runs main; NULL: nothing to do */
    void (*serve)(struct lane *lane); /* run by all other threads, until the end */
    bool (*amid)(void);               /* do other threads run the program's code now? */
    void (*leave)(int status);        /* ends the job although they do; NULL: not supported */
    void (*end)(void);                /* makes all return from serve; called by node 0 */
};

/* Called by a constructor of the layer. A program that needs none gets the one whose threads are
 * --threads-per-node. */
void start_register(const struct start_layer *layer);
/* Called by constructors: fn is called after hlrc_init, on every node, whatever the layer. */
void start_at_begin(void (*fn)(void));
/* Called by a constructor: fn is called on node 0 of several when the program has ended, on the
 * private stack, before the layer ends. */
void start_at_end(void (*fn)(void));
/* Called before another node than 0 flushes the library's streams at the end. */
extern void (*start_before_flush)(void) __attribute__((visibility("hidden")));

/* Node 0's environ, in shared memory. Either stack of node 0. */
char **start_shared_environment(void);

/* For such an fn: shared memory of zeros, which node 0 allocates; `what` is for messages. */
void *start_shared_memory(size_t bytes, const char *what);

/* Starts the layer's own thread `number`, from 0. `l` is zeroed, or was used on this node for the
 * same number, whose thread has ended. 0 or a negative errno. */
int start_thread(struct lane *l, int number, void *(*body)(void *), void *arg);

#define THREADS_OWN     2    /* of a node, besides the threads that run the program */
#define THREADS_DEFAULT 64   /* --threads: default, */
#define THREADS_MOST    1024 /* limit */
/* For regions that are nested, or ask for more threads than the job has: */
#define THREADS_OF_TEAMS 514
/* Of all nodes: with a network adapter each takes registered memory for each node. */
#define THREADS_ALL_NODES 4096

extern int start_lanes; /* of one node */
/* The threads of start_span consecutive nodes run on the first of them. 1: each on its own node;
 * all nodes: gathered on node 0, while the others have 1 (compat/openmp/gather.h). Changes only
 * between regions. */
extern int start_span __attribute__((visibility("hidden")));
/* The node that runs thread `lane` of the team. */
static inline int start_node_of(int lane)
{
    int own = lane / start_lanes;
    return own - own % start_span;
}
/* Further ones that a node may start for nested teams (compat/openmp/team_nest.h). */
extern int start_extras __attribute__((visibility("hidden")));
extern const char *start_obstacle
    __attribute__((visibility("hidden"))); /* why there are several nodes: early_obstacle() */
extern bool start_sharing
    __attribute__((visibility("hidden"))); /* several nodes, between hlrc_init and hlrc_finalize */
/* Threads of several nodes run the program: sharing, and not gathered on node 0
 * (compat/openmp/gather.h). Changes only while one thread runs. */
extern bool start_spread __attribute__((visibility("hidden")));

/* Fences and atomic operations of the program are more than instructions: start_spread, or
 * start_crowded, or they are counted. */
extern bool start_fences __attribute__((visibility("hidden")));
/* More threads of the program run on this node than it has processors. */
extern bool start_crowded __attribute__((visibility("hidden")));

/* POSIX objects in the program's memory have this library's format: threads of the program run on
 * several nodes, or this is a forked child of such a job. */
extern bool start_objects __attribute__((visibility("hidden")));
bool start_has_object(const void *ptr); /* such an object may be there */

/* Bytes that OMP_STACKSIZE asks for: KiB unless it ends in B, K, M or G; 0: it is not set. */
size_t start_stack_asked(void);

/* This process is a forked child of one of the job: its end does not involve the others. */
extern bool start_is_child __attribute__((visibility("hidden")));

/* Threads of the program run on several nodes, and this is not node 0. */
extern bool start_away __attribute__((visibility("hidden")));

/* The program ends while other threads run it, whatever the layer knows. */
extern bool start_leaving __attribute__((visibility("hidden")));

extern struct image start_image __attribute__((visibility("hidden"))); /* image.h */

/* May this memory be accessible only to the processor, and not to the kernel, at the moment? */
bool start_is_shared(const void *ptr);

/* Ends the process with one line. */
_Noreturn void start_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A thread of OpenMP did not start, for that negative errno. */
_Noreturn void start_thread_fail(int thread, int error);

#endif
