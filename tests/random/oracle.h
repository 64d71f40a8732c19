/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * oracle.h - what a random program's nodes know of each other without the shared memory under test:
 * a plain file that all of them map. It is written where the program's own synchronisation orders
 * it (under the same lock, by the same turn), so that it tells a reader exactly what must be there.
 */
#ifndef TESTS_RANDOM_ORACLE_H
#define TESTS_RANDOM_ORACLE_H

#include <stdatomic.h>

#include "tests/random/program.h"

enum {
    MAX_TICKETS = 65536, /* operations on one atomic word */
    MAX_BLOCKS = 4096,   /* live allocations */
};

enum doing {
    DOING_ACCESS,
    DOING_LOCK,
    DOING_UNLOCK,
    DOING_TURN,
    DOING_COND,
    DOING_CALL,
    DOING_MEET,
    DOING_BARRIER,
    DOING_KINDS
};

struct oracle_actor {
    /* the one that it performs: index + 1; behind the last one when it waits in a barrier */
    _Atomic uint32_t op;
    _Atomic uint32_t steps; /* rises with anything that shows that it is alive */
    _Atomic int doing;      /* enum doing */
};

struct oracle_slot { /* of a pool */
    uint64_t address;
    uint32_t size, tag;
};

struct oracle_block {
    uint64_t address, size;
};

struct oracle {
    _Atomic uint32_t failed;
    _Atomic uint32_t text_ready;
    char text[2048];
    _Atomic int pid[MAX_NODES];
    struct oracle_actor actor[MAX_ACTORS];
    _Atomic uint32_t finished;            /* nodes that came to the end */
    _Atomic int holder[MAX_LOCKS];        /* actor + 1 */
    _Atomic uint32_t version[MAX_RANGES]; /* of LOCKED ranges */
    _Atomic uint32_t token[MAX_BATONS];
    _Atomic uint32_t count[MAX_SEMS];
    _Atomic uint64_t cell[MAX_CELLS];
    _Atomic uint64_t base[MAX_AREAS]; /* collective areas: address + 1 */
    /* nodes that are about to give the area back */
    _Atomic uint32_t leaving[MAX_AREAS];
    _Atomic int home[MAX_AREAS][AREA_PAGES];        /* node + 1, once somebody has seen one */
    struct oracle_slot pool[MAX_POOLS][POOL_SLOTS]; /* guarded by the pool's lock */
    _Atomic uint64_t word_base[MAX_WORDS];          /* value that a word was created with */
    /* increments, exchanges that succeeded since then */
    _Atomic uint32_t word_ops[MAX_WORDS];
    _Atomic uint8_t word_seen[MAX_WORDS][MAX_TICKETS];
    _Atomic uint32_t blocks_lock, block_count;
    struct oracle_block block[MAX_BLOCKS]; /* guarded by blocks_lock */
};

/* Notes that [address, size) was allocated; false when it overlaps another live block. */
bool oracle_block_add(struct oracle *o, const void *address, uint64_t size);
bool oracle_block_remove(struct oracle *o, const void *address);

#endif
