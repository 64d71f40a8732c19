/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The atomic unit of an adapter, after Underwood, Levenhagen, Hemmert and Brightwell, "High Message
 * Rate, NIC-Based Atomics" (section III, figure 1): operations come in a queue. The issue unit
 * asks the cache for their words, one in a cycle, and the cache the host; behind it the ALU takes
 * them one in a cycle, too. A result goes to the cache and at once to the host's memory, or to the
 * register file if another operation on the word is near.
 *
 *    queue:   | done | asked for: the pipeline | to be asked for |
 *                    ^ computed                ^ fetched         ^ came
 *
 *   AU1  The ALU takes operations in the order in which they came, each when its word is there and
 *        no operation before it computes with that word.
 *   AU2  A result goes to the register file only if one of the next `window` operations has the
 *        same word, a register is free or the word's own, and the aging policy allows it. So the
 *        last operation on a word is always followed by a write to the host. And none of those
 *        before that one, which still have to ask for their words, may need a line of the same
 *        set: it could wait for the line, which waits for an operation behind it.
 *   AU3  A word is not read from the host while a write to it is under way: those are in the
 *        read-after-write buffer until they are done, and whoever misses the cache waits for them
 *        there.
 *   AU4  Without a cache an operation asks for its word when no operation on it is in the pipeline,
 *        and reads what the one before has written.
 */
#ifndef SIM_ATOMIC_UNIT_H
#define SIM_ATOMIC_UNIT_H

#include "sim/host_port.h"
#include "sim/nic_cache.h"

/* When a value may stay in the register file: as long as the window has another operation; at most
 * so many times in a row; while the queue to the host is long; or while both hold. */
enum aging { AGING_NONE, AGING_COUNT, AGING_QUEUE, AGING_BOTH };

struct atomic_unit_config {
    unsigned lines, ways; /* lines 0: no cache, and no register file */
    unsigned window, registers;
    enum aging aging;
    unsigned aging_count; /* results of one word in a row that may go to the register file */
    unsigned aging_queue; /* requests that wait, above which the queue to the host is long */
    unsigned raw;         /* entries of the read-after-write buffer */
    unsigned pipeline;    /* operations that have been asked for and not been computed */
    sim_time cycle;
    unsigned alu_cycles; /* from a word that is there to its result */
};

struct atomic_op {
    uint64_t address;
    uint64_t source; /* for the one who is told that it is done */
    struct nic_line *line;
    bool here; /* without a cache: the word has come */
};

struct atomic_unit {
    struct event_loop *loop;
    struct host_port *port;
    struct atomic_unit_config cfg;
    event_fn done; /* called with an operation's source when its result is written */
    void *self;
    struct nic_cache cache;
    struct atomic_op *queue; /* a ring */
    uint64_t came, fetched, computed, written;
    size_t room;        /* a power of two, or 0 */
    uint64_t *raw;      /* addresses of writes under way */
    unsigned raw_used;  /* of them, and of results that are being computed */
    unsigned raw_known; /* addresses in raw */
    unsigned registers_used;
    sim_time last_tick; /* + 1; 0: none yet */
    bool ticks;         /* an event is asked for */
    /* counted */
    uint64_t hits, misses, kept, stalled_set, stalled_raw;
};

void atomic_unit_init(struct atomic_unit *unit, struct event_loop *loop, struct host_port *port,
                      const struct atomic_unit_config *cfg, event_fn done, void *self);
void atomic_unit_free(struct atomic_unit *unit);

/* An operation has come from the network. */
void atomic_unit_add(struct atomic_unit *unit, uint64_t address, uint64_t source);

#endif
