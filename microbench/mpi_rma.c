/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The cost of one-sided MPI operations between two ranks, as the figures of ops.c and locks.c:
 * each operation with its completion (MPI_Win_flush), and a lock and unlock of the window, by rank
 * 0 on rank 1, which waits in a barrier. Not part of the build: scripts/evaluate compiles it if
 * mpicc is found.
 *
 * Each line: a name, a bar, and the median of the samples in us per operation. A sample is the
 * mean of BATCH. The data read is checked.
 *
 * With sizes as arguments it measures gets and puts of as many bytes each, as latbw.c: their
 * latency, and the bandwidth (MB/s) of BURST bytes with one flush at the end.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH   50
#define SAMPLES 200
#define WARM_UP 10
#define PAGE    4096
#define LARGEST (4 << 20)
#define BURST   (4 << 20)

static MPI_Win window;
static unsigned char page[PAGE];
static long word, compare, before;

static void get_page(void)
{
    MPI_Get(page, PAGE, MPI_BYTE, 1, 0, PAGE, MPI_BYTE, window);
    MPI_Win_flush(1, window);
}

static void put_page(void)
{
    MPI_Put(page, PAGE, MPI_BYTE, 1, 0, PAGE, MPI_BYTE, window);
    MPI_Win_flush(1, window);
}

static void fetch_add(void)
{
    word = 1;
    MPI_Fetch_and_op(&word, &before, MPI_LONG, 1, PAGE, MPI_SUM, window);
    MPI_Win_flush(1, window);
}

static void compare_swap(void)
{
    compare = before;
    word = before + 1;
    MPI_Compare_and_swap(&word, &compare, &before, MPI_LONG, 1, PAGE, window);
    MPI_Win_flush(1, window);
    before++;
}

static void lock_unlock(void)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
    MPI_Win_unlock(1, window);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Median of `samples`, of us per operation. */
static double median(void (*operation)(void), int samples, int batch)
{
    static double sample[SAMPLES];

    for (int r = -WARM_UP; r < samples; r++) {
        double start = MPI_Wtime();
        for (int i = 0; i < batch; i++)
            operation();
        if (r >= 0)
            sample[r] = (MPI_Wtime() - start) * 1e6 / batch;
    }
    qsort(sample, (size_t)samples, sizeof(sample[0]), ascending);
    return sample[samples / 2];
}

static void measure(const char *name, void (*operation)(void))
{
    printf("%s|%.4f\n", name, median(operation, SAMPLES, BATCH));
}

/* ---- by size ---- */

static unsigned char *local;
static int size, count;

static void get_size(void)
{
    for (int i = 0; i < count; i++)
        MPI_Get(local + i * (size_t)size % LARGEST, size, MPI_BYTE, 1, 0, size, MPI_BYTE, window);
    MPI_Win_flush(1, window);
}

static void put_size(void)
{
    for (int i = 0; i < count; i++)
        MPI_Put(local + i * (size_t)size % LARGEST, size, MPI_BYTE, 1, 0, size, MPI_BYTE, window);
    MPI_Win_flush(1, window);
}

static void measure_size(const char *bytes)
{
    size = atoi(bytes);
    count = 1;
    int batch = size <= PAGE ? 16 : 1;
    printf("read_latency %d|%.4f\n", size, median(get_size, SAMPLES, batch));
    printf("write_latency %d|%.4f\n", size, median(put_size, SAMPLES, batch));
    count = BURST / size < 16 ? 16 : BURST / size > 256 ? 256 : BURST / size;
    double all = (double)count * size;
    printf("read_bandwidth %d|%.4f\n", size, all / median(get_size, SAMPLES / 10, 1));
    printf("write_bandwidth %d|%.4f\n", size, all / median(put_size, SAMPLES / 10, 1));
}

static void measure_sizes(char **sizes)
{
    local = calloc(1, LARGEST);
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
    for (; *sizes; sizes++)
        measure_size(*sizes);
    MPI_Win_unlock(1, window);
    free(local);
}

/* Rank 0 only; returns an error description, or NULL. */
static const char *measure_all(void)
{
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
    measure("get 4096", get_page);
    for (int i = 0; i < PAGE; i++)
        if (page[i] != (unsigned char)(i % 251))
            return "the page that was read is not that of rank 1";
    measure("put 4096", put_page);
    before = 0;
    measure("fetch_add", fetch_add);
    if (before != (SAMPLES + WARM_UP) * BATCH - 1)
        return "additions were lost";
    before++;
    measure("compare_swap", compare_swap);
    if (before != 2 * (SAMPLES + WARM_UP) * BATCH)
        return "exchanges failed";
    MPI_Win_unlock(1, window);
    measure("lock_unlock", lock_unlock);
    return NULL;
}

int main(int argc, char **argv)
{
    unsigned char *memory;
    const char *wrong = NULL;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(LARGEST, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
    memset(memory, 0, PAGE + sizeof(long));
    for (int i = 0; i < PAGE; i++)
        memory[i] = (unsigned char)(i % 251);
    MPI_Win_unlock(rank, window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && argc > 1)
        measure_sizes(argv + 1);
    else if (rank == 0 && (wrong = measure_all()) != NULL) {
        fprintf(stderr, "mpi_rma: %s\n", wrong);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
