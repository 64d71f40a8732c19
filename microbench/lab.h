/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The apparatus of the fault benchmark: what a page fetch is made of, and nothing else.
 *
 * This process plays the node that faults. Its memory object is mapped twice: as the application's
 * view APP, whose protection is changed, and as the always writable view FABRIC through which pages
 * are filled. PEER is the memory object of another process, mapped here and there; that process
 * runs on another core if there is one, and sleeps in a read of a pipe while something is measured
 * here.
 *
 * The objects hold REGIONS equal regions of PAGES pages. A region that nobody touched yet has no
 * memory, and no page table entry in either process: the first touch is cold. Region 0 serves all
 * warm measurements.
 */
#ifndef MICROBENCH_LAB_H
#define MICROBENCH_LAB_H

#include "microbench/bench.h"

#include <stdatomic.h>
#include <sys/types.h>

struct lab {
    size_t pages; /* of a region */
    size_t regions;
    size_t region; /* the one in use: set by the measurement, read by the fault handler */
    char *app;
    char *fabric;
    char *peer;
    char *twins; /* PAGES pages of private memory, touched */
    int core[2];
    int cores; /* 1 or 2 */
    pid_t other;
    /* pipe to the other process; closed by the end of this one, which ends the other */
    int command;
    int answer;
    struct lab_words *words;
};

/* Shared by the two processes, on cache lines of their own. */
struct lab_words {
    _Alignas(128) _Atomic uint32_t bell; /* futex; written by this process */
    _Alignas(128) _Atomic uint32_t echo; /* written by the other process */
    _Alignas(128) _Atomic uint32_t turn; /* even: this process's, which then raises it */
};

extern struct lab lab;

static inline size_t lab_offset(size_t page)
{
    return (lab.region * lab.pages + page) * BENCH_PAGE;
}

void lab_open(size_t pages, size_t regions);
void lab_close(void);

/* What a fault in APP does, given the page within the region in use. Runs inside the signal
 * handler. */
typedef void (*lab_action)(size_t page);

/*
 * Dispatch faults to ACTION, by libsigsegv if this build has it and PLAIN is not set, else by
 * sigaction alone.
 */
void lab_on_fault(lab_action action, bool plain);

/* Protection of COUNT pages of APP from PAGE on, in one call. Usable in the handler. */
void lab_protect(size_t page, size_t count, int prot);

/* The other process writes VALUE to every 8-byte word of the first COUNT pages of the region in
 * use. */
void lab_other_writes(size_t count, uint64_t value);

/* The other process sleeps on the bell and answers each ring until it has answered COUNT times. */
void lab_other_listens(uint32_t count);
void lab_other_listened(void); /* wait until it is done */

/*
 * COUNT turns (an even number), each of which ends by raising `turn`, of this process and of the
 * other one alternately, while the one whose turn it is not spins. WITH_PAGE: in each the first
 * page of PEER is copied to private memory, its first word raised, and copied back; so that word is
 * raised by COUNT. Needs two cores.
 */
void lab_turns(uint32_t count, bool with_page);

/* A second thread of this process that runs, and does nothing, on the other core. */
void lab_second_thread(bool run);

/* ns that it has not had its core for, in all. */
uint64_t lab_second_lost(void);

#endif
