/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ofi_long.c - large writes over streams, sent from where their data is, and large reads, whose
 * data is received where it goes; see ofi.h.
 */
#include "fabric/ofi/ofi.h"

/* A part that a buffer of a datagram would hold is copied, as all small ones are. A write's part is
 * sent at once. The requests of a read are small: they are sent together. */
static void ofi_long_start(struct ofi_fabric *o, int peer, struct ofi_message *m, char *local,
                           size_t len, struct fabric_op *op)
{
    bool reads = m->kind == OFI_READ;
    size_t most = reads ? o->part : OFI_PART_LONG;
    for (; len; local += m->len, m->off += m->len, len -= m->len) {
        m->len = (uint32_t)(len < most ? len : most);
        (m->len > OFI_PART ? ofi_link_request_placed
                           : ofi_link_request)(o, peer, m, reads ? NULL : local, op,
                                               reads ? local : NULL, reads && m->len < len);
    }
}

static bool ofi_long_can(const struct ofi_fabric *o, int peer)
{
    return o->streams && peer != o->job.node && !o->near[peer];
}

void ofi_long_read(struct fabric *f, int peer, int win, size_t off, void *dst, size_t len,
                   struct fabric_op *op)
{
    struct ofi_fabric *o = ofi_of(f);
    if (!ofi_long_can(o, peer)) {
        f->ops.read(f, peer, win, off, dst, len, op);
        return;
    }
    struct ofi_message m = { .kind = OFI_READ, .win = (uint16_t)win, .off = off };
    ofi_count(&o->reads, 1);
    ofi_long_start(o, peer, &m, dst, len, op);
}

void ofi_long_write(struct fabric *f, int peer, int win, size_t off, const void *src, size_t len,
                    struct fabric_op *op)
{
    struct ofi_fabric *o = ofi_of(f);
    if (!ofi_long_can(o, peer)) {
        f->ops.write(f, peer, win, off, src, len, op);
        return;
    }
    struct ofi_message m = { .kind = OFI_WRITE, .win = (uint16_t)win, .off = off };
    ofi_count(&o->writes, 1);
    ofi_count(&ofi_traffic_of(o, o->job.node)->out, len);
    ofi_long_start(o, peer, &m, (char *)(uintptr_t)src, len, op);
}
