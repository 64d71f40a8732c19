/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* change.c - see change.h. */
#include "hlrc/sync/change.h"

#include <string.h>

#include "hlrc/core/engine.h"
#include "hlrc/sync/combine.h"

uint64_t change_bytes(const void *from, size_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, from, bytes);
    return value;
}

bool change_stores(const struct change *c, uint64_t old)
{
    return c->op != HLRC_NO_OP && (!c->compares || old == c->expected);
}

uint64_t change_of(const struct change *c, uint64_t old)
{
    uint64_t result = old;
    if (!change_stores(c, old))
        return old;
    if (c->op == HLRC_REPLACE)
        return c->value;
    combine(c->type, c->op, &result, &c->value, 1);
    return result;
}

/* Address of the word. */
struct change_place {
    int node, win;
    size_t off;   /* of the 8 bytes that contain it */
    size_t at;    /* offset in these */
    size_t bytes; /* of the word */
};

/* `whole`: the 8 bytes. */
static uint64_t change_part_of(uint64_t whole, const struct change_place *w)
{
    return change_bytes((char *)&whole + w->at, w->bytes);
}

static uint64_t change_with_part(uint64_t whole, const struct change_place *w, uint64_t value)
{
    memcpy((char *)&whole + w->at, &value, w->bytes);
    return whole;
}

static uint64_t change_fetch_add(const struct change_place *w, uint64_t add)
{
    uint64_t old = 0;
    struct fabric_op op = FABRIC_OP_INIT;
    fabric_fetch_add(engine.fabric, w->node, w->win, w->off, add, &old, &op);
    fabric_wait(engine.fabric, &op);
    return old;
}

static uint64_t change_read_whole(const struct change_place *w)
{
    uint64_t value = 0;
    struct fabric_op op = FABRIC_OP_INIT;
    fabric_read(engine.fabric, w->node, w->win, w->off, &value, sizeof value, &op);
    fabric_wait(engine.fabric, &op);
    return value;
}

static uint64_t change_by_swaps(const struct change_place *w, const struct change *c,
                                uint64_t guess, uint32_t *atomics)
{
    for (;; ++*atomics) {
        uint64_t seen = 0, old = change_part_of(guess, w);
        struct fabric_op op = FABRIC_OP_INIT;
        fabric_cas(engine.fabric, w->node, w->win, w->off, guess,
                   change_with_part(guess, w, change_of(c, old)), &seen, &op);
        fabric_wait(engine.fabric, &op);
        if (seen == guess)
            return old;
        guess = seen;
    }
}

uint64_t change_by_fabric(int node, int win, size_t off, const struct change *c, uint64_t guess,
                          uint32_t *atomics)
{
    struct change_place w = { node, win, off / 8 * 8, off % 8, combine_bytes(c->type) };
    *atomics = c->op != HLRC_NO_OP;
    if (c->op == HLRC_NO_OP)
        return change_part_of(change_read_whole(&w), &w);
    if (c->op == HLRC_SUM && w.bytes == 8 && c->type != HLRC_DOUBLE)
        return change_fetch_add(&w, c->value);
    return change_by_swaps(&w, c, guess, atomics);
}

bool change_make(hlrc_type type, hlrc_op op, const void *value, struct change *c)
{
    bool plain = op == HLRC_REPLACE || op == HLRC_NO_OP;
    if (!combine_knows(type, plain ? HLRC_SUM : op))
        return false;
    *c = (struct change){ .type = type, .op = op };
    if (op != HLRC_NO_OP)
        c->value = change_bytes(value, combine_bytes(type));
    return true;
}

struct change change_if(hlrc_type type, const void *expected, const void *desired)
{
    size_t bytes = combine_bytes(type);
    return (struct change){ .type = type,
                            .op = HLRC_REPLACE,
                            .compares = true,
                            .value = change_bytes(desired, bytes),
                            .expected = change_bytes(expected, bytes) };
}

int change_was(const struct change *c, uint64_t was, void *expected)
{
    if (was != c->expected)
        memcpy(expected, &was, combine_bytes(c->type));
    return was == c->expected;
}
