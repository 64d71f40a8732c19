/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * saved.c - for checkpoint.sh: steps whose result does not depend on the number of nodes, with a
 * checkpoint at the beginning of each.
 *
 *     saved STEPS [any] [window] [share] [kill=STEP] [hold=STEP] [slow] [wait=STEP,STEP...]
 *           [die=STEP] [leave=STEP] [lose=NODES,NODES...] [block=STEP] [full=STEP]
 *           [private] [large] [tight]
 *
 * any: hlrc_checkpoint_any; window: a window as well; share: a static array as well; kill: node 1
 * kills itself after the checkpoint of that step, unless the job was restored; hold: a lock is held
 * in the checkpoint of that step; wait: sleeps until it is killed or signalled; die: as kill, also
 * if the job was restored; leave: node 1 ends there with status 3.
 *
 * With --partner, by the last node: lose: at the step of kill the memory of these nodes, as bits,
 * is removed, at each death that of the next item; block: the node is killed while it waits for the
 * copy of that step's checkpoint; full: there is no room for the copy. private: each node's file
 * has more pieces than a transfer has slots. large: the last node has much more to save than
 * others. tight: that one has little room in its address space during a checkpoint.
 *
 * Prints "restored STEP", "failed STEP ERRNO", and at the end all values.
 */
#include <errno.h>
#include <fcntl.h>
#include <hlrc.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PAGES   96
#define WORDS   (PAGES * 512)
#define SLOTS   48
#define PLACES  1024
#define LOCKS   64
#define WINDOWS 64

struct block {
    uint64_t size, seed;
    unsigned char *at;
};

struct root {
    uint64_t *grid;
    struct block slot[SLOTS];
    hlrc_lock_t lock[LOCKS];
    uint64_t locks, sum, turns, reset;
    hlrc_atomic_t word;
    hlrc_cond_t cond;
    uint64_t *lent; /* freed and allocated by all nodes together */
    /* pages that are zero in every other step, and one that only the start makes different */
    uint64_t *blink;
};

static uint64_t field[PLACES] __attribute__((aligned(4096)));
static struct root *root;
static uint64_t *part; /* of the window */
static int me, nodes;
static int64_t step;

#define expect(cond)                                                                 \
    do {                                                                             \
        if (!(cond)) {                                                               \
            printf("step %lld: node %d: %s is wrong\n", (long long)step, me, #cond); \
            fflush(stdout);                                                          \
            _exit(3);                                                                \
        }                                                                            \
    } while (0)

static const char *option(int argc, char **argv, const char *name)
{
    for (int i = 2; i < argc; i++)
        if (strncmp(argv[i], name, strlen(name)) == 0)
            return argv[i] + strlen(name);
    return NULL;
}

static int64_t option_step(int argc, char **argv, const char *name)
{
    const char *value = option(argc, argv, name);
    return value ? atoll(value) : -1;
}

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t x = a * UINT64_C(0x9e3779b97f4a7c15) ^ b * UINT64_C(0xbf58476d1ce4e5b9);
    return (x ^ x >> 29) * UINT64_C(0x94d049bb133111eb) ^ x >> 31;
}

/* ---- the work of a step ---- */

/* Each word by another node in each step; a part becomes zero again. */
static void step_grid(void)
{
    uint64_t rows = 8, row = (uint64_t)step % rows;
    for (uint64_t p = row; p < PAGES; p += rows)
        for (uint64_t w = (uint64_t)me; w < 512; w += (uint64_t)nodes)
            root->grid[p * 512 + w] =
                step % 3 == 2 ? 0 : root->grid[p * 512 + w] + mix((uint64_t)step, p * 512 + w);
}

static bool right(const struct block *b)
{
    for (uint64_t i = 0; i < b->size; i++)
        if (b->at[i] != (unsigned char)(b->seed + i))
            return false;
    return true;
}

