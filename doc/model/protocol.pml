/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * protocol.pml - home-based lazy release consistency as hlrc/ and ardmar/ implement it, for spin.
 *
 * Names and the numbers of the invariants are those of the code (page.h P, need.h ND, interval.h I, notices.h N, lock.h L,
 * exclusive.h EP, copies.h CP, renew.h RN, pages_ardmar.c A). README.md lists omissions and variants.
 *
 * A page has B bytes. Byte t is written only by thread t, at any time (false sharing). Byte T is written under lock 0.
 * A byte holds the number of the write that it comes from, so values distinguish old from new.
 *
 * A comment "label: functions" names the rule of a step and the functions of the code that perform it;
 * tests/citations.sh checks both.
 *
 * Checked:
 *   - every load and store finds, in each byte, at least the last write ordered before it, its own writes exactly, and
 *     under lock 0 exactly the last one (USE);
 *   - a page has one home, the one that the compare-and-swap chose (KNOW_HOME);
 *   - [page.open-not-stale], [page.writable-tracked] after every step that changes a page (OK);
 *   - in the end every write has reached the home (init), and no thread waits forever (spin: no invalid end state).
 *
 * Ghosts (the protocol does not read them): upto, the writes ordered before a thread; gate, the writes ordered before the
 * next holder of a lock; written, the last write under lock 0.
 *
 * -DHOT: a flush may leave a page writable [page.retained-twin], or not; both are tried each time.
 * -DALONE: a home page without readers need not be tracked (exclusive.h); tracked or not, both are
 * tried. Only with DUO; it begins where the page was written once. -DEVICT=N: nodes evict N copies,
 * at any time [copies.evict-clean]. -DRENEW: an acquire may leave invalidated copies accessible,
 * and fetch them before it ends (renew.h), or not; both are tried. Only with DUO; it begins where
 * both nodes know the home, node 1. -DEXPECT as well: it may fetch a copy before it takes the
 * notices, or not. -DWRITTEN: diffs are written into the home's page (--diffs write), not sent.
 * Only with DUO, without HOT. -DLAZY: an unlock that no other node waits for may publish nothing
 * [lock.biased], or flush. Only with DUO.
 *
 * Two configurations. TRIO: three nodes of one thread each, two pages, one lock. DUO (-DDUO): two nodes, two threads at
 * one of them, one page, two locks. Steps that affect only one node are merged (JOIN) if that node has one thread: no
 * other thread could see them apart.
 */
#ifdef DUO
#define NEEDS_OWN(n, p) !needed[IX(n, p)].w[1 - n]
#define N 2                     /* nodes */
#define P 1                     /* pages */
#define L 2                     /* locks */
#define NODE(t) ((t) / 2)
#define JOIN
#define COVERS(has, want) (has.w[0] >= want.w[0] && has.w[1] >= want.w[1])
#else
#define N 3
#define P 2
#define L 1
#define NODE(t) (t)
#define NEEDS_OWN(n, p) (!needed[IX(n, p)].w[(n + 1) % 3] && !needed[IX(n, p)].w[(n + 2) % 3])
#define JOIN atomic
#define COVERS(has, want) (has.w[0] >= want.w[0] && has.w[1] >= want.w[1] && has.w[2] >= want.w[2])
#endif
#ifndef OPERATIONS
#define OPERATIONS 4            /* operations of all threads together */
#endif
#define T 3                     /* threads */
#define B (T + 1)
#ifdef ALONE
#define INTERVALS (OPERATIONS + 4)
#else
#define INTERVALS (OPERATIONS + 2)
#endif
#define CREDITS 2               /* messages with diffs in flight for each pair */

#define NONE 0
#define READ 1
#define WRITE 2
#define IX(n, p) ((n) * P + (p))
#define LX(l, n) ((l) * N + (n))
#define IN(p, set) ((set) & (1 << (p)))
#define MAX(a, b) ((a) > (b) -> (a) : (b))

typedef bytes { byte b[B] };
typedef nodes { byte w[N] };
typedef log { byte pages[INTERVALS] };  /* by interval: the set of pages that it wrote */

/* struct page, and the page itself, at every node */
byte access[N * P] = READ;              /* readable everywhere, zero. code: pages_ardmar_initial */
bool stale[N * P], dirty[N * P], busy[N * P];
byte known[N * P];                      /* the home as known here: node + 1 */
bytes mem[N * P], twin[N * P];
nodes needed[N * P];

/* at the homes */
byte home[P];                           /* the home word: 0 or node + 1 */
nodes applied[N * P];
/* By writer * N + home: interval, page, bytes; 0 is no change. [bulk.order]: bulk_try_send */
chan diffs[N * N] = [CREDITS] of { byte, byte, bytes };

/* intervals and notices */
nodes vt[N], seen[N], tail[N];          /* by reader, then writer */
log notices[N];
#ifdef HOT
bool home_twin[N * P];                  /* a kept home page has a twin. [page.retained-twin]: page_flush_home */
#endif
bool closing[N], acquiring[N];
byte dirty_list[N];                     /* a set of pages */
#ifdef ALONE
bool exclusive[N * P], introduced[N * P];
bool grabbed[N * P];                    /* lock of struct page, where it is held for more than a step */
byte exclusive_list[N];                 /* a set of pages */
bool has_readers[P];                    /* at the home */
byte arrivals[N], seen_arrivals[N];
#define UNTRACKED(n, p) exclusive[IX(n, p)]
#define LOCKED(n, p) grabbed[IX(n, p)]
#else
#define UNTRACKED(n, p) false
#define LOCKED(n, p) false
#endif
#ifdef RENEW
bool pending_renewal[N * P];            /* STALE and accessible. [update.pending]: renew_instead */
#define PENDING(n, p) pending_renewal[IX(n, p)]
#else
#define PENDING(n, p) false
#endif

/* Locks. The manager takes one step: the requester becomes the last, and its request goes to the previous last. */
bool have[L * N], held[L * N], waiting[L * N];
byte next[L * N], last[L], granted[L];  /* node + 1; node; node + 1 */
nodes carried[L];                       /* the vector time of the grant in flight */
chan requests[N] = [L * N] of { byte, byte };            /* lock, requesting node */
#ifdef LAZY
byte begun[N], ended[N];                /* flushes */
byte mark[L * N];                       /* fields of struct lock */
bool listed[L * N];
/* [unshared.new-readers]: interval_published */
#define PUBLISHED(l, n) (!NEW_READERS(n) && !LOOKING(n) && \
    (ended[n] >= mark[LX(l, n)] || (!dirty_list[n] && !closing[n])))
#ifdef ALONE
bool looking[N];                        /* the flush in progress has recorded new readers */
#define LOOKING(n) looking[n]
#else
#define LOOKING(n) false
#endif
#if defined(ALONE) && !defined(GRANT_UNLOOKED)
#define NEW_READERS(n) ARRIVED(n)
#else
#define NEW_READERS(n) false
#endif
#endif

