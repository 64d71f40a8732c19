/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Part of the public interface, included by hlrc.h: atomic words, and atomic operations on shared
 * memory. hlrc.h describes the form of a block. */
#ifndef HLRC_API_ATOMIC_H
#define HLRC_API_ATOMIC_H

#include <stdint.h>

#include "hlrc_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An atomic 64-bit word at its home node: a plain value, as other handles. */
typedef struct {
    uint32_t id;
} hlrc_atomic_t;

/**
 * hlrc_atomic_create, hlrc_atomic_destroy - create and destroy an atomic word
 *
 * hlrc_atomic_create() stores in *`word` the handle of a new 64-bit word with the value `value`.
 * Every node that has the handle may use it. The word is not part of the shared space.
 * hlrc_atomic_destroy() removes it; its handle may be reused.
 *
 * RETURN VALUE: hlrc_atomic_create() returns 0, or a negative errno value and leaves *`word`
 * unchanged.
 *
 * ERRORS:
 *     ENOMEM  no more atomic words
 *
 * SEE ALSO: hlrc_atomic_load
 */
int hlrc_atomic_create(hlrc_atomic_t *word, uint64_t value);
void hlrc_atomic_destroy(hlrc_atomic_t word);

/**
 * hlrc_atomic_load, hlrc_atomic_fetch_add, hlrc_atomic_exchange, hlrc_atomic_compare_exchange -
 * atomic operations
 *
 * Operations on one word have a single order, the same for all nodes. hlrc_atomic_fetch_add() adds
 * `value` modulo 2^64, hlrc_atomic_exchange() stores `value`. hlrc_atomic_compare_exchange()
 * stores `desired` if the word equals *`expected`; if not, it stores the value of the word in
 * *`expected`.
 *
 * They are short forms of hlrc_word_fetch() and hlrc_word_compare() with HLRC_RELAXED: they do not
 * order memory. A thread that learns through such a word that data is ready has not acquired that
 * data.
 *
 * RETURN VALUE: The first three return the previous value of the word.
 * hlrc_atomic_compare_exchange() returns 1 if it stored `desired`, otherwise 0.
 *
 * NOTES: A word suits a ticket counter or a list of tasks. To pass data on, use a lock or a
 * barrier. Atomics of the C language are no substitute in shared memory: see hlrc(7).
 *
 * SEE ALSO: hlrc_atomic_create, hlrc_word_fetch, hlrc_lock
 */
uint64_t hlrc_atomic_load(hlrc_atomic_t word);
uint64_t hlrc_atomic_fetch_add(hlrc_atomic_t word, uint64_t value);
uint64_t hlrc_atomic_exchange(hlrc_atomic_t word, uint64_t value);
int hlrc_atomic_compare_exchange(hlrc_atomic_t word, uint64_t *expected, uint64_t desired);

/* The name of a word: its kind and its place. A plain value, which may be passed to other nodes.
 * Its fields are of this library. */
typedef struct {
    void *addr;
    int32_t node;
    uint32_t id;
} hlrc_word_t;

/**
 * hlrc_word_shared, hlrc_word_window, hlrc_word_atomic - name a word for atomic operations
 *
 * hlrc_word_shared() names the word of shared memory at `addr`, hlrc_word_window() that at `addr`
 * in the part of a window that belongs to node `node`, hlrc_word_atomic() the one that
 * hlrc_atomic_create() made. The three kinds have the same operations: hlrc_word_fetch(),
 * hlrc_word_compare() and hlrc_word_fetch_nb().
 *
 * A word of shared memory may be loaded and stored, too. Its page is not moved, and nothing is
 * published. For loads, an operation counts as a store of the caller in its current interval: a
 * later acquirer from the caller sees the result of this operation, or of a later one. An operation
 * sees each store to the word that happened before it. A store that may be concurrent with an
 * operation is a data race. While operations may change a word of a window, no thread, of its owner
 * either, may store to it, put to it or accumulate into it.
 *
 * RETURN VALUE: The name of the word. It may be kept, and stored in shared memory.
 *
 * NOTES: hlrc_word_window() with a negative node ends the job.
 *
 * SEE ALSO: hlrc_word_fetch, hlrc_window_create, hlrc_atomic_create
 */
hlrc_word_t hlrc_word_shared(void *addr);
hlrc_word_t hlrc_word_window(void *addr, int node);
hlrc_word_t hlrc_word_atomic(hlrc_atomic_t word);

