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
    long *counter = hlrc_malloc_all(sizeof *counter); /* same address on every node, initially
                                                       * zero */
    if (!counter)
        return 1;
    for (int i = 0; i < TIMES; i++) {
        hlrc_lock(0); /* makes the writes of the lock's last holder visible */
        ++*counter;
        hlrc_unlock(0);
    }
    hlrc_barrier(); /* makes the writes of all nodes visible */
    if (hlrc_node_id() == 0)
        printf("%ld times by each of %d nodes\n", *counter / hlrc_node_count(), hlrc_node_count());
    hlrc_finalize();
    return 0;
}
