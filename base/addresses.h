/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * addresses.h - which part of a process's address space holds what. The same on all nodes.
 *
 *   0x001000000000 - 0x100000000000   HLRC's own, once the range below is full
 *   0x100000000000 - 0x180000000000   stacks of lanes (compat/start/lane.h), the page of trap.h
 *   0x180000000000 - 0x500000000000   candidates of the shared space (hlrc/memory/space.c); in
 *                                     programs of hlrcc the libraries lie between them
 *   0x500000000000 - 0x540000000000   private memory of programs of hlrcc: one slice per node
 *   0x580000000000 - 0x7e0000000000   HLRC's own: windows of the fabric, tables
 *
 * In a program of hlrcc a pointer may reach any node. Memory that the system maps for one node (a
 * file, memory of mmap, of a library's malloc, a library of dlopen, the stack of a library's
 * thread) must not be something else at the same address of another node. The system takes the
 * free address that it likes best, which is the same on every node. So hlrc_addresses_part leaves
 * it only addresses that belong to this node.
 *
 * Invariants
 *   AD1  HLRC maps its windows and tables within its own ranges. A process that is not parted may
 *        have something else there, or a tool that forbids the address; only then the system
 *        chooses.
 *   AD2  In a parted process every page that was free at the start is reserved without access,
 *        except those of the node's slice. So the system maps nothing outside of the slice: mmap
 *        without MAP_FIXED, brk and the growth of the first stack fail where the slice does not
 *        help, and malloc takes mmap in place of brk.
 *   AD3  No two nodes have a common slice: hlrc_addresses_part gets one number of nodes on all of
 *        them, and a number of its own on each.
 *   AD4  HLRC maps over reserved pages only at addresses that it owns, and reserves them again when
 *        it unmaps.
 *   AD5  A process is parted before anything in it allocates. Otherwise what the C library has left
 *        of its first heap would be handed out later, at an address that all nodes have.
 */
#ifndef HLRC_ADDRESSES_H
#define HLRC_ADDRESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ADDRESSES_STACKS ((uintptr_t)0x100000000000)
#define ADDRESSES_SPACE  ((uintptr_t)0x180000000000)
#define ADDRESSES_SLICES ((uintptr_t)0x500000000000)

/* Exported for libhlrc_compat, like the others whose names begin with hlrc_: leaves this process no
 * free addresses but those of its slice, for good (AD2). Allocates nothing. 0; -EEXIST: something
 * lies where HLRC or a slice should, as the shadow of a sanitizer; -EBUSY: AD5 does not hold;
 * -ENOTSUP: another processor than x86-64; -ENOMEM: the limit on address space; or what reading
 * /proc failed with. */
int hlrc_addresses_part(int node, int nodes);

/* Whether this process is parted, and which slice it has then: `begin` and `end` may be NULL. */
bool addresses_parted(uintptr_t *begin, uintptr_t *end);

/* The node whose slice has this address; -1: none, or not parted. */
int addresses_node(uintptr_t address);

/* The first stack may grow as usual: for a process that turns out to be the only one. */
void hlrc_addresses_release_stack(void);

/* mmap in HLRC's own ranges (AD1). Takes no lock: allowed in a fault handler. MAP_FAILED and
 * errno. */
void *addresses_map(size_t bytes, int prot, int flags, int fd);

/* mmap at an address of HLRC's outside of those ranges, which only the caller uses. MAP_FAILED and
 * errno, EEXIST where something is there. */
void *hlrc_addresses_map_at(void *at, size_t bytes, int prot, int flags, int fd);

/* Keeps a part of the shared space's addresses free for the caller. False: something is there. */
bool addresses_claim(void *at, size_t bytes);

/* munmap of what these have mapped or claimed (AD4). */
void addresses_unmap(void *at, size_t bytes);

/* What helps when mapping `bytes` has failed with ENOMEM. */
const char *addresses_remedy(size_t bytes);

#endif
