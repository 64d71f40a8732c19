/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_job.c - see profile_job.h. */
#include "hlrc/report/profile_job.h"

#include <string.h>

#include "base/diag.h"
#include "base/reserve.h"
#include "boot/boot.h"
#include "hlrc/core/engine.h"
#include "hlrc/crash/code.h"
#include "hlrc/report/gather.h"
#include "hlrc/report/profile_report.h"

static bool profile_job_wanted(void)
{
    return config_profiles(&engine.config);
}

/* ---- this node ---- */

static bool profile_job_is_used(const struct profile_lock *l)
{
    return l->lock != 0;
}

static void profile_job_count_site(const struct sites_site *site, void *arg)
{
    (void)site;
    ++*(uint64_t *)arg;
}

static void profile_job_count_all(struct profile_job_head *h)
{
    for (uint32_t i = profile_page_next(0); i != UINT32_MAX; i = profile_page_next(i + 1)) {
        h->pages++;
        h->masks += profile_page(i)->told;
    }
    for (uint32_t i = 0; i < PROFILE_LOCKS; i++)
        h->locks += profile_job_is_used(&profile_locks()[i]);
    sites_each(profile_job_count_site, &h->sites);
    h->sums = *profile_sums();
    h->heat_rows = profile_heat()->rows;
    h->page_shift = profile_heat()->page_shift;
    h->time_shift = profile_heat()->time_shift;
}

static size_t profile_job_bytes_of(const struct profile_job_head *h)
{
    return sizeof *h + h->pages * sizeof(struct profile_job_record) +
           h->masks * sizeof(struct profile_mask) + h->locks * sizeof(struct profile_lock) +
           h->sites * sizeof(struct sites_site) + h->heat_rows * sizeof(struct heat_row);
}

static struct profile_job_node profile_job_parts_of(const struct profile_job_head *h)
{
    struct profile_job_node n = { .head = h, .pages = (const struct profile_job_record *)(h + 1) };
    n.masks = (const struct profile_mask *)(n.pages + h->pages);
    n.locks = (const struct profile_lock *)(n.masks + h->masks);
    n.sites = (const struct sites_site *)(n.locks + h->locks);
    n.heat = (const struct heat_row *)(n.sites + h->sites);
    return n;
}

static void profile_job_put_page(uint32_t page, const struct profile_page *p,
                                 struct profile_job_record *r)
{
    *r = (struct profile_job_record){ .page = page,
                                      .turns = p->turns,
                                      .looks = p->looks,
                                      .home = p->home,
                                      .ticks = p->ticks,
                                      .shared = p->shared };
    for (int write = 0; write < 2; write++) {
        r->votes[write] = (uint32_t)(p->code[write] >> 48);
        r->code[write] = code_for_all(PROFILE_CODE(p->code[write]));
    }
    for (int k = 0; k < PROFILE_COUNTERS; k++)
        r->count[k] = p->count[k];
}

static void profile_job_put_site(const struct sites_site *site, void *arg)
{
    struct sites_site **to = arg;
    *(*to)++ = *site;
}

/* Fills the memory after the head, which is large enough. */
static void profile_job_fill(struct profile_job_head *h)
{
    struct profile_job_node n = profile_job_parts_of(h);
    struct profile_job_record *r = (struct profile_job_record *)(h + 1);
    struct profile_mask *mask = (struct profile_mask *)(r + h->pages);
    struct profile_lock *l = (struct profile_lock *)(mask + h->masks);
    struct sites_site *site = (struct sites_site *)(l + h->locks);
    for (uint32_t i = profile_page_next(0); i != UINT32_MAX; i = profile_page_next(i + 1)) {
        const struct profile_page *p = profile_page(i);
        profile_job_put_page(i, p, r);
        if (p->told) {
            memcpy(mask++, profile_mask(i), sizeof *mask);
            r->mask = (uint32_t)(mask - n.masks);
        }
        r++;
    }
    for (uint32_t i = 0; i < PROFILE_LOCKS; i++)
        if (profile_job_is_used(&profile_locks()[i])) {
            *l = profile_locks()[i];
            l->code = code_for_all(l->code);
            l++;
        }
    sites_each(profile_job_put_site, &site);
    memcpy(site, profile_heat()->row, h->heat_rows * sizeof(struct heat_row));
}

/* NULL: no memory. */
static struct profile_job_head *profile_job_compose(size_t *bytes)
{
    struct profile_job_head head = { .node = (uint32_t)engine.node };
    if (!engine.alone)
        profile_job_count_all(&head);
    profile_times(&head.tick_s, &head.wall_s);
    head.time = profile_time(head.tick_s);
    head.host = *profile_host();
    *bytes = profile_job_bytes_of(&head);
    struct profile_job_head *h = reserve(*bytes);
    if (!h)
        return NULL;
    *h = head;
    if (!engine.alone)
        profile_job_fill(h);
    return h;
}

/* ---- all nodes ---- */

static _Noreturn void profile_job_no_memory(void)
{
    diag_fatal(1, "--profile: no memory for what has been counted; leave it out");
}

static void profile_job_report(struct profile_job_head *mine, const uint64_t *bytes)
{
    static struct profile_job_node nodes[NODES_MAX];
    static void *room[NODES_MAX];
    nodes[0] = profile_job_parts_of(mine);
    for (int n = 1; n < engine.nodes; n++) {
        room[n] = reserve(bytes[n]);
        if (!room[n])
            profile_job_no_memory();
        gather_receive(n, room[n]);
        nodes[n] = profile_job_parts_of(room[n]);
    }
    profile_report(nodes, engine.nodes);
    for (int n = 1; n < engine.nodes; n++)
        reserve_end(room[n], bytes[n]);
}

void profile_job_finish(void)
{
    static uint64_t all[NODES_MAX];
    size_t bytes;
    if (!profile_job_wanted())
        return;
    boot_exchange(engine.boot, NULL, 0, NULL); /* no node serves any more */
    profile_stop();
    struct profile_job_head *mine = profile_job_compose(&bytes);
    uint64_t size = bytes;
    if (!mine)
        profile_job_no_memory();
    if (boot_exchange(engine.boot, &size, sizeof size, all) == 0 && engine.node == 0) {
        profile_job_report(mine, all);
    } else if (engine.node != 0) {
        struct gather g = GATHER_INIT;
        gather_send(&g, mine, 0, bytes);
        gather_end(&g);
    }
    reserve_end(mine, bytes);
}
