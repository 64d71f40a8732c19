/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * conds.pml - condition variables by remote operations (onesided/conds_mcs.c), for spin. locks.pml has the queue that
 * guards their records (mcs.c).
 *
 * Three nodes of one thread each. Two threads take tokens, one at a time, and wait if there is
 * none. The third one brings tokens, one or two at a time, and signals or broadcasts, while it
 * holds the program's lock or after it has released it. The record is at the home, the third node.
 * A node's writes to another node arrive later, in order. Atomics follow earlier writes of their
 * node to the same target [fabric.write-order], [fabric.atomic-order]. Reads happen at any time.
 *
 * Checked:
 *   - no signal is missed: all threads end (spin: no invalid end state);
 *   - a waiter taken off the list is the first one, and is woken with the vector time of that signal;
 *   - one thread at a time has the guard, and nothing is written into a queue node after its owner has finished with it.
 *
 * The program's lock is one step here. A signaller's vector time is a number, which rises with each flush.
 */
#define N 3
#define HOME 0
#ifndef TOKENS
#define TOKENS 4                /* in all; if odd, the first taker gets one more than the other */
#endif
#define SHARE(n) ((n) == 1 -> (TOKENS + 1) / 2 : TOKENS / 2)

/* Queue nodes: two for each node. Its name is its number + 1; 0 is none. */
#define NODE_OF(name) (((name) - 1) / 2)
byte next[N * 2], node_time[N * 2];
bool granted[N * 2], in_use[N * 2];

/* the record, at its home */
byte guard, first, last;

mtype = { NEXT, TIME, GRANTED, LIST };
chan wire[N * N] = [3] of { mtype, byte, byte };
#define TO(n, m) wire[(n) * N + (m)]

/* the program */
bool locked;
byte tokens;

/* ghosts */
byte holders;                   /* of the guard */
byte closed;                    /* flushes of the signaller */
byte off_with[N * 2];           /* by queue node: the flush before the signal that took it off the list */
chan registered = [N] of { byte };
chan taken_off = [N] of { byte };

#define ARRIVE(k) \
    :: atomic { nempty(wire[k]) -> wire[k]?what, at, value; \
            if \
            :: what == NEXT -> assert(in_use[at] && next[at] == 0); next[at] = value \
            :: what == TIME -> assert(in_use[at]); node_time[at] = value \
            :: what == GRANTED -> assert(in_use[at] && !granted[at]); granted[at] = true \
            :: what == LIST -> first = at; last = value \
            fi; \
            at = 0; \
            value = 0; \
            what = LIST \
        }

active proctype network()
{
    byte at, value;
    mtype what = LIST;
end:
    do
    ARRIVE(0) ARRIVE(1) ARRIVE(2) ARRIVE(3) ARRIVE(4) ARRIVE(5) ARRIVE(6) ARRIVE(7) ARRIVE(8)
    od
}

/* ---- mcs.c ---- */

/* [mcs.node-clear]: mcs_take_node */
inline take_node(k)
{
    d_step {
        if
        :: !in_use[n * 2] -> k = n * 2
        :: else -> k = n * 2 + 1
        fi;
        assert(!in_use[k]);
        in_use[k] = true;
        next[k] = 0;
        granted[k] = false;
        node_time[k] = 0
    }
}

/* ASSUMPTION: in a block */
inline give_node(k)
{
    in_use[k] = false;
    next[k] = 0;
    granted[k] = false;
    node_time[k] = 0;
    k = 0
}

/* [mcs.node-clear]: mcs_enter_queue */
inline acquire_guard(k)
{
    atomic {
        empty(TO(n, HOME));
        before = guard;
        if :: guard == 0 -> guard = k + 1 :: else fi
    };
    if
    :: before != 0 ->
        atomic { empty(TO(n, HOME)); before = guard; guard = k + 1 };
        if
        :: before != 0 -> TO(n, NODE_OF(before))!NEXT, before - 1, k + 1; granted[k]
        :: else
        fi
    :: else
    fi;
    atomic { holders++; assert(holders == 1); before = 0 }
}

/* [mcs.node-clear]: mcs_release, mcs_set_free */
inline release_guard(k)
{
    holders--;
    if
    :: next[k] == 0 ->
        atomic {
            empty(TO(n, HOME));
            before = guard;
            if :: guard == k + 1 -> guard = 0 :: else fi
        }
    :: else
    fi;
    if
    :: before != k + 1 -> next[k] != 0; TO(n, NODE_OF(next[k]))!GRANTED, next[k] - 1, 0
    :: else
    fi;
    atomic { give_node(k); before = 0 }
}

