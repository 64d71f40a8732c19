/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * start.h - how a program that knows nothing of HLRC becomes a job: before its main.
 *
 * The program is linked against this library before the C library, so its first function calls
 * __libc_start_main here. What follows, on each node, in this order:
 *
 *   1  unless the job is one process: the process executes itself again without address space
 *      randomisation, and keeps private memory of this node apart from the others' (early.h), both
 *      before libraries are initialised
 *   2  the executable's .data and .bss, and the stacks of the lanes, are shared (hlrc_share)
 *   3  hlrc_init, and what the layer above needs (struct start_layer)
 *   4  lanes; the first of node 0 calls the C library's __libc_start_main, which runs constructors
 *      and main; all others call the layer's `serve`
 *   5  when the program has ended, all its exit handlers and destructors too: the layer ends the
 *      others, then hlrc_finalize on all nodes
 *
 * Invariants
 *   SM1  No code of the program runs before 4, and that of node 0 alone from there on, but for what
 *        the layer has other lanes do. So what is shared is the same on all nodes at first: what
 *        the executable has, and the addresses that the loader has put there.
 *   SM2  Libraries are not shared, nor is what they allocate themselves. What a library or mmap
 *        allocates on one node is accessible on no other (base/addresses.h AD2).
 *   SM3  The exit status of node 0 is the program's, and the others' is 0.
 *   SM4  Arguments and environment that main gets are copies in shared memory: where the system has
 *        put them differs from node to node.
 *   SM5  System calls may be given shared memory (--syscalls): asked for where it can be, unless
 *        the user says otherwise. What the program starts does not inherit that.
 */
#ifndef COMPAT_START_H
#define COMPAT_START_H

#include <stdbool.h>

struct lane;

/* Whose threads run the program on other nodes: OpenMP's, or those of POSIX. */
struct start_layer {
    const char *name;
    /* whether it is this layer that a program needs which takes `name` from libraries */
    bool (*takes)(const char *name);
    /* why this program cannot run, one line; NULL: it can */
    const char *(*refuse)(const char *name);
    /* before hlrc_init: how many lanes it starts itself, on all nodes, by start_thread; each node
     * has one besides then. NULL: none, and each node has as many as --threads-per-node says */
    int (*threads)(int nodes);
    void (*begin)(void);              /* behind hlrc_init, on every node */
    void (*enter)(void);              /* the calling lane runs main; NULL: no matter */
    void (*serve)(struct lane *lane); /* a lane that is not the first of node 0; until the end */
    bool (*amid)(void);               /* whether other lanes run the program's code just now */
    void (*leave)(int status);        /* ends the job although they do; NULL: it does not */
    void (*end)(void);                /* has all of them return from serve: called by node 0 */
};

/* Called by a constructor of the layer. A program that needs none has one whose lanes are those of
 * --threads-per-node. */
void start_register(const struct start_layer *layer);
/* Called by constructors: fn is called behind hlrc_init, on every node, whatever the layer. */
void start_at_begin(void (*fn)(void));

/* Starts lane `number`, from 0, of those that the layer starts itself; `l` is of zeros, or was that
 * of the same number on this node before and has ended. 0 or a negative errno. */
int start_thread(struct lane *l, int number, void *(*body)(void *), void *arg);

extern int start_lanes; /* of one node */
extern bool start_sharing
    __attribute__((visibility("hidden"))); /* several nodes, between hlrc_init and hlrc_finalize */

/* This process is a child by fork of one of the job: it ends without them. */
extern bool start_is_child __attribute__((visibility("hidden")));

/* Whether this is code of the executable, whose data are shared. */
bool start_is_program(const void *code);

/* Whether this may be accessible to the processor alone, and not to the system, just now. */
bool start_is_shared(const void *ptr);

/* Ends the process with one line. */
_Noreturn void start_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
