/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * program HOW FILE: node 0 makes memory that is its own, and a loop of all nodes' threads adds up
 * what is in it, or fills it. Prints "right" or "wrong", and ends with 0 in either case.
 *
 * program maps FILE PREFIX: each node makes some of each kind, and writes its mappings to
 * PREFIX.NODE, and to PREFIX.NODE.begin those from before the job.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "library.h"

#define BYTES (1 << 20)

static long add_up(const unsigned char *at, long n)
{
    long sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
    for (long i = 0; i < n; i++)
        sum += at[i];
    return sum;
}

static void say(const unsigned char *at, long n, long sum)
{
    long wanted = 0;
    for (long i = 0; i < n; i++)
        wanted += at[i];
    puts(wanted > 0 && sum == wanted ? "right" : "wrong");
}

static void fill(unsigned char *at, long n)
{
    long sum = 0;
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; i++)
        at[i] = (unsigned char)(i % 251);
    for (long i = 0; i < n; i++)
        sum += at[i] == i % 251;
    puts(sum == n ? "right" : "wrong");
}

static unsigned char *make(const char *how, const char *file, long *n)
{
    int fd = open(file, O_RDONLY);
    struct stat status;
    *n = BYTES;
    fstat(fd, &status);
    if (strcmp(how, "file") == 0) {
        *n = status.st_size;
        return mmap(NULL, (size_t)*n, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    if (strcmp(how, "shared") == 0) {
        *n = status.st_size;
        return mmap(NULL, (size_t)*n, PROT_READ, MAP_SHARED, fd, 0);
    }
    if (strcmp(how, "copy") == 0) {
        *n = 64;
        return (unsigned char *)library_copy(
            "sixty-four bytes of text, which a library copies for the program");
    }
    if (strcmp(how, "stack") == 0) {
        *n = 64;
        return library_thread();
    }
    if (strcmp(how, "getcwd") == 0) {
        unsigned char *path = (unsigned char *)getcwd(NULL, 0);
        *n = (long)strlen((char *)path);
        return path;
    }
    if (strcmp(how, "getline") == 0) {
        FILE *in = fdopen(fd, "r");
        char *line = NULL;
        size_t room = 0;
        *n = getline(&line, &room, in);
        return (unsigned char *)line;
    }
    if (strcmp(how, "block") == 0)
        return (unsigned char *)library_block(BYTES);
    return mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void show_maps(const char *file, const char *prefix)
{
#pragma omp parallel
    {
        char path[4096];
        int node = omp_get_thread_num(); /* --threads-per-node 1 */
        library_allocate(file);
#pragma omp barrier
        snprintf(path, sizeof path, "%s.%d", prefix, node);
        library_write_maps(path, 0);
        strcat(path, ".begin");
        library_write_maps(path, 1);
    }
}

int main(int argc, char **argv)
{
    long n;
    if (argc < 3)
        return 2;
    if (strcmp(argv[1], "maps") == 0) {
        show_maps(argv[2], argv[3]);
        return 0;
    }
    unsigned char *at = make(argv[1], argv[2], &n);
    if (strcmp(argv[1], "block") == 0 || strcmp(argv[1], "pages") == 0)
        fill(at, n);
    else
        say(at, n, add_up(at, n));
    return 0;
}
