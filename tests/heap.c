/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The shared heap and the collectives, as a program of a user sees them. heap.sh starts it with
 * several numbers of nodes and protocols. Arguments: the name of a part, or nothing for most of
 * those that must succeed; how often the parts with random sizes go round. Exit status 0:
 * everything held.
 */
#include <hlrc.h>

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE 4096

static int me, nodes;
static unsigned char *block; /* of malloc_all: what the parts share */
#define SHARED_BYTES (64 * PAGE)

#define CHECK(e) ((e) ? (void)0 : failed(#e, __func__, __LINE__))

static void failed(const char *what, const char *where, int line)
{
    fprintf(stderr, "node %d: %s:%d: %s\n", me, where, line, what);
    _Exit(9);
}

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

struct rng {
    uint64_t state;
};

static uint64_t next(struct rng *r)
{
    return mix(r->state += UINT64_C(0x9e3779b97f4a7c15));
}

static bool zero(const void *p, size_t n)
{
    const unsigned char *b = p;
    return n == 0 || (b[0] == 0 && memcmp(b, b + 1, n - 1) == 0);
}

/* Bytes that are never 0, so that what was not zeroed shows. */
static unsigned char pattern(uint64_t seed, size_t i)
{
    return (unsigned char)(1 + (seed * 31 + i * 7 + (i >> 8)) % 255);
}

static void fill(unsigned char *p, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++)
        p[i] = pattern(seed, i);
}

static bool filled(const unsigned char *p, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] != pattern(seed, i))
            return false;
    return true;
}

/* Small sizes mostly, as programs do. */
static size_t some_size(struct rng *r, size_t most)
{
    uint64_t z = next(r);
    size_t limit = z % 8 == 0 ? most : z % 8 < 3 ? 4000 : 200;
    return 1 + next(r) % (limit < most ? limit : most);
}

static bool aligned(const void *p, size_t to)
{
    return (uintptr_t)p % to == 0;
}

/* ---- one node by itself ---- */

static void basics(void)
{
    hlrc_free(NULL);
    void *a = hlrc_malloc(0), *b = hlrc_malloc(0);
    CHECK(a && b && a != b);
    hlrc_free(a);
    hlrc_free(b);
    for (size_t size = 1; size < 200000; size += 1 + size / 9) {
        unsigned char *p = hlrc_malloc(size);
        CHECK(p && aligned(p, 16) && zero(p, size));
        memset(p, 0xff, size);
        hlrc_free(p);
        unsigned char *q = hlrc_malloc(size);
        CHECK(q && zero(q, size));
        memset(q, 0xff, size);
        hlrc_free(q);
        unsigned char *kept = hlrc_alloc_uninitialized(64, size);
        CHECK(kept && aligned(kept, 64));
        if (hlrc_node_count() == 1) /* else another node may have had the block since */
            CHECK(kept != q || (kept[0] == 0xff && kept[size - 1] == 0xff));
        hlrc_free(kept);
    }
    for (size_t align = 1; align <= 1 << 20; align *= 2) {
        void *p[3];
        for (int i = 0; i < 3; i++) {
            p[i] = hlrc_aligned_alloc(align, i == 0 ? 1 : i == 1 ? 100 : 9000);
            CHECK(p[i] && aligned(p[i], align));
        }
        for (int i = 0; i < 3; i++)
            hlrc_free(p[i]);
    }
    static const size_t bad[] = { 0, 3, 48, (size_t)1 << 31, (size_t)1 << 63, SIZE_MAX };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        errno = 0;
        CHECK(hlrc_aligned_alloc(bad[i], 64) == NULL && errno == EINVAL);
        errno = 0;
        CHECK(hlrc_alloc_uninitialized(bad[i], 64) == NULL && errno == EINVAL);
    }
    hlrc_barrier();
}

static void too_much(void)
{
    static const size_t sizes[] = { (size_t)1 << 40, SIZE_MAX, SIZE_MAX - 4000, (size_t)1 << 63 };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        errno = 0;
        CHECK(hlrc_malloc(sizes[i]) == NULL && errno == ENOMEM);
        errno = 0;
        CHECK(hlrc_malloc_all(sizes[i]) == NULL && errno == ENOMEM);
    }
    hlrc_barrier();
}

/* ---- exhaustion: all that fits, freed by this node or another one, and then as much again ---- */

struct chain {
    struct chain *next;
};

static size_t allocate_all(size_t size, struct chain **list)
{
    size_t count = 0;
    for (struct chain *c; (c = hlrc_malloc(size)) != NULL; count++) {
        CHECK(c->next == NULL);
        c->next = *list;
        *list = c;
    }
    CHECK(errno == ENOMEM);
    return count;
}

