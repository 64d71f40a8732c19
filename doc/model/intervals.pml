/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * intervals.pml - threads of one node that share a page, a dirty list and a lock, on CPUs with store buffers
 * (hlrc/memory/interval.c, async/locks_manager.c, hlrc/memory/exclusive.c, dirty.c), for spin.
 *
 * Node 0 has two program threads and a worker, which also does the work of the handler. Each
 * program thread repeats, while operations are left: take the lock, store to the page, release the
 * lock; or flush. A release may publish nothing [lock.biased]. Node 1 requests the lock, acquires,
 * and reads the page. One page, one lock.
 *
 * Default: the home of the page is node 1. A flush sends the page's bytes as a diff, and write-protects it or leaves it
 * writable. -DHOME: the home is node 0, where the page may be EXCLUSIVE. Node 1 has a copy, and may also acquire at any time
 * what node 0 has published, as by another lock.
 *
 * Checked:
 *   - under the lock node 1 reads the last store that was made under it;
 *   - no thread waits forever (spin: no invalid end state).
 *
 * Memory. Each CPU has a first-in first-out buffer of stores, which become visible at any time later (x86-64). A load reads
 * memory: no thread here loads a word of which its own store may still be buffered (LOAD asserts it). FENCE waits for an
 * empty buffer. A sequentially consistent read-modify-write or store does so as well. Spin locks do not, although those of
 * x86-64 do: the model grants the code no fence that it does not ask for. Data that is only read under a spin lock is in
 * memory at once; words that are also read without the lock go through the buffer.
 *
 * protocol.pml has the page-by-page steps of a flush, and the events between nodes.
 */
#ifndef OPERATIONS
#define OPERATIONS 3            /* operations of the threads of node 0 together */
#endif
#ifndef READS
#define READS 2                 /* of node 1 */
#endif
#define THREADS 2
#define WORKER 2
#define READER 3                /* node 1, which stores to words of node 0 */

/* words that are read without a lock */
#define PAGE 0                  /* the byte of the page that is stored to under the lock */
#define MODE 1                  /* of the lock */
#define MARK 2                  /* of the lock: the flush that publishes the stores made under it, 0 for none */
#define CLOSING 3               /* interval_closing */
#define BEGUN 4                 /* closes_begun */
#define DIRTY 5                 /* dirty_count */
#define LISTED 6                /* count of exclusive.c */
#define HAS_READERS 7
#define ARRIVALS 8
#define WORDS 9
byte memory[WORDS];
chan buffer[4] = [4] of { byte, byte };

#define STORE(c, word, value) buffer[c]!word, value
#define FENCE(c) empty(buffer[c])
#define PENDING(c, word) (buffer[c]??[word, _])
#define LOAD(c, to, word) atomic { assert(!PENDING(c, word)); to = memory[word] }
/* Every other CPU's release of the spin lock that guards the word is visible. */
#define UNLOCKED(c, word) ((c == 0 || !PENDING(0, word)) && (c == 1 || !PENDING(1, word)) && (c == 2 || !PENDING(2, word)))
#define NOT_PENDING(word) (!PENDING(0, word) && !PENDING(1, word))

/* The mode OPEN is ASKED here, where a thread has the lock, or LEFT_TO_WORKER; AWAY: node 1 has it. [lock.fast-mode]: locks_manager_mode_of */
#define FREE 0
#define TAKEN 1
#define GUARDED 2
#define ASKED 3
#define LEFT_TO_WORKER 4
#define AWAY 5

/* struct page, guarded by its lock */
bool locked, busy, dirty, writable, on_list;
#ifdef HOME
bool exclusive, exclusive_listed, has_twin, sealed_next;
#endif
byte twin;

/* interval.c */
bool closing_taken;             /* CLOSING as the exchange sees it */
byte begun;                     /* BEGUN as the exchange sees it */
byte ended, vt = 1;
#ifdef HOME
bool looking;
byte seen;                      /* copy of ARRIVALS */
bool others;                    /* other pages exist, dirty ones and EXCLUSIVE ones */
#endif

/* node 1 */
bool asked, granted;
byte granted_vt;
#ifdef HOME
byte copy, told = 1;
bool stale = true, introduced;
#else
byte home_page;
#endif

byte left = OPERATIONS, last;   /* ghost: the last store to the page */

active proctype store_buffers()
{
    byte word, value;
end:
    do
    :: atomic { buffer[0]?word, value -> memory[word] = value; word = 0; value = 0 }
    :: atomic { buffer[1]?word, value -> memory[word] = value; word = 0; value = 0 }
    :: atomic { buffer[2]?word, value -> memory[word] = value; word = 0; value = 0 }
    :: atomic { buffer[3]?word, value -> memory[word] = value; word = 0; value = 0 }
    od
}

