/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * diffs.pml - diffs by remote writes into the home's page (onesided/diffs_write.c, hlrc/memory/page_flush.c), for spin.
 *
 * Node 0 is the home of a page, node 1 writes it. One byte belongs to the home, another one to the
 * writer. The home's threads store at any time, also during a flush. The writer's remote writes
 * arrive later, in order [fabric.write-order]. The adapter reads them at that time from the slot in
 * which the diff was encoded.
 *
 * -DREADER: the home stores nothing, and node 2 reads the page: one of its threads acquires, another one fetches. An
 * interval of the writer may have a second page, and there is one slot.
 *
 * Checked:
 *   - a node that was notified of an interval finds its diffs at the home and in a fetched copy, without waiting;
 *   - each byte is that of its page;
 *   - the stores of the home's threads before a release are in an announced interval;
 *   - a home page that is found changed was written by its home since, or by a diff that had arrived in part; and a page
 *     that its home wrote is found changed if the home knows of all diffs that have arrived.
 *
 * A byte holds the number of the write that it comes from. Numbers of the second page begin at SECOND. The writer writes the
 * first page in each of its intervals, so its byte is the number of the interval.
 */
#ifndef INTERVALS
#define INTERVALS 2             /* of the writer */
#endif
#ifndef CLOSINGS
#define CLOSINGS 3              /* of the home */
#endif
#define STORES 3                /* of the home */
#define SECOND 8

mtype = { RUN, VERSION };
chan wire = [4] of { mtype, byte, byte };       /* to the home: index of a byte, or page; version */
byte slot;                                      /* the byte that the adapter writes from it */

/* At the home. Bytes: the home's and the writer's in the first page, the writer's in the second. */
byte mem[3], applied[3];                        /* versions by the same indices */

/* of the writer */
byte vt;
byte second;                                    /* its last interval with the second page */

active proctype network()
{
    byte at, value;
end:
    do
    :: atomic { wire?RUN, at, value -> mem[at] = slot; at = 0 }
    :: atomic { wire?VERSION, at, value -> applied[at] = value; at = 0; value = 0 }
    od
}

/* ---- the writer ---- */

/* A slot is reused when all writes from it have arrived. [diffs-write.visible]: diffs_write_room */
#ifdef SLOT_REUSED
#define ROOM() skip
#else
#define ROOM() empty(wire)
#endif

/* [diffs-write.visible]: diffs_write_add */
inline ADD(at)
{
    wire!RUN, at, 0;
    wire!VERSION, at, interval
}

active proctype writer()
{
    byte interval = 1;
    bool both;
    do
    :: interval <= INTERVALS ->
        atomic { ROOM(); slot = interval };
        ADD(1);
#ifdef READER
        if
        :: atomic { ROOM(); slot = SECOND + interval; both = true };
            ADD(2)
        :: true
        fi;
#endif
#ifndef UNAWAITED
        empty(wire);                            /* [diffs-write.visible]: diffs_write_send */
#endif
        atomic {
            vt = interval;
            second = (both -> interval : second);
            /* all writes have arrived, for the home, too */
            assert(applied[1] >= vt && applied[2] >= second);
            assert(mem[1] == vt && mem[2] == (second -> SECOND + second : 0));
            interval++;
            both = false
        }
    :: else -> break
    od
}

#ifdef READER
/* ---- the reader ---- */

byte copy, needed, told;
bool stale = true, fetching;

/* One of its threads fetches the copy at any time when it is stale: another thread's fault, or a prefetch. Versions are read
     * if one is needed. */
active proctype fetcher()
{
    byte has, fetched;
end:
    do
    ::  atomic { stale -> fetching = true };
        atomic { assert(applied[1] >= needed); has = (needed -> applied[1] : 0) };
        fetched = mem[1];
        atomic {
            if
            :: has >= needed -> copy = fetched; stale = false; needed = 0       /* [page.needed-versions]: page_fetch_install */
            :: else
            fi;
            fetching = false;
            has = 0;
            fetched = 0
        }
    od
}

