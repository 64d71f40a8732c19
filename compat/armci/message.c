/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* message.c - message passing beside ARMCI: two-sided messages, and collective calls of all
 * processes, or of a group. */
#include <stdlib.h>
#include <string.h>

#include "compat/armci/inner.h"

int armci_msg_me(void)
{
    inner_armci_check("armci_msg_me", 0);
    return armci_job.me;
}

int armci_msg_nproc(void)
{
    inner_armci_check("armci_msg_nproc", 0);
    return armci_job.n;
}

void armci_msg_abort(int code)
{
    ARMCI_Error("armci_msg_abort", code);
}

/* ---- two-sided ---- */

static size_t message_length(const char *call, int len)
{
    if (len < 0)
        fail_job("%s: %d bytes; pass 0 or more", call, len);
    return (size_t)len;
}

void armci_msg_snd(int tag, void *buffer, int len, int to)
{
    inner_armci_check_mail("armci_msg_snd");
    inner_armci_check("armci_msg_snd", to);
    inner_armci_send(CONTEXT_USER, tag, buffer, message_length("armci_msg_snd", len), to);
}

/* *len, unless it is NULL, gets the size of the message. */
static int message_receive(const char *call, int tag, void *buffer, int size, int *len, int from)
{
    inner_armci_check_mail(call);
    size_t got =
        inner_armci_receive(call, CONTEXT_USER, tag, buffer, message_length(call, size), &from);
    if (len)
        *len = (int)got;
    return from;
}

void armci_msg_rcv(int tag, void *buffer, int size, int *len, int from)
{
    inner_armci_check("armci_msg_rcv", from);
    (void)message_receive("armci_msg_rcv", tag, buffer, size, len, from);
}

/* Returns the sender. */
int armci_msg_rcvany(int tag, void *buffer, int size, int *len)
{
    return message_receive("armci_msg_rcvany", tag, buffer, size, len, -1);
}

/* ---- scopes ---- */

/* False: the scope is the caller only, and there is nothing to do. */
static bool message_scope_others(const char *call, int scope)
{
    inner_armci_check(call, 0);
    if (scope != SCOPE_ALL && scope != SCOPE_NODE && scope != SCOPE_MASTERS)
        fail_job("%s: unknown scope %d; pass SCOPE_ALL, %d, SCOPE_NODE, %d, or SCOPE_MASTERS, %d",
                 call, scope, SCOPE_ALL, SCOPE_NODE, SCOPE_MASTERS);
    return scope != SCOPE_NODE;
}

/* A binary tree, with -1 where there is no process. */
void armci_msg_bintree(int scope, int *root, int *up, int *left, int *right)
{
    bool others = message_scope_others("armci_msg_bintree", scope);
    int me = armci_job.me, n = armci_job.n, child = 2 * me + 1;
    *root = others ? 0 : me;
    *up = others && me > 0 ? (me - 1) / 2 : -1;
    *left = others && child < n ? child : -1;
    *right = others && child + 1 < n ? child + 1 : -1;
}

void parmci_msg_barrier(void)
{
    inner_armci_check("armci_msg_barrier", 0);
    hlrc_barrier();
}

void armci_msg_bcast(void *buffer, int len, int root)
{
    inner_armci_check("armci_msg_bcast", root);
    (void)hlrc_broadcast(buffer, len > 0 ? (size_t)len : 0, root);
}

void armci_msg_brdcst(void *buffer, int len, int root)
{
    armci_msg_bcast(buffer, len, root);
}

void armci_msg_bcast_scope(int scope, void *buffer, int len, int root)
{
    if (message_scope_others("armci_msg_bcast_scope", scope))
        armci_msg_bcast(buffer, len, root);
}

void parmci_msg_group_barrier(ARMCI_Group *group)
{
    inner_armci_check_mail("armci_msg_group_barrier");
    inner_armci_meet(inner_armci_group("armci_msg_group_barrier", group));
}

/* The root is a process, not a rank. */
void armci_msg_group_bcast_scope(int scope, void *buffer, int len, int root, ARMCI_Group *group)
{
    static const char *const call = "armci_msg_group_bcast_scope";
    inner_armci_check_mail(call);
    const struct armci_group *g = inner_armci_group(call, group);
    int rank = 0;
    while (rank < g->size && g->member[rank] != root)
        rank++;
    if (rank == g->size)
        fail_job("%s: process %d is not in the group; pass a member", call, root);
    if (message_scope_others(call, scope))
        inner_armci_spread(g, buffer, message_length(call, len), rank);
}

/* ---- reductions ---- */

enum message_op { SUM, PRODUCT, MAX, MIN, ABSMAX, ABSMIN, BITS, ALL, ANY };