/* ghosts */
bytes upto[T * P], gate[L * P];
byte written[P];
byte left = OPERATIONS;                 /* operations to be started */
bool twin_began;
byte done, pending;                     /* threads that have ended; diffs sent and not applied */

/* [page.open-not-stale]: page_assert_state; [page.section_writable-tracked]: page_assert_state; [page.needed-versions]:
 * page_assert_state */
#define OK(n, p) \
    assert(access[IX(n, p)] == NONE || !stale[IX(n, p)] || PENDING(n, p)); \
    assert(access[IX(n, p)] != WRITE || dirty[IX(n, p)] || UNTRACKED(n, p)); \
    assert(!dirty[IX(n, p)] || !UNTRACKED(n, p)); \
    assert(stale[IX(n, p)] || NEEDS_OWN(n, p))

/* code: filter_install, page_claim */
#define KNOW_HOME(n, p, h) \
    assert(h == home[p]); \
    known[IX(n, p)] = h

/* ---- an access: page_access, page_claim, page_fetch ---- */

#define TO_TRY 1        /* the thread's next operation */
#define TO_BRING 2
#define TO_CLAIM 3
#define TO_GRANT 4
#define TO_READ 5

#define WRITE_OWN 0     /* writes byte t */
#define UPDATE 1        /* reads and writes byte T, under lock 0 */
#define LOOK 2          /* reads all bytes, under the last lock */
#ifdef ALONE
#define MAY_DO(op, n) ((op == LOOK) == (n == 1))        /* the home's node writes, the other one reads */
#else
#define MAY_DO(op, n) true
#endif
#define RIGHT(op) (op == LOOK -> READ : WRITE)

/* The load or store that did not fault. ASSUMPTION: in a block */
inline USE(t, n, p, op)
{
    d_step {
        for (i : 0 .. T - 1) {
            assert(mem[IX(n, p)].b[i] >= upto[IX(t, p)].b[i])
        }
        assert(mem[IX(n, p)].b[t] == upto[IX(t, p)].b[t]);
        assert(mem[IX(n, p)].b[T] >= upto[IX(t, p)].b[T]);
        if
        :: op == WRITE_OWN ->
            upto[IX(t, p)].b[t] = upto[IX(t, p)].b[t] + 1;
            mem[IX(n, p)].b[t] = upto[IX(t, p)].b[t]
        :: op == UPDATE ->
            assert(mem[IX(n, p)].b[T] == written[p]);
            written[p]++;
            mem[IX(n, p)].b[T] = written[p];
            upto[IX(t, p)].b[T] = written[p]
        :: else ->
            assert(L > 1 || mem[IX(n, p)].b[T] == written[p])
        fi;
        i = 0
    }
}

/* CAS(0 -> me) on the home word; h becomes the home. code: pages_ardmar_assign */
inline ASSIGN(n, p, h)
{
#ifdef CAS_AS_READ_WRITE
    h = home[p];
    if
    :: h == 0 -> h = n + 1; home[p] = h
    :: else
    fi
#else
    atomic {
        if
        :: home[p] == 0 -> home[p] = n + 1
        :: else
        fi;
        h = home[p]
    }
#endif
}

/* To the bounce page. [update.own-stores]: page_fetch_aim */
#if defined(RENEW) && !defined(RENEW_IN_PLACE)
#define APART(n, p) (dirty[IX(n, p)] || access[IX(n, p)] != NONE)
#else
#define APART(n, p) dirty[IX(n, p)]
#endif

/* Copies the home's page: in place, or to the bounce page if it was written here (page_fetch.c: aim). */
inline READ_PAGE(n, p, h)
{
    d_step {
        for (i : 0 .. B - 1) {
            if
            :: APART(n, p) -> bounce.b[i] = mem[IX(h - 1, p)].b[i]
            :: else -> mem[IX(n, p)].b[i] = mem[IX(h - 1, p)].b[i]
            fi
        }
        i = 0;
#ifdef RENEW
        apart = APART(n, p);
        for (i : 0 .. T - 1) {                  /* writes of the threads of this node are present */
            assert(access[IX(n, p)] == NONE || NODE(i) != n || mem[IX(n, p)].b[i] == upto[IX(i, p)].b[i])
        }
        i = 0
#endif
    }
}

inline READ_VERSIONS(n, p, h)
{
    d_step {
        for (i : 0 .. N - 1) {                  /* needed versions */
            versions.w[i] = (needed[IX(n, p)].w[i] -> applied[IX(h - 1, p)].w[i] : 0)
        }
        i = 0
    }
}

/* diff_merge: twin = fetched, page = fetched + own changes. [page.dirty-twin]: page_fetch_install */
inline MERGE(n, p)
{
    for (i : 0 .. B - 1) {
        if
#ifndef MERGE_LOSES_OWN
        :: mem[IX(n, p)].b[i] != twin[IX(n, p)].b[i]
#endif
        :: else -> mem[IX(n, p)].b[i] = bounce.b[i]
        fi;
        twin[IX(n, p)].b[i] = bounce.b[i];
        bounce.b[i] = 0
    }
}

#ifdef RENEW
/* An accessible page is updated byte by byte, during loads and stores. [update.own-stores]: page_fetch_take_over, diff_renew */
inline TAKE_OVER_OPEN(n, p)
{
    i = 0;
    do
    :: i < B ->
        if
#ifdef RENEW_OWN_LOST
        :: dirty[IX(n, p)] && mem[IX(n, p)].b[i] == twin[IX(n, p)].b[i] -> mem[IX(n, p)].b[i] = bounce.b[i]
#else
        :: dirty[IX(n, p)] && bounce.b[i] != twin[IX(n, p)].b[i] -> mem[IX(n, p)].b[i] = bounce.b[i]
#endif
        :: !dirty[IX(n, p)] -> mem[IX(n, p)].b[i] = bounce.b[i]
        :: else
        fi;
        i++
    :: else -> break
    od;
    i = 0;
    d_step {
        for (i : 0 .. B - 1) {
            if
            :: dirty[IX(n, p)] -> twin[IX(n, p)].b[i] = bounce.b[i]
            :: else
            fi;
            bounce.b[i] = 0
        }
        i = 0
    }
}
/* Data from the bounce page goes to a page that is accessible, or clean */
#define TAKEN_OVER(n, p) (apart && (access[IX(n, p)] != NONE || !dirty[IX(n, p)]))
#endif

#define HAS(h, n, p) COVERS(applied[IX(h - 1, p)], needed[IX(n, p)])

/* page_fetch; BUSY was set by this thread. Waiting for versions is one blocking step: reading them again has no effect. */
inline FIND_HOME(n, p)
{
    if
    :: known[IX(n, p)] == 0 -> ASSIGN(n, p, h)
    :: else -> h = known[IX(n, p)]
    fi
}

