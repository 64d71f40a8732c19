/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Locks by the thousand, within structures of the heap, and of one thread several times. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BUCKETS 3000

struct bucket {
    omp_lock_t lock;
    int count;
    struct item *items;
};
struct item {
    struct item *next;
    int key;
};

static void table(void)
{
    struct bucket *buckets = malloc(BUCKETS * sizeof *buckets);
    long sum = 0, items = 0;

    for (int i = 0; i < BUCKETS; i++) {
        omp_init_lock(&buckets[i].lock);
        buckets[i].count = 0;
        buckets[i].items = NULL;
    }
#pragma omp parallel for
    for (int i = 0; i < 2 * BUCKETS; i++) {
        struct bucket *b = &buckets[(unsigned)i * 7919u % BUCKETS];
        struct item *item = malloc(sizeof *item);

        item->key = i;
        omp_set_lock(&b->lock);
        item->next = b->items;
        b->items = item;
        b->count++;
        omp_unset_lock(&b->lock);
    }
    for (int i = 0; i < BUCKETS; i++) {
        for (struct item *item = buckets[i].items, *next; item != NULL; item = next) {
            next = item->next;
            sum += item->key;
            free(item);
        }
        items += buckets[i].count;
        omp_destroy_lock(&buckets[i].lock);
    }
    free(buckets);
    printf("%ld %ld\n", items, sum);
}

#define CROWDED 200
/* All threads use one lock after the other, in regions that run where the threads are then. */
static void crowd(void)
{
    omp_lock_t lock[CROWDED];
    int count[CROWDED] = { 0 }, wrong = 0, threads = 0;
    for (int i = 0; i < CROWDED; i++)
        omp_init_lock(&lock[i]);
    for (int k = 0; k < 4; k++)
#pragma omp parallel
    {
#pragma omp single
        threads = omp_get_num_threads();
        for (int i = 0; i < CROWDED; i++) {
            if (i % 4 == 0) {
#pragma omp barrier
            }
            omp_set_lock(&lock[i]);
            count[i]++;
            if (i % 20 == 0)
                usleep(50); /* the others wait */
            omp_unset_lock(&lock[i]);
        }
    }
    for (int i = 0; i < CROWDED; i++) {
        wrong += count[i] != 4 * threads;
        omp_destroy_lock(&lock[i]);
    }
    printf("%d counts are wrong\n", wrong);
}

static omp_nest_lock_t nest;
static int entered;

static void enter(int levels)
{
    omp_set_nest_lock(&nest);
    entered++;
    if (levels > 1)
        enter(levels - 1);
    omp_unset_nest_lock(&nest);
}

int main(void)
{
    omp_lock_t lock;
    int threads = 0, failed = 0, held = 0, depth = 0;

    table();
    crowd();
    omp_init_nest_lock(&nest);
    omp_init_lock(&lock);
    omp_set_lock(&lock);
#pragma omp parallel reduction(+ : failed)
    {
#pragma omp single
        threads = omp_get_num_threads();
        failed += !omp_test_lock(&lock);
        enter(5);
    }
    omp_unset_lock(&lock);
    held = omp_test_lock(&lock);
    omp_unset_lock(&lock);
    for (int i = 0; i < 3; i++)
        depth = omp_test_nest_lock(&nest);
    for (int i = 0; i < 3; i++)
        omp_unset_nest_lock(&nest);
    omp_destroy_nest_lock(&nest);
    omp_destroy_lock(&lock);
    printf("%d %d %d %d\n", failed / threads, entered / threads, held, depth);
    return 0;
}
