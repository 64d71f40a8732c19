/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How threads begin and end: names, results, keys, cleanup, many of them, from anywhere. With an
 * argument, how the program ends. */
#define _GNU_SOURCE
#include <semaphore.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"

enum { AT_ONCE = 100, IN_TURN = 300 };

/* ---- results and names ---- */

static pthread_t names[4];

static void *tells(void *arg)
{
    long me = (long)arg;
    EXPECT(pthread_equal(pthread_self(), names[me]));
    if (me % 2)
        pthread_exit((void *)(me * 10));
    return (void *)(me * 100);
}

static sem_t detached_said;

static void *joins_itself(void *arg)
{
    EXPECT(pthread_join(pthread_self(), NULL) == EDEADLK);
    return arg;
}

static void *joins_itself_detached(void *arg)
{
    EXPECT(pthread_detach(pthread_self()) == 0);
    EXPECT(pthread_join(pthread_self(), NULL) == EINVAL);
    sem_post(&detached_said);
    return arg;
}

static void results(void)
{
    long sum = 0;
    void *r;
    for (long i = 0; i < 4; i++)
        EXPECT(pthread_create(&names[i], NULL, tells, (void *)i) == 0);
    for (int i = 0; i < 4; i++) {
        EXPECT(!pthread_equal(names[i], pthread_self()));
        for (int k = 0; k < i; k++)
            EXPECT(!pthread_equal(names[i], names[k]));
    }
    for (int i = 0; i < 4; i++) {
        EXPECT(pthread_join(names[i], &r) == 0);
        sum += (long)r;
    }
    with_threads(3, joins_itself);
    EXPECT(sem_init(&detached_said, 0, 0) == 0);
    for (int i = 0; i < 3; i++) {
        pthread_t t;
        EXPECT(pthread_create(&t, NULL, joins_itself_detached, NULL) == 0);
        EXPECT(sem_wait(&detached_said) == 0);
    }
    done("results", sum);
}

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *waits_at_gate(void *arg)
{
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    return arg;
}

static void impatient_joins(void)
{
    pthread_t t;
    struct timespec soon = after_ms(CLOCK_REALTIME, 20);
    void *r = NULL;
    pthread_mutex_lock(&gate);
    pthread_create(&t, NULL, waits_at_gate, (void *)7L);
    EXPECT(pthread_tryjoin_np(t, &r) == EBUSY);
    EXPECT(pthread_timedjoin_np(t, &r, &soon) == ETIMEDOUT);
    soon = after_ms(CLOCK_MONOTONIC, 20);
    EXPECT(pthread_clockjoin_np(t, &r, CLOCK_MONOTONIC, &soon) == ETIMEDOUT);
    pthread_mutex_unlock(&gate);
    EXPECT(pthread_join(t, &r) == 0);
    done("impatient joins", (long)r);
}

/* ---- many, by many ---- */

static long begun;
static __thread long own = 5;

static void *counts(void *arg)
{
    char *page = alloca(6000); /* of a stack that others have had */
    memset(page, (int)(long)arg, 6000);
    EXPECT(own == 5);
    own += (long)arg;
    pthread_mutex_lock(&gate);
    begun++;
    pthread_mutex_unlock(&gate);
    EXPECT(page[17] == (char)(long)arg && own == 5 + (long)arg);
    return NULL;
}

static void *creates(void *arg)
{
    (void)arg;
    with_threads(5, counts);
    return NULL;
}

static void many(void)
{
    with_threads(AT_ONCE, counts);
    for (int i = 0; i < IN_TURN / 20; i++)
        with_threads(20, counts);
    with_threads(4, creates);
    done("many", begun);
}

/* ---- detached ---- */

static pthread_cond_t all_gone = PTHREAD_COND_INITIALIZER;
static long gone;

static void *goes(void *arg)
{
    if (arg)
        EXPECT(pthread_detach(pthread_self()) == 0);
    pthread_mutex_lock(&gate);
    if (++gone == 30)
        pthread_cond_signal(&all_gone);
    pthread_mutex_unlock(&gate);
    return NULL;
}

static void detached(void)
{
    pthread_attr_t a;
    pthread_t t;
    pthread_attr_init(&a);
    EXPECT(pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED) == 0);
    EXPECT(pthread_attr_setstacksize(&a, 256 << 10) == 0);
    for (int i = 0; i < 10; i++) {
        EXPECT(pthread_create(&t, &a, goes, NULL) == 0);
        EXPECT(pthread_create(&t, NULL, goes, (void *)1L) == 0);
        EXPECT(pthread_create(&t, NULL, goes, NULL) == 0);
        EXPECT(pthread_detach(t) == 0);
    }
    pthread_attr_destroy(&a);
    pthread_mutex_lock(&gate);
    while (gone < 30)
        pthread_cond_wait(&all_gone, &gate);
    pthread_mutex_unlock(&gate);
    done("detached", gone);
}

/* ---- keys ---- */

static pthread_key_t key, again, bare;
static long destroyed, rounds;

static void destroy(void *value)
{
    pthread_mutex_lock(&gate);
    destroyed += *(long *)value;
    pthread_mutex_unlock(&gate);
    free(value);
}

static void set_again(void *value)
{
    pthread_mutex_lock(&gate);
    rounds++;
    pthread_mutex_unlock(&gate);
    pthread_setspecific(again, value);
}

static void *has_values(void *arg)
{
    long *value = malloc(sizeof *value);
    EXPECT(pthread_getspecific(key) == NULL);
    *value = (long)arg + 1;
    EXPECT(pthread_setspecific(key, value) == 0);
    EXPECT(pthread_setspecific(again, value) == 0);
    EXPECT(pthread_setspecific(bare, value) == 0);
    EXPECT(pthread_getspecific(key) == value);
    if ((long)arg % 2)
        pthread_exit(NULL);
    return NULL;
}

