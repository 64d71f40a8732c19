/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Part of the public interface, included by hlrc.h: reductions, order without locks, and
 * readers-writer locks. hlrc.h describes the form of a block. */
#ifndef HLRC_SYNC_H
#define HLRC_SYNC_H

#include <stddef.h>
#include <stdint.h>

#include "hlrc_atomic.h"
#include "hlrc_types.h"

#ifdef __cplusplus
extern "C" {
#endif

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
 * hlrc_release, hlrc_acquire, hlrc_flush - order memory without a lock
 *
 * hlrc_release() publishes what this node has written. hlrc_acquire() makes visible here what each
 * other node had published by hlrc_release(), and what that node had learnt of third nodes. If
 * communication of any kind puts a release before an acquire, for example an operation by
 * hlrc_word_fetch(), the thread that acquires sees what the releasing thread had written or seen.
 *
 *     data = 5;                                         while (!ready)
 *     hlrc_release();                                       hlrc_acquire();
 *     ready = 1;                                        use(data);
 *     hlrc_release();
 *
 * hlrc_flush() is a release and then an acquire, as a flush of OpenMP.
 *
 * RETURN VALUE: hlrc_acquire() and hlrc_flush() return 1 if another node had released since this
 * node last acquired from it, otherwise 0, or -ENOTSUP.
 *
 * ERRORS:
 *     ENOTSUP  the fabric cannot read other nodes' memory; use a lock
 *
 * NOTES: A release that finds nothing to publish writes nothing. An acquire reads a word of each
 * other node and interrupts none. A thread that repeats it until something changes should give up
 * its processor from time to time. Traces have no events for these calls.
 *
 * SEE ALSO: hlrc_word_fetch, hlrc_lock
 */
void hlrc_release(void);
int hlrc_acquire(void);
int hlrc_flush(void);

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
    hlrc_lock_t turn, guard;
    hlrc_cond_t none;
    hlrc_atomic_t readers;
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
