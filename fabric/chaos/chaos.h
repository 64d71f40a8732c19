/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * chaos.h - a hook that stacks on any fabric and makes of it the worst one that fabric.h allows;
 * for tests.
 *
 * "--fabric shm+chaos" opens shm and this on top. An operation is put on a list when it is started,
 * and performed by the fabric below at a random later time: by a later call, by fabric_wait or by a
 * thread of the hook, which stands for the adapter. What fabric.h leaves open is decided at random,
 * what it promises is kept:
 *
 *   F1, F2  writes (with immediate, with a wake or plain) and wakes to one target keep their order;
 *           an atomic waits for the writes before it. A write may overtake an atomic, a read may
 *           overtake everything and be overtaken.
 *   F3      FABRIC_READ_ORDERED is not offered, and reads and atomics are performed in any order
 *           (HLRC_CHAOS_ORDERED=1: offered and kept, if the fabric below has it).
 *   F4      targets do not wait for each other, and the way to one of them becomes slow now and
 *           then: its events come long after what others have done since.
 *   F5      operations of more than 8 bytes may be performed in pieces, last piece first, with time
 *           between them. Cuts are at multiples of 8 bytes.
 *   F7      events keep their order, since the writes that carry them do.
 *   F8      with HLRC_CHAOS_HEAL=1, sleeps end early, sleepers are woken for nothing, arming fails
 *           now and then. That repairs a wake that was lost, and so hides it: without, who sleeps
 *           is woken by what the fabric below admits, and by nothing else.
 *
 * Further: an operation is reported complete some time after it was performed. The source of a
 * write with an op is read when it is performed, the destination of a read is filled with rubbish
 * when it is started: who uses either before completion is found out.
 *
 * Environment, of each node:
 *   HLRC_CHAOS_SEED=N        seed of the random numbers (default 1); each node draws its own from
 *                            it
 *   HLRC_CHAOS_STRENGTH=0..9 0: everything at once; default 3: delays up to 0.2 ms, rarely 3 ms;
 *   each step doubles
 *   HLRC_CHAOS_ORDERED=1     see F3
 *   HLRC_CHAOS_LAZY=1        completions are reported in calls that start operations, test or wait
 *                            for one, as by an adapter whose completion queue nobody else polls
 *   HLRC_CHAOS_HEAL=1        see F8
 *   HLRC_CHAOS_SLOW=FROM:TO:MICROSECONDS,...
 *                            what node FROM writes at node TO, events and wakes included, arrives
 *                            after that time at the earliest, and keeps its order; what others
 *                            write, or FROM elsewhere, and reads do not wait for it (an atomic to
 *                            TO does, as F2 has it)
 *   HLRC_CHAOS_DROP=NODE:K   that node is killed (SIGKILL) when it starts its K-th operation
 */
#ifndef FABRIC_CHAOS_H
#define FABRIC_CHAOS_H

#include "fabric/fabric.h"

/* Stacks the hook on an open fabric, which then belongs to it. On failure it is left alone: 0 or a
 * negative errno. */
int chaos_stack(struct fabric *below, struct fabric **out);

#endif
