/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * chaos.h - a hook for tests that stacks on any fabric and makes it behave as badly as fabric.h
 * allows.
 *
 * "--fabric shm+chaos" opens shm with the hook on top. An operation is queued when it is started,
 * and the fabric below performs it at a random later time: in a later call, in fabric_wait or in a
 * thread of the hook, which plays the adapter. The hook randomises what fabric.h leaves open, and
 * keeps its guarantees:
 *
 *   [fabric.write-order], [fabric.atomic-order]  writes (with immediate, with a wake or plain) and
 *           wakes to one target keep their order; an atomic waits for the writes before it. A write
 *           may overtake an atomic, a read may overtake everything and be overtaken.
 *   [fabric.read-order]  FABRIC_READ_ORDERED is not offered, and reads and atomics are performed in
 *           any order (HLRC_CHAOS_ORDERED=1: offered and kept, if the fabric below has it).
 *   [fabric.target-order]  targets do not wait for each other, and the path to one of them becomes
 *           slow now and then: its events arrive long after other nodes' later operations.
 *   [fabric.whole-word]  operations of more than 8 bytes may be performed in pieces, last piece
 *           first, with time between them. Cuts are at multiples of 8 bytes.
 *   [fabric.event-order]      events keep their order, since the writes that carry them do.
 *   [fabric.armed-wake]  with HLRC_CHAOS_HEAL=1, sleeps end early, sleepers are woken without
 *                        reason, arming
 *           fails now and then. That repairs a lost wake, and so hides it. Without it, only what
 *           the fabric below admits wakes a sleeper.
 *
 * Further, an operation is reported complete some time after it was performed. The source of a
 * write with an op is read when it is performed, and the destination of a read is filled with
 * rubbish when it is started: this detects a caller that uses either before completion.
 *
 * Environment, of each node:
 *   HLRC_CHAOS_SEED=N        seed of the random numbers (default 1); each node derives its own
 *                            sequence
 *   HLRC_CHAOS_STRENGTH=0..9 0: everything at once; default 3: delays up to 0.2 ms, rarely 3 ms;
 *                            each step doubles
 *   HLRC_CHAOS_ORDERED=1     see [fabric.read-order]
 *   HLRC_CHAOS_LAZY=1        completions are reported only in calls that start operations, test or
 *                            wait for one, as by an adapter whose completion queue only they poll
 *   HLRC_CHAOS_HEAL=1        see [fabric.armed-wake]
 *   HLRC_CHAOS_SLOW=FROM:TO:MICROSECONDS,...
 *                            what node FROM writes at node TO, including events and wakes, arrives
 *                            after that time at the earliest, in order; writes of other nodes, of
 *                            FROM to other nodes, and reads do not wait for it (an atomic to TO
 *                            does, by [fabric.atomic-order])
 *   HLRC_CHAOS_DROP=NODE:K   that node is killed (SIGKILL) when it starts its K-th operation
 */
#ifndef FABRIC_CHAOS_H
#define FABRIC_CHAOS_H

#include "fabric/fabric.h"

/* Stacks the hook on an open fabric, and takes ownership of it. 0, or a negative errno, and the
 * fabric is unchanged. */
int chaos_stack(struct fabric *below, struct fabric **out);

#endif
