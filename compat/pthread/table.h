/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * table.h - the threads of the job: a table in shared memory, and a mailbox for each node.
 *
 *           create                agent of the node               its end          join
 *     FREE ---------> ASKED_FOR ---------------------> RUNNING ------------> DONE ------> FREE
 *                                                         | detached                       ^
 *                                                         +--------------------------------+
 *
 * Invariants
 *   PT1  LOCK_THREADS guards all of it. To create a thread is a release and to begin one an acquire
 *        of that lock, as are its end and its join.
 *   PT2  An entry has a shared stack of its own, and at each node that it has been on a private
 *        one. It is used again when no code of the program runs on it any more, and at a node when
 *        the thread of the system that it had there has ended.
 *   PT3  A name is given to one thread of the job, whatever its entry had before.
 */
#ifndef COMPAT_TABLE_H
#define COMPAT_TABLE_H

#include <hlrc.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "compat/pthread/monitor.h"

#define TABLE_THREADS 512u /* at once, besides main */

enum entry_state { ENTRY_FREE, ENTRY_ASKED_FOR, ENTRY_RUNNING, ENTRY_DONE };

struct entry {
    enum entry_state state;
    bool detached, joining;
    int node; /* where it is, or was last; -1: nowhere */
    pthread_t name;
    void *(*fn)(void *);
    void *arg, *result;
    sigset_t mask; /* of who has created it */
    uint32_t next; /* in a mailbox; 0: the last */
    struct queue joiners;
};

struct mailbox {
    uint32_t first, last; /* entries that are asked for; 0: none */
    uint32_t threads;     /* of that node that are not at their end */
    hlrc_cond_t news;
};

/* What agents are told besides. */
enum table_closing { OPEN, FLUSH /* what stdio has, and say so */, END };

struct table {
    uint64_t names;   /* given so far */
    uint32_t created; /* so many, for placement */
    uint32_t live;    /* not at their end, main not counted */
    enum table_closing closing;
    uint32_t flushed;         /* nodes */
    struct queue all_done;    /* main, at its pthread_exit */
    struct queue all_flushed; /* who ends the job */
    struct mailbox nodes[HLRC_MAX_NODES];
    struct entry entries[TABLE_THREADS + 1]; /* the first is main's */
};

extern struct table *table __attribute__((visibility("hidden")));

/* On every node, behind hlrc_init; `per_node`: threads that a node has at most. */
void table_begin(uint32_t per_node);

/* In LOCK_THREADS, on the private stack: what follows. */

/* A free entry, asked for and in the mailbox of the next node in turn; 0: there is none. */
uint32_t table_ask(void *(*fn)(void *), void *arg, bool detached);
/* The same on that node, whatever it has. */
uint32_t table_ask_on(int node, void *(*fn)(void *), void *arg, bool detached);
/* The first of this node's mailbox, taken out; 0: none. */
uint32_t table_take(int node);
/* The entry of a thread; NULL: it has none, or none any more. */
struct entry *table_find(pthread_t name);
/* A thread has ended, with e->result. */
void table_done(struct entry *e);
void table_free(struct entry *e);

#endif
