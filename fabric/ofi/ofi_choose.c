/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ofi_choose.c - loading libfabric, and the choice of a provider; see ofi.h.
 *
 * libfabric is loaded when it is first asked for, so that no other job pays for it. Its cache of
 * registered memory is switched off before: the cache patches code, or watches mappings, and the
 * engine changes mappings and protections all the time.
 */
#include "fabric/ofi/ofi.h"

#include <dlfcn.h>
#include <errno.h>
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

/* Everything that can reach another machine, and sends messages in order. */
static struct fi_info *ofi_choose_hints(void)
{
    struct fi_info *hints = calls.dupinfo(NULL);
    if (!hints)
        return NULL;
    hints->caps = FI_MSG | FI_REMOTE_COMM;
    hints->mode = FI_CONTEXT | FI_CONTEXT2;
    hints->ep_attr->type = FI_EP_RDM;
    hints->domain_attr->threading = FI_THREAD_SAFE;
    hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
    hints->domain_attr->mr_mode =
        FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_PROV_KEY | FI_MR_ALLOCATED | FI_MR_ENDPOINT;
    hints->tx_attr->msg_order = FI_ORDER_SAS;
    hints->rx_attr->msg_order = FI_ORDER_SAS;
    return hints;
}

static int ofi_choose_list(struct fi_info **list, char *why, size_t len)
{
    int rc = ofi_choose_load(why, len);
    if (rc)
        return rc;
    struct fi_info *hints = ofi_choose_hints();
    rc = hints ? calls.getinfo(API_VERSION, NULL, NULL, 0, hints, list) : -FI_ENOMEM;
    if (hints)
        calls.freeinfo(hints);
    if (rc)
        snprintf(why, len,
                 "no provider of libfabric has reliable messages in order (fi_info -t FI_EP_RDM: "
                 "%s)",
                 ofi_choose_error(rc));
    return rc ? -ENODEV : 0;
}

/* NULL, or why it cannot be used. */
static const char *ofi_choose_lack(const struct fi_info *info)
{
    return !(info->caps & FI_REMOTE_COMM)                             ? "reaches only this machine"
           : info->ep_attr->max_msg_size < sizeof(struct ofi_message) ? "takes only short messages"
           : info->ep_attr->msg_prefix_size ? "wants room in front of messages"
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

int ofi_choose(struct ofi_fabric *o, char *why, size_t len)
{
    struct fi_info *list = NULL;
    int rc = ofi_choose_list(&list, why, len);
    for (struct fi_info *i = list; i && !o->info; i = i->next)
        if (!ofi_choose_lack(i) && ofi_choose_matches(i, o->job.device))
            o->info = calls.dupinfo(i);
    if (list)
        calls.freeinfo(list);
    if (rc || o->info)
        return rc;
    if (o->job.device && *o->job.device)
        snprintf(why, len, "no provider or interface %.64s (hlrc_info lists them)", o->job.device);
    else
        snprintf(why, len, "no provider of libfabric reaches other machines");
    return -ENODEV;
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
    int rc = o ? ofi_choose(o, why, len) : -ENOMEM;
    if (o)
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
        const char *lack = ofi_choose_lack(i);
        snprintf(line, sizeof line, "%s:%s  %s", i->fabric_attr->prov_name, i->domain_attr->name,
                 lack ? lack : "usable");
        say(line);
    }
    calls.freeinfo(list);
}
