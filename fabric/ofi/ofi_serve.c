/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ofi_serve.c - what a request does to the windows of the node that receives it; see ofi.h. */
#include "fabric/ofi/ofi.h"

#include "fabric/shm/shm_map.h"

/* A peer of another build, or no peer at all. */
static _Noreturn void ofi_serve_refuse(struct ofi_fabric *o, int from)
{
    ofi_fail(o, "request", from, "it lies outside of the windows");
}

static char *ofi_serve_place(struct ofi_fabric *o, int at, int from, const struct ofi_message *m)
{
    if (m->win >= o->windows || m->len > o->window[m->win].size ||
        m->off > o->window[m->win].size - m->len)
        ofi_serve_refuse(o, from);
    return o->window[m->win].at[at] + m->off;
}

static _Atomic uint64_t *ofi_serve_word(struct ofi_fabric *o, int at, int from,
                                        const struct ofi_message *m)
{
    if (m->len != sizeof(uint64_t) || m->off % sizeof(uint64_t))
        ofi_serve_refuse(o, from);
    return (_Atomic uint64_t *)(void *)ofi_serve_place(o, at, from, m);
}

/* The same fences as in shm.c: the copies precede later requests. */
static void ofi_serve_write(struct ofi_fabric *o, int at, int from, const struct ofi_message *m,
                            const void *in)
{
    char *to = ofi_serve_place(o, at, from, m);
    atomic_thread_fence(memory_order_release);
    shm_copy(to, in, m->len);
    atomic_thread_fence(memory_order_release);
    ofi_count(&ofi_traffic_of(o, at)->in, m->len);
}

/* The further writes of a message, in their order. */
static void ofi_serve_parts(struct ofi_fabric *o, int at, int from, const struct ofi_message *m)
{
    const char *in = (const char *)(m + 1) + ofi_data_bytes(m->off, m->len);
    for (size_t left = m->a, bytes; left; left -= bytes, in += bytes) {
        const struct ofi_part *p = (const void *)in;
        bytes = left < sizeof *p ? 0 : sizeof *p + ofi_data_bytes(p->off, p->len);
        if (bytes == 0 || bytes > left)
            ofi_serve_refuse(o, from);
        struct ofi_message each = { .win = p->win, .off = p->off, .len = p->len };
        ofi_serve_write(o, at, from, &each, (const char *)(p + 1) + p->off % 8);
    }
}

static void ofi_serve_read(struct ofi_fabric *o, int at, int from, const struct ofi_message *m,
                           void *out)
{
    shm_copy(out, ofi_serve_place(o, at, from, m), m->len);
    atomic_thread_fence(memory_order_acquire);
    ofi_count(&ofi_traffic_of(o, at)->out, m->len);
}

static uint64_t ofi_serve_atomic(_Atomic uint64_t *word, const struct ofi_message *m)
{
    uint64_t old = m->a;
    if (m->kind == OFI_ADD)
        return atomic_fetch_add(word, m->a);
    if (m->kind == OFI_EXCHANGE)
        return atomic_exchange(word, m->a);
    atomic_compare_exchange_strong(word, &old, m->b);
    return old;
}

void ofi_serve(struct ofi_fabric *o, int at, int from, const struct ofi_message *m, const void *in,
               void *out, struct ofi_message *answer)
{
    if (m->kind == OFI_READ) {
        ofi_serve_read(o, at, from, m, out);
        answer->len = m->len;
    } else if (m->kind >= OFI_CAS) {
        answer->a = ofi_serve_atomic(ofi_serve_word(o, at, from, m), m);
    } else if (m->kind >= OFI_WRITE) {
        ofi_serve_write(o, at, from, m, in);
        if (m->kind == OFI_WRITE)
            ofi_serve_parts(o, at, from, m);
        if (m->kind == OFI_WRITE_WAKE)
            answer->woke = shm_queue_wake(o->queue);
        else if (m->kind != OFI_WRITE)
            answer->woke = shm_queue_send(o->queue, from, m->imm, m->kind == OFI_WRITE_URGENT);
    }
}
