/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pairs.pml - a barrier by pairwise exchange of remote writes (hlrc/sync/pairs.c), for spin.
 *
 * Members enter barrier after barrier. A member's writes to another member arrive later, in order
 * [fabric.write-order]. Writes to different targets are not ordered [fabric.target-order].
 *
 * -DMEMORY: all members share a memory, as with the fabric shm: a write arrives at once, and a
 * member that is about to sleep requests a wake [barrier-pairs.sleep-test]. Then no sleep ends by
 * itself, so a lost wake ends the search.
 *
 * Checked:
 *   - a member departs only after all have begun, and has the vector times of all;
 *   - a write for one barrier is not taken for another one: [barrier-pairs.two-slots];
 *   - a wake is for a member that has begun;
 *   - all members end (spin: no invalid end state).
 *
 * A component of a vector time counts the barriers that the member has begun: it has written something before each.
 */
#ifndef MEMBERS
#define MEMBERS 4               /* at most */
#endif
#ifndef MEETINGS
#define MEETINGS 3              /* at most */
#endif
#define ROUNDS 2                /* rounds of three members or four */
#define BEHIND(m, r) (((m) + (1 << (r))) % MEMBERS)
#define BEFORE(m, r) (((m) + MEMBERS - (1 << (r))) % MEMBERS)

/* components of a vector time: two bits each */
#define PART(time, m) (((time) >> (2 * (m))) & 3)

/* The slots at all members, by round and parity. [barrier-pairs.two-slots]: pairs_slot_at */
#if defined(SLOT_OVERWRITTEN)
#define SLOT(m, r, e) (((m) * 2 + (r)) * 2)
#elif defined(ROUNDS_SHARE)
#define SLOT(m, r, e) ((m) * 4 + ((e) & 1))
#else
#define SLOT(m, r, e) (((m) * 2 + (r)) * 2 + ((e) & 1))
#endif
byte word[MEMBERS * 4], time_of[MEMBERS * 4];
#ifdef MEMORY
byte asked[MEMBERS * 4];
bool armed[MEMBERS], rang[MEMBERS];     /* of the member that sleeps on the receive queue */
#endif

/* ghosts */
byte begun[MEMBERS];
#ifdef MEMORY
byte sent[MEMBERS];             /* rounds, of all barriers */
#endif

#define HERE(m, r, e) (word[SLOT(m, r, e)] == (e) + 1)

#ifndef MEMORY
mtype = { TIME, WORD };
chan wire[MEMBERS * ROUNDS] = [4] of { mtype, byte, byte };     /* by writer and round, hence by pair */
#define TO_BEHIND(m, r) wire[(m) * ROUNDS + (r)]
#endif

#ifdef MEMORY
/* Two steps that the CPU may swap. */
#define STORE_LOAD(store, load) \
    if \
    :: true -> store; load \
    :: true -> load; store \
    fi

#ifdef WAKES_UNASKED
#define IS_ASKED true
#else
#define IS_ASKED (asked[SLOT(m, round, epoch)] == epoch + 1)
#endif

inline WAKE(to)
{
    atomic {
        assert(begun[to] > epoch);
        rang[to] = rang[to] || armed[to]
    }
}

/* [barrier-pairs.sleep-test]: pairs_send */
inline SEND_WORD(to)
{
#if defined(LOOKED_FIRST)
    STORE_LOAD(word[SLOT(to, round, epoch)] = epoch + 1, look = IS_ASKED);
#else
    word[SLOT(to, round, epoch)] = epoch + 1;
    look = IS_ASKED;
#endif
    if
    :: look -> WAKE(to)
    :: else
    fi;
    atomic { look = false; sent[m]++; asked[SLOT(m, round, epoch)] = 0 }
}

/* An answer that arrives after the round was sent is never read. It is not kept, to have fewer states. */
#define ASK(before) \
    asked[SLOT(before, round, epoch)] = (sent[before] > epoch * ROUNDS + round -> 0 : epoch + 1)
#endif

/* [barrier-pairs.two-slots]: pairs_send; [barrier-pairs.word-last]: pairs_send */
inline SEND()
{
#ifdef MEMORY
    time_of[SLOT(BEHIND(m, round), round, epoch)] = time;
    SEND_WORD(BEHIND(m, round))
#elif defined(WORD_FIRST)
    TO_BEHIND(m, round)!WORD, SLOT(BEHIND(m, round), round, epoch), epoch + 1;
    TO_BEHIND(m, round)!TIME, SLOT(BEHIND(m, round), round, epoch), time
#else
    TO_BEHIND(m, round)!TIME, SLOT(BEHIND(m, round), round, epoch), time;
    TO_BEHIND(m, round)!WORD, SLOT(BEHIND(m, round), round, epoch), epoch + 1
#endif
}

