/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every node touches every page, and then node 1 address 16: for the tests of --gdb. */
#include <hlrc.h>
#include <stdint.h>

enum { PAGES = 256, PAGE = 4096 };

static volatile uintptr_t nowhere = 16; /* the compiler shall not know it */

static volatile char *all; /* which debuggers find */

static int follow(const volatile int *pointer)
{
    return *pointer;
}

int main(int argc, char **argv)
{
    if (hlrc_init(&argc, &argv) != 0)
        return 1;
    all = hlrc_malloc_all(PAGES * PAGE);
    int right = all != NULL, me = hlrc_node_id();
    for (int i = me; right && i < PAGES; i += hlrc_node_count())
        all[(size_t)i * PAGE] = (char)(i + 1);
    hlrc_barrier();
    for (int i = 0; right && i < PAGES; i++)
        right = all[(size_t)i * PAGE] == (char)(i + 1);
    hlrc_barrier();
    if (me == 1 && argc > 1)
        return follow((const int *)nowhere);
    hlrc_finalize();
    return right ? 0 : 3;
}