/* Another one acquires, and loads. [page.needed-versions]: page_note_end; [diffs-write.visible]: page_told_is_there */
active proctype reader()
{
    do
    :: atomic { vt > told ->
            told = vt;
            needed = (fetching -> vt : needed);
            stale = true
        };
        atomic { !stale; assert(copy >= told && copy < SECOND) }
    :: told == INTERVALS -> break
    od
}
#else
/* ---- the home ---- */

byte twin[2];
bool writable, listed, busy, has_twin, locked;
byte others;                                    /* fields of struct page */

/* ghosts */
byte stored;                                    /* by the home's threads */
byte told;                                      /* the store that the last interval with the page has at least */
byte known;                                     /* the writer's intervals that the twin should have */

/* A store. It faults if the page is not writable. */
active proctype home()
{
    do
    :: atomic { stored < STORES && writable -> stored++; mem[0] = stored }
    :: atomic { stored < STORES && !writable && !busy && !locked -> writable = true; listed = true }       /* [page.writable-tracked]: page_mark_dirty */
    :: atomic { stored == STORES -> break }
    od
}

/* Whether the page differs from its twin, by bytes, and whether the home or an arriving diff has changed it. */
inline COMPARE()
{
    changed = !has_twin;
    do
    :: k < 2 ->
        atomic {
            if
            :: mem[k] != twin[k] ->
                changed = true;
                own = own || k == 0;
                coming = coming || (k > 0 && mem[k] > others_now)
            :: else
            fi;
            k++
        }
    :: else -> break
    od;
    k = 0
}

/* [page.retained-twin]: page_flush_home, page_flush_copy_of */
inline COPY()
{
    do
    :: k < 2 -> atomic { twin[k] = mem[k]; k++ }
    :: else -> break
    od;
    atomic { k = 0; has_twin = true }
}

/* Another node has read the page, so it is announced. [diffs-write.home-twin]: page_flush_home, page_flush_others_here; [page.equal-twin]:
 * page_flush_home */
inline CAPTURE()
{
    others_now = applied[1];
    COMPARE();
    if
    :: changed ->
        atomic {
            if
            :: has_twin && others != others_now ->
#ifndef TAKEN_FOR_OWN
                changed = false;
#endif
#ifdef HIDDEN
                announce = false
#endif
            :: else
            fi;
            assert(!changed || !has_twin || own || coming);
            assert(changed || !own || known != others_now);
            others = others_now;
            known = others_now
        };
        if
        :: kept -> COPY()
        :: else
        fi
    :: else
    fi
}

/* A notice of the writer arrives, and the page is locked. [page.equal-twin]: page_flush_told */
active proctype acquirer()
{
    byte has, k;
    do
    :: atomic { vt > has ->
            has = vt;
            if
            :: listed && !busy && has_twin ->
                locked = true;
                known = applied[1];
#ifndef TWIN_KEPT
                others = applied[1]
#endif
            :: else
            fi
        };
        if
        :: locked ->
#ifndef TWIN_KEPT
            COPY();
#endif
            locked = false
        :: else
        fi
    :: has == INTERVALS -> break
    od
}

/* A page stays writable, or is write-protected: both are tried. */
inline CLOSE()
{
    before = stored;
    if
    :: atomic { listed && !locked ->
            listed = false;
            busy = true;
            announce = true;
            covers = stored;
            if
            :: kept = true                      /* [page.retained-twin]: page_flush_seal_run */
            :: writable = false                 /* [page.busy-capture]: page_flush_seal_run */
            fi
        };
        CAPTURE();
        atomic {
            busy = false;
            if
            :: kept -> listed = true            /* [page.retained-twin]: page_flush_end */
            :: else -> has_twin = false; twin[0] = 0; twin[1] = 0
            fi
        }
    :: atomic { !listed && !locked -> skip }
    fi;
    atomic {
        if
        :: announce -> told = covers
        :: else
        fi;
        assert(told >= before);
        before = 0;
        covers = 0;
        others_now = 0;
        kept = false;
        changed = false;
        own = false;
        coming = false;
        announce = false
    }
}

active proctype closer()
{
    byte closings, before, covers, others_now, k;
    bool kept, changed, own, coming, announce;
    do
    :: closings < CLOSINGS -> closings++; CLOSE()
    :: else -> break
    od
}
#endif
