/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* 01-hello: the smallest program. Each node prints its number.    hlrcrun -n 4 examples/01-hello */
#include <hlrc.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    if (hlrc_init(&argc, &argv) != 0)
        return 1; /* hlrc_init has printed the reason */
    printf("node %d of %d\n", hlrc_node_id(), hlrc_node_count());
    hlrc_finalize(); /* a node that exits without this counts as failed and ends the job */
    return 0;
}
