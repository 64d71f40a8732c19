/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * unchanged.c - for unchanged.sh: pages that stay unchanged for some checkpoints, and are then
 * changed, each group in another way. Two nodes.
 *
 *     unchanged STEPS [kill=STEP] [behind=STEP]
 *
 * kill: node 1 kills itself after the checkpoint of that step, unless the job was restored; behind:
 * before the checkpoint of that step a page is changed through the library's own mapping of it, and
 * restored afterwards: a checkpoint that saves it reads unchanged pages.
 *
 * All values are checked after each checkpoint.
 */
#include <hlrc.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum way { STORE, STORE_SHARED, STORE_AWAY, WORD, WORD_AWAY, PUT, PUT_AWAY, AGAIN, WAYS };

#define WORDS  512 /* of a page */
#define PAGES  16
#define NOISE  256 /* pages that stay: a checkpoint of the others does not become a full one */
#define PERIOD 4
#define HOME   0 /* of all pages */

struct root {
    uint64_t *group[WAYS];
    uint64_t *noise;
};

static struct root *root;
static int me;
static int64_t step;

static void expect(bool right, const char *what, int64_t number)
{
    if (right)
        return;
    printf("step %" PRId64 ": node %d: %s %" PRId64 " is wrong\n", step, me, what, number);
    fflush(stdout);
    _exit(3);
}

static int64_t option_step(int argc, char **argv, const char *name)
{
    for (int i = 2; i < argc; i++)
        if (strncmp(argv[i], name, strlen(name)) == 0)
            return atoll(argv[i] + strlen(name));
    return -1;
}

static uint64_t mix(uint64_t a)
{
    a *= UINT64_C(0x9e3779b97f4a7c15);
    return a ^ a >> 31;
}

/* ---- a step ---- */

static bool is_changed_in(int64_t at)
{
    return at % PERIOD == 1;
}

/* The first change of WORD is a store, after which the home's pages are unshared. */
static void change(enum way way, uint64_t *word)
{
    static const uint64_t one = 1;
    uint64_t next = *word + 1;
    if ((way == WORD && step > PERIOD) || way == WORD_AWAY)
        expect(hlrc_word_fetch(hlrc_word_shared(word), HLRC_UINT64, HLRC_SUM, &one, NULL,
                               HLRC_RELAXED) == 0,
               "a word of group", way);
    else if (way == PUT || way == PUT_AWAY)
        hlrc_put(word, &next, sizeof next, HLRC_HOMES);
    else
        *word = next;
}

static int node_of(enum way way)
{
    return way == STORE_AWAY || way == WORD_AWAY || way == PUT_AWAY ? 1 - HOME : HOME;
}

/* Freed, and allocated again without a store. */
static void allocate_again(void)
{
    uint64_t *group = root->group[AGAIN];
    hlrc_barrier();
    hlrc_free_all(group);
    group = hlrc_malloc_all(PAGES * 4096);
    expect(group, "the allocation of group", AGAIN);
    if (me == HOME)
        root->group[AGAIN] = group;
}

static void change_all(void)
{
    for (enum way way = STORE; way < AGAIN; way++)
        for (int page = 0; me == node_of(way) && page < PAGES; page++)
            change(way, &root->group[way][page * WORDS + page]);
    if (step > PERIOD)
        allocate_again();
}

/* ---- checks ---- */

static int64_t changes_before(int64_t at)
{
    int64_t n = 0;
    for (int64_t s = 0; s < at; s++)
        n += is_changed_in(s);
    return n;
}

static uint64_t wanted(enum way way, int64_t at)
{
    if (way == AGAIN)
        return at <= PERIOD + 1 ? 100 : 0;
    return 100 + (uint64_t)changes_before(at);
}

static void check_all(void)
{
    for (enum way way = STORE; way < WAYS; way++)
        for (int page = 0; (me == HOME || way == STORE_SHARED) && page < PAGES; page++)
            expect(root->group[way][page * WORDS + page] == wanted(way, step), "group", way);
    for (int i = 0; me == HOME && i < NOISE * WORDS; i++)
        expect(root->noise[i] == mix((uint64_t)i), "noise", i);
}

/* ---- behind the library's back ---- */

struct mapping {
    unsigned long begin, end, offset, inode;
    char prot[8];
};

static bool next_mapping(FILE *maps, struct mapping *m)
{
    char line[4096];
    return fgets(line, sizeof line, maps) && sscanf(line, "%lx-%lx %7s %lx %*s %lu", &m->begin,
                                                    &m->end, m->prot, &m->offset, &m->inode) == 5;
}

/* Another mapping of the same byte, which may be written; NULL: there is none. */
static uint64_t *other_view(const uint64_t *at)
{
    struct mapping m, here = { .inode = 0 };
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && next_mapping(maps, &m))
        if (m.begin <= (uintptr_t)at && (uintptr_t)at < m.end)
            here = m;
    unsigned long offset = here.offset + ((uintptr_t)at - here.begin);
    uint64_t *other = NULL;
    if (maps)
        rewind(maps);
    while (maps && !other && next_mapping(maps, &m))
        if (here.inode && m.inode == here.inode && m.begin != here.begin && m.prot[1] == 'w' &&
            m.offset <= offset && offset - m.offset < m.end - m.begin)
            other = (void *)(m.begin + (offset - m.offset));
    if (maps)
        fclose(maps);
    return other;
}

static void add_behind(uint64_t n)
{
    for (int way = STORE; me == HOME && way <= STORE_SHARED; way++) {
        uint64_t *word = other_view(&root->group[way][WORDS - 1]);
        expect(word, "the other view of group", way);
        *word += n;
    }
}

/* ---- start and end ---- */

static void prepare(void)
{
    struct root *first = hlrc_malloc_all(sizeof *first);
    for (enum way way = STORE; way < WAYS; way++) {
        uint64_t *group = hlrc_malloc_all(PAGES * 4096);
        expect(group && hlrc_place(group, PAGES * 4096, HOME) == 0, "the start of group", way);
        for (int page = 0; me == HOME && page < PAGES; page++)
            group[page * WORDS + page] = 100;
        if (me == HOME)
            first->group[way] = group;
    }
    uint64_t *noise = hlrc_malloc_all(NOISE * 4096);
    for (int i = 0; me == HOME && i < NOISE * WORDS; i++)
        noise[i] = mix((uint64_t)i);
    if (me == HOME)
        first->noise = noise;
    hlrc_barrier();
    root = first;
}

int main(int argc, char **argv)
{
    int64_t steps = argc > 1 ? atoll(argv[1]) : 10, kill_at = option_step(argc, argv, "kill="),
            behind = option_step(argc, argv, "behind=");
    bool restored = false;
    if (hlrc_init(&argc, &argv) != 0)
        return 1;
    me = hlrc_node_id();
    prepare();
    expect(hlrc_protect(&step, sizeof step) == 0 && hlrc_protect(&root, sizeof root) == 0, "rc", 0);
    for (; step < steps; step++) {
        if (step == behind)
            add_behind(1);
        int rc = hlrc_checkpoint();
        expect(rc >= 0, "the result", rc);
        restored |= rc == 1;
        if (step == behind)
            add_behind(UINT64_MAX);
        if (step == kill_at && !restored && me == 1)
            kill(getpid(), SIGKILL);
        check_all();
        hlrc_barrier();
        if (is_changed_in(step))
            change_all();
        hlrc_barrier();
    }
    if (me == 0)
        printf("%s, right\n", restored ? "restored" : "not restored");
    hlrc_finalize();
    return 0;
}
