/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * space.h - the two views of the shared space, and the protection of the application's.
 *
 * The application's view lies at the same address on every node: the nodes agree at start on the
 * first candidate that is free on all of them; ranges are where the program has them (range.h).
 * The engine's view is the fabric's window. Only space_protect changes protections, so that
 * another mechanism can replace mprotect.
 */
#ifndef HLRC_SPACE_H
#define HLRC_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hlrc/core/protocol.h"

/* Largest size of a space if none was requested: it must find an address in this process, also
 * under ThreadSanitizer, and not keep valgrind busy. */
uint64_t space_most(void);

/* Reserves `size` bytes of address space at the same address on every node. Collective. 0, or a
 * negative errno on every node. */
int space_agree(size_t size, char **base);

/* Creates the window of engine.pages and both views; sets engine.space, engine.mem, engine.app.
 * Collective. 0 or a negative errno after one line to the user. */
int space_create(void);
void space_destroy(void); /* both views; the window stays until the fabric is closed */

/* Sets the protection of `count` pages of the application's view. Returns 0, or -ENOMEM: the
 * process has too many mappings, and a part of the run may have changed. Any other failure ends
 * the program. */
int space_protect(uint32_t first, uint32_t count, enum protocol_access right);

/* Allocates the memory of pages to be fetched by one system call, which costs less than a fault
 * each. Where this node reads them, in the engine's view (Linux 5.14). Where their homes write
 * them, in no view, so that this node's control group is charged. Existing contents stay; on
 * failure, faults allocate the memory. */
void space_furnish(uint32_t first, uint32_t count);

/* Maps pages of the application's view that are open for stores and about to be stored to: one
 * system call instead of a kernel fault each. A hint. */
void space_populate(uint32_t first, uint32_t count);

/* Whether none of these pages has memory, so that they are zero. Costs a system call. */
bool space_bare(uint32_t first, uint32_t count);

/* Whether this node has written its copy: false proves that it is in its initial state. Costs a
 * system call. ASSUMPTION: it was not fetched. */
bool space_touched(uint32_t page);

#endif
