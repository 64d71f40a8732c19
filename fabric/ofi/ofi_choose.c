/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ofi_choose.c - loading libfabric, and the choice of a provider; see ofi.h.
 *
 * libfabric is loaded when it is first asked for, so that no other job pays for it. Its cache of
 * registered memory is switched off before: the cache patches code, or watches mappings, and the
 * engine changes mappings and protections all the time.
 */
#include "fabric/ofi/ofi.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY     "libfabric.so.1"
#define API_VERSION FI_VERSION(1, 15)

static struct ofi_choose_calls {
    int (*getinfo)(uint32_t version, const char *node, const char *service, uint64_t flags,
                   const struct fi_info *hints, struct fi_info **info);
    void (*freeinfo)(struct fi_info *info);
    struct fi_info *(*dupinfo)(const struct fi_info *info);
    int (*fabric)(struct fi_fabric_attr *attr, struct fid_fabric **fabric, void *context);
    const char *(*strerror)(int err);
} calls;

/* 0, or -ENOENT and the reason. Not called by two threads at a time: opening and probing are not.
 */
static int ofi_choose_load(char *why, size_t len)
{
    if (calls.getinfo)
        return 0;
    setenv("FI_MR_CACHE_MAX_COUNT", "0", 1);
    setenv("FI_MR_CACHE_MONITOR", "disabled", 1);
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(why, len, "%s cannot be loaded; install libfabric1", LIBRARY);
        return -ENOENT;
    }
    *(void **)&calls.freeinfo = dlsym(library, "fi_freeinfo");
    *(void **)&calls.dupinfo = dlsym(library, "fi_dupinfo");
    *(void **)&calls.fabric = dlsym(library, "fi_fabric");
    *(void **)&calls.strerror = dlsym(library, "fi_strerror");
    if (calls.freeinfo && calls.dupinfo && calls.fabric && calls.strerror)
        *(void **)&calls.getinfo = dlsym(library, "fi_getinfo");
    if (calls.getinfo)
        return 0;
    snprintf(why, len, "%s lacks functions that every release has", LIBRARY);
    return -ENOENT;
}

const char *ofi_choose_error(int err)
{
    return calls.strerror(abs(err));
}

void ofi_choose_save(struct ofi_signals *out)
{
    for (int sig = 1; sig < 32; sig++)
        (void)sigaction(sig, NULL, &out->action[sig]);
}

void ofi_choose_restore(const struct ofi_signals *before)
{
    struct sigaction now;
    for (int sig = 1; sig < 32; sig++)
        if (sigaction(sig, NULL, &now) == 0 && now.sa_sigaction != before->action[sig].sa_sigaction)
            (void)sigaction(sig, &before->action[sig], NULL);
}

/* Reliable messages in order, with connections (MSG) or without (RDM). `reach` is FI_REMOTE_COMM or
 * 0: some providers say that they reach other machines only if this is requested. */
static struct fi_info *ofi_choose_hints(enum fi_ep_type type, uint64_t reach)
{
    struct fi_info *hints = calls.dupinfo(NULL);
    if (!hints)
        return NULL;
    hints->caps = FI_MSG | reach;
    hints->mode = FI_CONTEXT | FI_CONTEXT2;
    hints->ep_attr->type = type;
    hints->domain_attr->threading = FI_THREAD_SAFE;
    if (type == FI_EP_MSG) /* no thread of libfabric: it would read from a stream */
        hints->domain_attr->data_progress = hints->domain_attr->control_progress =
            FI_PROGRESS_MANUAL;
    hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
    hints->domain_attr->mr_mode =
        FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_PROV_KEY | FI_MR_ALLOCATED | FI_MR_ENDPOINT;
    hints->tx_attr->msg_order = FI_ORDER_SAS;
    hints->rx_attr->msg_order = FI_ORDER_SAS;
    return hints;
}

static void ofi_choose_query(struct fi_info **all, enum fi_ep_type type, uint64_t reach)
{
    struct fi_info *list = NULL, *hints = ofi_choose_hints(type, reach);
    if (hints && calls.getinfo(API_VERSION, NULL, NULL, 0, hints, &list) != 0)
        list = NULL;
    if (hints)
        calls.freeinfo(hints);
    while (*all)
        all = &(*all)->next;
    *all = list;
}

/* First those with connections: their requests show a secret before anything else is read. */
static int ofi_choose_list(struct fi_info **list, char *why, size_t len)
{
    struct ofi_signals actions;
    ofi_choose_save(&actions);
    int rc = ofi_choose_load(why, len);
    if (rc == 0) {
        ofi_choose_query(list, FI_EP_MSG, FI_REMOTE_COMM);
        ofi_choose_query(list, FI_EP_MSG, 0);
        ofi_choose_query(list, FI_EP_RDM, FI_REMOTE_COMM);
        ofi_choose_query(list, FI_EP_RDM, 0);
    }
    ofi_choose_restore(&actions);
    if (rc || *list)
        return rc;
    snprintf(why, len,
             "no provider of libfabric has reliable messages in order (fi_info -c FI_MSG)");
    return -ENODEV;
}

static bool ofi_choose_is_loopback(const struct fi_info *info)
{
    const struct sockaddr_in *in = info->src_addr;
    const struct sockaddr_in6 *in6 = info->src_addr;
    return in &&
           ((info->addr_format == FI_SOCKADDR_IN && ntohl(in->sin_addr.s_addr) >> 24 == 127) ||
            (info->addr_format == FI_SOCKADDR_IN6 && IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr)));
}

