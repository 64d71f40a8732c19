/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * partner.pml - checkpoints in memory, each with a copy at the next node (checkpoint_partner.c,
 * launch/partner.c), for spin.
 *
 * Nodes save checkpoint after checkpoint. All of them finish a phase before one begins the next; in
 * a phase each takes its step at any time. A death ends the job between any two steps, and may take
 * the memory of a node with it. hlrcrun then chooses a checkpoint, and the nodes recover it, in
 * phases as well, between which more deaths may happen.
 *
 * Checked:
 *   - the newest checkpoint of which any node has a manifest is the one that is chosen, unless the
 *     memory of two nodes was lost since all files existed twice;
 *   - the files that are loaded are of the job that wrote the manifest, and not of an earlier one,
 *     which had got less far.
 */
#ifndef N
#define N 3             /* nodes */
#endif
#ifndef CHECKPOINTS
#define CHECKPOINTS 3
#endif
#ifndef DEATHS
#define DEATHS 3
#endif

#define AT(n, g) ((n) * (CHECKPOINTS + 1) + (g))
#define PREVIOUS(n) (((n) + N - 1) % N)

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

/* By node and checkpoint: the number of the job that wrote the file; 0: it does not exist. A node has its own files, the
 * copies of the node before it, and manifests. */
byte own[N * (CHECKPOINTS + 1)], copy[N * (CHECKPOINTS + 1)], manifest[N * (CHECKPOINTS + 1)];

byte generation = 1, phase, deaths, n, k;
byte done;              /* nodes that have taken their step of the phase, as bits */
byte job = 1;           /* one more after each death */
byte chosen, writer;    /* the checkpoint, and the job that wrote its manifest */
byte losses;            /* ghost: since all files of the newest checkpoint existed twice */
bool ended;

/* Only the last two are kept. */
inline CLEAN(m)
{
    if
    :: generation > 2 ->
        own[AT(m, generation - 2)] = 0;
        copy[AT(m, generation - 2)] = 0;
        manifest[AT(m, generation - 2)] = 0
    :: else
    fi
}

inline STEP(m)
{
    if
    :: phase == SAVE -> own[AT(m, generation)] = job
    /* the copy of the file of the node before it */
    :: phase == COPY -> copy[AT(m, generation)] = own[AT(PREVIOUS(m), generation)]
    /* [checkpoint.copy-first]: checkpoint_save_complete */
    :: phase == MANIFEST -> manifest[AT(m, generation)] = job; CLEAN(m)
    /* code: checkpoint_partner_fetch_one */
    :: phase == FETCH ->
        if
        :: own[AT(m, chosen)] == 0 -> own[AT(m, chosen)] = copy[AT((m + 1) % N, chosen)]
        :: else
        fi
    :: phase == COPY_AGAIN ->
#ifndef NOT_COPIED
        if
        :: copy[AT(m, chosen)] == 0 -> copy[AT(m, chosen)] = own[AT(PREVIOUS(m), chosen)]
        :: else
        fi
#else
        skip
#endif
    /* [checkpoint.copy-first]: checkpoint_partner_recover */
    :: phase == MANIFEST_AGAIN -> manifest[AT(m, chosen)] = writer
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
            assert(own[AT(k, chosen)] == writer)
        }
        losses = 0;
        generation = chosen + 1;
        phase = SAVE;
        ended = (generation > CHECKPOINTS)
    :: else
    fi
}

inline LOSE(m)
{
    for (k : 0 .. CHECKPOINTS) {
        own[AT(m, k)] = 0;
        copy[AT(m, k)] = 0;
        manifest[AT(m, k)] = 0
    }
    losses++
}

/* launch/partner.c, partner_newest */
inline CHOOSE()
{
    bool has, whole;
    byte newest = 0;
    chosen = CHECKPOINTS;
    do
    :: chosen == 0 -> break
    :: else ->
        has = false;
        whole = true;
        for (k : 0 .. N - 1) {
            if
            :: manifest[AT(k, chosen)] != 0 -> has = true; writer = manifest[AT(k, chosen)]
            :: else
            fi;
            whole = whole && (own[AT(k, chosen)] != 0 || copy[AT((k + 1) % N, chosen)] != 0)
        }
        if
        :: has && newest == 0 -> newest = chosen
        :: else
        fi;
        if
        :: has && whole -> break
        :: has && !whole ->
            for (k : 0 .. N - 1) {
                manifest[AT(k, chosen)] = 0
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
            select (n : 0 .. N);
            if
            :: n < N -> LOSE(n)
            :: else
            fi;
            CHOOSE();
            job++;
            done = 0;
            phase = FETCH;
            ended = (chosen == 0)
        }
    od
}
