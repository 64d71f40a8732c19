/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* actor.c - see actor.h. */
#include "tests/random/actor.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void fail(struct actor *a, const char *fmt, ...)
{
    char text[1500], op[400] = "final check";
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (a->op < a->p->op_count)
        program_describe(a->p, a->op, op, sizeof op);
    if (atomic_exchange(&a->o->failed, (uint32_t)a->number + 1) == 0) {
        snprintf(a->o->text, sizeof a->o->text, "%s: %s (node %d)", op, text, a->node->number);
        atomic_store(&a->o->text_ready, 1);
    }
    _exit(STATUS_WRONG);
}

void doing(struct actor *a, enum doing what)
{
    struct oracle_actor *s = &a->o->actor[a->number];
    atomic_store_explicit(&s->doing, (int)what, memory_order_relaxed);
    if (!a->idle)
        atomic_fetch_add_explicit(&s->steps, 1, memory_order_relaxed);
}

/* ---- where things are ---- */

static volatile uint64_t *cell_address(struct actor *a, int cell)
{
    return (volatile uint64_t *)(void *)(a->node->base[0] +
                                         a->p->range[a->p->cell_range[cell]].off);
}

uint64_t cell_get(struct actor *a, int cell)
{
    uint64_t found = *cell_address(a, cell), wanted = atomic_load(&a->o->cell[cell]);
    expect(a, found == wanted, "cell %d holds %#llx, not %#llx", cell, (unsigned long long)found,
           (unsigned long long)wanted);
    return found;
}

void cell_set(struct actor *a, int cell, uint64_t value)
{
    *cell_address(a, cell) = value;
    atomic_store(&a->o->cell[cell], value);
}

char *area_address(struct actor *a, uint32_t area)
{
    const struct area *r = &a->p->area[area];
    return r->object ? (char *)(uintptr_t)cell_get(a, r->cell) : a->node->base[area];
}

char *range_address(struct actor *a, uint32_t range)
{
    const struct range *g = &a->p->range[range];
    char *at = area_address(a, g->area);
    expect(a, at != NULL, "area %u is not there", g->area);
    return at + g->off;
}

/* ---- reading ---- */

uint32_t version_now(struct actor *a, const struct access *x)
{
    if (a->p->range[x->range].kind != RANGE_LOCKED)
        return x->version;
    uint32_t counted = atomic_load(&a->o->version[x->range]);
    expect(a, x->version == VERSION_ORACLE || counted == x->version,
           "range %u was written %u times, not %u: a critical section was lost", x->range, counted,
           x->version);
    return counted;
}

/* The version of which this byte may be, or -1: what a stale or lost page looks like. */
static int version_of_byte(struct actor *a, uint32_t range, uint32_t version, uint32_t i,
                           unsigned char byte)
{
    uint32_t len = a->p->range[range].len;
    for (uint32_t back = 0; back <= 64 && back <= version + 2; back++) {
        content_make(a->p->seed, range, len, version + 2 - back, a->next);
        if (back != 2 && a->next[i] == byte)
            return (int)(version + 2 - back);
    }
    return -1;
}

_Noreturn static void explain(struct actor *a, uint32_t range, uint32_t version, const char *at,
                              uint32_t from, uint32_t to)
{
    const struct range *g = &a->p->range[range];
    uint32_t first = from, last = from, wrong = 0;
    for (uint32_t i = to; i-- > from;)
        if (a->found[i] != a->expected[i]) {
            last = wrong++ ? last : i;
            first = i;
        }
    unsigned char byte = a->found[first];
    int older = version_of_byte(a, range, version, first, byte);
    usleep(20000);
    fail(a,
         "range %u (area %u, bytes %u..%u, %s): byte %u (%p, page %u of the area) is %#x, must be "
         "%#x of version %u; "
         "as of version %d; %u bytes wrong, %u..%u; now %#x",
         range, g->area, g->off, g->off + g->len, g->kind == RANGE_LOCKED ? "locked" : "owned",
         first, (const void *)(at + first), (g->off + first) / 4096, byte, a->expected[first],
         version, older, wrong, first, last,
         (unsigned)*(const volatile unsigned char *)(at + first));
}

/* ---- words of it, at their home ---- */

enum { MOST_WORDS = 12 }; /* of one access */

