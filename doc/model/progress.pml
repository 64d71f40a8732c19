/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * progress.pml - serving, sleeping and waking at a node: hlrc/progress/progress.c, hlrc/progress/thread.c and
 * fabric/shm/shm_queue.c, for spin. README.md lists omissions and variants.
 *
 * One node: its receive queue, its handler thread, application threads, and other nodes that send events. An event
 * completes the wait of one thread, or nothing (a diff, for example). It is urgent or not, and its sender may wake
 * afterwards (interval_hand_on). Required:
 *
 *   - no thread sleeps forever: every application thread ends (spin: no invalid end state; only the handler may sleep);
 *   - when no step is possible any more (`timeout`), no urgent event is left, no event that a wake
 *     of its sender followed [interval.quiet-diffs], and no event at all once a thread requested
 *     that (progress_wake_on_all, [progress.holder]);
 *   - one thread at a time polls or arms [progress.holder].
 *
 * -DUNHANDLED: a node without a handler thread [progress.no-handler]. The threads wait for words
 * that other nodes write, with a wake. The write for the first thread may arrive after the second
 * one has ended. A wake that finds the queue polled reaches no thread: the sleep that it should
 * have ended then ends by itself, and no other one does.
 *
 * A step here is an access there, in the order of the code. A comment "label: functions" names the rule of a step and the
 * functions of the code that perform it; tests/citations.sh checks both.
 *
 * Memory. Steps run in program order, except a store and a following load: they may be swapped if the code has neither a
 * full fence nor an atomic exchange between them (STORE_LOAD). x86-64 does no more than that.
 *
 * A futex sleep waits until the word differs from the value read earlier (wait_seq, here the ticket), since a waker raises the
 * word first.
 */
#ifndef SENDERS
#define SENDERS 2               /* other nodes; each sends an event */
#endif
#ifndef APPS
#define APPS 2                  /* application threads */
#endif
#define NOTHING APPS            /* the event completes no wait */

mtype = { POLLING, HANDLER_URGENT, HANDLER_ALL, APP };
mtype = { AWAKE, ALONE, SERVING };

/* shm_queue.h. An entry is 0 until its sender has written it, else EVENT. */
#define EVENT(target, urgent) (1 + 2 * (target) + (urgent))
#define TARGET(event) (((event) - 1) / 2)
#define IS_URGENT(event) (((event) - 1) & 1)
byte entry[SENDERS + 1], head, tail;
mtype mode = POLLING;

/* Futex words: whether a wake happened since the sleeper read its wait_seq. */
bool rang_app, rang_handler, rang[APPS];

/* progress.c, thread.h */
bool progress_lock, wake_on_all, missed;
byte waiters;
mtype asleep[APPS] = AWAKE;
bool complete[APPS];
#ifdef UNHANDLED
byte state_sleepers;
#endif

/* ghosts: the code does not read them */
#ifdef UNHANDLED
bool timed_out;                 /* a sleep on the queue has ended by itself; at most one does */
bool chained;                   /* the first thread's word is written when the second thread has ended */
bool unreached[APPS];           /* the wake after the thread's word found the queue polled */
bool fast[APPS];                /* the thread sleeps without the progress lock and has checked its word, or has ended */
#define STIRS(t) (!fast[t] || rang[t])
#if APPS == 3
#define SOME_STIR (STIRS(0) || STIRS(1) || STIRS(2))
#else
#define SOME_STIR (STIRS(0) || STIRS(1))
#endif
#endif
bool handed_on[SENDERS];        /* a wake of its sender followed this event */
byte holders;                   /* threads that hold the progress lock */
byte ended;

#ifdef IDLE
#define FOR(sender) NOTHING
#else
#define FOR(sender) (sender < APPS -> sender : NOTHING)
#endif

/* code: shm_queue_poll, shm_queue_pending */
#define PENDING (entry[head] != 0)

