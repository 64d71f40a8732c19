/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * space.h - the two views of the shared space, and the protection of the application's.
 *
 * The application's view lies at the same address on every node: the nodes agree at start on the
 * first candidate that is free on all of them; ranges are where the program has them (range.h). The
 * engine's view is the fabric's window. Protection stands behind space_protect alone, so that
 * another mechanism than mprotect can be put there.
 */
#ifndef HLRC_SPACE_H
#define HLRC_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hlrc/protocol/protocol.h"

/* How large a space may be that nobody asked for: so that it finds an address in this process, also
 * under ThreadSanitizer, and does not keep valgrind busy. */
uint64_t space_most(void);

/* Reserves `size` bytes of address space at the same address on every node. Collective. 0, or a
 * negative errno on every node. */
int space_agree(size_t size, char **base);

/* Creates the window of engine.pages and both views; sets engine.space, engine.mem, engine.app.
 * Collective. 0 or a negative errno after one line to the user. */
int space_create(void);
void space_destroy(void); /* both views; the window stays until the fabric is closed */

/* Protection of `count` pages of the application's view. 0, or -ENOMEM: the process has too many
 * mappings, and a part of the run may have changed. Any other failure ends the program. */
int space_protect(uint32_t first, uint32_t count, enum page_access_right right);

/* Makes the memory of pages that are to be fetched, by one call: that costs less than a fault each.
 * Where this node reads them, in the engine's view (Linux 5.14); where their homes write them, in
 * none, so that it is this node's nevertheless, and its control group's. What is there stays; where
 * it fails the faults make it. */
void space_furnish(uint32_t first, uint32_t count);

/* Maps pages of the application's view that are open for stores and about to be stored to: one call
 * instead of a fault of the kernel's each. A hint. */
void space_populate(uint32_t first, uint32_t count);

/* Nothing is there of any of these pages: they are zero. Costs a system call. */
bool space_bare(uint32_t first, uint32_t count);

/* Whether this node has written its copy: false proves that it is as it was at first (RG3). Costs a
 * system call. ASSUMPTION: it was not fetched. */
bool space_touched(uint32_t page);

#endif