#if defined(NO_VERSION_CHECK)
inline FETCH_VERSIONS(n, p)
{
    READ_VERSIONS(n, p, h)
}
#else
inline FETCH_VERSIONS(n, p)
{
    atomic { HAS(h, n, p) -> READ_VERSIONS(n, p, h) }                           /* at home: page_fetch_home_current */
}
#endif

inline FETCH_PAGE(n, p)
{
    if
    :: h != n + 1 -> READ_PAGE(n, p, h)
    :: else
    fi
}

inline NEED_NOTHING(n, p)
{
    for (i : 0 .. N - 1) { needed[IX(n, p)].w[i] = 0 }
    i = 0
}

/* Installs the copy unless it lacks a version by now. [page.open-not-stale]: page_fetch_install; [page.needed-versions]: page_fetch_install */
inline INSTALL(n, p)
{
#ifdef RENEW
    if
    :: TAKEN_OVER(n, p) && COVERS(versions, needed[IX(n, p)]) -> TAKE_OVER_OPEN(n, p)
    :: else
    fi;
#endif
    atomic {
        KNOW_HOME(n, p, h);
        if
#if !defined(NO_VERSION_CHECK) && !defined(NO_INSTALL_CHECK)
        :: !COVERS(versions, needed[IX(n, p)])
#endif
        :: else ->
            d_step {
#ifdef ALONE
                introduced[IX(n, p)] = introduced[IX(n, p)] || h != n + 1;
#endif
                if
#ifdef RENEW
                :: apart && access[IX(n, p)] == NONE && dirty[IX(n, p)] -> MERGE(n, p)
#else
                :: dirty[IX(n, p)] && h != n + 1 -> MERGE(n, p)
#endif
                :: else
                fi;
                for (i : 0 .. N - 1) { versions.w[i] = 0 }
                i = 0;
                h = 0;
#ifdef RENEW
                apart = false;
                pending_renewal[IX(n, p)] = false;
#endif
                NEED_NOTHING(n, p);                                             /* [need.dropped]: page_fetch_install */
                stale[IX(n, p)] = false;
                busy[IX(n, p)] = false
            };
            OK(n, p);
            todo = TO_TRY
        fi
    }
}

/* page_claim, after FIND_HOME */
inline CLAIM(n, p)
{
    atomic {
        KNOW_HOME(n, p, h);
        busy[IX(n, p)] = false;
        h = 0;
        todo = TO_TRY
    }
}

#ifdef ALONE
/* A reader's mark in the page's word, then in the home's. [unshared.reader-mark]: pages_ardmar_introduce */
inline INTRODUCE(n, p)
{
    if
    :: h != n + 1 && !introduced[IX(n, p)] ->
        has_readers[p] = true;
        arrivals[h - 1]++
    :: else
    fi
}

/* A home page that has been announced need not be tracked. The lock is held until GRANT_ALONE. */
#ifdef NEVER_ANNOUNCED
#define MAY_BE_ALONE(n, p) (known[IX(n, p)] == n + 1 && !has_readers[p])
#else
/* [unshared.announced-first]: exclusive_begin */
#define MAY_BE_ALONE(n, p) (known[IX(n, p)] == n + 1 && !has_readers[p] && applied[IX(n, p)].w[n])
#endif

/* The word is read after the entry. [unshared.announced-first]: exclusive_begin. ASSUMPTION: in a block */
inline BE_ALONE(n, p)
{
    d_step {
        if
#ifdef LOOKED_BEFORE_LISTED
        :: true ->
            exclusive_list[n] = exclusive_list[n] | (1 << p);
#else
        :: !has_readers[p] ->
#endif
            exclusive[IX(n, p)] = true;
            dirty[IX(n, p)] = false
        :: else
        fi;
        grabbed[IX(n, p)] = false
    }
}

inline LIST_ALONE(n, p)
{
    grabbed[IX(n, p)] = true;
#ifndef LOOKED_BEFORE_LISTED
    exclusive_list[n] = exclusive_list[n] | (1 << p)
#endif
}

/* [unshared.new-readers]: exclusive_look, exclusive_leave; [unshared.announced-first]: exclusive_look */
inline LOOK_AT(n, p)
{
    atomic {
        !LOCKED(n, p) || !has_readers[p] || !IN(p, exclusive_list[n]);
        d_step {
            if
            :: has_readers[p] && IN(p, exclusive_list[n]) ->
                exclusive_list[n] = exclusive_list[n] & ~(1 << p);
                if
                :: exclusive[IX(n, p)] ->
                    exclusive[IX(n, p)] = false;
                    dirty[IX(n, p)] = true;
                    dirty_list[n] = dirty_list[n] | (1 << p)
                :: else
                fi
            :: else
            fi
        }
    };
    OK(n, p)
}

#ifdef NO_ARRIVALS
#define ARRIVED(n) false
#else
#define ARRIVED(n) (arrivals[n] != seen_arrivals[n])
#endif

#ifdef LAZY
#define NOTE_LOOKING(n) looking[n] = true       /* [unshared.new-readers]: interval_close_dirty */
#else
#define NOTE_LOOKING(n) skip
#endif

/* Readers of other pages may have arrived, too. */
inline LOOK_AT_READERS(n)
{
    if
    :: !ARRIVED(n)
    :: true ->
#ifdef SEEN_LATE
        LOOK_AT(n, 0);
        seen_arrivals[n] = arrivals[n]
#else
        NOTE_LOOKING(n);
        seen_arrivals[n] = arrivals[n];         /* [unshared.new-readers]: exclusive_look */
        LOOK_AT(n, 0)
#endif
    fi
}
#endif

/* [page.writable-tracked]: page_grant, page_mark_dirty; [page.dirty-twin]: page_mark_dirty. ASSUMPTION: in a block */
inline GRANT_ACCESS(n, p, write)
{
    d_step {
        if
        :: write && !dirty[IX(n, p)] && !UNTRACKED(n, p) ->
            if
            :: known[IX(n, p)] != n + 1 ->
                for (i : 0 .. B - 1) { twin[IX(n, p)].b[i] = mem[IX(n, p)].b[i] }
                i = 0
            :: else
            fi;
            dirty[IX(n, p)] = true;
            dirty_list[n] = dirty_list[n] | (1 << p)
        :: else
        fi;
        access[IX(n, p)] = (dirty[IX(n, p)] || UNTRACKED(n, p) -> WRITE : READ)
    }
    OK(n, p)
}

