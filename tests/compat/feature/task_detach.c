/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Detached tasks: taskwait, taskgroup, dependences and barriers wait for their events, which any
 * thread fulfils, and which may be fulfilled before the task has run, or after it. */
#include <omp.h>
#include <stdio.h>

#define N 60

static int wrong, order[N], done;

static void expect(int holds, int line)
{
    if (holds)
        return;
    printf("line %d\n", line);
#pragma omp atomic
    wrong++;
}
#define EXPECT(holds) expect(holds, __LINE__)

/* The first task runs before the second is created, where one thread has them. */
static void chain(void)
{
    int x = 0, y = 0, z = 0;
    omp_event_handle_t first, second;
#pragma omp task detach(first) shared(x)
    x++;
#pragma omp task detach(second) shared(y)
    {
        y++;
        omp_fulfill_event(first);
    }
#pragma omp task shared(z)
    {
        z++;
        omp_fulfill_event(second);
    }
#pragma omp taskwait
    EXPECT(x == 1 && y == 1 && z == 1);
}

static void dependences(void)
{
    omp_event_handle_t event;
    int x = 0, at = 0;
#pragma omp taskgroup
    {
#pragma omp task detach(event) depend(out : x) shared(x)
        x = 1;
        for (int i = 0; i < N; i++) {
#pragma omp task depend(inout : x) shared(x, at)
            {
                EXPECT(at == 1);
                order[i] = x++;
            }
        }
        at = 1; /* before the event: no task has run */
        omp_fulfill_event(event);
    }
    for (int i = 0; i < N; i++)
        EXPECT(order[i] == i + 1);
}

/* Each thread waits in the barrier for its task, whose event another fulfils. */
static void across(void)
{
    static omp_event_handle_t events[256];
    int threads = 1;
    done = 0;
#pragma omp parallel
    {
        int me = omp_get_thread_num();
        omp_event_handle_t event;
#pragma omp single
        threads = omp_get_num_threads();
#pragma omp task detach(event)
        {
#pragma omp atomic
            done++;
        }
#pragma omp atomic write seq_cst
        events[me] = event;
        for (omp_event_handle_t other = 0; !other;) {
            int to = (me + 1) % threads;
#pragma omp atomic read seq_cst
            other = events[to];
            order[to % N] = me + 1000;
            if (other)
                omp_fulfill_event(other);
        }
#pragma omp barrier
        EXPECT(done == threads && order[me % N] == (me + threads - 1) % threads + 1000);
    }
}

int main(void)
{
    struct wide {
        int a[40];
    } wide = { { 1, 2, 3, 4 } };
    omp_event_handle_t event;
#pragma omp parallel num_threads(1)
    {
        chain();
        dependences();
    }
#pragma omp parallel
    {
        chain();
#pragma omp barrier
#pragma omp master
        dependences();
    }
    across();
#pragma omp parallel master
#pragma omp task firstprivate(wide) detach(event)
    {
        EXPECT(wide.a[3] == 4);
        omp_fulfill_event(event);
    }
#pragma omp task detach(event) if (0)
    omp_fulfill_event(event);
    printf("%d wrong\n", wrong);
    return 0;
}
