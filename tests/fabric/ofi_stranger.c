/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ofi_stranger.c - see ofi_wire.h. */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/fabric/ofi_wire.h"

/* ---- connections ---- */

/* A request for a connection as libfabric's provider for TCP sends it. */
struct request {
    uint8_t version, type;
    uint16_t size; /* of the data, in the network's order */
    uint32_t unused;
    uint64_t unused_too[2], one;
    uint32_t magic, node;
    unsigned char secret[OFI_SECRET];
};

#define HEAD offsetof(struct request, magic)

static int call_port(const struct wire_address *a)
{
    struct sockaddr_in in;
    memcpy(&in, a->at, sizeof in);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(fd, (struct sockaddr *)&in, sizeof in) == 0)
        return fd;
    close(fd);
    return -1;
}

/* The connection stays open if `stays`. */
static bool send_bytes(const struct wire_address *a, const void *bytes, size_t len, bool stays)
{
    int fd = call_port(a);
    if (fd >= 0 && len)
        (void)!send(fd, bytes, len, MSG_NOSIGNAL);
    if (fd >= 0 && !stays)
        close(fd);
    return fd >= 0;
}

static void fill_random(void *at, size_t len)
{
    for (size_t i = 0; i < len; i++)
        ((unsigned char *)at)[i] = (unsigned char)random();
}

static bool send_garbage(const struct wire_address *a)
{
    static char bytes[70000];
    struct request r = { .version = 3, .size = htons(UINT16_MAX), .one = 1 };
    bool good = true;
    fill_random(bytes, sizeof bytes);
    for (size_t len = 1; len < sizeof bytes; len = len * 3 + 1)
        good &= send_bytes(a, bytes, len, false);
    memcpy(bytes, &r, HEAD);
    good &= send_bytes(a, bytes, sizeof bytes, true); /* oversized */
    good &= send_bytes(a, bytes, 7, true);            /* truncated in the head */
    good &= send_bytes(a, bytes, HEAD, true);         /* truncated behind it */
    return good && send_bytes(a, NULL, 0, true);
}

bool wire_stranger_connect(const struct wire_address *all, int nodes, int node)
{
    const struct wire_address *a = &all[node];
    struct request right = { .version = 3,
                             .size = htons(sizeof right - HEAD),
                             .one = 1,
                             .magic = 0x484c5243,
                             .node = (uint32_t)nodes - 1 };
    memcpy(right.secret, a->secret, OFI_SECRET);
    struct request wrong[WIRE_CARDS] = { right, right, right, right, right };
    fill_random(wrong[0].secret, OFI_SECRET);
    wrong[1].secret[OFI_SECRET - 1] ^= 1; /* all but a bit */
    memcpy(wrong[2].secret, all[(node + 1) % nodes].secret, OFI_SECRET);
    wrong[3].node = (uint32_t)nodes; /* with the secret, but no node that is expected */
    wrong[4].magic++;
    bool good = send_garbage(a);
    for (int i = 0; i < WIRE_CARDS; i++)
        good &= send_bytes(a, &wrong[i], sizeof wrong[i], i % 2);
    return good;
}

/* ---- messages ---- */

struct port {
    struct fi_info *info;
    struct fid_fabric *net;
    struct fid_domain *domain;
    struct fid_cq *cq;
    struct fid_av *av;
    struct fid_ep *ep;
};

static int open_port(const char *provider, struct port *p)
{
    struct fi_info *hints = fi_allocinfo();
    struct fi_cq_attr cq = { .format = FI_CQ_FORMAT_MSG };
    struct fi_av_attr av = { .type = FI_AV_TABLE };
    hints->caps = FI_MSG;
    hints->mode = FI_CONTEXT | FI_CONTEXT2;
    hints->ep_attr->type = FI_EP_RDM;
    hints->addr_format = FI_SOCKADDR_IN;
    hints->fabric_attr->prov_name = strdup(provider);
    int rc = fi_getinfo(FI_VERSION(1, 15), NULL, NULL, 0, hints, &p->info);
    rc = rc ? rc : fi_fabric(p->info->fabric_attr, &p->net, NULL);
    rc = rc ? rc : fi_domain(p->net, p->info, &p->domain, NULL);
    rc = rc ? rc : fi_cq_open(p->domain, &cq, &p->cq, NULL);
    rc = rc ? rc : fi_av_open(p->domain, &av, &p->av, NULL);
    rc = rc ? rc : fi_endpoint(p->domain, p->info, &p->ep, NULL);
    rc = rc ? rc : fi_ep_bind(p->ep, &p->av->fid, 0);
    rc = rc ? rc : fi_ep_bind(p->ep, &p->cq->fid, FI_SEND | FI_RECV);
    fi_freeinfo(hints);
    return rc ? rc : fi_enable(p->ep);
}

static int send_message(struct port *p, fi_addr_t to, const void *bytes, size_t len)
{
    struct fi_context2 context;
    struct fi_cq_msg_entry e;
    ssize_t rc;
    while ((rc = fi_send(p->ep, bytes, len, NULL, to, &context)) == -FI_EAGAIN)
        (void)fi_cq_read(p->cq, &e, 1);
    while (rc == 0 && (rc = fi_cq_read(p->cq, &e, 1)) != 1)
        rc = rc == -FI_EAGAIN ? 0 : rc;
    return rc < 0 ? (int)rc : 0;
}

int wire_stranger_send(const char *provider, const struct wire_address *to)
{
    static char bytes[2 * (sizeof(struct ofi_message) + OFI_PART)];
    const struct ofi_message head = { .kind = OFI_WRITE, .len = 8 };
    char wrong[sizeof head + OFI_PART] = { 0 };
    struct port p = { 0 };
    fi_addr_t at;
    const size_t lengths[] = { 1, sizeof head - 1, sizeof wrong };
    int rc = open_port(provider, &p);
    if (rc == 0 && fi_av_insert(p.av, to->at, 1, &at, 0, NULL) != 1)
        rc = -FI_EIO;
    fill_random(bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0] && rc == 0; i++)
        rc = send_message(&p, at, bytes, lengths[i]);
    memcpy(wrong, &head, sizeof head);
    memcpy(wrong + offsetof(struct ofi_message, secret), to->secret, OFI_SECRET);
    wrong[offsetof(struct ofi_message, secret)] ^= 1;
    rc = rc ? rc : send_message(&p, at, wrong, sizeof head + 8);
    /* longer than any message: may fail here, and is counted if it does not */
    if (rc == 0)
        (void)send_message(&p, at, bytes, sizeof bytes);
    return rc;
}