/**
 * hlrc_word_fetch, hlrc_word_compare, hlrc_word_fetch_nb - atomic operations on a word of any kind
 *
 * hlrc_word_fetch() replaces the word by the result of `op` on it and the value at `value`, and
 * stores its previous value at `old`, unless that is NULL. With HLRC_SUM it is a fetch-and-add,
 * with HLRC_REPLACE a swap; with HLRC_NO_OP it only reads the word, and ignores `value`.
 * hlrc_word_compare() is a compare-and-swap: it stores the value at `desired` if the word has the
 * bits of the value at `expected`; if not, it stores the value of the word at `expected`. The word
 * is aligned to its size, 4 or 8 bytes.
 *
 * Operations on one word have a single order, the same for all threads of all nodes. What they
 * order beside that, `order` says. HLRC_RELAXED orders nothing: a thread that learns through the
 * word that data is ready has not acquired that data. HLRC_RELEASE makes all that the caller has
 * written or seen visible to a thread that later performs an operation with HLRC_ACQUIRE on the
 * same word. HLRC_ACQ_REL is both.
 *
 *     data = 5;
 *     hlrc_word_fetch_int32(hlrc_word_shared(&flag), HLRC_REPLACE, 1, HLRC_RELEASE);
 *
 *     while (hlrc_word_fetch_int32(hlrc_word_shared(&flag), HLRC_NO_OP, 0, HLRC_ACQUIRE) == 0)
 *         ;
 *     use(data);
 *
 * hlrc_word_fetch_nb() starts the operation of hlrc_word_fetch() with HLRC_RELAXED, and may return
 * before it is performed. The value is read before it returns; `old` belongs to the operation until
 * it is complete. It stores a handle at `handle`, for hlrc_wait(), or with NULL is completed by
 * hlrc_fence(). The node may postpone an operation until it has 1,024 of them, or waits: other
 * nodes may not see it before. Operations in progress are unordered, also on one word.
 *
 * RETURN VALUE: hlrc_word_fetch() and hlrc_word_fetch_nb() return 0, hlrc_word_compare() 1 if it
 * stored `desired`, otherwise 0; or a negative errno value: then nothing was changed, and no handle
 * was made.
 *
 * ERRORS:
 *     EINVAL   `type`, `op` or `order` is none of those listed, or they do not fit each other; the
 *              word is not aligned, or not in shared memory; a word of hlrc_atomic_create() is
 *              not of HLRC_INT64 or HLRC_UINT64
 *     ENOTSUP  `order` acquires, and the fabric has no reads; or a word of shared memory has 4
 *              bytes, with an adapter whose atomic operations would undo stores to the adjacent
 *              bytes (ARDMAR and ONESIDED over verbs): use 8 bytes, or a lock
 *
 * NOTES: An acquire reads a word of each other node. A word of hlrc_word_window() at no node of the
 * job, or outside all windows, ends the job.
 *
 * No CPU of the node that holds the word takes part, except with protocols that fetch pages by
 * requests: there the home's handler performs operations on shared memory. Adapters have a
 * fetch-and-add and a compare-and-swap of 8 bytes. A sum of 64-bit integers takes one of these, and
 * on one machine a swap of 8 bytes takes one exchange. All others take compare-and-swaps: the first
 * reads the word, unless it was as guessed, the second changes it, and more follow while others
 * change it. Words of 4 bytes have no adapter operation. On one machine the surrounding 8 bytes are
 * compared and swapped. Over verbs, where that would undo stores to the other 4, words of windows
 * are read and written under the lock of hlrc_acc(), in two or three round trips.
 *
 * hlrc_word_fetch_nb() has sums and bitwise operations of 64-bit integers, and swaps of 8 bytes, on
 * words of windows in flight together: 1,024 take about as many round trips as one. Other
 * operations, and those whose `old` lies in shared memory, are complete when it returns.
 *
 * SEE ALSO: hlrc_word_shared, hlrc_word_fetch_int64, hlrc_acquire, hlrc_reduce, hlrc_lock
 */
int hlrc_word_fetch(hlrc_word_t word, hlrc_type type, hlrc_op op, const void *value, void *old,
                    hlrc_order order);
int hlrc_word_compare(hlrc_word_t word, hlrc_type type, void *expected, const void *desired,
                      hlrc_order order);
