/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* groups - barriers of groups of nodes that overlap, and tries of locks that another node has: what
 * tests/sim/groups.sh traces. Needs four nodes. */
#include <hlrc.h>
#include <stdint.h>

#define ROUNDS 30
#define ROW    512 /* elements of a page */
#define LOCK   6   /* whose home is node 2 of four */

/* Each member stores to a page of its own and loads those of the others. */
static uint64_t work(hlrc_group_t group, const int *nodes, int count, uint64_t *a, int me,
                     int round)
{
    uint64_t sum = 0;

    a[me * ROW] += (uint64_t)round + 1;
    hlrc_group_barrier(group);
    for (int i = 0; i < count; i++)
        sum += a[nodes[i] * ROW];
    hlrc_group_barrier(group);
    return sum;
}

int main(int argc, char **argv)
{
    const int pairs[2][2] = { { 0, 1 }, { 3, 2 } }, three[3] = { 3, 0, 1 };
    hlrc_group_t pair, most = { 0 };
    uint64_t sum = 0;

    if (hlrc_init(&argc, &argv) != 0 || hlrc_node_count() != 4)
        return 1;
    int me = hlrc_node_id();
    uint64_t *a = hlrc_malloc_all(4 * ROW * sizeof *a), *b = hlrc_malloc_all(4 * ROW * sizeof *b);
    if (a == NULL || b == NULL || hlrc_group_create(pairs[me / 2], 2, &pair) != 0 ||
        (me != 2 && hlrc_group_create(three, 3, &most) != 0))
        return 1;
    for (int i = 0; i < ROUNDS; i++) {
        sum += work(pair, pairs[me / 2], 2, a, me, i);
        if (me != 2)
            sum += work(most, three, 3, b, me, i);
    }
    if (me == 1)
        hlrc_lock(LOCK);
    hlrc_barrier();
    for (int i = 0; i < ROUNDS && me != 1; i++)
        if (hlrc_trylock(LOCK) == 0)
            return 1;
    hlrc_barrier();
    if (me == 1)
        hlrc_unlock(LOCK);
    hlrc_finalize();
    return sum == 0;
}
