/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ofi_link.c - buffers, sending and receiving; see ofi.h. */
#include "fabric/ofi/ofi.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/addresses.h"
#include "base/clock.h"
#include "base/futex.h"
#include "fabric/failure.h"

#define HEAD_BYTES sizeof(struct ofi_message)
#define FLIGHT_ALL 4096 /* unanswered requests of a node at all others */

void ofi_fail(struct ofi_fabric *o, const char *what, int peer, const char *why)
{
    char line[400];
    if (peer >= 0)
        snprintf(line, sizeof line, "ofi: %s at node %d failed: %s", what, peer, why);
    else
        snprintf(line, sizeof line, "ofi: %s failed: %s", what, why);
    failure_fabric_fail(o->job.fail, line);
}

void ofi_fail_silent(struct ofi_fabric *o, int peer)
{
    char line[200];
    snprintf(line, sizeof line,
             "ofi: node %d no longer answers: its host is down or disconnected, or the node was "
             "killed (--peer-timeout %d)",
             peer, o->job.peer_timeout);
    failure_fabric_fail(o->job.fail, line);
}

static struct ofi_slot *ofi_link_slot(const struct ofi_fabric *o, size_t i)
{
    return (struct ofi_slot *)(void *)(o->slots + i * o->slot_bytes);
}

/* ---- lists ---- */

static void ofi_link_append(struct ofi_list *l, struct ofi_slot *s)
{
    s->next = NULL;
    if (l->first)
        l->last->next = s;
    else
        l->first = s;
    l->last = s;
}

/* The buffer that is free last is used first: its memory is in the cache. */
static void ofi_link_prepend(struct ofi_list *l, struct ofi_slot *s)
{
    s->next = l->first;
    if (!l->first)
        l->last = s;
    l->first = s;
}

static struct ofi_slot *ofi_link_take(struct ofi_list *l)
{
    struct ofi_slot *s = l->first;
    if (s)
        l->first = s->next;
    return s;
}

/* ---- sending and receiving; with net_lock ---- */

size_t ofi_link_bytes(const struct ofi_message *m)
{
    bool carries = m->kind == OFI_ANSWER || (m->kind >= OFI_WRITE && m->kind < OFI_CAS);
    return HEAD_BYTES + (carries ? ofi_data_bytes(m->off, m->len) : 0) +
           (m->kind == OFI_WRITE ? m->a : 0);
}

static void *ofi_link_key(struct ofi_fabric *o)
{
    return o->mr ? fi_mr_desc(o->mr) : NULL;
}

void ofi_link_lose(struct ofi_fabric *o, int peer)
{
    if (o->peer[peer].lost_ns)
        return;
    o->peer[peer].lost_ns = clock_ns();
    if (o->streams)
        ofi_stream_lose(o, peer);
}

int ofi_link_unsent(struct ofi_fabric *o, struct ofi_peer *p, struct ofi_slot **out, int most)
{
    int n = 0;
    pthread_mutex_lock(&o->list_lock);
    for (struct ofi_slot *s = p->unsent.first; s && n < most; s = s->next) {
        s->open = false;
        out[n++] = s;
    }
    pthread_mutex_unlock(&o->list_lock);
    return n;
}

static void ofi_link_drop_unsent(struct ofi_fabric *o, struct ofi_peer *p, int count)
{
    pthread_mutex_lock(&o->list_lock);
    for (int i = 0; i < count; i++)
        p->queued -= ofi_link_take(&p->unsent)->message.kind != OFI_ANSWER;
    pthread_mutex_unlock(&o->list_lock);
    atomic_fetch_sub(&o->unsent, count);
}

/* Sends unsent messages until libfabric is full. Only the holder of net_lock removes messages. */
static void ofi_link_flush(struct ofi_fabric *o, int peer)
{
    struct ofi_peer *p = &o->peer[peer];
    struct ofi_slot *s;
    if (o->streams) {
        ofi_stream_flush(o, peer);
        return;
    }
    while (ofi_link_unsent(o, p, &s, 1)) {
        ssize_t rc = p->lost_ns ? -FI_EAGAIN
                                : fi_send(p->ep, &s->message, ofi_link_bytes(&s->message),
                                          ofi_link_key(o), p->address, &s->context);
        o->stuck |= rc == -FI_EAGAIN;
        if (rc == -FI_EAGAIN)
            return;
        if (rc && ofi_connects(o))
            ofi_link_lose(o, peer);
        else if (rc)
            ofi_fail(o, "message", peer, ofi_choose_error((int)rc));
        ofi_link_drop_unsent(o, p, 1);
    }
}

