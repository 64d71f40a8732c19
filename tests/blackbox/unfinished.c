/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A node ends while what it prefetches is on its way: hlrc_finalize waits, so nothing arrives in
 * memory that went. */
#include <hlrc.h>
#include <time.h>

#define PAGE  4096u
#define PAGES 512u

int main(int argc, char **argv)
{
    if (hlrc_init(&argc, &argv) != 0)
        return 1;
    volatile unsigned char *data = hlrc_malloc_all(PAGES * PAGE);
    for (unsigned page = 0; hlrc_node_id() == 0 && page < PAGES; page++)
        data[page * PAGE] = 1;
    hlrc_barrier();
    if (hlrc_node_id() == 1)
        hlrc_prefetch((const void *)(unsigned long)data, PAGES * PAGE);
    hlrc_finalize();
    nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
    return 0;
}
