/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * serve.pml - who serves what arrives at a node, and who sleeps: hlrc/serve.c, hlrc/thread.c and fabric/shm_queue.c, for
 * spin. README.md says what is left out, and which -D breaks what.
 *
 * One node: its receive queue, its handler thread, application threads, and other nodes that send events. An event
 * completes what one of the threads waits for, or nothing (a diff, say); it is urgent or not. What must hold:
 *
 *   - nobody sleeps for ever: every application thread ends (spin: no invalid end state; only the handler may sleep);
 *   - when nothing moves any more (`timeout`), no urgent event is left, and no event at all once somebody asked for
 *     that (serve_wake_on_all, S6);
 *   - one thread at a time polls or arms (S1).
 *
 * Memory. Steps run in program order, but for a store and the load behind it: they change places too where the code has
 * neither a full fence nor an atomic exchange between them (STORE_LOAD). x86-64 does no more than that.
 *
 * A futex sleep is the wait for the word to differ from the ticket, since whoever wakes raises the word first.
 */
#ifndef SENDERS
#define SENDERS 2               /* other nodes; each sends an event */
#endif
#ifndef APPS
#define APPS 2                  /* application threads */
#endif
#define NOTHING APPS            /* the event completes nobody's wait */

mtype = { POLLING, HANDLER_URGENT, HANDLER_ALL, APP };
mtype = { AWAKE, ALONE, SERVING };

/* shm_queue.h. An entry is 0 until its sender has written it, else EVENT. */
#define EVENT(target, urgent) (1 + 2 * (target) + (urgent))
#define TARGET(event) (((event) - 1) / 2)
#define IS_URGENT(event) (((event) - 1) & 1)
byte entry[SENDERS + 1], head, tail;
mtype mode = POLLING;

/* Futex words: whether somebody rang since the sleeper took its ticket. */
bool rang_app, rang_handler, rang[APPS];

/* serve.c, thread.h */
bool role, wake_on_all;
bool missed;                    /* the handler was woken and found the role taken (S7) */
byte waiters;
mtype asleep[APPS] = AWAKE;
bool complete[APPS];

byte ended;

#ifdef IDLE
#define FOR(sender) NOTHING
#else
#define FOR(sender) (sender < APPS -> sender : NOTHING)
#endif

#define PENDING (entry[head] != 0)
#ifdef NO_WAITER_COUNT
#define ALL_MATTER wake_on_all
#else
#define ALL_MATTER (wake_on_all || waiters > 0)
#endif

/* Two steps that the processor may swap. */
#define STORE_LOAD(store, load) \
    if \
    :: true -> store; load \
    :: true -> load; store \
    fi

/* ---- shm_queue.c ---- */

/* shm_queue_push, shm_queue_alert */
inline SEND(event)
{
    atomic { pos = tail; tail++ };
#ifdef NO_ALERT_FENCE
    urgent = IS_URGENT(event);
    STORE_LOAD(entry[pos] = event, seen = mode);
#else
    atomic {
        entry[pos] = event;
#ifdef NOT_OVERTAKEN
        urgent = IS_URGENT(event)
#else
        urgent = IS_URGENT(event) || tail != pos + 1        /* Q5 */
#endif
    };
    seen = mode;
#endif
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
        if
        :: seen == APP -> rang_app = true
        :: seen == HANDLER_URGENT || seen == HANDLER_ALL -> rang_handler = true
        :: seen == POLLING
        fi
    fi
}

/* shm_queue_arm */
inline ARM(to)
{
#if defined(NO_RECHECK)
    mode = to;
    armed = true
#elif defined(NO_ARM_FENCE)
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
}

/* ---- thread.c ---- */

/* The wait of thread t is over: token_complete, thread_wake. */
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

/* thread_sleep */
inline SLEEP_ALONE(t)
{
#ifdef NO_SLEEP_FENCE
    rang[t] = false;
    STORE_LOAD(asleep[t] = ALONE, armed = complete[t]);
#else
    atomic { rang[t] = false; asleep[t] = ALONE };
    armed = complete[t];
#endif
    atomic { armed || rang[t] -> asleep[t] = AWAKE; armed = false }
}

/* ---- serve.c ---- */

/* role_take: mine says whether it succeeded, and what all_matter() was then. */
inline ROLE_TAKE()
{
#ifdef ROLE_AS_FLAG
    mine = !role;
    atomic {
        if
        :: mine -> assert(!role); role = true; mode = POLLING; all = ALL_MATTER
        :: else
        fi
    }
#else
    atomic {
        if
        :: !role -> role = true; mode = POLLING; all = ALL_MATTER; mine = true
        :: else -> mine = false
        fi
    }
#endif
}