/* Blocks are freed by other nodes than those which allocated them. */
static void step_blocks(void)
{
    for (int i = 0; i < SLOTS; i++) {
        struct block *b = &root->slot[i];
        if ((i + step) % nodes != me || (i + step) % 5 == 0)
            continue;
        if (b->at) {
            expect(right(b));
            hlrc_free(b->at);
        }
        b->seed = mix((uint64_t)step, (uint64_t)i);
        b->size = (i + step) % 11 == 0 ? 9000 : 16 + b->seed % 700;
        b->at = hlrc_malloc(b->size);
        expect(b->at);
        for (uint64_t k = 0; k < b->size; k++)
            b->at[k] = (unsigned char)(b->seed + k);
    }
}

static void step_locks(void)
{
    if (me == step % nodes && root->locks < LOCKS) {
        hlrc_lock_t *lock = &root->lock[root->locks++];
        expect(hlrc_lock_create(lock) == 0);
        for (uint64_t i = 0; i + 1 < root->locks; i++)
            expect(root->lock[i] != *lock);
    }
    hlrc_barrier();
    hlrc_lock(root->lock[root->locks / 2]);
    if (me == 0) /* the same sum with any number of nodes */
        root->sum += mix((uint64_t)step, 5);
    hlrc_unlock(root->lock[root->locks / 2]);
    if (me == nodes - 1)
        (void)hlrc_atomic_fetch_add(root->word, mix((uint64_t)step, 7));
}

/* Node 0 waits for the last node's turn. */
static void step_cond(void)
{
    hlrc_lock(0);
    if (me == nodes - 1) {
        root->turns++;
        hlrc_cond_broadcast(root->cond);
    }
    while (me == 0 && root->turns <= (uint64_t)step)
        hlrc_cond_wait(root->cond, 0);
    hlrc_unlock(0);
}

static void step_lent(void)
{
    if (step % 4 != 3)
        return;
    hlrc_free_all(root->lent);
    uint64_t *lent = hlrc_malloc_all(5 * 4096);
    expect(lent && lent[512] == 0);
    if (me == 0)
        root->lent = lent;
    hlrc_barrier();
    if (me == (step + 1) % nodes)
        lent[512] = (uint64_t)step;
}

static void step_blink(void)
{
    for (uint64_t i = 0; me == 0 && i < 2 * 512; i++)
        root->blink[i] = (step + (int64_t)i / 512) % 2 ? i + 1 : 0;
    if (me == 0 && step == 0)
        memset(root->blink + 2 * 512, 0, 4096);
}

static void step_window(void)
{
    uint64_t value = mix((uint64_t)step, (uint64_t)me);
    if (!part)
        return;
    hlrc_put(part + step % WINDOWS, &value, sizeof value, (me + 1) % nodes);
    hlrc_barrier();
    expect(part[step % WINDOWS] == mix((uint64_t)step, (uint64_t)((me + nodes - 1) % nodes)));
    for (int64_t s = step > WINDOWS ? step - WINDOWS + 1 : 0; s < step; s++)
        expect(part[s % WINDOWS] == mix((uint64_t)s, (uint64_t)((me + nodes - 1) % nodes)));
}

static void step_field(bool shared)
{
    if (!shared)
        return;
    for (int i = me; i < PLACES / 2; i += nodes)
        field[i] = (step & 1) ? 0 : field[i] + mix((uint64_t)step, (uint64_t)i);
}

/* ---- with --partner ---- */

static void memory_path(char path[4096], int64_t node, const char *name)
{
    snprintf(path, 4096, "%s/%lld/%s", getenv("HLRC_PARTNER"), (long long)node, name);
}

