/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a program begins and ends, and what it has from outside. Its first argument says how it
 * ends. */
#include <fcntl.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LARGE 300000

static char text[LARGE], untouched[64 << 20];
static int constructed;

__attribute__((constructor)) static void construct(void)
{
    constructed++;
}

static void last_words(void)
{
    printf("last words\n");
}

/* Arguments and environment, read by every thread, and changed by the first before. */
static void from_outside(int argc, char **argv)
{
    const char *variable = getenv("COMPAT_TEXT");
    long sum = 0;
    int threads = 0, length = 0;
    for (int i = 0; i < argc; i++)
        if (argv[i][0])
            argv[i][0] = '#';
#pragma omp parallel reduction(+ : sum)
    {
#pragma omp single
        threads = omp_get_num_threads();
        for (int i = 0; i < argc; i++)
            for (const char *c = argv[i]; *c; c++)
                sum += *c * (i + 1L);
        sum += variable ? (long)strlen(variable) : 0;
    }
    char line[80];
    while (fgets(line, sizeof line, stdin))
        length += (int)strlen(line);
    printf("from outside: %ld %d, constructed %d\n", sum / threads, length, constructed);
}

/* Buffers in shared memory, which the system may find inaccessible: fresh, and just announced. */
static void files(const char *path)
{
    char *fresh = malloc(LARGE), *other = malloc(LARGE);
    struct stat about = { 0 };
#pragma omp parallel for
    for (int i = 0; i < LARGE; i++)
        text[i] = (char)('a' + i % 26);
    FILE *out = fopen(path, "w");
    size_t put = out ? fwrite(text, 1, LARGE, out) : 0;
    if (out)
        fclose(out);
    FILE *in = fopen(path, "r");
    size_t got = in ? fread(fresh, 1000, LARGE / 500, in) : 0;
    if (in)
        fclose(in);
    int fd = open(path, O_RDWR);
    ssize_t whole = read(fd, other, LARGE);
#pragma omp parallel for
    for (int i = 0; i < LARGE; i++)
        other[i]++;
    ssize_t back = pwrite(fd, other, LARGE, LARGE);
    fstat(fd, &about);
    close(fd);
    printf("files: %zu %zu %zd %zd %ld %d %d\n", put, got, whole, back, (long)about.st_size,
           memcmp(text, fresh, LARGE) == 0, other[27] == text[27] + 1);
    free(fresh);
    free(other);
}

int main(int argc, char **argv)
{
    char end[20] = "";
    if (argc > 2)
        strncpy(end, argv[2], sizeof end - 1);
    atexit(last_words);
    if (argc > 1)
        files(argv[1]);
    from_outside(argc - 1, argv + 1);
    untouched[5 << 20] = 1;
    if (strcmp(end, "exit") == 0)
        exit(5);
    if (strcmp(end, "inside") == 0) {
#pragma omp parallel
        if (omp_get_thread_num() == omp_get_num_threads() - 1)
            exit(7);
    }
    if (strcmp(end, "first") == 0 || strcmp(end, "at once") == 0) {
#pragma omp parallel
        {
            if (end[0] == 'f' && omp_get_thread_num() == 0)
                exit(8);
            if (end[0] == 'a' && omp_get_thread_num() == omp_get_num_threads() - 1)
                _exit(9);
            for (;;)
                usleep(1000);
        }
    }
    if (strcmp(end, "abort") == 0)
        abort();
    printf("the end\n");
    return 3;
}
