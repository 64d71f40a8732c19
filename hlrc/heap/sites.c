/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sites.c - see sites.h for the invariants. */
#include "hlrc/heap/sites.h"

#include <errno.h>
#include <hlrc.h>
#include <string.h>

#include "base/reserve.h"
#include "base/spin.h"
#include "hlrc/core/engine.h"
#include "hlrc/heap/heap_tables.h"
#include "hlrc/memory/interval.h"
#include "hlrc/probe/caller.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/msg.h"
#include "hlrc/progress/thread.h"
#include "hlrc/races/races.h"

#define GRAINS  (PAGE_SIZE / HEAP_GRAIN) /* addresses in a page where a block may begin */
#define RECORDS (1u << 26)
#define BITS    64u

bool sites_on;
uint64_t (*sites_code)(uint64_t code);

static spin_lock_word lock;        /* guards all of the following */
static struct sites_site *records; /* 0 is none; free ones are a list by size */
static uint32_t used, unused;
static uint32_t *beginning; /* the record of the block that begins at each grain */
static uint64_t *pages;     /* a bit for each page in which one begins */

#define RECORDS_BYTES   ((size_t)RECORDS * sizeof *records)
#define BEGINNING_BYTES ((size_t)engine_heap_pages() * GRAINS * sizeof *beginning)
#define PAGES_BYTES     (((size_t)engine_heap_pages() / BITS + 1) * sizeof *pages)

/* ---- records ---- */

static void sites_serve(struct request *req);

int sites_init(void)
{
    if (!first_write_races_checked() && !probe_profiles())
        return 0;
    records = reserve(RECORDS_BYTES);
    beginning = reserve(BEGINNING_BYTES);
    pages = reserve(PAGES_BYTES);
    used = unused = 0;
    msg_handle(REQUEST_SITE, sites_serve);
    caller_init();
    sites_on = records && beginning && pages;
    return sites_on ? 0 : -ENOMEM;
}

void sites_end(void)
{
    sites_on = false;
    reserve_end(records, RECORDS_BYTES);
    reserve_end(beginning, BEGINNING_BYTES);
    reserve_end(pages, PAGES_BYTES);
    records = NULL;
    beginning = NULL;
    pages = NULL;
}

static uint32_t *sites_grain_of(const void *addr)
{
    return &beginning[(size_t)((const char *)addr - engine.app) / HEAP_GRAIN];
}

static uint32_t sites_take(void)
{
    uint32_t r = unused;
    if (r)
        unused = (uint32_t)records[r].size;
    else if (used + 1 < RECORDS)
        r = ++used;
    return r;
}

static void heap_sites_drop(uint32_t *grain)
{
    if (*grain == 0)
        return;
    records[*grain] = (struct sites_site){ .size = unused };
    unused = *grain;
    *grain = 0;
}

/* The first page from `page` on in which a block begins, `end` if none does before that. */
static uint32_t sites_page_next(uint32_t page, uint32_t end)
{
    while (page < end && !(pages[page / BITS] >> page % BITS & 1))
        page = pages[page / BITS] >> page % BITS ? page + 1 : (page / BITS + 1) * BITS;
    return page < end ? page : end;
}

static void sites_forget(const void *block, size_t size)
{
    uint32_t *first = sites_grain_of(block), *end = first + (size + HEAP_GRAIN - 1) / HEAP_GRAIN;
    uint32_t last = engine_page_of((const char *)block + size - 1);
    for (uint32_t page = sites_page_next(engine_page_of(block), last + 1); page <= last;
         page = sites_page_next(page + 1, last + 1))
        for (uint32_t i = 0; i < GRAINS; i++) {
            uint32_t *grain = &beginning[(size_t)page * GRAINS + i];
            if (grain >= first && grain < end)
                heap_sites_drop(grain);
        }
}

static uint64_t sites_stamp_now(void)
{
    uint64_t time[NODES_MAX], sum = 0;
    interval_vt(time);
    for (int n = 0; n < engine.nodes; n++)
        sum += time[n];
    return sum;
}

