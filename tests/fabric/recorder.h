/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * recorder.h - a fabric of one process that performs what it is told at once, and remembers it step
 * by step: what lies below the hook while hook.c watches it.
 *
 * Its nodes are pieces of memory, cut into slots. A test gives each operation a slot of its own, at
 * whatever node it is performed, so a step tells which operation it belongs to by its offset.
 */
#ifndef TESTS_FABRIC_RECORDER_H
#define TESTS_FABRIC_RECORDER_H

#include "fabric/fabric.h"

#define NODES      3
#define SLOTS      16
#define SLOT_BYTES 4096u
#define MAX_STEPS  (SLOTS * SLOT_BYTES)

enum step_kind { STEP_READ, STEP_WRITE, STEP_EVENT, STEP_WAKE, STEP_ATOMIC };

struct step {
    enum step_kind kind;
    int peer;
    size_t off, len;
    uint32_t imm;
    bool urgent;
};

struct recorder {
    struct fabric head;
    char memory[NODES][SLOTS * SLOT_BYTES];
    /* written by whoever has the hook's lock; read once all of it has arrived */
    struct step step[MAX_STEPS];
    _Atomic uint32_t steps;
    _Atomic uint32_t arrived[SLOTS]; /* bytes, by slot; raised after the step was recorded */
    _Atomic uint32_t wakes;          /* steps that are wakes */
    _Atomic uint32_t rings;          /* calls of rx_wake */
    /* calls of rx_arm, which says that nothing is pending, and rx_sleep */
    uint32_t arms, sleeps;
    int64_t timeout; /* of the last rx_sleep */
};

extern struct recorder recorder;

void recorder_reset(unsigned caps); /* ready to be stacked on */
void recorder_forget(void);         /* the steps; between two rounds */

static inline int slot_at(size_t off)
{
    return (int)(off / SLOT_BYTES);
}

#endif