int hlrc_word_fetch_nb(hlrc_word_t word, hlrc_type type, hlrc_op op, const void *value, void *old,
                       hlrc_handle_t *handle);

/**
 * hlrc_word_fetch_int32, hlrc_word_fetch_uint32, hlrc_word_fetch_int64, hlrc_word_fetch_uint64,
 * hlrc_word_fetch_float, hlrc_word_fetch_double, hlrc_word_compare_int32, hlrc_word_compare_uint32,
 * hlrc_word_compare_int64, hlrc_word_compare_uint64, hlrc_word_compare_float,
 * hlrc_word_compare_double - typed atomic operations on a word of any kind
 *
 * hlrc_word_fetch() and hlrc_word_compare() for one type. `value` is ignored with HLRC_NO_OP.
 *
 * RETURN VALUE: The first six return the previous value of the word, the others 1 if they stored
 * `desired`, otherwise 0; then *`expected` is the value of the word.
 *
 * NOTES: An error of hlrc_word_fetch() ends the job.
 *
 * SEE ALSO: hlrc_word_fetch, hlrc_word_shared
 */
int32_t hlrc_word_fetch_int32(hlrc_word_t word, hlrc_op op, int32_t value, hlrc_order order);
uint32_t hlrc_word_fetch_uint32(hlrc_word_t word, hlrc_op op, uint32_t value, hlrc_order order);
int64_t hlrc_word_fetch_int64(hlrc_word_t word, hlrc_op op, int64_t value, hlrc_order order);
uint64_t hlrc_word_fetch_uint64(hlrc_word_t word, hlrc_op op, uint64_t value, hlrc_order order);
float hlrc_word_fetch_float(hlrc_word_t word, hlrc_op op, float value, hlrc_order order);
double hlrc_word_fetch_double(hlrc_word_t word, hlrc_op op, double value, hlrc_order order);
int hlrc_word_compare_int32(hlrc_word_t word, int32_t *expected, int32_t desired, hlrc_order order);
int hlrc_word_compare_uint32(hlrc_word_t word, uint32_t *expected, uint32_t desired,
                             hlrc_order order);
int hlrc_word_compare_int64(hlrc_word_t word, int64_t *expected, int64_t desired, hlrc_order order);
int hlrc_word_compare_uint64(hlrc_word_t word, uint64_t *expected, uint64_t desired,
                             hlrc_order order);
int hlrc_word_compare_float(hlrc_word_t word, float *expected, float desired, hlrc_order order);
int hlrc_word_compare_double(hlrc_word_t word, double *expected, double desired, hlrc_order order);

/**
 * hlrc_fetch_op, hlrc_compare_swap, hlrc_rmw, hlrc_rmw_nb, hlrc_rmw_compare - deprecated names
 *
 * These names are deprecated: the next release removes them. hlrc_fetch_op() is hlrc_word_fetch(),
 * and hlrc_compare_swap() is hlrc_word_compare(), on hlrc_word_shared() of `word`. hlrc_rmw() is
 * hlrc_word_fetch(), hlrc_rmw_nb() is hlrc_word_fetch_nb(), and hlrc_rmw_compare() is
 * hlrc_word_compare(), on hlrc_word_window() of `word` and `node`. All have HLRC_RELAXED.
 *
 * RETURN VALUE: As the new calls.
 *
 * SEE ALSO: hlrc_word_fetch
 */
HLRC_DEPRECATED("use hlrc_word_fetch")
int hlrc_fetch_op(void *word, const void *value, void *old, hlrc_type type, hlrc_op op);
HLRC_DEPRECATED("use hlrc_word_compare")
int hlrc_compare_swap(void *word, void *expected, const void *desired, hlrc_type type);
HLRC_DEPRECATED("use hlrc_word_fetch")
int hlrc_rmw(void *word, const void *value, void *old, hlrc_type type, hlrc_op op, int node);
HLRC_DEPRECATED("use hlrc_word_fetch_nb")
int hlrc_rmw_nb(void *word, const void *value, void *old, hlrc_type type, hlrc_op op, int node,
                hlrc_handle_t *handle);
HLRC_DEPRECATED("use hlrc_word_compare")
int hlrc_rmw_compare(void *word, void *expected, const void *desired, hlrc_type type, int node);

#ifdef __cplusplus
}
#endif

#endif