/* With any locks or none. */
static void ofi_link_queue(struct ofi_fabric *o, struct ofi_slot *s)
{
    struct ofi_peer *p = &o->peer[s->peer];
    memcpy(s->message.secret, p->secret, OFI_SECRET);
    s->sending = true;
    pthread_mutex_lock(&o->list_lock);
    ofi_link_append(&p->unsent, s);
    p->queued += s->message.kind != OFI_ANSWER;
    s->open = ofi_pack_takes(&s->message);
    pthread_mutex_unlock(&o->list_lock);
    atomic_fetch_add(&o->unsent, 1);
}

static void ofi_link_post_receives(struct ofi_fabric *o)
{
    while (o->unposted.first) {
        struct ofi_slot *s = o->unposted.first;
        struct fid_ep *ep = s->peer < 0 ? o->ep : o->peer[s->peer].ep;
        ssize_t rc = fi_recv(ep, &s->message, HEAD_BYTES + o->part + 8, ofi_link_key(o),
                             FI_ADDR_UNSPEC, &s->context);
        if (rc == -FI_EAGAIN)
            return;
        if (rc && ofi_connects(o))
            ofi_link_lose(o, s->peer);
        else if (rc)
            ofi_fail(o, "receive", -1, ofi_choose_error((int)rc));
        ofi_link_take(&o->unposted);
    }
}

/* A request's buffer is free when it is sent and answered: the answer can be seen first. */
static void ofi_link_free(struct ofi_fabric *o, struct ofi_slot *s)
{
    if (s->message.kind == OFI_ANSWER) {
        ofi_link_prepend(&o->free_answers, s);
    } else if (s->answered && !s->sending) {
        pthread_mutex_lock(&o->list_lock);
        ofi_link_prepend(&o->free_requests, s);
        pthread_mutex_unlock(&o->list_lock);
    }
}

void ofi_link_sent(struct ofi_fabric *o, struct ofi_peer *p, struct ofi_slot **sent, int count)
{
    if (count)
        ofi_link_drop_unsent(o, p, count);
    for (int i = 0; i < count; i++) {
        sent[i]->sending = false;
        ofi_link_free(o, sent[i]);
    }
}

/* ---- completion ---- */

/* Its data fill a slot: as many of them as other requests would not stay in the cache. */
static bool ofi_link_is_bulk(const struct ofi_message *m)
{
    return m->len > OFI_PART;
}

static void ofi_link_lower(struct ofi_fabric *o, struct fabric_op *op)
{
    atomic_fetch_sub(&op->pending, 1);
    /* the operation may have ended: then this wakes no thread, or one that tests its word again */
    if (atomic_load(&o->sleepers))
        futex_wake_shared(&op->pending, INT32_MAX);
}

/* The request that this message answers; NULL: none. Answers are to no buffer of another use, and
 * have the length that was requested. */
static struct ofi_slot *ofi_link_request_of(struct ofi_fabric *o, const struct ofi_message *m)
{
    struct ofi_slot *s = m->id < o->slot_count ? ofi_link_slot(o, m->id) : NULL;
    if (!s || s->receives || s->answered || s->peer != m->from)
        return NULL;
    bool reads = s->message.kind == OFI_READ;
    return m->len == (reads ? s->message.len : 0) && m->off == s->message.off % 8 ? s : NULL;
}

char *ofi_link_place_of(struct ofi_fabric *o, const struct ofi_message *m)
{
    struct ofi_slot *s = m->kind == OFI_ANSWER ? ofi_link_request_of(o, m) : NULL;
    return s && s->placed ? s->dst : NULL;
}

/* The bytes before the gap and after it. */
static void ofi_link_copy_data(char *dst, const struct ofi_message *m, const struct ofi_gap *gap)
{
    const char *data = ofi_data(m);
    memcpy(dst, data, gap->at);
    memcpy(dst + gap->at + gap->bytes, data + gap->at, m->len - gap->at - gap->bytes);
}

