/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * meet NODE THIS OTHER: that node makes the call THIS, all others the call OTHER, where they meet:
 * barrier, split (the same in two steps), malloc (hlrc_malloc_all), free (hlrc_free_all), broadcast
 * or finalize. For collectives.sh.
 */
#include <hlrc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *memory;

static void barrier(void)
{
    hlrc_barrier();
}

static void split(void)
{
    hlrc_barrier_arrive();
    hlrc_barrier_depart();
}

static void malloc_all(void)
{
    (void)hlrc_malloc_all(1);
}

static void free_all(void)
{
    hlrc_free_all(memory);
}

static void broadcast(void)
{
    char byte = 0;
    (void)hlrc_broadcast(&byte, 1, 0);
}

static void finalize(void)
{
    hlrc_finalize();
    exit(0);
}

static void make(const char *name)
{
    static const struct {
        const char *name;
        void (*call)(void);
    } calls[] = { { "barrier", barrier }, { "split", split },         { "malloc", malloc_all },
                  { "free", free_all },   { "broadcast", broadcast }, { "finalize", finalize } };
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        if (strcmp(calls[i].name, name) == 0) {
            calls[i].call();
            return;
        }
    exit(2);
}

int main(int argc, char **argv)
{
    if (argc < 4 || hlrc_init(&argc, &argv) != 0)
        return 2;
    memory = hlrc_malloc_all(1);
    make(hlrc_node_id() == atoi(argv[1]) ? argv[2] : argv[3]);
    hlrc_finalize();
    return 0;
}