/* A load or store that the view allows does not check BUSY. [page.field-lock]: page_access_step */
inline TRY(t, n, p, op)
{
    atomic {
        access[IX(n, p)] >= RIGHT(op) || (!busy[IX(n, p)] && !LOCKED(n, p));
        if
        :: access[IX(n, p)] >= RIGHT(op) -> USE(t, n, p, op); todo = 0
        :: else ->
            if
            :: stale[IX(n, p)] -> busy[IX(n, p)] = true; todo = TO_BRING
            :: !stale[IX(n, p)] && op != LOOK && known[IX(n, p)] == 0 -> busy[IX(n, p)] = true; todo = TO_CLAIM
#ifdef ALONE
            :: !stale[IX(n, p)] && op != LOOK && !dirty[IX(n, p)] && !exclusive[IX(n, p)] && MAY_BE_ALONE(n, p) ->
                LIST_ALONE(n, p);
                todo = TO_GRANT
            :: !stale[IX(n, p)] && op != LOOK && !dirty[IX(n, p)] && !exclusive[IX(n, p)] && MAY_BE_ALONE(n, p) ->
                GRANT_ACCESS(n, p, true)
#endif
            :: else -> GRANT_ACCESS(n, p, op != LOOK)
            fi
        fi
    }
}

/* ---- release: interval_close ---- */

/* At home its own version rises; elsewhere the diff is captured, and sent later. [interval.applied-last]: interval_capture */
inline CAPTURE(n, p)
{
    d_step {
        if
        :: known[IX(n, p)] == n + 1 ->
            applied[IX(n, p)].w[n] = interval;
            announced = announced | (1 << p)
        :: else ->
            for (i : 0 .. B - 1) {
                if
                :: mem[IX(n, p)].b[i] != twin[IX(n, p)].b[i] ->
                    diff[p].b[i] = mem[IX(n, p)].b[i];
                    announced = announced | (1 << p);
                    to_send = to_send | (1 << p)
                :: else
#ifdef WHOLE_PAGE
                    -> diff[p].b[i] = mem[IX(n, p)].b[i]
#endif
                fi
            }
        fi;
        i = 0
    }
}

#ifdef HOT
/* A page that stays writable: a write during the flush is in this interval, or differs from the new twin. */
inline CAPTURE_HOME_KEPT(n, p)
{
    d_step {                                    /* [page.retained-twin]: page_flush_home */
        changed = !home_twin[IX(n, p)];
        for (i : 0 .. B - 1) { changed = changed || mem[IX(n, p)].b[i] != twin[IX(n, p)].b[i] }
        i = 0
    };
    d_step {
        if
        :: changed ->
            for (i : 0 .. B - 1) { twin[IX(n, p)].b[i] = mem[IX(n, p)].b[i] }
            i = 0;
            home_twin[IX(n, p)] = true
        :: else
        fi
    };
    d_step {
        if
        :: changed ->
            applied[IX(n, p)].w[n] = interval;
            announced = announced | (1 << p)
        :: else
        fi;
        changed = false
    }
}

inline CAPTURE_KEPT(n, p)
{
#ifdef READ_TWICE
    CAPTURE(n, p);
    d_step {
        for (i : 0 .. B - 1) { twin[IX(n, p)].b[i] = mem[IX(n, p)].b[i] }
        i = 0
    }
#else
    d_step {                                    /* [page.retained-twin]: page_flush_diff, page_flush_copy_of */
        for (i : 0 .. B - 1) { copy.b[i] = mem[IX(n, p)].b[i] }
        i = 0
    };
    d_step {
        for (i : 0 .. B - 1) {
            if
            :: copy.b[i] != twin[IX(n, p)].b[i] ->
                diff[p].b[i] = copy.b[i];
                announced = announced | (1 << p);
                to_send = to_send | (1 << p)
            :: else
            fi;
            twin[IX(n, p)].b[i] = copy.b[i];
            copy.b[i] = 0
        }
        i = 0
    }
#endif
}

/* Write-protected: a home page with a twin is announced if it differs. */
inline CAPTURE_SEALED(n, p)
{
    d_step {
        changed = !home_twin[IX(n, p)];
        for (i : 0 .. B - 1) { changed = changed || mem[IX(n, p)].b[i] != twin[IX(n, p)].b[i] }
        i = 0
    };
    if
    :: changed -> CAPTURE(n, p)
    :: else
    fi;
    changed = false
}

inline FLUSH_HOT(n, p)
{
    atomic {
        !busy[IX(n, p)] && !LOCKED(n, p);
        if
        :: dirty[IX(n, p)] && access[IX(n, p)] == WRITE -> access[IX(n, p)] = READ; busy[IX(n, p)] = true
        :: dirty[IX(n, p)] && access[IX(n, p)] == WRITE -> kept = true; busy[IX(n, p)] = true      /* [page.retained-twin]: page_flush_seal_run */
        :: dirty[IX(n, p)] && access[IX(n, p)] != WRITE -> busy[IX(n, p)] = true
        :: !dirty[IX(n, p)] -> skip             /* page_flush_skip */
        fi
    };
    if
    :: kept && known[IX(n, p)] == n + 1 -> CAPTURE_HOME_KEPT(n, p)
    :: kept && known[IX(n, p)] != n + 1 -> CAPTURE_KEPT(n, p)
    :: !kept && dirty[IX(n, p)] -> CAPTURE_SEALED(n, p)
    :: else
    fi;
    atomic {
        if
        :: dirty[IX(n, p)] && busy[IX(n, p)] ->
#ifdef ALONE
            alone = kept && IN(p, announced) && !stale[IX(n, p)];
#endif
            FLUSH_END(n, p)
#ifdef ALONE
            ;
            if
            :: alone && MAY_BE_ALONE(n, p) -> LIST_ALONE(n, p)
            :: alone = false
            fi
#endif
        :: else
        fi
    }
#ifdef ALONE
    if
    :: alone ->
        atomic {
            BE_ALONE(n, p);                     /* no longer dirty, no twin, off the list */
            d_step {
                if
                :: exclusive[IX(n, p)] ->
                    for (i : 0 .. B - 1) { twin[IX(n, p)].b[i] = 0 }
                    i = 0;
                    home_twin[IX(n, p)] = false;
                    dirty_list[n] = dirty_list[n] & ~(1 << p)
                :: else
                fi;
                alone = false
            };
            OK(n, p)
        }
    :: else
    fi
#endif
}
#endif

/* ASSUMPTION: in a block */
inline FLUSH_END(n, p)
{
    d_step {
#ifndef FORGET_NEEDED_SELF
        if
        :: IN(p, announced) && known[IX(n, p)] != n + 1 -> needed[IX(n, p)].w[n] = interval /* [page.needed-versions]: page_flush_end */
        :: else
        fi;
#endif
#ifdef HOT
        if
        :: kept ->
#ifndef OFF_THE_LIST
            dirty_list[n] = dirty_list[n] | (1 << p);           /* [page.retained-twin]: page_flush_end */
#endif
            kept = false
        :: else ->
            home_twin[IX(n, p)] = false;
#endif
            for (i : 0 .. B - 1) { twin[IX(n, p)].b[i] = 0 }
            i = 0;
            dirty[IX(n, p)] = false;
#ifdef HOT
        fi;
#endif
        busy[IX(n, p)] = false
    }
    OK(n, p)
}

