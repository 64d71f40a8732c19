/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Black box: jobs of many nodes. What each node writes reaches every other through a barrier,
 * through the chain of a lock's owners, by broadcast and by blocks of the heap; whatever counts
 * nodes, as bits, bytes or places, has to count them all. many.sh runs it.
 */
#include "tests/litmus/litmus.h"

#include <stdlib.h>

#define MANY 129 /* more than seven bits count */

LITMUS("many nodes", 33, 64, MANY)

#define ROUNDS 2u
#define TEXT   9001u
#define BLOCKS 16
#define BLOCK  4000u

static volatile uint64_t *shared; /* a word of each node, in one page */
static volatile uint64_t *own;    /* a page of each node */
static volatile uint64_t *chain;  /* [0] turns so far, [1 + k]: who had turn k */

static volatile uint64_t *page_of_node(int node)
{
    return own + (uint64_t)node * PAGE_WORDS;
}

static uint64_t value(uint64_t round, int node)
{
    return round << 32 | ((uint64_t)node + 1);
}

/* Node 0 is the home of the page that all write, and the last node that of node 0's: every pair's
 * versions count. */
static void barriers(void)
{
    for (uint64_t k = 1; k <= ROUNDS; k++) {
        shared[me] = value(k, me);
        page_of_node(nodes - 1 - me)[me] = value(k, me);
        hlrc_barrier();
        for (int n = 0; n < nodes; n++) {
            expect_word(shared[n], value(k, n), "round %ju, the word of node %d", (uintmax_t)k, n);
            expect_word(page_of_node(nodes - 1 - n)[n], value(k, n),
                        "round %ju, the page of node %d", (uintmax_t)k, n);
        }
        hlrc_barrier();
    }
}

/* Whoever has the lock sees what all did who had it before, in pages that the lock's last owner did
 * not touch. */
static void turns(hlrc_lock_t lock)
{
    for (uint64_t k = 1; k <= ROUNDS; k++) {
        hlrc_lock(lock);
        uint64_t turn = chain[0];
        for (uint64_t t = turn < 70 ? 0 : turn - 70; t < turn; t++)
            expect(page_of_node((int)chain[1 + t])[100 + chain[1 + t]] != 0,
                   "turn %ju does not see turn %ju, of node %ju", (uintmax_t)turn, (uintmax_t)t,
                   (uintmax_t)chain[1 + t]);
        page_of_node(me)[100 + me] = value(k, me);
        chain[1 + turn] = (uint64_t)me;
        chain[0] = turn + 1;
        hlrc_unlock(lock);
    }
    hlrc_barrier();
    uint64_t seen[MANY] = { 0 };
    expect_word(chain[0], ROUNDS * (uint64_t)nodes, "the number of turns");
    for (uint64_t t = 0; t < chain[0]; t++)
        seen[chain[1 + t]]++;
    for (int n = 0; n < nodes; n++) {
        expect_word(seen[n], ROUNDS, "the turns of node %d", n);
        expect_word(page_of_node(n)[100 + n], value(ROUNDS, n), "the last turn of node %d", n);
    }
}

static void broadcast_from(int root)
{
    unsigned char *text = malloc(TEXT);
    for (unsigned i = 0; i < TEXT; i++)
        text[i] = (unsigned char)(me == root ? i * 7 + (unsigned)root : 0);
    expect(hlrc_broadcast(text, TEXT, root) == 0, "hlrc_broadcast from node %d", root);
    for (unsigned i = 0; i < TEXT; i++)
        expect(text[i] == (unsigned char)(i * 7 + (unsigned)root), "byte %u from node %d is %u", i,
               root, text[i]);
    free(text);
}

/* Each node's blocks are freed by its neighbour, so many that they go back: what the owner
 * allocates then is zero. */
static void blocks(void)
{
    uint64_t *volatile *table = (uint64_t *volatile *)(uintptr_t)own;
    uint64_t *volatile *mine = table + (uint64_t)me * PAGE_WORDS;
    uint64_t *volatile *next = table + (uint64_t)((me + 1) % nodes) * PAGE_WORDS;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < BLOCKS; i++) {
            mine[i] = hlrc_malloc(BLOCK);
            expect(mine[i] != NULL, "hlrc_malloc");
            expect_word(*mine[i], 0, "block %d of round %d, fresh", i, round);
            *mine[i] = value(9, me);
        }
        hlrc_barrier();
        for (int i = 0; i < BLOCKS; i++) {
            expect_word(*next[i], value(9, (me + 1) % nodes), "block %d of the next node", i);
            hlrc_free(next[i]);
        }
        hlrc_barrier();
    }
}

void litmus_run(void)
{
    int far = nodes - 1;
    shared = shared_words(PAGE_WORDS);
    own = shared_words((uint64_t)nodes * PAGE_WORDS);
    chain = shared_words(1 + ROUNDS * MANY);
    if (me == 0)
        place(shared, PAGE, 0);
    if (me == far) {
        place(page_of_node(0), PAGE, far);
        place(page_of_node(far), PAGE, far);
    }
    hlrc_barrier();
    expect(hlrc_home((void *)(uintptr_t)page_of_node(0)) == far,
           "the home of a page is %d, not the last node",
           hlrc_home((void *)(uintptr_t)page_of_node(0)));
    barriers();
    turns((hlrc_lock_t)far); /* managed by the last node */
    broadcast_from(0);
    broadcast_from(far);
    broadcast_from(nodes / 2);
    blocks();
}
