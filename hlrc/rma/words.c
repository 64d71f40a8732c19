/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* words.c - atomic operations with types and memory orders (hlrc_word_fetch), above the operations
 * of each kind of word. */
#include <errno.h>
#include <hlrc.h>
#include <string.h>

#include "base/diag.h"
#include "hlrc/core/call.h"
#include "hlrc/core/engine.h"
#include "hlrc/rma/handle.h"
#include "hlrc/rma/rmw.h"
#include "hlrc/sync/change.h"
#include "hlrc/sync/combine.h"
#include "hlrc/sync/word.h"

/* In `node`, in place of a node: an hlrc_atomic_t; HLRC_HOMES: shared memory. */
#define ATOMIC (-2)

hlrc_word_t hlrc_word_shared(void *addr)
{
    return (hlrc_word_t){ .addr = addr, .node = HLRC_HOMES };
}

hlrc_word_t hlrc_word_window(void *addr, int node)
{
    if (node < 0)
        diag_fatal(1, "hlrc_word_window(%p, %d): there is no such node; nodes count from 0", addr,
                   node);
    return (hlrc_word_t){ .addr = addr, .node = node };
}

hlrc_word_t hlrc_word_atomic(hlrc_atomic_t word)
{
    return (hlrc_word_t){ .id = word.id, .node = ATOMIC };
}

/* ---- orders ---- */

static bool words_order_acquires(hlrc_order order)
{
    return order == HLRC_ACQUIRE || order == HLRC_ACQ_REL;
}

/* Before the operation. 0, or the error that hlrc_acquire would return after it. */
static int words_order_before(hlrc_order order)
{
    if (order > HLRC_ACQ_REL)
        return -EINVAL;
    if (words_order_acquires(order) && !engine.alone && !(engine.fabric->caps & FABRIC_READ))
        return -ENOTSUP;
    if (order == HLRC_RELEASE || order == HLRC_ACQ_REL)
        hlrc_release();
    return 0;
}

/* [order.read-last] */
static int words_order_after(hlrc_order order, int rc)
{
    if (rc >= 0 && words_order_acquires(order))
        (void)hlrc_acquire();
    return rc;
}

/* ---- words of hlrc_atomic_create ---- */

static uint64_t words_atomic_change(hlrc_atomic_t word, const struct change *c)
{
    if (c->op == HLRC_SUM)
        return hlrc_atomic_fetch_add(word, c->value);
    if (c->op == HLRC_REPLACE && !c->compares)
        return hlrc_atomic_exchange(word, c->value);
    uint64_t seen = c->compares ? c->expected : hlrc_atomic_load(word);
    while (change_stores(c, seen) && !hlrc_atomic_compare_exchange(word, &seen, change_of(c, seen)))
        ;
    return seen;
}

static int words_atomic_perform(hlrc_atomic_t word, const struct change *c, uint64_t *old)
{
    if (c->type != HLRC_INT64 && c->type != HLRC_UINT64)
        return -EINVAL;
    *old = words_atomic_change(word, c);
    return 0;
}

/* ---- the calls ---- */

/* Returns 0 and the old value of the word, or a negative errno value. */
static int words_perform(const char *call, hlrc_word_t word, const struct change *c, uint64_t *old)
{
    if (word.node == ATOMIC)
        return words_atomic_perform((hlrc_atomic_t){ word.id }, c, old);
    if (word.node == HLRC_HOMES)
        return word_perform(word.addr, c, old);
    return rmw_perform(call, word.addr, c, word.node, old);
}

static int words_change_make(const char *call, hlrc_type type, hlrc_op op, const void *value,
                             struct change *c)
{
    call_check(call);
    if (op != HLRC_NO_OP)
        call_check_given(call, "value", value);
    return change_make(type, op, value, c) ? 0 : -EINVAL;
}

static int words_fetch(const char *call, hlrc_word_t word, const struct change *c, void *old)
{
    uint64_t was = 0;
    int rc = words_perform(call, word, c, &was);
    if (rc == 0 && old)
        memcpy(old, &was, combine_bytes(c->type));
    return rc;
}