/* Two steps that the CPU may swap. */
#define STORE_LOAD(store, load) \
    if \
    :: true -> store; load \
    :: true -> load; store \
    fi

/* ---- shm_queue.c ---- */

inline RING_OF(sleeper)
{
    if
    :: sleeper == APP -> rang_app = true
    :: sleeper == HANDLER_URGENT || sleeper == HANDLER_ALL -> rang_handler = true
    :: sleeper == POLLING
    fi
}

/* Of several senders one wakes. [progress.holder]: shm_queue_alert */
inline ALERT()
{
    if
    :: seen == POLLING || (seen == HANDLER_URGENT && !urgent)
    :: else ->
        atomic {
#ifndef ALERT_STORES
            if
            :: mode != seen -> seen = POLLING
            :: else -> mode = POLLING
            fi
#else
            mode = POLLING
#endif
        };
        RING_OF(seen)
    fi
}

/* [shm-queue.arm-then-test]: shm_queue_send */
#ifdef NOT_OVERTAKEN
#define LOOK_AT_TAIL() skip
#else
#define LOOK_AT_TAIL() urgent = urgent || tail != pos + 1
#endif

/* The sender's half of [shm-queue.arm-then-test]: shm_queue_send */
inline SEND(target)
{
    atomic { pos = tail; tail++ };                              /* code: shm_queue_push */
#ifdef NO_ALERT_FENCE
    if
    :: entry[pos] = EVENT(target, urgent); LOOK_AT_TAIL(); seen = mode
    :: event = EVENT(target, urgent); LOOK_AT_TAIL(); entry[pos] = event; seen = mode
    :: event = EVENT(target, urgent); LOOK_AT_TAIL(); seen = mode; entry[pos] = event
    fi;
#else
    entry[pos] = EVENT(target, urgent);                         /* code: shm_queue_push */
    LOOK_AT_TAIL();
    seen = mode;
#endif
    ALERT()
}

/* fabric_wake of a home that has quiet diffs. [interval.quiet-diffs]: interval_hand_on */
inline HAND_ON()
{
#ifdef HAND_ON_QUIET
    handed_on[pos] = true
#else
    atomic { handed_on[pos] = true; urgent = true; seen = mode };       /* [shm-queue.arm-then-test]: shm_queue_wake */
    ALERT()
#endif
}

/* The receiver's half. [shm-queue.arm-then-test]: shm_queue_arm */
inline ARM(to)
{
#if defined(NO_RECHECK)
    mode = to;
    armed = true
#else
#if defined(NO_ARM_FENCE)
    STORE_LOAD(mode = to, armed = !PENDING);
    if
    :: !armed -> mode = POLLING
    :: else
    fi
#else
    mode = to;
    atomic {
        armed = !PENDING;
        if
        :: !armed -> mode = POLLING
        :: else
        fi
    }
#endif
#endif
}

/* ---- thread.c ---- */

/* The wait of thread t is over: msg_token_complete. [progress.sleep-test]: thread_wake */
inline COMPLETE(t)
{
#ifdef NO_WAKE_FENCE
    STORE_LOAD(complete[t] = true, state = asleep[t]);
#else
    complete[t] = true;
    state = asleep[t];
#endif
    atomic {
        if
        :: state == ALONE -> rang[t] = true
        :: state == SERVING -> rang_app = true
        :: state == AWAKE
        fi;
        state = AWAKE
    }
}

/* [progress.sleep-test]: thread_sleep */
inline SLEEP_ALONE(t)
{
#ifdef NO_SLEEP_FENCE
    rang[t] = false;
    STORE_LOAD(asleep[t] = ALONE, armed = complete[t]);
#else
    atomic { rang[t] = false; asleep[t] = ALONE };
    armed = complete[t];
#endif
    atomic { armed || rang[t] -> armed = false; asleep[t] = AWAKE }
}

