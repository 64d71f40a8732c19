/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * program.h - a random program without data races, made from a seed.
 *
 * A program is a list of operations in one global order. Each belongs to an actor, a thread of a
 * node; an actor performs its own in the order of the list. Phases divide the list; a phase ends
 * with a barrier, a split barrier or another collective. In a split barrier some operations lie
 * between arrive and depart. Every node makes the same program from the seed, and performs the part
 * of its actors.
 *
 * Why there is no data race (each rule with the kind of range that lives by it)
 *   - OWNED: in a phase one actor may access it, or all may read it. Between arrive and depart only
 *     that is allowed which both the phase before and the phase behind allow to this actor.
 *   - LOCKED: written while all locks of its guard set are held, read while one of them is. In a
 *     phase in which it is frozen nobody writes it, and all read it without a lock; then nobody
 *     uses it between arrive and depart either.
 *   - BATON, TOKEN: the baton's token, guarded by a lock, says whose turn it is; the data is
 *     accessed without the lock by the actor whose turn it is. The order of turns is that of the
 *     list. COUNT: of a semaphore, is guarded by a lock.
 *   - CELL: what a handle or a pointer is passed on in. It changes in one phase, by one actor, and
 *     nobody else uses it, or what it names, in that phase, nor between arrive and depart of that
 *     phase and the one before.
 *   - UNUSED: nobody writes it; all read it, always zero.
 *
 * Why no prefix of a program deadlocks: who waits (for a turn of a baton, for a semaphore) waits
 * for operations that are earlier in the list; locks are taken in ascending order, and nobody waits
 * for a turn while holding one. A semaphore is used by one group of operations in a phase: first it
 * is given a number of times, later taken as often, so that it does not matter who takes which.
 *
 * Why every read is known: a version counts the writes to a range. That of OWNED and BATON ranges
 * is part of the operation; that of LOCKED ones depends on who comes first, and is counted outside
 * shared memory (oracle.h).
 */
#ifndef TESTS_RANDOM_PROGRAM_H
#define TESTS_RANDOM_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/random/content.h"

enum {
    MAX_NODES = 8,
    MAX_THREADS = 3,
    MAX_ACTORS = MAX_NODES * MAX_THREADS,
    MAX_PHASES = 24,
    MAX_AREAS = 48, /* collective areas and single objects */
    MAX_RANGES = 4096,
    MAX_OPS = 8192,
    MAX_LOCKS = 12,
    MAX_CONDS = 4,
    MAX_WORDS = 4, /* atomic words */
    MAX_BATONS = 4,
    MAX_SEMS = 2, /* counting semaphores */
    MAX_POOLS = 2,
    POOL_SLOTS = 4,
    MAX_CELLS = 64,
    MAX_ACCESS = 4,
    RANGE_MAX = 3 * 4096, /* bytes of a range at most */
    AREA_PAGES = 32,
    NOBODY = -1, /* no actor: a range that all may read */
};

#define VERSION_ORACLE UINT32_MAX /* only the oracle knows the version */

enum range_kind {
    RANGE_OWNED,
    RANGE_LOCKED,
    RANGE_BATON,
    RANGE_TOKEN,
    RANGE_COUNT,
    RANGE_POOL,
    RANGE_CELL,
    RANGE_UNUSED
};

struct range {
    enum range_kind kind;
    uint32_t area, off, len;
    uint32_t guard;   /* LOCKED: set of locks;  others: what it belongs to */
    bool dynamic;     /* LOCKED: trylock decides whether it is written */
    uint32_t version; /* after the last operation of the program, where it is known */
    /* OWNED, by phase: actor or NOBODY;  LOCKED: NOBODY frozen, else 0 */
    int8_t owner[MAX_PHASES + 1];
};

/* Memory: an area of hlrc_malloc_all, or an object that one actor allocates and another frees. */
struct area {
    bool object;
    uint32_t bytes, align;
    uint32_t first, count; /* its ranges */
    int from, to;          /* first phase that uses it, last one (MAX_PHASES: never freed) */
    int cell;              /* object: where its address is */
    /* object: actors that allocate it, in phase `from`, and free it, in phase `to` */
    int8_t maker, breaker;
    int8_t placed[AREA_PAGES]; /* collective: node that the page is placed at, -1 not placed */
    /* its first phase places pages, and does nothing else with them */
    bool placing;
    bool fresh; /* nobody has used this memory before: placing must succeed */
};

