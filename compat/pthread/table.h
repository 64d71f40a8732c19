/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * table.h - the threads of the job: a table in shared memory, and a mailbox for each node.
 *
 *          create                agent of the node               its end          join
 *    FREE ---------> ASKED_FOR ---------------------> RUNNING ------------> DONE ------> FREE
 *                                                        | detached                       ^
 *                                                        +--------------------------------+
 *
 * Invariants
 *   - LOCK_THREADS guards all of it. Creation of a thread is a release and its start an acquire of
 *     that lock, as are its end and its join.
 *   - An entry has one shared stack, and a private one at each node that it has been on. It is
 *     reused when no code of the program runs on it any more; at a node, when the system thread
 *     that it had there has ended.
 *   - A creator waits for the agent's report only where the system may refuse the thread.
 *   - A name is given to one thread of the job only, even if its entry is reused.
 */
#ifndef COMPAT_TABLE_H
#define COMPAT_TABLE_H

#include <hlrc.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "compat/pthread/monitor.h"
#include "compat/start/modes.h"

#define TABLE_THREADS 512u /* at once, besides main */
#define TABLE_TITLE   16   /* bytes of a thread's name for pthread_setname_np */

enum table_entry_state { ENTRY_FREE, ENTRY_ASKED_FOR, ENTRY_RUNNING, ENTRY_DONE };

struct table_entry {
    enum table_entry_state state;
    bool detached, joining;
    /* awaited: its creator waits until the agent reports that it has started, or refused: that the
     * system allows no more threads. freed: the creator frees the entry. */
    bool awaited, refused, freed;
    int node; /* current or last node; -1: none yet */
    int home; /* where it runs while threads run on all nodes (balance.h) */
    /* of a thread that moved (move.h): its frames on the shared stack, NULL: it begins; where they
     * hang on the private one; copies of its thread-local variables and thread-specific data */
    void *frames, *private_sp, *variables, *values;
    void *carried, *carried_at; /* more, for an address of the thread */
    size_t carried_bytes;
    uint32_t points; /* where it might have moved */
    int64_t used;    /* CPU time, ns */
    struct rusage usage;
    bool has_values;
    pthread_t name;
    void *(*fn)(void *);
    void *arg, *result;
    sigset_t mask; /* of its creator */
    struct modes modes;
    char title[TABLE_TITLE]; /* empty: the program's name */
    uint64_t signals;        /* bit sig - 1: sent by pthread_kill on another node */
    int queued, code;        /* of these, with a value and this code; 0: none */
    union sigval value;
    uint32_t next; /* in a mailbox; 0: the last */
    struct monitor_queue joiners, creator;
};

struct table_mailbox {
    uint32_t first, last; /* requested entries; 0: none */
    uint32_t threads;     /* of that node that have not ended */
    uint32_t signals;     /* number sent to them */
    bool full;            /* almost: the system may refuse threads there (limits.h) */
    hlrc_cond_t news;
    hlrc_atomic_t computed, busy; /* ns, as the node has last counted (balance.c) */
};

/* Requests to all agents. */
enum table_closing { OPEN, FLUSH /* stdio buffers, and report it */, END };

struct table {
    uint64_t names;   /* number given so far */
    uint32_t created; /* number created, for placement */
    uint32_t moves;
    int span;        /* the threads of `span` consecutive nodes shall be on the first: 1, at home */
    uintptr_t guard; /* the value of the stack protector of all */
    uint64_t offered; /* signals of the process that no thread of node 0 takes, as bits */
    uint32_t live;    /* that have not ended, without main */
    enum table_closing closing;
    hlrc_atomic_t ended;              /* 1: END, published without the writes of the program */
    uint32_t flushed;                 /* number of nodes */
    struct monitor_queue all_done;    /* main, at its pthread_exit */
    struct monitor_queue all_flushed; /* the thread that ends the job */
    struct table_mailbox nodes[HLRC_MAX_NODES];
    struct table_entry entries[TABLE_THREADS + 1]; /* the first is main's */
};

extern struct table *table __attribute__((visibility("hidden")));

/* On every node, after hlrc_init; `per_node`: most threads of a node. */
void table_begin(uint32_t per_node);
/* Has a node room for all threads of the job? */
bool table_has_room(void);
/* Are all threads at home on node 0 (--placement local)? */
bool table_is_local(void);

/* All that follow: under LOCK_THREADS, on the private stack. */

/* Requests a thread: a free entry, put into the mailbox of the next node in turn, or of node 0
 * while threads are not spread; 0: none free. */
uint32_t table_ask(void *(*fn)(void *), void *arg, bool detached);
/* The same on that node, even if it is full. */
uint32_t table_ask_on(int node, void *(*fn)(void *), void *arg, bool detached);
/* Requests that the entry of a thread of this node continues on another one. False: that is full.
 */
bool table_move(uint32_t entry, int to);
/* The table says something new to all agents. table_end: that they end. */
void table_tell_all(void);
void table_end(void);
/* Waits until the thread of this new entry has started. False: refused, and the entry is free. */
bool table_await_start(uint32_t entry);
/* By the agent: it has started, or could not. */
void table_report_start(uint32_t entry, bool started);
/* Takes the first entry out of this node's mailbox; 0: none. */
uint32_t table_take(int node);
/* The entry of a thread; NULL: it has none, or no longer. */
struct table_entry *table_find(pthread_t name);
/* A thread has ended, with e->result. */
void table_done(struct table_entry *e);
void table_free(struct table_entry *e);

#endif
