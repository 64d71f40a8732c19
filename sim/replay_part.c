/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* replay_part.c - put and get of shared memory, page by page: hlrc/memory/page_part.c,
 * [part.stale-only], [word.ordered], [word.announced], [unshared.reader-mark]; replay.h. */
#include "sim/replay.h"

#define PAGE_BYTES 4096

/* [part.stale-only] */
static bool replay_part_is_elsewhere(const struct replay_node *n, const struct replay_copy *c)
{
    return (c->flags & (COPY_STALE | COPY_DIRTY | COPY_EXCLUSIVE)) == COPY_STALE &&
           c->access == CLOSED && !c->renewal.pending && !c->twin && !replay_copy_is_home(c, n);
}

static bool replay_part_is_closed_here(const struct replay_copy *c)
{
    return c->access == CLOSED && !(c->flags & COPY_STALE);
}

enum replay_part_found { ELSEWHERE, CLOSED_HERE, NEITHER };

static enum replay_part_found replay_part_find(struct replay_node *n, struct replay_copy *c,
                                               bool put)
{
    for (;;) {
        if (c->flags & COPY_BUSY)
            replay_finish(n, c);
        else if (!put && replay_part_is_closed_here(c))
            return CLOSED_HERE;
        else if (!replay_part_is_elsewhere(n, c) || (put && n->r->protocol == REPLAY_ASYNC))
            return NEITHER;
        else if (n->r->protocol != REPLAY_ASYNC)
            return ELSEWHERE;
        else
            (void)replay_fetch(n, c); /* [part.stale-only] */
    }
}

/* pages_ardmar.c ardmar_home: -1 if there is none. */
static int replay_part_home_of(struct replay_node *n, const struct replay_copy *c)
{
    if (c->home == 0) {
        replay_read_now(n, &n->r->node[replay_default_home(n->r, c->page)], 8);
        n->debt += n->r->m.complete_ns * SIM_NS;
    }
    return (c->home != 0 ? c->home : c->shared->home) - 1;
}

/* [unshared.reader-mark] */
static void replay_part_introduce(struct replay_node *n, struct replay_copy *c,
                                  struct replay_node *home)
{
    if (c->introduced || n->r->set[RECORD_SET_exclusive] != 0)
        return;
    replay_post_write(n, home, 4);
    replay_post_atomic(n, home);
    replay_await_all(n);
    replay_note_reader(home, c->shared);
}

/* [word.ordered] */
static bool replay_part_is_there(struct replay_node *n, struct replay_copy *c,
                                 struct replay_node *home)
{
    for (uint32_t i = 0; i < c->need.count; i++)
        replay_post_read(n, home, 8);
    replay_await_reads(n);
    return versions_cover(&c->shared->applied, &c->need);
}

static void replay_part_transfer(struct replay_node *n, struct replay_node *home, uint32_t bytes,
                                 bool put)
{
    if (put)
        replay_post_write(n, home, bytes);
    else
        replay_post_read(n, home, bytes);
    replay_await_all(n);
}

static bool replay_part_of(struct replay_node *n, struct replay_copy *c, uint32_t bytes, bool put);

static bool replay_part_elsewhere(struct replay_node *n, struct replay_copy *c, uint32_t bytes,
                                  bool put)
{
    int home;

    c->flags |= COPY_BUSY;
    home = replay_part_home_of(n, c);
    if (home < 0 || home == (int)n->id) {
        c->flags &= (uint8_t)~COPY_BUSY;
        return false;
    }
    replay_part_introduce(n, c, &n->r->node[home]);
    if (!replay_part_is_there(n, c, &n->r->node[home])) {
        (void)replay_fetch(n, c);
        return !put && replay_part_of(n, c, bytes, put);
    }
    replay_part_transfer(n, &n->r->node[home], bytes, put);
    c->home = (uint16_t)(home + 1);
    c->introduced = true;
    c->flags &= (uint8_t)~COPY_BUSY;
    if (put)
        replay_word_note(n, c); /* [word.announced] */
    return true;
}

/* page_part.c page_part: false if the program loads or stores instead. */
static bool replay_part_of(struct replay_node *n, struct replay_copy *c, uint32_t bytes, bool put)
{
    switch (replay_part_find(n, c, put)) {
    case ELSEWHERE:
        return replay_part_elsewhere(n, c, bytes, put);
    case CLOSED_HERE:
        replay_move_used(n, c);
        c->in_memory = true;
        return true;
    case NEITHER:
        break;
    }
    return false;
}

/* A store of the program that the trace does not show because it was none there. */
static void replay_part_store(struct replay_node *n, struct replay_copy *c, uint32_t bytes)
{
    replay_access(n, c->page, true);
    if (c->flags & COPY_EXCLUSIVE)
        return;
    c->changed = true;
    c->put = c->put + bytes < PAGE_BYTES ? c->put + bytes : PAGE_BYTES;
}

void replay_part(struct replay_node *n, uint32_t page, uint32_t bytes, bool put)
{
    struct replay_copy *c = replay_copy_of(n, page);

    replay_settle(n);
    bytes = bytes < PAGE_BYTES ? bytes : PAGE_BYTES;
    c->shared->written = c->shared->written || put;
    if (replay_part_of(n, c, bytes, put))
        return;
    if (put)
        replay_part_store(n, c, bytes);
    else
        replay_access(n, page, false);
}

/* page_part.c page_part_expect: [part.stale-only] */
void replay_expect(struct replay_node *n, uint32_t first, uint32_t count)
{
    count = replay_page_within_space(n->r, first, count);
    for (uint32_t p = first; p < first + count && n->r->protocol == REPLAY_ASYNC; p++)
        (void)replay_fetch_ahead(n, replay_copy_of(n, p), false);
}