/* The same when its first look at the role comes before the store in front of it. */
#define ROLE_TAKE_EARLY(store) \
    mine = !role; \
    store; \
    if \
    :: mine -> ROLE_TAKE() \
    :: else \
    fi

/* role_drain; any says whether there was an event */
inline ROLE_DRAIN()
{
    do
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

/* role_drop. ASSUMPTION: all was read when the role was taken, or by the caller. */
inline ROLE_DROP()
{
    do
    ::  missed = false;
        do
        ::  ROLE_DRAIN();
            ARM((all -> HANDLER_ALL : HANDLER_URGENT));
            if
            :: armed -> break
            :: else
            fi
        od;
        role = false;
#ifdef NO_LOOK_AFTER_DROP
        break
#else
        atomic {
            if
            :: PENDING
#ifndef NO_LEVEL_RECHECK
            :: !all && ALL_MATTER
#endif
#ifndef HANDLER_FORGETS
            :: missed
#endif
            :: else -> break
            fi;
            ROLE_TAKE();
            if
            :: mine
            :: else -> break
            fi
        }
#endif
    od;
    atomic { mine = false; all = false; any = false; armed = false }
}

inline SLEEP_IN_ROLE(t)
{
    atomic { rang_app = false; asleep[t] = SERVING };
    ARM(APP);
    atomic {
        if
        :: armed && !complete[t]
        :: else -> rang_app = true              /* does not sleep */
        fi
    };
    atomic { rang_app -> rang_app = false; mode = POLLING; asleep[t] = AWAKE; armed = false }
}

/* serve_wait(complete[t], WAIT_EVENT) */
inline WAIT(t)
{
    if
    :: complete[t]
    :: else ->
#ifdef RELAXED_ROLE
        if
        :: waiters++
        :: ROLE_TAKE_EARLY(waiters++)
        fi;
#else
        waiters++;
#endif
        do
        ::  atomic {
                if
                :: complete[t] -> break
                :: !complete[t] && !mine -> ROLE_TAKE(); all = false
                :: !complete[t] && mine
                fi
            };
            if
            :: mine ->
                ROLE_DRAIN();
                if
                :: any -> any = false
                :: else -> SLEEP_IN_ROLE(t)
                fi
            :: else -> SLEEP_ALONE(t)
            fi
        od;
        atomic { waiters--; all = ALL_MATTER };
        if
        :: mine -> ROLE_DROP()
        :: else
        fi
    fi
}

/* serve_poll */
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

/* serve_wake_on_all(true) */
inline WAKE_ON_ALL()
{
#ifdef RELAXED_ROLE
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

/* handler_block */
proctype handler()
{
    byte target = NOTHING;
    bool mine, any, all, armed;
    mtype state = AWAKE;
    rang_handler = true;
end:
    do
    ::  atomic { rang_handler -> rang_handler = false };        /* slept; the ticket of the next sleep */
        ROLE_TAKE();
        if
        :: mine -> ROLE_DROP()
        :: else ->
#ifndef HANDLER_FORGETS
            missed = true;                                      /* S7 */
            ROLE_TAKE();
            if
            :: mine -> ROLE_DROP()
            :: else
            fi
#endif
        fi
#ifdef LATE_TICKET
        ; rang_handler = false
#endif
    od
}

/* Waits for its event. The last thread may first let the handler stand in for it, as between the two phases of a
 * barrier, or poll once. */
proctype application(byte t)
{
    byte target = NOTHING;
    bool mine, any, all, armed;
    mtype state = AWAKE;
#if APPS == 1
    if
    :: WAKE_ON_ALL()
    :: WAKE_ON_ALL(); wake_on_all = false
    :: POLL()
    :: true
    fi;
#endif
#ifndef IDLE
    WAIT(t);
#endif
    ended++
}

proctype sender(byte target)
{
    byte pos;
    bool urgent;
    mtype seen = POLLING, state = AWAKE;
    if
    :: SEND(EVENT(target, 0))
    :: SEND(EVENT(target, 1))
#if APPS == 1 && !defined(IDLE)
    :: target < APPS -> COMPLETE(target)        /* not another node, but another thread of this one */
#endif
    fi;
    atomic { pos = 0; urgent = false; seen = POLLING }
}

init {
    byte i;
    atomic {
        run handler();
        for (i : 0 .. APPS - 1) { run application(i) }
        for (i : 0 .. SENDERS - 1) { run sender(FOR(i)) }
        i = 0
    }
    /* nothing moves any more */
    timeout ->
    d_step {
        assert(ended == APPS);
        for (i : head .. SENDERS - 1) {
            assert(entry[i] == 0 || (!IS_URGENT(entry[i]) && !wake_on_all))
        }
    }
}