int hlrc_word_fetch(hlrc_word_t word, hlrc_type type, hlrc_op op, const void *value, void *old,
                    hlrc_order order)
{
    struct change c;
    int rc = words_change_make("hlrc_word_fetch", type, op, value, &c);
    if (rc == 0)
        rc = words_order_before(order);
    return rc ? rc : words_order_after(order, words_fetch("hlrc_word_fetch", word, &c, old));
}

int hlrc_word_fetch_nb(hlrc_word_t word, hlrc_type type, hlrc_op op, const void *value, void *old,
                       hlrc_handle_t *handle)
{
    struct change c;
    int rc = words_change_make("hlrc_word_fetch_nb", type, op, value, &c);
    if (rc)
        return rc;
    if (word.node >= 0 && rmw_queues(&c, old))
        return rmw_start("hlrc_word_fetch_nb", word.addr, &c, old, word.node, handle);
    rc = words_fetch("hlrc_word_fetch_nb", word, &c, old);
    if (rc == 0 && handle)
        *handle = (hlrc_handle_t){ handle_done() };
    return rc;
}

int hlrc_word_compare(hlrc_word_t word, hlrc_type type, void *expected, const void *desired,
                      hlrc_order order)
{
    call_check("hlrc_word_compare");
    call_check_given("hlrc_word_compare", "expected", expected);
    call_check_given("hlrc_word_compare", "desired", desired);
    int rc = combine_knows(type, HLRC_SUM) ? words_order_before(order) : -EINVAL;
    if (rc)
        return rc;
    struct change c = change_if(type, expected, desired);
    uint64_t was = 0;
    rc = words_perform("hlrc_word_compare", word, &c, &was);
    return words_order_after(order, rc ? rc : change_was(&c, was, expected));
}

/* ---- names of before 1.0 ---- */

int hlrc_fetch_op(void *word, const void *value, void *old, hlrc_type type, hlrc_op op)
{
    return hlrc_word_fetch(hlrc_word_shared(word), type, op, value, old, HLRC_RELAXED);
}

int hlrc_compare_swap(void *word, void *expected, const void *desired, hlrc_type type)
{
    return hlrc_word_compare(hlrc_word_shared(word), type, expected, desired, HLRC_RELAXED);
}

int hlrc_rmw(void *word, const void *value, void *old, hlrc_type type, hlrc_op op, int node)
{
    return hlrc_word_fetch(hlrc_word_window(word, node), type, op, value, old, HLRC_RELAXED);
}

int hlrc_rmw_nb(void *word, const void *value, void *old, hlrc_type type, hlrc_op op, int node,
                hlrc_handle_t *handle)
{
    return hlrc_word_fetch_nb(hlrc_word_window(word, node), type, op, value, old, handle);
}

int hlrc_rmw_compare(void *word, void *expected, const void *desired, hlrc_type type, int node)
{
    return hlrc_word_compare(hlrc_word_window(word, node), type, expected, desired, HLRC_RELAXED);
}

/* ---- by type ---- */

static void words_require(const char *call, int rc)
{
    if (rc < 0)
        diag_fatal(1, "%s: %s; hlrc_word_fetch(3) lists the types and operations of each word",
                   call, hlrc_strerror(rc));
}

#define TYPED(T, N, TYPE)                                                                 \
    T hlrc_word_fetch_##N(hlrc_word_t word, hlrc_op op, T value, hlrc_order order)        \
    {                                                                                     \
        T old = 0;                                                                        \
        words_require("hlrc_word_fetch_" #N,                                              \
                      hlrc_word_fetch(word, TYPE, op, &value, &old, order));              \
        return old;                                                                       \
    }                                                                                     \
    int hlrc_word_compare_##N(hlrc_word_t word, T *expected, T desired, hlrc_order order) \
    {                                                                                     \
        int rc = hlrc_word_compare(word, TYPE, expected, &desired, order);                \
        words_require("hlrc_word_compare_" #N, rc);                                       \
        return rc;                                                                        \
    }
TYPED(int32_t, int32, HLRC_INT32)
TYPED(uint32_t, uint32, HLRC_UINT32)
TYPED(int64_t, int64, HLRC_INT64)
TYPED(uint64_t, uint64, HLRC_UINT64)
TYPED(float, float, HLRC_FLOAT)
TYPED(double, double, HLRC_DOUBLE)
