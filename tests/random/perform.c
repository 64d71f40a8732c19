/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* perform.c - the operations of a random program. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/random/actor.h"

/* ---- locks and turns ---- */

static void leave_all(struct actor *a, uint32_t set)
{
    bool up = rng_chance(&a->rng, 50);
    for (uint32_t i = 0; i < MAX_LOCKS; i++) {
        uint32_t lock = up ? i : MAX_LOCKS - 1 - i;
        if (set & 1u << lock)
            lock_leave(a, lock);
    }
}

/* Ascending, so that nobody waits in a circle. False: one was not to be had, and none is held. */
static bool enter_all(struct actor *a, uint32_t set, bool try)
{
    uint32_t held = 0;
    for (uint32_t lock = 0; lock < MAX_LOCKS; lock++) {
        if (!(set & 1u << lock))
            continue;
        if (!try)
            lock_enter(a, lock);
        else if (!lock_try_enter(a, lock)) {
            expect(a, a->p->actors > 1, "hlrc_trylock of lock %u, which nobody else uses, failed",
                   lock);
            leave_all(a, held);
            return false;
        }
        held |= 1u << lock;
    }
    return true;
}

static void perform_section(struct actor *a, const struct op *op)
{
    if (!enter_all(a, op->locks, op->kind == OP_TRY_SECTION))
        return;
    for (uint32_t i = 0; i < op->count; i++)
        range_access(a, &op->access[i]);
    if (rng_chance(&a->rng, 4))
        usleep(rng_size(&a->rng, 1, 1000));
    leave_all(a, op->locks);
}

static volatile uint64_t *token_of(struct actor *a, uint32_t baton)
{
    return (volatile uint64_t *)(void *)range_address(a, a->p->baton[baton].token);
}

/* Whose turn it is. ASSUMPTION: the baton's lock is held. */
static uint64_t token_get(struct actor *a, const struct op *op)
{
    uint64_t found = *token_of(a, op->target);
    uint32_t wanted = atomic_load(&a->o->token[op->target]);
    expect(a, found == wanted, "the token of baton %u is %llu, not %u", op->target,
           (unsigned long long)found, wanted);
    expect(a, found <= op->a, "baton %u is at turn %llu, past %u", op->target,
           (unsigned long long)found, op->a);
    return found;
}

static hlrc_cond_t cond_handle(struct actor *a, int cond)
{
    return (hlrc_cond_t){ (uint32_t)(cell_get(a, a->p->cond[cond].cell) - 1) };
}

/* Waits on a condition variable; the lock is held before and after. */
static void await_signal(struct actor *a, int which, uint32_t guard)
{
    hlrc_cond_t cond = cond_handle(a, which);
    hlrc_lock_t lock = lock_handle(a, guard);
    atomic_store(&a->o->holder[guard], 0);
    doing(a, DOING_COND);
    hlrc_cond_wait(cond, lock);
    int before = atomic_exchange(&a->o->holder[guard], a->number + 1);
    expect(a, before == 0, "hlrc_cond_wait came back with a lock that actor %d holds", before - 1);
}

static void await_turn(struct actor *a, const struct op *op)
{
    const struct baton *b = &a->p->baton[op->target];
    useconds_t pause = 20;
    lock_enter(a, b->lock);
    a->idle = true;
    while (token_get(a, op) != op->a) {
        if (b->cond >= 0) {
            await_signal(a, b->cond, b->lock);
            continue;
        }
        lock_leave(a, b->lock);
        doing(a, DOING_TURN);
        usleep(pause);
        pause = pause < 2000 ? pause * 2 : pause;
        lock_enter(a, b->lock);
    }
    a->idle = false;
    lock_leave(a, b->lock);
}

