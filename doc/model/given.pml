/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * given.pml - memory that all nodes free together, and that a thread allocates again [heap.reset],
 * [unshared.reset], for spin.
 *
 * One page has its home at node 1, where it is EXCLUSIVE. A thread of node 1 writes it once more. Then a thread of each node
 * frees it. Until it enters that call, node 0 may read the page. Once node 0 has passed the second barrier, a second
 * thread of node 1 has the page again and writes it. The first thread may still be in the barrier for any time. Node 0 reads
 * the page twice. It learns of writes by a lock that the second thread of node 1 holds: that thread flushes, then grants.
 *
 * Checked:
 *   - node 0 reads what was written before the last flush that precedes its grant of the lock;
 *   - no notice of the page's first life arrives after the reset, and no flush has the page when it is reset;
 *   - all threads end.
 *
 * A flush takes a page in one step. protocol.pml takes that apart.
 */
#ifndef VALUES
#define VALUES 4                /* values of the page in its second life */
#endif
#define BEFORE 2                /* values in its first life */

/* the page at its home */
byte mem = 1;
bool exclusive = true, listed = true, dirty, announced = true;
bool held;                      /* reader checks no longer make it dirty */
/* the words that its readers write at the home */
bool has_readers;
byte arrivals, seen;

/* node 1 */
bool closing;
byte vt = 1;
short noted = 2;                /* one bit for each interval that has the page */

/* node 0 */
byte copy, told = 1;
bool stale = true, introduced;

/* the two barriers, and the lock */
bool arrived[4];
byte arrived_vt;
bool given, asked, granted;
byte granted_vt, granted_value;

byte reset_vt;                  /* ghost: of node 1 */

/* ---- node 1 ---- */

/* [unshared.announced-first]: exclusive_begin; [unshared.new-readers]: exclusive_leave */
inline WRITE(number)
{
    if
    :: exclusive || dirty
    :: else ->
        if
        :: announced && !has_readers ->
            listed = true;
            atomic { if :: has_readers -> dirty = true :: else -> exclusive = true fi }
        :: else -> dirty = true
        fi
    fi;
    atomic {
        if
        :: exclusive || dirty
        :: else -> dirty = true /* it was write-protected before the store, and faults again */
        fi;
        mem = number
    }
}

/* [unshared.new-readers]: exclusive_look, exclusive_arrivals; [unshared.reset]: exclusive_look_at */
inline CLOSE()
{
    atomic { !closing -> closing = true };
    if
    :: listed && arrivals != seen ->
        seen = arrivals;
        if
        :: has_readers ->
            atomic {
                if
                :: listed && !held ->
                    dirty = dirty || exclusive;
                    exclusive = false;
                    listed = false
                :: else
                fi
            }
        :: else
        fi
    :: else
    fi;
    atomic {
        if
        :: dirty ->
            dirty = false;
            vt++;
            noted = noted | (1 << vt);
            announced = true
        :: else
        fi;
        closing = false
    }
}

active proctype freeing()       /* main thread */
{
    WRITE(BEFORE);
#ifdef HELD_EARLY
    held = true;
#endif
    CLOSE();                    /* [heap.reset]: collective_settle */
    held = true;                /* [unshared.reset]: collective_settle */
    atomic { arrived_vt = vt; arrived[1] = true };
    arrived[0];
    atomic { has_readers = false; announced = false; mem = 0 };
    atomic { assert(!dirty); exclusive = false; reset_vt = vt };
#ifndef HELD_LATE
    held = false;               /* [unshared.reset]: page_reset */
#endif
    arrived[3] = true;          /* [heap.reset]: collective_reset_pages */
    arrived[2];
    held = false
}

active proctype other()         /* another thread */
{
    byte value = 1;
end:
    do
    :: atomic { asked -> asked = false; granted_value = mem };
        CLOSE();
        atomic { granted_vt = vt; granted = true }
    :: given && value <= VALUES ->
        WRITE(BEFORE + value);
        value++;
        if
        :: true -> CLOSE()
        :: true
        fi
    od
}

/* ---- node 0 ---- */

inline ACQUIRE(upto)
{
    do
    :: told < upto ->
        told++;
        if
        :: noted & (1 << told) ->
            assert(!given || told > reset_vt);
            stale = true
        :: else
        fi
    :: else -> break
    od
}

/* Takes the lock, and reads. [unshared.reader-mark]: pages_ardmar_introduce */
inline READ()
{
    asked = true;
    atomic { granted -> granted = false; ACQUIRE(granted_vt) };
    if
    :: stale && !introduced ->
        introduced = true;
        has_readers = true;
        arrivals++
    :: else
    fi;
    atomic {
        copy = (stale -> mem : copy);
        stale = false;
        assert(copy >= granted_value)
    }
}

active proctype root()
{
    byte reads;
    do
    :: reads < 2 -> READ(); reads++
    :: true -> break
    od;
    arrived[0] = true;
    arrived[1];
    atomic { ACQUIRE(arrived_vt); stale = true; introduced = false; granted_value = 0 };
    arrived[2] = true;
    arrived[3];
    given = true;               /* [heap.reset]: collective_free_all */
    READ();
    READ()
}
