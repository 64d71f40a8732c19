/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * [addresses.reserved], of a process that is parted before its libraries are initialised, as a
 * program of hlrcc is: what the system maps lies in the node's slice, or the call fails. The slice
 * is that of the last of 1,024 nodes, so it has 4 GiB.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/addresses.h"

#define NODES     1024
#define SLICE     ((size_t)4 << 30)
#define SLICE_AT  (ADDRESSES_SLICES + (NODES - 1) * SLICE)
#define OWN_AT    ((uintptr_t)0x580000000000)
#define OWN_END   ((uintptr_t)0x7e0000000000)
#define ANONYMOUS (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)

#define CHECK(is) check(is, #is, __LINE__)

static int parted = -EINVAL, failed;

static void check(bool is, const char *what, int line)
{
    if (!is)
        printf("line %d: not so: %s (errno %d)\n", line, what, errno);
    failed += !is;
}

static void *volatile first; /* what was allocated before */

static void part_early(int argc)
{
    if (argc > 1)
        first = malloc(100);
    parted = hlrc_addresses_part(NODES - 1, NODES);
}
__attribute__((section(".preinit_array"), used)) static void (*const begin)(int) = part_early;

static bool in_slice(const void *p)
{
    return (uintptr_t)p >= SLICE_AT && (uintptr_t)p < SLICE_AT + SLICE;
}

static void *map_any(size_t bytes)
{
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, ANONYMOUS, -1, 0);
}

static void *show_stack(void *arg)
{
    *(void **)arg = &arg;
    return NULL;
}

/* [addresses.reserved] */
static void check_system(void)
{
    pthread_t thread;
    void *small = map_any(4096), *stack = NULL, *block = malloc(64), *large = malloc(1 << 20);
    CHECK(in_slice(small));
    CHECK(in_slice(block));
    CHECK(in_slice(large));
    CHECK(sbrk(4096) == (void *)-1);
    CHECK(map_any(SLICE) == MAP_FAILED && errno == ENOMEM);
    CHECK(mmap((void *)0x200000000000, 4096, PROT_READ, ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) ==
          MAP_FAILED);
    CHECK(in_slice(mmap((void *)0x200000000000, 4096, PROT_READ, ANONYMOUS, -1, 0)));
    CHECK(pthread_create(&thread, NULL, show_stack, &stack) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(in_slice(stack));
    free(block);
    free(large);
}

/* What is unmapped is not free for the system. */
static void check_own(void)
{
    char *table = addresses_map((size_t)8 << 30, PROT_READ | PROT_WRITE, ANONYMOUS, -1);
    CHECK((uintptr_t)table >= OWN_AT && (uintptr_t)table < OWN_END);
    table[1] = 1;
    char *next = addresses_map(4096, PROT_READ | PROT_WRITE, ANONYMOUS, -1);
    CHECK((uintptr_t)next >= (uintptr_t)table + ((size_t)8 << 30) && (uintptr_t)next < OWN_END);
    addresses_unmap(next, 4096);
    addresses_unmap(table, (size_t)8 << 30);
    CHECK(map_any((size_t)5 << 30) == MAP_FAILED);
    CHECK(addresses_map(4096, PROT_READ, ANONYMOUS, -1) == table);
    CHECK(addresses_map((size_t)60 << 40, PROT_NONE, ANONYMOUS, -1) == MAP_FAILED);
    CHECK(strstr(addresses_remedy((size_t)60 << 40), "no address space left"));
    CHECK(strstr(addresses_remedy(4096), "vm.max_map_count"));
}

static void check_fixed(void)
{
    char *at = (char *)ADDRESSES_STACKS;
    CHECK(hlrc_addresses_map_at(at, 8192, PROT_READ | PROT_WRITE, ANONYMOUS, -1) == at);
    at[8191] = 1;
    addresses_unmap(at, 8192);
    CHECK(mmap(at, 4096, PROT_READ, ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED);
    CHECK(addresses_claim((void *)0x300000000000, (size_t)1 << 40));
    CHECK(!addresses_claim((void *)0x480000000000, (size_t)9 << 40)); /* ends in the slices */
}

static void check_nodes(void)
{
    CHECK(addresses_node(SLICE_AT) == NODES - 1);
    CHECK(addresses_node(SLICE_AT - 1) == NODES - 2);
    CHECK(addresses_node(ADDRESSES_SLICES) == 0);
    CHECK(addresses_node(ADDRESSES_SLICES - 1) == -1);
    CHECK(addresses_node(SLICE_AT + SLICE) == -1);
}

/* The first stack grows by a mebibyte at least, and as far as its limit afterwards. */
static int deep(int levels)
{
    volatile char frame[65536];
    frame[0] = frame[65535] = (char)levels;
    return levels ? deep(levels - 1) + frame[0] : frame[65535];
}

/* Where something has allocated before, as in this program with an argument, it is refused. */
static void check_late(void)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "addresses", "late", (char *)NULL);
        _exit(99);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        return parted != -EBUSY;
    if (parted == -EEXIST || parted == -ENOTSUP) {
        puts("SKIP: another processor, or something lies where HLRC does, as a sanitizer");
        return 77;
    }
    CHECK(parted == 0);
    if (parted == 0) {
        check_system();
        check_own();
        check_fixed();
        check_nodes();
        check_late();
        CHECK(deep(12) >= 0);
        hlrc_addresses_release_stack();
        CHECK(deep(60) >= 0);
    }
    printf("%d failures\n", failed);
    return failed > 0;
}
