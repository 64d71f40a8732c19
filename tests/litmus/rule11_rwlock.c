/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 11, locks for readers and writers (hlrc/sync/rwlock.c): who writes is alone, those who read
 * are together, each sees what writers before it wrote, and a writer what readers wrote elsewhere
 * before they let go. By several threads of each node.
 */
#include "tests/litmus/litmus.h"

#include <errno.h>

LITMUS("rule 11, locks for readers and writers", 1, 2, 3)

#define THREADS 2
#define TURNS   40u

static volatile hlrc_rwlock_t *shared_lock;
static volatile uint64_t *data, *notes; /* notes: a page per thread of the job, of its reads */
static hlrc_rwlock_t lock;
static hlrc_atomic_t inside, writers, together, reads_done;

static void write_once(void)
{
    hlrc_rwlock_wrlock(lock);
    expect(hlrc_atomic_fetch_add(writers, 1) == 0, "two write");
    expect(hlrc_atomic_load(inside) == 0, "one writes while others read");
    uint64_t was = data[0];
    for (unsigned k = 0; k < 3; k++)
        data[k * PAGE_WORDS] = was + 1;
    uint64_t noted = 0; /* by those that have let go */
    for (int i = 0; i < nodes * THREADS; i++)
        noted += notes[(uint64_t)i * PAGE_WORDS];
    expect_word(noted, hlrc_atomic_load(reads_done), "what readers have noted");
    hlrc_atomic_fetch_add(writers, (uint64_t)-1);
    hlrc_rwlock_wrunlock(lock);
}

static void read_once(int i)
{
    hlrc_rwlock_rdlock(lock);
    hlrc_atomic_fetch_add(inside, 1);
    expect(hlrc_atomic_load(writers) == 0, "one reads while another writes");
    uint64_t seen = data[0];
    for (unsigned k = 1; k < 3; k++)
        expect_word(data[k * PAGE_WORDS], seen, "word %u of what a writer wrote", k);
    notes[(uint64_t)(me * THREADS + i) * PAGE_WORDS]++;
    hlrc_atomic_fetch_add(reads_done, 1);
    hlrc_atomic_fetch_add(inside, (uint64_t)-1);
    hlrc_rwlock_rdunlock(lock);
}

static void both(int i)
{
    for (unsigned k = 0; k < TURNS; k++) {
        if ((k + (unsigned)(me + i)) % 4 == 0)
            write_once();
        else
            read_once(i);
    }
}

/* Each node holds the lock to read until all do. */
static void in_company(int i)
{
    (void)i;
    hlrc_rwlock_rdlock(lock);
    hlrc_atomic_fetch_add(together, 1);
    while (hlrc_atomic_load(together) < (uint64_t)nodes)
        ;
    hlrc_rwlock_rdunlock(lock);
}

/* Node 0 holds it, to write and to read; the last node tries, which waits for nothing. */
static void tries(void)
{
    hlrc_barrier();
    for (int reads = 0; reads < 2 && nodes > 1; reads++) {
        if (me == 0)
            (reads ? hlrc_rwlock_rdlock : hlrc_rwlock_wrlock)(lock);
        hlrc_barrier();
        if (me == nodes - 1) {
            expect(hlrc_rwlock_trywrlock(lock) == -EBUSY, "trywrlock of a lock that is held");
            int rc = hlrc_rwlock_tryrdlock(lock);
            expect(rc == (reads ? 0 : -EBUSY), "tryrdlock: %d", rc);
            if (rc == 0)
                hlrc_rwlock_rdunlock(lock);
        }
        hlrc_barrier();
        if (me == 0)
            (reads ? hlrc_rwlock_rdunlock : hlrc_rwlock_wrunlock)(lock);
    }
    hlrc_barrier();
    if (me == nodes - 1) {
        expect(hlrc_rwlock_trywrlock(lock) == 0, "trywrlock of a free lock");
        hlrc_rwlock_wrunlock(lock);
        expect(hlrc_rwlock_tryrdlock(lock) == 0, "tryrdlock of a free lock");
        hlrc_rwlock_rdunlock(lock);
    }
    hlrc_barrier();
}

void litmus_run(void)
{
    data = shared_words(3 * PAGE_WORDS);
    notes = shared_words((uint64_t)(nodes * THREADS) * PAGE_WORDS);
    shared_lock = (void *)(uintptr_t)shared_words(PAGE_WORDS);
    hlrc_atomic_t words[4] = { 0 };
    if (me == 0) {
        expect(hlrc_rwlock_create(&lock) == 0, "hlrc_rwlock_create");
        *shared_lock = lock;
        for (int w = 0; w < 4; w++)
            expect(hlrc_atomic_create(&words[w], 0) == 0, "hlrc_atomic_create");
    }
    hlrc_barrier();
    hlrc_broadcast(words, sizeof words, 0);
    inside = words[0], writers = words[1], together = words[2], reads_done = words[3];
    lock = *shared_lock;
    in_threads(THREADS, both);
    hlrc_barrier();
    uint64_t wrote = 0;
    for (unsigned k = 0; k < TURNS; k++)
        for (int n = 0; n < nodes; n++)
            for (int i = 0; i < THREADS; i++)
                wrote += (k + (unsigned)(n + i)) % 4 == 0;
    expect_word(data[0], wrote, "the number of writes");
    in_threads(1, in_company);
    tries();
    if (me == 0) {
        hlrc_rwlock_destroy(lock);
        expect(hlrc_rwlock_create(&lock) == 0, "hlrc_rwlock_create again");
        expect(hlrc_rwlock_trywrlock(lock) == 0, "a new lock is free");
        hlrc_rwlock_wrunlock(lock);
    }
    hlrc_barrier();
}