/* Whether the bytes at `at + i`, before `to`, are a word of this size. */
static bool is_word(const char *at, uint32_t i, uint32_t to, uint32_t size)
{
    return (uintptr_t)(at + i) % size == 0 && i + size <= to;
}

/* -ENOTSUP: not of this size on this fabric; then nothing has happened. */
static int operate(struct actor *a, char *word, uint32_t size, hlrc_op op, const void *value,
                   void *old)
{
    int rc = hlrc_word_fetch(hlrc_word_shared(word), size == 8 ? HLRC_UINT64 : HLRC_INT32, op,
                             value, old, HLRC_RELAXED);
    expect(a, rc == 0 || (rc == -ENOTSUP && size == 4), "hlrc_word_fetch returned %d", rc);
    return rc;
}

/* The word becomes what it is in `src`, by some operation, which may have to know what it was. */
static int change_word(struct actor *a, char *word, uint32_t size, const unsigned char *src)
{
    uint64_t old = 0, value = 0;
    hlrc_type type = size == 8 ? HLRC_DOUBLE : HLRC_FLOAT; /* bits are compared */
    memcpy(&value, src, size);
    switch (rng_below(&a->rng, 3)) {
    case 0:
        return operate(a, word, size, HLRC_REPLACE, &value, NULL);
    case 1:
        memcpy(&old, word, size);
        value ^= old;
        return operate(a, word, size, HLRC_XOR, &value, NULL);
    default:
        if (operate(a, word, size, HLRC_NO_OP, NULL, &old) != 0)
            return -ENOTSUP;
        int rc = hlrc_word_compare(hlrc_word_shared(word), type, &old, &value, HLRC_RELAXED);
        expect(a, rc == 1, "hlrc_word_compare returned %d", rc);
        return 0;
    }
}

/* Some of [from, to) by operations, the others by stores, before or behind them. */
static void change_bytes(struct actor *a, char *at, const unsigned char *src, uint32_t from,
                         uint32_t to)
{
    uint32_t size = rng_chance(&a->rng, 70) ? 8 : 4, words = 0;
    uint32_t first = rng_between(&a->rng, from, to);
    for (uint32_t i = from; i < to;) {
        bool word = i >= first && words < MOST_WORDS && is_word(at, i, to, size);
        if (word && change_word(a, at + i, size, src + i) == 0) {
            words++;
            i += size;
        } else {
            ((volatile unsigned char *)at)[i] = src[i];
            i++;
        }
    }
}

static void look_at_words(struct actor *a, const char *at, uint32_t from, uint32_t to)
{
    uint32_t size = rng_chance(&a->rng, 70) ? 8 : 4, i = from, words = 0;
    for (; i < to && words < MOST_WORDS; i++)
        if (is_word(at, i, to, size)) {
            operate(a, (char *)(uintptr_t)at + i, size, HLRC_NO_OP, NULL, a->found + i);
            words++;
        }
}

static void load_bytes(struct actor *a, const char *at, uint32_t from, uint32_t to)
{
    const volatile unsigned char *src = (const volatile unsigned char *)at;
    switch (rng_below(&a->rng, 4)) {
    case 0:
        for (uint32_t i = from; i < to; i++)
            a->found[i] = src[i];
        break;
    case 2:
        memcpy(a->found + from, at + from, to - from);
        look_at_words(a, at, from, to);
        break;
    case 1:
        for (uint32_t i = to; i-- > from;)
            a->found[i] = src[i];
        break;
    default:
        if ((from ^ to) & 1)
            memcpy(a->found + from, at + from, to - from);
        else
            hlrc_get(a->found + from, at + from, to - from, HLRC_HOMES);
        break;
    }
}

void range_check(struct actor *a, uint32_t range, uint32_t version, bool all)
{
    const struct range *g = &a->p->range[range];
    const char *at = range_address(a, range);
    uint32_t from = 0, to = g->len;
    if (!all && rng_chance(&a->rng, 40)) {
        from = rng_below(&a->rng, g->len);
        to = rng_between(&a->rng, from + 1, g->len);
    }
    content_make(a->p->seed, range, g->len, version, a->expected);
    load_bytes(a, at, from, to);
    if (memcmp(a->found + from, a->expected + from, to - from) != 0)
        explain(a, range, version, at, from, to);
}

void zero_check(struct actor *a, const char *at, uint64_t len, const char *what)
{
    const volatile char *p = at;
    for (uint64_t i = 0; i < len; i++)
        expect(a, p[i] == 0, "%s at %p: byte %llu of %llu is %#x, not zero", what, (const void *)at,
               (unsigned long long)i, (unsigned long long)len, (unsigned)(unsigned char)p[i]);
}

