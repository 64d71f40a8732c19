/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * reduce.c - hlrc_reduce: reduces values of all nodes to one, by parcels.
 *
 * With few nodes each sends its values to all others, and combines what it received after one
 * barrier. With many nodes each sends its values to node 0, which returns the result: two
 * barriers, and two parcels for each node. Values that do not fit into a parcel are sent in
 * pieces.
 *
 * Invariants
 *   - Values are always combined starting with node 0's, in the order of nodes. So all nodes get
 *     the same bits, whatever rounding does, and get them again in the next run.
 */
#include <errno.h>
#include <hlrc.h>
#include <string.h>

#include "base/diag.h"
#include "hlrc/core/call.h"
#include "hlrc/core/engine.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/thread.h"
#include "hlrc/sync/combine.h"
#include "hlrc/sync/parcel.h"

#define ROOT    0  /* combines the values of many nodes */
#define FEW     16 /* at most this many nodes send to each other */
#define ALIGNED 16 /* alignment of the values in a parcel */

/* Of a parcel, before its values: the arguments of the node's call. */
struct reduce_head {
    uint64_t step, count;
    uint32_t type, op;
    char pad[8];
};

static_assert(sizeof(struct reduce_head) % ALIGNED == 0, "values after it are aligned");

struct reduce_reduction {
    size_t count;
    hlrc_type type;
    hlrc_op op;
    size_t bytes; /* of one value */
};

/* ---- parcels ---- */

static struct reduce_head reduce_head_of(const struct reduce_reduction *r)
{
    return (struct reduce_head){
        .step = parcel_step(), .count = r->count, .type = (uint32_t)r->type, .op = (uint32_t)r->op
    };
}

/* The values that a node sent; checks that it was called with the same arguments. */
static const char *reduce_values_from(const struct reduce_reduction *r, int node)
{
    const char *parcel = parcel_from(node);
    struct reduce_head mine = reduce_head_of(r), its;
    memcpy(&its, parcel, sizeof its);
    if (memcmp(&mine, &its, sizeof mine) != 0)
        diag_fatal(1,
                   "hlrc_reduce(%zu, %s, %s) here, but other values on node %d; all nodes make the "
                   "same collective calls with the same arguments",
                   r->count, combine_type_name(r->type), combine_op_name(r->op), node);
    return parcel + sizeof its;
}

/* This node's parcel: head and values. Holds no engine lock: the values may be in shared
 * memory. */
static size_t reduce_pack(const struct reduce_reduction *r, const char *values, size_t n)
{
    char *parcel = parcel_begin();
    struct reduce_head head = reduce_head_of(r);
    memcpy(parcel, &head, sizeof head);
    if (n) /* else it may be NULL */
        memcpy(parcel + sizeof head, values, n * r->bytes);
    return sizeof head + n * r->bytes;
}

static void reduce_combine_all(const struct reduce_reduction *r, char *sum, size_t n)
{
    memcpy(sum, reduce_values_from(r, 0), n * r->bytes);
    for (int node = 1; node < engine.nodes; node++)
        combine(r->type, r->op, sum, reduce_values_from(r, node), n);
}

static void reduce_piece(const struct reduce_reduction *r, const char *in, char *out, size_t n)
{
    _Alignas(ALIGNED) char sum[1024];
    bool few = engine.nodes <= FEW;
    size_t bytes = reduce_pack(r, in, n);
    if (few)
        parcel_send_all(bytes);
    else if (engine.node != ROOT)
        parcel_send(ROOT, bytes);
    parcel_meet(MEETING_REDUCE);
    if (few || engine.node == ROOT)
        reduce_combine_all(r, sum, n);
    if (!few) {
        bytes = reduce_pack(r, sum, n);
        if (engine.node == ROOT)
            parcel_send_all(bytes);
        parcel_meet(MEETING_REDUCE);
        if (engine.node != ROOT)
            memcpy(sum, reduce_values_from(r, ROOT), n * r->bytes);
    }
    if (n)
        memcpy(out, sum, n * r->bytes);
}

/* ---- the call ---- */

int hlrc_reduce(const void *in, void *out, size_t count, hlrc_type type, hlrc_op op)
{
    call_check("hlrc_reduce");
    if (count) {
        call_check_given("hlrc_reduce", "in", in);
        call_check_given("hlrc_reduce", "out", out);
    }
    if (!combine_knows(type, op))
        return -EINVAL;
    struct reduce_reduction r = { count, type, op, combine_bytes(type) };
    if (engine.alone) {
        if (count)
            memmove(out, in, count * r.bytes);
        return 0;
    }
    size_t room = (parcel_bytes(engine.nodes) - sizeof(struct reduce_head)) / r.bytes, done = 0;
    struct probe_span span = PROBE_BEGIN(reduce);
    do { /* also for no values at all: it orders memory */
        size_t n = count - done < room ? count - done : room;
        size_t at = done * r.bytes;
        reduce_piece(&r, at ? (const char *)in + at : in, at ? (char *)out + at : out, n);
        done += n;
    } while (done < count);
    PROBE_END(reduce, span, count);
    return 0;
}
