/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* 02-counter: one shared variable, a lock around each change, a barrier before the result is
 * read. */
#include <hlrc.h>
#include <stdio.h>

#define TIMES 100

int main(int argc, char **argv)
{
    if (hlrc_init(&argc, &argv) != 0)
        return 1;
    long *counter = hlrc_malloc_all(sizeof *counter); /* the same address on every node, zero */
    if (!counter)
        return 1;
    for (int i = 0; i < TIMES; i++) {
        hlrc_lock(0); /* brings what the last holder of this lock had written */
        ++*counter;
        hlrc_unlock(0);
    }
    hlrc_barrier(); /* brings what everybody had written */
    if (hlrc_node_id() == 0)
        printf("%ld times by each of %d nodes\n", *counter / hlrc_node_count(), hlrc_node_count());
    hlrc_finalize();
    return 0;
}