/* As many deaths as there are items. */
static void lose(const char *items)
{
    for (int death = 0; items; death++) {
        char name[4096], command[4200];
        snprintf(name, sizeof name, "death.%d", death);
        int fd = open(name, O_CREAT | O_EXCL, 0600);
        for (int node = 0; fd >= 0 && node < nodes; node++)
            if (atoi(items) >> node & 1) {
                memory_path(name, node, "");
                snprintf(command, sizeof command, "rm -r %s", name);
                expect(system(command) == 0);
            }
        if (fd >= 0)
            kill(getpid(), SIGKILL);
        items = strchr(items, ',');
        items += items != NULL;
    }
}

static uint64_t noise[300000]; /* is not compressed */

static void noise_make(void)
{
    for (uint64_t i = 0; i < sizeof noise / sizeof *noise; i++)
        noise[i] = mix(i, (uint64_t)me);
}

static void noise_check(void)
{
    for (uint64_t i = 0; i < sizeof noise / sizeof *noise; i++)
        expect(noise[i] == mix(i, (uint64_t)me));
}

static char copy_path[4096]; /* of the file of the node before this one */

static void copy_name(void)
{
    char name[64];
    snprintf(name, sizeof name, "%lld.node.%d", (long long)step + 1, (me + nodes - 1) % nodes);
    memory_path(copy_path, me, name);
}

static void blocked(int sig)
{
    (void)sig;
    unlink(copy_path);
    kill(getpid(), SIGKILL);
}

/* Before a checkpoint. */
static void copy_obstruct(int64_t block, int64_t full)
{
    if (me != nodes - 1 || (step != block && step != full))
        return;
    copy_name();
    if (step == full) {
        expect(symlink("/dev/full", copy_path) == 0);
    } else if (open("blocked", O_CREAT | O_EXCL, 0600) >= 0) {
        expect(mkfifo(copy_path, 0600) == 0);
        sigaction(SIGALRM, &(struct sigaction){ .sa_handler = blocked }, NULL);
        alarm(1);
    }
}

/* ---- start and end ---- */

static void prepare(void)
{
    struct root *first = hlrc_malloc_all(sizeof *first);
    uint64_t *grid = hlrc_malloc_all(WORDS * sizeof *grid);
    uint64_t *lent = hlrc_malloc_all(3 * 4096);
    uint64_t *blink = hlrc_malloc_all(3 * 4096);
    expect(first && grid && lent && blink);
    if (me == 0) {
        memset(first, 0, sizeof *first);
        first->grid = grid;
        first->lent = lent;
        first->blink = blink;
        memset(blink + 2 * 512, 1, 4096);
        expect(hlrc_atomic_create(&first->word, 11) == 0 && hlrc_cond_create(&first->cond) == 0);
    }
    hlrc_barrier();
    root = first;
    for (int i = 0; i < 40; i++) /* blocks that only this process has */
        memset(hlrc_malloc(100), 255, 100);
}

/* "4,9": one of these steps. */
static bool is_step(const char *list)
{
    for (; list; list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL)
        if (atoll(list) == step)
            return true;
    return false;
}

static char *large; /* NULL: none */

static void large_make(void)
{
    size_t size = me == nodes - 1 ? (size_t)64 << 20 : 8;
    large = malloc(size);
    expect(large);
    memset(large, 1, size);
    expect(hlrc_protect(large, size) == 0);
}

static void tighten(bool tight)
{
    struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
    FILE *in = tight ? fopen("/proc/self/statm", "re") : NULL;
    unsigned long pages = 0;
    if (in) {
        expect(fscanf(in, "%lu", &pages) == 1);
        fclose(in);
        limit.rlim_cur = (pages << 12) + ((rlim_t)24 << 20);
    }
    expect(setrlimit(RLIMIT_AS, &limit) == 0);
}

