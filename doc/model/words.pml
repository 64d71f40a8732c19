/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * words.pml - atomic operations on words of shared memory (hlrc/memory/page_word.c, hlrc/sync/word.c) and bytes that are
 * read and written at a page's home (hlrc/memory/page_part.c), for spin.
 *
 * One page at home 0 has a word, which operations increment, and a byte, which is stored to under a lock. Node 1 has two
 * threads, the other nodes have one each. While operations are left, a thread increments the word, and may load it
 * afterwards; or it acquires the lock, loads, stores, gets or puts, and releases the lock. Threads of node 1 also acquire
 * what node 0 has published, as by another lock. Node 2 only reads. Diffs arrive later, in order.
 *
 * -DSTORED=T: before that, thread T (3: node 2's) has stored to the word. The others operate on it once they have had the
 * lock. Otherwise the word is zero in the beginning.
 * -DUNTOUCHED: in the beginning all nodes can read the page, which is zero, and its home does not know of them; it has a
 * twin. Otherwise its home has announced it once, and the others know that and have no copy.
 * -DHANDLED: the home's handler performs operations, under the page's lock; otherwise the fabric does.
 *
 * Checked:
 *   - the word counts all operations, and each operation and each load finds the operations ordered before it;
 *   - under the lock the byte is the last one that was stored or put;
 *   - all threads end.
 *
 * A flush is one step, and so are the invalidations of an acquire. protocol.pml takes these apart.
 */
#ifndef OPERATIONS
#define OPERATIONS 3            /* operations of all threads together */
#endif
#ifndef STORED
#define STORED NO_THREAD           /* the thread that has stored to the word before the others operate on it */
#endif
#define NO_THREAD 4
#define THREADS 4
#define NODE_OF(t) (t == 0 -> 0 : (t == 3 -> 2 : 1))
#define BASE 8                  /* the value that this thread has stored */
#define MAX(a, b) ((a) > (b) -> (a) : (b))

/* The page at home, and its twin; the versions of nodes 1 and 2; diffs in flight: whether they have the word and the byte. */
byte word, data, twin_word, twin_data, version[3];
bool dirty0, has_twin, listed0, worded0, exclusive, announced, has_readers;
chan diffs1 = [2] of { byte, bool, byte, bool, byte };
chan diffs2 = [1] of { byte, bool, byte, bool, byte };

/* The copy of node 1, its twin, its needs. */
byte copy_word, copy_data, copy_twin_word, copy_twin_data, needs[3];
bool stale, open, dirty, busy, listed, worded, pending, introduced, acquiring;
/* The copy of node 2. */
byte word2, data2;
bool stale2;

/* By node, then writer: the last interval that the node knows. */
byte vt[9];
#define VT(n, w) vt[(n) * 3 + (w)]

/* the lock */
bool taken;
byte last_node, carried[3];

/* ghosts */
byte left = OPERATIONS, operations, last_data, gate, ended;
byte seen[THREADS];             /* the least value of the word for the thread; it may operate on the word after the store */

#define MAY_OPERATE(t) (STORED == NO_THREAD || seen[t] >= BASE)
#define APPLIED(n) (version[1] >= VT(n, 1) && version[2] >= VT(n, 2))

/* Applies diffs. [interval.applied-last]: diffs_message_serve; [page.retained-twin]: page_apply */
inline APPLY()
{
    if
    :: has_w -> word = w; twin_word = w
    :: else
    fi;
    if
    :: has_d -> data = d; twin_data = d
    :: else
    fi;
    has_w = false; w = 0; has_d = false; d = 0
}

proctype handler()
{
    byte interval, w, d;
    bool has_w, has_d;
end:
    do
    :: atomic { diffs1?interval, has_w, w, has_d, d -> APPLY() };
        atomic { version[1] = interval; interval = 0 }
    :: atomic { diffs2?interval, has_w, w, has_d, d -> APPLY() };
        atomic { version[2] = interval; interval = 0 }
    od
}

/* ---- node 0, the home ---- */

/* [page.equal-twin]: page_flush_same; [word.announced]: page_flush_same */
#ifdef WORD_SAME_TWIN
#define ANNOUNCED_SAME (dirty0 && has_readers)
#else
#define ANNOUNCED_SAME (worded0 || (dirty0 && has_readers))
#endif

/* [unshared.new-readers]: exclusive_look, exclusive_leave; [page.retained-twin]: page_flush_end; [unshared.announced-first]:
 * exclusive_begin */
inline CLOSE0()
{
    atomic {
        if
        :: exclusive && has_readers -> exclusive = false; dirty0 = true; listed0 = true
        :: else
        fi;
        if
        :: listed0 ->
            changed = dirty0 && (!has_twin || word != twin_word || data != twin_data);
            if
            :: changed || ANNOUNCED_SAME -> VT(0, 0)++; announced = true
            :: else
            fi;
            if
            :: dirty0 && changed && announced && !has_readers -> dirty0 = false; has_twin = false; exclusive = true
            :: dirty0 -> has_twin = true
            :: true -> dirty0 = false; has_twin = false         /* write-protected */
            fi;
            twin_word = (has_twin -> word : 0);
            twin_data = (has_twin -> data : 0);
            listed0 = dirty0;
            worded0 = false;
            changed = false
        :: else
        fi
    }
}

/* The home revokes its own access while it lacks a version. [page.open-not-stale]: page_assert_state */
inline STORE0(cell, value)
{
    atomic {
        APPLIED(0) ->
        if
        :: dirty0 || exclusive
        :: else ->
            exclusive = announced && !has_readers;              /* [unshared.announced-first]: exclusive_begin */
            dirty0 = !exclusive;
            listed0 = listed0 || dirty0
        fi;
        cell = value
    }
}

/* By the home's own thread. code: word_perform_here, word_atomics_are_the_way */
inline OPERATE0(t)
{
#if defined(HANDLED)
    atomic {
        APPLIED(0) ->
        word++;
        twin_word = (has_twin -> word : 0);
#elif defined(WORD_BY_THE_WAY)
    atomic { APPLIED(0) -> result = word };
    atomic {
        word = result + 1;
        twin_word = (has_twin -> word : 0);
#else
    atomic {
        APPLIED(0) ->                                           /* [word.ordered]: page_word_fetch */
        word++;
#endif
        operations++;
        assert(word > seen[t]);
        seen[t] = word;
        result = 0
    };
    atomic {
        worded0 = worded0 || !exclusive;
        listed0 = listed0 || !exclusive
    }
}

/* ---- node 1 ---- */

/* [word.announced]: interval_capture, page_flush_diff */
inline CLOSE1()
{
    atomic {
        !(listed && busy) ->
        if
        :: listed ->
#ifdef WORD_EMPTY_UNSENT
            if
            :: dirty && (copy_word != copy_twin_word || copy_data != copy_twin_data) ->
#else
            if
            :: worded || (dirty && (copy_word != copy_twin_word || copy_data != copy_twin_data)) ->
#endif
                VT(1, 1)++;
                needs[1] = VT(1, 1);                            /* [page.needed-versions]: page_flush_end */
                diffs1!VT(1, 1), dirty && copy_word != copy_twin_word, copy_word, dirty && copy_data != copy_twin_data, copy_data
            :: else
            fi;
            if
            :: dirty -> copy_twin_word = copy_word; copy_twin_data = copy_data          /* [page.retained-twin]: page_flush_diff */
            :: true -> dirty = false; copy_twin_word = 0; copy_twin_data = 0            /* [page.busy-capture]: page_flush_seal_run */
            fi;
            listed = dirty;
            worded = false
        :: else
        fi
    }
}

/* A reader's mark. [unshared.reader-mark]: pages_ardmar_introduce */
inline INTRODUCE()
{
    has_readers = has_readers || !introduced
}

/* Bytes equal to the twin are replaced. [page.dirty-twin]: page_fetch_install; [update.monitor_own-stores]: page_fetch_take_over, diff_renew */
inline TAKE_OVER()
{
    copy_word = (dirty && (open -> fetched_word == copy_twin_word : copy_word != copy_twin_word) -> copy_word : fetched_word);
    copy_data = (dirty && (open -> fetched_data == copy_twin_data : copy_data != copy_twin_data) -> copy_data : fetched_data);
    copy_twin_word = (dirty -> fetched_word : 0);
    copy_twin_data = (dirty -> fetched_data : 0)
}

/* BUSY by this thread. [page.needed-versions]: page_fetch_install */
inline FETCH()
{
    INTRODUCE();
    do
    ::  atomic {                                                /* [pages-ardmar.versions-first]: pages_ardmar_request_page, pages_ardmar_fetch_finish */
            version[1] >= needs[1] && version[2] >= needs[2] ->
            had[0] = VT(0, 0); had[1] = version[1]; had[2] = version[2]
        };
        atomic { fetched_word = word; fetched_data = data };
        atomic {
            fetch_over = had[0] >= needs[0] && had[1] >= needs[1] && had[2] >= needs[2];
            if
            :: fetch_over ->
                TAKE_OVER();
                needs[0] = 0; needs[1] = 0; needs[2] = 0;
                stale = false; pending = false; introduced = true; busy = false
            :: else
            fi;
            had[0] = 0; had[1] = 0; had[2] = 0;
            fetched_word = 0; fetched_data = 0
        };
        if
        :: fetch_over -> fetch_over = false; break
        :: else
        fi
    od
}

/* [page.field-lock]: page_access_step; [page.section_writable-tracked]: page_mark_dirty */
inline ACCESS(stores)
{
    do
    :: atomic { open && (!stores || dirty) -> break }
    :: atomic { !busy && !(open && (!stores || dirty)) ->
            if
            :: stale -> busy = true; fetches = true
            :: else ->
                open = true;
                if
                :: stores && !dirty -> dirty = true; listed = true; copy_twin_word = copy_word; copy_twin_data = copy_data
                :: else
                fi
            fi
        };
        if
        :: fetches -> fetches = false; FETCH()
        :: else
        fi
    od
}

/* The copy is invalidated, or stays accessible and is updated. [update.pending]: renew_instead, renew_settle; [interval.pages-first]:
 * interval_acquire_all */
inline ACQUIRE1(upto0, upto2)
{
    atomic { !acquiring -> acquiring = true };
    if
    :: upto0 > VT(1, 0) || upto2 > VT(1, 2) ->
        atomic {
            needs[0] = MAX(needs[0], upto0);
            needs[2] = MAX(needs[2], upto2);
            stale = true;
            if
            :: open -> pending = true
            :: true ->
                dirty = dirty && (!open || busy || copy_word != copy_twin_word || copy_data != copy_twin_data);
                copy_twin_word = (dirty -> copy_twin_word : 0);
                copy_twin_data = (dirty -> copy_twin_data : 0);
                open = false
            fi
        };
        if
        :: atomic { pending && stale && !busy -> busy = true };
            FETCH()
        :: atomic { pending && stale -> open = false; pending = false }
        :: atomic { !pending || !stale -> pending = false }
        fi;
        atomic { VT(1, 0) = MAX(VT(1, 0), upto0); VT(1, 2) = MAX(VT(1, 2), upto2); acquiring = false }
    :: else -> acquiring = false
    fi
}

#ifdef WORD_TWICE_AT_ONCE
#define LEAVE() skip
#else
#define LEAVE() busy = true
#endif
#ifdef WORD_STORE_UNSENT
#define UNSENT false
#else
#define UNSENT (dirty && copy_word != copy_twin_word)
#endif
#ifdef WORD_STALE
#define LACKS (!stale && needs[1])
#elif defined(WORD_DIFF_ON_ITS_WAY)
#define LACKS stale
#else
#define LACKS (stale || needs[1])
#endif

/* Not during an operation of another thread. [word.ordered]: word_begin, page_word_fetch, page_word_is_unsent */
inline WORD_BEGIN()
{
    do
    :: atomic { !busy && !LACKS && !UNSENT -> LEAVE(); break }
    :: atomic { !busy && !LACKS && UNSENT -> skip };
        CLOSE1()
    :: atomic { !busy && LACKS -> busy = true; fetches = stale };
        if
        :: fetches
        :: else ->                                              /* settle */
            version[1] >= needs[1];
            atomic {
                if
                :: stale -> fetches = true
                :: else -> needs[1] = 0; busy = false           /* [need.dropped]: page_word_settle */
                fi
            }
        fi;
        if
        :: fetches -> fetches = false; FETCH()
        :: else
        fi
    od
}

/* The result of an operation goes to the copy if it is readable or holds this node's stores. */
#if defined(WORD_NOT_HERE)
#define TO_COPY false
#elif defined(WORD_OPEN_STALE)
#define TO_COPY (!stale || dirty)
#else
#define TO_COPY (open || !stale || dirty)
#endif

/* [word.copy]: page_word_end; [word.announced]: page_word_end */
inline WORD_END(t)
{
    atomic {
        if
        :: TO_COPY -> copy_word = result
        :: else
        fi;
        if
#ifndef WORD_IN_THE_DIFF
        :: dirty -> copy_twin_word = result
#endif
        :: else
        fi;
        worded = true;
#ifndef WORD_UNLISTED
        listed = true;
#endif
        busy = false;
        result = 0
    }
}

/* code: word_atomics_are_the_way, word_perform_here */
inline OPERATE1(t)
{
    WORD_BEGIN();
    atomic {
        word++;
#ifdef HANDLED
        twin_word = (has_twin -> word : 0);
#endif
        operations++;
        assert(word > seen[t]);
        seen[t] = word;
        result = word
    };
    WORD_END(t)
}

/* [part.stale-only]: page_part_is_elsewhere, page_part_is_closed_here */
#ifdef PART_PAST_OWN_STORES
#define ELSEWHERE (stale && !open && !pending)
#else
#define ELSEWHERE (stale && !open && !pending && !dirty)
#endif
#ifdef PART_STALE_COPIED
#define CLOSED_HERE !open
#else
#define CLOSED_HERE (!open && !stale)
#endif
#ifdef PART_BEFORE_DIFFS
#define IS_THERE true
#else
#define IS_THERE (version[1] >= had[1] && version[2] >= had[2])                 /* [word.ordered]: page_part_is_there */
#endif

/* Accesses a part of the page at the home if the copy is not usable. Sets part when done. [word.announced]: page_part_end */
inline PART(puts)
{
    do
    :: atomic { !puts && !busy && CLOSED_HERE -> assert(copy_data == last_data); part = true; break }
    :: atomic { !busy && ELSEWHERE && (puts || !(CLOSED_HERE)) ->
            busy = true; had[1] = needs[1]; had[2] = needs[2]
        };
#ifndef PART_UNINTRODUCED
        INTRODUCE();
#endif
        if
        :: atomic { IS_THERE -> had[1] = 0; had[2] = 0 };
            atomic {
                if
                :: puts -> last_data++; data = last_data
                :: else -> assert(data == last_data)
                fi
            };
            atomic {
                introduced = true;
#ifndef PART_UNTOLD
                worded = worded || puts;
                listed = listed || puts;
#endif
                busy = false;
                part = true
            };
            break
        :: atomic { !IS_THERE -> had[1] = 0; had[2] = 0 };
            FETCH();
            if
            :: puts -> break
            :: else
            fi
        fi
    :: atomic { !busy && !ELSEWHERE && (puts || !(CLOSED_HERE)) -> break }
    od
}

/* ---- the lock ---- */

#define RELEASE(n) \
    atomic { \
        carried[0] = VT(n, 0); carried[1] = VT(n, 1); carried[2] = VT(n, 2); \
        gate = MAX(gate, seen[t]); \
        last_node = n; \
        taken = false \
    }

#if STORED != NO_THREAD
#define MAY_BEGIN (left > 0 && gate)
#else
#define MAY_BEGIN (left > 0)
#endif

/* ASSUMPTION: in a block */
inline LOCK(t)
{
    left--;
    taken = true;
    seen[t] = MAX(seen[t], gate)
}

/* ---- threads ---- */

proctype thread0()
{
    byte result;
    bool changed;
#define t 0
#if STORED == 0
    STORE0(word, BASE);
    seen[0] = BASE;
    CLOSE0();
    RELEASE(0);
#endif
    do
    :: atomic { MAY_BEGIN && MAY_OPERATE(0) -> left-- };
        OPERATE0(0)
    :: atomic { MAY_BEGIN && !taken -> LOCK(0); VT(0, 1) = carried[1]; VT(0, 2) = carried[2] };
        if
        :: STORE0(data, last_data + 1); last_data++
        :: true
        fi;
        atomic {
            APPLIED(0) ->
            assert(word >= seen[0] && data == last_data);
            CLOSE0();
            RELEASE(0)
        }
    :: atomic { left == 0 -> break }
    od;
    atomic { CLOSE0(); ended++ }
#undef t
}

/* Stores the byte, puts it, or does neither. ASSUMPTION: it has the lock */
inline CHANGE_BYTE()
{
    if
    :: stores = true
    :: PART(true); stores = !part; part = false
    :: true
    fi;
    do
    :: !stores -> break
    :: stores ->
        ACCESS(true);
        atomic {
            if
            :: open && dirty -> last_data++; copy_data = last_data; stores = false
            :: else                     /* it was revoked before the store */
            fi
        }
    od
}

/* Loads the byte, gets it, or does neither. ASSUMPTION: it has the lock */
inline READ(t)
{
    if
    :: loads = true
    :: PART(false); loads = !part; part = false
    :: true
    fi;
    do
    :: !loads -> break
    :: loads ->
        ACCESS(false);
        atomic {
            if
            :: open -> assert(copy_word >= seen[t] && copy_data == last_data); loads = false
            :: else
            fi
        }
    od
}

/* Both threads of node 1 */
proctype thread1(byte t)
{
    byte result, fetched_word, fetched_data, had[3];
    bool fetches, fetch_over, part, stores, loads;
    if
    :: t == STORED ->                                           /* it has the lock, and may operate before the release */
        ACCESS(true);
        atomic { copy_word = BASE; seen[t] = BASE };
        if
        :: OPERATE1(t)
        :: true
        fi;
        atomic { CLOSE1(); RELEASE(1) }
    :: else
    fi;
    do
    :: atomic { MAY_BEGIN && MAY_OPERATE(t) -> left-- };
        OPERATE1(t);
        if
        :: true -> ACCESS(false); assert(copy_word >= seen[t])
        :: true
        fi
    :: atomic { MAY_BEGIN && !taken -> LOCK(t) };
        if
        :: last_node != 1 -> ACQUIRE1(carried[0], carried[2])
        :: else
        fi;
        CHANGE_BYTE();
        READ(t);
        atomic { CLOSE1(); RELEASE(1) }
    :: atomic { MAY_BEGIN && VT(0, 0) > VT(1, 0) -> left-- };
        ACQUIRE1(VT(0, 0), 0)
    :: atomic { left == 0 -> break }
    od;
    atomic { CLOSE1(); ended++ }
}

/* A section is one step. */
proctype thread2()
{
#define t 3
#if STORED == 3
    atomic { word2 = BASE; seen[3] = BASE; VT(2, 2)++; diffs2!VT(2, 2), true, BASE, false, 0; RELEASE(2) };
#endif
    do
    :: atomic {
            MAY_BEGIN && !taken && version[1] >= carried[1] && version[2] >= carried[2] ->
            LOCK(3);
            if
            :: stale2 || carried[0] > VT(2, 0) || carried[1] > VT(2, 1) ->
                has_readers = true;                             /* [unshared.reader-mark]: pages_ardmar_introduce */
                word2 = word;
                data2 = data;
                stale2 = false
            :: else
            fi;
            VT(2, 0) = carried[0];
            VT(2, 1) = carried[1];
            assert(word2 >= seen[3] && data2 == last_data);
            RELEASE(2)
        }
    :: atomic { left == 0 -> break }
    od;
    ended++
#undef t
}

init {
    atomic {
        taken = STORED != NO_THREAD;
#ifdef UNTOUCHED
        open = true; dirty0 = true; listed0 = true; has_twin = true;
#else
        announced = true; VT(0, 0) = 1; VT(1, 0) = 1; VT(2, 0) = 1; carried[0] = 1;
        stale = true; stale2 = true; needs[0] = 1;
#endif
        run handler(); run thread0(); run thread1(1); run thread1(2); run thread2()
    }
    atomic {
        ended == THREADS && empty(diffs1) && empty(diffs2) && version[1] == VT(1, 1) && version[2] == VT(2, 2);
        assert(word == operations + (STORED == NO_THREAD -> 0 : BASE));
        assert(data == last_data)
    }
}
