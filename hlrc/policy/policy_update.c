/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* policy_update.c - see policy_update.h. */
#include "hlrc/policy/policy_update.h"

static uint8_t policy_update_at_most(struct policy_update_limits l, unsigned budget)
{
    return (uint8_t)(budget < l.most ? budget : l.most);
}

/* The result of a probe: whether the closed copy was used. */
static void policy_update_judge(struct policy_update *u, struct policy_update_limits l, bool used)
{
    if (!used)
        u->budget = u->used = 0;
    else if (u->used < POLICY_UPDATE_OFTEN && ++u->used == POLICY_UPDATE_OFTEN)
        u->budget = policy_update_at_most(l, l.first);
    else
        u->budget = policy_update_at_most(l, u->budget * 2u);
    u->left = u->budget;
    u->probing = false;
}

/* A probed copy is revoked again. */
static void policy_update_check(struct policy_update *u, struct policy_update_limits l,
                                uint8_t acquire, bool used)
{
    if (used)
        policy_update_judge(u, l, true);
    else if (u->acquire != acquire && ++u->missed == l.first)
        policy_update_judge(u, l, false);
    u->acquire = acquire;
}

void policy_update_probe(struct policy_update *u, uint8_t acquire)
{
    u->probing = true;
    u->missed = 0;
    u->acquire = acquire;
}

bool policy_update_revoke(struct policy_update *u, struct policy_update_limits l, uint8_t acquire,
                          bool stale, bool open, bool allowed)
{
    if (u->probing)
        policy_update_check(u, l, acquire, !stale && open);
    if (stale)
        return false;
    if (allowed && policy_update_worth(u, open)) {
        u->left--;
        u->pending = true;
        return true;
    }
    policy_update_probe(u, acquire);
    return false;
}

void policy_update_named(struct policy_update *u, const uint32_t *list, bool *named,
                         uint32_t expected, uint32_t page)
{
    for (uint32_t i = 0; i < expected; i++)
        if (list[i] == page && !named[i]) {
            named[i] = true;
            u->left--;
        }
}

struct policy_update_habit *policy_update_recall(struct policy_update_habit *all, uint32_t occasion)
{
    struct policy_update_habit *h = &all[occasion % POLICY_UPDATE_OCCASIONS];
    if (h->occasion != occasion)
        *h = (struct policy_update_habit){ .occasion = occasion };
    return h;
}

void policy_update_learn(struct policy_update_habit *h, uint32_t page, bool unnamed)
{
    uint32_t i = 0;
    while (i < h->pages && h->page[i] != page)
        i++;
    if (i < h->pages && unnamed && h->unnamed[i]) {
        h->pages--;
        h->page[i] = h->page[h->pages];
        h->unnamed[i] = h->unnamed[h->pages];
    } else if (i < POLICY_UPDATE_EXPECTED && (i < h->pages || !unnamed)) {
        h->pages = i < h->pages ? h->pages : i + 1;
        h->page[i] = page;
        h->unnamed[i] = unnamed;
    }
}