/* ---- the dirty list ---- */

/* Under the page's lock. code: dirty_any */
inline LIST_DIRTY(c)
{
    atomic {
        UNLOCKED(c, DIRTY) ->
        if
        :: !on_list -> on_list = true; STORE(c, DIRTY, 1)
        :: else
        fi
    }
}

#ifdef HOME
/* ---- exclusive.c ---- */

/* Sets alone if the page leaves tracking. ASSUMPTION: locked. [unshared.announced-first]: exclusive_begin */
inline EXCLUSIVE_BEGIN(c)
{
    LOAD(c, alone, HAS_READERS);
    alone = !alone;
    if
    :: alone ->
        if
        :: !exclusive_listed -> atomic { UNLOCKED(c, LISTED) -> STORE(c, LISTED, 1); exclusive_listed = true }
        :: else
        fi;
#ifndef LIST_UNFENCED
        FENCE(c);
#endif
        LOAD(c, alone, HAS_READERS);
        alone = !alone
    :: else
    fi
}

/* Sets found if readers have arrived that no flush has seen. [unshared.new-readers]: exclusive_arrivals */
inline LOOK_FOR_ARRIVALS(c)
{
    atomic { assert(!PENDING(c, LISTED)); found = memory[LISTED] || others };
    if
    :: found -> atomic { assert(!PENDING(c, ARRIVALS)); found = memory[ARRIVALS] != seen }
    :: else
    fi
}

/* [unshared.new-readers]: exclusive_look, exclusive_leave */
inline LOOK_AT_PAGES(c)
{
    FENCE(c);
    looking = true;                                             /* [unshared.new-readers]: interval_close_dirty */
    LOOK_FOR_ARRIVALS(c);
    if
    :: found ->
        seen = memory[ARRIVALS];
        LOAD(c, found, LISTED);
        if
        :: found && memory[HAS_READERS] ->
            atomic {
                !locked ->
                locked = exclusive;
                dirty = dirty || exclusive;
                sealed_next = sealed_next || exclusive;         /* [unshared.new-readers]: exclusive_leave */
                exclusive_listed = false
            };
            if
            :: locked && exclusive -> LIST_DIRTY(c); atomic { exclusive = false; locked = false }
            :: else
            fi;
            atomic { UNLOCKED(c, LISTED) -> STORE(c, LISTED, 0) }
        :: else
        fi
    :: else -> looking = false
    fi;
    found = false
}
#endif

/* ---- interval.c ---- */

/* Sets found if there may be something to publish. [interval.unpublished-test]: interval_spotless, interval_clean */
inline TEST(c, arrivals)
{
    LOAD(c, found, CLOSING);
#ifdef HOME
    if
    :: arrivals && !found -> LOOK_FOR_ARRIVALS(c)
    :: else
    fi;
#endif
    if
    :: !found -> LOAD(c, found, DIRTY)
    :: else
    fi;
    if
    :: !found -> LOAD(c, found, CLOSING)
    :: else
    fi
}

/* Sets mark to the flush that publishes the caller's stores, 0 if there are none. [lock.flush-first]: locks_manager_drop,
 * locks_manager_release */
inline NOTE_MARK(c)
{
    TEST(c, false);
    if
    :: found -> atomic { assert(!PENDING(c, BEGUN)); mark = memory[BEGUN] + 1 }
    :: else -> mark = 0
    fi;
    found = false
}

/* A page that stays writable returns to the list, or leaves tracking. [page.retained-twin]: page_flush_end;
 * [unshared.announced-first]: exclusive_begin */
inline END_CAPTURE(c)
{
#ifdef HOME
    if
    :: kept && changed ->
        atomic { !locked -> locked = true };
        EXCLUSIVE_BEGIN(c);
        atomic { exclusive = alone; kept = !alone; alone = false; locked = false }
    :: else
    fi;
#endif
    if
    :: kept -> LIST_DIRTY(c)
    :: else
    fi;
    atomic {
        dirty = kept;
#ifdef HOME
        has_twin = has_twin && kept;
        sealed_next = false;
#endif
        busy = false
    }
}

/* The page stays writable, or is write-protected: mprotect interrupts the other CPUs, which makes their stores
 * visible. [page.busy-capture]: page_flush_seal_run; [page.retained-twin]: page_flush_diff, page_flush_home */
