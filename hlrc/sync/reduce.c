/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * reduce.c - hlrc_reduce: values of all nodes made one, by parcels.
 *
 * Of few nodes each sends its values to all others, meets them, and combines what has come: one
 * barrier. Of many each sends its own to node 0, which sends back what they make: two barriers, and
 * two parcels for each node. Values that do not fit into a parcel go in pieces.
 *
 * Invariants
 *   RD1  Whoever combines begins with node 0's values and goes on in the order of nodes. So all
 *        nodes have the same bits, whatever rounding does, and have them again in the next run.
 */
#include <errno.h>
#include <hlrc.h>
#include <string.h>

#include "base/diag.h"
#include "hlrc/call.h"
#include "hlrc/engine.h"
#include "hlrc/progress/stats.h"
#include "hlrc/progress/thread.h"
#include "hlrc/sync/parcel.h"

#define ROOT    0  /* where many meet */
#define FEW     16 /* nodes that send to each other */
#define ALIGNED 16 /* of the values in a parcel */

/* Of a parcel, before its values: what the node was called with. */
struct head {
    uint64_t step, count;
    uint32_t type, op;
    char pad[8];
};

static_assert(sizeof(struct head) % ALIGNED == 0, "values behind it are aligned");

struct reduction {
    size_t count;
    hlrc_type type;
    hlrc_op op;
    size_t bytes; /* of one value */
};

static const struct {
    const char *name;
    size_t bytes;
    bool bits; /* it has bitwise operations */
} types[] = {
    [HLRC_INT32] = { "HLRC_INT32", 4, true },  [HLRC_UINT32] = { "HLRC_UINT32", 4, true },
    [HLRC_INT64] = { "HLRC_INT64", 8, true },  [HLRC_UINT64] = { "HLRC_UINT64", 8, true },
    [HLRC_FLOAT] = { "HLRC_FLOAT", 4, false }, [HLRC_DOUBLE] = { "HLRC_DOUBLE", 8, false },
};
static const char *const ops[] = {
    [HLRC_SUM] = "HLRC_SUM", [HLRC_PRODUCT] = "HLRC_PRODUCT", [HLRC_MIN] = "HLRC_MIN",
    [HLRC_MAX] = "HLRC_MAX", [HLRC_AND] = "HLRC_AND",         [HLRC_OR] = "HLRC_OR",
    [HLRC_XOR] = "HLRC_XOR",
};

/* ---- one value and another ---- */

#define EACH(expression)             \
    for (size_t i = 0; i < n; i++) { \
        a[i] = (expression);         \
    }                                \
    return

/* Sums and products of integers wrap: they are made without a sign. */
#define ARITHMETIC(T, U)                 \
    case HLRC_SUM:                       \
        EACH((T)((U)a[i] + (U)b[i]));    \
    case HLRC_PRODUCT:                   \
        EACH((T)((U)a[i] * (U)b[i]));    \
    case HLRC_MIN:                       \
        EACH(b[i] < a[i] ? b[i] : a[i]); \
    case HLRC_MAX:                       \
        EACH(b[i] > a[i] ? b[i] : a[i])
#define BITS               \
    case HLRC_AND:         \
        EACH(a[i] & b[i]); \
    case HLRC_OR:          \
        EACH(a[i] | b[i]); \
    case HLRC_XOR:         \
        EACH(a[i] ^ b[i])

#define COMBINE(name, T, U, bits)                                      \
    static void combine_##name(T *a, const T *b, size_t n, hlrc_op op) \
    {                                                                  \
        switch (op) {                                                  \
            ARITHMETIC(T, U);                                          \
            bits;                                                      \
        default:                                                       \
            return;                                                    \
        }                                                              \
    }
COMBINE(int32, int32_t, uint32_t, BITS)
COMBINE(uint32, uint32_t, uint32_t, BITS)
COMBINE(int64, int64_t, uint64_t, BITS)
COMBINE(uint64, uint64_t, uint64_t, BITS)
COMBINE(float, float, float, )
COMBINE(double, double, double, )