void sites_add(const void *block, size_t size, void *caller)
{
    uintptr_t code = caller_outside((uintptr_t)caller);
    struct sites_site site = { block, size ? size : 1, sites_code(code ? code : (uintptr_t)caller),
                               sites_stamp_now() };
    uint32_t page = engine_page_of(block);
    spin_lock(&lock);
    sites_forget(block, site.size);
    uint32_t r = sites_take();
    if (r) {
        records[r] = site;
        *sites_grain_of(block) = r;
        pages[page / BITS] |= UINT64_C(1) << page % BITS;
    }
    spin_unlock(&lock);
}

/* The last record that begins in `page` at or before `last`. */
static uint32_t sites_last_in(uint32_t page, const uint32_t *last)
{
    uint32_t *first = beginning + (size_t)page * GRAINS;
    const uint32_t *at = last < first + GRAINS ? last : first + GRAINS - 1;
    for (; at >= first; at--)
        if (*at)
            return *at;
    return 0;
}

/* ASSUMPTION: the lock is held. Blocks do not overlap, so only the block that begins last before
 * addr can contain it. */
static uint32_t sites_last_before(const void *addr)
{
    const uint32_t *last = sites_grain_of(addr);
    for (uint32_t page = engine_page_of(addr);; page--) {
        uint32_t r = pages[page / BITS] >> page % BITS & 1 ? sites_last_in(page, last) : 0;
        if (r || page == 0)
            return r;
        if (page % BITS == 0) /* skips empty words */
            while (page > BITS && pages[page / BITS - 1] == 0)
                page -= BITS;
    }
}

bool sites_of(const void *addr, struct sites_site *out)
{
    if (!sites_on || !engine_in_heap(addr))
        return false;
    spin_lock(&lock);
    *out = records[sites_last_before(addr)];
    spin_unlock(&lock);
    return out->block && (size_t)((const char *)addr - (const char *)out->block) < out->size;
}

void sites_each(void (*fn)(const struct sites_site *site, void *arg), void *arg)
{
    for (uint32_t page = sites_on ? sites_page_next(0, engine_heap_pages()) : UINT32_MAX;
         page < engine_heap_pages(); page = sites_page_next(page + 1, engine_heap_pages()))
        for (uint32_t i = 0; i < GRAINS; i++)
            if (beginning[(size_t)page * GRAINS + i])
                fn(&records[beginning[(size_t)page * GRAINS + i]], arg);
}

/* ---- queries to other nodes ---- */

static void sites_serve(struct request *req)
{
    struct sites_site site = { 0 };
    uint64_t vec[NODES_MAX] = { 0 };
    bool known = sites_of((const void *)(uintptr_t)req->arg[0], &site);
    vec[0] = (uintptr_t)site.block;
    vec[1] = site.size;
    msg_reply(req, known ? (int64_t)site.stamp : -ENOENT, site.code, vec);
}

static bool sites_ask(int node, const void *addr, struct sites_site *out)
{
    uint32_t token = thread_self()->call_token;
    struct request *req = msg_compose(token, REQUEST_SITE, engine_page_of(addr));
    req->arg[0] = (uintptr_t)addr;
    msg_send(req, node, false, true);
    const struct request_reply *reply = msg_wait(token);
    if (reply->status < 0)
        return false;
    *out = (struct sites_site){ (const void *)(uintptr_t)reply->vec[0], (size_t)reply->vec[1],
                                reply->arg, (uint64_t)reply->status };
    return true;
}

bool sites_site_ask(const void *addr, struct sites_site *out)
{
    struct sites_site other;
    bool known = sites_of(addr, out);
    for (int n = 0; n < engine.nodes; n++)
        if (n != engine.node && sites_ask(n, addr, &other) &&
            (!known || other.stamp > out->stamp)) {
            *out = other;
            known = true;
        }
    return known;
}
