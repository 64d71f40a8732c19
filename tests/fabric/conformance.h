/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What every fabric must do: the tests that conformance.c runs on each transport and number of
 * nodes.
 *
 * A test is collective: all nodes call it, after a meeting. It uses fabric.h alone, and what the
 * harness shares between its processes: meet() and a few words per node. It names the invariant of
 * fabric.h ([fabric.write-order] and so on) that it is about.
 */
#ifndef TESTS_FABRIC_CONFORMANCE_H
#define TESTS_FABRIC_CONFORMANCE_H

#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/fabric.h"

#define KIB 1024u
#define MIB (1024u * KIB)
#define GIB ((size_t)1024 * MIB)

/* The one window of a test run. Each node writes into a peer's area that is its own there, where a
 * test says "by sender". Sources lie in the window as well: not every adapter can send from
 * elsewhere. */
enum {
    AREA_SOURCE = 0,         /* 17 MiB: what a node sends, or reads into */
    AREA_TARGET = 20 * MIB,  /* 17 MiB: where a neighbour writes to */
    AREA_BACK = 40 * MIB,    /* 17 MiB: where a node reads its own data back to */
    AREA_WORDS = 60 * MIB,   /* 1 MiB: words for atomics, at node 0 */
    AREA_SLOTS = 61 * MIB,   /* 2 MiB: slots by sender */
    AREA_ACK = 63 * MIB,     /* 64 bytes by peer: counts that flow back */
    AREA_DISCARD = 64 * MIB, /* 1 MiB */
    WINDOW_BYTES = 65 * MIB,
};

#define RX_DEPTH  64 /* events that one node may have outstanding at another */
#define MAX_NODES 16

struct run {
    const char *fabric_name;
    const char *test; /* the one that runs */
    int node, nodes;
    bool hooked;                  /* operations are late, and may count as several */
    bool heals;                   /* and sleeps end early, arming fails */
    unsigned percent;             /* of the usual rounds */
    unsigned seconds;             /* after which a test hangs */
    const struct fabric_job *job; /* that it was opened for */
    struct fabric *f;
    struct fabric_window win;
    /* one per node, shared by the processes of the harness, zero at the start of a test */
    _Atomic uint64_t *word;
};

struct test {
    const char *name;
    unsigned caps; /* left out where the fabric lacks one of them */
    int min_nodes;
    void (*run)(struct run *);
};

/* end with a NULL name */
extern const struct test data_tests[], flight_tests[], queue_tests[], sleep_tests[];

/* How often to repeat what is usually repeated so many times. */
static inline uint64_t rounds(const struct run *r, uint64_t usual)
{
    uint64_t n = usual * r->percent / 100;
    return n < 20 ? 20 : n;
}

/* Waits for all nodes; the harness's own, no fabric is used. */
void meet(struct run *r);

_Noreturn void fail(const struct run *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
#define expect(r, cond, ...)        \
    do {                            \
        if (!(cond))                \
            fail((r), __VA_ARGS__); \
    } while (0)

/* The call is of an operation that this fabric lacks, and has to end the job, saying so. */
#define expect_lack(r, call)                       \
    do {                                           \
        end_expected = true;                       \
        if (setjmp(expected_end) == 0) {           \
            call;                                  \
            fail((r), "%s is not refused", #call); \
        }                                          \
    } while (0)
extern jmp_buf expected_end;
extern bool end_expected;

static inline char *own(const struct run *r, size_t off)
{
    return r->win.base + off;
}

/* A word of the own window that others write one-sidedly. */
static inline uint64_t own_word(const struct run *r, size_t off)
{
    return atomic_load_explicit((_Atomic uint64_t *)(void *)own(r, off), memory_order_acquire);
}

static inline int right_of(const struct run *r)
{
    return (r->node + 1) % r->nodes;
}
static inline int left_of(const struct run *r)
{
    return (r->node + r->nodes - 1) % r->nodes;
}

/* Waits for operations, which are complete then. */
void finish(struct run *r, struct fabric_op *op);

/* Operations that are waited for. */
void put(struct run *r, int peer, size_t off, const void *src, size_t len);
void get(struct run *r, int peer, size_t off, void *dst, size_t len);
uint64_t add(struct run *r, int peer, size_t off, uint64_t by);
uint64_t swap(struct run *r, int peer, size_t off, uint64_t expect, uint64_t desired);

/* Writes 8 bytes by value, without waiting. */
void put_word(struct run *r, int peer, size_t off, uint64_t value);

/* Waits until the word at `off` of the own window is at least `value`. */
void await_word(struct run *r, size_t off, uint64_t value);

#endif
