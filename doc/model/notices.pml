/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * notices.pml - write notices that stay at their writer and are read from there (onesided/notices_read.c), for spin.
 *
 * One node flushes intervals, another one acquires. Readers are independent of each other, and so are writers. An interval
 * writes a set of pages, each of which is one run. The ring has room for two records. An interval that writes all pages does
 * not fit. -DWIDE: three pages, and records of one run and of two.
 *
 * Checked:
 *   - an acquirer has, for each page, a notice of the last interval that wrote it among those that the acquire covers;
 *   - a notice is of an interval that wrote the page: none is made of words that were overwritten during the read;
 *   - words taken for a record are those of the next interval.
 *
 * Memory. The writer's stores between two releases (RELEASE) become visible in the order of the
 * code or in the reverse order, so any of them may be seen without any other. A remote read reads
 * one word at a time, in any order. A read that was waited for, or is ordered after another one
 * [fabric.read-order], happens later.
 */
#ifndef INTERVALS
#define INTERVALS 4
#endif
#ifdef WIDE
#define PAGES 3
#define BLOCK(p) ((p) / 2)
#define BLOCKS(set) (((set) & 3 -> 1 : 0) + ((set) & 4 -> 2 : 0))
#define RING 7                  /* words */
#else
#define PAGES 2
#define BLOCK(p) (p)
#define BLOCKS(set) (set)
#define RING 5
#endif
#define RECORD_MOST (RING / 2)
#define CHUNK 3                 /* most words of a ring in one read */

#define IN(p, set) ((set) & (1 << (p)))

/* A word of the ring. The interval of a run is not stored in the code; here it is a ghost. */
#define HEAD(interval, runs) ((interval) * 8 + (runs))
#define RUN(interval, page) ((interval) * 8 + 4 + (page))
#define INTERVAL(word) ((word) / 8)
#define IS_RUN(word) (((word) & 4) != 0)
#define RUNS(word) ((word) & 3)
#define PAGE(word) ((word) & 3)

/* in the writer's window */
byte ring[RING];
byte page_entry[PAGES], block_entry[2];
byte oldest = 1, oldest_place, last, last_place;        /* each, with its position, is one word */
byte vt;                        /* the last interval that a vector time covers */

/* ghosts */
byte wrote[INTERVALS + 1];      /* by interval: the set of its pages */

/* ---- the writer ---- */

/* Its stores, numbered in the order of the code: elf_table (from 0), `oldest`, record. */
#define STORE_BLOCK 3
#define STORE_OLDEST 5
#define STORE_WORD 6
#define TABLE(set) ((set) + (BLOCKS(set) << STORE_BLOCK))
#define OLDEST (1 << STORE_OLDEST)
#define RECORD(runs) (((2 << (runs)) - 1) << STORE_WORD)

/* One of `stores` becomes visible. ASSUMPTION: in a block */
inline BECOME_VISIBLE(k)
{
    if
    :: k < STORE_BLOCK -> page_entry[k] = interval
    :: k >= STORE_BLOCK && k < STORE_OLDEST -> block_entry[k - STORE_BLOCK] = interval
    :: k == STORE_OLDEST -> oldest = first; oldest_place = first_place
    :: else -> ring[(last_place + k - STORE_WORD) % RING] = record[k - STORE_WORD]
    fi;
    stores = stores & ~(1 << k)
}

/* A release: earlier stores are visible before later ones, among themselves in the order of the code or reversed. */
inline RELEASE()
{
    do
    ::  atomic {
            stores ->
            k = (backwards -> 8 : 0);
            do
            :: !(stores & (1 << k)) -> k = (backwards -> k - 1 : k + 1)
            :: else -> break
            od;
            BECOME_VISIBLE(k);
            k = 0
        }
    :: atomic { !stores -> backwards = false; break }
    od
}

/* The record of an interval with this number of runs, to be written after `last`. */
inline COMPOSE()
{
    record[0] = HEAD(interval, runs);
    p = 0;
    k = 1;
    do
    :: p < PAGES ->
        if
        :: IN(p, set) -> record[k] = RUN(interval, p); k++
        :: else
        fi;
        p++
    :: else -> break
    od;
    p = 0;
    k = 0
}

/* [notices-read.oldest]: notices_read_make_room */
inline MAKE_ROOM()
{
    do
    :: RING - used < runs + 1 ->
        assert(INTERVAL(ring[first_place]) == first && !IS_RUN(ring[first_place]));
        k = RUNS(ring[first_place]) + 1;
        used = used - k;
        first_place = (first_place + k) % RING;
        k = 0;
        first++;
        raised = true
    :: else -> break
    od
}

#define FITS (runs + 1 <= RECORD_MOST)