#ifdef UNHANDLED
/* Sleeps without the progress lock, for a state. [progress.no-handler]: progress_done_or_unserved */
inline SLEEP_UNSERVED(t)
{
    state_sleepers++;
    atomic { rang[t] = false; asleep[t] = ALONE };              /* [progress.sleep-test]: thread_sleep */
#ifndef UNSERVED_UNSEEN
    armed = !progress_lock;
#endif
    if
    :: atomic { !armed -> armed = complete[t]; fast[t] = !armed }
    :: else
    fi;
    atomic { armed || rang[t] || unreached[t] -> armed = false; fast[t] = false; asleep[t] = AWAKE };
    state_sleepers--
}

/* Wakes the threads that sleep for a state. [progress.sleep-test]: progress_pass_wake_on */
inline PASS_WAKE_ON()
{
    target = 0;
    do
    :: target < APPS && state_sleepers > 0 ->
        atomic {
            if
            :: asleep[target] == ALONE -> rang[target] = true   /* [progress.sleep-test]: thread_wake */
            :: else
            fi;
            target++
        }
    :: else -> break
    od;
    target = NOTHING
}
#endif

/* ---- progress.c ---- */

/* Sets mine on success. [progress.holder]: progress_trylock */
inline ROLE_TAKE()
{
#ifdef LOCK_AS_FLAG
    mine = !progress_lock;
    if
    :: mine -> atomic { progress_lock = true; holders++; assert(holders == 1) }
    :: else
    fi;
#else
    atomic {
        mine = !progress_lock;
        progress_lock = true;
        if
        :: mine -> holders++; assert(holders == 1)
        :: else
        fi
    };
#endif
    if
    :: mine -> mode = POLLING                                   /* [progress.holder]: progress_trylock */
    :: else
    fi
}

/* The same when its first check of the progress lock is reordered before the preceding store. */
#define ROLE_TAKE_EARLY(store) \
    mine = !progress_lock; \
    store; \
    if \
    :: mine -> ROLE_TAKE() \
    :: else \
    fi

/* Sets any if there was an event. [progress.holder]: progress_drain. An application thread may stop futex_after grow_command_each event.
 * [progress.serve-limit]: progress_drain */
inline ROLE_DRAIN()
{
    do
    :: bounded && any && PENDING -> break
    ::  atomic {
            if
            :: PENDING ->
                target = TARGET(entry[head]);
                entry[head] = 0;
                head++;
                any = true
            :: else -> break
            fi
        };
        if
        :: target < APPS -> COMPLETE(target); target = NOTHING
        :: else
        fi
    od
}

/* [progress.holder]: progress_all_matter */
inline ALL_MATTER(what)
{
    what = wake_on_all;
#ifndef NO_WAITER_COUNT
    if
    :: !what -> what = waiters > 0
    :: else
    fi
#endif
}

/* Sets again if the progress lock has to be taken again; again is false before. */
inline LOOK_AGAIN()
{
#ifdef NO_LOOK_AFTER_DROP
    skip
#else
    again = PENDING;                                            /* [progress.holder]: progress_unlock */
#ifndef HANDLER_FORGETS
    if
    :: !again -> again = missed                                 /* [progress.holder]: progress_unlock */
    :: else
    fi;
#endif
#ifndef NO_LEVEL_RECHECK
    if
    :: !again && !all -> ALL_MATTER(again)                      /* [progress.holder]: progress_unlock */
    :: else
    fi
#endif
#endif
}

/* An application thread that leaves while more events arrive. [progress.serve-limit]: progress_pass_on */
inline PASS_ON()
{
    atomic { progress_lock = false; holders--; mine = false };
#ifndef PASSED_UNTOLD
    rang_handler = true
#else
    skip
#endif
}

