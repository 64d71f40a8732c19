/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ofi_pack.c - small writes of a burst in one message [ofi.burst]; see ofi.h. */
#include "fabric/ofi/ofi.h"

#include <string.h>

bool ofi_pack_wait(struct ofi_slot *s, struct fabric_op *op)
{
    bool waits = s->waiters && s->waiter[s->waiters - 1] == op;
    if (!op || waits) /* the same answer completes all of them */
        return true;
    if (s->waiters == OFI_WAITERS)
        return false;
    atomic_fetch_add_explicit(&op->pending, 1, memory_order_relaxed);
    s->waiter[s->waiters++] = op;
    return true;
}

bool ofi_pack_takes(const struct ofi_message *m)
{
    return m->kind == OFI_WRITE && m->len <= OFI_SMALL;
}

/* With list_lock. The message must be the only unsent request: full ones are sent at once. */
static bool ofi_pack_may_stay(const struct ofi_peer *p)
{
    return p->queued == 1 && p->started - p->done > p->queued;
}

/* With list_lock; the last message has room. */
static void ofi_pack_append(struct ofi_slot *s, const struct ofi_message *with, const char *data)
{
    struct ofi_part part = { .off = with->off, .len = with->len, .win = with->win };
    char *to = (char *)&s->message + sizeof s->message +
               ofi_data_bytes(s->message.off, s->message.len) + s->message.a;
    memcpy(to, &part, sizeof part);
    memcpy(to + sizeof part + part.off % 8, data, part.len);
    s->message.a += sizeof part + ofi_data_bytes(part.off, part.len);
}

static bool ofi_pack_has_room(const struct ofi_fabric *o, const struct ofi_slot *s, size_t bytes)
{
    const struct ofi_message *m = &s->message;
    size_t most = o->part < OFI_PACKED ? o->part : OFI_PACKED;
    return s->open && ofi_data_bytes(m->off, m->len) + m->a + bytes <= most;
}

/* The source may be memory where an access faults: it is read without the lock. */
bool ofi_pack_add(struct ofi_fabric *o, int peer, const struct ofi_message *with, const void *src,
                  struct fabric_op *op, bool *stays)
{
    struct ofi_peer *p = &o->peer[peer];
    size_t bytes = sizeof(struct ofi_part) + ofi_data_bytes(with->off, with->len);
    char data[OFI_SMALL];
    if (src)
        memcpy(data, src, with->len);
    pthread_mutex_lock(&o->list_lock);
    struct ofi_slot *s = p->unsent.first ? p->unsent.last : NULL;
    bool added = s && ofi_pack_has_room(o, s, bytes) && ofi_pack_wait(s, op);
    if (added)
        ofi_pack_append(s, with, data);
    *stays = added && ofi_pack_may_stay(p);
    pthread_mutex_unlock(&o->list_lock);
    return added;
}

bool ofi_pack_stays(struct ofi_fabric *o, int peer)
{
    pthread_mutex_lock(&o->list_lock);
    bool stays = ofi_pack_may_stay(&o->peer[peer]);
    pthread_mutex_unlock(&o->list_lock);
    return stays;
}
