/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * protocol.h - the table through which the engine fetches pages.
 *
 * A protocol decides how a home is assigned and how a page and its versions reach the faulting
 * node. It never accesses the application's view, a twin or a lock. The engine guarantees that at
 * most one fetch, claim or place of a page runs at a node at a time (page.h: BUSY), and calls with
 * no lock held.
 */
#ifndef HLRC_PROTOCOL_H
#define HLRC_PROTOCOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/fabric.h"
#include "hlrc/core/waits.h"

enum protocol_access { ACCESS_NONE, ACCESS_READ, ACCESS_WRITE };

/* A version in one word: an interval of a writer. At a million intervals a second a node reaches
 * 2^48 in nine years. */
static inline uint64_t protocol_version_of(int writer, uint64_t interval)
{
    return (uint64_t)writer << 48 | interval;
}

static inline int protocol_version_writer(uint64_t version)
{
    return (int)(version >> 48);
}

static inline uint64_t protocol_version_interval(uint64_t version)
{
    return version & ((UINT64_C(1) << 48) - 1);
}

/* A fetch under way. */
struct protocol_fetch {
    uint32_t page;
    int home;      /* in: the home as known here, -1 unknown; out: the home */
    int window;    /* where the copy goes: a window of this node, ... */
    size_t offset; /* ... an offset in it, ... */
    void *dest;    /* ... which is this address */
    /* the versions that the copy must have at least: `needs` of them, none of other writers */
    const uint64_t *needed;
    uint32_t needs;
    uint64_t *versions; /* out: the versions of the copy, one interval per node */
    /* out: no node had touched the page, and this node has become its home */
    bool assigned;
    /* in: the home does not know yet that this node has a copy [unshared.reader-mark]; for
     * protocols whose homes do not see the fetch */
    bool introduce;
    bool early;        /* in: more versions may be needed than are known now (renew.h) */
    uint64_t arrivals; /* old value of the home's arrivals word */
    uint32_t token;    /* for protocols that send requests */
    /* wait_seq, for protocols that are answered by a word: identifies the answer of this fetch */
    uint32_t ticket;
    /* for protocols that start operations; page_started: the read of the page is among them */
    struct fabric_op op;
    bool page_started;
    bool asks_home; /* the home is not known yet: home_word gets it */
    uint64_t home_word;
};

struct request; /* request.h */

struct protocol_pages {
    unsigned caps; /* required fabric capabilities: parts.h */

    /* Access of the application to a page that no node has touched; ACCESS_NONE: it must be
     * fetched. */
    enum protocol_access (*initial)(uint32_t page);

    /* Home of a page that this node is about to write and whose home it does not know. Assigned to
     * this node if the page had none (*assigned). -1: it may write without a home after all; check
     * again. */
    int (*claim)(uint32_t page, bool *assigned);

    /* fetch_start begins to fetch the page, with at least the needed versions unless it is a
     * prefetch. fetch_finish waits for it. It returns false if the copy of a prefetch lacks a
     * version; other fetches never lack one. If the home is this node nothing is copied. */
    void (*fetch_start)(struct protocol_fetch *, bool prefetch);
    bool (*fetch_ready)(struct protocol_fetch *);
    bool (*fetch_finish)(struct protocol_fetch *, bool prefetch);

    int (*home)(uint32_t page, uint32_t token); /* -1 while unassigned */
    /* returns the resulting home of the page */
    int (*place)(uint32_t page, int node, uint32_t token);

    /* serves requests about pages, if the protocol sends any */
    void (*serve)(struct request *);
    /* a diff was applied to this page here; may be NULL */
    void (*applied)(uint32_t page);
    /* makes the node the page's home, known to every node (sync/homes.h) */
    void (*move)(uint32_t page, int home);
    /* unassigns the homes of these pages, everywhere */
    void (*reset)(uint32_t first, uint32_t count);
};

extern const struct protocol_pages protocol_async, protocol_ardmar;

/* True if the copy has all versions that were needed when the fetch began. */
static inline bool protocol_covers(const struct protocol_fetch *f)
{
    for (uint32_t i = 0; i < f->needs; i++)
        if (f->versions[protocol_version_writer(f->needed[i])] <
            protocol_version_interval(f->needed[i]))
            return false;
    return true;
}

#endif