inline CAPTURE(c)
{
    atomic { !locked && !busy -> busy = dirty };
    if
    :: busy ->
        if
        :: atomic { true -> writable = false };
            NOT_PENDING(PAGE)
#ifdef HOME
        :: atomic { !sealed_next -> kept = true }               /* [unshared.new-readers]: exclusive_leave */
#else
        :: kept = true
#endif
        fi;
        atomic {
            captured = memory[PAGE];
#ifdef HOME
            changed = !has_twin || captured != twin;
            announced = changed || memory[HAS_READERS];         /* [page.equal-twin]: page_flush_same */
            has_twin = true;
#else
            announced = captured != twin;
            home_page = captured;
#endif
            twin = captured;
            captured = 0
        };
        END_CAPTURE(c)
    :: else
    fi
}

/* Takes the whole dirty list, and publishes. [interval.covers-dirty]: dirty_take; [interval.diff-first]: interval_close_dirty */
inline CLOSE_ONCE(c)
{
#ifdef CLOSER_UNFENCED
    atomic { begun++; own = begun; STORE(c, BEGUN, begun) };
#else
    atomic { FENCE(c) -> begun++; own = begun; memory[BEGUN] = begun };         /* [interval.unpublished-test]: interval_close_once */
#endif
#ifdef HOME
    LOOK_AT_PAGES(c);
#endif
    /* code: dirty_take */
    atomic { UNLOCKED(c, DIRTY) -> found = on_list; on_list = false; STORE(c, DIRTY, 0) };
    if
    :: found -> CAPTURE(c)
    :: else
    fi;
    found = false;
    atomic {
        vt = (announced -> vt + 1 : vt);                        /* [interval.own-time]: interval_close_dirty */
        announced = false;
        kept = false;
#ifdef HOME
        changed = false
#endif
    };
    atomic {
        FENCE(c) ->
#ifdef HOME
        looking = false;
#endif
        ended = own;
        own = 0
    };
    atomic { memory[CLOSING] = 0; closing_taken = false }
}

/* Returns when a flush that begins from now on has ended. [interval.covers-dirty]: interval_close */
inline CLOSE_UNTIL(c)
{
    do
    :: atomic { ended >= until -> until = 0; break }
#ifdef CLOSER_UNFENCED
    :: atomic { ended < until && !closing_taken -> closing_taken = true; STORE(c, CLOSING, 1) };
#else
    :: atomic { ended < until && !closing_taken && FENCE(c) -> closing_taken = true; memory[CLOSING] = 1 };
#endif
        CLOSE_ONCE(c)
    od
}

/* interval_close */
inline CLOSE(c)
{
#if !defined(RELEASE_UNFENCED) && !defined(LOOK_UNFENCED)
    FENCE(c);                                                   /* [interval.unpublished-test]: interval_clean; [unshared.new-readers]: interval_clean */
#endif
    TEST(c, true);
#ifdef HOME
    if
    :: !found && others -> found = true                         /* another page is dirty */
    :: true
    fi;
#endif
    if
    :: found ->
        found = false;
        atomic { assert(!PENDING(c, BEGUN)); until = memory[BEGUN] + 1 };       /* [interval.unpublished-test]: interval_close */
        CLOSE_UNTIL(c)
    :: else
    fi
}

/* ---- the lock ---- */

/* The vector time goes to node 1. [lock.one-node]: locks_manager_serve_owner. ASSUMPTION: in a block */
inline GRANT()
{
    memory[MODE] = AWAY;
    granted_vt = vt;
    granted = true
}

/* [lock.fast-mode]: locks_manager_take */
inline TAKE(c)
{
    atomic {
        FENCE(c) && (memory[MODE] == FREE || memory[MODE] == LEFT_TO_WORKER) ->
        memory[MODE] = (memory[MODE] == FREE -> TAKEN : ASKED)
    }
}

/* Publishes nothing, and records the pending publication. [lock.flush-first]: locks_manager_drop; [rwlock_lock.biased]: locks_manager_has_settled;
 * [lock.fast-mode]: locks_manager_drop */
inline DROP(c)
{
#ifdef UNLOCK_UNFENCED
    NOTE_MARK(c);
    STORE(c, MARK, mark);
    atomic {
        FENCE(c) ->
        dropped = memory[MODE] == TAKEN;
        memory[MODE] = (dropped -> FREE : memory[MODE])
    };
#else
    atomic {                                                    /* [interval.unpublished-test]: locks_manager_drop */
        FENCE(c) ->
        dropped = memory[MODE] == TAKEN;
        memory[MODE] = (dropped -> GUARDED : memory[MODE])
    };
    if
    :: dropped -> NOTE_MARK(c); STORE(c, MARK, mark); STORE(c, MODE, FREE)
    :: else
    fi;
#endif
    mark = 0
}

/* [lock.flush-first]: locks_manager_release */
inline RELEASE(c)
{
    CLOSE(c);
    atomic {
        FENCE(c) && memory[MODE] != GUARDED ->
        memory[MARK] = 0;
        if
        :: memory[MODE] == ASKED -> GRANT()
        :: else -> memory[MODE] = FREE
        fi
    }
}

