/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The public interface of HLRC, of which hlrc.h includes this part: values of all nodes made one,
 * and locks for readers and writers. The form of a block is described there. */
#ifndef HLRC_SYNC_H
#define HLRC_SYNC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What hlrc_reduce() combines: int32_t to uint64_t, float, double. The last two, two floats and two
 * doubles, are for hlrc_acc() alone. */
typedef enum {
    HLRC_INT32,
    HLRC_UINT32,
    HLRC_INT64,
    HLRC_UINT64,
    HLRC_FLOAT,
    HLRC_DOUBLE,
    HLRC_COMPLEX_FLOAT,
    HLRC_COMPLEX_DOUBLE
} hlrc_type;

/* And how. Integers wrap around; HLRC_AND, HLRC_OR and HLRC_XOR are bitwise, of integers. The last
 * two are for hlrc_fetch_op() alone: the new value, and the old one. */
typedef enum {
    HLRC_SUM,
    HLRC_PRODUCT,
    HLRC_MIN,
    HLRC_MAX,
    HLRC_AND,
    HLRC_OR,
    HLRC_XOR,
    HLRC_REPLACE,
    HLRC_NO_OP
} hlrc_op;

/**
 * hlrc_reduce - combine values of all nodes
 *
 * Collective. Combines value i of the `count` at `in` on all nodes by `op`, and stores what they
 * make as value i at `out` on each. `in` and `out` may be the same, private memory or shared; every
 * node passes the same `count`, `type` and `op`. It orders memory as hlrc_barrier() does.
 *
 * Values are combined in the order of nodes: all nodes get the same bits, and so does the next run,
 * where additions are rounded too.
 *
 * RETURN VALUE: 0, or a negative errno value on every node; then nothing was combined.
 *
 * ERRORS:
 *     EINVAL  `type` or `op` is none of those listed, `op` is bitwise and `type` no integer, or
 *             `op` is HLRC_REPLACE or HLRC_NO_OP
 *
 * NOTES: Up to 16 nodes it takes one barrier and a write to each other node for every KiB of
 * values, else two barriers. Where `out` is shared memory every node writes it: the same bytes.
 *
 * SEE ALSO: hlrc_barrier, hlrc_broadcast
 */
int hlrc_reduce(const void *in, void *out, size_t count, hlrc_type type, hlrc_op op);

/**
 * hlrc_fetch_op, hlrc_compare_swap - change a word of shared memory atomically, at its home
 *
 * hlrc_fetch_op() makes *`word` what `op` makes of it and the value at `value`, and stores what it
 * was before at `old`, unless that is NULL. With HLRC_REPLACE the word becomes the value; with
 * HLRC_NO_OP it stays as it is, and `value` is not looked at. hlrc_compare_swap() stores the value
 * at `desired` in the word if it has the bits of the value at `expected`; if not, it stores what
 * the word was at `expected`. The word is shared memory, and aligned to its size.
 *
 * Both happen at once for all threads of all nodes: those on one word one after the other, in the
 * same order for all. The page is not moved, and nothing is published. They do not order memory:
 * who learns through a word that data is ready has not acquired that data. For loads the word has
 * been stored to by the caller, in its present interval: who acquires from it sees what the
 * operation, or a later one, has made of it. And an operation sees each store to the word that
 * happened before it. A store that may happen at the same time as an operation is a data race.
 *
 *     int64_t one = 1, mine;
 *     hlrc_fetch_op(&queue->next, &one, &mine, HLRC_INT64, HLRC_SUM);
 *
 * RETURN VALUE: hlrc_fetch_op() returns 0, hlrc_compare_swap() 1 if it stored `desired`, otherwise
 * 0; or a negative errno value: then nothing was changed.
 *
 * ERRORS:
 *     EINVAL   the word is not in shared memory, or not aligned; or as for hlrc_reduce()
 *     ENOTSUP  values of 4 bytes, and an adapter whose atomic operations would undo stores to
 *              what lies beside them (ARDMAR and ONESIDED over verbs); use 8 bytes, or a lock
 *
 * NOTES: Where pages are fetched without the home's CPU, so are words changed: a sum of 64-bit
 * integers takes one operation of the adapter, others a compare-and-swap or more. Otherwise the
 * home's handler does it. hlrc_atomic_create() makes words outside the shared memory, which need no
 * page.
 *
 * SEE ALSO: hlrc_atomic_fetch_add, hlrc_reduce, hlrc_lock
 */
