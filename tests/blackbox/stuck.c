/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A job that stands still, for watchdog.sh:
 *
 *   stuck barrier   node 1 never comes to the third barrier of the program
 *   stuck lock      node 1 keeps lock 7, which the other nodes want
 *   stuck cond      nobody signals what node 0 waits for; the others are in a barrier
 *   stuck none      node 0 computes for three seconds, and all is well
 */
#include <hlrc.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096

static void compute_for(int seconds)
{
    time_t end = time(NULL) + seconds;
    while (time(NULL) < end)
        ;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (hlrc_init(&argc, &argv) != 0)
        return 1;
    int me = hlrc_node_id();
    hlrc_cond_t cond = { 0 };
    volatile char *page = hlrc_malloc_all((size_t)hlrc_node_count() * PAGE);
    if (!page || (me == 0 && hlrc_cond_create(&cond) != 0))
        return 1;
    hlrc_barrier();
    page[me * PAGE] = 1;
    hlrc_barrier();
    if (me == 1 && strcmp(what, "barrier") == 0)
        sleep(600);
    if (strcmp(what, "lock") == 0) {
        if (me == 1)
            hlrc_lock(7);
        hlrc_barrier();
        if (me == 1)
            sleep(600);
        hlrc_lock(7);
        hlrc_unlock(7);
    }
    if (me == 0 && strcmp(what, "cond") == 0) {
        hlrc_lock(3);
        hlrc_cond_wait(cond, 3);
        hlrc_unlock(3);
    }
    if (me == 0 && strcmp(what, "none") == 0)
        compute_for(3);
    hlrc_barrier();
    hlrc_finalize();
    return 0;
}
