/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * 03-homes: where pages live. Each node fills its part of an array. A page's home is the node that
 * touched it first, so a part of whole pages has its home where it is used. Then each node reads
 * its neighbour's part, whose pages are fetched.
 */
#include <hlrc.h>
#include <stdio.h>
#include <string.h>

#define PAGES 16 /* of 4096 bytes, per node */
#define WORDS (PAGES * 4096 / sizeof(long))

int main(int argc, char **argv)
{
    if (hlrc_init(&argc, &argv) != 0)
        return 1;
    int me = hlrc_node_id(), nodes = hlrc_node_count();
    long *all = hlrc_malloc_all((size_t)nodes * WORDS * sizeof *all); /* page-aligned */
    if (!all)
        return 1;
    for (size_t i = 0; i < WORDS; i++)
        all[(size_t)me * WORDS + i] = me;
    hlrc_barrier();
    hlrc_stats_reset(); /* counters start here */

    const long *next = all + (size_t)((me + 1) % nodes) * WORDS;
    long sum = 0;
    /* a hint: fetch all its pages at once, not one after the other */
    hlrc_prefetch(next, WORDS * sizeof *next);
    for (size_t i = 0; i < WORDS; i++)
        sum += next[i];

    struct hlrc_stats stats = { .size = sizeof stats };
    hlrc_stats_get(&stats);
    printf("node %d: its part lives at node %d, its neighbour's at node %d; sum %ld, %d pages "
           "fetched\n",
           me, nodes > 1 ? hlrc_home(all + (size_t)me * WORDS) : 0, nodes > 1 ? hlrc_home(next) : 0,
           sum, (int)stats.page_fetches);
    hlrc_finalize();
    return 0;
}
