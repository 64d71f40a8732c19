/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Locks: one that moves around all nodes thousands of times, nested ones, several that guard parts
 * of one page, and many created ones.
 */
#include "tests/litmus/litmus.h"

LITMUS("locks", 1, 2, 3, 4, 8)

#define MOVES     2400u
#define ACCOUNTS  10u
#define TRANSFERS 60u
#define MONEY     1000u

static void moving(volatile uint64_t *counter)
{
    uint64_t share = MOVES / (uint64_t)nodes;
    for (uint64_t k = 0; k < share; k++) {
        hlrc_lock(17);
        counter[0]++;
        counter[k % 64 + 1]++;
        hlrc_unlock(17);
    }
    hlrc_barrier();
    uint64_t sum = 0;
    for (int i = 1; i <= 64; i++)
        sum += counter[i];
    expect_word(counter[0], share * (uint64_t)nodes, "the counter");
    expect_word(sum, counter[0], "the sum of the parts");
    hlrc_barrier();
}

/* Money moves between accounts, under the locks of both, taken in ascending order; all under the
 * lock of the bank now and then. Accounts share a page. */
static void transfer(volatile uint64_t *account, uint64_t from, uint64_t to, uint64_t amount)
{
    uint64_t low = from < to ? from : to, high = from < to ? to : from;
    hlrc_lock((hlrc_lock_t)(80 + low));
    hlrc_lock((hlrc_lock_t)(80 + high));
    if (account[from] >= amount) {
        account[from] -= amount;
        account[to] += amount;
    }
    hlrc_unlock((hlrc_lock_t)(80 + low)); /* not in the order of taking */
    hlrc_unlock((hlrc_lock_t)(80 + high));
}

static void audit(volatile uint64_t *account)
{
    uint64_t sum = 0;
    for (uint64_t a = 0; a < ACCOUNTS; a++)
        hlrc_lock((hlrc_lock_t)(80 + a));
    for (uint64_t a = 0; a < ACCOUNTS; a++)
        sum += account[a];
    for (uint64_t a = 0; a < ACCOUNTS; a++)
        hlrc_unlock((hlrc_lock_t)(80 + a));
    expect_word(sum, ACCOUNTS * MONEY, "the money of all accounts");
}

static void nested(volatile uint64_t *account)
{
    uint64_t seed = (uint64_t)me + 1;
    for (uint64_t a = 0; me == 0 && a < ACCOUNTS; a++)
        account[a] = MONEY;
    hlrc_barrier();
    for (uint64_t k = 0; k < TRANSFERS; k++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        uint64_t from = (seed >> 33) % ACCOUNTS,
                 to = (from + 1 + (seed >> 40) % (ACCOUNTS - 1)) % ACCOUNTS;
        transfer(account, from, to, (seed >> 50) % 100);
        if (k % 20 == 19)
            audit(account);
    }
    hlrc_barrier();
    audit(account);
    hlrc_barrier();
}

/* Locks made by all nodes, their handles passed in shared memory, each guarding a word. */
static void created(volatile uint64_t *handle, volatile uint64_t *word)
{
    uint64_t n = (uint64_t)nodes, count = 8 * n;
    for (uint64_t i = (uint64_t)me; i < count; i += n) {
        hlrc_lock_t lock;
        expect(hlrc_lock_create(&lock) == 0, "hlrc_lock_create");
        handle[i] = lock;
    }
    hlrc_barrier();
    for (uint64_t i = 0; i < count; i++)
        for (uint64_t j = 0; j < i; j++)
            expect(handle[i] != handle[j], "locks %ju and %ju are the same", (uintmax_t)i,
                   (uintmax_t)j);
    for (uint64_t k = 0; k < count; k++) {
        uint64_t i = (k + (uint64_t)me * 3) % count;
        hlrc_lock((hlrc_lock_t)handle[i]);
        word[i]++;
        hlrc_unlock((hlrc_lock_t)handle[i]);
    }
    hlrc_barrier();
    for (uint64_t i = 0; i < count; i++)
        expect_word(word[i], n, "the word of lock %ju", (uintmax_t)i);
    hlrc_barrier();
    for (uint64_t i = (uint64_t)me; i < count; i += n)
        hlrc_lock_destroy((hlrc_lock_t)handle[i]);
}

/* Taken again where it was held last: no message, on any node. */
static void cached(void)
{
    hlrc_lock_t lock = (hlrc_lock_t)(500 + me); /* managed here or elsewhere */
    hlrc_lock(lock);
    hlrc_unlock(lock);
    hlrc_barrier();
    struct hlrc_stats before = stats();
    for (int k = 0; k < 100; k++) {
        hlrc_lock(lock);
        hlrc_unlock(lock);
    }
    struct hlrc_stats after = stats();
    expect_word(after.messages, before.messages, "the number of messages");
    expect_word(after.lock_acquires, before.lock_acquires + 100, "the number of locks taken");
    hlrc_barrier();
}

void litmus_run(void)
{
    volatile uint64_t *data = shared_words(4 * PAGE_WORDS);
    moving(data);
    nested(data + PAGE_WORDS);
    created(data + 2 * PAGE_WORDS, data + 3 * PAGE_WORDS);
    cached();
}
