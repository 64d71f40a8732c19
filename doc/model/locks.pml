/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * locks.pml - a lock by remote atomics (onesided/locks_mcs.c, mcs.c), for spin.
 *
 * Three nodes and one lock, whose home is node 0. Node 1 has two threads. Each thread takes the
 * lock, or tries to, a bounded number of times. A node has one queue node, which it reuses at once.
 * A node's writes to another node arrive later, in order. Atomics follow earlier writes of their
 * node to the same target [fabric.write-order], [fabric.atomic-order]. Reads happen at any time
 * [fabric.read-order].
 *
 * Checked:
 *   - one thread at a time has the lock;
 *   - it sees all earlier writes made under the lock;
 *   - nothing is written into a queue node after its owner has finished with it;
 *   - a lock that another node waits for is passed on within a node LOCAL_RUN times at most;
 *   - all threads end (spin: no invalid end state), and the lock is free then.
 *
 * Time is the number of writes under the lock that are visible. A vector time is one number here. -DREADS: a thread may
 * write nothing while it has the lock, so that it releases the lock with the vector time that it received.
 */
#define N 3
#define THREADS 4
#define HOME 0
#define NODE_OF(t) (t < 3 -> t : 1)
#ifndef OPERATIONS
#define OPERATIONS 4            /* operations of all threads together */
#endif
#define LOCAL_RUN 1

mtype = { NEXT, TIME, GRANTED, RECORD };

/* the record of the lock */
byte tail, record_time;
/* queue nodes: 0, else node + 1 */
byte next[N], node_time[N];
bool granted[N], in_use[N];
bool at_home[N];                /* its vector time was read at the home, and is still there */
/* struct lock */
bool busy[N], here[N];
byte waiters[N], run_of[N];

chan wire[N * N] = [4] of { mtype, byte };
#define TO(n, m) wire[(n) * N + (m)]

/* ghosts */
byte left = OPERATIONS;
byte total;                     /* number of writes under the lock */
byte sees[N], covers[N];        /* of these: visible at the node; covered by the node's vector time */
byte holders;

#define ARRIVE(k) \
    :: atomic { nempty(wire[k]) -> wire[k]?what, value; \
            if \
            :: what == NEXT -> assert(in_use[k % N] && next[k % N] == 0); next[k % N] = value \
            :: what == TIME -> assert(in_use[k % N]); node_time[k % N] = value \
            :: what == GRANTED -> assert(in_use[k % N] && !granted[k % N]); granted[k % N] = true \
            :: what == RECORD -> record_time = value \
            fi; \
            value = 0; what = RECORD \
        }

active proctype network()
{
    byte value;
    mtype what = RECORD;
end:
    do
    ARRIVE(0) ARRIVE(1) ARRIVE(2) ARRIVE(3) ARRIVE(4) ARRIVE(5) ARRIVE(6) ARRIVE(7) ARRIVE(8)
    od
}

/* [mcs.node-clear]: mcs_take_node */
inline take_queue_node(n)
{
    d_step { assert(!in_use[n]); in_use[n] = true; next[n] = 0; granted[n] = false; at_home[n] = false }
}

/* [mcs.node-clear]: mcs_release; [rwlock_lock.failed-try]: locks_mcs_try_fetch */
#define GIVE_QUEUE_NODE(n) in_use[n] = false

/* [mcs.time-first]: mcs_take_free */
inline take_free(n)
{
#ifdef TIME_READ_FIRST
    node_time[n] = record_time;
#endif
    atomic {
        empty(TO(n, HOME));
        before = tail;
        if :: tail == 0 -> tail = n + 1 :: else fi
    };
#ifdef TIME_OF_BEFORE
    at_home[n] = true;
#endif
#ifndef TIME_READ_FIRST
    if
    :: atomic { before == 0 -> node_time[n] = record_time; at_home[n] = true }
    :: else
    fi
#endif
}

/* [mcs.node-clear]: mcs_enter_queue; [mcs.time-first]: mcs_acquire */
inline enter_queue(n)
{
    atomic { empty(TO(n, HOME)); before = tail; tail = n + 1 };
#ifdef CLEARED_LATE
    next[n] = 0;
#endif
    if
    :: atomic { before == 0 -> node_time[n] = record_time; at_home[n] = true }
    :: else ->
        TO(n, before - 1)!NEXT, n + 1;
        granted[n]
    fi
}

