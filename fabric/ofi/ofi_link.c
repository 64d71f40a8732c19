/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ofi_link.c - the endpoint, its buffers, sending and receiving, the progress thread; see ofi.h. */
#include "fabric/ofi/ofi.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/addresses.h"
#include "base/futex.h"
#include "fabric/failure.h"

#define HEAD_BYTES offsetof(struct ofi_message, data)
#define IDLE_MS    100 /* sleep of the progress thread at most */

void ofi_fail(struct ofi_fabric *o, const char *what, int peer, const char *why)
{
    char line[400];
    if (peer >= 0)
        snprintf(line, sizeof line, "ofi: %s at node %d failed: %s", what, peer, why);
    else
        snprintf(line, sizeof line, "ofi: %s failed: %s", what, why);
    failure_fabric_fail(o->job.fail, line);
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

static struct ofi_slot *ofi_link_take(struct ofi_list *l)
{
    struct ofi_slot *s = l->first;
    if (s)
        l->first = s->next;
    return s;
}

/* ---- sending and receiving; all with the lock ---- */

static size_t ofi_link_bytes(const struct ofi_message *m)
{
    bool carries = m->kind == OFI_ANSWER || (m->kind >= OFI_WRITE && m->kind < OFI_CAS);
    return HEAD_BYTES + (carries && m->len ? m->off % 8 + m->len : 0);
}

static void *ofi_link_key(struct ofi_fabric *o)
{
    return o->mr ? fi_mr_desc(o->mr) : NULL;
}

/* Gives libfabric what it takes. */
static void ofi_link_flush(struct ofi_fabric *o, int peer)
{
    struct ofi_peer *p = &o->peer[peer];
    while (p->unsent.first) {
        struct ofi_slot *s = p->unsent.first;
        ssize_t rc = fi_send(o->ep, &s->message, ofi_link_bytes(&s->message), ofi_link_key(o),
                             p->address, &s->context);
        if (rc == -FI_EAGAIN)
            return;
        if (rc)
            ofi_fail(o, "message", peer, ofi_choose_error((int)rc));
        ofi_link_take(&p->unsent);
    }
}

static void ofi_link_send(struct ofi_fabric *o, struct ofi_slot *s)
{
    s->sending = true;
    ofi_link_append(&o->peer[s->peer].unsent, s);
    ofi_link_flush(o, s->peer);
}

static void ofi_link_post_receives(struct ofi_fabric *o)
{
    while (o->unposted.first) {
        struct ofi_slot *s = o->unposted.first;
        ssize_t rc = fi_recv(o->ep, &s->message, sizeof s->message, ofi_link_key(o), FI_ADDR_UNSPEC,
                             &s->context);
        if (rc == -FI_EAGAIN)
            return;
        if (rc)
            ofi_fail(o, "receive", -1, ofi_choose_error((int)rc));
        ofi_link_take(&o->unposted);
    }
}

/* A request's buffer is free when it is sent and answered: the answer can be seen first. */
static void ofi_link_free(struct ofi_fabric *o, struct ofi_slot *s)
{
    if (s->message.kind == OFI_ANSWER)
        ofi_link_append(&o->free_answers, s);
    else if (s->answered && !s->sending)
        ofi_link_append(&o->free_requests, s);
}

/* ---- completion ---- */

static void ofi_link_lower(struct ofi_fabric *o, struct fabric_op *op)
{
    atomic_fetch_sub(&op->pending, 1);
    /* the operation may be gone: then this wakes nobody, or a thread that looks again */
    if (atomic_load(&o->sleepers))
        futex_wake_shared(&op->pending, INT32_MAX);
}

static void ofi_link_answered(struct ofi_fabric *o, const struct ofi_message *m)
{
    struct ofi_slot *s = m->id < o->slot_count ? &o->slots[m->id] : NULL;
    if (!s || s->receives || s->answered || s->peer != m->from || m->len > OFI_PART)
        ofi_fail(o, "answer", m->from, "it belongs to no request");
    if (s->message.kind == OFI_READ) {
        memcpy(s->dst, m->data + m->off % 8, m->len);
        ofi_count(&o->bytes_in, m->len);
    } else if (s->dst) {
        memcpy(s->dst, &m->a, sizeof m->a);
    }
    ofi_count(&o->wakes, m->woke);
    struct fabric_op *op = s->op;
    s->answered = true;
    ofi_link_free(o, s);
    atomic_fetch_add(&o->peer[m->from].done, 1);
    if (op)
        ofi_link_lower(o, op);
}

static void ofi_link_perform(struct ofi_fabric *o, const struct ofi_message *m)
{
    struct ofi_slot *s = ofi_link_take(&o->free_answers);
    s->peer = m->from;
    memset(&s->message, 0, HEAD_BYTES);
    s->message.kind = OFI_ANSWER;
    s->message.from = (uint16_t)o->job.node;
    s->message.id = m->id;
    s->message.off = m->off % 8;
    ofi_serve(o, m->from, m, m->data + m->off % 8, s->message.data + m->off % 8, &s->message);
    ofi_link_send(o, s);
}

static void ofi_link_perform_held(struct ofi_fabric *o)
{
    while (o->held.first && o->free_answers.first) {
        struct ofi_slot *s = ofi_link_take(&o->held);
        ofi_link_perform(o, &s->message);
        ofi_link_append(&o->unposted, s);
    }
}

static void ofi_link_received(struct ofi_fabric *o, struct ofi_slot *s, size_t len)
{
    const struct ofi_message *m = &s->message;
    if (len < HEAD_BYTES || m->from >= o->job.nodes || m->kind >= OFI_KINDS || m->len > OFI_PART ||
        len != ofi_link_bytes(m))
        ofi_fail(o, "receive", -1, "this is no message of HLRC");
    if (m->kind == OFI_ANSWER) {
        ofi_link_answered(o, m);
        ofi_link_append(&o->unposted, s);
    } else {
        ofi_link_append(&o->held, s);
    }
}

static _Noreturn void ofi_link_broken(struct ofi_fabric *o)
{
    struct fi_cq_err_entry e = { 0 };
    (void)fi_cq_readerr(o->cq, &e, 0);
    struct ofi_slot *s = e.op_context;
    bool sent = s && !s->receives;
    ofi_fail(o, sent ? "message" : "receive", sent ? s->peer : -1, ofi_choose_error(e.err));
}

static void ofi_link_take_completions(struct ofi_fabric *o)
{
    struct fi_cq_msg_entry e[16];
    ssize_t n = fi_cq_read(o->cq, e, 16);
    if (n == -FI_EAVAIL && !atomic_load(&o->ends))
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

static void ofi_link_advance(struct ofi_fabric *o)
{
    ofi_link_take_completions(o);
    ofi_link_perform_held(o);
    ofi_link_post_receives(o);
    for (int n = 0; n < o->job.nodes; n++)
        ofi_link_flush(o, n);
}

void ofi_link_progress(struct ofi_fabric *o)
{
    if (pthread_mutex_trylock(&o->lock) != 0)
        return;
    ofi_link_advance(o);
    pthread_mutex_unlock(&o->lock);
}

/* ---- requests ---- */

/* Waits for an answer to an earlier request if there are too many. */
static struct ofi_slot *ofi_link_take_request(struct ofi_fabric *o, struct ofi_peer *p)
{
    for (;;) {
        struct ofi_slot *s = NULL;
        pthread_mutex_lock(&o->lock);
        if (p->started - p->done >= o->flight || !o->free_requests.first)
            ofi_link_advance(o);
        if (p->started - p->done < o->flight && (s = ofi_link_take(&o->free_requests)))
            p->started++;
        pthread_mutex_unlock(&o->lock);
        if (s)
            return s;
        sched_yield();
    }
}

void ofi_link_request(struct ofi_fabric *o, int peer, const struct ofi_message *with,
                      const void *src, struct fabric_op *op, void *dst)
{
    struct ofi_slot *s = ofi_link_take_request(o, &o->peer[peer]);
    memcpy(&s->message, with, HEAD_BYTES);
    s->message.from = (uint16_t)o->job.node;
    s->message.id = (uint32_t)(s - o->slots);
    /* not with the lock: the source may be a page that faults */
    if (src)
        memcpy(s->message.data + with->off % 8, src, with->len);
    s->peer = peer;
    s->op = op;
    s->dst = dst;
    s->answered = false;
    if (op)
        atomic_fetch_add_explicit(&op->pending, 1, memory_order_relaxed);
    pthread_mutex_lock(&o->lock);
    ofi_link_send(o, s);
    pthread_mutex_unlock(&o->lock);
}

/* ---- the progress thread ---- */

static bool ofi_link_unsent(struct ofi_fabric *o)
{
    bool any = o->held.first || o->unposted.first;
    for (int n = 0; n < o->job.nodes && !any; n++)
        any = o->peer[n].unsent.first;
    return any;
}

/* Until something arrives; shortly if something waits to be sent. */
static void ofi_link_doze(struct ofi_fabric *o)
{
    struct fid *all[] = { &o->cq->fid };
    struct pollfd fd = { .fd = o->cq_fd, .events = POLLIN };
    pthread_mutex_lock(&o->lock);
    int wait = ofi_link_unsent(o) || o->cq_fd < 0 ? 1 : IDLE_MS;
    bool may = o->cq_fd < 0 || fi_trywait(o->net, all, 1) == 0;
    pthread_mutex_unlock(&o->lock);
    if (may)
        (void)poll(&fd, 1, wait);
}

static void *ofi_link_run(void *arg)
{
    struct ofi_fabric *o = arg;
    while (!atomic_load(&o->ends)) {
        pthread_mutex_lock(&o->lock);
        ofi_link_advance(o);
        pthread_mutex_unlock(&o->lock);
        ofi_link_doze(o);
    }
    return NULL;
}

/* It, and the threads that the provider starts, take no signals of the program. */
static int ofi_link_start_thread(struct ofi_fabric *o)
{
    int rc = pthread_create(&o->progress, NULL, ofi_link_run, o);
    o->progress_runs = rc == 0;
    return -rc;
}

/* ---- opening ---- */

static int ofi_link_make_slots(struct ofi_fabric *o)
{
    size_t nodes = (size_t)o->job.nodes, most = o->info->rx_attr->size / (2 * nodes);
    o->flight = most > OFI_FLIGHT ? OFI_FLIGHT : most < 2 ? 2 : most;
    size_t each = o->flight * nodes;
    o->slot_count = 5 * each;
    o->slots = addresses_map(o->slot_count * sizeof *o->slots, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1);
    if (o->slots == MAP_FAILED) {
        o->slots = NULL;
        return -ENOMEM;
    }
    (void)madvise(o->slots, o->slot_count * sizeof *o->slots, MADV_DONTFORK);
    for (size_t i = 0; i < o->slot_count; i++) {
        o->slots[i].receives = i < 2 * each;
        ofi_link_append(i < 2 * each   ? &o->unposted
                        : i < 3 * each ? &o->free_requests
                                       : &o->free_answers,
                        &o->slots[i]);
    }
    return 0;
}

static int ofi_link_register(struct ofi_fabric *o)
{
    if (!(o->info->domain_attr->mr_mode & FI_MR_LOCAL))
        return 0;
    return fi_mr_reg(o->domain, o->slots, o->slot_count * sizeof *o->slots, FI_SEND | FI_RECV, 0, 0,
                     0, &o->mr, NULL);
}

static int ofi_link_open_queue(struct ofi_fabric *o)
{
    struct fi_cq_attr attr = { .size = o->slot_count,
                               .format = FI_CQ_FORMAT_MSG,
                               .wait_obj = FI_WAIT_FD };
    o->cq_fd = -1;
    if (fi_cq_open(o->domain, &attr, &o->cq, NULL) == 0)
        return fi_control(&o->cq->fid, FI_GETWAIT, &o->cq_fd);
    attr.wait_obj = FI_WAIT_NONE;
    return fi_cq_open(o->domain, &attr, &o->cq, NULL);
}

static int ofi_link_open_endpoint(struct ofi_fabric *o)
{
    struct fi_av_attr attr = { .type = FI_AV_TABLE, .count = (size_t)o->job.nodes };
    int rc = fi_av_open(o->domain, &attr, &o->av, NULL);
    rc = rc ? rc : fi_endpoint(o->domain, o->info, &o->ep, NULL);
    rc = rc ? rc : fi_ep_bind(o->ep, &o->av->fid, 0);
    rc = rc ? rc : fi_ep_bind(o->ep, &o->cq->fid, FI_SEND | FI_RECV);
    return rc ? rc : fi_enable(o->ep);
}

int ofi_link_start(struct ofi_fabric *o)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_mutex_init(&o->lock, NULL);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int rc = ofi_choose_open(o);
    rc = rc ? rc : fi_domain(o->net, o->info, &o->domain, NULL);
    rc = rc ? rc : ofi_link_make_slots(o);
    rc = rc ? rc : ofi_link_register(o);
    rc = rc ? rc : ofi_link_open_queue(o);
    rc = rc ? rc : ofi_link_open_endpoint(o);
    if (rc == 0) {
        ofi_link_post_receives(o);
        rc = ofi_link_start_thread(o);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}

/* Also tells every node whether all have started. */
int ofi_link_connect(struct ofi_fabric *o)
{
    struct ofi_link_address {
        char at[OFI_ADDRESS];
    } mine = { "" }, *all = calloc((size_t)o->job.nodes, sizeof *all);
    size_t len = sizeof mine.at;
    int rc = all ? fi_getname(&o->ep->fid, mine.at, &len) : -ENOMEM;
    if (rc)
        return rc;
    rc = o->job.exchange(o->job.ctx, &mine, sizeof mine, all);
    pthread_mutex_lock(&o->lock);
    for (int n = 0; n < o->job.nodes && rc == 0; n++)
        rc = fi_av_insert(o->av, all[n].at, 1, &o->peer[n].address, 0, NULL) == 1 ? 0 : -EIO;
    pthread_mutex_unlock(&o->lock);
    free(all);
    return rc;
}

static void ofi_link_close(struct fid *f)
{
    if (f)
        (void)fi_close(f);
}

void ofi_link_end(struct ofi_fabric *o)
{
    atomic_store(&o->ends, true);
    if (o->progress_runs)
        pthread_join(o->progress, NULL);
    ofi_link_close(o->ep ? &o->ep->fid : NULL);
    ofi_link_close(o->mr ? &o->mr->fid : NULL);
    ofi_link_close(o->cq ? &o->cq->fid : NULL);
    ofi_link_close(o->av ? &o->av->fid : NULL);
    ofi_link_close(o->domain ? &o->domain->fid : NULL);
    ofi_link_close(o->net ? &o->net->fid : NULL);
    if (o->slots)
        addresses_unmap(o->slots, o->slot_count * sizeof *o->slots);
}
