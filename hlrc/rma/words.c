/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* words.c - one family of atomic operations (hlrc_word_fetch), with types and memory orders, above
 * the operations of each kind of word. */
#include <errno.h>
#include <hlrc.h>
#include <string.h>

#include "base/diag.h"
#include "hlrc/core/call.h"
#include "hlrc/core/engine.h"
#include "hlrc/sync/change.h"
#include "hlrc/sync/combine.h"

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
    if (c->op == HLRC_REPLACE)
        return hlrc_atomic_exchange(word, c->value);
    uint64_t seen = hlrc_atomic_load(word);
    while (c->op != HLRC_NO_OP && !hlrc_atomic_compare_exchange(word, &seen, change_of(c, seen)))
        ;
    return seen;
}

static int words_atomic_fetch(hlrc_atomic_t word, hlrc_type type, hlrc_op op, const void *value,
                              void *old)
{
    struct change c;
    if ((type != HLRC_INT64 && type != HLRC_UINT64) || !change_make(type, op, value, &c))
        return -EINVAL;
    uint64_t was = words_atomic_change(word, &c);
    if (old)
        memcpy(old, &was, sizeof was);
    return 0;
}

static int words_atomic_compare(hlrc_atomic_t word, hlrc_type type, void *expected,
                                const void *desired)
{
    uint64_t seen, wanted;
    if (type != HLRC_INT64 && type != HLRC_UINT64)
        return -EINVAL;
    memcpy(&seen, expected, sizeof seen);
    memcpy(&wanted, desired, sizeof wanted);
    int done = hlrc_atomic_compare_exchange(word, &seen, wanted);
    if (!done)
        memcpy(expected, &seen, sizeof seen);
    return done;
}

/* ---- the calls ---- */

static int words_fetch(hlrc_word_t word, hlrc_type type, hlrc_op op, const void *value, void *old)
{
    if (word.node == ATOMIC)
        return words_atomic_fetch((hlrc_atomic_t){ word.id }, type, op, value, old);
    if (word.node == HLRC_HOMES)
        return hlrc_fetch_op(word.addr, value, old, type, op);
    return hlrc_rmw(word.addr, value, old, type, op, word.node);
}

static int words_compare(hlrc_word_t word, hlrc_type type, void *expected, const void *desired)
{
    if (word.node == ATOMIC)
        return words_atomic_compare((hlrc_atomic_t){ word.id }, type, expected, desired);
    if (word.node == HLRC_HOMES)
        return hlrc_compare_swap(word.addr, expected, desired, type);
    return hlrc_rmw_compare(word.addr, expected, desired, type, word.node);
}

int hlrc_word_fetch(hlrc_word_t word, hlrc_type type, hlrc_op op, const void *value, void *old,
                    hlrc_order order)
{
    call_check("hlrc_word_fetch");
    if (op != HLRC_NO_OP)
        call_check_given("hlrc_word_fetch", "value", value);
    int rc = words_order_before(order);
    return rc ? rc : words_order_after(order, words_fetch(word, type, op, value, old));
}

int hlrc_word_compare(hlrc_word_t word, hlrc_type type, void *expected, const void *desired,
                      hlrc_order order)
{
    call_check("hlrc_word_compare");
    call_check_given("hlrc_word_compare", "expected", expected);
    call_check_given("hlrc_word_compare", "desired", desired);
    int rc = words_order_before(order);
    return rc ? rc : words_order_after(order, words_compare(word, type, expected, desired));
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