struct message_reduction {
    enum message_op op;
    int type;
    size_t count;
};

static enum message_op message_op_of(const char *call, const char *op)
{
    static const char *const names[] = {
        [SUM] = "+",         [PRODUCT] = "*", [MAX] = "max", [MIN] = "min", [ABSMAX] = "absmax",
        [ABSMIN] = "absmin", [BITS] = "or",   [ALL] = "&&",  [ANY] = "||"
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(op, names[i]) == 0)
            return (enum message_op)i;
    fail_job("%s: unknown operation %s; use +, *, max, min, absmax, absmin, or, && or ||", call,
             op);
}

/* U is T, or its unsigned type, whose sums wrap around. */
#define COMBINE(NAME, T, U, OR)                                                          \
    static void message_prepare_##NAME(T *x, size_t n, enum message_op op)               \
    {                                                                                    \
        for (size_t i = 0; i < n; i++)                                                   \
            if (op == ALL || op == ANY)                                                  \
                x[i] = x[i] != 0;                                                        \
            else if ((op == ABSMAX || op == ABSMIN) && x[i] < 0)                         \
                x[i] = (T)(0 - (U)x[i]);                                                 \
    }                                                                                    \
    static void message_combine_##NAME(T *x, const T *y, size_t n, enum message_op op)   \
    {                                                                                    \
        for (size_t i = 0; i < n; i++)                                                   \
            if (op == SUM)                                                               \
                x[i] = (T)((U)x[i] + (U)y[i]);                                           \
            else if (op == PRODUCT)                                                      \
                x[i] = (T)((U)x[i] * (U)y[i]);                                           \
            else if (op == BITS)                                                         \
                x[i] = OR;                                                               \
            else if (op == MAX || op == ABSMAX || op == ANY ? y[i] > x[i] : y[i] < x[i]) \
                x[i] = y[i];                                                             \
    }
COMBINE(int, int, unsigned, x[i] | y[i])
COMBINE(long, long, unsigned long, x[i] | y[i])
COMBINE(wide, long long, unsigned long long, x[i] | y[i])
COMBINE(float, float, float, x[i])
COMBINE(double, double, double, x[i])

static void message_prepare(const struct message_reduction *r, void *x)
{
    switch (r->type) {
    case ARMCI_INT:
        message_prepare_int(x, r->count, r->op);
        break;
    case ARMCI_LONG:
        message_prepare_long(x, r->count, r->op);
        break;
    case ARMCI_LONG_LONG:
        message_prepare_wide(x, r->count, r->op);
        break;
    case ARMCI_FLOAT:
        message_prepare_float(x, r->count, r->op);
        break;
    default:
        message_prepare_double(x, r->count, r->op);
    }
}

static void message_combine(void *x, const void *y, void *arg)
{
    const struct message_reduction *r = arg;
    switch (r->type) {
    case ARMCI_INT:
        message_combine_int(x, y, r->count, r->op);
        break;
    case ARMCI_LONG:
        message_combine_long(x, y, r->count, r->op);
        break;
    case ARMCI_LONG_LONG:
        message_combine_wide(x, y, r->count, r->op);
        break;
    case ARMCI_FLOAT:
        message_combine_float(x, y, r->count, r->op);
        break;
    default:
        message_combine_double(x, y, r->count, r->op);
    }
}

static size_t message_size_of(const char *call, int type)
{
    static const size_t sizes[] = { [ARMCI_INT] = sizeof(int),
                                    [ARMCI_LONG] = sizeof(long),
                                    [ARMCI_LONG_LONG] = sizeof(long long),
                                    [ARMCI_FLOAT] = sizeof(float),
                                    [ARMCI_DOUBLE] = sizeof(double) };
    if (type < ARMCI_INT || type > ARMCI_DOUBLE)
        fail_job("%s: unknown type %d; pass ARMCI_INT, %d, to ARMCI_DOUBLE, %d", call, type,
                 ARMCI_INT, ARMCI_DOUBLE);
    return sizes[type];
}

/* Of all processes, without messages. */
static void message_reduce_all(const struct message_reduction *r, void *x)
{
    static const hlrc_op ops[] = { [SUM] = HLRC_SUM, [PRODUCT] = HLRC_PRODUCT, [MAX] = HLRC_MAX,
                                   [MIN] = HLRC_MIN, [ABSMAX] = HLRC_MAX,      [ABSMIN] = HLRC_MIN,
                                   [BITS] = HLRC_OR, [ALL] = HLRC_MIN,         [ANY] = HLRC_MAX };
    static const hlrc_type types[] = { [ARMCI_INT] = HLRC_INT32,
                                       [ARMCI_LONG] = HLRC_INT64,
                                       [ARMCI_LONG_LONG] = HLRC_INT64,
                                       [ARMCI_FLOAT] = HLRC_FLOAT,
                                       [ARMCI_DOUBLE] = HLRC_DOUBLE };
    (void)hlrc_reduce(x, x, r->count, types[r->type], ops[r->op]);
}

