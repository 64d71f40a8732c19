/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Diffs that woke no thread, of a node that stands between its arrival at a barrier and its
 * departure [interval.quiet-diffs], [copies.flush-early]. Node 0 is the home of a page and
 * computes: it looks at an atomic word and serves nothing unless it is woken.
 *
 *   room   node 1 fills its cache after it has arrived, so that an interval ends to make room, and
 *          departs. Then it releases a lock under which it has written the page. Node 2 takes the
 *          lock and reads the page before node 0 waits for anything.
 *   own    node 1 has written the page before it arrives. Between arrival and departure it takes a
 *          lock under which node 2 has written another word of the page, and reads its own word:
 *          the fetch needs this node's diff. Node 0 arrives only afterwards.
 */
#include "tests/litmus/litmus.h"

#include <sched.h>

LITMUS("interval.quiet-diffs: quiet diffs between arrival and departure", 3)

LITMUS_SET(CACHE_SIZE, "64K")
LITMUS_SET(MOVE_HOMES, "off")
LITMUS_SET(LAZY_RELEASE, "0") /* node 2 publishes at its unlock */

#define ROUNDS 20u
#define FILL   40u /* pages of node 2's in each round, more than the cache holds */

static volatile uint64_t *data, *fill;
static hlrc_atomic_t ready, step, done;
static hlrc_lock_t lock;

static void look_until(hlrc_atomic_t word, uint64_t value)
{
    while (hlrc_atomic_load(word) < value)
        sched_yield();
}

/* Pages that this node has never written: a fetch that needs its own version wakes all homes. */
static void fill_cache(uint64_t r)
{
    for (uint64_t i = (r - 1) * FILL; i < r * FILL; i++)
        fill[i * PAGE_WORDS + 1] = r;
}

static void room_writer(uint64_t r)
{
    hlrc_barrier_arrive();
    look_until(ready, r); /* node 0 has departed, */
    sleep_ms(3);          /* and its handler sleeps */
    hlrc_lock(lock);
    data[0] = r;
    fill_cache(r);
    hlrc_barrier_depart();
    hlrc_unlock(lock);
    hlrc_atomic_exchange(step, r);
}

static void room(uint64_t r)
{
    if (me == 1) {
        room_writer(r);
        look_until(done, r);
    } else if (me == 2) {
        hlrc_barrier();
        look_until(step, r);
        hlrc_lock(lock);
        expect_word(data[0], r, "what node 1 wrote under the lock");
        hlrc_unlock(lock);
        hlrc_atomic_exchange(done, r);
    } else {
        hlrc_barrier();
        hlrc_atomic_exchange(ready, r);
        look_until(done, r);
    }
    hlrc_barrier();
}

static void own_reader(uint64_t r)
{
    data[8] = r;
    hlrc_barrier_arrive(); /* the diff wakes no thread */
    hlrc_atomic_exchange(step, r);
    look_until(done, 2 * r - 1);
    hlrc_lock(lock);
    expect_word(data[8], r, "this node's own word");
    expect_word(data[16], r, "what node 2 wrote under the lock");
    hlrc_unlock(lock);
    hlrc_atomic_exchange(done, 2 * r);
    hlrc_barrier_depart();
}

static void own(uint64_t r)
{
    hlrc_barrier();
    if (me == 1) {
        own_reader(r);
    } else if (me == 2) {
        hlrc_lock(lock);
        data[16] = r;
        hlrc_unlock(lock);
        look_until(step, r); /* this node's diff has been applied before node 1's comes */
        hlrc_atomic_exchange(done, 2 * r - 1);
        hlrc_barrier();
    } else {
        look_until(done, 2 * r);
        hlrc_barrier();
    }
    hlrc_barrier();
}

void litmus_run(void)
{
    lock = (hlrc_lock_t)nodes + 1; /* managed by node 1: its requests wake no thread of node 0 */
    data = shared_words(PAGE_WORDS);
    fill = shared_words(ROUNDS * FILL * PAGE_WORDS);
    place(data, PAGE, 0);
    place(fill, ROUNDS * FILL * PAGE, 2);
    ready = shared_atomic();
    step = shared_atomic();
    done = shared_atomic();
    if (me == 0)
        data[32] = 1;
    for (uint64_t i = 0; i < ROUNDS * FILL && me == 2; i++)
        fill[i * PAGE_WORDS] = 1; /* so that node 1 fetches them */
    hlrc_barrier();
    for (uint64_t r = 1; r <= ROUNDS; r++)
        room(r);
    hlrc_barrier();
    if (me == 0) {
        hlrc_atomic_exchange(step, 0);
        hlrc_atomic_exchange(done, 0);
    }
    hlrc_barrier();
    for (uint64_t r = 1; r <= ROUNDS; r++)
        own(r);
    hlrc_barrier();
}
