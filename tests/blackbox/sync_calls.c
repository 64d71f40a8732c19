/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * For syscalls.sh: locks whose home is another node, and barriers, each kind between two calls of
 * getppid, which nothing else here makes.
 */
#include <hlrc.h>
#include <unistd.h>

#define LOCKS    500
#define BARRIERS 200

int main(int argc, char **argv)
{
    if (hlrc_init(&argc, &argv) != 0)
        return 1;
    hlrc_lock_t lock = (hlrc_lock_t)hlrc_node_count() * 8 + 1; /* its home is node 1 */
    hlrc_lock(lock);                                           /* the first lock here */
    hlrc_unlock(lock);
    hlrc_barrier();
    (void)getppid();
    for (int i = 0; i < LOCKS && hlrc_node_id() == 0; i++) {
        hlrc_lock(lock);
        hlrc_unlock(lock);
    }
    (void)getppid();
    for (int i = 0; i < BARRIERS; i++)
        hlrc_barrier();
    (void)getppid();
    hlrc_finalize();
    return 0;
}
