/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * actor.h - a thread of a node that performs its part of a random program.
 *
 *   actor.c    where ranges are, reading and writing them, and what happens when a read is wrong
 *   perform.c  the operations
 *   words.c    those on atomic words
 *   node.c     phases, threads, the end
 */
#ifndef TESTS_RANDOM_ACTOR_H
#define TESTS_RANDOM_ACTOR_H

#include <hlrc.h>
#include <pthread.h>

#include "tests/random/oracle.h"

struct node {
    const struct program *p;
    struct oracle *o;
    int number;
    /* collective areas; written by one thread between two meetings of all */
    char *base[MAX_AREAS];
    pthread_barrier_t meeting; /* of the node's threads */
};

struct actor {
    struct node *node;
    const struct program *p;
    struct oracle *o;
    int number;      /* of all actors */
    _Atomic int tid; /* of the thread that it is now; 0 none */
    uint32_t op;     /* index of the operation, or op_count in the final check */
    bool idle;       /* polls for its turn: no sign of life */
    struct rng rng;  /* for how things are done, not for what */
    int file;        /* a private memory file */
    /* the largest value seen since it was created */
    uint64_t word_base[MAX_WORDS], word_last[MAX_WORDS];
    unsigned char expected[RANGE_MAX], found[RANGE_MAX], next[RANGE_MAX];
};

enum { STATUS_WRONG = 97 }; /* exit status of a node that found an error */

_Noreturn void fail(struct actor *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
#define expect(a, cond, ...)        \
    do {                            \
        if (!(cond))                \
            fail((a), __VA_ARGS__); \
    } while (0)

void doing(struct actor *a, enum doing what);

/* Values that handles and addresses are passed on in; 0 nothing. */
uint64_t cell_get(struct actor *a, int cell);
void cell_set(struct actor *a, int cell, uint64_t value);

char *area_address(struct actor *a, uint32_t area);
char *range_address(struct actor *a, uint32_t range);

/* Which version of a range must be there: that of the access, or what the oracle says. */
uint32_t version_now(struct actor *a, const struct access *x);

/* Reads a range, all of it or a part, and fails unless it holds this version. */
void range_check(struct actor *a, uint32_t range, uint32_t version, bool all);
/* Makes the range's contents those of version + 1. */
void range_write(struct actor *a, uint32_t range, uint32_t version);
void range_access(struct actor *a, const struct access *x);

/* Fails unless all bytes are zero. */
void zero_check(struct actor *a, const char *at, uint64_t len, const char *what);

hlrc_lock_t lock_handle(struct actor *a, uint32_t lock);
void lock_enter(struct actor *a, uint32_t lock);
bool lock_try_enter(struct actor *a, uint32_t lock);
void lock_leave(struct actor *a, uint32_t lock);

void perform(struct actor *a, const struct op *op);

/* words.c */
void perform_word(struct actor *a, const struct op *op);
void word_check_end(struct actor *a, int word);

/* Runs this node's part; the process's exit status. */
int node_run(const struct program *p, struct oracle *o);

#endif