static void pass_turn(struct actor *a, const struct op *op)
{
    const struct baton *b = &a->p->baton[op->target];
    lock_enter(a, b->lock);
    expect(a, token_get(a, op) == op->a, "baton %u moved on during turn %u", op->target, op->a);
    *token_of(a, op->target) = op->a + 1;
    atomic_store(&a->o->token[op->target], op->a + 1);
    if (b->cond >= 0 && op->b)
        hlrc_cond_signal(cond_handle(a, b->cond));
    else if (b->cond >= 0)
        hlrc_cond_broadcast(cond_handle(a, b->cond));
    lock_leave(a, b->lock);
}

static void perform_baton(struct actor *a, const struct op *op)
{
    await_turn(a, op);
    for (uint32_t i = 0; i < op->count; i++)
        range_access(a, &op->access[i]);
    pass_turn(a, op);
}

static volatile uint64_t *count_of(struct actor *a, const struct op *op)
{
    volatile uint64_t *count =
        (volatile uint64_t *)(void *)range_address(a, a->p->sem[op->target].count);
    uint64_t found = *count;
    uint32_t wanted = atomic_load(&a->o->count[op->target]);
    expect(a, found == wanted, "semaphore %u counts %llu, not %u", op->target,
           (unsigned long long)found, wanted);
    return count;
}

static void perform_give(struct actor *a, const struct op *op)
{
    const struct sem *s = &a->p->sem[op->target];
    lock_enter(a, s->lock);
    ++*count_of(a, op);
    atomic_fetch_add(&a->o->count[op->target], 1);
    if (op->a)
        hlrc_cond_signal(cond_handle(a, s->cond));
    else
        hlrc_cond_broadcast(cond_handle(a, s->cond));
    lock_leave(a, s->lock);
}

static void perform_take(struct actor *a, const struct op *op)
{
    const struct sem *s = &a->p->sem[op->target];
    lock_enter(a, s->lock);
    while (*count_of(a, op) == 0)
        await_signal(a, s->cond, s->lock);
    --*count_of(a, op);
    atomic_fetch_sub(&a->o->count[op->target], 1);
    lock_leave(a, s->lock);
}

/* ---- allocating ---- */

static unsigned char pattern(uint32_t tag, uint64_t i)
{
    return (unsigned char)(hash(tag, i / 8, 1) >> i % 8 * 8);
}

static char *block_take(struct actor *a, uint64_t align, uint64_t size)
{
    doing(a, DOING_CALL);
    char *at = align ? hlrc_aligned_alloc(align, size) : hlrc_malloc(size);
    expect(a, at != NULL, "allocating %llu bytes: %s", (unsigned long long)size, strerror(errno));
    expect(a, (uintptr_t)at % (align > 16 ? align : 16) == 0, "%p is not aligned to %llu",
           (void *)at, (unsigned long long)align);
    expect(a, oracle_block_add(a->o, at, size), "%p, %llu bytes, overlaps a live block", (void *)at,
           (unsigned long long)size);
    zero_check(a, at, size, "new memory");
    return at;
}

static void block_give(struct actor *a, char *at)
{
    expect(a, oracle_block_remove(a->o, at), "%p is given back and was not allocated", (void *)at);
    doing(a, DOING_CALL);
    hlrc_free(at);
}

static void block_fill(char *at, uint32_t size, uint32_t tag)
{
    for (uint32_t i = 0; i < size; i++)
        ((volatile unsigned char *)at)[i] = pattern(tag, i);
}

static void block_check(struct actor *a, const char *at, uint32_t size, uint32_t tag)
{
    for (uint32_t i = 0; i < size; i++) {
        unsigned char found = ((const volatile unsigned char *)at)[i];
        expect(a, found == pattern(tag, i),
               "block %p of %u bytes, tag %u: byte %u is %#x, must be %#x", (const void *)at, size,
               tag, i, found, pattern(tag, i));
    }
}

struct block {
    char *at;
    uint32_t size, tag;
};

