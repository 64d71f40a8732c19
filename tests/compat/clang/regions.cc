// SPDX-License-Identifier: LGPL-2.1-or-later
// What clang makes of OpenMP that gcc makes otherwise: regions with many variables, reductions under a lock, static loops that
// the program divides itself, tasks with objects, tasks that run at once in their block, untied tasks, nests with ordered(n) and
// collapse, copyprivate, exceptions in regions. Prints what no number of threads changes.
#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#define N 1000
static int at[N], times[N];
static long shared_sum;
static int kept = 5;
#pragma omp threadprivate(kept)

static int once(const int *t, int n)
{
    return std::count(t, t + n, 1) == n;
}

// 5, 20, 70 variables: as many arguments of a region's code
static void many()
{
    int a = 1, b = 2, c = 3, n = 0;
#pragma omp parallel num_threads(2) firstprivate(a, b) shared(c) reduction(+ : n)
    n += a + b + c;
    printf("few %d\n", n);
#define X(i) int x##i = i;
#define X10(d) X(d##0) X(d##1) X(d##2) X(d##3) X(d##4) X(d##5) X(d##6) X(d##7) X(d##8) X(d##9)
    X10(1) X10(2) X10(3) X10(4) X10(5) X10(6) X10(7)
#undef X
#define X(i) +x##i
    n = 0;
#pragma omp parallel num_threads(2) reduction(+ : n)
    n += 0 X10(1) X10(2);
    printf("more %d\n", n);
    n = 0;
#pragma omp parallel num_threads(2) reduction(+ : n)
    n += 0 X10(1) X10(2) X10(3) X10(4) X10(5) X10(6) X10(7);
    printf("many %d\n", n);
    for (int serial = 0; serial < 2; serial++) {
        int level = -1, threads = 0;
#pragma omp parallel if (!serial) num_threads(2)
#pragma omp single
        {
            level = omp_get_level();
            threads = omp_get_num_threads();
        }
        printf("if(%d) level %d, %d threads\n", !serial, level, threads);
    }
}

template <typename T> static bool covered(T first, T beyond, T step, int chunk)
{
    T last = 0;
    std::fill(times, times + N, 0);
#pragma omp parallel
    {
#pragma omp for schedule(static) nowait
        for (T i = first; i < beyond; i += step)
#pragma omp atomic
            times[(i - first) / step]++;
#pragma omp barrier
#pragma omp for schedule(static, chunk)
        for (T i = first; i < beyond; i += step)
#pragma omp atomic
            times[(i - first) / step]--;
#pragma omp for schedule(dynamic, chunk) lastprivate(last)
        for (T i = first; i < beyond; i += step) {
#pragma omp atomic
            times[(i - first) / step]++;
            last = i;
        }
#pragma omp for schedule(guided, chunk) nowait
        for (T i = first; i < beyond; i += step)
#pragma omp atomic
            shared_sum += 1;
    }
    return once(times, (int)((beyond - first + step - 1) / step)) && last + step >= beyond;
}

static void loops()
{
    printf("loops %d %d %d %d %d\n", covered<int>(-7, 900, 1, 3), covered<unsigned>(3u, 991u, 2u, 5),
           covered<long>(-500, 499, 1, 1), covered<unsigned long>(1ul << 40, (1ul << 40) + 999, 7ul, 4),
           covered<int>(0, 1, 1, 1));
    printf("guided %ld\n", shared_sum);
    int order[60], used = 0, bad = 0;
#pragma omp parallel for ordered schedule(dynamic, 3)
    for (int i = 0; i < 60; i++) {
        at[i] = i * i;
#pragma omp ordered
        order[used++] = i;
    }
    for (int i = 0; i < 60; i++)
        bad += order[i] != i || at[i] != i * i;
    printf("ordered %d\n", bad);
    static int grid[24][24];
#pragma omp parallel for collapse(2) ordered(2) schedule(static, 5)
    for (int i = 1; i < 24; i++)
        for (int j = 1; j < 24; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
            grid[i][j] = grid[i - 1][j] + grid[i][j - 1] + 1;
#pragma omp ordered depend(source)
        }
    unsigned sum = 0;
    for (auto &row : grid)
        for (int v : row)
            sum += (unsigned)v;
    printf("wavefront %u\n", sum);
#pragma omp parallel for ordered(2) schedule(dynamic, 2)
    for (int i = 20; i > 0; i -= 3)
        for (int j = 0; j < 24; j++) {
#pragma omp ordered depend(sink : i + 3, j - 1)
            grid[i][j] = i + 3 <= 20 && j > 0 ? grid[i + 3][j - 1] + 1 : 0;
#pragma omp ordered depend(source)
        }
    printf("down %d %d\n", grid[2][23], grid[2][3]);
}