static void free_all(struct chain *c)
{
    while (c) {
        struct chain *after = c->next;
        memset(c, 0xee, sizeof *c);
        hlrc_free(c);
        c = after;
    }
}

static void exhaust(size_t size, int freer)
{
    struct chain *volatile *head = (void *)block;
    size_t before = 0;
    for (int round = 0; round < 3; round++) {
        if (me == 0) {
            struct chain *list = NULL;
            size_t count = allocate_all(size, &list);
            /* some can still wait at the node that freed them */
            CHECK(count > 0 && count + 64 >= before);
            before = count;
            *head = list;
        }
        hlrc_barrier();
        if (me == freer % nodes)
            free_all(*head);
        hlrc_barrier();
    }
    /* everything is in one piece again: nodes give back what they hold in reserve when it is
     * needed */
    CHECK(hlrc_broadcast(&before, sizeof before, 0) == 0);
    void *p = hlrc_malloc_all(before * size / 2);
    CHECK(p);
    hlrc_free_all(p);
}

static void exhaustion(void)
{
    static const size_t sizes[] = { 100, 3000, 32768, 50000, 200000 };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int freer = 0; freer < (nodes > 1 ? 2 : 1); freer++)
            exhaust(sizes[i], freer);
}

/* ---- memory of all nodes ---- */

static void same_everywhere(void *p)
{
    void *other = p;
    CHECK(hlrc_broadcast(&other, sizeof other, nodes - 1) == 0);
    CHECK(other == p);
}

/* Fresh pages and reset ones are alike: zero, without a home until somebody writes. */
static void use_all(unsigned char *p, size_t size, int writer)
{
    CHECK(p && aligned(p, PAGE));
    same_everywhere(p);
    const char *ahead = getenv("HLRC_AHEAD"); /* or else who filled the memory beside it has them */
    if (nodes > 1 && ahead && strcmp(ahead, "0") == 0)
        CHECK(hlrc_home(p) == -1 && hlrc_home(p + size - 1) == -1);
    hlrc_barrier();
    if (me == writer)
        fill(p, size, size);
    hlrc_barrier();
    CHECK(filled(p, size, size));
    hlrc_barrier();
    for (size_t i = (size_t)me; i < size; i += (size_t)nodes)
        p[i] = 0xff;
    hlrc_barrier();
    for (size_t i = 0; i < size; i++)
        CHECK(p[i] == 0xff);
    hlrc_barrier();
}

static void collectives(void)
{
    hlrc_free_all(NULL);
    void *first = NULL;
    for (int round = 0; round < 6; round++) {
        size_t size = round % 3 == 0 ? 1 : round % 3 == 1 ? 10 * PAGE : 30 * PAGE + 5;
        unsigned char *p = hlrc_malloc_all(size);
        unsigned char *q = hlrc_malloc_all(size);
        CHECK(p != q);
        first = first ? first : p;
        CHECK(p == first); /* first fit */
        use_all(p, size, round % nodes);
        hlrc_free_all(p);
        p = hlrc_malloc_all(size);
        CHECK(p == first && zero(p, size));
        hlrc_barrier();
        use_all(q, size, (round + 1) % nodes);
        hlrc_free_all(p);
        hlrc_free_all(q);
    }
    unsigned char *empty = hlrc_malloc_all(0);
    CHECK(empty && zero(empty, 1));
    hlrc_free_all(empty);
}

/* Pages that one node used and freed become memory of all. */
static void dirty_pages_for_all(void)
{
    size_t size = 40 * PAGE;
    unsigned char **at = (void *)block;
    if (me == nodes - 1) {
        *at = hlrc_malloc(size);
        CHECK(*at);
        fill(*at, size, 1);
    }
    hlrc_barrier();
    unsigned char *old = *at;
    CHECK(filled(old, size, 1));
    hlrc_barrier();
    if (me == 0)
        hlrc_free(old);
    hlrc_barrier();
    unsigned char *p = hlrc_malloc_all(size);
    CHECK(p == old);
    use_all(p, size, 0);
    hlrc_free_all(p);
    /* and the other way round */
    if (me == nodes - 1) {
        unsigned char *q = hlrc_malloc(size);
        CHECK(q == old && zero(q, size));
        hlrc_free(q);
    }
    hlrc_barrier();
}