/* ASSUMPTION: in a block */
inline RAISE(time, other)
{
    for (i : 0 .. MEMBERS - 1) {
        if
        :: PART(time, i) < PART(other, i) -> time = time + ((PART(other, i) - PART(time, i)) << (2 * i))
        :: else
        fi
    }
    i = 0
}

#define MERGE() RAISE(time, time_of[SLOT(m, round, epoch)])

/* The slots here: another member may have begun the next barrier, but no later one. [barrier-pairs.two-slots]:
 * pairs_assert_state */
inline ASSERT_STATE()
{
#ifndef SLOT_OVERWRITTEN
    for (i : 0 .. ROUNDS - 1) {
        assert(HERE(m, i, epoch) ||
            (i >= round && (word[SLOT(m, i, epoch)] == 0 || word[SLOT(m, i, epoch)] + 1 == epoch)));
        assert(word[SLOT(m, i, epoch + 1)] == epoch || word[SLOT(m, i, epoch + 1)] == epoch + 2)
    }
    i = 0
#else
    skip
#endif
}

#ifdef MEMORY
/* [barrier-pairs.sleep-test]: pairs_ask, pairs_round_here_or_asked */
inline AWAIT()
{
    do
    :: HERE(m, round, epoch) -> break
    :: else ->
        armed[m] = true;
        if
        :: !HERE(m, round, epoch) && !has_asked ->
            has_asked = true;
#ifdef ASKS_LATE
            STORE_LOAD(ASK(BEFORE(m, round)), look = HERE(m, round, epoch))
#else
            ASK(BEFORE(m, round));
            look = HERE(m, round, epoch)
#endif
        :: else -> look = HERE(m, round, epoch)
        fi;
        atomic { look || rang[m] -> look = false; armed[m] = false; rang[m] = false }
    od;
    has_asked = false
}
#else
#define AWAIT() HERE(m, round, epoch)
#endif

#ifdef ROUND_MISSING
#define LAST (MEMBERS > 3 -> 2 : 1)
#else
#define LAST ROUNDS
#endif

/* [barrier-pairs.word-last]: pairs_go_on */
inline GO_ON()
{
    do
    :: round < LAST ->
        AWAIT();
#ifdef SENT_UNMERGED
        if
        :: round + 1 < LAST -> round++; SEND(); round--
        :: else
        fi;
        d_step { MERGE(); round++ }
#else
        atomic { MERGE(); round++ };
        if
        :: round < LAST -> SEND()
        :: else
        fi
#endif
    :: else -> break
    od
}

/* All have begun this barrier, and their earlier writes are covered. */
inline CHECK()
{
    for (i : 0 .. MEMBERS - 1) {
        assert(begun[i] > epoch && PART(time, i) > epoch)
    }
    i = 0
}

proctype member(byte m)
{
    byte epoch, round, time, i;
#ifdef MEMORY
    bool look, has_asked;
#endif
    do
    :: epoch < MEETINGS ->
        atomic {
            begun[m] = epoch + 1;
            time = time + (1 << (2 * m));
            ASSERT_STATE()
        };
        SEND();
        GO_ON();
        atomic {
            ASSERT_STATE();
            CHECK();
            round = 0;
            epoch++
        }
    :: else -> break
    od
}

#ifndef MEMORY
#define ARRIVE(k) \
    :: atomic { k < MEMBERS * ROUNDS && nempty(wire[k]) -> wire[k]?what, slot, value; \
            if \
            :: what == TIME -> time_of[slot] = value \
            :: what == WORD -> word[slot] = value \
            fi; \
            what = WORD; \
            slot = 0; \
            value = 0 \
        }

/* A write arrives. */
active proctype network()
{
    byte slot, value;
    mtype what = WORD;
end:
    do
    ARRIVE(0) ARRIVE(1) ARRIVE(2) ARRIVE(3) ARRIVE(4) ARRIVE(5)
#if MEMBERS == 4
    ARRIVE(6) ARRIVE(7)
#endif
    od
}
#endif

init {
    byte m;
    atomic {
        for (m : 0 .. MEMBERS - 1) { run member(m) }
    }
}
