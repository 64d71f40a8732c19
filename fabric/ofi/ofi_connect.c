/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ofi_connect.c - endpoints, and connecting them; see ofi.h.
 *
 * With connections, a node connects to all nodes of a lower number, and accepts the others. The
 * launcher hands out addresses and secrets (struct ofi_address). A request for a connection shows
 * the secret of the node that it goes to, and the acceptance the secret of the node that requested
 * it [ofi.secret].
 */
#include "fabric/ofi/ofi.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>

#include "base/clock.h"

#define CARD_MAGIC 0x484c5243u
#define STALL_US   100000 /* libfabric 1.17 waits so long for the rest of a connection's request */
#define PAUSE_NS   200000 /* between two polls for events */

struct ofi_address {
    char at[OFI_ADDRESS];
    unsigned char secret[OFI_SECRET];
};

/* Data of a request for a connection, and of its acceptance. Adapters take 56 bytes at most. */
struct ofi_card {
    uint32_t magic, node;
    unsigned char secret[OFI_SECRET];
};

#define EVENT_BYTES (sizeof(struct fi_eq_cm_entry) + 256) /* with the data that comes with it */

/* ---- endpoints ---- */

static int ofi_connect_bind(struct ofi_fabric *o, struct fid_ep *ep)
{
    return fi_ep_bind(ep, &o->cq->fid, FI_SEND | FI_RECV);
}

/* The endpoint of all peers, without connections. */
static int ofi_connect_open_shared(struct ofi_fabric *o)
{
    struct fi_av_attr attr = { .type = FI_AV_TABLE, .count = (size_t)o->job.nodes };
    int rc = fi_av_open(o->domain, &attr, &o->av, NULL);
    rc = rc ? rc : fi_endpoint(o->domain, o->info, &o->ep, NULL);
    rc = rc ? rc : fi_ep_bind(o->ep, &o->av->fid, 0);
    rc = rc ? rc : ofi_connect_bind(o, o->ep);
    rc = rc ? rc : fi_enable(o->ep);
    for (int n = 0; n < o->job.nodes && rc == 0; n++) {
        o->peer[n].ep = o->ep;
        ofi_link_post(o, n);
    }
    return rc;
}

/* `info`: of the request that it accepts, or o->info. */
static int ofi_connect_open_peer(struct ofi_fabric *o, int peer, struct fi_info *info)
{
    struct ofi_peer *p = &o->peer[peer];
    int rc = fi_endpoint(o->domain, info, &p->ep, NULL);
    rc = rc ? rc : fi_ep_bind(p->ep, &o->eq->fid, 0);
    rc = rc ? rc : ofi_connect_bind(o, p->ep);
    rc = rc ? rc : fi_enable(p->ep);
    if (rc == 0)
        ofi_link_post(o, peer);
    return rc;
}

/* A stranger that begins a request and sends no more would hold up this node: libfabric reads the
 * rest of it from a blocking socket, which inherits this limit from the listener. */
static void ofi_connect_limit_stall(void)
{
    struct timeval limit = { .tv_usec = STALL_US };
    DIR *dir = opendir("/proc/self/fd");
    struct dirent *e;
    while (dir && (e = readdir(dir))) {
        int listens = 0, fd = atoi(e->d_name);
        socklen_t len = sizeof listens;
        if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) == 0 && listens)
            (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    }
    if (dir)
        closedir(dir);
}

static int ofi_connect_listen(struct ofi_fabric *o)
{
    struct fi_eq_attr attr = { .wait_obj = FI_WAIT_UNSPEC };
    int rc = fi_eq_open(o->net, &attr, &o->eq, NULL);
    rc = rc ? rc : fi_passive_ep(o->net, o->info, &o->listener, NULL);
    rc = rc ? rc : fi_pep_bind(o->listener, &o->eq->fid, 0);
    rc = rc ? rc : fi_listen(o->listener);
    if (rc == 0)
        ofi_connect_limit_stall();
    return rc;
}

int ofi_connect_start(struct ofi_fabric *o)
{
    if (getrandom(o->secret, sizeof o->secret, 0) != (ssize_t)sizeof o->secret)
        return -FI_EIO;
    return ofi_connects(o) ? ofi_connect_listen(o) : ofi_connect_open_shared(o);
}

/* ---- connecting ---- */

static struct ofi_card ofi_connect_card(struct ofi_fabric *o, int peer)
{
    struct ofi_card card = { .magic = CARD_MAGIC, .node = (uint32_t)o->job.node };
    memcpy(card.secret, o->peer[peer].secret, sizeof card.secret);
    return card;
}