/* Allocated and freed here, several at a time. */
static void perform_churn(struct actor *a, const struct op *op)
{
    struct block block[16];
    uint32_t n = op->a < 16 ? op->a : 16;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t size = rng_chance(&a->rng, 2) ? 0 : rng_size(&a->rng, 1, op->b);
        uint32_t align = rng_chance(&a->rng, 20) ? 1u << rng_between(&a->rng, 4, 12) : 0;
        block[i] = (struct block){ block_take(a, align, size), size, a->op * 16 + i };
        block_fill(block[i].at, size, block[i].tag);
    }
    for (; n > 0; n--) {
        uint32_t i = rng_below(&a->rng, n);
        block_check(a, block[i].at, block[i].size, block[i].tag);
        block_give(a, block[i].at);
        block[i] = block[n - 1];
    }
}

/* A slot of a pool in shared memory: address, size and tag; the oracle holds the same. */
static volatile uint64_t *slot_of(struct actor *a, const struct op *op)
{
    volatile uint64_t *words =
        (volatile uint64_t *)(void *)range_address(a, a->p->pool_range[op->target]);
    return words + 2 * op->a;
}

static struct oracle_slot slot_get(struct actor *a, const struct op *op)
{
    volatile uint64_t *w = slot_of(a, op);
    struct oracle_slot found = { w[0], (uint32_t)w[1], (uint32_t)(w[1] >> 32) };
    struct oracle_slot wanted = a->o->pool[op->target][op->a];
    expect(a, memcmp(&found, &wanted, sizeof found) == 0,
           "slot %u of pool %u: block %#llx of %u bytes, not %#llx of %u", op->a, op->target,
           (unsigned long long)found.address, found.size, (unsigned long long)wanted.address,
           wanted.size);
    return found;
}

static void slot_set(struct actor *a, const struct op *op, struct oracle_slot value)
{
    volatile uint64_t *w = slot_of(a, op);
    w[0] = value.address;
    w[1] = value.size | (uint64_t)value.tag << 32;
    a->o->pool[op->target][op->a] = value;
}

/* Puts a block into the slot, unless somebody was faster. */
static void pool_put(struct actor *a, const struct op *op)
{
    char *at = block_take(a, 0, op->b);
    struct oracle_slot mine = { (uint64_t)(uintptr_t)at, op->b, a->op };
    block_fill(at, op->b, a->op);
    enter_all(a, op->locks, false);
    bool room = slot_get(a, op).address == 0;
    if (room)
        slot_set(a, op, mine);
    leave_all(a, op->locks);
    if (!room)
        block_give(a, at);
}

/* Takes what another actor allocated out of the slot and frees it, or puts something in. */
static void perform_pool(struct actor *a, const struct op *op)
{
    enter_all(a, op->locks, false);
    struct oracle_slot found = slot_get(a, op);
    if (found.address)
        slot_set(a, op, (struct oracle_slot){ 0, 0, 0 });
    leave_all(a, op->locks);
    if (!found.address) {
        pool_put(a, op);
        return;
    }
    char *at = (char *)(uintptr_t)found.address;
    block_check(a, at, found.size, found.tag);
    block_give(a, at);
}

static void perform_alloc(struct actor *a, const struct op *op)
{
    const struct area *r = &a->p->area[op->target];
    cell_set(a, r->cell, (uint64_t)(uintptr_t)block_take(a, r->align, r->bytes));
}

static void perform_free(struct actor *a, const struct op *op)
{
    for (uint32_t i = 0; i < op->count; i++)
        range_check(a, op->access[i].range, op->access[i].version, true);
    char *at = area_address(a, op->target);
    cell_set(a, a->p->area[op->target].cell, 0);
    block_give(a, at);
}

/* ---- pages ---- */

/* Then a barrier may change a page's home (hlrc/sync/homes.h). */
static bool homes_move(void)
{
    const char *said = getenv("HLRC_MOVE_HOMES");
    return !said || strcmp(said, "off") != 0;
}

