/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * 05-shares: work that nodes take piece by piece. An atomic word assigns pieces without a lock;
 * results are added up under a lock. Here: count the primes below LIMIT.
 */
#include <hlrc.h>
#include <stdio.h>

#define LIMIT 200000
#define PIECE 1000

static int is_prime(unsigned long n)
{
    for (unsigned long d = 2; d * d <= n; d++)
        if (n % d == 0)
            return 0;
    return n > 1;
}

int main(int argc, char **argv)
{
    if (hlrc_init(&argc, &argv) != 0)
        return 1;
    struct {
        hlrc_atomic_t next;
        long primes;
    } *shared = hlrc_malloc_all(sizeof *shared);
    if (!shared || (hlrc_node_id() == 0 && hlrc_atomic_create(&shared->next, 0) != 0))
        return 1;
    hlrc_barrier();

    hlrc_atomic_t next = shared->next;
    long mine = 0;
    for (unsigned long at; (at = hlrc_atomic_fetch_add(next, PIECE)) < LIMIT;)
        for (unsigned long n = at; n < at + PIECE; n++)
            mine += is_prime(n);

    hlrc_lock(1);
    shared->primes += mine; /* once per node, not once per prime */
    hlrc_unlock(1);
    hlrc_barrier();
    if (hlrc_node_id() == 0)
        printf("%ld primes below %d\n", shared->primes, LIMIT);
    hlrc_finalize();
    return 0;
}
