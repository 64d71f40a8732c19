/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * record.h - the format of a trace: what a program did, as bytes in the file of --trace-sim.
 * `hlrc_sim replay` simulates it on another machine. doc/trace.md describes the contents.
 *
 *   file       "HLRCRUN\n", the version in 4 bytes, settings, a part for each node, a digest in 8
 *   settings   how many, and each of them in the order of RECORD_SETTINGS
 *   part       counters, how many and each in the order of HLRC_COUNTS and RECORD_TIMED;
 *              flushes (closings), bytes and how many; streams, one for each thread: how many, and
 *              each with its length in bytes before it
 *   stream     items: time << 5 | kind, and the arguments that RECORD_KINDS has for the kind
 *   closing    pages << 1 | 1 if another node requested it; for each page its distance from the
 *              previous one, the size of its diff in a message << 1 | 1 if its home was here, and
 *              the number of changed bytes, 0 if unknown
 *
 * A number has seven bits in each byte, the lowest first; the eighth bit is set in all bytes but
 * the last. Numbers that may be negative are folded: 0, -1, 1, -2, ... Numbers of fixed length are
 * little endian.
 *
 * Invariants
 *   - Reading is the inverse of writing: an item that was put is got with the same time, kind and
 *     arguments, and reading consumes exactly the bytes that were written.
 *   - Nothing is read beyond the end of the bytes, whatever they contain. A truncated item, a
 *     number of more than 64 bits, an unknown kind, or a page beyond the highest is an error, never
 *     an item.
 */
#ifndef HLRC_RECORD_H
#define HLRC_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/counts.h"

#define RECORD_MAGIC   "HLRCRUN\n"
#define RECORD_VERSION 4u
#define RECORD_ARGS    4
#define RECORD_LONGEST 64 /* bytes that an item, or a page of a closing, takes at most */

/*
 * X(kind, word, arguments): what a thread did, and how long it computed since the previous item.
 * Arguments, a letter each: p a page, as the distance from the previous one; n a number; s a
 * number that may be negative.
 */
/* clang-format off */
#define RECORD_KINDS(X)                                                                     \
    X(RECORD_END, "end", "")          /* the program's part ends; the rest does not count */ \
    X(RECORD_READ, "read", "p")       /* a load faulted: page not accessible */             \
    X(RECORD_WRITE, "write", "p")     /* a store faulted: page not writable */              \
    X(RECORD_LOOK, "look", "p")       /* a load faulted for the trace only */         \
    X(RECORD_AHEAD, "ahead", "psnn")  /* stride, pages, how: opened, maybe unused */        \
    X(RECORD_RENEWED, "renewed", "p") /* updated by an acquire: maybe unused */             \
    X(RECORD_CLOSED, "closed", "n")   /* flushes of this node that ended since */           \
    X(RECORD_TOUCH, "touch", "pnn")   /* pages, stores: hlrc_touch */                       \
    X(RECORD_PREFETCH, "prefetch", "pn")                                                    \
    X(RECORD_PLACE, "place", "pnn") /* pages, node */                                       \
    X(RECORD_RESET, "reset", "pn")  /* by all nodes: zeroed, home unassigned */             \
    X(RECORD_LOCK, "lock", "n")                                                             \
    X(RECORD_BUSY, "busy", "n") /* a try that failed */                                     \
    X(RECORD_UNLOCK, "unlock", "n")                                                         \
    X(RECORD_ARRIVE, "arrive", "n") /* at a barrier; 1: waits there */                      \
    X(RECORD_DEPART, "depart", "")                                                          \
    X(RECORD_WAIT, "wait", "nn")     /* condition, lock: registered, lock released */       \
    X(RECORD_SIGNAL, "signal", "nnn") /* condition; 1: to all; number at this node */       \
    X(RECORD_ATOMIC, "atomic", "n")  /* node of the word */                                 \
    X(RECORD_WORD, "word", "pn")     /* atomic on shared memory; 1: it stores */            \
    X(RECORD_MEMBER, "member", "nnn") /* group, node, how many follow; made at 0 */           \
    X(RECORD_GROUP, "group", "n")    /* a barrier of the group */                           \
    X(RECORD_PUT, "put", "nnnn") /* node, bytes, enum record_wait, operations; 0: waits     \
                                    for those under way there */                            \
    X(RECORD_GET, "get", "nnnn")                                                            \
    X(RECORD_ACC, "acc", "nnnn") /* node, bytes, pieces << 1 | 1 if its writes are not      \
                                    awaited, how often it requested a block */               \
    X(RECORD_PART, "part", "pnn") /* bytes of shared memory; 1: put, 0: get */              \
    X(RECORD_EXPECT, "expect", "pn") /* pages: gets from them follow */                     \
    X(RECORD_RMW, "rmw", "nn") /* node, atomics; 0 of them: a read */                       \
    X(RECORD_FENCE, "fence", "nn") /* node + 1, 0: all; items since those awaited */         \
    X(RECORD_MUTEX, "mutex", "nn") /* number, node; has been locked */                      \
    X(RECORD_UNMUTEX, "unmutex", "nn")                                                      \
    X(RECORD_WOKEN, "woken", "nnn") /* has the lock again; signal: node + 1, number */