static void check_home(struct actor *a, uint32_t area, uint32_t off)
{
    int home = hlrc_home(area_address(a, area) + off), none = 0;
    expect(a, home >= -1 && home < a->p->nodes, "hlrc_home returned %d", home);
    if (home < 0 || a->p->area[area].object || off / 4096 >= AREA_PAGES || homes_move())
        return;
    if (!atomic_compare_exchange_strong(&a->o->home[area][off / 4096], &none, home + 1))
        expect(a, none == home + 1, "hlrc_home of page %u of area %u is %d, and was %d", off / 4096,
               area, home, none - 1);
}

static void perform_home(struct actor *a, const struct op *op)
{
    for (uint32_t n = 0, off = op->a; n < 4 && off < op->a + op->b; n++, off += 4096)
        check_home(a, op->target, off);
}

static void perform_place(struct actor *a, const struct op *op)
{
    const struct area *r = &a->p->area[op->target];
    uint32_t from = op->a * 4096, to = r->bytes < from + 4096 ? r->bytes : from + 4096;
    char *at = area_address(a, op->target) + from;
    int rc = hlrc_place(at, to - from, (int)op->b), home = hlrc_home(at);
    expect(a, rc == 0 || (rc == -EBUSY && !r->fresh), "hlrc_place returned %d", rc);
    expect(a, rc != 0 || home == (int)op->b, "placed at node %u, home is %d", op->b, home);
    expect(a, home >= 0, "no home after hlrc_place");
    check_home(a, op->target, from);
}

static void perform_touch(struct actor *a, const struct op *op)
{
    char *at = area_address(a, op->target) + op->a;
    int rc =
        op->kind == OP_PREFETCH ? hlrc_prefetch(at, op->b) : hlrc_touch(at, op->b, op->touch_write);
    expect(a, rc == 0, "returned %d", rc);
}

/* ---- handles ---- */

/* The handle is stored where the caller says, which may fault. */
static uint64_t new_handle(struct actor *a, enum op_kind kind, uint64_t value, uint32_t *handle)
{
    int rc = kind == OP_NEW_LOCK   ? hlrc_lock_create(handle)
             : kind == OP_NEW_COND ? hlrc_cond_create((hlrc_cond_t *)(void *)handle)
                                   : hlrc_atomic_create((hlrc_atomic_t *)(void *)handle, value);
    expect(a, rc == 0, "returned %d", rc);
    return *handle;
}

static void destroy_handle(enum op_kind kind, uint32_t handle)
{
    if (kind == OP_NEW_LOCK)
        hlrc_lock_destroy(handle);
    else if (kind == OP_NEW_COND)
        hlrc_cond_destroy((hlrc_cond_t){ handle });
    else
        hlrc_atomic_destroy((hlrc_atomic_t){ handle });
}

static void reset_word(struct actor *a, uint32_t word, uint64_t base)
{
    memset((void *)a->o->word_seen[word], 0, sizeof a->o->word_seen[word]);
    atomic_store(&a->o->word_ops[word], 0);
    atomic_store(&a->o->word_base[word], base);
}

static void perform_new(struct actor *a, const struct op *op)
{
    const struct resource *res = op->kind == OP_NEW_LOCK   ? a->p->lock
                                 : op->kind == OP_NEW_COND ? a->p->cond
                                                           : a->p->word;
    int count = op->kind == OP_NEW_LOCK   ? a->p->lock_count
                : op->kind == OP_NEW_COND ? a->p->cond_count
                                          : a->p->word_count;
    int cell = res[op->target].cell;
    uint64_t before = cell_get(a, cell), value = hash(a->p->seed, a->op, 7);
    if (before) {
        if (op->kind == OP_NEW_WORD)
            word_check_end(a, (int)op->target);
        cell_set(a, cell, 0);
        destroy_handle(op->kind, (uint32_t)(before - 1));
    }
    if (rng_chance(&a->rng, 20))
        value = UINT64_MAX - a->op; /* wraps */
    if (op->kind == OP_NEW_WORD)
        reset_word(a, op->target, value);
    uint32_t private, *shared = (uint32_t *)(void *)range_address(a, a->p->cell_range[cell]);
    uint64_t handle = new_handle(a, op->kind, value, rng_chance(&a->rng, 50) ? &private : shared);
    for (int i = 0; i < count; i++)
        expect(a, res[i].cell < 0 || atomic_load(&a->o->cell[res[i].cell]) != handle + 1,
               "handle %u exists already", (unsigned)handle);
    cell_set(a, cell, handle + 1);
}

