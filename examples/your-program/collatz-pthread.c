/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * collatz-pthread: a plain POSIX threads program without any HLRC calls. Its threads, on all
 * nodes, take ranges of numbers under a mutex. They search for the number below a million that
 * takes the most steps to 1, where an even number is halved, and an odd one is tripled and
 * incremented.
 *
 *     hlrcc -O2 -pthread collatz-pthread.c -o collatz-pthread
 *     hlrcrun -n 3 ./collatz-pthread
 */
#include <pthread.h>
#include <stdio.h>

#define BELOW   1000000
#define RANGE   20000
#define THREADS 6

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long next = 1, best = 1, most;

static long steps_of(long number)
{
    long steps = 0;
    for (; number != 1; steps++)
        number = number % 2 ? 3 * number + 1 : number / 2;
    return steps;
}

/* Returns a range's first number, or BELOW if none is left. */
static long take(void)
{
    pthread_mutex_lock(&mutex);
    long first = next;
    next = next + RANGE < BELOW ? next + RANGE : BELOW;
    pthread_mutex_unlock(&mutex);
    return first;
}

static void *look(void *unused)
{
    long mine = 1, steps = 0;
    for (long first = take(); first < BELOW; first = take())
        for (long n = first; n < first + RANGE && n < BELOW; n++)
            if (steps_of(n) > steps) {
                mine = n;
                steps = steps_of(n);
            }
    pthread_mutex_lock(&mutex);
    if (steps > most || (steps == most && mine < best)) {
        most = steps;
        best = mine;
    }
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, look, NULL) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    printf("below %d it is %ld, with %ld steps\n", BELOW, best, most);
    return 0;
}