/* NULL, or why it cannot be used. */
static const char *ofi_choose_lack(const struct fi_info *info, bool local)
{
    bool reaches = (info->caps & FI_REMOTE_COMM) && !ofi_choose_is_loopback(info);
    return !local && !reaches ? "reaches only this machine"
           : info->ep_attr->max_msg_size < sizeof(struct ofi_message) + OFI_PART + 16
               ? "takes only short messages"
           : info->ep_attr->msg_prefix_size                 ? "requires room before each message"
           : info->ep_attr->rx_ctx_cnt == FI_SHARED_CONTEXT ? "requires a shared receive context"
                                                            : NULL;
}

static bool ofi_choose_is(const char *name, size_t len, const char *of)
{
    return of && strlen(of) == len && strncmp(name, of, len) == 0;
}

/* "PROVIDER", "INTERFACE" or "PROVIDER:INTERFACE". */
static bool ofi_choose_matches(const struct fi_info *info, const char *device)
{
    const char *provider = info->fabric_attr->prov_name, *interface = info->domain_attr->name;
    size_t first = device ? strcspn(device, ":") : 0, layer = strcspn(provider, ";");
    bool named = ofi_choose_is(device, first, provider) ||
                 (device && layer == first && strncmp(device, provider, layer) == 0);
    if (!device || !*device)
        return true;
    return device[first]
               ? named && ofi_choose_is(device + first + 1, strlen(device + first + 1), interface)
               : named || ofi_choose_is(device, first, interface);
}

/* Smaller is better. A network adapter's own provider is faster than TCP. All nodes choose the same
 * kind of address: IPv4 if there is one. */
static int ofi_choose_rank(const struct ofi_fabric *o, const struct fi_info *info)
{
    bool adapter = info->nic && !strchr(info->fabric_attr->prov_name, ';');
    bool connects = info->ep_attr->type == FI_EP_MSG;
    bool loops = connects && ofi_choose_is_loopback(info);
    int rank = loops ? 0 : o->local ? 1 : adapter && !connects ? 2 : connects ? 3 : 4;
    return 2 * rank + (info->addr_format == FI_SOCKADDR_IN6);
}

/* Of one network, so that the choice of one node cannot put it out of reach of another. */
static bool ofi_choose_is_nearer(const struct fi_info *a, const struct fi_info *b)
{
    const char *net = a->fabric_attr->name, *other = b->fabric_attr->name;
    if (!net || !other || strcmp(net, other) != 0 ||
        strcmp(a->fabric_attr->prov_name, b->fabric_attr->prov_name) != 0)
        return false;
    int near = ofi_numa_distance(a), far = ofi_numa_distance(b);
    return near >= 0 && near < far;
}

/* The best provider that `device` admits. *lack: why the last that it admits cannot be used. */
static const struct fi_info *ofi_choose_best(const struct ofi_fabric *o, const struct fi_info *list,
                                             const char **lack)
{
    const struct fi_info *best = NULL;
    *lack = NULL;
    for (const struct fi_info *i = list; i; i = i->next) {
        const char *lacks = ofi_choose_lack(i, o->local);
        if (!ofi_choose_matches(i, o->job.device))
            continue;
        if (lacks)
            *lack = lacks;
        else if (!best || ofi_choose_rank(o, i) < ofi_choose_rank(o, best) ||
                 (ofi_choose_rank(o, i) == ofi_choose_rank(o, best) &&
                  ofi_choose_is_nearer(i, best)))
            best = i;
    }
    return best;
}

int ofi_choose(struct ofi_fabric *o, char *why, size_t len)
{
    const char *device = o->job.device ? o->job.device : "", *lack = NULL;
    struct fi_info *list = NULL;
    int rc = ofi_choose_list(&list, why, len);
    const struct fi_info *best = ofi_choose_best(o, list, &lack);
    if (best)
        o->info = calls.dupinfo(best);
    if (list)
        calls.freeinfo(list);
    if (rc || o->info)
        return rc;
    if (lack)
        snprintf(why, len, "--device %.64s: %s", *device ? device : "(all)", lack);
    else
        snprintf(why, len, "--device %.64s: no such provider or interface (hlrc_info lists them)",
                 device);
    return -ENODEV;
}

void ofi_choose_free(struct fi_info *info)
{
    calls.freeinfo(info);
}

void ofi_choose_end(struct ofi_fabric *o)
{
    if (o->info)
        calls.freeinfo(o->info);
}

int ofi_choose_open(struct ofi_fabric *o)
{
    return calls.fabric(o->info->fabric_attr, &o->net, NULL);
}

int ofi_probe(char *why, size_t len)
{
    struct ofi_fabric *o = calloc(1, sizeof *o);
    if (!o)
        return -ENOMEM;
    o->local = true; /* a provider that reaches only this machine can be used for a job here */
    int rc = ofi_choose(o, why, len);
    ofi_choose_end(o);
    free(o);
    return rc;
}

/* An interface with several addresses is listed several times. */
static bool ofi_choose_repeats(const struct fi_info *list, const struct fi_info *info)
{
    while (list != info && (strcmp(list->fabric_attr->prov_name, info->fabric_attr->prov_name) ||
                            strcmp(list->domain_attr->name, info->domain_attr->name)))
        list = list->next;
    return list != info;
}

void ofi_describe(void (*say)(const char *line))
{
    char line[256];
    struct fi_info *list = NULL;
    if (ofi_choose_list(&list, line, sizeof line) != 0)
        return;
    for (struct fi_info *i = list; i; i = i->next) {
        if (ofi_choose_repeats(list, i))
            continue;
        const char *lack = ofi_choose_lack(i, false);
        snprintf(line, sizeof line, "%s:%s  %s", i->fabric_attr->prov_name, i->domain_attr->name,
                 lack ? lack : "usable");
        say(line);
    }
    calls.freeinfo(list);
}