#ifdef UNHANDLED
/* [progress.no-handler]: progress_unlock, progress_pass_on */
inline ROLE_DROP()
{
    atomic { progress_lock = false; holders--; mine = false };
#ifndef LEFT_UNSERVED
    PASS_WAKE_ON()
#endif
}
#else
inline ROLE_DROP()
{
    do
    ::  missed = false;                                         /* [progress.holder]: progress_unlock */
        ALL_MATTER(all);                                        /* [progress.holder]: progress_unlock */
        do
        ::  ROLE_DRAIN();
            if
            :: bounded && PENDING -> PASS_ON(); break           /* [progress.serve-limit]: progress_arm, progress_unlock */
            :: true ->
                ARM((all -> HANDLER_ALL : HANDLER_URGENT));     /* [progress.holder]: progress_arm */
                if
                :: armed -> break
                :: else
                fi
            fi
        od;
        if
        :: mine ->
            atomic { progress_lock = false; holders--; mine = false };
            LOOK_AGAIN();
            if
            :: again -> ROLE_TAKE()
            :: else
            fi
        :: else
        fi;
        if
        :: mine
        :: else -> break
        fi
    od;
    atomic { all = false; any = false; armed = false; again = false }
}
#endif

#ifdef PASSED_ON_ARMED
#define BUSY_AGAIN() skip
#else
#define BUSY_AGAIN() mode = POLLING
#endif

/* code: progress_sleep_in_role */
inline SLEEP_IN_ROLE(t)
{
    atomic { rang_app = false; asleep[t] = SERVING };
    ARM(APP);
    if
    :: armed -> armed = !complete[t]
    :: else
    fi;
#ifdef UNHANDLED
    if
    :: atomic { armed && (rang_app || !timed_out) -> armed = false; timed_out = timed_out || !rang_app; BUSY_AGAIN() };
#ifndef WAKE_KEPT
        PASS_WAKE_ON()                                          /* [progress.sleep-test]: progress_sleep_in_role */
#endif
    :: atomic { !armed -> skip }
    fi;
    mode = POLLING;
    asleep[t] = AWAKE
#else
    atomic { !armed || rang_app -> armed = false; mode = POLLING; asleep[t] = AWAKE }
#endif
}

/* progress_wait(complete[t], WAIT_EVENT). [progress.holder]: progress_wait_slowly */
inline WAIT(t)
{
    if
    :: complete[t]
    :: else ->
#if defined(UNHANDLED)
        skip;                                                   /* no thread reads the count */
#elif defined(RELAXED_LOCK)
        if
        :: waiters++
        :: ROLE_TAKE_EARLY(waiters++)
        fi;
#else
        waiters++;
#endif
        do
        :: complete[t] -> break
        :: else ->
            if
            :: !mine -> ROLE_TAKE()                             /* code: progress_wait_slowly */
            :: else
            fi;
            if
            :: mine ->
                ROLE_DRAIN();
                if
                :: any -> any = false
                :: else -> SLEEP_IN_ROLE(t)
                fi
#ifdef UNHANDLED
            :: else -> SLEEP_UNSERVED(t)
            fi
        od;
#else
            :: else -> SLEEP_ALONE(t)
            fi
        od;
        waiters--;
#endif
        if
        :: mine -> ROLE_DROP()
        :: else
        fi
    fi
}

/* progress_poll */
inline POLL()
{
    if
    :: PENDING ->
        ROLE_TAKE();
        if
        :: mine -> ROLE_DROP()
        :: else
        fi
    :: else
    fi
}

/* progress_wake_on_all(true). [progress.holder]: progress_wake_on_all */
inline WAKE_ON_ALL()
{
#ifdef RELAXED_LOCK
    if
    :: wake_on_all = true; ROLE_TAKE()
    :: ROLE_TAKE_EARLY(wake_on_all = true)
    fi;
#else
    wake_on_all = true;
    ROLE_TAKE();
#endif
    if
    :: mine -> ROLE_DROP()
    :: else
    fi
}

/* ---- processes ---- */

