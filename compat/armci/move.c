/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* move.c - put, get and accumulate: contiguous, strided and lists, each one HLRC call. */
#include <string.h>

#include "compat/armci/inner.h"

enum move_way { PUT, GET, ACC };

/* A call; `handle` is valid if `begins`, and `optype` and `scale` for ACC. */
struct move {
    const char *call;
    enum move_way way;
    int proc;
    bool begins;
    armci_hdl_t *handle;
    int optype;
    hlrc_type type;
    const void *scale;
};

static void move_check(struct move *m)
{
    static const hlrc_type types[] = {
        [ARMCI_ACC_INT] = HLRC_INT32,         [ARMCI_ACC_LNG] = HLRC_INT64,
        [ARMCI_ACC_FLT] = HLRC_FLOAT,         [ARMCI_ACC_DBL] = HLRC_DOUBLE,
        [ARMCI_ACC_CPL] = HLRC_COMPLEX_FLOAT, [ARMCI_ACC_DCP] = HLRC_COMPLEX_DOUBLE,
    };
    inner_armci_check(m->call, m->proc);
    if (m->way != ACC)
        return;
    if (m->optype < ARMCI_ACC_INT || m->optype > ARMCI_ACC_DCP)
        fail_job("%s: unknown type %d; pass ARMCI_ACC_INT, %d, to ARMCI_ACC_DCP, %d", m->call,
                 m->optype, ARMCI_ACC_INT, ARMCI_ACC_DCP);
    m->type = types[m->optype];
}

static int move_accumulated(const struct move *m, int rc)
{
    if (rc)
        fail_job(
            "%s: the address is not aligned to its type, or the length is not a multiple of it: %s",
            m->call, strerror(-rc));
    return 0;
}

/* ---- sections ---- */

static size_t move_count_of(const struct move *m, const char *what, int n)
{
    if (n < 0)
        fail_job("%s: %s of %d; pass 0 or more", m->call, what, n);
    return (size_t)n;
}

/* Bytes from the first to the last; 0: none. */
static size_t move_extent(const size_t *counts, const size_t *strides, int levels)
{
    size_t far = counts[0], least = counts[0];
    for (int i = 0; i < levels; i++) {
        least = counts[i + 1] < least ? counts[i + 1] : least;
        far += (counts[i + 1] - 1) * strides[i];
    }
    return least ? far : 0;
}

static int move_section(struct move *m, void *src, const int *src_stride, void *dst,
                        const int *dst_stride, const int *count, int levels)
{
    size_t counts[ARMCI_MAX_STRIDE_LEVEL + 1] = { 0 }, from[ARMCI_MAX_STRIDE_LEVEL],
                                           to[ARMCI_MAX_STRIDE_LEVEL];
    hlrc_handle_t room, *op;
    move_check(m);
    if (levels < 0 || levels > ARMCI_MAX_STRIDE_LEVEL)
        fail_job("%s: %d levels of strides; pass 0 to %d", m->call, levels, ARMCI_MAX_STRIDE_LEVEL);
    for (int i = 0; i <= levels; i++)
        counts[i] = move_count_of(m, "a count", count[i]);
    for (int i = 0; i < levels; i++) {
        from[i] = move_count_of(m, "a stride", src_stride[i]);
        to[i] = move_count_of(m, "a stride", dst_stride[i]);
    }
    size_t bytes = move_extent(counts, m->way == GET ? from : to, levels);
    if (bytes == 0)
        return 0;
    inner_armci_check_memory(m->call, m->way == GET ? src : dst, bytes, m->proc);
    if (!m->begins) {
        if (m->way == ACC)
            return move_accumulated(m, hlrc_acc_strided(dst, to, src, from, counts, levels, m->type,
                                                        HLRC_SUM, m->scale, m->proc));
        if (m->way == PUT)
            hlrc_put_strided(dst, to, src, from, counts, levels, m->proc);
        else
            hlrc_get_strided(dst, to, src, from, counts, levels, m->proc);
        return 0;
    }
    op = inner_armci_begin(m->handle, m->proc, &room);
    if (m->way == ACC)
        (void)move_accumulated(m, hlrc_acc_strided_nb(dst, to, src, from, counts, levels, m->type,
                                                      HLRC_SUM, m->scale, m->proc, op));
    else if (m->way == PUT)
        hlrc_put_strided_nb(dst, to, src, from, counts, levels, m->proc, op);
    else
        hlrc_get_strided_nb(dst, to, src, from, counts, levels, m->proc, op);
    inner_armci_begun(m->handle, m->proc, &room);
    return 0;
}

static int armci_move_row(struct move *m, void *src, void *dst, int bytes)
{
    return move_section(m, src, NULL, dst, NULL, &bytes, 0);
}

