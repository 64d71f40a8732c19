/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * counters.pml - barriers by remote atomics (onesided/barrier_counter.c), for spin.
 *
 * Nodes enter barrier after barrier, at one counter (--barrier counter), or with -DTREE at one
 * counter for each two nodes and one counter above those (--barrier tree, a fan of two). A node's
 * writes to another node arrive later, in order. An atomic follows earlier writes of its node to
 * the same target [fabric.write-order], [fabric.atomic-order]. Operations on different targets are
 * not ordered [fabric.target-order].
 *
 * Checked:
 *   - a node departs only after all have arrived, and has the vector times of all;
 *   - one node releases the others, once for each barrier;
 *   - all nodes end (spin: no invalid end state).
 *
 * A component of a vector time counts the barriers at which the node has arrived: it has written something before each.
 */
#ifndef N
#define N 4                     /* at most */
#endif
#ifndef MEETINGS
#define MEETINGS 3              /* at most */
#endif

/* Gatherings: number of members, and home. In a tree 0 and 1 are the first level, 2 is the upper one. */
#ifdef TREE
#define FAN 2
#define GATHERINGS 3
#define GATHERED_AT(g) ((g) == 1 -> 2 : 0)
#define MEMBERS(g) ((g) == 1 && N == 3 -> 1 : 2)
#define FIRST(n) ((n) / 2)
#define TOP 2
#else
#define FAN N
#define GATHERINGS 1
#define GATHERED_AT(g) 0
#define MEMBERS(g) N
#define FIRST(n) 0
#define TOP 0
#endif

/* components of a vector time: two bits each */
#define PART(time, n) (((time) >> (2 * (n))) & 3)

#define PARITY (epoch & 1)

byte count[GATHERINGS * 2];                     /* by parity, as all arrays here */
byte slot[GATHERINGS * FAN * 2];                /* vector times of members */
byte released_time[N * 2], released[N * 2];     /* at each node: vector time and word */

mtype = { TIME, WORD, ARRIVAL };
chan wire[N * N] = [2] of { mtype, byte, byte };
#define TO(n, m) wire[(n) * N + (m)]

/* ghosts */
byte arrived[N];                /* barriers at which the node has arrived */
byte releases;

/* ASSUMPTION: in a block */
inline RAISE(time, other)
{
    for (i : 0 .. N - 1) {
        if
        :: PART(time, i) < PART(other, i) -> time = time + ((PART(other, i) - PART(time, i)) << (2 * i))
        :: else
        fi
    }
    i = 0
}

#define SLOT(g, k) (((g) * FAN + (k)) * 2 + PARITY)

/* [barrier-counter.epochs]: barrier_counter_arrive_at */
inline BRING()
{
    TO(n, GATHERED_AT(g))!ARRIVAL, SLOT(g, k), time
}

inline ADD()
{
    atomic {
        empty(TO(n, GATHERED_AT(g)));           /* after earlier writes */
        count[g * 2 + PARITY]++;
#ifdef COUNTED_ONCE
        last = count[g * 2 + PARITY] == MEMBERS(g)
#else
        last = count[g * 2 + PARITY] % MEMBERS(g) == 0          /* [barrier-counter.epochs]: barrier_counter_arrive_at */
#endif
    }
}

/* Reads the slots of all members, one after the other. [barrier-counter.epochs]: barrier_counter_collect */
inline COLLECT()
{
    k = 0;
    do
    :: k < MEMBERS(g) -> d_step { RAISE(time, slot[SLOT(g, k)]); k++ }
    :: else -> break
    od
}

/* [barrier-counter.epochs]: barrier_counter_release_all */
inline RELEASE_ALL()
{
    atomic { assert(releases == epoch); releases++ };
    k = 0;
#ifdef WORD_FIRST
    do
    :: k < N -> TO(n, k)!WORD, k * 2 + PARITY, epoch + 1; k++
    :: else -> break
    od;
    k = 0;
#endif
    do
    :: k < N -> TO(n, k)!TIME, k * 2 + PARITY, time; k++
    :: else -> break
    od;
#ifndef WORD_FIRST
    k = 0;
    do
    :: k < N -> TO(n, k)!WORD, k * 2 + PARITY, epoch + 1; k++
    :: else -> break
    od;
#endif
    k = 0
}

/* The last arrival at a gathering arrives at the next one up for all of it. */
inline ARRIVE()
{
    atomic { g = FIRST(n); k = n % FAN };
    do
    ::  if
        :: MEMBERS(g) > 1 ->
#ifdef SLOT_LATE
            ADD();
            BRING();
#else
            BRING();
            ADD();
#endif
            if
            :: last -> COLLECT()
            :: else -> break
            fi
        :: else
        fi;
        if
        :: g == TOP -> RELEASE_ALL(); break
        :: atomic { g != TOP -> k = g; g = TOP }
        fi
    od;
    atomic { last = false; g = 0; k = 0 }
}

/* All have arrived, and their earlier writes are covered. */
inline CHECK()
{
    for (i : 0 .. N - 1) {
        assert(arrived[i] > epoch && PART(time, i) > epoch)
    }
    i = 0
}

proctype node(byte n)
{
    byte epoch, time, g, k, i;
    bool last;
    do
    :: epoch < MEETINGS ->
        atomic { arrived[n] = epoch + 1; time = time + (1 << (2 * n)) };
        ARRIVE();
        atomic {
            released[n * 2 + PARITY] == epoch + 1;              /* [barrier-counter.epochs]: barrier_counter_is_released */
            RAISE(time, released_time[n * 2 + PARITY]);
            CHECK();
            epoch++
        }
    :: else -> break
    od
}

#define COMES(n, m) \
    :: atomic { (n) < N && (m) < N && nempty(TO(n, m)) -> TO(n, m)?what, at, value; \
            if \
            :: what == ARRIVAL -> slot[at] = value \
            :: what == TIME -> released_time[at] = value \
            :: what == WORD -> released[at] = value \
            fi; \
            what = WORD; \
            at = 0; \
            value = 0 \
        }

/* A write arrives. */
active proctype network()
{
    byte at, value;
    mtype what = WORD;
end:
    do
    COMES(0, 0) COMES(0, 1) COMES(0, 2) COMES(1, 0) COMES(1, 1) COMES(1, 2) COMES(2, 0) COMES(2, 1) COMES(2, 2)
#if N == 4
    COMES(0, 3) COMES(1, 3) COMES(2, 3) COMES(3, 0) COMES(3, 1) COMES(3, 2) COMES(3, 3)
#endif
    od
}

init {
    byte n;
    atomic {
        for (n : 0 .. N - 1) { run node(n) }
    }
}
