/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The atomic unit of an adapter, after Underwood, Levenhagen, Hemmert and Brightwell, "High
 * Message Rate, NIC-Based Atomics" (section III, figure 1). Operations arrive in a queue. The
 * issue unit requests their words from the cache, one per cycle, and the cache requests them from
 * the host. The ALU takes the operations in order, also one per cycle. A result goes to the cache
 * and at once to the host's memory, or to the register file if another operation on the word
 * follows soon.
 *
 *    queue:   | done | requested: the pipeline | not requested yet |
 *                    ^ computed               ^ fetched           ^ came
 *
 *   - The ALU takes operations in order of arrival, each when its word is present and no earlier
 *     operation computes with that word.
 *   - A result goes to the register file only if one of the next `window` operations has the same
 *     word, a register is free or already holds the word, and the aging policy allows it. So the
 *     last operation on a word is always followed by a write to the host. Also, no unissued
 *     operation before that next one may need a line of the same set: it could wait for the line
 *     while the line waits for a later operation.
 *   - A word is not read from the host while a write to it is in progress. Such writes are in the
 *     read-after-write buffer until they are done, and an operation that misses the cache waits for
 *     them there.
 *   - Without a cache an operation requests its word when no operation on that word is in the
 *     pipeline, and reads the value that the previous one wrote.
 *   - An operation that misses while all lines of its set are in use waits for a line, and all
 *     later operations with it, as in section V. With `passes` it operates past the cache instead.
 */
#ifndef SIM_ATOMIC_UNIT_H
#define SIM_ATOMIC_UNIT_H

#include "sim/host_port.h"
#include "sim/nic_cache.h"

/* When a value may stay in the register file: as long as the window has another operation on it;
 * for a limited number of results in a row; while the queue to the host is long; or while both
 * hold. */
enum atomic_unit_aging { AGING_NONE, AGING_COUNT, AGING_QUEUE, AGING_BOTH };

struct atomic_unit_config {
    unsigned lines, ways; /* lines 0: no cache, and no register file */
    bool passes;          /* misses do not wait for a line of their set */
    unsigned window, registers;
    enum atomic_unit_aging aging;
    unsigned aging_count; /* results of one word in a row that may go to the register file */
    unsigned aging_queue; /* waiting requests above which the queue to the host is long */
    unsigned raw;         /* entries of the read-after-write buffer */
    unsigned pipeline;    /* operations requested and not computed */
    sim_time cycle;
    unsigned alu_cycles; /* from the arrival of a word to its result */
};

struct atomic_unit_op {
    uint64_t address;
    uint64_t source; /* for the done callback */
    struct nic_cache_line *line;
    bool here; /* without a line: the word has arrived */
};

struct atomic_unit {
    struct event_loop *loop;
    struct host_port *port;
    struct atomic_unit_config cfg;
    event_fn done; /* called with an operation's source when its result is written */
    void *self;
    struct nic_cache cache;
    struct atomic_unit_op *queue; /* a ring */
    uint64_t came, fetched, computed, written;
    size_t room;        /* a power of two, or 0 */
    uint64_t *raw;      /* addresses of writes in progress */
    unsigned raw_used;  /* entries used, also by results being computed */
    unsigned raw_known; /* addresses in raw */
    unsigned registers_used;
    sim_time last_tick; /* + 1; 0: none yet */
    bool ticks;         /* an event is scheduled */
    /* statistics */
    uint64_t hits, misses, kept, stalled_set, stalled_raw;
};

void atomic_unit_init(struct atomic_unit *unit, struct event_loop *loop, struct host_port *port,
                      const struct atomic_unit_config *cfg, event_fn done, void *self);
void atomic_unit_free(struct atomic_unit *unit);

/* Adds an operation that has arrived from the network. */
void atomic_unit_add(struct atomic_unit *unit, uint64_t address, uint64_t source);

#endif