static void reductions()
{
    int low = 1000, high = -1000, all = -1, any = 0, yes = 1;
    double d = 0;
    long product = 1;
#pragma omp parallel for reduction(min : low) reduction(max : high) reduction(& : all) reduction(| : any) reduction(&& : yes) \
    reduction(+ : d) reduction(* : product)
    for (int i = 0; i < 300; i++) {
        low = std::min(low, (i * 37) % 301 - 50);
        high = std::max(high, (i * 37) % 301 - 50);
        all &= ~(i & 4);
        any |= i & 32;
        yes = yes && i < 300;
        d += i * .5;
        if (i % 50 == 0)
            product *= i / 50 + 1;
    }
    printf("reductions %d %d %d %d %d %.1f %ld\n", low, high, all, any, yes, d, product);
    int sums[8] = {};
#pragma omp parallel for reduction(+ : sums[:8])
    for (int i = 0; i < 800; i++)
        sums[i % 8] += i;
    printf("section %d %d\n", sums[0], sums[7]);
#pragma omp declare reduction(join : std::vector<int> : omp_out.insert(omp_out.end(), omp_in.begin(), omp_in.end()))
    std::vector<int> v;
#pragma omp parallel for reduction(join : v)
    for (int i = 0; i < 100; i++)
        v.push_back(i);
    std::sort(v.begin(), v.end());
    printf("vector %zu %d\n", v.size(), v.empty() ? -1 : v.back());
}

static long tree(const std::string &name, int depth)
{
    if (depth == 0)
        return (long)name.size();
    long left = 0, right = 0;
    std::string longer = name + (depth % 2 ? "+" : "-"); // short: within the object
#pragma omp task shared(left) firstprivate(longer)
    left = tree(longer + "l", depth - 1);
#pragma omp task shared(right) firstprivate(longer) if (depth > 2)
    right = tree(longer, depth - 1);
#pragma omp taskwait
    return left + right;
}

static void tasks()
{
    long leaves = 0, steps = 0, sum = 0, nested = 0;
    int untied = 0, chain = 1, last = -1;
#pragma omp parallel
#pragma omp single
    {
        leaves = tree("x", 7);
        for (int k = 0; k < 20; k++) {
#pragma omp task untied shared(untied) firstprivate(k)
            {
                int mine = k;
#pragma omp taskyield
#pragma omp task shared(untied) firstprivate(mine)
#pragma omp atomic
                untied += mine;
#pragma omp taskwait
#pragma omp atomic
                untied += mine;
            }
        }
#pragma omp taskwait
        for (int k = 0; k < 12; k++) {
#pragma omp task shared(chain) depend(inout : chain) firstprivate(k) if (k % 3)
            chain = chain * 3 % 1009 + k;
        }
#pragma omp taskwait
        for (int k = 0; k < 40; k++) { // two kinds by turns
#pragma omp task shared(steps) firstprivate(k)
#pragma omp atomic
            steps += k;
#pragma omp task shared(sum) firstprivate(k)
#pragma omp atomic
            sum += k % 3;
        }
#pragma omp taskwait
        std::string text = "a text that is not in the object";
#pragma omp taskloop firstprivate(text) lastprivate(last) shared(steps) num_tasks(7)
        for (int i = 0; i < 100; i++) {
#pragma omp atomic
            steps += (long)text.size() + i;
            last = i;
        }
#pragma omp taskgroup task_reduction(+ : sum)
        {
            for (int k = 0; k < 50; k++) {
#pragma omp task in_reduction(+ : sum) firstprivate(k)
                {
                    sum += k;
#pragma omp task in_reduction(+ : sum)
                    sum += 1000;
                }
            }
        }
#pragma omp taskloop reduction(+ : nested) grainsize(9)
        for (int i = 0; i < 200; i++)
            nested += i;
    }
    printf("tasks %ld %d %d %ld %d %ld %ld\n", leaves, untied, chain, steps, last, sum, nested);
    sum = 0;
#pragma omp parallel reduction(task, + : sum) num_threads(3)
    {
#pragma omp for
        for (int i = 0; i < 30; i++) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
            sum += i;
        }
    }
    printf("modifier %ld\n", sum);
}

