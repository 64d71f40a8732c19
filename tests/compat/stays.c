/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE /* for the initialiser of a recursive mutex */
/* Regions that on several nodes would take long for each call of rand, or for each mutex: for 2 s.
 * Or regions during which the initial thread holds a mutex. */
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMES 20000 /* in a region, by each thread */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static long sum;

static void add(const char *by)
{
    for (int i = 0; i < TIMES; i++) {
        if (strcmp(by, "rand") == 0) {
            (void)rand();
            continue;
        }
        pthread_mutex_lock(&mutex);
        sum++;
        pthread_mutex_unlock(&mutex);
    }
}

/* Could this thread acquire it, again as well? */
static bool is_free(pthread_mutex_t *m)
{
    int rc = pthread_mutex_trylock(m);
    if (rc != 0)
        return false;
    if (m == &recursive) {
        pthread_mutex_lock(m);
        pthread_mutex_unlock(m);
    }
    return pthread_mutex_unlock(m) == 0;
}

/* No other thread gets the mutexes, and each gets them afterwards. */
static bool is_held(bool held)
{
    int errors = 0;

    if (held) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_lock(&recursive);
        pthread_mutex_lock(&recursive);
        pthread_mutex_unlock(&recursive);
    }
    for (int region = 0; region < 20; region++) {
#pragma omp parallel num_threads(2) reduction(+ : errors)
        if (omp_get_thread_num() == 1)
            errors += is_free(&mutex) == held || is_free(&recursive) == held ||
                      pthread_mutex_unlock(&recursive) != EPERM;
    }
    if (held) {
        pthread_mutex_unlock(&recursive);
        pthread_mutex_unlock(&mutex);
    }
    return errors == 0;
}

int main(int argc, char **argv)
{
    const char *by = argc > 1 ? argv[1] : "";
    if (strcmp(by, "held") == 0) {
        bool right = is_held(true) && is_held(false) && is_held(true) && is_held(false);
        printf("%s\n", right ? "right" : "wrong");
        return 0;
    }
    long regions = 0;
    double end = omp_get_wtime() + 2;

    for (; omp_get_wtime() < end; regions++)
#pragma omp parallel num_threads(2)
        add(by);
    printf("%s\n", strcmp(by, "rand") == 0 || sum == regions * 2 * TIMES ? "right" : "wrong");
    return 0;
}