/* [mcs.time-first]: mcs_grant */
inline grant(n, to)
{
#ifdef WORD_FIRST
    TO(n, to)!GRANTED, 0; TO(n, to)!TIME, covers[n]
#else
    TO(n, to)!TIME, covers[n]; TO(n, to)!GRANTED, 0
#endif
}

#ifdef TIME_NEVER_RENEWED
#define LIES_THERE(n) at_home[n]
#else
#define LIES_THERE(n) (at_home[n] && covers[n] == node_time[n])
#endif

/* [mcs.time-first]: mcs_set_free */
inline set_free(n)
{
#ifndef TIME_AFTER_FREE
    if
    :: !LIES_THERE(n) -> TO(n, HOME)!RECORD, covers[n]
    :: else
    fi;
#endif
    atomic {
        empty(TO(n, HOME));
        before = tail;
        if :: tail == n + 1 -> tail = 0 :: else fi
    };
#ifdef TIME_AFTER_FREE
    if :: before == n + 1 -> TO(n, HOME)!RECORD, covers[n] :: else fi
#endif
}

/* [lock.flush-first]: locks_manager_release */
inline close(n)
{
#ifndef NOT_CLOSED
    covers[n] = sees[n]
#else
    skip
#endif
}

/* [mcs.node-clear]: mcs_release, mcs_set_free */
inline let_go(n)
{
    before = n;
    if :: next[n] == 0 -> set_free(n) :: else fi;
    if
    :: before != n + 1 ->
#ifdef NEXT_NOT_AWAITED
        if
        :: next[n] == 0
        :: next[n] != 0 -> grant(n, next[n] - 1)
        fi
#else
        next[n] != 0;
        grant(n, next[n] - 1)
#endif
    :: else
    fi;
    d_step { GIVE_QUEUE_NODE(n); before = 0 }
}

inline leave(n)
{
    d_step { busy[n] = false; here[n] = false; run_of[n] = 0 }
}

inline acquired(n)
{
    d_step {
        if :: node_time[n] > sees[n] -> sees[n] = node_time[n] :: else fi;
        if :: node_time[n] > covers[n] -> covers[n] = node_time[n] :: else fi;
        here[n] = true
    }
}

inline use(n)
{
    atomic { assert(holders == 0); holders++; assert(sees[n] == total) };
    atomic {
        assert(sees[n] == total);
        if
        :: total++; sees[n] = total
#ifdef READS
        :: true                         /* it has written nothing */
#endif
        fi;
        holders--
    }
}

#ifdef LOCAL_FOR_EVER
#define STAYS(n) (waiters[n] > 0)
#else
#define STAYS(n) (waiters[n] > 0 && (next[n] == 0 || run_of[n] < LOCAL_RUN))
#endif

/* [lock.overtaking]: locks_mcs_queue_release, locks_mcs_stays */
inline release(n)
{
    if
    :: atomic { STAYS(n) ->
            run_of[n] = (next[n] != 0 -> run_of[n] + 1 : 0);
            assert(run_of[n] <= LOCAL_RUN);
            busy[n] = false
        }
    :: atomic { else -> skip };
        close(n);
        let_go(n);
        leave(n)
    fi
}

inline perform(n)
{
    if
    :: atomic { !had -> take_queue_node(n) };
        take_free(n);
        if
        :: atomic { before == 0 -> had = true }
        :: before != 0 -> enter_queue(n); had = true
        :: atomic { before != 0 -> GIVE_QUEUE_NODE(n); leave(n) }  /* hlrc_trylock */
        fi;
        if :: had -> acquired(n) :: else fi
    :: else
    fi;
    if :: had -> use(n); release(n) :: else fi;
    d_step { had = false; before = 0 }
}

/* [locks-mcs.queue-node]: locks_mcs_queue_acquire, locks_mcs_queue_try; [rwlock_lock.failed-try]: locks_mcs_queue_try, locks_mcs_try_fetch */
proctype thread_main(byte t)
{
    byte n = NODE_OF(t), before;
    bool had;
    do
    :: atomic { left > 0 && busy[n] -> left--; waiters[n]++ };      /* hlrc_lock, with other threads of this node */
        atomic { !busy[n] -> waiters[n]--; busy[n] = true; had = here[n] };
        perform(n)
    :: atomic { left > 0 && !busy[n] -> left--; busy[n] = true; had = here[n] };
        perform(n)
    :: atomic { left == 0 -> break }
    od
}

init
{
    atomic { run thread_main(0); run thread_main(1); run thread_main(2); run thread_main(3) }
    _nr_pr == 2;
    assert(tail == 0 && holders == 0)
}