static void ofi_link_answered(struct ofi_fabric *o, const struct ofi_message *m,
                              const struct ofi_gap *gap)
{
    struct ofi_slot *s = ofi_link_request_of(o, m);
    if (!s)
        ofi_fail(o, "answer", m->from, "it belongs to no request");
    if (s->message.kind == OFI_READ) {
        ofi_link_copy_data(s->dst, m, gap);
        ofi_count(&ofi_traffic_of(o, o->job.node)->in, m->len);
    } else if (s->dst) {
        memcpy(s->dst, &m->a, sizeof m->a);
    }
    ofi_count(&o->wakes, m->woke);
    for (int i = 0; i < s->waiters; i++)
        ofi_link_lower(o, s->waiter[i]);
    s->answered = true;
    atomic_fetch_sub(&o->peer[m->from].bulk, ofi_link_is_bulk(&s->message));
    atomic_fetch_sub(&o->peer[m->from].placed, s->placed);
    ofi_link_free(o, s);
    atomic_fetch_add(&o->peer[m->from].done, 1);
}

static void ofi_link_perform(struct ofi_fabric *o, const struct ofi_message *m)
{
    struct ofi_slot *s = ofi_link_take(&o->free_answers);
    if (!s)
        ofi_fail(o, "request", m->from, "it has too many without an answer");
    s->peer = m->from;
    s->message = (struct ofi_message){
        .kind = OFI_ANSWER, .from = (uint16_t)o->job.node, .id = m->id, .off = m->off % 8
    };
    ofi_serve(o, o->job.node, m->from, m, ofi_data(m), ofi_room(&s->message), &s->message);
    o->served++;
    ofi_link_queue(o, s);
}

static void ofi_link_perform_held(struct ofi_fabric *o)
{
    while (o->held.first && o->free_answers.first) {
        struct ofi_slot *s = ofi_link_take(&o->held);
        ofi_link_perform(o, &s->message);
        ofi_link_flush(o, s->message.from);
        ofi_link_append(&o->unposted, s);
    }
}

/* Of `len` bytes, of which nothing is known yet. */
bool ofi_link_is_from_job(struct ofi_fabric *o, const struct ofi_message *m, size_t len)
{
    return len >= HEAD_BYTES && ofi_same_secret(m->secret, o->secret);
}

/* A write may be long, or have others after it. */
static bool ofi_link_is_sound_write(const struct ofi_fabric *o, const struct ofi_message *m)
{
    if (m->len > o->part)
        return o->streams && m->len <= OFI_PART_LONG && m->a == 0;
    return m->a % 8 == 0 && m->a <= o->part + 8 - ofi_data_bytes(m->off, m->len);
}

bool ofi_link_is_sound(struct ofi_fabric *o, int peer, const struct ofi_message *m)
{
    return m->from < o->job.nodes && (peer < 0 || peer == m->from) && m->kind < OFI_KINDS &&
           (m->kind == OFI_WRITE ? ofi_link_is_sound_write(o, m) : m->len <= o->part);
}

void ofi_link_take_message(struct ofi_fabric *o, const struct ofi_message *m,
                           const struct ofi_gap *gap)
{
    if (m->kind == OFI_ANSWER)
        ofi_link_answered(o, m, gap);
    else
        ofi_link_perform(o, m);
}

static void ofi_link_received(struct ofi_fabric *o, struct ofi_slot *s, size_t len)
{
    const struct ofi_message *m = &s->message;
    if (!ofi_link_is_from_job(o, m, len)) { /* [ofi.secret] */
        o->refused++;
        ofi_link_append(&o->unposted, s);
        return;
    }
    if (!ofi_link_is_sound(o, s->peer, m) || len != ofi_link_bytes(m))
        ofi_fail(o, "receive", s->peer, "this is no message of HLRC");
    if (m->kind == OFI_ANSWER) {
        ofi_link_answered(o, m, &(const struct ofi_gap){ 0 });
        ofi_link_append(&o->unposted, s);
    } else {
        ofi_link_append(&o->held, s);
    }
}

/* A connection breaks with all that is in flight on it. Without connections a stranger can send a
 * message that is too long. */
static void ofi_link_broken(struct ofi_fabric *o)
{
    struct fi_cq_err_entry e = { 0 };
    if (fi_cq_readerr(o->cq, &e, 0) < 0 || !e.op_context)
        return;
    struct ofi_slot *s = e.op_context;
    if (atomic_load(&o->closing)) /* peers may be gone */
        return;
    if (ofi_connects(o))
        ofi_link_lose(o, s->peer);
    else if (s->receives && e.err == FI_ETRUNC)
        ofi_link_received(o, s, 0);
    else
        ofi_fail(o, s->receives ? "receive" : "message", s->receives ? -1 : s->peer,
                 ofi_choose_error(e.err));
}

