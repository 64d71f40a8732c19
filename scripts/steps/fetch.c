/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fetch.c - node 1 fetches one page of node 0 between two SIGUSR1 (step.c). It has fetched others
 * before, so nothing is done for the first time. */
#include <hlrc.h>
#include <signal.h>
#include <stdio.h>

#define PAGE  4096
#define PAGES 64

int main(int argc, char **argv)
{
    if (hlrc_init(&argc, &argv) != 0)
        return 1;
    volatile char *mem = hlrc_malloc_all(PAGES * PAGE);
    for (int i = 0; mem && hlrc_node_id() == 0 && i < PAGES; i++)
        mem[i * PAGE] = 1;
    hlrc_barrier();
    int sum = 13;
    if (mem && hlrc_node_id() == 1) {
        sum = 0;
        /* no stream of faults that readahead would follow */
        for (int i = 0; i < 12; i++)
            sum += mem[(i * i * 5 + i * 3) % PAGES * PAGE];
        raise(SIGUSR1);
        sum += mem[47 * PAGE];
        raise(SIGUSR1);
        if (sum != 13)
            printf("FAILED: read %d, not 13\n", sum);
    }
    hlrc_barrier();
    hlrc_finalize();
    return sum != 13;
}
