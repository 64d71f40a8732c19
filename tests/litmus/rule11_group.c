/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 11, barriers of groups. What a node of a group wrote before its barrier, or had seen, all of
 * them see behind it; groups overlap, and meet at the same time; nodes that are in none of them are
 * not needed, not even awake.
 */
#include "tests/litmus/litmus.h"

#include <errno.h>
#include <string.h>

LITMUS("rule 11, barriers of groups", 1, 2, 3, 4, 8)

#define ROUNDS 40u

static volatile uint64_t *data;

static hlrc_group_t create(const int *list, int count)
{
    hlrc_group_t g = { 0 };
    int rc = hlrc_group_create(list, count, &g);
    expect(rc == 0, "hlrc_group_create: %d", rc);
    return g;
}

static void refused(const int *list, int count, const char *why)
{
    hlrc_group_t g = { 4711 };
    expect(hlrc_group_create(list, count, &g) == -EINVAL && g.id == 4711, "a list %s is taken",
           why);
}

static void bad_lists(void)
{
    refused((int[]){ me }, 0, "of none");
    refused((int[]){ me }, -1, "of less than none");
    refused((int[]){ me, me }, 2, "with a node twice");
    refused((int[]){ me, nodes }, 2, "with a node too many");
    refused((int[]){ -1, me }, 2, "with a node below 0");
    refused((int[]){ (me + 1) % nodes }, nodes > 1 ? 1 : 2, "without the own node");
    int all[HLRC_MAX_NODES + 1] = { me };
    refused(all, nodes + 1, "that is too long");
    hlrc_group_t alone = create(&me, 1);
    for (int i = 0; i < 10; i++)
        hlrc_group_barrier(alone);
}

/*
 * Group g has the nodes g, g + 1 and g + 2, around the ring: each node is in three. Each writes its
 * word of each of its groups' pages, which have homes outside; all words are there behind the
 * barrier. Rounds alternate between two pages: a fast node writes the next one meanwhile.
 */
static void ring(void)
{
    int size = nodes < 3 ? nodes : 3;
    hlrc_group_t groups[HLRC_MAX_NODES];
    for (int g = 0; g < nodes; g++) {
        int list[3];
        bool mine = false;
        for (int i = 0; i < size; i++) {
            list[i] = (g + size - 1 - i) % nodes;
            mine |= list[i] == me;
        }
        if (mine)
            groups[g] = create(list, size);
    }
    for (uint64_t k = 1; k <= ROUNDS; k++) {
        for (int g = 0; g < nodes; g++) {
            volatile uint64_t *page = data + ((uint64_t)g * 2 + k % 2) * PAGE_WORDS;
            if ((me - g + nodes) % nodes >= size)
                continue;
            page[me] = k;
            hlrc_group_barrier(groups[g]);
            for (int i = 0; i < size; i++)
                expect_word(page[(g + i) % nodes], k, "round %ju, group %d, node %d", (uintmax_t)k,
                            g, (g + i) % nodes);
        }
    }
    hlrc_barrier();
}

/* A word goes from node to node, each two being a group; the last one sees what all have written,
 * and the others wait for it in a barrier of all. */
static void chain(void)
{
    volatile uint64_t *words = data + 2 * (uint64_t)nodes * PAGE_WORDS;
    hlrc_group_t before = { 0 }, behind = { 0 };
    if (me > 0)
        before = create((int[]){ me - 1, me }, 2);
    if (me < nodes - 1)
        behind = create((int[]){ me, me + 1 }, 2);
    for (uint64_t k = 1; k <= ROUNDS; k++) {
        if (me > 0)
            hlrc_group_barrier(before);
        for (int n = 0; n < me; n++)
            expect_word(words[(uint64_t)n * PAGE_WORDS], k, "round %ju, word of node %d",
                        (uintmax_t)k, n);
        words[(uint64_t)me * PAGE_WORDS] = k;
        if (me < nodes - 1)
            hlrc_group_barrier(behind);
        hlrc_barrier();
    }
}

/* Two threads of each node, each with a group of all; and locks beside them. */
static hlrc_group_t both[2];

