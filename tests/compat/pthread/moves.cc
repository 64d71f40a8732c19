/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads that move between nodes keep all that is theirs: frames, variables, names, rounding, exceptions that they caught. */
#include <cerrno>
#include <cfenv>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <vector>

enum { THREADS = 5, ROUNDS = 60, DEPTH = 5 };
static pthread_barrier_t barrier;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t spin;
static long total, spun, cells[THREADS], kept[THREADS];
static thread_local long rounds;
static thread_local char text[100];
static pthread_key_t key;
static int ended;

static void is(bool right, const char *what, long thread)
{
    if (right)
        return;
    printf("thread %ld has lost its %s\n", thread, what);
    exit(3);
}

static void at_end(void *value)
{
    pthread_mutex_lock(&mutex);
    ended += *(int *)value;
    pthread_mutex_unlock(&mutex);
}

/* Waits with many frames; the stack protector guards them. */
__attribute__((noinline)) static long deep(int depth, long thread)
{
    volatile long frame[10];
    for (int i = 0; i < 10; i++)
        frame[i] = thread + depth + i;
    if (depth == 0) {
        pthread_mutex_lock(&mutex);
        total++;
        pthread_mutex_lock(&inner);
        pthread_spin_lock(&spin);
        pthread_mutex_unlock(&inner);
        pthread_mutex_unlock(&mutex);
        spun++;
        pthread_spin_unlock(&spin);
        errno = 7;
        pthread_barrier_wait(&barrier);
        is(errno == 7, "errno", thread);
        return 1;
    }
    long below = deep(depth - 1, thread);
    for (int i = 0; i < 10; i++)
        is(frame[i] == thread + depth + i, "frames", thread);
    return below + 1;
}

static void catching(int round, long thread)
{
    std::string wanted = "round " + std::to_string(round);
    try {
        try {
            throw std::runtime_error(wanted);
        } catch (std::exception &e) {
            pthread_mutex_lock(&mutex);
            total++;
            pthread_mutex_unlock(&mutex);
            is(e.what() == wanted, "exception", thread);
            throw;
        }
    } catch (std::runtime_error &e) {
        is(e.what() == wanted, "exception", thread);
    }
}

static double used()
{
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What the system counts: within a tick of that. */
static bool usage_is(double wanted)
{
    struct rusage u;
    if (getrusage(RUSAGE_THREAD, &u) != 0)
        return false;
    double sum = (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
                 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
    return sum > wanted - 0.005 && sum < used() + 0.005;
}

static void *body(void *arg)
{
    static int one = 1;
    long thread = (long)arg, *mine = &rounds;
    int rounding = thread % 2 ? FE_UPWARD : FE_TONEAREST;
    char wanted[100];
    double before = used();
    pthread_t self = pthread_self();
    pthread_setspecific(key, &one);
    snprintf(text, sizeof text, "thread %ld", thread);
    fesetround(rounding);
    for (int r = 0; r < ROUNDS; r++) {
        rounds++;
        cells[thread]++;
        is(deep(DEPTH, thread) == DEPTH + 1, "depth", thread);
        is(*mine == r + 1 && cells[thread] == r + 1, "counts", thread);
        is(pthread_self() == self && pthread_getspecific(key) == &one, "name", thread);
        snprintf(wanted, sizeof wanted, "thread %ld", thread);
        is(strcmp(wanted, text) == 0, "text", thread);
        is(fegetround() == rounding, "rounding", thread);
        is(used() > before, "CPU time", thread);
        before = used();
        is(usage_is(before), "usage", thread);
        catching(r, thread);
    }
    fesetround(FE_TONEAREST);
    kept[thread] = rounds;
    if (thread == 3)
        pthread_exit((void *)thread);
    return (void *)thread;
}

/* A library's frame is between the program's: it sorts in memory of its node. */
static int compare(const void *a, const void *b)
{
    pthread_mutex_lock(&mutex);
    total++;
    pthread_mutex_unlock(&mutex);
    return *(const int *)a - *(const int *)b;
}

static void *sorts(void *)
{
    std::vector<int> v;
    for (int i = 0; i < 300; i++)
        v.push_back(i * 7919 % 300);
    for (int round = 0; round < 3; round++) {
        qsort(v.data(), v.size(), sizeof v[0], compare);
        for (int i = 0; i < 300; i++)
            is(v[i] == i, "order", 0);
    }
    return nullptr;
}

int main()
{
    pthread_t t[THREADS];
    pthread_key_create(&key, at_end);
    pthread_spin_init(&spin, 0);
    pthread_barrier_init(&barrier, nullptr, THREADS);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], nullptr, body, (void *)i);
    for (long i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(t[i], &result);
        printf("%ld: %ld rounds\n", (long)result, kept[i]);
    }
    printf("%ld %ld, %d ended\n", total, spun, ended);
    pthread_create(&t[0], nullptr, sorts, nullptr);
    pthread_create(&t[1], nullptr, sorts, nullptr);
    pthread_join(t[0], nullptr);
    pthread_join(t[1], nullptr);
    std::mutex m;
    std::condition_variable cv;
    int turn = 0, turns = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([&, i] {
            for (int r = 0; r < 40; r++) {
                std::unique_lock<std::mutex> hold(m);
                cv.wait(hold, [&] { return turn == i; });
                turn = (turn + 1) % 3;
                turns++;
                cv.notify_all();
            }
        });
    for (auto &thread : threads)
        thread.join();
    printf("%d turns\n", turns);
}
