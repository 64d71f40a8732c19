/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * native_sync.c - locks and condition variables of native.h: futexes in memory that all nodes
 * share.
 *
 * A lock's word is 0 while it is free, 1 while it is held, 2 while it is held and a node may sleep
 * on it: only then does its unlock make a system call. A condition variable's word counts signals.
 * A waiter sleeps while the word has the value read before the lock was released, so no later
 * signal is missed.
 *
 * A handle is an index into a table. The tables are large, but only their used part takes memory.
 * Each word has its own cache line, as a lock of a program on such a machine would have.
 *
 * Process-shared pthreads objects are not used: glibc's condition variables before 2.41 can lose a
 * signal (its bug 25847).
 */
#include "apps/native_sync.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "apps/native.h"

#define MAX_HANDLES (1u << 20) /* of a table */

enum { FREE, HELD, CONTENDED };

struct slot {
    _Alignas(64) _Atomic uint32_t word;
    _Atomic uint32_t waiters; /* of a condition variable; 0: a signal makes no system call */
    _Atomic bool live;        /* exists from the start, or was created and not destroyed */
    uint32_t next_free;       /* protected by the table's guard */
};

struct table {
    struct slot guard;  /* a lock that protects the two fields below */
    uint32_t used;      /* slots from here on were never allocated */
    uint32_t free;      /* last slot freed, 0 for none */
    struct slot slot[]; /* MAX_HANDLES of them */
};

static struct table *locks, *conds; /* constant once mapped */

static _Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

static _Noreturn void die(const char *format, ...)
{
    va_list args;

    fputs("native: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(1);
}

/* Returns at once if the word has another value; may return spuriously. */
static void sleep_on(_Atomic uint32_t *word, uint32_t value)
{
    syscall(SYS_futex, word, FUTEX_WAIT, value, NULL, NULL, 0);
}

static void wake(_Atomic uint32_t *word, int sleepers)
{
    syscall(SYS_futex, word, FUTEX_WAKE, sleepers, NULL, NULL, 0);
}

static bool word_trylock(_Atomic uint32_t *word)
{
    uint32_t expected = FREE;

    return atomic_compare_exchange_strong(word, &expected, HELD);
}

static void word_lock(_Atomic uint32_t *word)
{
    if (word_trylock(word))
        return;
    /* after sleeping, the new holder must assume that others still sleep */
    while (atomic_exchange(word, CONTENDED) != FREE)
        sleep_on(word, CONTENDED);
}

/* Returns true if the lock was held. */
static bool word_unlock(_Atomic uint32_t *word)
{
    uint32_t before = atomic_exchange(word, FREE);

    if (before == CONTENDED)
        wake(word, 1);
    return before != FREE;
}

/* The first `used` slots, at least one, are not available to slot_create(): 0 means none. */
static struct table *table_map(uint32_t used)
{
    size_t size = sizeof(struct table) + MAX_HANDLES * sizeof(struct slot);
    struct table *t =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (t == MAP_FAILED) {
        fprintf(stderr, "native: no room for locks: %s\n", strerror(errno));
        return NULL;
    }
    t->used = used;
    return t;
}

int native_sync_init(void)
{
    locks = table_map(HLRC_STATIC_LOCKS);
    conds = table_map(1);
    if (locks == NULL || conds == NULL)
        return -1;
    for (uint32_t i = 0; i < HLRC_STATIC_LOCKS; i++)
        atomic_store(&locks->slot[i].live, true);
    return 0;
}

/* Stores the handle only on success. */
static int slot_create(struct table *t, uint32_t *handle)
{
    uint32_t found;

    word_lock(&t->guard.word);
    found = t->free;
    if (found != 0)
        t->free = t->slot[found].next_free;
    else if (t->used < MAX_HANDLES)
        found = t->used++;
    word_unlock(&t->guard.word);
    if (found == 0)
        return -ENOMEM;
    atomic_store(&t->slot[found].word, 0);
    atomic_store(&t->slot[found].live, true);
    *handle = found;
    return 0;
}

static void slot_destroy(struct table *t, uint32_t handle)
{
    atomic_store(&t->slot[handle].live, false);
    word_lock(&t->guard.word);
    t->slot[handle].next_free = t->free;
    t->free = handle;
    word_unlock(&t->guard.word);
}

static struct slot *slot_of(struct table *t, uint32_t handle, const char *call)
{
    if (handle >= MAX_HANDLES || !atomic_load(&t->slot[handle].live))
        die("%s: handle %u does not exist; create it first", call, (unsigned)handle);
    return &t->slot[handle];
}

int hlrc_lock_create(hlrc_lock_t *lock)
{
    return slot_create(locks, lock);
}

void hlrc_lock_destroy(hlrc_lock_t lock)
{
    if (lock < HLRC_STATIC_LOCKS)
        die("hlrc_lock_destroy: lock %u is static and stays", (unsigned)lock);
    if (atomic_load(&slot_of(locks, lock, "hlrc_lock_destroy")->word) != FREE)
        die("hlrc_lock_destroy: lock %u is held; unlock it first", (unsigned)lock);
    slot_destroy(locks, lock);
}

void hlrc_lock(hlrc_lock_t lock)
{
    word_lock(&slot_of(locks, lock, "hlrc_lock")->word);
}

int hlrc_trylock(hlrc_lock_t lock)
{
    return word_trylock(&slot_of(locks, lock, "hlrc_trylock")->word) ? 0 : -EBUSY;
}

void hlrc_unlock(hlrc_lock_t lock)
{
    if (!word_unlock(&slot_of(locks, lock, "hlrc_unlock")->word))
        die("hlrc_unlock: lock %u is not held; lock it first", (unsigned)lock);
}

int hlrc_cond_create(hlrc_cond_t *cond)
{
    return slot_create(conds, cond);
}

void hlrc_cond_destroy(hlrc_cond_t cond)
{
    if (atomic_load(&slot_of(conds, cond, "hlrc_cond_destroy")->waiters) != 0)
        die("hlrc_cond_destroy: somebody waits for %u; wake them first", (unsigned)cond);
    slot_destroy(conds, cond);
}

/* Reads the count, and counts this waiter, before it releases the lock: see the head. */
void hlrc_cond_wait(hlrc_cond_t cond, hlrc_lock_t lock)
{
    struct slot *slot = slot_of(conds, cond, "hlrc_cond_wait");
    uint32_t signals = atomic_load(&slot->word);

    atomic_fetch_add(&slot->waiters, 1);
    hlrc_unlock(lock);
    sleep_on(&slot->word, signals);
    hlrc_lock(lock);
    atomic_fetch_sub(&slot->waiters, 1);
}

static void signal_some(struct slot *slot, int sleepers)
{
    atomic_fetch_add(&slot->word, 1);
    if (atomic_load(&slot->waiters) != 0)
        wake(&slot->word, sleepers);
}

void hlrc_cond_signal(hlrc_cond_t cond)
{
    signal_some(slot_of(conds, cond, "hlrc_cond_signal"), 1);
}

void hlrc_cond_broadcast(hlrc_cond_t cond)
{
    signal_some(slot_of(conds, cond, "hlrc_cond_broadcast"), INT_MAX);
}