static void ofi_link_take_completions(struct ofi_fabric *o)
{
    struct fi_cq_msg_entry e[16];
    ssize_t n = fi_cq_read(o->cq, e, 16);
    if (n == -FI_EAVAIL)
        ofi_link_broken(o);
    for (ssize_t i = 0; i < n; i++) {
        struct ofi_slot *s = e[i].op_context;
        if (s->receives) {
            ofi_link_received(o, s, e[i].len);
        } else {
            s->sending = false;
            ofi_link_free(o, s);
        }
    }
}

bool ofi_link_advance(struct ofi_fabric *o)
{
    bool arrived = false;
    if (o->streams) {
        arrived = ofi_stream_receive(o);
    } else {
        ofi_link_take_completions(o);
        ofi_link_perform_held(o);
        ofi_link_post_receives(o);
    }
    o->stuck = false;
    for (int n = 0; n < o->job.nodes && atomic_load(&o->unsent); n++)
        ofi_link_flush(o, n);
    return arrived;
}

bool ofi_link_progress(struct ofi_fabric *o)
{
    ofi_count(&o->polls, 1);
    /* [ofi.no-malloc] */
    if (!o->streams || pthread_mutex_trylock(&o->net_lock) != 0) {
        ofi_progress_kick(o);
        return false;
    }
    bool arrived = ofi_link_advance(o);
    pthread_mutex_unlock(&o->net_lock);
    return arrived;
}

/* ---- requests ---- */

static struct ofi_slot *ofi_link_try_request(struct ofi_fabric *o, struct ofi_peer *p, bool bulk)
{
    struct ofi_slot *s = NULL;
    pthread_mutex_lock(&o->list_lock);
    if (p->started - p->done < o->flight && (!bulk || p->bulk < OFI_FLIGHT) &&
        (s = ofi_link_take(&o->free_requests))) {
        p->started++;
        p->bulk += bulk;
    }
    pthread_mutex_unlock(&o->list_lock);
    return s;
}

/* Waits for an answer to an earlier request if there are too many. */
static struct ofi_slot *ofi_link_take_request(struct ofi_fabric *o, struct ofi_peer *p, bool bulk)
{
    struct ofi_slot *s;
    while (!(s = ofi_link_try_request(o, p, bulk))) {
        ofi_link_progress(o);
        sched_yield();
    }
    return s;
}

void ofi_link_send_queued(struct ofi_fabric *o, int peer)
{
    if (!o->streams || pthread_mutex_trylock(&o->net_lock) != 0) {
        ofi_progress_kick(o);
        return;
    }
    ofi_link_flush(o, peer);
    pthread_mutex_unlock(&o->net_lock);
}

static void ofi_link_start_request(struct ofi_fabric *o, int peer, const struct ofi_message *with,
                                   const void *src, struct fabric_op *op, void *dst, bool placed)
{
    struct ofi_slot *s = ofi_link_take_request(o, &o->peer[peer], ofi_link_is_bulk(with));
    s->message = *with;
    s->message.from = (uint16_t)o->job.node;
    s->message.id = (uint32_t)((size_t)((char *)s - o->slots) / o->slot_bytes);
    s->source = placed ? src : NULL;
    if (src && !placed)
        memcpy(ofi_room(&s->message), src, with->len);
    s->peer = peer;
    s->waiters = 0;
    (void)ofi_pack_wait(s, op);
    s->dst = dst;
    s->placed = placed && dst;
    atomic_fetch_add(&o->peer[peer].placed, s->placed);
    s->answered = false;
    ofi_link_queue(o, s);
}

void ofi_link_request(struct ofi_fabric *o, int peer, const struct ofi_message *with,
                      const void *src, struct fabric_op *op, void *dst, bool more)
{
    bool packs = ofi_pack_takes(with), stays = false;
    if (!packs || !ofi_pack_add(o, peer, with, src, op, &stays)) {
        ofi_link_start_request(o, peer, with, src, op, dst, false);
        stays = packs && !more && ofi_pack_stays(o, peer);
    }
    if (!more && !stays)
        ofi_link_send_queued(o, peer);
}

void ofi_link_request_placed(struct ofi_fabric *o, int peer, const struct ofi_message *with,
                             const void *src, struct fabric_op *op, void *dst, bool more)
{
    ofi_link_start_request(o, peer, with, src, op, dst, true);
    if (!more)
        ofi_link_send_queued(o, peer);
}

/* ---- opening ---- */

/* Fewer for many nodes: each request may need a buffer at both ends. */
static uint64_t ofi_link_stream_flight(size_t nodes)
{
    uint64_t flight = OFI_FLIGHT_MOST;
    while (flight > OFI_FLIGHT && flight * nodes > FLIGHT_ALL)
        flight /= 2;
    return flight;
}