static void shown()
{
    int bad = 0;
#pragma omp parallel copyin(kept) reduction(+ : bad)
    {
        int mine = omp_get_thread_num();
        bad += kept != 5;
        for (int round = 0; round < 10; round++) {
            std::string text;
#pragma omp single copyprivate(kept, mine, text)
            {
                kept = mine = round;
                text = "shown to the others, number " + std::to_string(round);
            }
            bad += kept != round || mine != round || text.back() != '0' + round;
        }
        kept = 5;
    }
    printf("copyprivate %d\n", bad);
}

static void exceptions()
{
    int caught = 0;
#pragma omp parallel for reduction(+ : caught) schedule(dynamic)
    for (int i = 0; i < 40; i++) {
        try {
#pragma omp critical(throws)
            {
                try {
                    if (i % 4 == 0)
                        throw std::runtime_error("number " + std::to_string(i));
                } catch (const std::exception &e) {
                    caught += e.what()[0] == 'n';
                }
            }
            if (i % 5 == 0)
                throw i;
        } catch (int n) {
            caught += 100 * (n % 5 == 0);
        }
    }
    printf("exceptions %d\n", caught);
}

static void teams()
{
    long sum = 0;
    int numbers[3] = {};
#pragma omp teams num_teams(3) reduction(+ : sum) shared(numbers)
    {
        numbers[omp_get_team_num()] = omp_get_num_teams();
#pragma omp distribute parallel for reduction(+ : sum) dist_schedule(static, 10)
        for (int i = 0; i < 100; i++)
            sum += i;
    }
    printf("teams %ld %d %d\n", sum, numbers[0], numbers[2]);
#pragma omp target teams distribute parallel for map(tofrom : sum) reduction(+ : sum)
    for (int i = 0; i < 100; i++)
        sum += i;
#pragma omp target map(tofrom : sum) depend(out : sum)
    sum++;
#pragma omp taskwait
    printf("target %ld\n", sum);
}

static void nested_locks()
{
    static omp_nest_lock_t locks[4];
    int counts[4] = {}, deep = 0;
    for (auto &l : locks)
        omp_init_nest_lock(&l);
#pragma omp parallel for reduction(+ : deep)
    for (int i = 0; i < 80; i++) {
        omp_set_nest_lock(&locks[i % 4]);
        deep += omp_test_nest_lock(&locks[i % 4]);
        counts[i % 4]++;
        omp_unset_nest_lock(&locks[i % 4]);
        omp_unset_nest_lock(&locks[i % 4]);
    }
    for (auto &l : locks)
        omp_destroy_nest_lock(&l);
    printf("nested locks %d %d %d\n", counts[0], counts[3], deep);
    char text[40];
    omp_set_affinity_format("%N thread");
    omp_capture_affinity(text, sizeof text, nullptr);
    printf("affinity %s\n", text);
}

int main()
{
    many();
    loops();
    reductions();
    tasks();
    shown();
    exceptions();
    teams();
    nested_locks();
}