/* ---- writing ---- */

static void store_bytes(struct actor *a, char *at, const unsigned char *src, uint32_t from,
                        uint32_t to)
{
    volatile unsigned char *dst = (volatile unsigned char *)at;
    uint32_t i = from;
    switch (rng_below(&a->rng, 5)) {
    case 0:
        for (; i < to; i++)
            dst[i] = src[i];
        break;
    case 3:
        change_bytes(a, at, src, from, to);
        break;
    case 1:
        for (i = to; i-- > from;)
            dst[i] = src[i];
        break;
    case 2: /* aligned words, and bytes at both ends */
        for (; i < to && (uintptr_t)(at + i) % 8 != 0; i++)
            dst[i] = src[i];
        for (; i + 8 <= to; i += 8) {
            uint64_t word;
            memcpy(&word, src + i, 8);
            *(volatile uint64_t *)(void *)(at + i) = word;
        }
        for (; i < to; i++)
            dst[i] = src[i];
        break;
    default:
        if ((from ^ to) & 1)
            memcpy(at + from, src + from, to - from);
        else
            hlrc_put(at + from, src + from, to - from, HLRC_HOMES);
        break;
    }
}

void range_write(struct actor *a, uint32_t range, uint32_t version)
{
    const struct range *g = &a->p->range[range];
    char *at = range_address(a, range);
    struct change c = content_change(a->p->seed, range, g->len, version + 1);
    content_make(a->p->seed, range, g->len, version + 1, a->next);
    if (c.from == c.to && rng_chance(&a->rng, 50)) /* changes nothing, but is written */
        c = (struct change){ rng_below(&a->rng, g->len), g->len };
    /* something else first: no trace of it may stay */
    if (rng_chance(&a->rng, 10) && c.to > c.from) {
        memset(a->found, (int)rng_below(&a->rng, 256), c.to);
        store_bytes(a, at, a->found, c.from, c.to);
        if (rng_chance(&a->rng, 10))
            usleep(100);
    }
    store_bytes(a, at, a->next, c.from, c.to);
    if (rng_chance(&a->rng, 25))
        range_check(a, range, version + 1, true);
}

void range_access(struct actor *a, const struct access *x)
{
    uint32_t version = version_now(a, x);
    doing(a, DOING_ACCESS);
    if (!x->write || rng_chance(&a->rng, 60))
        range_check(a, x->range, version, false);
    if (!x->write)
        return;
    range_write(a, x->range, version);
    if (a->p->range[x->range].kind == RANGE_LOCKED)
        atomic_store(&a->o->version[x->range], version + 1);
}

/* ---- locks ---- */

hlrc_lock_t lock_handle(struct actor *a, uint32_t lock)
{
    const struct resource *res = &a->p->lock[lock];
    return res->cell < 0 ? res->number : (hlrc_lock_t)(cell_get(a, res->cell) - 1);
}

static void lock_entered(struct actor *a, uint32_t lock)
{
    int before = atomic_exchange(&a->o->holder[lock], a->number + 1);
    expect(a, before == 0, "lock %u was taken while actor %d holds it", lock, before - 1);
    doing(a, DOING_CALL);
}

void lock_enter(struct actor *a, uint32_t lock)
{
    hlrc_lock_t handle = lock_handle(a, lock);
    doing(a, DOING_LOCK);
    hlrc_lock(handle);
    lock_entered(a, lock);
}

bool lock_try_enter(struct actor *a, uint32_t lock)
{
    hlrc_lock_t handle = lock_handle(a, lock);
    doing(a, DOING_LOCK);
    int rc = hlrc_trylock(handle);
    expect(a, rc == 0 || rc == -EBUSY, "hlrc_trylock returned %d", rc);
    if (rc == 0)
        lock_entered(a, lock);
    return rc == 0;
}

void lock_leave(struct actor *a, uint32_t lock)
{
    hlrc_lock_t handle = lock_handle(a, lock);
    int before = atomic_exchange(&a->o->holder[lock], 0);
    expect(a, before == a->number + 1, "lock %u: actor %d took it while it was held", lock,
           before - 1);
    doing(a, DOING_UNLOCK);
    hlrc_unlock(handle);
    doing(a, DOING_CALL);
}
