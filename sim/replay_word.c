/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* replay_word.c - operations on words of shared memory: hlrc/memory/page_word.h, rule 8,
 * [word.ordered], [word.copy], [word.announced], hlrc/sync/word.c. For what a trace does not show
 * of them see replay.h. */
#include "sim/replay.h"

/* page_word.c settle: the home may have received everything that this node sent. */
static void replay_word_settle(struct replay_node *n, struct replay_copy *c)
{
    if (n->r->protocol != REPLAY_ASYNC && !(c->flags & COPY_STALE)) {
        replay_read_now(n, &n->r->node[c->home - 1], 8);
        if (!(c->flags & COPY_STALE) && versions_cover(&c->shared->applied, &c->need)) {
            c->need.count = 0;
            return;
        }
    }
    (void)replay_fetch(n, c);
}

/* page_word.c step: true if the operation can be performed. */
static bool replay_word_step(struct replay_node *n, struct replay_copy *c)
{
    if (c->flags & COPY_BUSY)
        replay_finish(n, c);
    else if ((c->flags & COPY_STALE) || (c->need.count > 0 && !replay_copy_is_home(c, n)))
        replay_word_settle(n, c);
    else if (c->home == 0 && !(c->flags & COPY_EXCLUSIVE))
        replay_open(n, c->page, true);
    else
        return true;
    return false;
}

/* page_word.c page_word_note: [word.announced] */
void replay_word_note(struct replay_node *n, struct replay_copy *c)
{
    if (c->flags & COPY_EXCLUSIVE)
        return;
    c->worded = true;
    if (!(c->flags & COPY_LISTED))
        replay_dirty_add_copy(n, c);
}

void replay_word(struct replay_node *n, uint32_t page)
{
    struct replay_copy *c = replay_copy_of(n, page);
    bool here;

    replay_settle(n);
    c->touched = true;
    c->shared->written = true;
    while (!replay_word_step(n, c))
        ;
    here = c->home == 0 || replay_copy_is_home(c, n);
    if (n->r->protocol != REPLAY_ASYNC) { /* rule 8 */
        replay_atomic(n, c->home == 0 ? n : &n->r->node[c->home - 1], NULL, NULL);
    } else if (!here) {
        c->flags |= COPY_BUSY;               /* [word.copy] */
        replay_atomic_word(n, c->home - 1u); /* a request and its answer */
        c->flags &= (uint8_t)~COPY_BUSY;
    }
    replay_word_note(n, c);
    COUNT(n, word_ops, 1);
}
