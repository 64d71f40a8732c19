/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sites.h - the program line that allocated the block at an address of shared memory. Recorded
 * only with --check races, --profile or --advise.
 *
 * Invariants
 *   - A node records its own allocations, in private memory: a query about a block of another node
 *     is answered by that node. All nodes record collective allocations.
 *   - A block is forgotten when its node allocates over it, not when it is freed: a report of an
 *     access to a freed block names that block. Of the answers of several nodes the one with the
 *     highest stamp is valid: memory changes hands through LOCK_HEAP (heap.h), so a later allocator
 *     knows of more intervals.
 *   - The line is the caller's, or the first one up the stack that caller.h does not skip.
 */
#ifndef HLRC_SITES_H
#define HLRC_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sites_site {
    const void *block;
    size_t size;   /* bytes, as requested */
    uint64_t code; /* return address, converted by sites_code */
    uint64_t stamp;
};

extern bool sites_on __attribute__((visibility("hidden")));

int sites_init(void); /* 0 or -ENOMEM */
void sites_end(void);

/* Converts an instruction address of this process so that other nodes can look it up. Set before
 * sites_init. */
extern uint64_t (*sites_code)(uint64_t code);

void sites_add(const void *block, size_t size, void *caller);
static inline void sites_note(const void *block, size_t size, void *caller)
{
    if (sites_on && block)
        sites_add(block, size, caller);
}

/* The most recent block of this node that contained addr; false: none. */
bool sites_of(const void *addr, struct sites_site *out);

/* All that this node has recorded and not forgotten, ascending. ASSUMPTION: no concurrent
 * allocation. */
void sites_each(void (*fn)(const struct sites_site *site, void *arg), void *arg);

/* Like sites_of, for all nodes: queries them, and waits for each. The calling thread must have a
 * slot (thread.h). */
bool sites_site_ask(const void *addr, struct sites_site *out);

#endif