/* ---- lists ---- */

/* False: the list is empty. */
static bool move_list(const struct move *m, const armci_giov_t *v, hlrc_handle_t *op)
{
    size_t count = move_count_of(m, "a number of pieces", v->ptr_array_len),
           bytes = move_count_of(m, "a piece", v->bytes);
    void *const *there = m->way == GET ? v->src_ptr_array : v->dst_ptr_array;
    const void *const *src = (const void *const *)v->src_ptr_array;
    if (bytes == 0 || count == 0)
        return false;
    for (size_t i = 0; i < count; i++)
        inner_armci_check_memory(m->call, there[i], bytes, m->proc);
    if (m->way == ACC)
        (void)move_accumulated(m, hlrc_acc_vector_nb(v->dst_ptr_array, src, count, bytes, m->type,
                                                     HLRC_SUM, m->scale, m->proc, op));
    else if (m->way == PUT)
        hlrc_put_vector_nb(v->dst_ptr_array, src, count, bytes, m->proc, op);
    else
        hlrc_get_vector_nb(v->dst_ptr_array, src, count, bytes, m->proc, op);
    return true;
}

/* Several lists have no common HLRC handle: they are waited for, unless only a fence has to
 * complete them. */
static int move_lists(struct move *m, const armci_giov_t *darr, int len)
{
    move_check(m);
    hlrc_handle_t room, *op = m->handle ? inner_armci_begin(m->handle, m->proc, &room) : NULL;
    size_t n = move_count_of(m, "an array", len);
    bool alone = op && n == 1, any = false;
    for (size_t i = 0; i < n; i++)
        any |= move_list(m, &darr[i], alone ? op : NULL);
    if (alone && any)
        inner_armci_begun(m->handle, m->proc, &room);
    else if (!m->begins || op)
        hlrc_fence(m->proc);
    return 0;
}

/* ---- the calls ---- */

/* Each waits, or begins the operation of a handle. PARAMETERS are in parentheses. */
#define PLAIN(...) __VA_ARGS__
#define CALLS(NAME, WAY, PARAMETERS, TYPE, SCALE, MOVE)                                \
    int PARMCI_##NAME(PLAIN PARAMETERS, int proc)                                      \
    {                                                                                  \
        struct move m = { "ARMCI_" #NAME, WAY, proc, .optype = TYPE, .scale = SCALE }; \
        return MOVE;                                                                   \
    }                                                                                  \
    int PARMCI_Nb##NAME(PLAIN PARAMETERS, int proc, armci_hdl_t *handle)               \
    {                                                                                  \
        struct move m = { "ARMCI_Nb" #NAME, WAY, proc, true, handle, TYPE, 0, SCALE }; \
        return MOVE;                                                                   \
    }                                                                                  \
    PROFILED(NAME)                                                                     \
    PROFILED(Nb##NAME)

#define EACH_WAY(FORM, PARAMETERS, MOVE)             \
    CALLS(Put##FORM, PUT, PARAMETERS, 0, NULL, MOVE) \
    CALLS(Get##FORM, GET, PARAMETERS, 0, NULL, MOVE) \
    CALLS(Acc##FORM, ACC, (int optype, void *scale, PLAIN PARAMETERS), optype, scale, MOVE)

EACH_WAY(, (void *src, void *dst, int bytes), armci_move_row(&m, src, dst, bytes))
EACH_WAY(S, (void *src, int *src_stride, void *dst, int *dst_stride, int *count, int levels),
         move_section(&m, src, src_stride, dst, dst_stride, count, levels))
EACH_WAY(V, (armci_giov_t * darr, int len), move_lists(&m, darr, len))

/* ---- sections of the caller's memory ---- */

/* Copies a section to a buffer, or from one. */
static void move_pieces(char *at, int levels, const int *strides, const int *count, char **buffer,
                        bool pack)
{
    if (levels == 0) {
        size_t bytes = (size_t)count[0];
        if (pack)
            memcpy(*buffer, at, bytes);
        else
            memcpy(at, *buffer, bytes);
        *buffer += bytes;
        return;
    }
    for (int i = 0; i < count[levels]; i++)
        move_pieces(at + (ptrdiff_t)i * strides[levels - 1], levels - 1, strides, count, buffer,
                    pack);
}

void armci_write_strided(void *ptr, int levels, int strides[], int count[], char *buffer)
{
    move_pieces(ptr, levels, strides, count, &buffer, true);
}

void armci_read_strided(void *ptr, int levels, int strides[], int count[], char *buffer)
{
    move_pieces(ptr, levels, strides, count, &buffer, false);
}
