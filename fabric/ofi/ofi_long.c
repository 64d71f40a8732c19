/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ofi_long.c - large writes over streams, sent from where their data is; see ofi.h. */
#include "fabric/ofi/ofi.h"

/* A rest that a buffer of a datagram would hold is copied, as all small writes are. */
static void ofi_long_start(struct ofi_fabric *o, int peer, const struct ofi_message *m,
                           const char *src, struct fabric_op *op)
{
    if (m->len > OFI_PART)
        ofi_link_request_placed(o, peer, m, src, op);
    else
        ofi_link_request(o, peer, m, src, op, NULL, false);
}

void ofi_long_write(struct fabric *f, int peer, int win, size_t off, const void *src, size_t len,
                    struct fabric_op *op)
{
    struct ofi_fabric *o = ofi_of(f);
    if (!o->streams || peer == o->job.node || o->near[peer]) {
        f->ops.write(f, peer, win, off, src, len, op);
        return;
    }
    ofi_count(&o->writes, 1);
    ofi_count(&ofi_traffic_of(o, o->job.node)->out, len);
    struct ofi_message m = { .kind = OFI_WRITE, .win = (uint16_t)win, .off = off };
    for (const char *from = src; len; from += m.len, m.off += m.len, len -= m.len) {
        m.len = (uint32_t)(len < o->part ? len : o->part);
        ofi_long_start(o, peer, &m, from, op);
    }
}