/* [page.busy-capture]: interval_capture_all */
#ifdef HOT
#define FLUSH(n, p) FLUSH_HOT(n, p)
#else
inline FLUSH(n, p)
{
    atomic {
        !busy[IX(n, p)];
#ifndef EARLY_WRITE
        busy[IX(n, p)] = true;                  /* [page.busy-capture]: page_flush_seal_run, page_flush_end */
#endif
        if
        :: access[IX(n, p)] == WRITE -> access[IX(n, p)] = READ
        :: else
        fi
    }
    CAPTURE(n, p);
    atomic { FLUSH_END(n, p) }
}
#endif

#ifdef WRITTEN
/* Writes to the home's page, then the version; both arrive before the interval is announced (diffs_write.c). */
inline SEND(n, p)
{
    d_step {
        for (i : 0 .. B - 1) {
            if
            :: diff[p].b[i] -> mem[IX(known[IX(n, p)] - 1, p)].b[i] = diff[p].b[i]
            :: else
            fi;
            diff[p].b[i] = 0
        }
        i = 0
    }
    applied[IX(known[IX(n, p)] - 1, p)].w[n] = interval
}

/* [need.dropped]: page_told_is_there */
#ifdef WRITTEN_UNSEEN
#define IS_THERE(n, p) true
#else
#define IS_THERE(n, p) (!busy[IX(n, p)])
#endif
#else
#define IS_THERE(n, p) false
inline SEND(n, p)
{
    atomic {
        diffs[n * N + known[IX(n, p)] - 1]!interval, p, diff[p];
        pending++;
        for (i : 0 .. B - 1) { diff[p].b[i] = 0 }
        i = 0
    }
}
#endif

#if P == 1
#define EACH_PAGE(what, n, set) \
    if \
    :: IN(0, set) -> what(n, 0) \
    :: else \
    fi
#else
#define EACH_PAGE(what, n, set) \
    if \
    :: IN(0, set) -> what(n, 0) \
    :: else \
    fi; \
    if \
    :: IN(1, set) -> what(n, 1) \
    :: else \
    fi
#endif

#ifdef LAZY
#define COUNT_BEGUN(n) begun[n]++
#ifdef ALONE
#define COUNT_ENDED(n) looking[n] = false; ended[n] = begun[n]
#else
#define COUNT_ENDED(n) ended[n] = begun[n]
#endif
#else
#define COUNT_BEGUN(n) skip
#define COUNT_ENDED(n) skip
#endif

/* [interval.covers-dirty]: interval_close, dirty_take */
inline CLOSE(n)
{
    JOIN {
#if defined(ALONE) || defined(HOT)
#ifndef CLEAN_LOOKED_ONCE
        looked = looked || closing[n];          /* [interval.unpublished-test]: interval_clean */
#endif
#ifdef ALONE
        looked = looked || ARRIVED(n);          /* [unshared.new-readers]: interval_clean */
#endif
        looked = looked || dirty_list[n];
        looked = looked || closing[n];          /* [interval.unpublished-test]: interval_clean */
        if
        :: looked ->
            atomic { !closing[n] -> closing[n] = true; COUNT_BEGUN(n) };
#ifdef ALONE
            LOOK_AT_READERS(n);                 /* [unshared.new-readers]: interval_close_dirty */
#endif
            atomic {
                list = dirty_list[n];
                dirty_list[n] = 0;
                interval = (list -> vt[n].w[n] + 1 : 0);
                if
                :: list == 0 -> COUNT_ENDED(n)
                :: else
                fi;
                closing[n] = list;
                looked = false
            }
        :: else
        fi;
#else
        atomic {
            !closing[n];
            if
            :: dirty_list[n] ->
                closing[n] = true;
                COUNT_BEGUN(n);
                list = dirty_list[n];
                dirty_list[n] = 0;
                interval = vt[n].w[n] + 1
            :: else ->                          /* interval_publish finds nothing either */
                COUNT_BEGUN(n);
                COUNT_ENDED(n)
            fi
        };
#endif
        if
        :: list ->
            EACH_PAGE(FLUSH, n, list);
            EACH_PAGE(SEND, n, to_send);
            if
            :: announced ->                     /* after the diffs were sent. [interval.diff-first]: interval_close_dirty */
                d_step {
                    notices[n].pages[interval] = announced;
                    for (i : 0 .. N - 1) { tail[i].w[n] = (i == n -> 0 : interval) }
                    i = 0
                };
                vt[n].w[n] = interval           /* [interval.own-time]: interval_close_dirty */
            :: else
            fi;
            atomic { COUNT_ENDED(n); closing[n] = false; list = 0; announced = 0; to_send = 0; interval = 0 }
        :: else
        fi
    }
}

/* ---- acquire: interval_acquire, notices_log_notice_take, page_invalidate ---- */

#ifdef HOT
/* page_clean: an invalidated page that equals its twin need not be merged */
inline CLEAN(n, p)
{
    if
    :: dirty[IX(n, p)] && !busy[IX(n, p)] && known[IX(n, p)] != n + 1 ->
        same = true;
        for (i : 0 .. B - 1) { same = same && mem[IX(n, p)].b[i] == twin[IX(n, p)].b[i] }
        if
        :: same ->
            dirty[IX(n, p)] = false;
            for (i : 0 .. B - 1) { twin[IX(n, p)].b[i] = 0 }
        :: else
        fi;
        i = 0;
        same = false
    :: else
    fi
}
#endif

/* [page.open-not-stale]: page_note_end. ASSUMPTION: in a block */
inline INVALIDATE(n, p, from, number)
{
    d_step {
        if
        /* [need.dropped]: page_applied_at_home; [page.needed-versions]: page_note_end */
        :: (known[IX(n, p)] != n + 1 || applied[IX(n, p)].w[from] < number) && !IS_THERE(n, p) ->
            needed[IX(n, p)].w[from] = MAX(needed[IX(n, p)].w[from], number)
        :: else
        fi;
        if
        :: known[IX(n, p)] == n + 1 && applied[IX(n, p)].w[from] >= number
#ifdef HOME_KEEPS_ACCESS
        :: known[IX(n, p)] == n + 1 && applied[IX(n, p)].w[from] < number
#endif
#ifdef RENEW
        /* [update.pending]: renew_instead */
        :: access[IX(n, p)] != NONE && known[IX(n, p)] && known[IX(n, p)] != n + 1 ->
            stale[IX(n, p)] = true;
            pending_renewal[IX(n, p)] = true
#endif
        :: else ->
            stale[IX(n, p)] = true;
            access[IX(n, p)] = NONE;
#ifdef HOT
            CLEAN(n, p)
#endif
#ifdef FORGET_DIRTY
            dirty[IX(n, p)] = false;
            dirty_list[n] = dirty_list[n] & ~(1 << p)
#endif
        fi
    }
    OK(n, p)
}