/* [mcs.time-first]: mcs_grant */
inline grant(name, time)
{
    TO(n, NODE_OF(name))!TIME, name - 1, time;
    TO(n, NODE_OF(name))!GRANTED, name - 1, 0
}

/* ---- conds_mcs.c ---- */

#define READ_LIST atomic { list_first = first; list_last = last }
#define READ_NEXT(to, name) atomic { assert(next[(name) - 1] != 0); to = next[(name) - 1] }

/* [conds-mcs.guarded]: conds_mcs_write_words */
inline write_words(node, what, at, value)
{
    TO(n, node)!what, at, value;
#ifndef GUARD_LEFT_EARLY
    empty(TO(n, node))
#endif
}

/* [cond.registered-first]: conds_mcs_enter */
inline enter()
{
    take_node(mine);
    take_node(k);
    acquire_guard(k);
    READ_LIST;
    if
    :: list_last != 0 -> write_words(NODE_OF(list_last), NEXT, list_last - 1, mine + 1)
    :: else -> list_first = mine + 1
    fi;
    list_last = mine + 1;
    write_words(HOME, LIST, list_first, list_last);
    atomic { registered!mine + 1; list_first = 0; list_last = 0 };
    release_guard(k)
}

/* The first, or all. ASSUMPTION: in a block */
inline taken_from_list()
{
    assert((list_first == 0) == (len(registered) == 0));
    do
    :: nempty(registered) ->
        registered?before;
        assert(len(taken_off) > 0 || before == list_first);      /* code: conds_mcs_enter */
        off_with[before - 1] = closed;
        taken_off!before;
        if
        :: !all -> break
        :: else
        fi
    :: empty(registered) -> break
    od;
    before = 0
}

/* [conds-mcs.guarded]: conds_mcs_unlink_waiters */
inline unlink_waiters()
{
    take_node(k);
    acquire_guard(k);
    atomic { READ_LIST; taken_from_list() };
    if
    :: list_first && !all && list_first != list_last ->
        READ_NEXT(mine, list_first);
        write_words(HOME, LIST, mine, list_last);
        atomic { list_last = list_first; mine = 0 }
    :: list_first && (all || list_first == list_last) -> write_words(HOME, LIST, 0, 0)
    :: !list_first
    fi;
    release_guard(k)
}

/* [cond.signal-time]: cond_signal_waiters */
inline signal()
{
#ifdef UNCLOSED
    time = closed;
    closed++;
#else
    atomic { closed++; time = closed };
#endif
    unlink_waiters();
    take_node(k);
    do
    :: list_first ->
        atomic { name = list_first; taken_off?before; assert(name == before); before = 0 };
#ifdef GRANTED_FIRST
        grant(name, time);
#endif
        if
        :: name == list_last -> list_first = 0
        :: else -> READ_NEXT(list_first, name)                  /* [conds-mcs.guarded]: conds_mcs_signal */
        fi;
#ifndef GRANTED_FIRST
        grant(name, time);
#endif
        name = 0
    :: else -> break
    od;
    atomic { give_node(k); list_last = 0; time = 0; all = false }
}

#define LOCK atomic { !locked -> locked = true }
#define UNLOCK locked = false

/* hlrc_cond_wait */
inline wait()
{
#ifdef REGISTERED_LATE
    UNLOCK;
    enter();
#else
    enter();                                                    /* [cond.registered-first]: cond_wait_until */
    UNLOCK;
#endif
    atomic {
        granted[mine];
        assert(node_time[mine] == off_with[mine]);
        off_with[mine] = 0;
        give_node(mine)
    };
    LOCK
}

proctype taker(byte n)
{
    byte had, mine, k, before, list_first, list_last;
    do
    :: had < SHARE(n) ->
        LOCK;
        do
        :: tokens == 0 -> wait()
        :: else -> break
        od;
        atomic { tokens--; had++ };
        UNLOCK
    :: else -> break
    od
}

proctype bringer(byte n)
{
    byte brought, mine, k, before, list_first, list_last, name, time;
    bool all, outside;
    do
    :: brought < TOKENS ->
        LOCK;
        atomic {
            if
            :: tokens++; brought++; all = false
            :: tokens++; brought++; all = true
            :: brought + 2 <= TOKENS -> tokens = tokens + 2; brought = brought + 2; all = true
            fi;
            if
            :: outside = true
            :: true
            fi
        };
        if
        :: outside -> UNLOCK; signal()
        :: else -> signal(); UNLOCK
        fi;
        outside = false
    :: else -> break
    od
}

init
{
    atomic { run bringer(0); run taker(1); run taker(2) }
    _nr_pr == 2;
    assert(guard == 0 && first == 0 && last == 0 && holders == 0)
}
