/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Programs of OpenMP of which the costly block, or lock, and the remedy are known: advise.sh. Each on
 * two nodes of one thread. The last line of output has the CPU seconds of all threads. */
#include <cstdio>
#include <cstring>
#include <ctime>
#include <numeric>
#include <vector>

enum { PAGE = 4096, ROUNDS = 200 };

static double cpu_seconds()
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Work without shared memory. */
static double spin(int rounds)
{
    volatile double x = 1;
    for (int i = 0; i < rounds; i++)
        x = x * 1.0000001 + 1e-9;
    return x;
}

/* Two threads write different halves of each page, and read nothing of each other. */
static double packed()
{
    std::vector<long> count(4 * PAGE / sizeof(long)); /* packed */
    for (int t = 0; t < ROUNDS; t++) {
#pragma omp parallel for schedule(static, 64)
        for (std::size_t i = 0; i < count.size(); i++)
            count[i] = t + (long)i; /* packed */
    }
    return (double)std::accumulate(count.begin(), count.end(), 0L);
}

/* The main thread fills, all read. */
static double readers()
{
    std::vector<double> table(64 * PAGE / sizeof(double)); /* readers */
    double sum = 0;
    for (int t = 0; t < ROUNDS / 4; t++) {
        std::fill(table.begin(), table.end(), t + 1.0); /* readers fill */
#pragma omp parallel for reduction(+ : sum)
        for (std::size_t i = 0; i < table.size(); i++)
            sum += table[i];
    }
    return sum;
}

/* By rows, then by columns. */
static double turns()
{
    const int n = 512;
    std::vector<double> a(n * n); /* turns */
    for (int t = 0; t < 10; t++) {
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                a[i * n + j] += i + 2 * j + t;
#pragma omp parallel for
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                a[i * n + j] = 0.5 * a[i * n + j] + j;
    }
    return std::accumulate(a.begin(), a.end(), 0.0);
}

/* One sum under a lock: both threads take it in each region, so that one of them waits for the other, or for its node. */
static double hot()
{
    static double sum;
    for (int t = 0; t < ROUNDS; t++) {
#pragma omp parallel
#pragma omp critical
        sum += spin(10000); /* hot */
    }
    return sum;
}

static double quiet()
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 400; i++)
        sum += spin(1000000);
    return sum;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        double (*run)();
    } cases[] = { { "packed", packed },
                  { "readers", readers },
                  { "turns", turns },
                  { "hot", hot },
                  { "quiet", quiet } };
    double cpu = 0;
    for (const auto &c : cases)
        if (argc > 1 && std::strcmp(argv[1], c.name) == 0)
            std::printf("%.17g\n", c.run());
#pragma omp parallel reduction(+ : cpu)
    cpu += cpu_seconds();
    std::printf("%.6f\n", cpu);
    return 0;
}
