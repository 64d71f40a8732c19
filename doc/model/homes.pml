/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * homes.pml - home migration of a page (hlrc/sync/homes.h MV), for spin.
 *
 * Three nodes and one page, whose home migrates from node 0 to node 1. A main thread of each node may write its own byte, and
 * waits in a barrier. A second thread of one node, of each in turn, writes its own byte and reads it at any time. In the
 * first barrier the home migrates if all nodes wait. Node 2 may arrive there and depart later, and wait for node 0 in
 * between. Fetches are those of ARDMAR. Diffs are messages, applied when the home serves them.
 *
 * Checked:
 *   - after a barrier a main thread finds every byte that main threads wrote before it (SEES), and each thread its own
 *     writes exactly;
 *   - in the end every last write is in the page at its home;
 *   - all threads end (spin: no invalid end state).
 *
 * A flush is one step here, and so are the invalidations of an acquire. protocol.pml takes them apart.
 */
#define N 3
#define B (N + 1)               /* bytes; the last one belongs to the second thread */
#define OLD 0
#define NEW 1
#ifndef BARRIERS
#define BARRIERS 2
#endif
#define MOVE 1                  /* the barrier at which the home migrates */
#ifndef WRITES
#define WRITES 1                /* writes of all main threads together */
#endif
#define SECOND 1                /* writes of the second thread */

#define NONE 0
#define READ 1
#define WRITE 2

typedef bytes { byte b[B] };
typedef nodes { byte w[N] };

/* struct page at every node, and the page */
byte access[N] = READ, home[N] = OLD;
bool stale[N], dirty[N], busy[N], held[N];
bytes mem[N], twin[N];
nodes needed[N];
nodes vt[N];
/* at the homes */
nodes applied[N];
bool readers[N] = true;         /* others may have a copy */
chan diffs[N] = [6] of { byte, byte, bytes }; /* to a home: writer, interval, bytes, 0 no change */
byte sent[N * N];               /* to a home, by writer, not served yet */

/* intervals and barriers */
byte interval[N], announced[N];
byte arrived[BARRIERS + 4];
byte told[N * 2];               /* announced[w] of an arrival, by parity */
bool plain;                     /* a node has arrived at MOVE, at */
byte gone;                      /* barriers that node 0 has left */

/* ghosts */
byte left = WRITES, second, extra = N;
byte before[N * 2];             /* written at an arrival, by parity */
byte written[N];

#define OK(n) assert(!(access[n] != NONE && stale[n]) && !(access[n] == WRITE && !dirty[n]))
#define COVERS(has, want) (has.w[0] >= want.w[0] && has.w[1] >= want.w[1] && has.w[2] >= want.w[2])

active [N] proctype home_serves()
{
    byte w, i, k;
    bytes d;
end:
    do
    :: atomic { diffs[_pid]?w, i, d ->
            d_step {
                k = 0;
                do
                :: k < B -> if :: d.b[k] -> mem[_pid].b[k] = d.b[k] :: else fi; k++
                :: else -> break
                od;
                applied[_pid].w[w] = i; sent[_pid * N + w]--;
                k = 0;
                do :: k < B -> d.b[k] = 0; k++ :: else -> k = 0; break od;
                w = 0; i = 0
            }
        }
    od
}

/* A dirty page is write-protected. Its diff goes to the home; at the home it is announced, unless it has no readers. */
inline close(n)
{
    d_step {
        if
        :: dirty[n] && !(home[n] == n && !readers[n]) ->
            dirty[n] = false;
            if :: access[n] == WRITE -> access[n] = READ :: else fi;
            interval[n]++;
            announced[n] = interval[n];
            vt[n].w[n] = interval[n];
            if
            :: home[n] == n -> applied[n].w[n] = interval[n]
            :: else ->
                needed[n].w[n] = interval[n];
                k = 0;
                do
                :: k < B -> diff.b[k] = (mem[n].b[k] != twin[n].b[k] -> mem[n].b[k] : 0); k++
                :: else -> break
                od;
                diffs[home[n]]!n, interval[n], diff; sent[home[n] * N + n]++;
                k = 0;
                do :: k < B -> diff.b[k] = 0; twin[n].b[k] = 0; k++ :: else -> k = 0; break od
            fi
        :: else
        fi;
        OK(n)
    }
}

/* The changes found in one copy are at the home. */
inline NEED_NOTHING(n)
{
    k = 0;
    do :: k < N -> needed[n].w[k] = 0; k++ :: else -> k = 0; break od
}

/* Fetches the page, or waits for diffs at the home. ASSUMPTION: busy is set. */
inline fetch(n)
{
    if
    :: home[n] == n -> COVERS(applied[n], needed[n]);
    :: else ->
        readers[home[n]] = true;
        COVERS(applied[home[n]], needed[n]);
        d_step {
            k = 0;
            do
            :: k < B ->
                if
                :: !dirty[n] || mem[n].b[k] == twin[n].b[k] -> mem[n].b[k] = mem[home[n]].b[k]
                :: else
                fi;
                twin[n].b[k] = (dirty[n] -> mem[home[n]].b[k] : 0);
                k++
            :: else -> k = 0; break
            od
        }
    fi;
    d_step { NEED_NOTHING(n); stale[n] = false; busy[n] = false; OK(n) }
}

#ifdef NOT_HELD
#define HELD(n) false
#else
#define HELD(n) held[n]
#endif

