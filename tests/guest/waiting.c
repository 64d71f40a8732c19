/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * waiting SECONDS: nodes that want nothing of each other for a while: node 0 sleeps for so long,
 * the others wait for it in a barrier. What happens to its peers meanwhile no operation of its own
 * would tell a node.
 *
 * waiting SECONDS busy: they have something under way to each other all the time instead.
 *
 * Each says when it begins to.
 */
#include <hlrc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void keep_busy(int seconds)
{
    hlrc_atomic_t word = { 0 };
    time_t end = time(NULL) + seconds;
    if (hlrc_node_id() == 0 && hlrc_atomic_create(&word, 0) != 0)
        exit(3);
    if (hlrc_broadcast(&word, sizeof word, 0) != 0)
        exit(3);
    printf("node %d waits\n", hlrc_node_id());
    fflush(stdout);
    while (time(NULL) < end)
        hlrc_atomic_fetch_add(word, 1);
}

static void sleep_or_wait(int seconds)
{
    printf("node %d waits\n", hlrc_node_id());
    fflush(stdout);
    if (hlrc_node_id() == 0)
        sleep((unsigned)seconds);
}

int main(int argc, char **argv)
{
    if (argc < 2 || hlrc_init(&argc, &argv) < 0)
        return 2;
    hlrc_barrier();
    if (argc > 2)
        keep_busy(atoi(argv[1]));
    else
        sleep_or_wait(atoi(argv[1]));
    hlrc_barrier();
    hlrc_finalize();
    return 0;
}