/* Takes one notice of writer q, page by page. [fabric.write-order]: notices_log_append_record, notices_log_read_record */
inline TAKE(n)
{
    atomic { tail[n].w[q] > seen[n].w[q] -> seen[n].w[q] = seen[n].w[q] + 1 };
    todo = 0;
    do
    :: todo < P ->
        atomic {
            !LOCKED(n, todo);
            if
#ifdef LOSE_NOTICE
            :: IN(todo, notices[q].pages[seen[n].w[q]]) && todo != P - 1 ->
#else
            :: IN(todo, notices[q].pages[seen[n].w[q]]) ->
#endif
                INVALIDATE(n, todo, q, seen[n].w[q])
            :: else
            fi;
            todo++
        }
    :: else -> break
    od;
    todo = 0
}

#ifdef RENEW
/* [update.pending]: renew_settle. ASSUMPTION: in a block */
inline CLOSE_PENDING(n, p)
{
    if
#ifndef RENEW_FORGOTTEN
    :: stale[IX(n, p)] -> access[IX(n, p)] = NONE
#endif
    :: else
    fi;
    pending_renewal[IX(n, p)] = false
}

/* [update.pending]: renew. ASSUMPTION: h is the home, and the page BUSY */
inline READ_PENDING(n, p)
{
#ifdef ALONE
    INTRODUCE(n, p);
#endif
#ifdef RENEW_IN_PLACE
    READ_PAGE(n, p, h);                         /* with the versions, one of which is still missing */
#endif
    READ_VERSIONS(n, p, h);
    READ_PAGE(n, p, h)
}

#ifdef EXPECT
/* A copy may be fetched before a notice names it. code: renew_expected, renew_expect_page */
inline EXPECT_COPY(n, p)
{
    atomic {
        if
        :: access[IX(n, p)] != NONE && known[IX(n, p)] && known[IX(n, p)] != n + 1 && !stale[IX(n, p)] &&
           !busy[IX(n, p)] && !LOCKED(n, p) ->
            stale[IX(n, p)] = true;
            pending_renewal[IX(n, p)] = true;
            busy[IX(n, p)] = true;
            h = known[IX(n, p)]
        :: true
        fi
    };
    if
    :: h -> READ_PENDING(n, p)
    :: else
    fi
}
#endif

/* A pending copy is fetched, if it has not been, or access to it is revoked. [update.pending]: renew_all, renew */
inline RENEW_COPY(n, p)
{
    atomic {
        if
        :: !h && PENDING(n, p) && stale[IX(n, p)] && access[IX(n, p)] != NONE && !busy[IX(n, p)] ->
            busy[IX(n, p)] = true;
            h = known[IX(n, p)];
            todo = TO_READ
        :: else
        fi
    };
    if
    :: todo == TO_READ -> todo = 0; READ_PENDING(n, p)
    :: else
    fi;
    if
    :: h ->
        if
        :: COVERS(versions, needed[IX(n, p)]) -> INSTALL(n, p)
        :: else ->
            d_step {
                for (i : 0 .. B - 1) { bounce.b[i] = 0 }
                for (i : 0 .. N - 1) { versions.w[i] = 0 }
                i = 0;
#ifdef REFUSED_NEEDS_NOTHING
                NEED_NOTHING(n, p);
#endif
                h = 0;
                apart = false;
                busy[IX(n, p)] = false
            }
        fi
    :: else
    fi;
    atomic {
        d_step { CLOSE_PENDING(n, p); todo = 0 };
        OK(n, p)
    }
}
#endif

/* Acquires everything that the grant of lock l covers. */
inline ACQUIRE(n, l)
{
    if
    :: COVERS(vt[n], carried[l])
    :: else ->
        atomic { !acquiring[n] -> acquiring[n] = true };
#ifdef EXPECT
        EXPECT_COPY(n, 0);
#endif
        q = 0;
        do
        :: q < N && q != n && vt[n].w[q] < carried[l].w[q] ->
#ifdef VT_FIRST
            vt[n].w[q] = carried[l].w[q];
#endif
            do
            :: seen[n].w[q] < carried[l].w[q] -> TAKE(n)
            :: else -> break
            od;
#ifndef RENEW
            vt[n].w[q] = carried[l].w[q]        /* [interval.pages-first]: interval_acquire_all */
#else
            q++
#endif
        :: q < N && (q == n || vt[n].w[q] >= carried[l].w[q]) -> q++
        :: else -> break
        od;
#ifdef RENEW
#ifndef RENEW_LATE
        RENEW_COPY(n, 0);
#endif
        q = 0;
        d_step {                                /* [interval.pages-first]: interval_acquire_all */
            for (q : 0 .. N - 1) { vt[n].w[q] = MAX(vt[n].w[q], carried[l].w[q]) }
        };
#endif
        q = 0;
        acquiring[n] = false;
#ifdef RENEW_LATE
        RENEW_COPY(n, 0);
#endif
        q = 0
    fi
}

/* ---- the lock ---- */

inline LOCK(t, n, l)
{
    atomic {
        !held[LX(l, n)] && !waiting[LX(l, n)];
        if
        :: have[LX(l, n)] -> held[LX(l, n)] = true
        :: else ->
            waiting[LX(l, n)] = true;
            todo = last[l];
            last[l] = n;
            requests[todo]!l, n;
            todo = 1
        fi
    };
    JOIN {
        if
        :: todo ->
            atomic { granted[l] == n + 1 -> granted[l] = 0; todo = 0 };
            ACQUIRE(n, l);
            atomic {
                waiting[LX(l, n)] = false;
                have[LX(l, n)] = true;
                held[LX(l, n)] = true
            }
        :: else
        fi;
        d_step {
            for (i : 0 .. P - 1) {
                for (q : 0 .. B - 1) {
                    upto[IX(t, i)].b[q] = MAX(upto[IX(t, i)].b[q], gate[IX(l, i)].b[q])
                }
            }
            i = 0;
            q = 0
        }
    }
}

/* [lock.one-node]: locks_manager_release, locks_manager_serve_owner. ASSUMPTION: in a block */
inline GRANT(l, n, to)
{
    d_step {
        have[LX(l, n)] = false;
        for (i : 0 .. N - 1) { carried[l].w[i] = vt[n].w[i] }
        i = 0;
        assert(granted[l] == 0);
        granted[l] = to + 1
    }
}

inline DROP(n, l)
{
    atomic {
        held[LX(l, n)] = false;
        if
        :: next[LX(l, n)] ->
            todo = next[LX(l, n)] - 1;
            next[LX(l, n)] = 0;
            GRANT(l, n, todo);
            todo = 0
        :: else
        fi
    }
}

#ifdef LAZY
#ifdef LAZY_ASKED
#define MAY_KEEP(l, n) true
#else
#define MAY_KEEP(l, n) !next[LX(l, n)]
#endif
#ifdef MARK_OF_THIS
#define NEXT_CLOSING(n) begun[n]
#else
#define NEXT_CLOSING(n) (begun[n] + 1)
#endif

