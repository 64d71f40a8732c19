/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Part of the public interface, included by hlrc.h: windows for put, get and accumulate, outside
 * shared memory. hlrc.h describes the form of a block. */
#ifndef HLRC_RMA_H
#define HLRC_RMA_H

#include <stddef.h>
#include <stdint.h>

#include "hlrc_types.h"

/* Maximum number of windows at a time. */
#define HLRC_MAX_WINDOWS 256
/* In place of a node: shared memory, at the homes of its pages. */
#define HLRC_HOMES (-1)
/* Maximum number of levels of strides. */
#define HLRC_STRIDE_LEVELS 8
/* Each node has mutexes 0 to HLRC_MUTEXES-1. */
#define HLRC_MUTEXES 1024

#ifdef __cplusplus
extern "C" {
#endif

/**
 * hlrc_window_create, hlrc_window_free - memory for put and get
 *
 * Both are collective. hlrc_window_create() makes a window: a part of `size` bytes of zeros at
 * every node, at an address that is the same on all. A part is private memory of its node, which
 * loads and stores it like any other. Other nodes access it by hlrc_put(), hlrc_get(),
 * hlrc_word_fetch() and similar calls, which take the address and the number of the node. A size of
 * 0 is treated as a size of 1. Up to HLRC_MAX_WINDOWS windows can exist at a time, with a total
 * size up to that of the shared space (--memory).
 *
 * hlrc_window_free() waits for this node's operations, passes a barrier of all nodes, and frees
 * the window; NULL is ignored. Nodes that pass different arguments end the job.
 *
 * An operation on a part needs no action of the node that owns it, which may compute, wait or be
 * stopped. No handler runs, no page is moved. These operations are not part of the memory model of
 * shared memory, and do not order it. A put is complete at the part when the call, hlrc_wait() or
 * hlrc_fence() has returned. The owner sees it after a later barrier, or another later call that
 * orders memory. Other nodes see the owner's stores before a barrier after that barrier. Accesses
 * to the same bytes without this order are data races if one of them writes.
 *
 * RETURN VALUE: hlrc_window_create() returns the same address on every node, or NULL with errno
 * set on every node.
 *
 * ERRORS:
 *     ENOMEM   no space of this size is left, HLRC_MAX_WINDOWS windows exist, or a node's limit on
 *              address space (ulimit -v) is reached
 *     ENOTSUP  the fabric has no reads or no atomics
 *
 * NOTES: The windows of a job lie in address space as large as the shared space, reserved by the
 * first hlrc_window_create(). They use memory only where they are accessed. Over verbs the whole
 * window is registered when it is created, and stays registered for the next window at that
 * address. Windows that exist when the job finalizes are freed then.
 *
 * SEE ALSO: hlrc_put, hlrc_word_fetch, hlrc_mutex_lock, hlrc_malloc_all
 */
void *hlrc_window_create(size_t size);
void hlrc_window_free(void *window);

/**
 * hlrc_put, hlrc_get, hlrc_put_nb, hlrc_get_nb - copy bytes to and from a window of a node
 *
 * hlrc_put() copies `len` bytes at `src`, in this node's memory, to `dst` in the part of a window
 * that belongs to node `node`. hlrc_get() copies `len` bytes at `src` in that part to `dst` in
 * this node's memory. The copy is complete when they return: the bytes of a put are in that node's
 * memory. `node` may be this node. The other buffer may be any memory, also in a window or shared.
 *
 * With HLRC_HOMES as the node, the remote address is shared memory, of hlrc_malloc() or a similar
 * call, and the bytes go to, or come from, the homes of its pages. A put is then a store of this
 * node, and a get a load: the next release publishes the put, and a get returns what a load would
 * see. But where a load or store would fetch a page, these calls transfer only the bytes, and no
 * page is copied here. This suits programs that access eight bytes of each page. The strided and
 * vector forms below do the same.
 *
 * hlrc_put_nb() and hlrc_get_nb() start the same operations, and may return before they are
 * complete. Until then the program does not touch either buffer. They store a handle at `handle`,
 * for which hlrc_wait() is called once; with NULL only hlrc_fence() or hlrc_fence_all() waits for
 * the operation. Concurrent operations are unordered, also at one node.
 *
 * A node number outside the job, or bytes that are not all in one window, end the job.
 *
 * NOTES: On one machine, and with a buffer in shared memory, the operations are complete when they
 * return. So are short puts over verbs, as far as the buffer is concerned. Over verbs private
 * memory goes through registered buffers of 4 KiB. From 64 KiB on it is registered in pieces, for
 * this call only, each piece while the one before is in transfer. Memory of a window needs no
 * copy. With HLRC_HOMES a call works page by page, with one or two round trips each, and is
 * complete when it returns. A page that this node may read, or has stored to, is accessed by loads
 * and stores. With --protocol async, whose homes send whole pages, a put is a store, and a get
 * requests all pages that it needs and copies from them. They are not opened for loads, so a later
 * load of them still costs a fault.
 *
 * SEE ALSO: hlrc_put_strided, hlrc_put_vector, hlrc_wait, hlrc_fence, hlrc_window_create
 */
void hlrc_put(void *dst, const void *src, size_t len, int node);
void hlrc_get(void *dst, const void *src, size_t len, int node);
void hlrc_put_nb(void *dst, const void *src, size_t len, int node, hlrc_handle_t *handle);
void hlrc_get_nb(void *dst, const void *src, size_t len, int node, hlrc_handle_t *handle);

/**
 * hlrc_put_strided, hlrc_get_strided, hlrc_put_strided_nb, hlrc_get_strided_nb - copy sections
 *
 * Like hlrc_put(), hlrc_get(), hlrc_put_nb() and hlrc_get_nb(), for pieces at equal distances, in
 * up to HLRC_STRIDE_LEVELS levels: a section of an array. A piece has `counts`[0] bytes. Level i,
 * 1 to `levels`, has `counts`[i] pieces of the level below. The distance from one to the next is
 * `dst_strides`[i-1] bytes at the destination and `src_strides`[i-1] bytes at the source; `dst`
 * and `src` are the addresses of the first piece. With 0 levels there is one piece. A count of 0
 * copies nothing. Where pieces of a destination overlap, it holds the bytes of one of them. The
 * arrays of strides and counts may change after the call has returned.
 *
 * A column of an array of doubles in node 1's part of a window:
 *
 *     size_t counts[] = { sizeof(double), ROWS }, stride = COLUMNS * sizeof(double);
 *     hlrc_get_strided(&mine[0][3], &stride, &window[0][3], &stride, counts, 1, 1);
 *
 * More levels than the limit, or pieces that do not lie in one window together, end the job.
 *
 * NOTES: Pieces are transferred concurrently: on one machine 1,024 pieces of 64 bytes take less
 * than a fifth of the time of 1,024 calls of hlrc_get(). Levels that are contiguous on both sides
 * are joined.
 *
 * SEE ALSO: hlrc_put, hlrc_put_vector, hlrc_wait
 */
void hlrc_put_strided(void *dst, const size_t *dst_strides, const void *src,
                      const size_t *src_strides, const size_t *counts, int levels, int node);
void hlrc_get_strided(void *dst, const size_t *dst_strides, const void *src,
                      const size_t *src_strides, const size_t *counts, int levels, int node);
void hlrc_put_strided_nb(void *dst, const size_t *dst_strides, const void *src,
                         const size_t *src_strides, const size_t *counts, int levels, int node,
                         hlrc_handle_t *handle);
void hlrc_get_strided_nb(void *dst, const size_t *dst_strides, const void *src,
                         const size_t *src_strides, const size_t *counts, int levels, int node,
                         hlrc_handle_t *handle);

/**
 * hlrc_put_vector, hlrc_get_vector, hlrc_put_vector_nb, hlrc_get_vector_nb - copy listed pieces
 *
 * Like hlrc_put(), hlrc_get(), hlrc_put_nb() and hlrc_get_nb(), for `count` pieces of `len` bytes:
 * from `src`[i] to `dst`[i]. Each piece lies in one window, different pieces may lie in different
 * windows. Where pieces of a destination overlap, it holds the bytes of one of them. The lists may
 * change after the call has returned.
 *
 * SEE ALSO: hlrc_put, hlrc_put_strided, hlrc_wait
 */
void hlrc_put_vector(void *const *dst, const void *const *src, size_t count, size_t len, int node);
void hlrc_get_vector(void *const *dst, const void *const *src, size_t count, size_t len, int node);
void hlrc_put_vector_nb(void *const *dst, const void *const *src, size_t count, size_t len,
                        int node, hlrc_handle_t *handle);
void hlrc_get_vector_nb(void *const *dst, const void *const *src, size_t count, size_t len,
                        int node, hlrc_handle_t *handle);

/**
 * hlrc_wait, hlrc_test - complete an operation that was started
 *
 * hlrc_wait() returns when the operation of `handle` is complete. hlrc_test() tests whether it is.
 * After hlrc_wait() has returned, or hlrc_test() has returned 1, the handle is invalid: to pass it
 * again ends the job. Any thread of the node that started the operation may call them.
 *
 * RETURN VALUE: hlrc_test() returns 1 if the operation is complete, otherwise 0.
 *
 * NOTES: 65,536 operations may have handles at a time; one more ends the job.
 *
 * SEE ALSO: hlrc_put_nb, hlrc_fence
 */
void hlrc_wait(hlrc_handle_t handle);
int hlrc_test(hlrc_handle_t handle);

/**
 * hlrc_fence, hlrc_fence_all - wait for all operations at a node, or at all nodes
 *
 * hlrc_fence() returns when every operation that this node has started at node `node` is complete:
 * puts are in that node's memory, gets are in this node's. hlrc_fence_all() does so for all nodes.
 * A node number outside the job ends it. Neither ends a handle; hlrc_wait() then returns at once.
 * They may also wait for operations that other threads of this node start during the call.
 *
 * SEE ALSO: hlrc_put_nb, hlrc_wait, hlrc_barrier
 */
void hlrc_fence(int node);
void hlrc_fence_all(void);

/**
 * hlrc_put_signal - copy bytes to a window of a node, then set a word there
 *
 * Copies the `len` bytes at `src`, in this node's memory, to `dst` in the part of a window that
 * belongs to node `node`, as hlrc_put() does. Then it changes *`signal`, in the same part of a
 * window, by `value`: HLRC_REPLACE stores it, HLRC_SUM adds it. If the owner sees the new word, by
 * hlrc_wait_until(), it sees the bytes.
 *
 * RETURN VALUE: 0, or a negative errno value: then nothing was copied.
 *
 * ERRORS:
 *     EINVAL  `signal` is not aligned to 8 bytes, or `op` is neither of the two
 *
 * NOTES: The word changes atomically, as by hlrc_word_fetch(). A node number outside the job, or
 * bytes that are not all in one window, end the job.
 *
 * SEE ALSO: hlrc_put, hlrc_word_fetch, hlrc_wait_until
 */
int hlrc_put_signal(void *dst, const void *src, size_t len, uint64_t *signal, uint64_t value,
                    hlrc_op op, int node);

/**
 * hlrc_wait_until - wait for the value of a word
 *
 * Waits until *`word` compares with the value at `value` as `cmp` says: HLRC_GE waits until the
 * word is greater or equal. It waits at most `timeout` nanoseconds, or without a limit if that is
 * negative (HLRC_FOREVER). `type` is one of the integers. The word lies in this node's part of a
 * window, or in shared memory, and is aligned to its size.
 *
 * For a word of a window, bytes that were put before it was changed are visible after the call. For
 * a word of shared memory each test is an hlrc_acquire(): what a node wrote before it released the
 * new value by hlrc_release() is visible.
 *
 * RETURN VALUE: 0, or a negative errno value.
 *
 * ERRORS:
 *     EINVAL     `type` is no integer, `cmp` is none of those listed, or the word is not aligned
 *     ENOTSUP    the word is in shared memory, and the fabric has no reads
 *     ETIMEDOUT  the word had no such value within that time
 *
 * NOTES: The thread spins, then yields, then naps; it does not count as waiting for the deadlock
 * detector. A word outside windows and shared memory ends the job.
 *
 * SEE ALSO: hlrc_put_signal, hlrc_acquire, hlrc_cond_wait_for
 */
int hlrc_wait_until(const void *word, hlrc_type type, hlrc_cmp cmp, const void *value,
                    int64_t timeout);

/**
 * hlrc_acc, hlrc_acc_strided, hlrc_acc_vector, hlrc_acc_nb, hlrc_acc_strided_nb,
 * hlrc_acc_vector_nb - accumulate into a window of a node
 *
 * hlrc_acc() combines `count` values at `src`, in this node's memory, with those at `dst` in the
 * part of a window that belongs to node `node`: each value at `dst` becomes the result of `op` on
 * it and the value at `src`. With HLRC_SUM the values at `src` are first multiplied by the value
 * that `scale` points to, of the same type, unless it is NULL. HLRC_INT32 to HLRC_UINT64 are int
 * and long. HLRC_FLOAT, HLRC_DOUBLE and complex numbers of both are supported, complex numbers
 * only with HLRC_SUM. `dst` is aligned to the value, or to half of a complex one.
 *
 * hlrc_acc_strided() and hlrc_acc_vector() do so with pieces, as in hlrc_put_strided() and
 * hlrc_put_vector(); `counts`[0], strides and `len` are in bytes, and multiples of the value.
 * Pieces of `dst` may overlap: a value in two pieces is combined twice.
 *
 * Each value, or half of a complex one, changes atomically with respect to all threads of all
 * nodes that accumulate. The values of one call do not change together. During the call no thread
 * may put to them, store to them or operate on them by hlrc_word_fetch(). When the call returns it
 * is complete. As with hlrc_put(), a node number outside the job, or values outside all windows,
 * end the job.
 *
 * hlrc_acc_nb(), hlrc_acc_strided_nb() and hlrc_acc_vector_nb() start the same, and return when
 * only adapters have work left: the last writes, and the release of the last lock. `src` may
 * change then. They store a handle at `handle`, or with NULL are completed by hlrc_fence(), as for
 * hlrc_put_nb(). Until hlrc_wait() or hlrc_fence() has returned other threads may read the old
 * values.
 *
 *     double half = 0.5;
 *     hlrc_acc(&window[i], mine, 100, HLRC_DOUBLE, HLRC_SUM, &half, 1);
 *
 * RETURN VALUE: 0, or a negative errno value: then nothing was changed, and no handle was made.
 *
 * ERRORS:
 *     EINVAL  `type` or `op` is none of those listed, or they do not fit each other; `scale` is
 *             not NULL, and `op` not HLRC_SUM; `dst` or a stride is not aligned; `counts`[0] or
 *             `len` is not of whole values
 *
 * NOTES: Adapters have no such operation: the values are read, combined here and written back,
 * under a lock; each 16 KiB block of a part has a lock. No CPU of that node takes part. A call
 * costs two round trips if the adapter keeps reads in order, else three, for each block that it
 * has values in, and it waits for others that accumulate in that block. The non-blocking calls
 * save one of these round trips for each block. On one machine 8 bytes take six times as long as
 * by hlrc_put(), 4 KiB eight times, 1 MiB four to five times; a single sum of 64-bit integers is
 * cheaper by hlrc_word_fetch().
 *
 * SEE ALSO: hlrc_put_strided, hlrc_put_vector, hlrc_word_fetch
 */
int hlrc_acc(void *dst, const void *src, size_t count, hlrc_type type, hlrc_op op,
             const void *scale, int node);
int hlrc_acc_strided(void *dst, const size_t *dst_strides, const void *src,
                     const size_t *src_strides, const size_t *counts, int levels, hlrc_type type,
                     hlrc_op op, const void *scale, int node);
int hlrc_acc_vector(void *const *dst, const void *const *src, size_t count, size_t len,
                    hlrc_type type, hlrc_op op, const void *scale, int node);
int hlrc_acc_nb(void *dst, const void *src, size_t count, hlrc_type type, hlrc_op op,
                const void *scale, int node, hlrc_handle_t *handle);
int hlrc_acc_strided_nb(void *dst, const size_t *dst_strides, const void *src,
                        const size_t *src_strides, const size_t *counts, int levels, hlrc_type type,
                        hlrc_op op, const void *scale, int node, hlrc_handle_t *handle);
int hlrc_acc_vector_nb(void *const *dst, const void *const *src, size_t count, size_t len,
                       hlrc_type type, hlrc_op op, const void *scale, int node,
                       hlrc_handle_t *handle);

/**
 * hlrc_mutex_lock, hlrc_mutex_unlock - mutual exclusion for put and get
 *
 * Each node has mutexes with the numbers 0 to HLRC_MUTEXES-1, from hlrc_init() on.
 * hlrc_mutex_lock() waits until no other thread of any node holds mutex number `mutex` of node
 * `node`, and acquires it; waiting threads get it in turn. hlrc_mutex_unlock() releases it.
 *
 * If a put, or hlrc_fence() after it, has returned before the unlock, the next holder of the mutex
 * gets its bytes. Shared memory is not ordered: use hlrc_lock() for that.
 *
 * NOTES: No CPU of that node takes part. Without contention it costs a round trip to lock and one
 * to unlock. Threads that wait for each other's mutexes wait forever: the deadlock detector covers
 * locks, not mutexes, but hlrcrun --watchdog prints what they wait for. A mutex number out of
 * range, or the unlock of a mutex that no thread of the node holds, ends the job, as does a fabric
 * without atomics.
 *
 * SEE ALSO: hlrc_put, hlrc_word_fetch, hlrc_lock
 */
void hlrc_mutex_lock(unsigned mutex, int node);
void hlrc_mutex_unlock(unsigned mutex, int node);

#ifdef __cplusplus
}
#endif

#endif