/* What was being fetched when its pages were given back must not come back. */
static void prefetched_and_freed(void)
{
    size_t size = 200 * PAGE;
    for (int round = 0; round < 10; round++) {
        unsigned char *p = hlrc_malloc_all(size);
        CHECK(p && zero(p, size));
        hlrc_barrier();
        if (me == round % nodes)
            memset(p, 0xff, size);
        hlrc_barrier();
        CHECK(hlrc_prefetch(p, size) == 0);
        hlrc_free_all(p);
    }
}

static void broadcasts(void)
{
    static const size_t sizes[] = { 0, 1, 1000, 4096, 65536, 65536 - 24, 300001 };
    for (int root = 0; root < nodes; root++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            size_t n = sizes[i];
            unsigned char *buf = calloc(1, n + 8);
            CHECK(buf);
            if (me == root)
                fill(buf, n, n + (size_t)root);
            CHECK(hlrc_broadcast(buf, n, root) == 0);
            CHECK(filled(buf, n, n + (size_t)root) && zero(buf + n, 8));
            free(buf);
        }
        for (uint64_t k = 0; k < 20; k++) { /* one after the other, without anything between */
            uint64_t value = me == root ? k * 77 : 1;
            CHECK(hlrc_broadcast(&value, sizeof value, root) == 0 && value == k * 77);
        }
    }
    CHECK(hlrc_broadcast(NULL, 0, -1) == -EINVAL && hlrc_broadcast(NULL, 0, nodes) == -EINVAL);
    unsigned char *mine = hlrc_malloc(100000); /* the buffers may be shared memory */
    CHECK(mine);
    if (me == 0)
        fill(mine, 100000, 3);
    CHECK(hlrc_broadcast(mine, 100000, 0) == 0 && filled(mine, 100000, 3));
    hlrc_free(mine);
}

/* ---- blocks that wander between nodes and threads ---- */

#define BOXES      32
#define FIRST_LOCK 100

struct box {
    unsigned char *ptr;
    size_t size;
    uint64_t seed;
};

static void visit(struct box *box, hlrc_lock_t lock, struct rng *r)
{
    size_t size = some_size(r, 100000);
    unsigned char *mine =
        next(r) % 2 ? hlrc_malloc(size) : hlrc_aligned_alloc((size_t)16 << next(r) % 9, size);
    CHECK(mine && zero(mine, size));
    uint64_t seed = next(r);
    fill(mine, size, seed);
    hlrc_lock(lock);
    struct box found = *box;
    *box = (struct box){ .ptr = mine, .size = size, .seed = seed };
    hlrc_unlock(lock);
    if (found.ptr) {
        CHECK(filled(found.ptr, found.size, found.seed));
        hlrc_free(found.ptr);
    }
}

static int rounds = 300;

static void *wander(void *arg)
{
    struct rng r = { .state = mix((uint64_t)(me * 1000 + *(int *)arg + 1)) };
    struct box *boxes = (void *)block;
    for (int i = 0; i < rounds; i++) {
        uint32_t k = (uint32_t)(next(&r) % BOXES);
        visit(&boxes[k], FIRST_LOCK + k, &r);
    }
    return NULL;
}

static void empty_boxes(void)
{
    struct box *boxes = (void *)block;
    hlrc_barrier();
    for (int k = me; k < BOXES; k += nodes) {
        if (boxes[k].ptr)
            CHECK(filled(boxes[k].ptr, boxes[k].size, boxes[k].seed));
        hlrc_free(boxes[k].ptr);
        boxes[k] = (struct box){ 0 };
    }
    hlrc_barrier();
}

/* Pages go from nodes to all and back while other threads allocate. */
static void all_meanwhile(void)
{
    struct rng r = { .state = 42 }; /* the same on all nodes */
    for (int i = 0; i < rounds / 10; i++) {
        size_t size = some_size(&r, 300000);
        unsigned char *p = hlrc_malloc_all(size);
        CHECK(p && zero(p, size));
        uint64_t seed = next(&r);
        int root = (int)(seed % (uint64_t)nodes);
        hlrc_barrier();
        if (me == root)
            fill(p, size, seed);
        size_t copy = size;
        CHECK(hlrc_broadcast(&copy, sizeof copy, root) == 0 && copy == size);
        CHECK(filled(p, size, seed));
        hlrc_free_all(p);
    }
}

static void wandering(int threads, void (*meanwhile)(void))
{
    pthread_t id[8];
    int number[8];
    hlrc_barrier();
    if (me == 0)
        memset(block, 0, BOXES * sizeof(struct box));
    hlrc_barrier();
    for (int i = 0; i < threads; i++) {
        number[i] = i;
        CHECK(pthread_create(&id[i], NULL, wander, &number[i]) == 0);
    }
    if (meanwhile)
        meanwhile();
    for (int i = 0; i < threads; i++)
        CHECK(pthread_join(id[i], NULL) == 0);
    empty_boxes();
}