/* a = a op b, of n values each. */
static void combine(const struct reduction *r, void *a, const void *b, size_t n)
{
    switch (r->type) {
    case HLRC_INT32:
        combine_int32(a, b, n, r->op);
        return;
    case HLRC_UINT32:
        combine_uint32(a, b, n, r->op);
        return;
    case HLRC_INT64:
        combine_int64(a, b, n, r->op);
        return;
    case HLRC_UINT64:
        combine_uint64(a, b, n, r->op);
        return;
    case HLRC_FLOAT:
        combine_float(a, b, n, r->op);
        return;
    case HLRC_DOUBLE:
        combine_double(a, b, n, r->op);
        return;
    }
}

/* ---- parcels ---- */

static struct head head_of(const struct reduction *r)
{
    return (struct head){
        .step = parcel_step(), .count = r->count, .type = (uint32_t)r->type, .op = (uint32_t)r->op
    };
}

/* The values that a node has sent, which was called with the same. */
static const char *values_from(const struct reduction *r, int node)
{
    const char *parcel = parcel_from(node);
    struct head mine = head_of(r), its;
    memcpy(&its, parcel, sizeof its);
    if (memcmp(&mine, &its, sizeof mine) != 0)
        diag_fatal(1,
                   "hlrc_reduce(%zu, %s, %s) here, but other values on node %d; all nodes make the "
                   "same collective calls with the same arguments",
                   r->count, types[r->type].name, ops[r->op], node);
    return parcel + sizeof its;
}

/* This node's parcel: head and values. Without an engine lock: they may be shared memory. */
static size_t pack(const struct reduction *r, const char *values, size_t n)
{
    char *parcel = parcel_begin();
    struct head head = head_of(r);
    memcpy(parcel, &head, sizeof head);
    if (n) /* else it may be NULL */
        memcpy(parcel + sizeof head, values, n * r->bytes);
    return sizeof head + n * r->bytes;
}

/* RD1. */
static void combine_all(const struct reduction *r, char *sum, size_t n)
{
    memcpy(sum, values_from(r, 0), n * r->bytes);
    for (int node = 1; node < engine.nodes; node++)
        combine(r, sum, values_from(r, node), n);
}

static void reduce_piece(const struct reduction *r, const char *in, char *out, size_t n)
{
    _Alignas(ALIGNED) char sum[1024];
    bool few = engine.nodes <= FEW;
    size_t bytes = pack(r, in, n);
    if (few)
        parcel_send_all(bytes);
    else if (engine.node != ROOT)
        parcel_send(ROOT, bytes);
    parcel_meet(MEETING_REDUCE);
    if (few || engine.node == ROOT)
        combine_all(r, sum, n);
    if (!few) {
        bytes = pack(r, sum, n);
        if (engine.node == ROOT)
            parcel_send_all(bytes);
        parcel_meet(MEETING_REDUCE);
        if (engine.node != ROOT)
            memcpy(sum, values_from(r, ROOT), n * r->bytes);
    }
    if (n)
        memcpy(out, sum, n * r->bytes);
}

/* ---- the call ---- */

static bool is_known(hlrc_type type, hlrc_op op)
{
    return (size_t)type < sizeof types / sizeof types[0] &&
           (size_t)op < sizeof ops / sizeof ops[0] && (op < HLRC_AND || types[type].bits);
}

int hlrc_reduce(const void *in, void *out, size_t count, hlrc_type type, hlrc_op op)
{
    call_check("hlrc_reduce");
    if (!is_known(type, op))
        return -EINVAL;
    struct reduction r = { count, type, op, types[type].bytes };
    if (engine.alone) {
        if (count)
            memmove(out, in, count * r.bytes);
        return 0;
    }
    size_t room = (parcel_bytes(engine.nodes) - sizeof(struct head)) / r.bytes, done = 0;
    struct thread *t = thread_self();
    enum stats_category before = stats_enter(t, STATS_BARRIER);
    do { /* for no values at all, too: it orders memory */
        size_t n = count - done < room ? count - done : room;
        size_t at = done * r.bytes;
        reduce_piece(&r, at ? (const char *)in + at : in, at ? (char *)out + at : out, n);
        done += n;
    } while (done < count);
    stats_enter(t, before);
    return 0;
}
