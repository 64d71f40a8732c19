/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A tree that tasks build, sum and give back: made by every thread, with memory of every node. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *left, *right;
    int key;
};

static struct node *build(int low, int high)
{
    struct node *n;

    if (low >= high)
        return NULL;
    n = malloc(sizeof *n);
    n->key = (low + high) / 2;
#pragma omp task shared(n) untied priority(2)
    n->left = build(low, n->key);
#pragma omp task shared(n) mergeable
    n->right = build(n->key + 1, high);
#pragma omp taskwait
    return n;
}

static long sum(const struct node *n)
{
    long left = 0, right = 0;

    if (n == NULL)
        return 0;
#pragma omp task shared(left) final(n->key % 8 == 0)
    left = sum(n->left);
#pragma omp task shared(right) if (n->key % 2)
    right = sum(n->right);
#pragma omp taskyield
#pragma omp taskwait
    return left + n->key + right;
}

static void drop(struct node *n)
{
    if (n == NULL)
        return;
    drop(n->left);
    drop(n->right);
    free(n);
}

int main(void)
{
    struct node *roots[4] = { NULL };
    long sums[4] = { 0 };

#pragma omp parallel for schedule(static, 1)
    for (int k = 0; k < 4; k++)
        roots[k] = build(0, 100 * (k + 1));
#pragma omp parallel
#pragma omp single
    for (int k = 0; k < 4; k++) {
#pragma omp task shared(sums) firstprivate(k)
        sums[k] = sum(roots[k]);
    }
#pragma omp parallel for
    for (int k = 0; k < 4; k++)
        drop(roots[3 - k]);
    printf("%ld %ld %ld %ld\n", sums[0], sums[1], sums[2], sums[3]);
    return 0;
}
