/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hook.h - what hook.c, which opens the hook and tests it call by call, and hook_rounds.c share. */
#ifndef TESTS_FABRIC_HOOK_H
#define TESTS_FABRIC_HOOK_H

#include "tests/fabric/recorder.h"

#define ALL_CAPS (FABRIC_READ | FABRIC_ATOMICS | FABRIC_WRITE_IMM | FABRIC_READ_ORDERED)
#define ROUNDS   1000

_Noreturn void fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
#define expect(cond, ...)      \
    do {                       \
        if (!(cond))           \
            fail(__VA_ARGS__); \
    } while (0)

/* The strength, and none of the other variables of chaos.h. */
void set_only(const char *strength);

/* Stacks the hook on a new recorder of these capabilities. */
struct fabric *open_hook(unsigned caps);

/* What was started in a slot. */
struct started {
    enum step_kind kind;
    int peer;
    size_t off, len;
    bool urgent, has_op;
    struct fabric_op op;
    uint64_t old;            /* of an atomic */
    char buffer[SLOT_BYTES]; /* what is written, or read into */
    int first, last, pieces; /* steps, by number */
    bool event, covered[SLOT_BYTES];
};

extern struct started started[SLOTS];

void choose(struct started *s, int slot); /* draws an operation */
void start(struct fabric *f, struct started *s, int slot);
bool performed(int slot);
void assign_steps(int steps); /* fills `first`, `last`, ... from the recorder's steps */

void test_worst(void);
void test_ordered(void);
void test_harmless(void);

#endif
