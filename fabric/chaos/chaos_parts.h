/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * chaos_parts.h - shared by chaos.c (the functions of a fabric) and chaos_list.c (delayed
 * execution).
 *
 *          start                 due, not blocked            due again
 *   FREE ---------> STARTED ----------------------> DONE ----------------> FREE, op lowered
 *                    |   ^  a piece of it
 *                    +---+
 *
 * Invariants
 *   - `list` holds the operations that are started and not yet reported, in the order of starting;
 *     `lock` guards it and all of struct chaos except the counters. Operations of the fabric below
 *     are performed with the lock held, so one at a time.
 *   - An operation is blocked while an earlier one that it must not overtake is STARTED
 *     [fabric.write-order], [fabric.atomic-order], [fabric.read-order].
 *   - `op` is not touched after `pending` was lowered for the last time: it may lie on the stack of
 *     a waiter.
 *   - The data of a write without op was copied before its start returned, and before the lock was
 *     taken: reading it may fault.
 *   - Nothing here allocates or waits for another node, so all functions may be called while
 *     serving.
 */
#ifndef FABRIC_CHAOS_PARTS_H
#define FABRIC_CHAOS_PARTS_H

#include <pthread.h>

#include "fabric/fabric.h"

#define CHAOS_FAR INT64_MAX

enum chaos_kind { WRITE, WRITE_IMM, WRITE_WAKE, WAKE, READ, CAS, FETCH_ADD, EXCHANGE };
enum chaos_state { STARTED, DONE };

/* The request; of a transfer: the part that remains. */
struct chaos_job {
    enum chaos_kind kind;
    int peer, win;
    size_t off, len;
    union {
        const char *src;
        char *dst;
        uint64_t *old;
    } at;
    uint64_t a, b; /* operands of atomics; a: immediate of a WRITE_IMM */
    bool urgent;
    struct fabric_op *op;
};

struct chaos_slot {
    struct chaos_slot *next;
    enum chaos_state state;
    int64_t due; /* time of the next step */
    /* 0, or arrival time on a slow path: the first step is not earlier, even if expedited */
    int64_t earliest;
    struct chaos_job job;
    char copy[FABRIC_INLINE];
};

struct chaos {
    struct fabric head;
    struct fabric *below;
    pthread_mutex_t lock;
    /* for the worker: test the list again; for waiters: something was completed */
    pthread_cond_t work, news;
    struct chaos_slot *slots, *unused;
    struct chaos_slot *list, **end;
    uint64_t random;
    int strength;
    /* only threads that start, test or wait for operations see completions */
    bool lazy;
    bool heals; /* sleeps end early, sleepers are woken without reason, arming fails */
    int64_t slow_until[NODES_MAX]; /* by peer: nothing is performed there earlier */
    int64_t way_ns[NODES_MAX];     /* by peer: minimum time of a write from here; constant */
    bool stopping;
    int64_t worker_until; /* the worker sleeps until then */
    pthread_t worker;
    uint64_t drop_at, started;
    /* operations that the user of the fabric started, not their pieces */
    _Atomic uint64_t reads, writes, atomics;
    /* length of list; read without the lock to return early */
    _Atomic int listed;
};

/* A free slot; takes the lock. */
struct chaos_slot *chaos_slot_take(struct chaos *c);
/* Puts a filled slot on the list; drops the lock. */
void chaos_slot_start(struct chaos *c, struct chaos_slot *s);

/* With the lock held. */
bool chaos_chance(struct chaos *c, unsigned of_1024);
/* performs every step that is due; returns the time of the next one */
int64_t chaos_progress(struct chaos *c, bool reports);
/* makes the operations due that op waits for */
void chaos_expedite(struct chaos *c, const struct fabric_op *op);
void chaos_rouse(struct chaos *c, int64_t next); /* wakes the worker, if it would sleep longer */
void chaos_sleep(struct chaos *c, pthread_cond_t *cond, int64_t until);

int chaos_make_slots(struct chaos *c);
void chaos_drop_slots(struct chaos *c);
int chaos_start_worker(struct chaos *c);

#endif
