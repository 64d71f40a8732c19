/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * outside CASE: a program that uses windows in a way that cannot be (node 0; where the case is
 * collective, node 1 in another one). For collectives.sh.
 */
#include <errno.h>
#include <hlrc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE 10000

static char *window, mine[SIZE];
static hlrc_handle_t handle;

static void no_node(void)
{
    hlrc_put(window, mine, 8, hlrc_node_count());
}

static void negative(void)
{
    hlrc_get(mine, window, 8, -2);
}

static void homes(void)
{
    hlrc_get(mine, window, 8, HLRC_HOMES);
}

static void behind(void)
{
    hlrc_put(window + SIZE - 7, mine, 8, 1);
}

static void before(void)
{
    hlrc_get(mine, window - 1, 1, 1);
}

static void long_one(void)
{
    hlrc_get_nb(mine, window + 1, SIZE_MAX, 1, NULL);
}

static void private(void)
{
    hlrc_put(mine, mine, 8, 1);
}

static void word(void)
{
    long one = 1;
    (void)hlrc_word_fetch(hlrc_word_window(window + SIZE, 1), HLRC_INT64, HLRC_SUM, &one, NULL,
                          HLRC_RELAXED);
}

static void strided(void)
{
    const size_t counts[] = { 8, 2, 3 }, strides[] = { 4096, 1000 };
    hlrc_put_strided(window, strides, mine, strides, counts, 2, 1); /* up to 6104 */
    hlrc_put_strided(window + 3897, strides, mine, strides, counts, 2, 1);
}

static void levels(void)
{
    hlrc_get_strided(mine, NULL, window, NULL, NULL, 9, 1);
}

static void huge(void)
{
    const size_t counts[] = { 8, 3 }, stride = SIZE_MAX / 2;
    hlrc_get_strided(mine, &stride, window, &stride, counts, 1, 1);
}

static void listed(void)
{
    void *far[] = { window, window + SIZE - 8, window + SIZE - 7 };
    const void *near[] = { mine, mine, mine };
    hlrc_put_vector(far, near, 2, 8, 1);
    hlrc_put_vector(far, near, 3, 8, 1);
}

static void twice(void)
{
    hlrc_put_nb(window, mine, 8, 1, &handle);
    hlrc_wait(handle);
    hlrc_wait(handle);
}

static void tested(void)
{
    hlrc_put_nb(window, mine, 8, 1, &handle);
    hlrc_wait(handle);
    hlrc_put_nb(window, mine, 8, 1, NULL);
    (void)hlrc_test(handle);
}

static void added(void)
{
    double one = 1;
    (void)hlrc_acc_nb(window, &one, 1, HLRC_DOUBLE, HLRC_SUM, NULL, 1, &handle);
    hlrc_wait(handle);
    hlrc_wait(handle);
}

static void beyond(void)
{
    double two[2] = { 1, 1 };
    (void)hlrc_acc_nb(window + 16, two, 2, HLRC_DOUBLE, HLRC_SUM, NULL, 1, NULL);
    hlrc_fence(1);
    (void)hlrc_acc_nb(window + SIZE / 8 * 8, two, 2, HLRC_DOUBLE, HLRC_SUM, NULL, 1, NULL);
}

static void none(void)
{
    hlrc_wait((hlrc_handle_t){ 0 });
}

static void many(void)
{
    for (;;)
        hlrc_put_nb(window, mine, 1, 1, &handle);
}

static void unlock(void)
{
    hlrc_mutex_unlock(3, 1);
}

static void mutex(void)
{
    hlrc_mutex_lock(HLRC_MUTEXES, 0);
}

static void fence(void)
{
    hlrc_fence(2);
}

static void inside(void)
{
    hlrc_window_free(window + 4096);
}

static void size(void)
{
    (void)hlrc_window_create(100 + (size_t)hlrc_node_id());
}

static void freed(void)
{
    hlrc_window_free(window);
    if (hlrc_node_id() == 0)
        hlrc_put(window, mine, 8, 1);
}

static void touched(void)
{
    hlrc_window_free(window);
    if (hlrc_node_id() == 0)
        *(volatile char *)window = 1;
}

static void other(void)
{
    if (hlrc_node_id() == 0)
        hlrc_window_free(window);
    else
        (void)hlrc_window_create(1);
}

static const struct {
    const char *name;
    void (*act)(void);
    int all;
} cases[] = {
    { "no-node", no_node, 0 }, { "negative", negative, 0 }, { "behind", behind, 0 },
    { "homes", homes, 0 },     { "before", before, 0 },     { "long", long_one, 0 },
    { "private", private, 0 }, { "word", word, 0 },         { "strided", strided, 0 },
    { "levels", levels, 0 },   { "huge", huge, 0 },         { "listed", listed, 0 },
    { "twice", twice, 0 },     { "added", added, 0 },       { "beyond", beyond, 0 },
    { "tested", tested, 0 },   { "none", none, 0 },         { "many", many, 0 },
    { "unlock", unlock, 0 },   { "mutex", mutex, 0 },       { "fence", fence, 0 },
    { "inside", inside, 0 },   { "size", size, 1 },         { "freed", freed, 1 },
    { "touched", touched, 1 }, { "other", other, 1 },
};

int main(int argc, char **argv)
{
    if (hlrc_init(&argc, &argv) != 0)
        return 3;
    window = hlrc_window_create(SIZE);
    if (!window)
        return errno == ENOTSUP ? 4 : 5;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (argc > 1 && strcmp(cases[i].name, argv[1]) == 0 &&
            (cases[i].all || hlrc_node_id() == 0))
            cases[i].act();
    hlrc_barrier();
    hlrc_finalize();
    return 0;
}
