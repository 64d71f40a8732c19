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
 * They do not order memory: a thread that learns through an atomic word that data is ready has not
 * acquired that data.
 *
 * RETURN VALUE: The first three return the previous value of the word.
 * hlrc_atomic_compare_exchange() returns 1 if it stored `desired`, otherwise 0.
 *
 * NOTES: A word suits a ticket counter or a list of tasks. To pass data on, use a lock or a
 * barrier. Atomics of the C language are no substitute in shared memory: see hlrc(7).
 *
 * SEE ALSO: hlrc_atomic_create, hlrc_lock
 */
uint64_t hlrc_atomic_load(hlrc_atomic_t word);
uint64_t hlrc_atomic_fetch_add(hlrc_atomic_t word, uint64_t value);
uint64_t hlrc_atomic_exchange(hlrc_atomic_t word, uint64_t value);
int hlrc_atomic_compare_exchange(hlrc_atomic_t word, uint64_t *expected, uint64_t desired);

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

/* Where a word is, and of which kind: a plain value. Its fields are of this library. */
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
 * hlrc_atomic_create() made. The three kinds have the same operations, hlrc_word_fetch() and
 * hlrc_word_compare(). The names of a word may be passed to other nodes.
 *
 * RETURN VALUE: The name of the word. It may be kept.
 *
 * SEE ALSO: hlrc_word_fetch, hlrc_window_create, hlrc_atomic_create
 */
hlrc_word_t hlrc_word_shared(void *addr);
hlrc_word_t hlrc_word_window(void *addr, int node);
hlrc_word_t hlrc_word_atomic(hlrc_atomic_t word);

/**
 * hlrc_word_fetch, hlrc_word_compare - atomic operations on a word of any kind
 *
 * hlrc_word_fetch() replaces the word by the result of `op` on it and the value at `value`, and
 * stores its previous value at `old`, unless that is NULL. With HLRC_REPLACE the word becomes the
 * value; with HLRC_NO_OP it is only read, and `value` is ignored. hlrc_word_compare() stores the
 * value at `desired` if the word has the bits of the value at `expected`; if not, it stores the
 * value of the word at `expected`.
 *
 * Operations on one word have a single order, the same for all threads of all nodes. What they
 * order beside that, `order` says. HLRC_RELAXED orders nothing. HLRC_RELEASE makes all that the
 * caller has written or seen visible to a thread that later performs an operation with HLRC_ACQUIRE
 * on the same word. HLRC_ACQ_REL is both.
 *
 *     data = 5;
 *     hlrc_word_fetch_int32(hlrc_word_shared(&flag), HLRC_REPLACE, 1, HLRC_RELEASE);
 *
 *     while (hlrc_word_fetch_int32(hlrc_word_shared(&flag), HLRC_NO_OP, 0, HLRC_ACQUIRE) == 0)
 *         ;
 *     use(data);
 *
 * RETURN VALUE: hlrc_word_fetch() returns 0, hlrc_word_compare() 1 if it stored `desired`,
 * otherwise 0; or a negative errno value: then nothing was changed.
 *
 * ERRORS:
 *     EINVAL   `type`, `op` or `order` is none of those listed, or they do not fit each other; the
 *              word is not aligned, or not in shared memory; a word of hlrc_atomic_create() is
 *              not of HLRC_INT64 or HLRC_UINT64
 *     ENOTSUP  `order` acquires, and the fabric has no reads; or as hlrc_fetch_op()
 *
 * NOTES: hlrc_fetch_op(), hlrc_rmw() and hlrc_atomic_fetch_add() are the same operations on one
 * kind of word each, with HLRC_RELAXED; their pages say what they cost. An acquire reads a word of
 * each other node. A word of hlrc_word_window() at no node of the job, or outside all windows, ends
 * the job.
 *
 * SEE ALSO: hlrc_word_shared, hlrc_word_fetch_int64, hlrc_acquire
 */
int hlrc_word_fetch(hlrc_word_t word, hlrc_type type, hlrc_op op, const void *value, void *old,
                    hlrc_order order);
int hlrc_word_compare(hlrc_word_t word, hlrc_type type, void *expected, const void *desired,
                      hlrc_order order);

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

#ifdef __cplusplus
}
#endif

#endif