#ifdef UNHANDLED
proctype application(byte t)
{
    byte target = NOTHING;
    bool mine, any, armed, bounded = true;
    mtype state = AWAKE;
    WAIT(t);
    atomic { ended++; fast[t] = true; rang[t] = false }
}

/* Another node writes the thread's word and wakes. [shm-queue.arm-then-test]: shm_queue_wake */
proctype sender(byte target)
{
    mtype seen = POLLING;
    bool urgent = true;
    target != 0 || !chained || ended == APPS - 1;
    complete[target] = true;
    /* [progress.no-handler]: progress_done_or_unserved, progress_pass_on */
    atomic { seen = mode; assert(seen != POLLING || SOME_STIR || ended == APPS) };
    ALERT();
    atomic { unreached[target] = seen == POLLING; seen = POLLING }
}

init {
    byte i;
    atomic {
        if
        :: chained = true
        :: true
        fi;
        if
        :: timed_out = true                                     /* none does */
        :: true
        fi;
        for (i : 0 .. APPS - 1) { run application(i); run sender(i) }
        i = 0
    }
    timeout -> assert(ended == APPS)
}
#else
/* progress_handler_block, repeated */
proctype handler()
{
    byte target = NOTHING;
    bool mine, any, all, armed, again, bounded;
    mtype state = AWAKE;
    rang_handler = true;
end:
    do
    ::  atomic { rang_handler -> rang_handler = false };        /* slept; the wait_seq of the next sleep */
        ROLE_TAKE();
#ifndef HANDLER_FORGETS
        if
        :: !mine ->
            missed = true;                                      /* [progress.holder]: progress_handler_block */
            ROLE_TAKE()
        :: else
        fi;
#endif
        if
        :: mine -> ROLE_DROP()
        :: else
        fi
#ifdef LATE_TICKET
        ; rang_handler = false
#endif
    od
}

/* Waits for its event. The last thread may first leave serving to the handler, as between the two phases of a
 * barrier, or poll once. */
proctype application(byte t)
{
    byte target = NOTHING;
    bool mine, any, all, armed, again, bounded = true;
    mtype state = AWAKE;
#if APPS == 1
    if
    :: WAKE_ON_ALL()
#ifdef IDLE
    :: WAKE_ON_ALL(); wake_on_all = false
    :: POLL()
#endif
    :: true
    fi;
#endif
#ifndef IDLE
    WAIT(t);
#endif
    ended++
}

/* An event for a waiting thread is not urgent, except with -DURGENT_ANSWERS (msg_reply); no wake follows it. Senders that are
 * alike, or would be if threads changed names, draw in order. */
proctype sender(byte target; byte number)
{
    byte pos;
    bool urgent, hands_on;
    mtype seen = POLLING, state = AWAKE;
#ifdef NO_ALERT_FENCE
    byte event;
#endif
#if defined(IDLE) || APPS == 2
    tail >= number;
#endif
    if
    :: true
#ifdef URGENT_ANSWERS
    :: target < APPS -> urgent = true
#endif
    :: target == NOTHING -> urgent = true
    :: target == NOTHING -> hands_on = true
#if APPS == 1 && !defined(IDLE)
    :: target < APPS -> COMPLETE(target); goto end_             /* another thread of this node, not another node */
#endif
    fi;
    SEND(target);
    if
    :: hands_on -> HAND_ON()
    :: else
    fi;
end_:
    atomic { pos = 0; urgent = false; seen = POLLING; hands_on = false }
}

init {
    byte i;
    atomic {
        run handler();
        for (i : 0 .. APPS - 1) { run application(i) }
        for (i : 0 .. SENDERS - 1) { run sender(FOR(i), i) }
        i = 0
    }
    /* no other step is possible */
    timeout ->
    d_step {
        assert(ended == APPS);
        for (i : head .. SENDERS - 1) {
            assert(entry[i] == 0 || (!IS_URGENT(entry[i]) && !wake_on_all && !handed_on[i]))
        }
    }
}
#endif