static void *has_none(void *arg)
{
    EXPECT(pthread_getspecific(key) == NULL);
    return arg;
}

static void keys(void)
{
    EXPECT(pthread_key_create(&key, destroy) == 0);
    EXPECT(pthread_key_create(&again, set_again) == 0);
    EXPECT(pthread_key_create(&bare, NULL) == 0);
    with_threads(6, has_values);
    EXPECT(rounds == 6 * 4);
    EXPECT(pthread_setspecific(key, &rounds) == 0);
    EXPECT(pthread_key_delete(key) == 0);
    EXPECT(pthread_setspecific(key, &rounds) == EINVAL);
    EXPECT(pthread_key_create(&key, NULL) == 0);
    EXPECT(pthread_getspecific(key) == NULL);
    with_threads(3, has_none);
    done("keys", destroyed);
}

/* ---- cleanup ---- */

static long cleaned;

static void clean(void *arg)
{
    pthread_mutex_lock(&gate);
    cleaned = cleaned * 10 + (long)arg;
    pthread_mutex_unlock(&gate);
}

static void leave_from(long depth, long last)
{
    pthread_cleanup_push(clean, (void *)depth);
    if (depth < last)
        leave_from(depth + 1, last);
    else
        pthread_exit((void *)33L);
    pthread_cleanup_pop(0);
}

static void *leaves(void *arg)
{
    leave_from(1, 3);
    return arg;
}

static void cleanup(void)
{
    for (int i = 0; i < 2; i++) {
        pthread_t t;
        void *r;
        cleaned = 0;
        pthread_create(&t, NULL, leaves, NULL);
        pthread_join(t, &r);
        EXPECT(r == (void *)33L);
    }
    done("cleanup", cleaned);
}

/* ---- ends ---- */

static void *sleeps(void *arg)
{
    if (arg)
        sleep(60);
    for (;;)
        pause();
    return NULL;
}

static void told(void)
{
    puts("an exit handler");
}

static void *exits(void *arg)
{
    printf("leaving\n");
    exit((int)(long)arg);
}

static void *goes_on(void *arg)
{
    pthread_setspecific(key, (void *)10L);
    nanosleep(&(struct timespec){ 0, 100000000 }, NULL);
    puts("after main");
    return arg;
}

static void key_of_last(void *value)
{
    printf("value %ld\n", (long)value);
}

/* ---- children ---- */

static int status_of(pid_t child)
{
    int status;
    EXPECT(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* What it executes is gone when fork has returned here. */
static int executes(int code)
{
    long local[500];
    char **args = calloc(4, sizeof *args);
    args[0] = strdup("sh");
    args[1] = strdup("-c");
    args[2] = malloc(40);
    snprintf(args[2], 40, "exit $((%d + ${OWN:-0}))", code);
    for (int i = 0; i < 500; i++)
        local[i] = code;
    pid_t child = fork();
    if (child == 0) {
        execvp(args[0], args);
        _exit(1);
    }
    memset(args[2], 'x', 39);
    for (int i = 0; i < 500; i++)
        EXPECT(local[i] == code);
    for (int i = 0; i < 3; i++)
        free(args[i]);
    free(args);
    return status_of(child);
}

/* Its own stack may be stored to, however long it runs. */
static int runs_on(int code)
{
    volatile long local[500] = { code };
    pid_t child = fork();
    if (child == 0) {
        for (int i = 1; i < 500; i++)
            local[i] = local[i - 1];
        execlp("/nowhere/to/be/found", "it", (char *)NULL);
        exit((int)local[499]);
    }
    EXPECT(local[0] == code && local[499] == 0);
    return status_of(child);
}

static void *forks(void *arg)
{
    int code = (int)(intptr_t)arg;
    EXPECT(executes(code) == code + 3);
    EXPECT(runs_on(code) == code);
    return NULL;
}

/* What setenv has set is the first node's. */
static void *forks_alone(void *arg)
{
    int code = (int)(intptr_t)arg;
    EXPECT(executes(code) == code && runs_on(code) == code);
    return NULL;
}

static void children(void)
{
    pthread_t t[3];
    setenv("OWN", "3", 1);
    fflush(stdout);
    (void)forks((void *)20);
    unsetenv("OWN");
    EXPECT(executes(7) == 7);
    for (long i = 0; i < 3; i++) {
        pthread_create(&t[i], NULL, forks_alone, (void *)(30 + i));
        pthread_join(t[i], NULL);
    }
}

static int end_by(const char *how)
{
    pthread_t t;
    setvbuf(stdout, NULL, _IOFBF, 4096); /* node 0's */
    atexit(told);
    if (strcmp(how, "main") == 0) { /* while others run */
        for (long i = 0; i < 5; i++)
            pthread_create(&t, NULL, sleeps, (void *)(i % 2));
        puts("main returns");
        return 0;
    }
    if (strcmp(how, "status") == 0) {
        for (long i = 0; i < 3; i++)
            pthread_create(&t, NULL, sleeps, NULL);
        exit(43);
    }
    if (strcmp(how, "thread") == 0) {
        pthread_create(&t, NULL, sleeps, NULL);
        pthread_create(&t, NULL, sleeps, NULL);
        pthread_create(&t, NULL, exits, (void *)44L);
        pause();
    }
    if (strcmp(how, "exit") == 0) {
        pthread_key_create(&key, key_of_last);
        pthread_setspecific(key, (void *)9L);
        pthread_create(&t, NULL, goes_on, NULL);
        pthread_exit(NULL);
    }
    return 99;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return end_by(argv[1]);
    results();
    impatient_joins();
    many();
    detached();
    keys();
    cleanup();
    children();
    return 42;
}