/* Repeats steps until the thread has access. [home-migration.held]: page_access_step */
inline need(n, right)
{
    do
    :: atomic { !busy[n] && access[n] >= right -> break }
    :: atomic { !busy[n] && access[n] < right && !HELD(n) && stale[n] -> busy[n] = true }; fetch(n)
    :: atomic { !busy[n] && access[n] < right && !HELD(n) && !stale[n] ->
            d_step {
                if
                :: right == WRITE && !dirty[n] ->
                    dirty[n] = true;
                    k = 0;
                    do :: k < B -> twin[n].b[k] = mem[n].b[k]; k++ :: else -> k = 0; break od
                :: else
                fi;
                access[n] = (dirty[n] -> WRITE : READ);
                OK(n)
            }
        }
    od
}

/* A barrier: arrive with the announcements, wait for all, invalidate pages that lack a diff. */
inline arrive(n, number)
{
    close(n);
    d_step {
        told[n * 2 + (number) % 2] = announced[n];
        before[n * 2 + (number) % 2] = written[n];
        arrived[number]++
    }
}

inline depart(n, number)
{
    atomic {
        arrived[number] == N && !(sent[n * N] || sent[n * N + 1] || sent[n * N + 2]);
        d_step {
            k = 0;
            do
            :: k < N ->
                i = told[k * 2 + (number) % 2];
                if
                :: k != n && i > vt[n].w[k] ->
                    vt[n].w[k] = i;
                    if
                    :: home[n] == n && applied[n].w[k] >= i
                    :: else -> needed[n].w[k] = i; stale[n] = true; access[n] = NONE
                    fi
                :: else
                fi;
                k++
            :: else -> break
            od;
            k = 0; i = 0;
            OK(n)
        }
    }
}

inline meet(n, number)
{
    arrive(n, number);
    depart(n, number)
}

/* [home-migration.held]: homes_hold. Settling: inaccessible until no page_word_fetch or diff api_memory_of the page is in flight. */
inline hold(n)
{
    held[n] = true;
#ifndef NOT_SETTLED
    do
    :: atomic { !busy[n] && dirty[n] && !(home[n] == n && !readers[n]) -> close(n) }
    :: atomic { !busy[n] && (!dirty[n] || (home[n] == n && !readers[n])) -> break }
    od
#endif
}

/* [home-migration.held]: page_move_bring */
inline bring(n)
{
#ifdef INCOMPLETE
    stale[n] = false;
#else
    if :: stale[n] -> busy[n] = true; fetch(n) :: else fi;
#endif
    d_step {
        NEED_NOTHING(n);
        do
        :: k < N ->
#ifndef VERSIONS_STAY
            applied[n].w[k] = vt[n].w[k];
#endif
            k++
        :: else -> k = 0; break
        od;
        readers[n] = false
    }
}

/* [home-migration.held]: page_move_switch */
inline switch_home(n)
{
    d_step {
        home[n] = NEW;
#ifndef COPIES_STAY
        if :: n != NEW -> access[n] = NONE; stale[n] = true :: else fi;
#endif
        OK(n)
    }
}

/* [home-migration.held]: homes_move */
inline round_of(n)
{
    hold(n);
    meet(n, BARRIERS + 1);
    if :: n == NEW -> bring(n) :: else fi;
    meet(n, BARRIERS + 2);
    switch_home(n);
    meet(n, BARRIERS + 3);
    held[n] = false
}

#define SEES(n, number, w) assert(mem[n].b[w] >= before[(w) * 2 + (number) % 2])

proctype main_thread(byte n)
{
    byte k, i, number = 1;
    bytes diff;
    bool split;
    do
    :: number <= BARRIERS ->
        if
        :: atomic { left > 0 -> left-- };
            need(n, WRITE);
            atomic { access[n] == WRITE -> written[n]++; mem[n].b[n] = written[n] }
        :: skip
        fi;
        split = false;
        if :: n == 2 && number == MOVE -> split = true :: true fi;
        if :: number == MOVE && split -> plain = true :: else fi;
        arrive(n, number);
        if :: split -> gone >= MOVE :: else fi;         /* steps of another node after its barrier */
        depart(n, number);
        /* [home-migration.full-barrier]: barrier_all, barrier_master_serve */
#ifdef WITHOUT_ALL
        if :: number == MOVE && !split -> round_of(n) :: else fi;
#else
        if :: number == MOVE && !plain -> round_of(n) :: else fi;
#endif
        if :: n == 0 -> gone = number :: else fi;
        need(n, READ);
        atomic {
            if
            :: access[n] != NONE -> SEES(n, number, 0); SEES(n, number, 1); SEES(n, number, 2); assert(mem[n].b[n] == written[n])
            :: else
            fi
        };
        number++
    :: else -> break
    od;
    close(n)
}

proctype second_thread(byte n)
{
    byte k;
    do
    :: second < SECOND ->
        need(n, WRITE);
        atomic {
            if
            :: access[n] == WRITE -> assert(mem[n].b[N] == second); second++; mem[n].b[N] = second
            :: else
            fi
        }
    :: break
    od;
    need(n, READ);
    atomic { if :: access[n] != NONE -> assert(mem[n].b[N] == second) :: else fi }
}

init
{
    atomic {
        run main_thread(0); run main_thread(1); run main_thread(2);
        if :: extra = 0 :: extra = 1 :: extra = 2 fi;
        run second_thread(extra)
    }
    _nr_pr == N + 1;
    atomic { !(sent[0] || sent[1] || sent[2] || sent[3] || sent[4] || sent[5] || sent[6] || sent[7] || sent[8]) ->
        assert(home[0] == home[1] && home[1] == home[2]);
        assert(mem[home[0]].b[0] == written[0] && mem[home[0]].b[1] == written[1] && mem[home[0]].b[2] == written[2])
    }
}
