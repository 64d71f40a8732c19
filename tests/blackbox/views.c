/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Black box: every node has its own memory, at the same address; and a reader that has not acquired
 * still sees the old value after the writer's release. Neither holds where processes just map one
 * object. No view of that memory is in a core dump.
 */
#include "tests/litmus/litmus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

LITMUS("views of memory", 2, 3)

#define SPACE (1ul << 24)

LITMUS_SET(MEMORY, "16M")
LITMUS_SET(HOT_PAGES, "0") /* what is not written is not announced: [page.equal-twin] */

/* The inode of the object that is mapped at an address, and its protection ("rw-s"). */
static unsigned long inode_at(const volatile void *address, char prot[5])
{
    char line[512];
    unsigned long first, end, offset, inode, found = 0;
    FILE *f = fopen("/proc/self/maps", "re");
    expect(f != NULL, "/proc/self/maps");
    while (fgets(line, sizeof line, f)) {
        char p[5];
        if (sscanf(line, "%lx-%lx %4s %lx %*s %lu", &first, &end, p, &offset, &inode) == 5 &&
            first <= (unsigned long)(uintptr_t)address && (unsigned long)(uintptr_t)address < end) {
            memcpy(prot, p, 5);
            found = inode;
        }
    }
    fclose(f);
    return found;
}

static void own_objects(volatile uint64_t *page, volatile uint64_t *inodes)
{
    char prot[5];
    uint64_t address = (uint64_t)(uintptr_t)page;
    expect(hlrc_broadcast(&address, sizeof address, 0) == 0, "hlrc_broadcast");
    expect_word((uint64_t)(uintptr_t)page, address, "the address of shared memory");
    inodes[me] = inode_at(page, prot);
    expect(inodes[me] != 0, "no object is mapped at %p", (void *)(uintptr_t)page);
    hlrc_barrier();
    for (int n = 0; n < nodes; n++)
        expect(n == me || inodes[n] != inodes[me],
               "nodes %d and %d have the same object, inode %ju", me, n, (uintmax_t)inodes[n]);
    hlrc_barrier();
}

/* The protection of the application's view is the state of the page. */
static void protection(volatile uint64_t *page)
{
    char prot[5];
    if (me == 0)
        page[0] = 1;
    inode_at(page, prot);
    expect(me != 0 || strncmp(prot, "rw", 2) == 0, "a page just written has protection %s", prot);
    hlrc_barrier();
    inode_at(page, prot);
    expect(me == 0 || strncmp(prot, "--", 2) == 0,
           "a page that another node wrote has protection %s", prot);
    expect_word(page[0], 1, "the word");
    inode_at(page, prot);
    expect(me == 0 || strncmp(prot, "r-", 2) == 0, "a page just read has protection %s", prot);
    hlrc_barrier();
}

static void old_value(volatile uint64_t *page, uint64_t k)
{
    hlrc_atomic_t step = shared_atomic();
    if (me == 0)
        page[5] = 10 * k;
    hlrc_barrier();
    expect_word(page[5], 10 * k, "the value before");
    hlrc_barrier();
    if (me == 0) {
        post(9, &page[5], 10 * k + 1);
        hlrc_atomic_fetch_add(step, 1);
    } else {
        await_atomic(step, 1);
        sleep_ms(20);
        expect_word(page[5], 10 * k, "the value, seen by a node that has not acquired");
        hlrc_lock(9);
        expect_word(page[5], 10 * k + 1, "the value, seen by a node that has acquired");
        hlrc_unlock(9);
    }
    hlrc_barrier();
}

/* A mapping of the process, with its flags: "dd" is left out of core dumps, "dc" out of forked
 * children. */
static void one_mapping(unsigned long first, unsigned long end, const char *name, const char *flags,
                        int *windows, int *large)
{
    bool dumped = strstr(flags, " dd") == NULL;
    if (!strstr(name, "memfd:hlrc-window")) {
        *large += !dumped && end - first >= SPACE && name[0] == '\0'; /* twins */
        return;
    }
    expect(strstr(flags, " dc") != NULL, "a forked child gets the window at %lx", first);
    expect(!dumped, "the window at %lx is dumped: %s", first, flags);
    ++*windows;
}

static void dumps(void)
{
    char line[1024], name[256] = "";
    unsigned long first = 0, end = 0;
    int windows = 0, large = 0;
    FILE *f = fopen("/proc/self/smaps", "re");
    expect(f != NULL, "/proc/self/smaps");
    while (fgets(line, sizeof line, f)) {
        unsigned long from, to;
        if (sscanf(line, "%lx-%lx", &from, &to) == 2) {
            first = from;
            end = to;
            if (sscanf(line, "%*s %*s %*s %*s %*s %255s", name) != 1)
                name[0] = '\0';
        }
        if (strncmp(line, "VmFlags:", 8) == 0)
            one_mapping(first, end, name, line, &windows, &large);
    }
    fclose(f);
    expect(windows >= 3, "%d windows are mapped, the program's view among them", windows);
    expect(large >= 1, "no room for twins is left out of core dumps");
}

void litmus_run(void)
{
    volatile uint64_t *page = shared_words(PAGE_WORDS), *inodes = shared_words(PAGE_WORDS);
    if (me == 0)
        place(page, PAGE, 0);
    hlrc_barrier();
    own_objects(page, inodes);
    protection(page);
    dumps();
    for (uint64_t k = 1; k <= 3; k++)
        old_value(page, k);
}