/* The card in an event of `len` bytes; NULL if this node's secret is not in it [ofi.secret]. */
static const struct ofi_card *ofi_connect_card_in(struct ofi_fabric *o,
                                                  const struct fi_eq_cm_entry *e, size_t len,
                                                  struct ofi_card *card)
{
    if (len < sizeof *e + sizeof *card)
        return NULL;
    memcpy(card, e->data, sizeof *card);
    return card->magic == CARD_MAGIC && ofi_same_secret(card->secret, o->secret) ? card : NULL;
}

/* A peer that connects to this node, and has not yet. */
static bool ofi_connect_expects(struct ofi_fabric *o, uint32_t node)
{
    return node > (uint32_t)o->job.node && node < (uint32_t)o->job.nodes && !o->peer[node].ep;
}

static int ofi_connect_requested(struct ofi_fabric *o, const struct fi_eq_cm_entry *e, size_t len)
{
    struct ofi_card shown;
    int rc = 0;
    if (!ofi_connect_card_in(o, e, len, &shown) || !ofi_connect_expects(o, shown.node)) {
        o->refused++;
        (void)fi_reject(o->listener, e->info->handle, NULL, 0);
    } else {
        int peer = (int)shown.node;
        struct ofi_card card = ofi_connect_card(o, peer);
        rc = ofi_connect_open_peer(o, peer, e->info);
        rc = rc ? rc : fi_accept(o->peer[peer].ep, &card, sizeof card);
    }
    ofi_choose_free(e->info);
    return rc;
}

static int ofi_connect_peer_of(struct ofi_fabric *o, const struct fid *f)
{
    for (int n = 0; n < o->job.nodes; n++)
        if (o->peer[n].ep && f == &o->peer[n].ep->fid)
            return n;
    return -1;
}

/* The acceptance of a peer of a lower number shows this node's secret. */
static int ofi_connect_established(struct ofi_fabric *o, const struct fi_eq_cm_entry *e, size_t len)
{
    struct ofi_card shown;
    int peer = ofi_connect_peer_of(o, e->fid);
    if (peer < 0)
        return 0;
    if (peer < o->job.node && !ofi_connect_card_in(o, e, len, &shown))
        return -FI_EACCES;
    o->peer[peer].connected = true;
    return 0;
}

/* Of a connection, whose failure ends the job, or of a stranger's. */
static int ofi_connect_error(struct ofi_fabric *o, int *peer)
{
    struct fi_eq_err_entry e = { 0 };
    if (fi_eq_readerr(o->eq, &e, 0) < 0)
        return 0;
    *peer = ofi_connect_peer_of(o, e.fid);
    return *peer < 0 ? 0 : e.err ? -abs(e.err) : -FI_ECONNREFUSED;
}

/* One event. *peer: the node that an error belongs to, if it is known. */
static int ofi_connect_step(struct ofi_fabric *o, int *peer)
{
    _Alignas(struct fi_eq_cm_entry) char bytes[EVENT_BYTES];
    const struct fi_eq_cm_entry *e = (void *)bytes;
    uint32_t event = 0;
    ssize_t len = fi_eq_read(o->eq, &event, bytes, sizeof bytes, 0);
    if (len == -FI_EAVAIL)
        return ofi_connect_error(o, peer);
    if (len == -FI_EAGAIN)
        nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
    if (len < (ssize_t)sizeof *e)
        return len == -FI_EAGAIN || len >= 0 ? 0 : (int)len;
    if (event == FI_CONNREQ)
        return ofi_connect_requested(o, e, (size_t)len);
    *peer = ofi_connect_peer_of(o, e->fid);
    if (event == FI_CONNECTED)
        return ofi_connect_established(o, e, (size_t)len);
    return *peer < 0 ? 0 : -FI_ECONNREFUSED;
}

/* The first peer without connection; -1: all have one. */
static int ofi_connect_missing(struct ofi_fabric *o)
{
    for (int n = 0; n < o->job.nodes; n++)
        if (n != o->job.node && !o->peer[n].connected)
            return n;
    return -1;
}

static int ofi_connect_call(struct ofi_fabric *o, int peer, const struct ofi_address *at)
{
    struct ofi_card card = ofi_connect_card(o, peer);
    int rc = ofi_connect_open_peer(o, peer, o->info);
    return rc ? rc : fi_connect(o->peer[peer].ep, at->at, &card, sizeof card);
}

