/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * addresses.h - layout of a process's address space, the same on all nodes.
 *
 *   0x001000000000 - 0x100000000000   HLRC's own, once the range at the end is full
 *   0x100000000000 - 0x180000000000   stacks of compute threads (compat/start/lane.h), the
 *                                     page of trap.h
 *   0x180000000000 - 0x500000000000   candidates for the shared space (hlrc/memory/space.c); in
 *                                     programs of hlrcc the libraries lie between them
 *   0x500000000000 - 0x540000000000   private memory of programs of hlrcc: one slice per node
 *   0x580000000000 - 0x7e0000000000   HLRC's own: windows of the fabric, tables
 *
 * In a program of hlrcc a pointer may reach any node. Memory that the system maps for one node (a
 * file, memory of mmap, of a library's malloc, a library of dlopen, the stack of a library's
 * thread) must not be something else at the same address on another node. The system chooses the
 * same free address on every node. So hlrc_addresses_part leaves it only addresses that belong to
 * this node.
 *
 * Invariants
 *   - HLRC maps its windows and tables within its own ranges. The system chooses another address
 *     only if the process is not partitioned and the address is in use, or a tool forbids it.
 *   [addresses.reserved] In a partitioned process every page that was free at the start is reserved
 *       without access, except the node's slice. So the system maps nothing outside the slice: mmap
 *       without MAP_FIXED, brk and the growth of the first stack fail outside it, and malloc uses
 *       mmap instead of brk.
 *   - The slices of two nodes do not overlap: hlrc_addresses_part gets the same number of nodes on
 *     all of them, and a different node number on each.
 *   - HLRC maps over reserved pages only at addresses that it owns, and reserves them again when it
 *     unmaps.
 *   - A process is partitioned before anything in it allocates. Otherwise the C library would later
 *     hand out the rest of its first heap, at addresses that all nodes have in common.
 */
#ifndef HLRC_ADDRESSES_H
#define HLRC_ADDRESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ADDRESSES_STACKS ((uintptr_t)0x100000000000)
#define ADDRESSES_SPACE  ((uintptr_t)0x180000000000)
#define ADDRESSES_SLICES ((uintptr_t)0x500000000000)

/* Restricts this process to the free addresses of its slice, permanently [addresses.reserved].
 * Exported for libhlrc_compat, like the other names that begin with hlrc_. Allocates nothing. 0;
 * -EEXIST: a mapping, such as the shadow of a sanitizer, lies in a range of HLRC or of a slice;
 * -EBUSY: something has allocated before; -ENOTSUP: the processor is not x86-64; -ENOMEM: the limit
 * on address space; or the error of reading /proc. */
int hlrc_addresses_part(int node, int nodes);

/* True if this process is partitioned, and its slice; `begin` and `end` may be NULL. */
bool addresses_parted(uintptr_t *begin, uintptr_t *end);

/* The node whose slice contains this address; -1: none, or not partitioned. */
int addresses_node(uintptr_t address);

/* Lets the first stack grow as usual, for a process that turns out to be the only one. */
void hlrc_addresses_release_stack(void);

/* mmap in HLRC's own ranges. Takes no lock: allowed in a fault handler. MAP_FAILED and errno. */
void *addresses_map(size_t bytes, int prot, int flags, int fd);

/* mmap at an address of HLRC's outside those ranges that only the caller uses. MAP_FAILED and
 * errno, EEXIST if the address is in use. */
void *hlrc_addresses_map_at(void *at, size_t bytes, int prot, int flags, int fd);

/* Reserves a part of the shared space's addresses for the caller. False: already in use. */
bool addresses_claim(void *at, size_t bytes);

/* Unmaps what the functions above have mapped or claimed. */
void addresses_unmap(void *at, size_t bytes);

/* The remedy to print after mapping `bytes` has failed with ENOMEM. */
const char *addresses_remedy(size_t bytes);

#endif