/* A fault opens the page for a store. [page.writable-tracked]: page_mark_dirty; [unshared.announced-first]: exclusive_begin */
inline OPEN(c)
{
    atomic { !locked && !busy -> locked = true };
    if
    :: writable
    :: else ->
#ifdef HOME
        EXCLUSIVE_BEGIN(c);
        exclusive = alone;
        alone = false;
        if
        :: exclusive
        :: else -> LIST_DIRTY(c); dirty = true
        fi;
#else
        LIST_DIRTY(c);
        dirty = true;
#endif
        FENCE(c);                                               /* the fault returns from the kernel */
        writable = true
    fi;
    locked = false
}

proctype thread(byte c)
{
    byte mark, until, own, captured;
    bool found, kept, announced, dropped;
#ifdef HOME
    bool changed, alone;
#endif
    do
    :: atomic { left > 0 -> left-- };
        if
        :: TAKE(c);
            do
            :: writable ->
                if
                :: atomic { writable && nfull(buffer[c]) -> last++; STORE(c, PAGE, last); break }
                :: atomic { !writable -> skip }
                fi
            :: else -> OPEN(c)
            od;
            if
            :: DROP(c)
            :: true
            fi;
            if
            :: atomic { dropped -> dropped = false }
            :: else -> RELEASE(c)
            fi
        :: CLOSE(c)
        fi
    :: atomic { left == 0 -> break }
    od
}

/* Sets found if a vector time may leave the node. [lock.flush-first]: locks_manager_published; [unshared.new-readers]: interval_published */
inline TEST_PUBLISHED(c)
{
#ifdef HOME
    LOOK_FOR_ARRIVALS(c);
    found = found || looking;
#endif
    if
    :: !found ->
        if
        :: ended >= memory[MARK]
        :: else -> TEST(c, false)
        fi
    :: else
    fi
}

/* The handler's part, then the worker's. [lock.flush-first]: locks_manager_serve_owner; [rwlock_lock.biased]: locks_manager_serve_owner, locks_manager_grant_listed */
proctype worker(byte c)
{
    byte until, own, captured;
    bool found, kept, announced;
#ifdef HOME
    bool changed, alone;
#endif
end:
    do
    :: atomic { asked && memory[MODE] == TAKEN -> asked = false; memory[MODE] = ASKED }
    :: atomic { asked && memory[MODE] == FREE -> asked = false; memory[MODE] = GUARDED };
        TEST_PUBLISHED(c);
        if
        :: atomic { !found -> GRANT() }
        :: else ->
            atomic { found = false; memory[MODE] = LEFT_TO_WORKER };
            atomic { assert(!PENDING(c, BEGUN)); until = memory[BEGUN] + 1 };   /* [interval.unpublished-test]: interval_publish */
            CLOSE_UNTIL(c);
            atomic {
                memory[MODE] != GUARDED ->
                if
                :: memory[MODE] == LEFT_TO_WORKER -> GRANT()
                :: else
                fi
            }
        fi
    od
}

/* ---- node 1 ---- */

#ifdef HOME
/* Marks the page's word, then the home's, then reads. [unshared.reader-mark]: pages_ardmar_introduce */
inline READ(c)
{
    if
    :: stale && !introduced ->
        introduced = true;
        STORE(c, HAS_READERS, 1);
#ifdef READER_UNFENCED
        STORE(c, ARRIVALS, 1)
#else
        atomic { FENCE(c) -> memory[ARRIVALS]++ }
#endif
    :: else
    fi;
    atomic { copy = (stale -> memory[PAGE] : copy); stale = false }
}

/* [interval.pages-first]: interval_acquire_all. ASSUMPTION: in a block */
inline ACQUIRE(upto)
{
    stale = stale || upto > told;
    told = (upto > told -> upto : told)
}
#endif

proctype reader(byte c)
{
    byte reads;
    do
    :: atomic { reads < READS -> reads++ };
        if
        :: asked = true;
#ifdef HOME
            atomic { granted -> ACQUIRE(granted_vt); granted_vt = 0 };
            READ(c);
            assert(copy == last);
#else
            atomic { granted -> granted_vt = 0 };
            assert(home_page == last);
#endif
            atomic { granted = false; memory[MODE] = FREE }
#ifdef HOME
        :: atomic { reads < READS && (vt > told || stale) -> ACQUIRE(vt) };     /* acquire of another lock */
            READ(c)
#endif
        fi
    :: else -> break
    od
}

init {
    atomic {
#ifdef HOME
        if
        :: others = true
        :: true
        fi;
#endif
        run thread(0); run thread(1); run worker(WORKER); run reader(READER)
    }
}
