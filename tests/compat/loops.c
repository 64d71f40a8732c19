/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loops of OpenMP, of every schedule: each prints what it has computed, which depends neither on
 * the number of threads nor on who got which iteration. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 1000

static long done[N];
static long order[N];
static int next;

static void clear(void)
{
    memset(done, 0, sizeof done);
}

/* Every iteration once: position and value. */
static void report(const char *what)
{
    long sum = 0, wrong = 0;
    for (long i = 0; i < N; i++) {
        wrong += done[i] != 7 * i + 1;
        sum += done[i] * (i + 3);
    }
    printf("%s: %ld, %ld wrong\n", what, sum, wrong);
    clear();
}

#define LOOP(name, clauses)                                                 \
    static void name(void)                                                  \
    {                                                                       \
        _Pragma(clauses) for (long i = 0; i < N; i++) done[i] += 7 * i + 1; \
        report(#name);                                                      \
    }
LOOP(plain, "omp parallel for")
LOOP(static_3, "omp parallel for schedule(static, 3)")
LOOP(dynamic_1, "omp parallel for schedule(dynamic)")
LOOP(dynamic_7, "omp parallel for schedule(dynamic, 7)")
LOOP(monotonic, "omp parallel for schedule(monotonic: dynamic, 5)")
LOOP(guided_1, "omp parallel for schedule(guided)")
LOOP(guided_9, "omp parallel for schedule(guided, 9)")
LOOP(automatic, "omp parallel for schedule(auto)")
LOOP(at_run_time, "omp parallel for schedule(runtime)")
LOOP(few_threads, "omp parallel for num_threads(2) schedule(dynamic, 11)")
LOOP(one_thread, "omp parallel for if(0) schedule(dynamic, 11)")

static void down(void)
{
#pragma omp parallel for schedule(dynamic, 4)
    for (long i = N - 1; i >= 0; i--)
        done[i] += 7 * i + 1;
    report("down");
#pragma omp parallel for schedule(guided)
    for (int i = 2 * N - 2; i > -1; i -= 2)
        done[i / 2] += 7 * (i / 2) + 1;
    report("down by two");
}

static void large_numbers(void)
{
    unsigned long long base = 0xfffffffffff00000ull;
#pragma omp parallel for schedule(dynamic, 13)
    for (unsigned long long i = base; i < base + 3 * N; i += 3)
        done[(i - base) / 3] += (long)(7 * ((i - base) / 3) + 1);
    report("unsigned");
#pragma omp parallel for schedule(runtime)
    for (unsigned long long i = base + N; i > base; i--)
        done[i - base - 1] += (long)(7 * (i - base - 1) + 1);
    report("unsigned, down");
}

static void by_calls(void)
{
    static const omp_sched_t kinds[] = { omp_sched_static, omp_sched_dynamic, omp_sched_guided,
                                         omp_sched_auto };
    for (int k = 0; k < 4; k++)
        for (int chunk = 0; chunk < 12; chunk += 5) {
            omp_sched_t kind;
            int size;
            omp_set_schedule(kinds[k], chunk);
            omp_get_schedule(&kind, &size);
#pragma omp parallel for schedule(runtime)
            for (long i = 0; i < N; i++)
                done[i] += 7 * i + 1;
            printf("kind %d ", (int)kind);
            report("by omp_set_schedule");
        }
}

static void collapsed(void)
{
#pragma omp parallel for collapse(2) schedule(dynamic, 3)
    for (int i = 0; i < 10; i++)
        for (int k = 0; k < 100; k++)
            done[i * 100 + k] += 7 * (i * 100 + k) + 1;
    report("collapse");
#pragma omp parallel for collapse(3)
    for (int i = 0; i < 10; i++)
        for (int k = 0; k < 10; k++)
            for (int m = 0; m < 10; m++)
                done[i * 100 + k * 10 + m] += 7 * (i * 100 + k * 10 + m) + 1;
    report("collapse of three");
}

static void last_private(void)
{
    long last = 0, other = 0;
#pragma omp parallel for lastprivate(last) schedule(dynamic, 3)
    for (long i = 0; i < N - 1; i++)
        last = 5 * i;
#pragma omp parallel for lastprivate(other)
    for (long i = 0; i < N - 1; i++)
        other = 6 * i;
    printf("lastprivate: %ld %ld\n", last, other);
}

/* Many loops without a barrier between them, more than there are words for. */
static void no_wait(void)
{
    long sum = 0;
#pragma omp parallel reduction(+ : sum)
    for (int k = 0; k < 150; k++) {
#pragma omp for schedule(dynamic, 2) nowait
        for (int i = 0; i < 20; i++)
            sum += (long)k * i;
    }
    printf("nowait: %ld\n", sum);
}

static void empty(void)
{
    int times = 0;
#pragma omp parallel for schedule(dynamic, 3) reduction(+ : times)
    for (int i = 5; i < 5; i++)
        times++;
#pragma omp parallel for schedule(guided) reduction(+ : times)
    for (int i = 5; i < 3; i++)
        times++;
    printf("empty loops: %d\n", times);
}

static void in_order(void)
{
    next = 0;
#pragma omp parallel for ordered schedule(dynamic, 3)
    for (int i = 0; i < 60; i++) {
#pragma omp ordered
        order[next++] = i;
    }
#pragma omp parallel for ordered schedule(static)
    for (int i = 0; i < 30; i++) {
        if (i % 3 == 0) {
#pragma omp ordered
            order[next++] = i;
        }
    }
#pragma omp parallel for ordered schedule(static, 2)
    for (int i = 0; i < 30; i++) {
#pragma omp ordered
        order[next++] = -i;
    }
    printf("ordered, %d:", next);
    for (int i = 0; i < next; i++)
        printf(" %ld", order[i]);
    printf("\n");
}

/* Worksharing where there is no team. */
static void orphaned(void)
{
#pragma omp for schedule(dynamic, 3)
    for (long i = 0; i < N; i++)
        done[i] += 7 * i + 1;
}

static void no_team(void)
{
    orphaned();
    report("no team");
#pragma omp parallel
    orphaned();
    report("a team");
}

static void nested(void)
{
    long sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
    for (int i = 0; i < 10; i++) {
        long inner = 0;
#pragma omp parallel for schedule(dynamic, 2) reduction(+ : inner)
        for (int k = 0; k < 100; k++)
            inner += (long)i * k;
        sum += inner;
    }
    printf("a loop within a loop: %ld\n", sum);
}

int main(void)
{
    plain(), static_3(), dynamic_1(), dynamic_7(), monotonic(), guided_1(), guided_9();
    automatic(), at_run_time(), few_threads(), one_thread();
    down(), large_numbers(), by_calls(), collapsed(), last_private(), no_wait(), empty();
    in_order(), no_team(), nested();
    return 0;
}
