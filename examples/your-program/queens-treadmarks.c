/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * queens-treadmarks: a TreadMarks program. Process 0 allocates shared memory and distributes the
 * pointer. All processes take first moves from a counter under a lock, and add up their results
 * under another one.
 *
 *     cc -O2 queens-treadmarks.c $(pkg-config --cflags --libs hlrc-tmk) -o queens-treadmarks
 *     hlrcrun -n 3 ./queens-treadmarks -n 10
 */
#include <Tmk.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { WORK, SUM }; /* locks */

static struct shared {
    int next; /* column of the first queen not tried yet */
    int solutions;
} * shared;

/* Number of ways to fill the rows from `row` on; bits mark attacked columns and diagonals. */
static int place(int n, int row, unsigned columns, unsigned left, unsigned right)
{
    int found = 0;
    if (row == n)
        return 1;
    for (int c = 0; c < n; c++) {
        unsigned bit = 1U << c;
        if (!((columns | left | right) & bit))
            found += place(n, row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return found;
}

int main(int argc, char **argv)
{
    int c, n = 8;
    while ((c = getopt(argc, argv, "n:")) != -1)
        if (c == 'n')
            n = atoi(optarg);
    Tmk_startup(argc, argv);
    if (n < 1 || n > 15)
        Tmk_errexit("queens-treadmarks: -n %d: choose from 1 to 15\n", n);
    if (Tmk_proc_id == 0) {
        if ((shared = Tmk_malloc(sizeof *shared)) == NULL)
            Tmk_errexit("queens-treadmarks: out of shared memory\n");
        Tmk_distribute(&shared, sizeof shared);
    }
    Tmk_barrier(0);
    for (;;) {
        Tmk_lock_acquire(WORK);
        int column = shared->next++;
        Tmk_lock_release(WORK);
        if (column >= n)
            break;
        unsigned bit = 1U << column;
        int found = place(n, 1, bit, bit << 1, bit >> 1);
        Tmk_lock_acquire(SUM);
        shared->solutions += found;
        Tmk_lock_release(SUM);
    }
    Tmk_barrier(0);
    if (Tmk_proc_id == 0)
        printf("%d queens: %d solutions\n", n, shared->solutions);
    Tmk_exit(0);
}
