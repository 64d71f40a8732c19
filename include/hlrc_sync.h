/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Part of the public interface, included by hlrc.h: reductions, atomic operations on shared
 * memory, and readers-writer locks. hlrc.h describes the form of a block. */
#ifndef HLRC_SYNC_H
#define HLRC_SYNC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Types of values: int32_t to uint64_t, float, double. The last two, two floats and two doubles,
 * are only for hlrc_acc(). */
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

/* Operations. Integers wrap around; HLRC_AND, HLRC_OR and HLRC_XOR are bitwise, of integers. The
 * last two, for operations on a word, store the new value or only read the old one. */
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
 * Collective. Combines value i of the `count` values at `in` on all nodes by `op`, and stores the
 * result as value i at `out` on each node. `in` and `out` may be the same, private memory or
 * shared; every node passes the same `count`, `type` and `op`. It orders memory as hlrc_barrier()
 * does.
 *
 * Values are combined in the order of nodes: all nodes, and each run, get the same bits, also
 * where additions are rounded.
 *
 * RETURN VALUE: 0, or a negative errno value on every node; then nothing was combined.
 *
 * ERRORS:
 *     EINVAL  `type` or `op` is none of those listed, `op` is bitwise and `type` no integer, or
 *             `op` is HLRC_REPLACE or HLRC_NO_OP
 *
 * NOTES: Up to 16 nodes it takes one barrier and a write to each other node for every KiB of
 * values, else two barriers. If `out` is shared memory every node writes it: the same bytes.
 *
 * SEE ALSO: hlrc_barrier, hlrc_broadcast
 */
int hlrc_reduce(const void *in, void *out, size_t count, hlrc_type type, hlrc_op op);

/**
 * hlrc_fetch_op, hlrc_compare_swap - change a word of shared memory atomically, at its home
 *
 * hlrc_fetch_op() replaces *`word` by the result of `op` on the word and the value at `value`. It
 * stores the previous value of the word at `old`, unless that is NULL. With HLRC_REPLACE the word
 * becomes the value; with HLRC_NO_OP it is unchanged, and `value` is ignored. hlrc_compare_swap()
 * stores the value at `desired` in the word if the word has the bits of the value at `expected`;
 * if not, it stores the value of the word at `expected`. The word is in shared memory, and aligned
 * to its size.
 *
 * Both are atomic for all threads of all nodes: operations on one word have a single order, the
 * same for all. The page is not moved, and nothing is published. They do not order memory: a
 * thread that learns through a word that data is ready has not acquired that data. For loads, an
 * operation counts as a store of the caller to the word in its current interval: a later acquirer
 * from the caller sees the result of this operation, or of a later one. An operation sees each
 * store to the word that happened before it. A store that may be concurrent with an operation is a
 * data race.
 *
 *     int64_t one = 1, mine;
 *     hlrc_fetch_op(&queue->next, &one, &mine, HLRC_INT64, HLRC_SUM);
 *
 * RETURN VALUE: hlrc_fetch_op() returns 0, hlrc_compare_swap() 1 if it stored `desired`, otherwise
 * 0; or a negative errno value: then nothing was changed.
 *
 * ERRORS:
 *     EINVAL   the word is not in shared memory, or not aligned; or as for hlrc_reduce()
 *     ENOTSUP  values of 4 bytes, with an adapter whose atomic operations would undo stores to the
 *              adjacent bytes (ARDMAR and ONESIDED over verbs); use 8 bytes, or a lock
 *
 * NOTES: With a protocol that fetches pages without the home's CPU, words are changed without it,
 * too: a sum of 64-bit integers takes one operation of the adapter, others take one
 * compare-and-swap or more. With other protocols the home's handler performs the operation.
 * hlrc_atomic_create() makes words outside the shared memory, which need no page.
 *
 * SEE ALSO: hlrc_atomic_fetch_add, hlrc_reduce, hlrc_lock
 */
int hlrc_fetch_op(void *word, const void *value, void *old, hlrc_type type, hlrc_op op);
int hlrc_compare_swap(void *word, void *expected, const void *desired, hlrc_type type);

/**
 * hlrc_release, hlrc_acquire - order memory without a lock
 *
 * hlrc_release() publishes what this node has written. hlrc_acquire() makes visible here what each
 * other node had published by hlrc_release(), and what that node had learnt of third nodes. If
 * communication of any kind puts a release before an acquire, for example an operation by
 * hlrc_fetch_op(), the thread that acquires sees what the releasing thread had written or seen.
 *
 *     data = 5;                                         while (!ready)
 *     hlrc_release();                                       hlrc_acquire();
 *     ready = 1;                                        use(data);
 *     hlrc_release();
 *
 * RETURN VALUE: hlrc_acquire() returns 1 if another node had released since this node last acquired
 * from it, otherwise 0, or -ENOTSUP.
 *
 * ERRORS:
 *     ENOTSUP  the fabric cannot read other nodes' memory; use a lock
 *
 * NOTES: A release that finds nothing to publish writes nothing. An acquire reads a word of each
 * other node and interrupts none. A thread that repeats it until something changes should give up
 * its processor from time to time. Traces have no events for these calls.
 *
 * SEE ALSO: hlrc_fetch_op, hlrc_lock
 */
void hlrc_release(void);
int hlrc_acquire(void);

/**
 * hlrc_defer_release - arrive at the next barrier without publishing anything
 *
 * For this node the next collective call that orders memory (hlrc_barrier(), hlrc_broadcast(),
 * hlrc_reduce() and similar) is an acquire, and not a release: its writes since its last release
 * become visible at its next release. Use it on a node that has written nothing since, or whose
 * values no other node reads before the next collective after that. Of two consecutive collectives
 * with no writes between them on some nodes, one then needs no search for unpublished writes.
 *
 * SEE ALSO: hlrc_barrier
 */
void hlrc_defer_release(void);

/* A readers-writer lock: a plain value, which may be stored in shared memory and passed to other
 * nodes. Its fields are handles of this library. */
typedef struct {
    uint32_t turn, guard, none, readers;
} hlrc_rwlock_t;

/**
 * hlrc_rwlock_create, hlrc_rwlock_destroy - create and destroy a readers-writer lock
 *
 * hlrc_rwlock_create() makes a free lock, and stores its handle in *`lock`. hlrc_rwlock_destroy()
 * removes a lock that no thread holds or waits for. Any node may do either, at any time.
 *
 * RETURN VALUE: hlrc_rwlock_create() returns 0, or a negative errno value; then *`lock` is
 * unchanged.
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
 * hlrc_rwlock_rdunlock, hlrc_rwlock_wrunlock - shared or exclusive access to data
 *
 * Any number of threads of any nodes hold the lock to read, or one thread holds it to write.
 * Locking is an acquire, unlocking a release. Waiting threads are served in turn: readers that
 * come after a waiting writer hold the lock after it. So a thread that holds the lock to read must
 * not lock it again. The two try calls do not wait.
 *
 * RETURN VALUE: hlrc_rwlock_tryrdlock() and hlrc_rwlock_trywrlock() return 0, or -EBUSY if the
 * lock is held or another thread is about to acquire it.
 *
 * ERRORS:
 *     EBUSY  another thread holds it, in a mode that excludes the caller
 *
 * NOTES: To read costs two locks of hlrc_lock(), one of which is acquired again to unlock: it is
 * meant for long sections, or for many readers.
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