/* The pending publication, then whether the lock is kept without it. [lock.flush-first]: interval_next, locks_manager_drop, locks_manager_release.
 * [lock.biased]: locks_manager_may_keep */
inline CLOSE_OR_KEEP(n, l)
{
#ifndef MARK_LOOKED_ONCE
    todo = (closing[n] -> 1 : 0);               /* [interval.unpublished-test]: interval_spotless */
#endif
    todo = (todo || dirty_list[n] -> 1 : 0);
    todo = (todo || closing[n] -> 1 : 0);       /* [interval.unpublished-test]: interval_spotless */
    todo = (todo -> NEXT_CLOSING(n) : 0);
    if
    :: atomic { MAY_KEEP(l, n) ->
#ifdef MARK_LATE
            mark[LX(l, n)] = 0;
#else
            mark[LX(l, n)] = todo;
            todo = 0;
#endif
            held[LX(l, n)] = false
        }
#ifdef MARK_LATE
        ;
        mark[LX(l, n)] = todo;
        todo = 0
#endif
    :: atomic { true -> todo = 0 };
        CLOSE(n);
        atomic { mark[LX(l, n)] = 0; DROP(n, l) }
    fi
}
#endif

inline UNLOCK(t, n, l)
{
    d_step {
        for (i : 0 .. P - 1) {
            for (q : 0 .. B - 1) {
                gate[IX(l, i)].b[q] = upto[IX(t, i)].b[q]
            }
        }
        i = 0;
        q = 0
    }
#if defined(GRANT_BEFORE_PUBLISH)
    DROP(n, l);
    CLOSE(n)
#elif defined(LAZY)
    CLOSE_OR_KEEP(n, l)
#else
    CLOSE(n);                                   /* [lock.flush-first]: locks_manager_release */
    DROP(n, l)
#endif
}

/* ---- processes ---- */

/* Tries the access, again after a fault; then releases the lock. */
inline ATTEMPT(t, n, p, op)
{
    TRY(t, n, p, op);
    if
    :: todo == TO_TRY -> TRY(t, n, p, op)
    :: else
    fi;
    if
    :: todo == 0 ->
        if
        :: op == UPDATE -> UNLOCK(t, n, 0)
        :: op == LOOK -> UNLOCK(t, n, L - 1)
        :: else
        fi;
        op = 0;
        p = 0
    :: else
    fi
}

/* Which thread begins, and with which page. Of two threads that are alike the first begins, with the first page. */
#ifdef DUO
#define LATER_TWIN(t) (t == 1)
#define IS_TWIN(t) (t == 0)
#else
#define LATER_TWIN(t) (t == 2)
#define IS_TWIN(t) (t == 1)
#endif
#ifdef ALONE
#define MAY_BEGIN(t) (left > 0 && !LATER_TWIN(t))
#else
#define MAY_BEGIN(t) (left > 0 && (twin_began || !LATER_TWIN(t)))
#endif

inline BEGIN(t)
{
    atomic {
        todo == 0 && MAY_BEGIN(t);
        if
        :: page = 0
#if P == 2
        :: left < OPERATIONS -> page = 1
#endif
        fi;
        left--;
        twin_began = twin_began || IS_TWIN(t)
    }
}

proctype application(byte t)
{
    byte i, q, h, todo, op, list, announced, to_send, interval, page, n;
    bytes bounce, diff[P];
    nodes versions;
#ifdef RENEW
    bool apart;
#endif
#ifdef HOT
    bool kept, changed, same;
    bytes copy;
#endif
#if defined(ALONE) || defined(HOT)
    bool looked;
#endif
#ifdef ALONE
    bool alone, closed_others;
#endif
    n = NODE(t);
    do
    ::  JOIN {
            BEGIN(t);
            if
            :: MAY_DO(WRITE_OWN, n) -> op = WRITE_OWN
            :: op = UPDATE; LOCK(t, n, 0)
            :: MAY_DO(LOOK, n) -> op = LOOK; LOCK(t, n, L - 1)
            fi;
            todo = TO_TRY;
            ATTEMPT(t, n, page, op)
        }
    :: todo == TO_TRY -> JOIN { ATTEMPT(t, n, page, op) }
    :: todo == TO_CLAIM ->
        FIND_HOME(n, page);
        JOIN { CLAIM(n, page); ATTEMPT(t, n, page, op) }
#ifdef ALONE
    :: atomic { t == 1 && !closed_others -> closed_others = true; looked = true };
        CLOSE(n)                                /* with other pages written by this thread */
    :: todo == TO_GRANT ->
        atomic { BE_ALONE(n, page); GRANT_ACCESS(n, page, true); todo = TO_TRY };
        ATTEMPT(t, n, page, op)
#endif
    :: todo == TO_BRING ->
        FIND_HOME(n, page);
#if defined(ALONE) && !defined(LATE_MARK)
        INTRODUCE(n, page);
#endif
#ifdef PAGE_BEFORE_VERSION
        FETCH_PAGE(n, page);
        READ_VERSIONS(n, page, h);
#else
        FETCH_VERSIONS(n, page);
#endif
        JOIN {
#ifndef PAGE_BEFORE_VERSION
            FETCH_PAGE(n, page);                /* [pages-ardmar.versions-first]: pages_ardmar_request_page, pages_ardmar_fetch_finish */
#endif
#ifdef LATE_MARK
            INTRODUCE(n, page);
#endif
            INSTALL(n, page);
            if
            :: todo == TO_TRY -> ATTEMPT(t, n, page, op)
            :: else
            fi
        }
    :: todo == 0 && left == 0 -> break
    od;
    JOIN { CLOSE(n); done++ }
}

#define IDLE(l, n) (have[LX(l, n)] && !held[LX(l, n)] && !waiting[LX(l, n)] && next[LX(l, n)] == 0)

#ifdef LAZY
#ifdef TWO_OWNERS
#define STILL_FREE(l, n) true
#else
#define STILL_FREE(l, n) (have[LX(l, n)] && !held[LX(l, n)] && !waiting[LX(l, n)])
#endif

/* [lock.biased]: locks_manager_grant_listed */
inline PUBLISH_ONE(n)
{
#if defined(ALONE) || defined(HOT)
    looked = true;                              /* interval_publish */
#endif
    CLOSE(n);
    atomic {
        listed[LX(l, n)] = false;
        if
        :: STILL_FREE(l, n) && next[LX(l, n)] ->
            assert(ended[n] >= mark[LX(l, n)]);
            h = next[LX(l, n)] - 1;
            next[LX(l, n)] = 0;
            GRANT(l, n, h);
            h = 0
        :: else
        fi;
        l = 0
    }
}
#endif