static void finish(bool shared)
{
    uint64_t grid = 0, blocks = 0, array = 0;
    hlrc_barrier();
    for (uint64_t i = 0; i < WORDS; i++)
        grid = mix(grid, root->grid[i]);
    for (uint64_t i = 0; i < 3 * 512; i++)
        grid = mix(grid, root->blink[i]);
    for (int i = 0; i < SLOTS; i++) {
        expect(!root->slot[i].at || right(&root->slot[i]));
        blocks = mix(blocks, root->slot[i].seed + root->slot[i].size);
    }
    for (int i = 0; shared && i < PLACES; i++)
        array = mix(array, field[i]);
    if (me == 0)
        printf("grid %llx blocks %llx sum %llx word %llx turns %llu lent %llu array %llx\n",
               (unsigned long long)grid, (unsigned long long)blocks, (unsigned long long)root->sum,
               (unsigned long long)hlrc_atomic_load(root->word), (unsigned long long)root->turns,
               (unsigned long long)root->lent[512], (unsigned long long)array);
    hlrc_barrier();
}

static void checkpoint(bool any, int64_t hold, bool *restored)
{
    int64_t before = step;
    if (step == hold && me == 0)
        hlrc_lock(7);
    int rc = any ? hlrc_checkpoint_any() : hlrc_checkpoint();
    if (before == hold && me == 0)
        hlrc_unlock(7);
    if (me == 0 && rc == 1)
        printf("restored %lld\n", (long long)step);
    if (me == 0 && rc < 0)
        printf("failed %lld %s\n", (long long)step, strerror(-rc));
    fflush(stdout);
    *restored |= rc == 1;
}

int main(int argc, char **argv)
{
    int64_t steps = argc > 1 ? atoll(argv[1]) : 10, kill_at = option_step(argc, argv, "kill="),
            hold = option_step(argc, argv, "hold="), die = option_step(argc, argv, "die="),
            leave = option_step(argc, argv, "leave="), block = option_step(argc, argv, "block="),
            full = option_step(argc, argv, "full=");
    const char *losses = option(argc, argv, "lose="), *waits = option(argc, argv, "wait=");
    bool any = option(argc, argv, "any"), shared = option(argc, argv, "share"),
         private = option(argc, argv, "private"), slow = option(argc, argv, "slow"),
         tight = option(argc, argv, "tight"), restored = false;
    for (int i = 0; i < PLACES; i++)
        field[i] = (uint64_t)i;
    if ((shared && hlrc_share(field, sizeof field) != 0) || hlrc_init(&argc, &argv) != 0)
        return 1;
    me = hlrc_node_id();
    nodes = hlrc_node_count();
    if (option(argc, argv, "window"))
        part = hlrc_window_create(WINDOWS * sizeof *part);
    prepare();
    expect(hlrc_protect(&step, sizeof step) == 0 && hlrc_protect(&root, sizeof root) == 0);
    expect(hlrc_protect(root, 8) == -EINVAL);
    if (private)
        expect(hlrc_protect(noise, sizeof noise) == 0);
    if (option(argc, argv, "large"))
        large_make();
    for (; step < steps; step++) {
        if (private && step == 0)
            noise_make();
        copy_obstruct(block, full);
        if (slow)
            nanosleep(&(struct timespec){ 0, 20000000 }, NULL);
        if (tight && me == nodes - 1)
            tighten(true);
        checkpoint(any, hold, &restored);
        if (tight)
            tighten(false);
        if (losses && step == kill_at && me == nodes - 1)
            lose(losses);
        if (!losses && ((step == kill_at && !restored) || step == die) && me == nodes - 1)
            kill(getpid(), SIGKILL);
        if (step == leave && me == nodes - 1)
            _exit(3);
        if (is_step(waits) && !restored) {
            printf("waits\n");
            fflush(stdout);
            nanosleep(&(struct timespec){ 60, 0 }, NULL);
        }
        step_grid();
        step_blocks();
        step_locks();
        step_cond();
        step_lent();
        step_blink();
        step_window();
        step_field(shared);
        hlrc_barrier();
    }
    if (private)
        noise_check();
    finish(shared);
    hlrc_finalize();
    free(large);
    return 0;
}
