/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * checkpoint.pml - checkpoints that are written while the program runs (checkpoint_save.c), for
 * spin.
 *
 * Each node has one page. Its caller and the thread that writes are separate processes. Between two
 * checkpoints each node stores to its page or to that of the other node. Any write of a file may
 * fail. A file has the page only if it differs from the last saved one. That is known without
 * reading it if the node has not opened it for stores, and no other node has raised its version.
 *
 * Checked:
 *   - whenever a manifest exists, its files exist and have the pages of one moment: a death then
 *     has a checkpoint;
 *   - the job ends after its last checkpoint is complete or has failed.
 */
#define N 2             /* nodes */
#ifndef CHECKPOINTS
#define CHECKPOINTS 2
#endif

#define AT(n, g) ((n) * (CHECKPOINTS + 1) + (g))
#define ALL ((1 << N) - 1)

byte page[N], saved[N];         /* saved: as in the last file, + 1; 0: it is in none */
bool opened[N], raised[N];       /* since it was saved: for stores of its node; its version */
bool whole = true;               /* the next checkpoint */
byte last;                      /* the last complete checkpoint */
/* By node and checkpoint. */
byte moment[N * (CHECKPOINTS + 1)], file[N * (CHECKPOINTS + 1)];
bool has[N * (CHECKPOINTS + 1)], written[N * (CHECKPOINTS + 1)];
bool manifest[CHECKPOINTS + 1];
byte base[CHECKPOINTS + 1];

bool writing[N];                /* the thread exists */
byte failed, agreed, told, left;        /* nodes: the file has failed; exchanges; threads that have ended */
byte calls[N];
byte begun, captured;           /* checkpoints; nodes, as bits */
byte ended;
byte g, h, k;

#ifdef STORES_UNSEEN
#define OPENED(n) false
#else
/* [unchanged.stores]: page_view_note_change */
#define OPENED(n) opened[n]
#endif
#ifdef VERSIONS_UNSEEN
#define RAISED(n) false
#else
/* [unchanged.versions]: unchanged_holds */
#define RAISED(n) raised[n]
#endif
#define HOLDS(n) (saved[n] && !OPENED(n) && !RAISED(n))

inline CAPTURE(n)
{
    written[AT(n, last + 1)] = false;
    file[AT(n, last + 1)] = page[n];
    has[AT(n, last + 1)] = whole || (!HOLDS(n) && saved[n] != page[n] + 1);
    opened[n] = false;
    raised[n] = false;
    saved[n] = page[n] + 1
}

inline COMPLETE()
{
    d_step {
        base[last + 1] = (whole -> last + 1 : base[last]);
        manifest[last + 1] = true
    }
}

/* What a restart from the newest manifest would load. */
inline CHECK()
{
    g = CHECKPOINTS;
    do
    :: g > 0 && !manifest[g] -> g--
    :: else -> break
    od;
    if
    :: g > 0 ->
        for (k : 0 .. N - 1) {
            h = g;
            do
            :: h > base[g] && !has[AT(k, h)] ->
                assert(written[AT(k, h)]);
                h--
            :: else -> break
            od;
            assert(written[AT(k, h)] && has[AT(k, h)]);
            assert(file[AT(k, h)] == moment[AT(k, g)])
        }
    :: else
    fi;
    g = 0; h = 0; k = 0
}

/* The last one to arrive: all writes are at their homes. */
inline ARRIVE(n)
{
    calls[n]++;
    if
    :: calls[0] == calls[1] ->
        assert(!writing[0] && !writing[1]);
        moment[AT(0, last + 1)] = page[0];
        moment[AT(1, last + 1)] = page[1];
        failed = 0; agreed = 0; told = 0; left = 0; captured = 0;
        begun++
    :: else
    fi
}

proctype caller(byte me)
{
    byte turn = 0;
    do
    :: turn == CHECKPOINTS -> break
    :: turn < CHECKPOINTS ->
#ifndef OVERLAP
        /* [checkpoint.one-at-a-time]: checkpoint_call */
        !writing[me];
#endif
        d_step { ARRIVE(me) };
        atomic { begun == turn + 1; CAPTURE(me); captured = captured | (1 << me); writing[me] = true };
#ifndef RETURNS_EARLY
        /* [checkpoint.captured-first]: checkpoint_save_begin */
        captured == ALL;
#endif
        if
        :: d_step { page[me]++; opened[me] = true }
        :: d_step { page[1 - me]++; raised[1 - me] = true }
        :: true
        fi;
        turn++
    od;
#ifndef ENDS_EARLY
    /* [checkpoint.end-waits]: checkpoint_complete */
    !writing[me];
#endif
    atomic { ended++; assert(ended < N || (!writing[0] && !writing[1])) }
}

/* code: checkpoint_save_main, checkpoint_save_commit */
proctype writer(byte me)
{
    do
    :: atomic { writing[me] && !(left & (1 << me)) };
        if
        :: written[AT(me, last + 1)] = true
        :: failed = failed | (1 << me)
        fi;
#ifdef MANIFEST_EARLY
        if
        :: me == 0 && failed == 0 -> COMPLETE()
        :: else
        fi;
#endif
        agreed = agreed | (1 << me);
        agreed == ALL;
#ifndef MANIFEST_EARLY
        /* [checkpoint.manifest-last]: checkpoint_save_complete */
        if
        :: me == 0 && failed == 0 -> COMPLETE()
        :: else
        fi;
#endif
        told = told | (1 << me);
        told == ALL;
        d_step {
            left = left | (1 << me);
            if
            :: left == ALL ->
                last = (failed -> last : last + 1);
#ifdef HALF_COUNTED
                whole = false;
#else
                /* [checkpoint.all-or-none]: checkpoint_save_await */
                whole = failed != 0;
#endif
                writing[0] = false;
                writing[1] = false
            :: else
            fi
        }
    :: ended == N -> break
    od
}

/* At any moment. */
proctype death()
{
    d_step { CHECK() }
}

init
{
    atomic { run caller(0); run caller(1); run writer(0); run writer(1); run death() }
}
