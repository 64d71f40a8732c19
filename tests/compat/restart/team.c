/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * team.c - for restart.sh: steps of an OpenMP team, a line for each in the file steps. Halfway it
 * repeats a computation until the file go exists. Argument pipe, child: has one during that;
 * deleted: an open file.
 */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define ITEMS 100000
#define STEPS 30

static uint64_t item[ITEMS], count[ITEMS];
static uint64_t *shared; /* equal to the counts whenever no thread counts */
static int turns;
#pragma omp threadprivate(turns)

static uint64_t step(uint64_t *heap, int s)
{
    uint64_t sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
#pragma omp for schedule(dynamic, 500)
        for (int i = 0; i < ITEMS; i++) {
            item[i] = item[i] * UINT64_C(6364136223846793005) + heap[(i * 17 + s) % ITEMS];
            sum += item[i] >> 7;
        }
        turns++;
#pragma omp single
#pragma omp taskgroup
        for (int t = 0; t < 8; t++)
#pragma omp task firstprivate(t)
            for (int i = t; i < ITEMS; i += 8)
                heap[i] ^= item[i] >> 3;
    }
    return sum;
}

/* Shared and private memory are saved in different ways, but of one moment. */
static void count_one(int i)
{
    if (shared[i] != count[i])
        abort();
    shared[i]++;
    count[i]++;
}

/* The same each time, after many stores. */
static uint64_t repeated(uint64_t *heap)
{
    uint64_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < ITEMS; i++) {
        uint64_t was = heap[i];
        count_one(i);
        for (int k = 0; k < 20; k++)
            heap[i] = heap[i] * 3 + item[i];
        sum += heap[i];
        heap[i] = was;
    }
    return sum;
}

/* What cannot be saved. */
static pid_t begin(const char *what)
{
    int ends[2];
    if (strcmp(what, "pipe") == 0 && pipe(ends) != 0)
        exit(1);
    if (strcmp(what, "deleted") == 0 && (!tmpfile()))
        exit(1);
    pid_t child = strcmp(what, "child") == 0 ? fork() : 0;
    if (strcmp(what, "child") == 0 && child == 0)
        _exit(sleep(30) != 0);
    return child;
}

int main(int argc, char **argv)
{
    uint64_t *heap = malloc(ITEMS * sizeof *heap), total = 0;
    FILE *out = fopen("steps", "w");
    int mine = 0;
    shared = mmap(NULL, ITEMS * sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                  -1, 0);
    if (!heap || !out || shared == MAP_FAILED)
        return 1;
    (void)begin(argc > 1 ? argv[1] : "");
    for (int i = 0; i < ITEMS; i++)
        heap[i] = (uint64_t)i;
    for (int s = 0; s < STEPS; s++) {
        uint64_t sum = step(heap, s);
        fprintf(out, "%d %llu\n", s, (unsigned long long)sum);
        if (s % 3 == 0)
            fflush(out);
        while (s == STEPS / 2 && access("go", F_OK) != 0)
            if (repeated(heap) != repeated(heap))
                abort();
        usleep(10000);
    }
    for (int i = 0; i < ITEMS; i++)
        total = total * 31 + item[i] + heap[i];
#pragma omp parallel reduction(+ : mine)
    mine += turns == STEPS;
    printf("%llu, %d of %d\n", (unsigned long long)total, mine, omp_get_max_threads());
    return fclose(out);
}
