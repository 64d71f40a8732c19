/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 3, acquire: the vector time rises only after all its invalidations are done. Several threads
 * of a node acquire the same interval through different locks at once: whoever comes second must
 * not go on before the pages are revoked.
 */
#include "tests/litmus/litmus.h"

#include <pthread.h>

LITMUS("rule 3, vector time after invalidations", 2, 3)

#define PAGES   400u /* every second one: runs of one page */
#define THREADS 4
#define ROUNDS  10u

static volatile uint64_t *data;
static hlrc_atomic_t released, checked;
static pthread_barrier_t start;

static hlrc_lock_t lock_of(int node, int thread)
{
    return (hlrc_lock_t)(100 + node * THREADS + thread);
}

static void reader(int thread)
{
    for (uint64_t k = 1; k <= ROUNDS; k++) {
        await_atomic(released, k);
        pthread_barrier_wait(&start);
        hlrc_lock(lock_of(me, thread));
        for (uint64_t p = 0; p < PAGES; p++) /* from the end: revoked last */
            expect_word(data[2 * (PAGES - 1 - p) * PAGE_WORDS], k, "page %ju",
                        (uintmax_t)(PAGES - 1 - p));
        hlrc_unlock(lock_of(me, thread));
        hlrc_atomic_fetch_add(checked, 1);
    }
}

static void writer(void)
{
    for (uint64_t k = 1; k <= ROUNDS; k++) {
        for (uint64_t p = 0; p < PAGES; p++)
            data[2 * p * PAGE_WORDS] = k;
        for (int n = 1; n < nodes; n++)
            for (int t = 0; t < THREADS; t++) {
                hlrc_lock(lock_of(n, t));
                hlrc_unlock(lock_of(n, t));
            }
        hlrc_atomic_fetch_add(released, 1);
        await_atomic(checked, k * THREADS * (uint64_t)(nodes - 1));
    }
}

void litmus_run(void)
{
    data = shared_words(2 * PAGES * PAGE_WORDS);
    released = shared_atomic();
    checked = shared_atomic();
    pthread_barrier_init(&start, NULL, THREADS);
    hlrc_barrier();
    if (me == 0)
        writer();
    else
        in_threads(THREADS, reader);
}
