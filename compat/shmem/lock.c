/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * lock.c - queue locks: each waiter polls a word in its memory (Mellor-Crummey and Scott,
 * Algorithms for Scalable Synchronization on Shared-Memory Multiprocessors, 1991).
 *
 * The lock is the program's long at one PE, chosen by its address: the last record of the queue,
 * or 0 while it is free. A holder or waiter has a record in its PE's table, in a window. Its
 * successor writes `next`, its predecessor `turn`.
 */
#include <pthread.h>
#include <stdlib.h>

#include "compat/shmem/inner.h"

#define RECORDS 1024 /* most locks that a PE holds and waits for at a time */

/* In a window. */
struct lock_record {
    uint64_t next; /* name of a record, 0: none */
    uint64_t turn; /* nonzero: granted */
};

static struct lock_record *records;
static bool taken[RECORDS];       /* of this PE; guarded */
static const long *held[RECORDS]; /* the lock that this PE holds by it; guarded */
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

void inner_sh_locks_begin(void)
{
    records = hlrc_window_create(RECORDS * sizeof *records);
    if (!records)
        fail_job("shmem_init: no room for the records of locks; raise --memory");
}

static uint64_t lock_name_of(int pe, unsigned i)
{
    return (uint64_t)pe * RECORDS + i + 1;
}

static int lock_pe_of(uint64_t name)
{
    return (int)((name - 1) / RECORDS);
}

static struct lock_record *lock_record_of(uint64_t name)
{
    return &records[(name - 1) % RECORDS];
}

/* The lock's word and its PE. */
static uint64_t *lock_word_of(const char *call, const long *lock, int *pe)
{
    uint64_t *word = inner_sh_remote(call, lock, sizeof *lock);
    *pe = (int)((uintptr_t)word / sizeof *word % (size_t)sh.n);
    if ((uintptr_t)word % sizeof *word != 0)
        fail_job("%s: the lock at %p is not aligned to 8 bytes", call, (const void *)lock);
    return word;
}

static unsigned lock_record_take(const char *call)
{
    unsigned i = 0;
    (void)pthread_mutex_lock(&guard);
    while (i < RECORDS && taken[i])
        i++;
    if (i < RECORDS)
        taken[i] = true;
    (void)pthread_mutex_unlock(&guard);
    if (i == RECORDS)
        fail_job("%s: this PE holds %d locks, the limit; clear one first", call, RECORDS);
    records[i] = (struct lock_record){ 0, 0 };
    return i;
}

static void lock_record_hold(unsigned i, const long *lock)
{
    (void)pthread_mutex_lock(&guard);
    held[i] = lock;
    (void)pthread_mutex_unlock(&guard);
}

static void lock_record_drop(unsigned i)
{
    (void)pthread_mutex_lock(&guard);
    taken[i] = false;
    held[i] = NULL;
    (void)pthread_mutex_unlock(&guard);
}

/* The record by which this PE holds the lock; RECORDS: none. */
static unsigned lock_record_for(const long *lock)
{
    unsigned i = 0;
    (void)pthread_mutex_lock(&guard);
    while (i < RECORDS && held[i] != lock)
        i++;
    (void)pthread_mutex_unlock(&guard);
    return i;
}

static uint64_t lock_await(const uint64_t *word)
{
    unsigned tries = 0;
    uint64_t seen;
    while ((seen = __atomic_load_n(word, __ATOMIC_ACQUIRE)) == 0)
        inner_sh_pause(&tries);
    return seen;
}

void shmem_set_lock(long *lock)
{
    int pe;
    uint64_t *word = lock_word_of("shmem_set_lock", lock, &pe), before = 0;
    unsigned i = lock_record_take("shmem_set_lock");
    uint64_t mine = lock_name_of(sh.me, i);
    (void)hlrc_word_fetch(hlrc_word_window(word, pe), HLRC_UINT64, HLRC_REPLACE, &mine, &before,
                          HLRC_RELAXED);
    if (before != 0) {
        hlrc_put(&lock_record_of(before)->next, &mine, sizeof mine, lock_pe_of(before));
        (void)lock_await(&records[i].turn);
    }
    lock_record_hold(i, lock);
}

int shmem_test_lock(long *lock)
{
    int pe;
    uint64_t *word = lock_word_of("shmem_test_lock", lock, &pe), none = 0;
    unsigned i = lock_record_take("shmem_test_lock");
    uint64_t mine = lock_name_of(sh.me, i);
    if (hlrc_word_compare(hlrc_word_window(word, pe), HLRC_UINT64, &none, &mine, HLRC_RELAXED) !=
        1) {
        lock_record_drop(i);
        return 1;
    }
    lock_record_hold(i, lock);
    return 0;
}

/* Completes earlier puts first. */
void shmem_clear_lock(long *lock)
{
    int pe;
    uint64_t *word = lock_word_of("shmem_clear_lock", lock, &pe), nobody = 0, turn = 1;
    unsigned i = lock_record_for(lock);
    if (i == RECORDS)
        fail_job("shmem_clear_lock: the lock at %p is not set by this PE; set it first",
                 (void *)lock);
    hlrc_fence_all();
    lock_record_hold(i, NULL);
    uint64_t seen = lock_name_of(sh.me, i);
    if (hlrc_word_compare(hlrc_word_window(word, pe), HLRC_UINT64, &seen, &nobody, HLRC_RELAXED) !=
        1) {
        uint64_t next = lock_await(&records[i].next);
        hlrc_put(&lock_record_of(next)->turn, &turn, sizeof turn, lock_pe_of(next));
    }
    lock_record_drop(i);
}
