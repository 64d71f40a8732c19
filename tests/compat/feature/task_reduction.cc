/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reductions of tasks: of groups, regions, loops, sections, scopes and loops of tasks; of numbers,
 * arrays and objects with constructors. */
#include <cstdio>
#include <vector>

static int live; /* objects */

struct Point {
    long x, y;
    Point(long x = 0, long y = 0) : x(x), y(y) { count(1); }
    Point(const Point &p) : x(p.x), y(p.y) { count(1); }
    ~Point() { count(-1); }
    Point &operator=(const Point &) = default;
    Point &operator+=(const Point &p)
    {
        x += p.x;
        y += p.y;
        return *this;
    }
    static void count(int n)
    {
#pragma omp atomic
        live += n;
    }
};
#pragma omp declare reduction(add : Point : omp_out += omp_in) initializer(omp_priv = Point(0, 0))

static void groups()
{
    int sum = 1, parts[5] = {};
    Point p(1, 2);
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup task_reduction(+ : sum, parts) task_reduction(add : p)
        for (int i = 0; i < 20; i++) {
#pragma omp task in_reduction(+ : sum, parts) in_reduction(add : p) firstprivate(i)
            {
                sum += i;
                parts[i % 5] += i;
                p += Point(i, 1);
                int inner = 0;
#pragma omp taskgroup task_reduction(+ : inner)
                {
#pragma omp task in_reduction(+ : inner, sum)
                    {
                        inner++;
                        sum += 100;
                    }
                }
                sum += 1000 * inner;
            }
        }
    }
    std::printf("groups: %d %d %d %ld %ld\n", sum, parts[0], parts[4], p.x, p.y);
}

static void worksharing()
{
    long a = 0, b = 1, c = 0, d = 0, e = 0;
    Point p;
    int threads = 0;
#pragma omp parallel reduction(task, + : a) reduction(+ : threads)
    {
        threads++;
        a += 1000;
#pragma omp for reduction(task, + : c) reduction(task, add : p)
        for (int i = 0; i < 30; i++) {
            c += 1;
#pragma omp task in_reduction(+ : a, c) in_reduction(add : p)
            {
                a += i;
                c += i;
                p += Point(1, i);
            }
        }
#pragma omp for schedule(dynamic, 2) ordered reduction(task, + : d)
        for (unsigned long long i = 0; i < 30; i++) {
#pragma omp task in_reduction(+ : d)
            d += (long)i;
#pragma omp ordered
            e = e * 3 % 1001 + (long)i;
        }
#pragma omp sections reduction(task, * : b)
        {
#pragma omp section
            {
#pragma omp task in_reduction(* : b)
                b *= 6;
            }
#pragma omp section
            b *= 7;
        }
#pragma omp scope reduction(task, + : e)
        {
#pragma omp task in_reduction(+ : e)
            e += 0;
        }
    }
    a -= 1000L * threads;
    std::printf("worksharing: %ld %ld %ld %ld %ld %ld %ld\n", a, b, c, d, e, p.x, p.y);
}

static void loops()
{
    int sum = 0, none = 5;
    Point p;
    std::vector<int> seen(50);
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop reduction(+ : sum) reduction(add : p) num_tasks(6)
        for (int i = 0; i < 50; i++) {
            sum += i;
            p += Point(i, -i);
            seen[i]++;
        }
#pragma omp taskloop reduction(+ : none)
        for (int i = 3; i < 3; i++)
            none += i;
#pragma omp taskgroup task_reduction(+ : sum)
        {
#pragma omp taskloop in_reduction(+ : sum) nogroup grainsize(9)
            for (unsigned long long i = 0; i < 40; i++)
                sum += (int)i;
        }
    }
    std::printf("loops: %d %d %ld %ld %d\n", sum, none, p.x, p.y, seen[49]);
}

int main()
{
    for (int k = 0; k < 3; k++) {
        groups();
        worksharing();
        loops();
    }
    std::printf("live: %d\n", live);
    return 0;
}
