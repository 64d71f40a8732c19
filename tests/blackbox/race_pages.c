/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Races on many pages in one interval, for race_pages.sh:
 *
 *   race_pages MEMORY ACCESS SEED HOMES
 *     MEMORY  heap, the last pages of the largest block that can be had, or variable, of hlrc_share
 *     ACCESS  write, or read: node 0 reads and the others write
 *     HOMES   a node, which becomes the home of all pages before, all: each of some, or none. With
 *             homes, each node writes all pages before, one after the other with four barriers
 *             between: the records of those writes are dropped and used again.
 *
 * All nodes draw the same plan from the seed: ranges of bytes that each node accesses between the
 * same two barriers, some across pages. No byte is accessed by three nodes. Node 0 prints what has
 * to be reported, from the plan alone: for each page and each two nodes the first run of bytes that
 * both access, one of them by a write: "offset bytes node node".
 */
#include <hlrc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE  4096
#define PAGES 24
#define BYTES (PAGES * PAGE)
#define NODES 3
#define DRAWN 14 /* ranges of a node */

static char variable[BYTES] __attribute__((aligned(PAGE)));
static unsigned char plan[BYTES]; /* a bit for each node */
static uint32_t seed;
static int me, reads;
static volatile int sum;

static unsigned draw(unsigned below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

/* ---- the plan ---- */

static int has_two(unsigned char nodes)
{
    return (nodes & (nodes - 1)) != 0;
}

/* False: a byte has two nodes already. */
static int plan_range(int node, unsigned at, unsigned len)
{
    for (unsigned i = at; i < at + len; i++)
        if (has_two(plan[i]) && !(plan[i] >> node & 1))
            return 0;
    for (unsigned i = at; i < at + len; i++)
        plan[i] |= (unsigned char)(1 << node);
    return 1;
}

static void plan_draw(void)
{
    static const unsigned lengths[] = { 1, 2, 8, 63, 64, 65, 1000, PAGE, PAGE + 1, 3 * PAGE };
    plan_range(0, 2 * PAGE - 4, 8); /* across pages, */
    plan_range(1, 2 * PAGE - 4, 8);
    plan_range(1, BYTES - 1, 1); /* the last byte of all */
    plan_range(2, BYTES - 1, 1);
    plan_range(2, 5 * PAGE - 1, 1); /* side by side */
    plan_range(0, 5 * PAGE, 1);
    for (int i = 0; i < DRAWN; i++)
        for (int node = 0; node < NODES; node++) {
            unsigned len = lengths[draw(sizeof lengths / sizeof *lengths)];
            unsigned at = draw(BYTES - len + 1);
            if (draw(3) == 0) /* ends or begins with a page */
                at = at / PAGE * PAGE + (draw(2) || at % PAGE < len ? 0 : PAGE - len % PAGE);
            if (at + len <= BYTES)
                plan_range(node, at, len);
        }
}

static int both(unsigned i, int a, int b)
{
    return (plan[i] >> a & 1) && (plan[i] >> b & 1);
}

static void plan_print(void)
{
    for (int a = 0; a < NODES; a++)
        for (int b = a + 1; b < NODES; b++)
            for (unsigned page = 0; page < BYTES; page += PAGE) {
                unsigned at = page, len = 0;
                while (at < page + PAGE && !both(at, a, b))
                    at++;
                while (at + len < page + PAGE && both(at + len, a, b))
                    len++;
                if (len > 0)
                    printf("%u %u %d %d\n", at, len, a, b);
            }
}

/* ---- the accesses ---- */

/* In an order of each node's own; reads by ranges, as the compiler's calls make them. */
static void perform(volatile char *memory)
{
    int forth = me != 1;
    for (unsigned k = 0, len; k < BYTES; k += len) {
        unsigned i = forth ? k : BYTES - 1 - k;
        len = 1;
        if (!(plan[i] >> me & 1))
            continue;
        if (me > 0 || !reads) {
            memory[i] = (char)(me + 1);
            continue;
        }
        while (i + len < BYTES && plan[i + len] >> me & 1)
            len++;
        hlrc_note_read((const char *)memory + i, len, NULL);
        for (unsigned j = i; j < i + len; j++)
            sum += memory[j];
    }
}

static void give_homes(volatile char *memory, const char *homes)
{
    for (unsigned page = 0; page < PAGES; page++) {
        int home = strcmp(homes, "all") == 0    ? (int)(page % NODES)
                   : strcmp(homes, "none") == 0 ? -1
                                                : atoi(homes);
        if (home == me)
            memory[page * PAGE + 1] = 77;
    }
    hlrc_barrier();
    for (int turn = 0; turn < 4 * NODES && strcmp(homes, "none") != 0; turn++) {
        for (unsigned i = 0; i < BYTES && turn == 4 * me; i++)
            memory[i] = (char)(turn + 50);
        hlrc_barrier();
    }
}

static char *largest_block(void)
{
    char *block = NULL;
    size_t size = (size_t)1 << 20;
    while (size >= BYTES && !(block = hlrc_malloc_all(size)))
        size -= PAGE;
    if (!block)
        return NULL;
    if (me == 0)
        printf("from %zu\n", size - BYTES);
    return block + size - BYTES;
}

int main(int argc, char **argv)
{
    if (argc < 5)
        return 2;
    int heap = strcmp(argv[1], "heap") == 0;
    reads = strcmp(argv[2], "read") == 0;
    seed = (uint32_t)atoi(argv[3]);
    if (!heap && hlrc_share(variable, sizeof variable) != 0)
        return 1;
    if (hlrc_init(&argc, &argv) != 0)
        return 1;
    me = hlrc_node_id();
    char *memory = heap ? largest_block() : variable;
    if (!memory)
        return 1;
    if (me == 0 && !heap)
        printf("from 0\n");
    plan_draw();
    give_homes(memory, argv[4]);
    if (me == 0)
        plan_print();
    perform(memory);
    hlrc_barrier();
    hlrc_finalize();
    return 0;
}
