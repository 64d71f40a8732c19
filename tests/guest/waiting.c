/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Nodes that want nothing of each other for a while: node 0 sleeps for the seconds of its argument, the others wait for
 * it in a barrier. Each says when it begins to. What happens to its peers meanwhile no operation of its own would tell
 * it.
 */
#include <hlrc.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc != 2 || hlrc_init(&argc, &argv) < 0)
        return 2;
    hlrc_barrier();
    printf("node %d waits\n", hlrc_node_id());
    fflush(stdout);
    if (hlrc_node_id() == 0)
        sleep((unsigned)atoi(argv[1]));
    hlrc_barrier();
    hlrc_finalize();
    return 0;
}