/* What is created and destroyed, and passed on in a cell: locks, condition variables, atomic
 * words. */
struct resource {
    int cell;                      /* -1: a static lock */
    uint32_t number;               /* of a static lock */
    int8_t change[MAX_PHASES + 1]; /* by phase: actor that makes it anew, NOBODY */
};

enum word_kind { WORD_TICKET, WORD_SWAP };

struct baton {
    uint32_t lock, token, data; /* lock; ranges */
    int cond;                   /* -1: its turn is polled for */
    uint32_t turns;             /* taken so far, while the program is made */
};

/* Threads wait on its condition variable, which nobody else uses, and are woken one by one. */
struct sem {
    uint32_t lock, count; /* lock; range */
    int cond;
};

enum op_kind {
    OP_READ,
    OP_WRITE,
    OP_SECTION,
    OP_TRY_SECTION,
    OP_BATON,
    OP_GIVE,
    OP_TAKE,
    OP_POOL,
    OP_CHURN,
    OP_ALLOC,
    OP_FREE,
    OP_PREFETCH,
    OP_TOUCH,
    OP_HOME,
    OP_PLACE,
    OP_NEW_LOCK,
    OP_NEW_COND,
    OP_NEW_WORD,
    OP_WORD,
    OP_FILE,
    OP_SLEEP,
    OP_STATS,
    OP_KINDS
};

struct access {
    uint32_t range, version; /* before the access */
    bool write;
};

struct op {
    enum op_kind kind;
    int actor, phase;
    bool between;    /* arrive and depart */
    uint32_t target; /* area, baton, semaphore, pool or resource */
    uint32_t a, b;   /* e.g. offset and length; turn of a baton; microseconds */
    bool touch_write;
    uint32_t locks; /* set */
    uint32_t count;
    struct access access[MAX_ACCESS];
};

enum end_kind { END_BARRIER, END_SPLIT, END_BROADCAST, END_MALLOC_ALL, END_FREE_ALL };

struct phase {
    uint32_t first, between, end; /* of its operations: [first, between) and [between, end) */
    enum end_kind how;
    uint32_t arg; /* area; or bytes to broadcast */
    int root;
};

struct program {
    uint64_t seed;
    int nodes, threads, actors, phases;
    bool churn; /* threads live for a segment of a phase only */
    uint32_t op_count, range_count, area_count;
    int lock_count, cond_count, word_count, baton_count, sem_count, pool_count, cell_count;
    struct op op[MAX_OPS];
    struct range range[MAX_RANGES];
    struct area area[MAX_AREAS];
    struct phase phase[MAX_PHASES];
    struct resource lock[MAX_LOCKS], cond[MAX_CONDS], word[MAX_WORDS];
    struct baton baton[MAX_BATONS];
    struct sem sem[MAX_SEMS];
    uint32_t pool_lock[MAX_POOLS], pool_range[MAX_POOLS];
    uint32_t cell_range[MAX_CELLS];
};

/* Makes the program of a seed. nodes, threads: 0 lets the seed decide. */
void program_make(struct program *p, uint64_t seed, int nodes, int threads);

/* Cuts the program after `ops` operations; the phase it is cut in ends with a plain barrier. */
void program_cut(struct program *p, uint32_t ops);

/* One line about an operation. */
void program_describe(const struct program *p, uint32_t op, char *buf, uint32_t len);
void program_print(const struct program *p);

const char *program_op_name(enum op_kind kind);

/* For program.c and plan.c. */
void plan_make(struct program *p, struct rng *r);
bool resource_usable(const struct resource *res, int phase, bool between);
bool area_usable(const struct area *a, int phase, bool between);

static inline int actor_node(const struct program *p, int actor)
{
    return actor / p->threads;
}

#endif
