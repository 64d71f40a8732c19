/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sites.h - which line of the program allocated what lies at an address of shared memory. Noted
 * only where somebody will ask: with --check races or --profile.
 *
 * Invariants
 *   SI1  A node notes its own allocations, in private memory: what is said here of a block that
 *        another node allocated is an answer of that node. Collective allocations all nodes note.
 *   SI2  A block is forgotten when its node allocates over it, not when it is freed: who tells of
 *        an access to a freed block wants to know what it was. Of the answers of several nodes the
 *        one with the highest stamp holds: memory changes hands through LOCK_HEAP (heap.h HP2), so
 *        who allocates later knows of more intervals.
 *   SI3  The line is the caller's, or the first one up the stack that is not in a library of HLRC.
 */
#ifndef HLRC_SITES_H
#define HLRC_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct site {
    const void *block;
    size_t size;    /* bytes, as asked for */
    uint64_t code;  /* behind the call, as sites_code has made it */
    uint64_t stamp; /* SI2 */
};

extern bool sites_on __attribute__((visibility("hidden")));

int sites_init(void); /* 0 or -ENOMEM */
void sites_end(void);

/* An instruction of this process, as other nodes can look it up. Set before sites_init. */
extern uint64_t (*sites_code)(uint64_t code);

void site_add(const void *block, size_t size, void *caller);
static inline void site_note(const void *block, size_t size, void *caller)
{
    if (sites_on && block)
        site_add(block, size, caller);
}

/* The block that this node allocated last of those that had addr; false: none. */
bool site_of(const void *addr, struct site *out);

/* All that this node has noted and not forgotten, ascending. ASSUMPTION: nothing is allocated
 * meanwhile. */
void sites_each(void (*fn)(const struct site *site, void *arg), void *arg);

/* As site_of, of all nodes: asks them, and waits for each. By a thread that has a slot
 * (thread.h). */
bool site_ask(const void *addr, struct site *out);

#endif
