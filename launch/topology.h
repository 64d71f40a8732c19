/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_TOPOLOGY_H
#define HLRC_TOPOLOGY_H

/*
 * The cores that this process may use, one behind the other as they lie in the machine: those of a
 * NUMA node are neighbours. A core has one CPU, or as many as it runs threads.
 *
 * hwloc says so, with its own variables (HWLOC_SYNTHETIC describes a machine that is not there, for
 * tests). Built without hwloc, or where that fails, each CPU counts as a core, in the order of
 * their numbers.
 */

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

enum { CORES_MAX = CPU_SETSIZE };

struct core {
    cpu_set_t cpus;
    int numa; /* number of the NUMA node */
};

struct topology {
    int cores;         /* 0: more CPUs than a set holds */
    int numas;         /* NUMA nodes of the machine; 1: not to be told apart */
    bool described;    /* a machine that is not there: nothing can be bound */
    uint64_t identity; /* tells that machine from others; 0: this one */
    struct core core[CORES_MAX];
};

void topology_load(struct topology *topology);

#endif
