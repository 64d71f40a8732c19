/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * partner.pml - checkpoints in memory, each with a copy in another store (checkpoint_partner.c,
 * checkpoint_store.c, launch/partner.c, checkpoint_choice.c), for spin.
 *
 * Nodes save checkpoint after checkpoint. All of them finish a phase before one begins the next; in
 * a phase each takes its step at any time. A death ends the job between any two steps, and may take
 * a store with it: the memory of a host. Its nodes then run on another host, with an empty store,
 * and each store may have its copies in another one than before. A checkpoint is chosen, and the
 * nodes recover it, in phases as well, between which more deaths may happen.
 *
 * Checked:
 *   - the newest checkpoint of which any store has a manifest is the one that is chosen, unless two
 *     stores were lost since all files existed twice;
 *   - the files that are loaded are of the job that wrote the manifest, and not of an earlier one,
 *     which had got less far.
 */
#ifndef N
#define N 3             /* nodes */
#endif
#ifndef STORES
#define STORES N        /* the last ones have one node, the first one the others */
#endif
#ifndef CHECKPOINTS
#define CHECKPOINTS 3
#endif
#ifndef DEATHS
#define DEATHS 3
#endif

#define MORE (N - STORES) /* nodes of the first store, besides one */
#define STORE(n) ((n) <= MORE -> 0 : (n) - MORE)
#define FIRST(n) ((n) == 0 || (n) > MORE)
#define AT(s, n, g) (((s) * N + (n)) * (CHECKPOINTS + 1) + (g))
#define OF(s, g) ((s) * (CHECKPOINTS + 1) + (g))
#ifdef SAME_STORE
#define PARTNER(n) STORE(((n) + 1) % N)
#else
/* [checkpoint.other-store]: checkpoint_store_partner */
#define PARTNER(n) ((STORE(n) + shift) % STORES)
#endif

/* phases */
#define SAVE 0
#ifdef MANIFEST_EARLY
#define MANIFEST 1
#define COPY 2
#else
#define COPY 1
#define MANIFEST 2
#endif
#define SAVED 3
#define FETCH 4
#define COPY_AGAIN 5
#define MANIFEST_AGAIN 6
#define RECOVERED 7

/* The number of the job that wrote the file of a node, or the manifest, in a store; 0: it does not exist. */
byte file[STORES * N * (CHECKPOINTS + 1)], manifest[STORES * (CHECKPOINTS + 1)];

byte generation = 1, phase, deaths, n, k, l;
byte shift = 1;
byte done;              /* nodes that have taken their step of the phase, as bits */
byte job = 1;           /* one more after each death */
byte chosen, writer;    /* the checkpoint, and the job that wrote its manifest */
byte losses;            /* ghost: since all files of the newest checkpoint existed twice */
bool ended;

/* Only the last two are kept. */
inline CLEAN(s)
{
    if
    :: generation > 2 ->
        for (k : 0 .. N - 1) {
            file[AT(s, k, generation - 2)] = 0
        }
        manifest[OF(s, generation - 2)] = 0
    :: else
    fi
}

/* [checkpoint.newer-removed]: checkpoint_manifest_clean_newer */
inline CLEAN_NEWER(s)
{
#ifndef NEWER_KEPT
    for (l : 0 .. CHECKPOINTS) {
        if
        :: l > chosen ->
            for (k : 0 .. N - 1) {
                file[AT(s, k, l)] = 0
            }
            manifest[OF(s, l)] = 0
        :: else
        fi
    }
#else
    skip
#endif
}

inline STEP(m)
{
    if
    :: phase == SAVE -> file[AT(STORE(m), m, generation)] = job
    :: phase == COPY -> file[AT(PARTNER(m), m, generation)] = file[AT(STORE(m), m, generation)]
    /* [checkpoint.copy-first]: checkpoint_save_complete */
    :: phase == MANIFEST ->
        if
        :: FIRST(m) -> manifest[OF(STORE(m), generation)] = job; CLEAN(STORE(m))
        :: else
        fi
    /* code: checkpoint_partner_recover_one */
    :: phase == FETCH ->
        for (k : 0 .. STORES - 1) {
            if
            :: file[AT(STORE(m), m, chosen)] == 0 -> file[AT(STORE(m), m, chosen)] = file[AT(k, m, chosen)]
            :: else
            fi
        }
    :: phase == COPY_AGAIN ->
#ifndef NOT_COPIED
        if
        :: file[AT(PARTNER(m), m, chosen)] == 0 -> file[AT(PARTNER(m), m, chosen)] = file[AT(STORE(m), m, chosen)]
        :: else
        fi
#else
        skip
#endif
    /* [checkpoint.copy-first]: checkpoint_partner_recover */
    :: phase == MANIFEST_AGAIN ->
        if
        :: FIRST(m) -> manifest[OF(STORE(m), chosen)] = writer; CLEAN_NEWER(STORE(m))
        :: else
        fi
    fi;
    done = done | (1 << m)
}

/* All nodes have taken their steps. */
inline ADVANCE()
{
    done = 0;
    phase++;
    if
    :: phase == SAVED ->
        losses = 0;
        generation++;
        phase = SAVE;
        ended = (generation > CHECKPOINTS)
    :: phase == RECOVERED ->
        for (k : 0 .. N - 1) {
            assert(file[AT(STORE(k), k, chosen)] == writer)
        }
        losses = 0;
        generation = chosen + 1;
        phase = SAVE;
        ended = (generation > CHECKPOINTS)
    :: else
    fi
}

inline LOSE(s)
{
    for (k : 0 .. CHECKPOINTS) {
        for (l : 0 .. N - 1) {
            file[AT(s, l, k)] = 0
        }
        manifest[OF(s, k)] = 0
    }
    losses++
}

/* partner_newest, checkpoint_choice_make */
inline CHOOSE()
{
    bool has, whole, any;
    byte newest = 0;
    chosen = CHECKPOINTS;
    do
    :: chosen == 0 -> break
    :: else ->
        has = false;
        whole = true;
        for (k : 0 .. STORES - 1) {
            if
            :: manifest[OF(k, chosen)] != 0 -> has = true; writer = manifest[OF(k, chosen)]
            :: else
            fi
        }
        for (l : 0 .. N - 1) {
            any = false;
            for (k : 0 .. STORES - 1) {
                any = any || file[AT(k, l, chosen)] != 0
            }
            whole = whole && any
        }
        if
        :: has && newest == 0 -> newest = chosen
        :: else
        fi;
        if
        :: has && whole -> break
        :: has && !whole ->
            for (k : 0 .. STORES - 1) {
                manifest[OF(k, chosen)] = 0
            }
        :: else
        fi;
        chosen--
    od;
    assert(losses > 1 || chosen == newest)
}

active proctype jobs()
{
    do
    :: ended -> break
    :: !ended && done == (1 << N) - 1 -> d_step { ADVANCE() }
    :: !ended && done != (1 << N) - 1 ->
        atomic {
            if
            :: (done & 1) == 0 -> n = 0
            :: (done & 2) == 0 -> n = 1
            :: N > 2 && (done & 4) == 0 -> n = 2
            :: N > 3 && (done & 8) == 0 -> n = 3
            fi;
            STEP(n)
        }
    :: !ended && deaths < DEATHS ->
        atomic {
            deaths++;
            select (n : 0 .. STORES);
            if
            :: n < STORES -> LOSE(n)
            :: else
            fi;
            if
            :: true
            :: STORES > 2 && n < STORES -> shift = 3 - shift
            fi;
            CHOOSE();
            job++;
            done = 0;
            phase = FETCH;
            ended = (chosen == 0)
        }
    od
}
