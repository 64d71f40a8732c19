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

/* What hlrc_reduce() combines: int32_t to uint64_t, float, double. */
typedef enum {
    HLRC_INT32,
    HLRC_UINT32,
    HLRC_INT64,
    HLRC_UINT64,
    HLRC_FLOAT,
    HLRC_DOUBLE
} hlrc_type;

/* And how. Integers wrap around; the last three are bitwise, of integers. */
typedef enum { HLRC_SUM, HLRC_PRODUCT, HLRC_MIN, HLRC_MAX, HLRC_AND, HLRC_OR, HLRC_XOR } hlrc_op;

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
 *     EINVAL  `type` or `op` is none of those listed, or `op` is bitwise and `type` no integer
 *
 * NOTES: Up to 16 nodes it takes one barrier and a write to each other node for every KiB of
 * values, else two barriers. Where `out` is shared memory every node writes it: the same bytes.
 *
 * SEE ALSO: hlrc_barrier, hlrc_broadcast
 */
int hlrc_reduce(const void *in, void *out, size_t count, hlrc_type type, hlrc_op op);

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