int hlrc_fetch_op(void *word, const void *value, void *old, hlrc_type type, hlrc_op op);
int hlrc_compare_swap(void *word, void *expected, const void *desired, hlrc_type type);

/**
 * hlrc_defer_release - arrive at the next barrier without publishing anything
 *
 * The next collective call that orders memory (hlrc_barrier(), hlrc_broadcast(), hlrc_reduce() and
 * their like) is an acquire for this node, and no release: what it has written since its last
 * release becomes visible at its next one. For a node that has written nothing since, or whose
 * values nobody reads before it meets the others again: of two meetings with nothing between them
 * on some nodes, one is spared the look for what was written.
 *
 * SEE ALSO: hlrc_barrier
 */
void hlrc_defer_release(void);

/* A lock for readers and writers: a plain value, which may live in shared memory and be passed to
 * other nodes. Its parts are handles of this library. */
typedef struct {
    uint32_t turn, guard, none, readers;
} hlrc_rwlock_t;

/**
 * hlrc_rwlock_create, hlrc_rwlock_destroy - make and give back a lock for readers and writers
 *
 * hlrc_rwlock_create() makes a lock that nobody holds, and stores its handle in *`lock`.
 * hlrc_rwlock_destroy() gives a lock back that nobody holds or waits for. Any node may do either,
 * at any time.
 *
 * RETURN VALUE: hlrc_rwlock_create() returns 0, or a negative errno value; then *`lock` is left
 * alone.
 *
 * ERRORS:
 *     ENOMEM  this node has no more locks, condition variables or atomic words
 *
 * SEE ALSO: hlrc_rwlock_rdlock
 */
int hlrc_rwlock_create(hlrc_rwlock_t *lock);
void hlrc_rwlock_destroy(hlrc_rwlock_t lock);

/**
 * hlrc_rwlock_rdlock, hlrc_rwlock_wrlock, hlrc_rwlock_tryrdlock, hlrc_rwlock_trywrlock,
 * hlrc_rwlock_rdunlock, hlrc_rwlock_wrunlock - hold data with other readers, or alone
 *
 * Any number of threads of any nodes hold the lock to read, or one to write. It is an acquire to
 * take it, and a release to let go of it. Who waits is served in turn: readers that come after a
 * waiting writer hold the lock after it, so that a thread must not take a lock again that it holds
 * to read. The two that try do not wait.
 *
 * RETURN VALUE: hlrc_rwlock_tryrdlock() and hlrc_rwlock_trywrlock() return 0, or -EBUSY if the lock
 * is held or another thread is about to take it.
 *
 * ERRORS:
 *     EBUSY  another thread has it, in a way that keeps this one out
 *
 * NOTES: To read costs two locks of hlrc_lock(), of which one is taken again to let go: it is for
 * sections that are long, or whose readers are many.
 *
 * SEE ALSO: hlrc_rwlock_create, hlrc_lock
 */
void hlrc_rwlock_rdlock(hlrc_rwlock_t lock);
void hlrc_rwlock_wrlock(hlrc_rwlock_t lock);
int hlrc_rwlock_tryrdlock(hlrc_rwlock_t lock);
int hlrc_rwlock_trywrlock(hlrc_rwlock_t lock);
void hlrc_rwlock_rdunlock(hlrc_rwlock_t lock);
void hlrc_rwlock_wrunlock(hlrc_rwlock_t lock);

#ifdef __cplusplus
}
#endif

#endif
