/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cancelled taskgroups: objects of tasks that were not begun are destroyed; a task that ran elsewhere,
 * in a loop with a reduction of tasks, cancels the group around the loop. */
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

static int made, gone, wrong, ran;

struct object {
    int value;
    object() : value(5)
    {
        add(made);
    }
    object(const object &other) : value(other.value)
    {
        add(made);
    }
    ~object()
    {
        add(gone);
        if (value != 5)
            add(wrong);
    }
    static void add(int &what)
    {
#pragma omp atomic
        what++;
    }
};

static int mine;
#pragma omp threadprivate(mine)

static void objects()
{
    object a;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
    for (int i = 0; i < 60; i++) {
#pragma omp task firstprivate(a)
        {
            usleep(100);
            object::add(ran);
#pragma omp cancel taskgroup if (i > 5)
        }
    }
}

static void before_loop()
{
    int sum = 0;
#pragma omp parallel
#pragma omp taskgroup
    {
#pragma omp task
        {
#pragma omp cancel taskgroup
        }
#pragma omp taskwait
#pragma omp for reduction(task, + : sum)
        for (int i = 0; i < 64; i++) {
            sum++;
#pragma omp task in_reduction(+ : sum)
            object::add(wrong);
        }
    }
    if (sum != 64)
        wrong++;
}

static void around_loop()
{
    int sum = 0;
#pragma omp parallel
#pragma omp taskgroup
    {
        mine = 0;
#pragma omp for reduction(task, + : sum)
        for (int i = 0; i < 64; i++) {
            sum++;
            mine = 1;
#pragma omp task in_reduction(+ : sum)
            {
                sum += 0;
#pragma omp cancel taskgroup
                object::add(wrong);
            }
        }
        if (sum != 64)
            object::add(wrong);
        int cancelled = mine;
#pragma omp task firstprivate(cancelled)
        if (cancelled)
            object::add(wrong);
    }
}

int main()
{
    objects();
    for (int i = 0; i < 5; i++) {
        before_loop();
        around_loop();
    }
    printf("%d %d, %d wrong\n", made == gone, ran > 0, wrong);
    return 0;
}
