/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A shared library that gcc has built, so what its own threads allocate is of one node; see
 * program.c. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "library.h"

#define MAPS_MOST 65536
static char maps[MAPS_MOST]; /* as they were before anything of the program ran */
static size_t maps_bytes;
static void *volatile first;

/* Of this node: calls of the C library are node 0's. */
static size_t read_maps(char *to, size_t room)
{
    size_t have = 0;
    ssize_t got;
    int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY);
    while ((got = syscall(SYS_read, fd, to + have, room - have)) > 0)
        have += (size_t)got;
    syscall(SYS_close, fd);
    return have;
}

/* Before the job begins; memory of the C library is asked for here, too. */
__attribute__((constructor)) static void begin(void)
{
    maps_bytes = read_maps(maps, sizeof maps);
    first = malloc(100);
}

void library_write_maps(const char *path, int at_begin)
{
    static char now[16 * MAPS_MOST];
    size_t bytes = at_begin ? maps_bytes : read_maps(now, sizeof now);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (write(fd, at_begin ? maps : now, bytes) != (ssize_t)bytes)
        perror(path);
    close(fd);
}

char *library_copy(const char *text)
{
    return strdup(text);
}

static void *allocate(void *bytes)
{
    return calloc(1, (size_t)bytes);
}

char *library_block(size_t bytes)
{
    pthread_t thread;
    void *block = NULL;
    if (pthread_create(&thread, NULL, allocate, (void *)bytes) == 0)
        pthread_join(thread, &block);
    return block;
}

static void *stay(void *arg)
{
    *(void *volatile *)arg = &arg;
    for (;;)
        pause();
    return NULL;
}

/* Something on the stack of a thread that stays. */
void *library_thread(void)
{
    static void *volatile where;
    pthread_t thread;
    where = NULL;
    if (pthread_create(&thread, NULL, stay, (void *)&where) != 0)
        return NULL;
    while (!where)
        usleep(1000);
    return where;
}

/* One of each kind, so that nodes which all do this have as much. */
void library_allocate(const char *file)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, fd = open(file, O_RDONLY);
    (void)library_thread();
    for (size_t bytes = 16; bytes <= (size_t)8 << 20; bytes *= 2)
        memset(library_block(bytes), 1, bytes);
    void *pages = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, flags, -1, 0);
    void *low = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, flags | MAP_32BIT, -1, 0);
    void *contents = mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE, fd, 0);
    void *shared = mmap(NULL, 1 << 20, PROT_READ, MAP_SHARED, fd, 0);
    void *end = sbrk(1 << 20);
    void *loaded = dlopen("libanl.so.1", RTLD_NOW);
    void *huge = mmap(NULL, (size_t)5 << 40, PROT_READ | PROT_WRITE, flags, -1, 0);
    (void)pages, (void)low, (void)contents, (void)shared, (void)end, (void)loaded, (void)huge;
    close(fd);
}