static void wander_alone(void)
{
    wandering(1, NULL);
}

static void wander_threads(void)
{
    wandering(4, NULL);
}

static void wander_all(void)
{
    wandering(2, all_meanwhile);
}

/* ---- errors: each of these ends the job ---- */

static void free_twice(void)
{
    void *p = hlrc_malloc(100);
    hlrc_free(p);
    hlrc_free(p);
}

static void free_large_twice(void)
{
    void *p = hlrc_malloc(100000);
    hlrc_free(p);
    hlrc_free(p);
}

static void free_inside(void)
{
    char *p = hlrc_malloc(100);
    hlrc_free(p + 16);
}

static void free_inside_large(void)
{
    char *p = hlrc_malloc(100000);
    hlrc_free(p + PAGE);
}

static void free_private(void)
{
    int local = 0;
    hlrc_free(&local);
}

static void free_all_memory(void)
{
    hlrc_free(block);
}

static void free_never_allocated(void)
{
    hlrc_free(block + SHARED_BYTES + 100 * PAGE);
}

/* The last node frees a block of node 0 that node 0 frees too: whoever notices first says so. */
static void free_on_two_nodes(void)
{
    void **p = (void *)block;
    if (me == 0)
        *p = hlrc_malloc(100);
    hlrc_barrier();
    if (me == nodes - 1)
        hlrc_free(*p);
    hlrc_barrier();
    if (me == 0)
        hlrc_free(*p);
    hlrc_free_all(hlrc_malloc_all(1));
    if (me == 0)
        hlrc_malloc(5000); /* the first of its class: node 0 looks at what others freed */
    hlrc_barrier();
}

static void free_foreign_twice(void)
{
    void **p = (void *)block;
    if (me == 0)
        *p = hlrc_malloc(100);
    hlrc_barrier();
    if (me == nodes - 1) {
        hlrc_free(*p);
        hlrc_free(*p);
    }
    hlrc_barrier();
}

static void free_all_of_malloc(void)
{
    hlrc_free_all(me == 0 ? hlrc_malloc(PAGE) : block);
}

static void sizes_differ(void)
{
    hlrc_malloc_all((size_t)(me + 1) * 100);
}

static void pointers_differ(void)
{
    void *p = hlrc_malloc_all(100);
    hlrc_free_all(me == 0 ? p : block);
}

static void lengths_differ(void)
{
    char buf[100];
    hlrc_broadcast(buf, (size_t)(me + 10), 0);
}

static void calls_differ(void)
{
    char buf[100];
    if (me == 0)
        hlrc_broadcast(buf, 100, 0);
    else
        hlrc_malloc_all(100);
}

static const struct part {
    const char *name;
    void (*run)(void);
    bool always; /* without an argument */
} parts[] = {
    { "basics", basics, true },
    { "too-much", too_much, true },
    { "exhaustion", exhaustion, false },
    { "collectives", collectives, true },
    { "dirty-pages", dirty_pages_for_all, true },
    { "prefetched", prefetched_and_freed, true },
    { "broadcasts", broadcasts, true },
    { "wander", wander_alone, true },
    { "threads", wander_threads, true },
    { "all", wander_all, true },
    { "free-twice", free_twice, false },
    { "free-large-twice", free_large_twice, false },
    { "free-inside", free_inside, false },
    { "free-inside-large", free_inside_large, false },
    { "free-private", free_private, false },
    { "free-all-memory", free_all_memory, false },
    { "free-never-allocated", free_never_allocated, false },
    { "free-on-two-nodes", free_on_two_nodes, false },
    { "free-foreign-twice", free_foreign_twice, false },
    { "free-all-of-malloc", free_all_of_malloc, false },
    { "sizes-differ", sizes_differ, false },
    { "pointers-differ", pointers_differ, false },
    { "lengths-differ", lengths_differ, false },
    { "calls-differ", calls_differ, false },
};

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : NULL;
    if (argc > 2)
        rounds = atoi(argv[2]);
    if (hlrc_init(&argc, &argv) != 0)
        return 1;
    me = hlrc_node_id();
    nodes = hlrc_node_count();
    block = hlrc_malloc_all(SHARED_BYTES);
    CHECK(block);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (name ? strcmp(name, parts[i].name) != 0 : !parts[i].always)
            continue;
        parts[i].run();
        hlrc_barrier();
    }
    hlrc_free_all(block);
    hlrc_finalize();
    return 0;
}