/* NULL: all processes. */
static void message_gop(const char *call, int scope, void *x, int n, const char *op, int type,
                        const ARMCI_Group *group)
{
    bool others = message_scope_others(call, scope);
    size_t count = n > 0 ? (size_t)n : 0, bytes = count * message_size_of(call, type);
    struct message_reduction r = { message_op_of(call, op), type, count };
    const struct armci_group *g = group ? inner_armci_group(call, group) : inner_armci_world();
    if (r.op == BITS && type >= ARMCI_FLOAT)
        fail_job("%s: operation %s: for integers only", call, op);
    message_prepare(&r, x);
    if (!others)
        return;
    if (g == inner_armci_world()) {
        message_reduce_all(&r, x);
        return;
    }
    inner_armci_check_mail(call);
    inner_armci_combine(g, x, bytes, message_combine, &r);
}

void armci_msg_gop_scope(int scope, void *x, int n, const char *op, int type)
{
    message_gop("armci_msg_gop_scope", scope, x, n, op, type, NULL);
}

void armci_msg_group_gop_scope(int scope, void *x, int n, const char *op, int type,
                               ARMCI_Group *group)
{
    message_gop("armci_msg_group_gop_scope", scope, x, n, op, type, group);
}

#define GOP(T, N, TYPE)                                                             \
    void armci_msg_##N##gop(T *x, int n, const char *op)                            \
    {                                                                               \
        message_gop("armci_msg_" #N "gop", SCOPE_ALL, x, n, op, TYPE, NULL);        \
    }                                                                               \
    void armci_msg_group_##N##gop(T *x, int n, const char *op, ARMCI_Group *group)  \
    {                                                                               \
        message_gop("armci_msg_group_" #N "gop", SCOPE_ALL, x, n, op, TYPE, group); \
    }
GOP(int, i, ARMCI_INT)
GOP(long, l, ARMCI_LONG)
GOP(long long, ll, ARMCI_LONG_LONG)
GOP(float, f, ARMCI_FLOAT)
GOP(double, d, ARMCI_DOUBLE)

/* ---- selection ---- */

/* A candidate: whether there is one, and its bytes, which begin with the value compared. */
struct message_choice {
    uint64_t present;
    char bytes[];
};

struct message_selection {
    struct message_reduction value;
    size_t bytes;
};

static void message_select(void *mine, const void *other, void *arg)
{
    struct message_selection *s = arg;
    struct message_choice *a = mine;
    const struct message_choice *b = other;
    union {
        int i;
        long l;
        long long ll;
        float f;
        double d;
    } best = { 0 };
    if (!b->present)
        return;
    size_t size = message_size_of("armci_msg_sel_scope", s->value.type);
    memcpy(&best, a->bytes, size);
    message_combine(&best, b->bytes, &s->value);
    if (a->present && memcmp(&best, a->bytes, size) == 0)
        return;
    a->present = 1;
    memcpy(a->bytes, b->bytes, s->bytes);
}

/* `x` on all gets the bytes of the process whose first value is the least, or the largest. */
void armci_msg_sel_scope(int scope, void *x, int len, const char *op, int type, int contribute)
{
    static const char *const call = "armci_msg_sel_scope";
    size_t bytes = message_length(call, len);
    struct message_selection s = { { message_op_of(call, op), type, 1 }, bytes };
    if (s.value.op != MIN && s.value.op != MAX)
        fail_job("%s: operation %s; pass min or max", call, op);
    if (bytes < message_size_of(call, type))
        fail_job("%s: %zu bytes do not hold a value of type %d; pass at least %zu", call, bytes,
                 type, message_size_of(call, type));
    if (!message_scope_others(call, scope))
        return;
    inner_armci_check_mail(call);
    struct message_choice *c = malloc(sizeof *c + bytes);
    if (!c)
        fail_job("%s: no private memory for %zu bytes", call, bytes);
    c->present = contribute != 0;
    memcpy(c->bytes, x, bytes);
    inner_armci_combine(inner_armci_world(), c, sizeof *c + bytes, message_select, &s);
    if (c->present)
        memcpy(x, c->bytes, bytes);
    free(c);
}

PROFILED_AS(armci_msg_barrier, parmci_msg_barrier)
PROFILED_AS(armci_msg_group_barrier, parmci_msg_group_barrier)
