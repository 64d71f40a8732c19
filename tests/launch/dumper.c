/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Nodes of which the system dumps core for a while: a reservation of many GiB, one page of which
 * was written, is walked page by page, and next to nothing of it is written.
 *
 *   dumper GIB FOLDER   as node 0 or 1: dies of SIGABRT with so large a reservation, in the folder
 *                       FOLDER/0 or FOLDER/1, in a file of which (pid) its number is. As node 2:
 *                       exits with status 3 once both dumps have begun. As any other node: sleeps.
 *                       Exit status 77: no such reservation can be made.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static void dump(size_t gib, const char *folder, const char *node)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    volatile char *reserved = mmap(NULL, gib << 30, PROT_READ | PROT_WRITE, flags, -1, 0);
    FILE *file;

    if (reserved == MAP_FAILED)
        exit(77);
    if (chdir(folder) != 0 || chdir(node) != 0 || (file = fopen("pid", "we")) == NULL)
        exit(99);
    *reserved = 1;
    fprintf(file, "%d\n", (int)getpid());
    if (fclose(file) != 0)
        exit(99);
    abort();
}

static bool dumping(const char *folder, int node)
{
    char path[4200], line[256];
    int pid = 0, found = 0;
    FILE *file;

    snprintf(path, sizeof path, "%.4096s/%d/pid", folder, node);
    file = fopen(path, "re");
    if (file != NULL && fscanf(file, "%d", &pid) != 1)
        pid = 0;
    if (file != NULL)
        fclose(file);
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    file = pid != 0 ? fopen(path, "re") : NULL;
    while (file != NULL && fgets(line, sizeof line, file))
        if (sscanf(line, "CoreDumping: %d", &found) == 1)
            break;
    if (file != NULL)
        fclose(file);
    return found == 1;
}

int main(int argc, char **argv)
{
    const char *node = getenv("HLRC_NODE");

    if (argc != 3 || node == NULL)
        return 2;
    if (*node == '0' || *node == '1')
        dump((size_t)atol(argv[1]), argv[2], node);
    while (*node == '2' && !(dumping(argv[2], 0) && dumping(argv[2], 1)))
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    if (*node == '2')
        return 3;
    for (;;)
        pause();
}