/* clang-format on */

enum record_kind {
#define X(kind, word, args) kind,
    RECORD_KINDS(X)
#undef X
        RECORD_KIND_COUNT
};

/* How pages are opened by readahead: for stores; with this node as their new home; only if their
 * home is this node; only if they are complete. */
enum { RECORD_STORES = 1, RECORD_CLAIMS = 2, RECORD_HOMES_HERE = 4, RECORD_NO_FETCH = 8 };

/* What waits for a put or a get: the call; a fence, if any; the next operation that is awaited. */
enum record_wait { RECORD_AWAITED, RECORD_LEFT, RECORD_LATER };

#define RECORD_PIECES 64 /* operations of one item at most */

/* X(name, text): properties of the run that a replay needs, the same on all nodes. */
#define RECORD_SETTINGS(X)                                                    \
    X(nodes, "nodes")                                                         \
    X(units_s, "time units per second")                                       \
    X(fault_units, "time units of a fault outside of its handler")            \
    X(page_bytes, "bytes of a page")                                          \
    X(pages, "pages of the shared space")                                     \
    X(heap_pages, "pages of the heap")                                        \
    X(home_near, "first page of the part with small blocks of default homes") \
    X(home_near_pages, "pages of that part")                                  \
    X(home_shift, "log2 of the pages of a block in that part")                \
    X(far_shift, "log2 of the pages of a block in the rest of the heap")      \
    X(range_shift, "log2 of the pages of a block after the heap")             \
    X(pages_by, "pages: 1 async, 2 ardmar")                                   \
    X(diffs_by, "diffs: 1 message, 2 write")                                  \
    X(notices_by, "notices: 1 log, 2 read")                                   \
    X(locks_by, "locks: 1 manager, 2 mcs")                                    \
    X(barrier_by, "barrier: 1 master, 2 counter, 3 tree, 4 pairs")            \
    X(barrier_fan, "--barrier-fan")                                           \
    X(hot_pages, "--hot-pages")                                               \
    X(exclusive, "--exclusive-pages: 0 on, 1 off")                            \
    X(lazy_release, "--lazy-release")                                         \
    X(move_homes, "--move-homes: 0 on, 1 off")                                \
    X(ahead, "--ahead")                                                       \
    X(renew, "--renew")                                                       \
    X(memory_reads, "1: a remote read is as fast as a read of local memory")  \
    X(threads, "threads of a node that may use shared memory")

enum record_setting {
#define X(name, text) RECORD_SET_##name,
    RECORD_SETTINGS(X)
#undef X
        RECORD_SETTING_COUNT
};

/* clang-format off */
/* X(name): what the run itself counted, of one node. First HLRC_COUNTS, in which faults exclude
 * looks (hlrc/probe/recorder.h); then these, and times. */
#define RECORD_TIMED(X)                                                                          \
    X(looks) X(wall_ns) X(compute_ns) X(page_ns) X(lock_ns) X(barrier_ns) X(diff_ns)
/* clang-format on */

enum record_counter {
#define X(name) RECORD_COUNT_##name,
    HLRC_COUNTS(X) RECORD_TIMED(X)
#undef X
        RECORD_COUNTER_COUNT
};

struct record_item {
    enum record_kind kind;
    uint64_t time; /* units of computing since the previous item */
    uint64_t arg[RECORD_ARGS];
};

/* Bytes that are being read. */
struct record_reader {
    const unsigned char *at, *end;
    uint64_t page;  /* the previous one */
    uint64_t pages; /* all are below it */
};

extern const char *const record_args[RECORD_KIND_COUNT];
extern const char *const record_words[RECORD_KIND_COUNT];

/* record_number_put - returns the end of the bytes; at most 10 */
static inline unsigned char *record_number_put(unsigned char *at, uint64_t value)
{
    while (value >= 0x80) {
        *at++ = (unsigned char)(value | 0x80);
        value >>= 7;
    }
    *at++ = (unsigned char)value;
    return at;
}

static inline uint64_t record_fold(int64_t value)
{
    return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

static inline int64_t record_unfold(uint64_t value)
{
    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

/* record_put - writes an item with that time and the arguments of its kind; `page` is the stream's
 * previous page, and is updated. Returns the end of the bytes. ASSUMPTION: there is room for
 * RECORD_LONGEST. */
unsigned char *record_put(unsigned char *at, uint64_t *page, enum record_kind kind, uint64_t time,
                          const uint64_t *arg);

/* record_number - false at the end, or for more than 64 bits */
bool record_number(struct record_reader *r, uint64_t *value);

/* record_page - a page by its distance; false as well, and for a page beyond the highest */
bool record_page(struct record_reader *r, uint64_t *page);

/* record_get - 1; 0 at the end; -1 for an invalid item, *out unchanged */
int record_get(struct record_reader *r, struct record_item *out);

#endif
