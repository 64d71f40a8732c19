/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * order.pml - release and acquire without a lock (hlrc/sync/order.c), for spin.
 *
 * Node 0 ends an interval, releases and raises a flag, time after time. When node 1 sees that, it acquires, ends an
 * interval, releases and raises its flag. Two threads of node 2 see flags and acquire. The flags are words that order
 * nothing. A component of a vector time is the number of intervals that the node has ended, or has acquired.
 *
 * Checked: after an acquire the thread's node has what the node whose flag it saw had when it released.
 */
#ifndef TIMES
#define TIMES 3                 /* releases of node 0 */
#endif
#define NODES 3
#define MAX(a, b) ((a) > (b) -> (a) : (b))

/* By node, then writer: what the node has, and the vector time in its window. By node: the number of its releases. */
byte vt[9], time[9], number[NODES];
/* By node, then other node: number of the last release acquired. */
byte acquired[9];
#define AT(n, w) ((n) * NODES + (w))

/* The flags of nodes 0 and 1. Ghosts: what their nodes had. */
byte flag[2], had0[2], had1[2];

inline WRITE_TIME(n)
{
#ifdef ORDER_OWN_ONLY
    time[AT(n, n)] = vt[AT(n, n)]
#else
    time[AT(n, 0)] = vt[AT(n, 0)];
    time[AT(n, 1)] = vt[AT(n, 1)]
#endif
}

/* [order.number-last]: order_write; [order.published-first]: hlrc_release */
inline RELEASE(n)
{
#ifdef ORDER_NUMBER_FIRST
    number[n]++;
    WRITE_TIME(n)
#else
    WRITE_TIME(n);
    number[n]++
#endif
}

/* [order.read-last]: hlrc_release. The flag and its ghosts are one step. */
inline RAISE_FLAG(n)
{
    atomic { had0[n] = vt[AT(n, 0)]; had1[n] = vt[AT(n, 1)]; flag[n]++ }
}

/* From one other node. [order.number-last]: order_read_time; [order.acquired-first]: order_raise */
inline ACQUIRE(n, from)
{
    if
    :: num <= acquired[AT(n, from)]
    :: else ->
        want0 = time[AT(from, 0)];
        want1 = time[AT(from, 1)];
#ifdef ORDER_ACQUIRED_EARLY
        acquired[AT(n, from)] = MAX(acquired[AT(n, from)], num);
#endif
        atomic { vt[AT(n, 0)] = MAX(vt[AT(n, 0)], want0) };
        atomic { vt[AT(n, 1)] = MAX(vt[AT(n, 1)], want1) };
        atomic { acquired[AT(n, from)] = MAX(acquired[AT(n, from)], num) }
    fi;
    want0 = 0; want1 = 0; num = 0
}

/* Waits for another value of a flag. [order.read-last]: hlrc_acquire */
inline SEE(n, from)
{
#ifdef ORDER_READ_EARLY
    num = number[from];
#else
    num = 0;
#endif
end_see:
    atomic { flag[from] > seen -> seen = flag[from]; need0 = had0[from]; need1 = had1[from] };
#ifndef ORDER_READ_EARLY
    num = number[from];
#endif
    ACQUIRE(n, from);
    atomic {
        assert(vt[AT(n, 0)] >= need0 && vt[AT(n, 1)] >= need1);
        need0 = 0; need1 = 0
    }
}

proctype node0()
{
    byte times;
    do
    :: times < TIMES -> vt[AT(0, 0)]++; RELEASE(0); RAISE_FLAG(0); times++
    :: else -> break
    od
}

proctype node1()
{
    byte seen, need0, need1, num, want0, want1;
    do
    :: seen < TIMES -> SEE(1, 0); vt[AT(1, 1)]++; RELEASE(1); RAISE_FLAG(1)
    :: else -> break
    od
}

/* A thread of node 2: sees what it happens to see. */
proctype node2()
{
    byte seen, need0, need1, num, want0, want1;
    do
    :: SEE(2, 1)
    od
}

init {
    atomic { run node0(); run node1(); run node2(); run node2() }
}
