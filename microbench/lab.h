/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The apparatus of the fault benchmark: the components of a page fetch and nothing else.
 *
 * This process acts as the faulting node. Its memory object is mapped twice: as the application's
 * view APP, whose protection is changed, and as the always writable view FABRIC, through which
 * pages are filled. PEER is the memory object of another process, mapped in both. That process
 * runs on another core if there is one, and during measurements that do not involve it, it sleeps
 * in a read of a pipe.
 *
 * The objects hold REGIONS equal regions of PAGES pages. A region not yet touched has no memory
 * and no page table entries in either process, so the first touch is cold. Region 0 is used for
 * all warm measurements.
 */
#ifndef MICROBENCH_LAB_H
#define MICROBENCH_LAB_H

#include "microbench/bench.h"

#include <stdatomic.h>
#include <sys/types.h>

struct lab {
    size_t pages; /* of a region */
    size_t regions;
    size_t region; /* in use; set by the measurement, read by the fault handler */
    char *app;
    char *fabric;
    char *peer;
    char *twins; /* PAGES pages of private memory, touched */
    int core[2];
    int cores; /* 1 or 2 */
    pid_t other;
    /* pipe to the other process; closed when this process ends, which ends the other */
    int command;
    int answer;
    struct lab_words *words;
};

/* Shared by the two processes, each on its own cache line. */
struct lab_words {
    _Alignas(128) _Atomic uint32_t bell; /* futex; written by this process */
    _Alignas(128) _Atomic uint32_t echo; /* written by the other process */
    _Alignas(128) _Atomic uint32_t turn; /* even: this process's; each turn increments it */
};

extern struct lab lab;

static inline size_t lab_offset(size_t page)
{
    return (lab.region * lab.pages + page) * BENCH_PAGE;
}

void lab_open(size_t pages, size_t regions);
void lab_close(void);

/* Handles a fault in APP, given the page within the region in use. Runs inside the signal
 * handler. */
typedef void (*lab_action)(size_t page);

/*
 * Dispatches faults to ACTION by libsigsegv if this build has it and PLAIN is not set, otherwise
 * by sigaction only.
 */
void lab_on_fault(lab_action action, bool plain);

/* Sets the protection of COUNT pages of APP from PAGE on, in one call. Usable in the handler. */
void lab_protect(size_t page, size_t count, int prot);

/* The other process writes VALUE to every 8-byte word of the first COUNT pages of the region in
 * use. */
void lab_other_writes(size_t count, uint64_t value);

/* The other process sleeps on the bell and answers each ring, COUNT times in all. */
void lab_other_listens(uint32_t count);
void lab_other_listened(void); /* wait until it is done */

/*
 * This process and the other one take COUNT turns alternately (an even number). Each turn ends by
 * incrementing `turn`; the process that waits for its turn spins. WITH_PAGE: each turn copies the
 * first page of PEER to private memory, increments its first word and copies it back, so that word
 * grows by COUNT. Needs two cores.
 */
void lab_turns(uint32_t count, bool with_page);

/* Starts or stops a second thread of this process, which spins on the other core. */
void lab_second_thread(bool run);

/* Total time in ns during which that thread was preempted. */
uint64_t lab_second_lost(void);

#endif