inline PUBLISH()
{
    d_step {
        wrote[interval] = set;
        runs = (IN(0, set) -> 1 : 0) + (IN(1, set) -> 1 : 0) + (IN(2, set) -> 1 : 0);
        if
        :: !FITS ->                                             /* [notices-read.oldest]: notices_read_publish */
            first = interval + 1;
            first_place = last_place;
            used = 0;
#ifndef LONG_LOST
            raised = true
#endif
        :: else ->
            MAKE_ROOM();
            used = used + 1 + runs;
            COMPOSE()
        fi
    };
    atomic {
        if
        :: backwards = true
        :: true
        fi;
#ifndef TABLED_LATE
        stores = TABLE(set)                                     /* [notices-read.record-first]: notices_read_publish */
#endif
    };
#ifndef OLDEST_LATE
    if
    :: atomic { raised -> stores = stores | OLDEST; raised = false };
        RELEASE()                                               /* [notices-read.oldest]: notices_read_raise_oldest */
    :: else
    fi;
#endif
    if
    :: atomic { FITS -> stores = stores | RECORD(runs) }
    :: else
    fi;
    RELEASE();
#ifdef OLDEST_LATE
    if
    :: atomic { raised -> oldest = first; oldest_place = first_place; raised = false }
    :: else
    fi;
#endif
    atomic {                                                    /* [notices-read.record-first]: notices_read_publish */
        last = interval;
        if
        :: FITS -> last_place = (last_place + 1 + runs) % RING
        :: else
        fi
    };
#ifdef TABLED_LATE
    vt = interval;
    stores = TABLE(set);
    RELEASE();
#endif
    vt = interval
}

active proctype writer()
{
    byte interval = 1, set, runs, used, first = 1, first_place, record[4], k, p;
    short stores;
    bool raised, backwards;
    do
    :: atomic {
            interval <= INTERVALS ->
            if                  /* intervals that fit, and ones that do not */
            :: set = 1
            :: set = 2
            :: set = (1 << PAGES) - 1
#ifdef WIDE
            :: set = 6
#endif
            fi
        };
        PUBLISH();
        atomic {
            interval++;
            set = 0;
            runs = 0;
            for (k : 0 .. 3) { record[k] = 0 }
            k = 0
        }
    :: interval > INTERVALS -> break
    od
}

/* ---- the reader ---- */

inline INVALIDATE(page, interval)
{
    assert(interval <= INTERVALS && IN(page, wrote[interval]));
    if
    :: needed[page] < interval -> needed[page] = interval
    :: else
    fi
}

/* Reads words from its position on, to the end of the ring at most. */
inline READ_RING()
{
    if
    :: to_read = 1
    :: place + 1 < RING -> to_read = 3
    :: place + 2 < RING -> to_read = 7
    fi;
    words = (to_read == 7 -> 3 : (to_read == 3 -> 2 : 1));
    do
    :: atomic { IN(0, to_read) -> slot[0] = ring[place]; to_read = to_read & ~1 }
    :: atomic { IN(1, to_read) -> slot[1] = ring[place + 1]; to_read = to_read & ~2 }
    :: atomic { IN(2, to_read) -> slot[2] = ring[place + 2]; to_read = to_read & ~4 }
    :: atomic { to_read == 0 -> break }
    od
}

/* apply_words */
inline APPLY()
{
    d_step {
        do
        :: k < words && seen < want ->
            assert(INTERVAL(slot[k]) == seen + 1 && IS_RUN(slot[k]) == (left > 0));
            place = (place + 1) % RING;
            if
            :: left == 0 -> left = RUNS(slot[k])
            :: else ->
                INVALIDATE(PAGE(slot[k]), seen + 1);
                left--;
                if
                :: left == 0 -> seen++
                :: else
                fi
            fi;
            k++
        :: else -> break
        od;
        k = 0;
        words = 0;
        for (k : 0 .. CHUNK - 1) { slot[k] = 0 }
        k = 0
    }
}

/* Entries of blocks with new intervals. [notices-log.never-late]: notices_read_apply_entries */
inline TAKE_PAGES()
{
    do
    :: k < PAGES ->
        d_step {
            if
            :: IN(BLOCK(k), newer) && page_entry[k] > seen -> INVALIDATE(k, page_entry[k])
            :: else
            fi;
            k++
        }
    :: else -> break
    od;
    k = 0;
    newer = 0
}

/* [notices-read.oldest]: notices_read_take_table */
inline TAKE_TABLE()
{
#ifndef LAST_READ_LATE
    atomic { upto = last; upto_place = last_place };
#endif
    newer = (block_entry[0] > seen -> 1 : 0);
    newer = newer + (block_entry[1] > seen -> 2 : 0);
    TAKE_PAGES();
#ifdef LAST_READ_LATE
    atomic { upto = last; upto_place = last_place };
#endif
    d_step {
        seen = upto;
        place = upto_place;
        left = 0;
        upto = 0;
        upto_place = 0
    }
}

/* For each page, the last interval that wrote it up to the wanted one. ASSUMPTION: in a block */
inline CHECK()
{
    for (page : 0 .. PAGES - 1) {
        for (k : 1 .. want) {
            assert(!IN(page, wrote[k]) || needed[page] >= k)
        }
    }
    page = 0;
    k = 0
}

inline TAKE()
{
    do
    :: seen < want ->
#ifdef OLDEST_READ_FIRST
        upto = oldest;
        READ_RING();
#else
        READ_RING();
        upto = oldest;
#endif
        if
        :: upto <= seen + 1 -> upto = 0; APPLY()                /* [notices-read.oldest]: notices_read_take_some */
        :: else ->
            d_step {
                for (k : 0 .. CHUNK - 1) { slot[k] = 0 }
                k = 0;
                words = 0;
                upto = 0
            };
            TAKE_TABLE()
        fi
    :: d_step { seen >= want -> CHECK(); covered = want; want = 0 };
        break
    od
}

active proctype reader()
{
    byte covered, want, seen, place, left, needed[PAGES], to_read, words, slot[CHUNK], upto, upto_place, newer, k, page;
    do
    :: atomic { vt > covered -> want = vt };
        TAKE()
    :: covered == INTERVALS -> break
    od
}
