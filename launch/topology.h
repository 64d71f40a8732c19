/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_TOPOLOGY_H
#define HLRC_TOPOLOGY_H

/*
 * The cores that this process may use, in machine order: cores of one NUMA node are adjacent. A
 * core has as many CPUs as it has hardware threads.
 *
 * The order comes from hwloc, which has its own variables (HWLOC_SYNTHETIC describes an imaginary
 * machine, for tests). Without hwloc, or if it fails, each CPU counts as a core, in numerical
 * order.
 */

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

enum { CORES_MAX = CPU_SETSIZE };

struct topology_core {
    cpu_set_t cpus;
    int numa; /* number of the NUMA node */
};

struct topology {
    int cores;         /* 0: more CPUs than a set holds */
    int numas;         /* NUMA nodes of the machine; 1: not distinguishable */
    bool described;    /* an imaginary machine: nothing can be bound */
    uint64_t identity; /* distinguishes that machine from others; 0: this machine */
    struct topology_core core[CORES_MAX];
};

void topology_load(struct topology *topology);

#endif
