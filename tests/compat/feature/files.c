/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files: written by the thread that opened them, read by others by their own opening. */
#include <fcntl.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N 3000

static int numbers[N], copy[N];

int main(int argc, char **argv)
{
    char path[300];
    long sum = 0;
    int wrong = 0;
    FILE *f;

    if (argc < 2)
        return 2;
    snprintf(path, sizeof path, "%s", argv[1]);
#pragma omp parallel for
    for (int i = 0; i < N; i++)
        numbers[i] = i * 3;
    f = fopen(path, "w");
    if (f == NULL || fwrite(numbers, sizeof numbers[0], N, f) != N || fclose(f) != 0)
        return 3;
#pragma omp parallel for reduction(+ : wrong) schedule(static, 1)
    for (int k = 0; k < 6; k++) {
        int part = N / 6, fd = open(path, O_RDONLY);

        wrong += pread(fd, &copy[k * part], (size_t)part * sizeof *copy, (off_t)(k * part * 4)) !=
                 (ssize_t)(part * 4);
        close(fd);
    }
#pragma omp parallel reduction(+ : wrong)
    {
        FILE *mine = fopen(path, "r");
        char local[4096];

        wrong += mine == NULL || fread(local, 1, sizeof local, mine) != sizeof local;
        wrong += memcmp(local, copy, sizeof local) != 0;
        fclose(mine);
        wrong += access(path, R_OK) != 0;
    }
    for (int i = 0; i < N; i++)
        sum += copy[i];
    wrong += remove(path) != 0;
    printf("%ld, %d wrong\n", sum, wrong);
    return 0;
}