/* Streams need no receives, and no messages of libfabric. Its progress has to be ours: a thread of
 * libfabric would read from the sockets. */
static void ofi_link_choose_flight(struct ofi_fabric *o)
{
    size_t nodes = (size_t)o->job.nodes;
    size_t most = o->info->rx_attr->size / (ofi_connects(o) ? 2 : 2 * nodes);
    o->streams = strcmp(o->info->fabric_attr->prov_name, "tcp") == 0 && ofi_connects(o) &&
                 o->info->domain_attr->data_progress == FI_PROGRESS_MANUAL;
    o->flight = o->streams          ? ofi_link_stream_flight(nodes)
                : most > OFI_FLIGHT ? OFI_FLIGHT
                : most < 2          ? 2
                                    : most;
    o->part = o->streams ? OFI_PART_STREAM : OFI_PART;
    o->slot_count = (o->streams ? 2 : 5) * o->flight * nodes;
    o->slot_bytes = sizeof(struct ofi_slot) + o->part + 8;
}

/* Unless they are streams, 2 x flight receives for each node; requests; as many answers as
 * receives, or as requests. */
static int ofi_link_make_slots(struct ofi_fabric *o)
{
    size_t each = o->flight * (size_t)o->job.nodes, receives = o->streams ? 0 : 2 * each;
    o->slots = addresses_map(o->slot_count * o->slot_bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
    if (o->slots == MAP_FAILED) {
        o->slots = NULL;
        return -FI_ENOMEM;
    }
    (void)madvise(o->slots, o->slot_count * o->slot_bytes, MADV_DONTFORK);
    for (size_t i = 0; i < o->slot_count; i++) {
        struct ofi_slot *s = ofi_link_slot(o, i);
        s->answered = true;
        s->receives = i < receives;
        s->peer = s->receives && ofi_connects(o) ? (int)(i / (2 * o->flight)) : -1;
        if (!s->receives)
            ofi_link_append(i < receives + each ? &o->free_requests : &o->free_answers, s);
    }
    return 0;
}

void ofi_link_post(struct ofi_fabric *o, int peer)
{
    pthread_mutex_lock(&o->net_lock);
    for (size_t i = 0; i < 2 * o->flight && !o->streams; i++)
        ofi_link_append(&o->unposted, ofi_link_slot(o, 2 * o->flight * (size_t)peer + i));
    ofi_link_post_receives(o);
    pthread_mutex_unlock(&o->net_lock);
}

static int ofi_link_register(struct ofi_fabric *o)
{
    if (!(o->info->domain_attr->mr_mode & FI_MR_LOCAL))
        return 0;
    return fi_mr_reg(o->domain, o->slots, o->slot_count * o->slot_bytes, FI_SEND | FI_RECV, 0, 0, 0,
                     &o->mr, NULL);
}

static int ofi_link_open_queue(struct ofi_fabric *o)
{
    struct fi_cq_attr attr = { .size = o->slot_count,
                               .format = FI_CQ_FORMAT_MSG,
                               .wait_obj = FI_WAIT_FD };
    o->cq_fd = -1;
    if (!o->streams && fi_cq_open(o->domain, &attr, &o->cq, NULL) == 0) {
        if (fi_control(&o->cq->fid, FI_GETWAIT, &o->cq_fd) != 0)
            o->cq_fd = -1;
        return 0;
    }
    attr.wait_obj = FI_WAIT_NONE;
    return fi_cq_open(o->domain, &attr, &o->cq, NULL);
}

int ofi_link_start(struct ofi_fabric *o)
{
    ofi_link_choose_flight(o);
    int rc = ofi_choose_open(o);
    rc = rc ? rc : fi_domain(o->net, o->info, &o->domain, NULL);
    rc = rc ? rc : ofi_link_make_slots(o);
    rc = rc ? rc : ofi_link_register(o);
    return rc ? rc : ofi_link_open_queue(o);
}

static void ofi_link_close(struct fid *f)
{
    if (f)
        (void)fi_close(f);
}

void ofi_link_end(struct ofi_fabric *o)
{
    ofi_link_close(o->mr ? &o->mr->fid : NULL);
    ofi_link_close(o->cq ? &o->cq->fid : NULL);
    ofi_link_close(o->domain ? &o->domain->fid : NULL);
    ofi_link_close(o->net ? &o->net->fid : NULL);
    if (o->slots)
        addresses_unmap(o->slots, o->slot_count * o->slot_bytes);
}
