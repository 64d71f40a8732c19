/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * standstill.pml - deadlock detection (hlrc/report/deadlock_detect.c, deadlock_watchdog.c, launch/look.c), for spin.
 *
 * Two nodes of one thread each, two locks, one condition variable. A thread takes a lock that it does not hold, releases one,
 * waits for a signal or sends one, in any order, a bounded number of times. Then it computes forever. A granted lock is in
 * transit for a while. So are a signal, to node 0 where it is served, and the word to the waiter that it wakes. The deadlock
 * detector (judge) takes the reports of the two nodes one after the other, twice, at any time.
 *
 * Checked: when it reports a deadlock, no thread can ever continue, and nothing is in transit.
 *
 * A report is one step. The condition that a wait lasts a second is left out: it makes verdicts rarer, not different.
 */
#ifndef OPERATIONS
#define OPERATIONS 4            /* operations of both threads together */
#endif

#define NOBODY 2                /* state of a lock: it rests, or is in transit */
#define TO(n) (3 + (n))         /* in transit to this node */
#define OTHER(n) (1 - (n))

mtype = { COMPUTES, LOCK, SIGNAL };

mtype what[2] = COMPUTES;       /* the kind of its wait, */
byte object[2];                 /* the lock, */
byte epoch[2];                  /* and the number of its wait (code: deadlock_collect_reporter_make) */
byte holder[2] = NOBODY;        /* by lock */
bool registered[2];             /* waits for a signal, known to node 0 */
byte sent;                      /* signals in transit to node 0 */
bool woken[2];                  /* the word to a waiter is in transit */
short signals[2];               /* [deadlock.in-transit]: cond_report_signals */
byte left = OPERATIONS;

/* of a report */
mtype seen_what[2];
byte seen_object[2];
bool seen_held[4];              /* 2 * node + lock */
byte first[2], second[2];       /* epochs */
short seen_signals[2];

proctype thread(bit me)
{
    bit lock;
    do
    :: left > 0 ->
        if
        :: lock = 0
        :: lock = 1
        fi;
        if
        :: atomic { left > 0 && holder[lock] != me -> left--; object[me] = lock; epoch[me]++; what[me] = LOCK };
end_lock:   what[me] == COMPUTES
        :: atomic { left > 0 && holder[lock] == me -> left--; holder[lock] = NOBODY }
        :: atomic { left > 0 -> left--; epoch[me]++; registered[me] = true; what[me] = SIGNAL };
end_signal: what[me] == COMPUTES;
            signals[me]--
        :: atomic { left > 0 -> left--; signals[me]++; sent++ }
        :: else -> break
        fi
    :: left == 0 -> break
    od
}

/* A signalled thread continues before it is counted, as in hlrc_cond_wait; a thread that continues does not
     * wait. */
active proctype network()
{
    bit n, lock;
end:
    do
    :: atomic { what[0] == LOCK && holder[object[0]] == NOBODY -> holder[object[0]] = TO(0) }
    :: atomic { what[1] == LOCK && holder[object[1]] == NOBODY -> holder[object[1]] = TO(1) }
    :: atomic { what[0] == LOCK && holder[object[0]] == TO(0) -> holder[object[0]] = 0; what[0] = COMPUTES }
    :: atomic { what[1] == LOCK && holder[object[1]] == TO(1) -> holder[object[1]] = 1; what[1] = COMPUTES }
    :: atomic { sent > 0 -> sent--; signals[0]--;
            if
            :: registered[0] -> registered[0] = false; woken[0] = true; signals[0]++
            :: !registered[0] && registered[1] -> registered[1] = false; woken[1] = true; signals[0]++
            :: else
            fi }
    :: atomic { woken[0] -> woken[0] = false; what[0] = COMPUTES }
    :: atomic { woken[1] -> woken[1] = false; what[1] = COMPUTES }
    od
}

#define HOLDS(n, l) (holder[l] == (n))
/* no thread can continue */
#define HELD_UP(n) ((what[n] == LOCK && HOLDS(OTHER(n), object[n])) || (what[n] == LOCK && HOLDS(n, object[n])) || \
    (what[n] == SIGNAL && registered[n]))
#define STANDS_STILL (HELD_UP(0) && HELD_UP(1) && sent == 0 && !woken[0] && !woken[1])

/* [deadlock.two-rounds]: deadlock_detect_stuck */
#ifdef UNHELD
#define BLOCKED(n) (seen_what[n] == LOCK || seen_what[n] == SIGNAL)
#else
#define BLOCKED(n) (seen_what[n] == SIGNAL || \
    (seen_what[n] == LOCK && (seen_held[seen_object[n]] || seen_held[2 + seen_object[n]])))
#endif

#ifdef ONE_LOOK
#define SAME true
#else
#define SAME (first[0] == second[0] && first[1] == second[1])           /* [deadlock.two-rounds]: deadlock_watchdog_confirmed */
#endif

#ifdef SIGNALS_IGNORED
#define SILENCE true
#else
#define SILENCE (seen_signals[0] + seen_signals[1] == 0)                /* [deadlock.in-transit]: deadlock_detect_nothing_comes */
#endif

inline report(n, number) {
    atomic {
        number = epoch[n];
        seen_what[n] = what[n];
        seen_object[n] = object[n];
        seen_held[2 * (n)] = HOLDS(n, 0);
        seen_held[2 * (n) + 1] = HOLDS(n, 1);
        seen_signals[n] = signals[n]
    }
}

/* It may begin at any time: an earlier inspection without a result changes nothing. */
active proctype judge()
{
    run thread(0);
    run thread(1);
#ifndef ONE_LOOK
    report(0, first[0]);
    report(1, first[1]);
#endif
    report(0, second[0]);
    report(1, second[1]);
    atomic {
        if
        :: seen_what[0] != COMPUTES && seen_what[1] != COMPUTES && BLOCKED(0) && BLOCKED(1) && SAME && SILENCE ->
            assert(STANDS_STILL)
        :: else
        fi;
        left = 0        /* later steps are not examined */
    }
}
