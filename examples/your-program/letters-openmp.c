/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * letters-openmp: an OpenMP program that reads its data from a file. Only node 0 runs main, so it
 * reads the file, by fread into malloc'ed memory, which all nodes share. The threads of all nodes
 * count.
 *
 *     hlrcc -fopenmp -O2 letters-openmp.c -o letters-openmp
 *     hlrcrun -n 3 ./letters-openmp FILE
 */
#include <stdio.h>
#include <stdlib.h>

/* Reads the whole file; NULL if that fails. */
static unsigned char *read_all(const char *name, long *len)
{
    FILE *file = fopen(name, "rb");
    if (!file)
        return NULL;
    unsigned char *text = NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (*len = ftell(file)) >= 0 &&
        (text = malloc((size_t)*len + 1)) != NULL) {
        rewind(file);
        if (fread(text, 1, (size_t)*len, file) != (size_t)*len) {
            free(text);
            text = NULL;
        }
    }
    fclose(file);
    return text;
}

int main(int argc, char **argv)
{
    long count[256] = { 0 }, len = 0, vowels = 0;
    unsigned char *text = argc == 2 ? read_all(argv[1], &len) : NULL;
    if (!text) {
        fprintf(stderr, "usage: letters-openmp FILE\n");
        return 1;
    }
#pragma omp parallel for reduction(+ : count[:256])
    for (long i = 0; i < len; i++)
        count[text[i]]++;
    for (const char *v = "aeiou"; *v; v++)
        vowels += count[(unsigned char)*v];
    printf("%ld bytes, %ld lines, %ld small vowels\n", len, count['\n'], vowels);
    free(text);
    return 0;
}
