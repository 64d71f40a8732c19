/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The public interface of HLRC, of which hlrc.h includes this part: memory that is put to and got
 * from, beside the one that is shared. The form of a block is described there. */
#ifndef HLRC_RMA_H
#define HLRC_RMA_H

#include <stddef.h>
#include <stdint.h>

#include "hlrc_sync.h"

/* Most windows at a time. */
#define HLRC_MAX_WINDOWS 256
/* In place of a node: shared memory, wherever the homes of its pages are. */
#define HLRC_HOMES (-1)
/* Most levels of strides. */
#define HLRC_STRIDE_LEVELS 8
/* Mutexes 0 .. HLRC_MUTEXES-1 are at each node. */
#define HLRC_MUTEXES 1024

#ifdef __cplusplus
extern "C" {
#endif

/* An operation that is under way; a value of its own for each. */
typedef uint64_t hlrc_handle_t;

/**
 * hlrc_window_create, hlrc_window_free - memory for put and get
 *
 * Both are collective. hlrc_window_create() makes a window: `size` bytes of zeros at every node,
 * its part, at an address that is the same on all. A part is private memory of its node, which
 * loads and stores it as any other; other nodes reach it by hlrc_put(), hlrc_get(), hlrc_rmw() and
 * their like, which are given the address and the number of the node. A size of 0 is served as a
 * size of 1. Up to HLRC_MAX_WINDOWS windows can be there at a time, as large together as the shared
 * space (--memory).
 *
 * hlrc_window_free() waits for this node's operations, meets all other nodes, and gives the window
 * back; NULL is ignored. Nodes that pass different arguments end the job.
 *
 * What is done to a part needs nothing of the node that it belongs to: it may compute, wait or be
 * stopped. No handler runs, no page is moved. These operations have no part in the memory model of
 * shared memory, and do not order it. A put is in the part when the call, hlrc_wait() or
 * hlrc_fence() has returned; the owner finds it there behind a barrier, or another call that orders
 * memory, which comes after that; and what an owner has stored before a barrier others get behind
 * it. Accesses of the same bytes that are not ordered so are data races if one of them writes.
 *
 * RETURN VALUE: hlrc_window_create() returns the same address on every node, or NULL with errno set
 * on every node.
 *
 * ERRORS:
 *     ENOMEM   no room of this size is left, HLRC_MAX_WINDOWS windows are there, or a node's limit
 *              on address space (ulimit -v) is reached
 *     ENOTSUP  the fabric has no reads or no atomics
 *
 * NOTES: The windows of a job lie in address space as large as the shared space, which the first of
 * them takes, and take memory where they are touched; over verbs all of a window is registered when
 * it is made, and stays so for the next one that lies there. Windows that are there when the job
 * finalizes go with it.
 *
 * SEE ALSO: hlrc_put, hlrc_rmw, hlrc_mutex_lock, hlrc_malloc_all
 */
void *hlrc_window_create(size_t size);
void hlrc_window_free(void *window);

/**
 * hlrc_put, hlrc_get, hlrc_put_nb, hlrc_get_nb - copy bytes to and from a window of a node
 *
 * hlrc_put() copies `len` bytes at `src`, in this node's memory, to `dst` in the part of a window
 * that belongs to node `node`. hlrc_get() copies `len` bytes at `src` in that part to `dst` in this
 * node's memory. When they return it is done: the bytes of a put are in that node's memory. `node`
 * may be this node. The other buffer may be any memory, of a window or shared.
 *
 * With HLRC_HOMES as the node, what lies there is shared memory, of hlrc_malloc() or its like, and
 * the bytes go to, or come from, wherever it is. A put is then a store of this node, and a get a
 * load: what is put is published by the next release, and what is got is what a load at this place
 * would see. But where a load or store would fetch a page, these move the bytes that they are
 * about, and no page comes here: for programs that touch eight bytes of each. The strided and
 * listed forms below do so, too.
 *
 * hlrc_put_nb() and hlrc_get_nb() begin the same, and may return before it is done. Until then the
 * program leaves both buffers alone. They store a handle at `handle`, for which hlrc_wait() is
 * called once; with NULL the operation is waited for by hlrc_fence() or hlrc_fence_all() alone.
 * Operations that are under way together are done in no order, also at one node.
 *
 * A node that is none of the job, or bytes that are not all in one window, end the job.
 *
 * NOTES: On one machine, and with a buffer in shared memory, these are done when they return; so
 * are short puts over verbs, as far as the buffer is concerned. Over verbs private memory goes
 * through registered buffers of 4 KiB; from 64 KiB on it is registered, for this call alone, while
 * what was registered before is on its way. Memory of a window goes as it is. With HLRC_HOMES a
 * call goes page by page, a round trip or two each, and is done when it returns. A page of which
 * this node has a copy that may be read, or has stored to, is loaded and stored to. With --protocol
 * async, whose homes send whole pages, a put is a store, and a get sends for all pages that it
 * needs and copies from them; they are not opened for loads, so a load of them costs a fault yet.
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
 * As hlrc_put(), hlrc_get(), hlrc_put_nb() and hlrc_get_nb(), of pieces at equal distances, in up
 * to HLRC_STRIDE_LEVELS levels: a section of an array. A piece has `counts`[0] bytes. Of level i, 1
 * to `levels`, there are `counts`[i]; from one to the next it is `dst_strides`[i-1] bytes at `dst`,
 * and `src_strides`[i-1] at `src`, which are those of the first piece. With 0 levels it is one
 * piece. A count of 0 copies nothing. Pieces of a destination that overlap hold what one of them
 * has brought. The arrays of strides and counts may change when the call has returned.
 *
 * A column of an array of doubles that is in node 1's part of a window:
 *
 *     size_t counts[] = { sizeof(double), ROWS }, stride = COLUMNS * sizeof(double);
 *     hlrc_get_strided(&mine[0][3], &stride, &window[0][3], &stride, counts, 1, 1);
 *
 * More levels than there may be, or pieces that do not lie in one window together, end the job.
 *
 * NOTES: Pieces are under way together: 1,024 of 64 bytes take less than a fifth of the time of as
 * many calls of hlrc_get() on one machine. Levels that lie behind each other on both sides are
 * joined.
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
 * hlrc_put_vector, hlrc_get_vector, hlrc_put_vector_nb, hlrc_get_vector_nb - copy pieces anywhere
 *
 * As hlrc_put(), hlrc_get(), hlrc_put_nb() and hlrc_get_nb(), of `count` pieces of `len` bytes:
 * from `src`[i] to `dst`[i]. Each lies in a window, others may lie in others. Pieces of a
 * destination that overlap hold what one of them has brought. The lists may change when the call
 * has returned.
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
 * hlrc_wait, hlrc_test - the end of an operation that was begun
 *
 * hlrc_wait() returns when the operation that `handle` stands for is done. hlrc_test() looks
 * whether it is. When hlrc_wait() has returned, or hlrc_test() has returned 1, the handle stands
 * for nothing any more: to pass it once more ends the job. Any thread of the node that began the
 * operation may call them.
 *
 * RETURN VALUE: hlrc_test() returns 1 if the operation is done, otherwise 0.
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
 * hlrc_fence() returns when every operation that this node has begun at node `node` is done: what
 * was put is in that node's memory, what was got is here. hlrc_fence_all() does so for all nodes.
 * Handles are ended by neither; hlrc_wait() then returns at once. What other threads of this node
 * begin meanwhile may be waited for, too.
 *
 * SEE ALSO: hlrc_put_nb, hlrc_wait, hlrc_barrier
 */
void hlrc_fence(int node);
void hlrc_fence_all(void);

/**
 * hlrc_rmw, hlrc_rmw_compare - change a word of a window atomically
 *
 * hlrc_rmw() makes *`word`, in the part of a window that belongs to node `node`, what `op` makes of
 * it and the value at `value`, and stores what it was before at `old`, unless that is NULL: with
 * HLRC_SUM it is a fetch-and-add, with HLRC_REPLACE a swap; with HLRC_NO_OP the word is read, and
 * `value` is not looked at. hlrc_rmw_compare() is a compare-and-swap: it stores the value at
 * `desired` in the word if it has the bits of the value at `expected`; if not, it stores what the
 * word was at `expected`. The word is aligned to its size, 4 or 8 bytes.
 *
 * Both happen at once for all threads of all nodes: those on one word one after the other, in the
 * same order for all. A word that they change is not stored to, put to or accumulated into at the
 * same time, by its owner either.
 *
 *     int64_t one = 1, mine;
 *     hlrc_rmw(&window->next, &one, &mine, HLRC_INT64, HLRC_SUM, 0);
 *
 * RETURN VALUE: hlrc_rmw() returns 0, hlrc_rmw_compare() 1 if it stored `desired`, otherwise 0; or
 * a negative errno value: then nothing was changed.
 *
 * ERRORS:
 *     EINVAL  the word is not aligned; or `type` or `op` is none of those listed, or `op` is
 *             bitwise and `type` no integer
 *
 * NOTES: No CPU of that node takes part. Adapters have a fetch-and-add and a compare-and-swap of 8
 * bytes. A sum of 64-bit integers takes one of these, and on one machine a swap of 8 bytes one
 * exchange; all others take compare-and-swaps, of which the first one reads the word, unless it was
 * 0 (or as expected), the second one changes it, and more follow where others change it at the same
 * time. Words of 4 bytes have no operation of their own. On one machine the 8 bytes around them are
 * compared and swapped; over verbs, where that would undo stores to the other 4, they are read and
 * written under the lock of hlrc_acc(), in two round trips or three.
 *
 * SEE ALSO: hlrc_fetch_op, hlrc_mutex_lock, hlrc_window_create
 */
int hlrc_rmw(void *word, const void *value, void *old, hlrc_type type, hlrc_op op, int node);
int hlrc_rmw_compare(void *word, void *expected, const void *desired, hlrc_type type, int node);

/**
 * hlrc_acc, hlrc_acc_strided, hlrc_acc_vector, hlrc_acc_nb, hlrc_acc_strided_nb,
 * hlrc_acc_vector_nb - accumulate into a window of a node
 *
 * hlrc_acc() combines `count` values at `src`, in this node's memory, with those at `dst` in the
 * part of a window that belongs to node `node`: each becomes what `op` makes of it and of the one
 * at `src`. With HLRC_SUM the latter are multiplied first by the value that `scale` points to, of
 * the same type, unless it is NULL. HLRC_INT32 to HLRC_UINT64 are int and long, and there are
 * HLRC_FLOAT, HLRC_DOUBLE, and complex numbers of both, of which there are sums alone. `dst` is
 * aligned to the value, or to half of a complex one.
 *
 * hlrc_acc_strided() and hlrc_acc_vector() do so with pieces, as hlrc_put_strided() and
 * hlrc_put_vector() say; `counts`[0], strides and `len` are in bytes, and whole values. Pieces of
 * `dst` may overlap: what is there twice is combined twice.
 *
 * Each value, or half of a complex one, is changed at once for all threads of all nodes that
 * accumulate; values in one call are not changed together. They are not put to, stored to or
 * operated on by hlrc_rmw() at the same time. When the call returns it is done.
 *
 * hlrc_acc_nb(), hlrc_acc_strided_nb() and hlrc_acc_vector_nb() begin the same, and return when
 * what is left is for adapters alone: the last writes, and to let go of the last lock. `src` may
 * change then. They store a handle at `handle`, or with NULL are waited for by hlrc_fence(), as
 * hlrc_put_nb() says; what others read before hlrc_wait() or hlrc_fence() has returned may be what
 * was there.
 *
 *     double half = 0.5;
 *     hlrc_acc(&window[i], mine, 100, HLRC_DOUBLE, HLRC_SUM, &half, 1);
 *
 * RETURN VALUE: 0, or a negative errno value: then nothing was changed, and there is no handle.
 *
 * ERRORS:
 *     EINVAL  `type` or `op` is none of those listed, or they do not go together; `scale` is not
 *             NULL, and `op` not HLRC_SUM; `dst` or a stride is not aligned; `counts`[0] or `len`
 *             is not of whole values
 *
 * NOTES: Adapters have no such operation: the values are read, combined here and written back,
 * under a lock, of which each 16 KiB of a part have one. No CPU of that node takes part. It costs
 * two round trips where the adapter keeps reads in order, else three, for each of these 16 KiB
 * that a call has values in, and it waits for others that accumulate there. Calls that begin save
 * one of these round trips for each 16 KiB. On one machine 8
 * bytes take six times as long as by hlrc_put(), 4 KiB eight times, 1 MiB four to five times; a sum
 * of 64-bit integers that is alone is cheaper by hlrc_rmw().
 *
 * SEE ALSO: hlrc_put_strided, hlrc_put_vector, hlrc_rmw
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
 * hlrc_mutex_lock, hlrc_mutex_unlock - mutual exclusion beside put and get
 *
 * Each node has mutexes with the numbers 0 to HLRC_MUTEXES-1, from hlrc_init() on.
 * hlrc_mutex_lock() waits until no other thread of any node has mutex number `mutex` of node
 * `node`, and takes it; those that wait get it in turn. hlrc_mutex_unlock() lets go of it.
 *
 * What a thread has put, when the call or hlrc_fence() has returned, the next one that has the
 * mutex gets. Shared memory is not ordered: that takes hlrc_lock().
 *
 * NOTES: No CPU of that node takes part. Where nobody else has the mutex it costs a round trip to
 * take it, and one to let go. Threads that wait for each other's mutexes wait for ever: that is not
 * found, as it is of locks, but hlrcrun --watchdog names what they wait for. A mutex that is no
 * such number, or the unlock of one that no thread of the node holds, ends the job, as does a
 * fabric without atomics.
 *
 * SEE ALSO: hlrc_put, hlrc_rmw, hlrc_lock
 */
void hlrc_mutex_lock(unsigned mutex, int node);
void hlrc_mutex_unlock(unsigned mutex, int node);

#ifdef __cplusplus
}
#endif

#endif