static int ofi_connect_all(struct ofi_fabric *o, const struct ofi_address *all, int *peer)
{
    int64_t end = clock_ns() + o->job.peer_timeout * INT64_C(1000000000);
    int rc = 0;
    for (*peer = 0; *peer < o->job.node && rc == 0; *peer += rc == 0)
        rc = ofi_connect_call(o, *peer, &all[*peer]);
    while (rc == 0 && ofi_connect_missing(o) >= 0) {
        *peer = ofi_connect_missing(o);
        rc = clock_ns() > end ? -FI_ETIMEDOUT : ofi_connect_step(o, peer);
    }
    return rc;
}

static int ofi_connect_insert(struct ofi_fabric *o, const struct ofi_address *all, int *peer)
{
    for (*peer = 0; *peer < o->job.nodes; ++*peer)
        if (fi_av_insert(o->av, all[*peer].at, 1, &o->peer[*peer].address, 0, NULL) != 1)
            return -FI_EADDRNOTAVAIL;
    return 0;
}

/* "10.0.0.2:4711", or the provider if it has no Internet addresses. */
static void ofi_connect_name(struct ofi_fabric *o, const struct ofi_address *a, char *out,
                             size_t len)
{
    char host[INET6_ADDRSTRLEN] = "";
    struct sockaddr_in in;
    struct sockaddr_in6 in6;
    memcpy(&in, a->at, sizeof in);
    memcpy(&in6, a->at, sizeof in6);
    if (o->info->addr_format == FI_SOCKADDR_IN &&
        inet_ntop(AF_INET, &in.sin_addr, host, sizeof host))
        snprintf(out, len, "%s:%d", host, ntohs(in.sin_port));
    else if (o->info->addr_format == FI_SOCKADDR_IN6 &&
             inet_ntop(AF_INET6, &in6.sin6_addr, host, sizeof host))
        snprintf(out, len, "[%s]:%d", host, ntohs(in6.sin6_port));
    else
        snprintf(out, len, "%s", o->info->fabric_attr->prov_name);
}

static int ofi_connect_name_of(struct ofi_fabric *o, struct ofi_address *mine)
{
    size_t len = sizeof mine->at;
    memcpy(mine->secret, o->secret, sizeof mine->secret);
    return fi_getname(o->listener ? &o->listener->fid : &o->ep->fid, mine->at, &len);
}

static void ofi_connect_close(struct fid *f)
{
    if (f)
        (void)fi_close(f);
}

/* From here on no foreign connection is accepted. One that has begun is never served. */
static void ofi_connect_stop_listening(struct ofi_fabric *o)
{
    ofi_connect_close(o->listener ? &o->listener->fid : NULL);
    o->listener = NULL;
}

int ofi_connect(struct ofi_fabric *o, char *why, size_t len)
{
    struct ofi_address mine = { .at = "" }, *all = calloc((size_t)o->job.nodes, sizeof *all);
    char at[INET6_ADDRSTRLEN + 16];
    int peer = -1, named = ofi_connect_name_of(o, &mine);
    int rc = all ? o->job.exchange(o->job.ctx, &mine, sizeof mine, all) : -FI_ENOMEM;
    rc = rc ? rc : named;
    if (rc == 0) {
        for (int n = 0; n < o->job.nodes; n++)
            memcpy(o->peer[n].secret, all[n].secret, OFI_SECRET);
        rc = ofi_connects(o) ? ofi_connect_all(o, all, &peer) : ofi_connect_insert(o, all, &peer);
    }
    if (rc && peer >= 0) {
        ofi_connect_name(o, &all[peer], at, sizeof at);
        snprintf(why, len, "cannot connect to node %d at %s: %s; --device selects the interface",
                 peer, at, ofi_choose_error(rc));
    } else if (rc) {
        snprintf(why, len, "cannot connect the nodes: %s", ofi_choose_error(rc));
    }
    ofi_connect_stop_listening(o);
    free(all);
    return rc;
}

void ofi_connect_end(struct ofi_fabric *o)
{
    ofi_connect_stop_listening(o);
    for (int n = 0; n < o->job.nodes; n++)
        if (o->peer[n].ep && o->peer[n].ep != o->ep)
            ofi_connect_close(&o->peer[n].ep->fid);
    ofi_connect_close(o->ep ? &o->ep->fid : NULL);
    ofi_connect_close(o->eq ? &o->eq->fid : NULL);
    ofi_connect_close(o->av ? &o->av->fid : NULL);
}