/* Applies diffs and grants locks; never waits. */
proctype handler(byte n)
{
    byte i, from, interval, p, l;
    bytes d;
#ifdef DIFFS_OVERTAKE
    byte interval2, p2;
    bytes d2;
#endif
end:
    do
    ::  atomic {
            if
            :: diffs[0 * N + n]?interval, p, d -> from = 0
            :: diffs[1 * N + n]?interval, p, d -> from = 1
#if N == 3
            :: diffs[2 * N + n]?interval, p, d -> from = 2
#endif
            fi;
#ifdef DIFFS_OVERTAKE
            if
            :: nempty(diffs[from * N + n]) ->
                diffs[from * N + n]?interval2, p2, d2;
                diffs[from * N + n]!interval, p, d;
                interval = interval2;
                p = p2;
                for (i : 0 .. B - 1) { d.b[i] = d2.b[i]; d2.b[i] = 0 }
                interval2 = 0; p2 = 0; i = 0
            :: true
            fi
#endif
        };
#ifdef BUMP_FIRST
        applied[IX(n, p)].w[from] = interval;
#endif
        d_step {
            for (i : 0 .. B - 1) {
                if
                :: d.b[i] -> mem[IX(n, p)].b[i] = d.b[i]
                :: else
                fi;
#ifndef HOT
                d.b[i] = 0
#endif
            }
            i = 0
        }
#ifdef HOT
        d_step {                                                /* [page.retained-twin]: page_apply */
            for (i : 0 .. B - 1) {
                if
                :: d.b[i] && home_twin[IX(n, p)] -> twin[IX(n, p)].b[i] = d.b[i]
                :: else
                fi;
                d.b[i] = 0
            }
            i = 0
        }
#endif
        atomic {
            applied[IX(n, p)].w[from] = interval;               /* [interval.applied-last]: diffs_message_serve */
            from = 0; interval = 0; p = 0;
            pending--
        }
    ::  atomic {
            requests[n]?l, from ->
            if
#if defined(LAZY) && !defined(LAZY_UNPUBLISHED)
            :: IDLE(l, n) && PUBLISHED(l, n) -> GRANT(l, n, from)
#else
            :: IDLE(l, n) -> GRANT(l, n, from)
#endif
            :: else ->
                assert(next[LX(l, n)] == 0);                    /* [lock.successor]: locks_manager_serve_owner */
#if defined(LAZY) && !defined(NOT_LISTED)
                listed[LX(l, n)] = IDLE(l, n);                  /* [lock.biased]: locks_manager_serve_owner */
#endif
                next[LX(l, n)] = from + 1
            fi;
            from = 0; l = 0
        }
    od
}

#ifdef LAZY
/* Publishes for requested locks, and grants the ones that are still free. */
proctype worker(byte n)
{
    byte i, h, list, announced, to_send, interval, l;
    bytes diff[P];
#ifdef HOT
    bool kept, changed, same;
    bytes copy;
#endif
#if defined(ALONE) || defined(HOT)
    bool looked;
#endif
#ifdef ALONE
    bool alone;
#endif
end:
    do
    :: atomic { listed[LX(0, n)] -> l = 0 };
        PUBLISH_ONE(n)
    :: atomic { L > 1 && listed[LX(L - 1, n)] -> l = L - 1 };
        PUBLISH_ONE(n)
    od
}
#endif

#ifdef EVICT
byte evictions = EVICT;                 /* left */

/* [copies.evict-clean]: copies_fate_of */
#ifdef EVICT_HOME
#define IS_COPY(n, p) known[IX(n, p)]
#else
#define IS_COPY(n, p) (known[IX(n, p)] && known[IX(n, p)] != n + 1)
#endif
#ifdef EVICT_DIRTY
#define IS_CLEAN(n, p) true
#else
#define IS_CLEAN(n, p) !dirty[IX(n, p)]
#endif
#ifdef EVICT_BUSY
#define NOBODY_WORKS(n, p) true
#else
#define NOBODY_WORKS(n, p) (!busy[IX(n, p)] && !LOCKED(n, p))
#endif

/* [copies.evict-clean]: copies_decide, copies_give_back */
inline GIVE_BACK(n, p)
{
    atomic {
        evictions && IS_COPY(n, p) && IS_CLEAN(n, p) && NOBODY_WORKS(n, p);
        evictions--;
        access[IX(n, p)] = NONE;
#ifndef EVICT_BUSY
        busy[IX(n, p)] = true
#endif
    };
    d_step {
        for (i : 0 .. B - 1) { mem[IX(n, p)].b[i] = 0 }
        i = 0
    };
    atomic {
#ifndef EVICT_UNMARKED
        stale[IX(n, p)] = true;
#endif
#ifndef EVICT_BUSY
        busy[IX(n, p)] = false;
#endif
        OK(n, p)
    }
}

proctype trimmer(byte n)
{
    byte i;
end:
    do
    :: GIVE_BACK(n, 0)
    od
}
#endif

#ifdef ALONE
/* Thread 0 has written the page under lock 0, and node 1 has had the lock since: it has the notice, and no copy. */
inline WRITTEN_ONCE()
{
    home[0] = 1;
    known[0] = 1;
    known[1] = 1;
    mem[0].b[T] = 1;
    written[0] = 1;
    applied[0].w[0] = 1;
    needed[1].w[0] = 1;
    stale[1] = true;
    access[1] = NONE;
    notices[0].pages[1] = 1;
    tail[1].w[0] = 1;
    seen[1].w[0] = 1;
    vt[0].w[0] = 1;
    vt[1].w[0] = 1;
    gate[0].b[T] = 1;
    for (t : 0 .. T - 1) { upto[t].b[T] = 1 }
    t = 0
}
#endif

init {
    byte i, t;
    atomic {
#if defined(RENEW) && !defined(ALONE)
        home[0] = 2;
        known[0] = 2;
        known[1] = 2;
#endif
#if defined(ALONE) && !defined(NEVER_ANNOUNCED)
        WRITTEN_ONCE();
#endif
        for (i : 0 .. L - 1) { last[i] = i; have[LX(i, i)] = true }     /* node i manages lock i */
        for (i : 0 .. N - 1) { run handler(i) }
#ifdef LAZY
        for (i : 0 .. N - 1) { run worker(i) }
#endif
#ifdef EVICT
        for (i : 0 .. N - 1) { run trimmer(i) }
#endif
        for (i : 0 .. T - 1) { run application(i) }
        i = 0
    }
    atomic {
        done == T && pending == 0;
        d_step {
            for (i : 0 .. P - 1) {
                if
                :: home[i] ->
                    for (t : 0 .. T - 1) {
                        assert(mem[IX(home[i] - 1, i)].b[t] == upto[IX(t, i)].b[t])
                    }
                    assert(mem[IX(home[i] - 1, i)].b[T] == written[i])
                :: else -> assert(written[i] == 0)
                fi
            }
        }
    }
}
