/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * inner.h - what the parts of ARMCI's interface share.
 *
 * Invariants
 *   AR1  What one process has allocated is as large as it asked for, whatever others asked for:
 *        bytes at another process are compared with that one's size.
 *   AR2  Of each operation with a handle there is one entry in a table, which ends when the handle,
 *        its process or all of them are waited for: a handle whose use is not the entry's is over.
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
};

extern struct armci_job armci_job HIDDEN;

void armci_check(const char *call, int proc) HIDDEN;

/* Ends the job unless all of these are of one ARMCI_Malloc at that process (AR1). */
void armci_check_memory(const char *call, const void *at, size_t bytes, int proc) HIDDEN;

/* AR2. For an operation at this process: where its handle of HLRC goes, and afterwards the
 * program's. NULL: none is wanted, and what ends it is a fence. */
hlrc_handle_t *armci_begin(armci_hdl_t *handle, int proc, hlrc_handle_t *room) HIDDEN;
void armci_begun(armci_hdl_t *handle, int proc, const hlrc_handle_t *room) HIDDEN;

#endif