static void meet_with(int thread)
{
    volatile uint64_t *words = data + (3 * (uint64_t)nodes + 2 * (uint64_t)thread) * PAGE_WORDS;
    volatile uint64_t *sum = data + (3 * (uint64_t)nodes + 4) * PAGE_WORDS;
    for (uint64_t k = 1; k <= ROUNDS; k++) {
        volatile uint64_t *page = words + k % 2 * PAGE_WORDS;
        page[me] = k;
        hlrc_lock(1);
        ++*sum;
        hlrc_unlock(1);
        hlrc_group_barrier(both[thread]);
        for (int n = 0; n < nodes; n++)
            expect_word(page[n], k, "thread %d, round %ju, node %d", thread, (uintmax_t)k, n);
    }
    hlrc_lock(1);
    expect(*sum >= ROUNDS * (uint64_t)nodes, "counted to %ju under the lock", (uintmax_t)*sum);
    hlrc_unlock(1);
}

static void by_threads(void)
{
    int up[HLRC_MAX_NODES], down[HLRC_MAX_NODES];
    for (int n = 0; n < nodes; n++) {
        up[n] = n;
        down[n] = nodes - 1 - n;
    }
    both[0] = create(up, nodes);
    both[1] = create(down, nodes);
    in_threads(2, meet_with);
    hlrc_barrier();
}

/* Nodes 0 and 1 write a page of node 2, which sleeps outside of the library, and read it. In step 1
 * node 0 sends a diff that wakes no thread, and only node 1 reads: a node that fetches a page wakes
 * the homes of its own diffs, which would hide a missing wake-up. */
static void home_asleep(void)
{
    volatile uint64_t *page = data + (3 * (uint64_t)nodes + 5) * PAGE_WORDS;
    hlrc_group_t two = { 0 };
    if (me < 2)
        two = create((int[]){ 0, 1 }, 2);
    if (me == 2)
        place(page, PAGE, 2);
    hlrc_barrier();
    for (uint64_t k = 1; k <= ROUNDS / 4; k++) {
        for (int step = 0; me < 2 && step < 3; step++) {
            if (me == 0 || step != 1)
                page[me * 64 + step] = k;
            if (step == 1)
                hlrc_barrier_arrive();
            hlrc_group_barrier(two);
            for (int n = 0; n < 2 && (me == 1 || step != 1); n++)
                expect_word(page[n * 64 + step], n == 0 || step != 1 ? k : 0,
                            "round %ju, step %d, at a home that sleeps", (uintmax_t)k, step);
            hlrc_group_barrier(two);
        }
        meet_outside();
        if (me >= 2)
            hlrc_barrier_arrive();
        hlrc_barrier_depart();
    }
}

/* The lowest node has so many groups and no more, on both nodes. */
static void too_many(void)
{
    hlrc_group_t g;
    int made = 0, rc;
    while ((rc = hlrc_group_create((int[]){ 1, 0 }, 2, &g)) == 0 && made <= HLRC_MAX_GROUPS) {
        data[me] = (uint64_t)made;
        hlrc_group_barrier(g);
        expect_word(data[1 - me], (uint64_t)made, "the other's word, in group %d", made);
        hlrc_group_barrier(g);
        made++;
    }
    expect(rc == -ENOMEM && made < HLRC_MAX_GROUPS && made > HLRC_MAX_GROUPS - 10,
           "%d groups, and then %d", made, rc);
    hlrc_barrier();
}

/* What ends the job: GROUP_LISTS says which way. */
static void end_with(const char *way)
{
    hlrc_group_t g = { 99 };
    if (strcmp(way, "differ") == 0 && me == 2)
        sleep_ms(10000);
    else if (strcmp(way, "differ") == 0)
        (void)hlrc_group_create(me == 0 ? (int[]){ 0, 1 } : (int[]){ 1, 0 }, 2, &g);
    hlrc_group_barrier(g);
}

/* Nobody but the writers touches a page: it stays where it was placed. */
LITMUS_SET(MOVE_HOMES, "off")

void litmus_run(void)
{
    if (getenv("GROUP_LISTS"))
        end_with(getenv("GROUP_LISTS"));
    data = shared_words((3 * (uint64_t)nodes + 6) * PAGE_WORDS);
    meet_pids();
    for (uint64_t p = 0; me == 0 && nodes > 3 && p < 2 * (uint64_t)nodes; p++)
        place(data + p * PAGE_WORDS, PAGE, (int)((p / 2 + 3) % (uint64_t)nodes));
    hlrc_barrier();
    bad_lists();
    if (nodes > 1)
        ring();
    chain();
    by_threads();
    if (nodes > 2)
        home_asleep();
    if (nodes == 2)
        too_many();
}
