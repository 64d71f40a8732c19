/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * policy_migrate.h - home migration: when the node that writes a page becomes its home.
 *
 * A home adds up the cost of one writer's diffs of a page, until it or a third node writes the
 * page. At POLICY_MIGRATE_WATCH it lists the page as wanted. A wanted page is first watched: the
 * home's threads have no access to it. If it is wanted again without a fault of the home, its home
 * migrates to the writer (ripe). Mechanism and rules: [home-migration.held],
 * [home-migration.full-barrier].
 *
 * Source: ski rental (Karlin, Manasse, Rudolph and Sleator, 1988): a migration costs about what the
 * program had paid before. Costs are in units of about a quarter of a microsecond.
 */
#ifndef HLRC_POLICY_MIGRATE_H
#define HLRC_POLICY_MIGRATE_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#define POLICY_MIGRATE_WATCH   34u   /* units; doubled for each try */
#define POLICY_MIGRATE_TRIES   3u    /* of one page, until it is freed */
#define POLICY_MIGRATE_ROUND   4096u /* pages of one home in one round */
#define POLICY_MIGRATE_BATCH   64u   /* fewest pages watched at once */
#define POLICY_MIGRATE_GROWTH  16u   /* of the batch, if a round has ripe pages */
#define POLICY_MIGRATE_SHARE   2u    /* at least one in this many candidates is watched */
#define POLICY_MIGRATE_REPORT  8u    /* units that a writer adds up before it reports them */
#define POLICY_MIGRATE_REPORTS 64u   /* words of each writer at one home */
#define POLICY_MIGRATE_NODES   1024u /* most nodes */

/* Of one page, at its home; `spent` also at a writer that reports its costs. */
struct policy_migrate {
    uint16_t spent;       /* units since the last reset, try or report */
    uint16_t writer : 10; /* of the last diff */
    uint16_t tries : 2;   /* migrations, and watches that ended by a fault of the home */
    uint16_t watched : 1;
    uint16_t noted : 1; /* listed as wanted */
};

static_assert(sizeof(struct policy_migrate) == 4, "it is part of struct page");

struct policy_migrate_move {
    uint32_t page;
    uint32_t to;
};

static inline uint32_t policy_migrate_cost(uint32_t bytes)
{
    return 1 + bytes / 256;
}

/* A diff of `writer` has been applied at the home `self`, which may be the writer. `unshared`: the
 * home writes without notice. True: its cost counts, if the page has not been placed here. */
static inline bool policy_migrate_wrote(struct policy_migrate *m, unsigned writer, unsigned self,
                                        bool unshared)
{
    if (writer != m->writer || writer == self || unshared) {
        m->writer = (uint16_t)(writer % POLICY_MIGRATE_NODES);
        m->spent = 0;
        m->watched = false;
    }
    return writer != self && m->tries < POLICY_MIGRATE_TRIES;
}

/* Adds the cost of that diff. True: the page is to be listed as wanted. */
static inline bool policy_migrate_add(struct policy_migrate *m, uint32_t units)
{
    m->spent = (uint16_t)(m->spent + units);
    if (m->spent < POLICY_MIGRATE_WATCH << m->tries)
        return false;
    bool first = !m->noted;
    m->spent = 0;
    m->noted = true;
    return first;
}

/* At a writer whose diffs the home does not see: adds the cost of one. Returns the units to report
 * to the home; 0: not yet. */
static inline uint32_t policy_migrate_report(struct policy_migrate *m, uint32_t bytes)
{
    uint32_t units = m->spent + policy_migrate_cost(bytes);
    m->spent = (uint16_t)(units < POLICY_MIGRATE_REPORT ? units : 0);
    return units < POLICY_MIGRATE_REPORT ? 0 : units;
}

static inline void policy_migrate_tried(struct policy_migrate *m)
{
    m->spent = 0;
    m->watched = false;
    if (m->tries < POLICY_MIGRATE_TRIES)
        m->tries++;
}

/* The home has migrated. */
static inline void policy_migrate_moved(struct policy_migrate *m)
{
    m->noted = false;
    policy_migrate_tried(m);
}

enum policy_migrate_verdict {
    POLICY_MIGRATE_DROPPED,
    POLICY_MIGRATE_UNWATCHED,
    POLICY_MIGRATE_RIPE,
};

/* A wanted page, before a round. `eligible`: its home is still here, and it is neither busy, dirty
 * nor about to be freed. */
static inline enum policy_migrate_verdict policy_migrate_judge(struct policy_migrate *m,
                                                               uint32_t to, bool eligible)
{
    bool still = m->noted && m->writer == to && eligible;
    m->noted = false;
    return !still       ? POLICY_MIGRATE_DROPPED
           : m->watched ? POLICY_MIGRATE_RIPE
                        : POLICY_MIGRATE_UNWATCHED;
}

/* Pages to watch at once: after a watch that ended by a fault; after a round with ripe pages. */
static inline uint32_t policy_migrate_less(uint32_t batch)
{
    return batch / 2 > POLICY_MIGRATE_BATCH ? batch / 2 : POLICY_MIGRATE_BATCH;
}

static inline uint32_t policy_migrate_more(uint32_t batch)
{
    uint32_t more = batch * POLICY_MIGRATE_GROWTH;
    return more < POLICY_MIGRATE_ROUND ? more : POLICY_MIGRATE_ROUND;
}

/* How many of the candidates to watch. */
static inline uint32_t policy_migrate_watch(uint32_t batch, uint32_t candidates)
{
    uint32_t share = candidates / POLICY_MIGRATE_SHARE, most = batch > share ? batch : share;
    return candidates < most ? candidates : most;
}

#endif
