/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * little - a program that shares eight bytes: node 0 writes them, each node prints what it reads.
 *
 * little room    asks for more than any machine has: hlrc_malloc says how large the space is
 * little copies  of two nodes: node 0 writes 8 MiB, node 1 reads them, and prints how many MiB its
 *                control group has more in use then, by the file that LITTLE_USAGE names
 */
#include <hlrc.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE  4096u
#define PAGES 2048u

static long in_use(void)
{
    const char *path = getenv("LITTLE_USAGE");
    FILE *file = path ? fopen(path, "r") : NULL;
    long bytes = 0;

    if (!file || fscanf(file, "%ld", &bytes) != 1)
        exit(4);
    fclose(file);
    return bytes;
}

static int copies(void)
{
    volatile unsigned char *data = hlrc_malloc_all((size_t)PAGES * PAGE);
    long before;
    unsigned sum = 0;

    for (uint32_t p = 0; data && hlrc_node_id() == 0 && p < PAGES; p++)
        data[(size_t)p * PAGE] = 1;
    hlrc_barrier();
    if (data && hlrc_node_id() == 1) {
        before = in_use();
        for (uint32_t p = 0; p < PAGES; p++)
            sum += data[(size_t)p * PAGE];
        printf("%u %ld\n", sum, (in_use() - before) >> 20);
    }
    hlrc_barrier();
    return data ? 0 : 2;
}

static int word(void)
{
    int64_t *shared = hlrc_malloc_all(sizeof *shared);

    if (!shared)
        return 2;
    if (hlrc_node_id() == 0)
        *shared = 42;
    hlrc_barrier();
    printf("%" PRId64 "\n", *shared);
    hlrc_barrier();
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int status;

    if (hlrc_init(&argc, &argv) != 0)
        return 1;
    status = strcmp(what, "copies") == 0 ? copies() : word();
    if (strcmp(what, "room") == 0 && hlrc_node_id() == 0 && hlrc_malloc((size_t)1 << 45) != NULL)
        status = 3;
    hlrc_finalize();
    return status;
}
