/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * inner.h - internals shared by the parts of ARMCI's interface.
 *
 * Invariants
 *   - Each process's part of an allocation has the size that it asked for: accesses at another
 *     process are checked against that process's size.
 *   - Each operation with a handle has one table entry, which ends when the handle, its process or
 *     all are waited for. A handle whose use is not its entry's is complete.
 */
#ifndef COMPAT_ARMCI_INNER_H
#define COMPAT_ARMCI_INNER_H

#include <hlrc.h>
#include <stdbool.h>
#include <stdint.h>

#include "compat/armci/armci.h"
#include "compat/fail.h"

#define HIDDEN __attribute__((visibility("hidden")))

/* Constant from ARMCI_Init to ARMCI_Finalize. */
struct armci_job {
    bool joined, left;
    int me, n;
    uint32_t *arrived; /* notifications from each process, in a window; NULL: no fabric for it */
};

extern struct armci_job armci_job HIDDEN;

void inner_armci_check(const char *call, int proc) HIDDEN;

/* Ends the job unless all these bytes belong to one ARMCI_Malloc at that process. */
void inner_armci_check_memory(const char *call, const void *at, size_t bytes, int proc) HIDDEN;

/* For an operation at this process: inner_armci_begin returns where to store HLRC's handle,
 * inner_armci_begun sets the program's. NULL: no handle is wanted, and a fence completes the
 * operation. */
hlrc_handle_t *inner_armci_begin(armci_hdl_t *handle, int proc, hlrc_handle_t *room) HIDDEN;
void inner_armci_begun(armci_hdl_t *handle, int proc, const hlrc_handle_t *room) HIDDEN;

#endif
