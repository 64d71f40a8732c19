/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * room.pml - diffs that wake no thread, and flushes that make room for copies (async/diffs_message.c, interval.c,
 * hlrc/memory/copies.c), for spin.
 *
 * Node 0 is the home of a page. Its program computes, and serves messages only while it waits in a barrier. Otherwise its
 * handler serves them once it is woken. Node 1 has two threads that write the page. The first one enters barriers with the
 * other nodes, in two phases. Between the phases it may write, too, and may need the page with its own last version, as if
 * it acquired concurrent writes of node 2. The second one releases a lock to node 2 at any time. When a thread of
 * node 1 writes, a flush may be necessary to make room. Node 2 enters the barriers, and may take the lock between them. It
 * reads what it has acquired.
 *
 * Checked: no fetch waits for the home's program. The program arrives at a barrier only while no fetch waits, so a
 * fetch waits forever if its diff is not served (spin: no invalid end state).
 */
#ifndef BARRIERS
#define BARRIERS 2
#endif
#ifndef WRITES
#define WRITES 3                /* of node 1 */
#endif
#define NODES 3

/* at the home */
byte sent, applied;             /* intervals of node 1; their messages are served in order */
bool woken;                     /* its handler was woken, and has not checked the messages since */
bool waits;                     /* its program waits in a barrier */

/* node 1 */
bool dirty, closing;
byte urgent_closers, vt;
bool quiet;                     /* the home has quiet diffs */

/* the barrier, and the grant of the lock */
byte arrived;                   /* writes at all barriers together */
byte barrier_vt[BARRIERS];      /* last interval of node 1 at its arrival */
bool asked, granted;
byte granted_vt;

byte left = WRITES, fetching;   /* ghosts */

/* The home's handler, or the program while it waits. */
active proctype serving()
{
end:
    do
    :: atomic { woken -> woken = false; applied = sent }
    :: atomic { waits && applied != sent -> applied = sent }
    od
}

/* Wakes the home after the diffs. [interval.quiet-diffs]: diffs_message_hand_on, interval_hand_on */
inline HAND_ON()
{
    atomic {
        if
        :: quiet -> quiet = false; woken = true
        :: else
        fi
    }
}

/* One flush at a time. It wakes the home if an urgent flush waits when it begins. [interval.covers-dirty]: interval_close */
inline CLOSE(urgent)
{
    if
    :: dirty || closing ->
        urgent_closers = urgent_closers + urgent;
        atomic { !closing -> closing = true };
        atomic {
            if
            :: dirty ->
                dirty = false;
                sent++;
                woken = woken || urgent_closers > 0;
                closes = true;
                wakes = urgent_closers > 0
            :: else
            fi
        };
        if
        :: atomic { closes -> quiet = !wakes; closes = false; wakes = false };  /* after it */
            vt = sent                                           /* [interval.diff-first]: interval_close_dirty */
        :: else
        fi;
        atomic { closing = false; urgent_closers = urgent_closers - urgent }
    :: else
    fi
}

/* A node needs this version of node 1. */
inline FETCH(version)
{
    atomic {
        if
        :: applied < version -> fetching++
        :: else -> fetched = true
        fi
    };
    if
    :: fetched -> fetched = false
    :: else -> atomic { applied >= version -> fetching-- }
    fi
}

/* Writes. Then too many copies may be dirty. [copies.flush-early]: copies_relieve, interval_close_for_room; [interval.quiet-diffs]:
 * interval_close_for_room */
inline WRITE()
{
    atomic { left > 0 -> left--; dirty = true };
    if
#ifdef ROOM_QUIET
    :: CLOSE(0)
#else
    :: CLOSE(1)
#endif
    :: true
    fi
}

/* ---- the barrier ---- */

#define ARRIVE() arrived++
#define ALL_ARRIVED(b) (arrived >= NODES * (b))

active proctype home_program()
{
    byte b;
    do
    :: b < BARRIERS ->
        atomic { fetching == 0 && arrived == NODES * b + NODES - 1 -> ARRIVE(); waits = true; b++ };
        atomic { applied == sent -> waits = false }             /* it has served all earlier messages: [barrier.diffs-served]: diffs_message_send_all */
    :: else -> break
    od
}

active proctype main_thread()
{
    byte b;
    bool closes, wakes, fetched;
    do
    :: b < BARRIERS ->
        if
        :: WRITE()
        :: true
        fi;
        CLOSE(0);
        atomic { barrier_vt[b] = vt; ARRIVE(); b++ };
        if
        :: WRITE()
        :: true
        fi;
        if
        :: true ->                                              /* the copy is evicted, or stale */
#ifndef OWN_QUIET
            HAND_ON();                                          /* [interval.quiet-diffs]: page_fetch_start */
#endif
            FETCH(vt)
        :: true
        fi;
        ALL_ARRIVED(b);
        quiet = false                                           /* [interval.quiet-diffs]: interval_met */
    :: else -> break
    od
}

/* Takes the lock, may write, and releases the lock to node 2. */
active proctype second_thread()
{
    bool closes, wakes;
    byte time;
end:
    do
    :: asked ->
        asked = false;
        if
        :: WRITE()
        :: true
        fi;
        CLOSE(1);
        time = vt;
        HAND_ON();
        atomic { granted_vt = time; time = 0; granted = true }
    od
}

active proctype reader()
{
    byte b;
    bool fetched;
    do
    :: b < BARRIERS ->
        if
        :: asked = true;
            atomic { granted -> granted = false };
            FETCH(granted_vt);
            granted_vt = 0
        :: true
        fi;
        atomic { ARRIVE(); b++ };
        ALL_ARRIVED(b);
        FETCH(barrier_vt[b - 1])
    :: else -> break
    od;
    asked = true;
    atomic { granted -> granted = false };
    FETCH(granted_vt)
}