/* ---- the rest ---- */

/* System calls into shared memory, after hlrc_touch. */
static void perform_file(struct actor *a, const struct op *op)
{
    uint32_t range = op->access[0].range, version = op->access[0].version,
             len = a->p->range[range].len;
    char *at = range_address(a, range);
    range_check(a, range, version, false);
    content_make(a->p->seed, range, len, op->a ? version + 1 : version, a->next);
    if (op->a)
        expect(a, pwrite(a->file, a->next, len, 0) == (ssize_t)len, "pwrite: %s", strerror(errno));
    expect(a, hlrc_touch(at, len, op->a != 0) == 0, "hlrc_touch");
    ssize_t done = op->a ? pread(a->file, at, len, 0) : pwrite(a->file, at, len, 0);
    expect(a, done == (ssize_t)len, "%s of %u bytes after hlrc_touch: %zd, %s",
           op->a ? "pread" : "pwrite", len, done, done < 0 ? strerror(errno) : "short");
    if (!op->a) {
        expect(a, pread(a->file, a->found, len, 0) == (ssize_t)len, "pread: %s", strerror(errno));
        expect(a, memcmp(a->found, a->next, len) == 0,
               "a system call read other bytes than a load");
    }
}

static void perform_sleep(const struct op *op)
{
    struct timespec start, now;
    if (!op->b) {
        usleep(op->a);
        return;
    }
    clock_gettime(CLOCK_MONOTONIC, &start);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - start.tv_sec) * 1000000 + (now.tv_nsec - start.tv_nsec) / 1000 <
           (long)op->a);
}

static void perform_stats(struct actor *a)
{
    struct hlrc_stats s = { .size = sizeof s };
    hlrc_stats_get(&s);
    expect(a, s.size == sizeof s && s.wall_s >= 0, "hlrc_stats_get: size %zu, wall %g s", s.size,
           s.wall_s);
}

void perform(struct actor *a, const struct op *op)
{
    doing(a, DOING_CALL);
    switch (op->kind) {
    case OP_READ:
    case OP_WRITE:
        for (uint32_t i = 0; i < op->count; i++)
            range_access(a, &op->access[i]);
        return;
    case OP_SECTION:
    case OP_TRY_SECTION:
        perform_section(a, op);
        return;
    case OP_BATON:
        perform_baton(a, op);
        return;
    case OP_GIVE:
        perform_give(a, op);
        return;
    case OP_TAKE:
        perform_take(a, op);
        return;
    case OP_POOL:
        perform_pool(a, op);
        return;
    case OP_CHURN:
        perform_churn(a, op);
        return;
    case OP_ALLOC:
        perform_alloc(a, op);
        return;
    case OP_FREE:
        perform_free(a, op);
        return;
    case OP_PREFETCH:
    case OP_TOUCH:
        perform_touch(a, op);
        return;
    case OP_HOME:
        perform_home(a, op);
        return;
    case OP_PLACE:
        perform_place(a, op);
        return;
    case OP_NEW_LOCK:
    case OP_NEW_COND:
    case OP_NEW_WORD:
        perform_new(a, op);
        return;
    case OP_WORD:
        perform_word(a, op);
        return;
    case OP_FILE:
        perform_file(a, op);
        return;
    case OP_SLEEP:
        perform_sleep(op);
        return;
    case OP_STATS:
        perform_stats(a);
        return;
    case OP_KINDS:
        return;
    }
}
