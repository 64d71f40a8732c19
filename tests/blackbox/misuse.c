/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a program can do to itself: the cases of fork.sh, segv.sh and arguments.sh, one per run.
 * Each ends with "node N: done" when the job went on.
 */
#include <hlrc.h>

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile uint64_t *shared;
static volatile int *wild;
static char *shared_window;

/* The exit status of a child that does something after fork. */
static void in_child(void (*act)(void))
{
    int status;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        act();
        _exit(0);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        exit(99);
    if (WIFEXITED(status))
        printf("child: status %d\n", WEXITSTATUS(status));
    else
        printf("child: signal %d\n", WTERMSIG(status));
}

static void run_true(void)
{
    execlp("true", "true", (char *)NULL);
    _exit(98);
}

static void run_shell(void)
{
    if (system("echo from a shell") != 0)
        _exit(97);
}

static void nothing(void)
{
}
static void read_shared(void)
{
    _exit(*shared == 5 ? 0 : 1);
}
static void write_shared(void)
{
    *shared = 6;
}
static void call_lock(void)
{
    hlrc_lock(1);
}
static void call_malloc(void)
{
    (void)hlrc_malloc(10);
}
static void call_finalize(void)
{
    hlrc_finalize();
}
static void touch_null(void)
{
    *wild = 1;
}
static void raise_segv(void)
{
    raise(SIGSEGV);
}

static void mine(int sig, siginfo_t *info, void *context)
{
    static const char text[] = "own handler\n";
    (void)context, (void)!write(1, text, sizeof text - 1);
    _exit(sig == SIGSEGV && info->si_addr == (void *)16 ? 3 : 4);
}

/* A handler installed before hlrc_init gets what is not the runtime's; shared memory still
 * works. */
static void own_handler(void)
{
    struct sigaction sa = { .sa_flags = SA_SIGINFO, .sa_sigaction = mine };
    sigaction(SIGSEGV, &sa, NULL);
}

/* Arguments that are NULL, and handles that no node has created; arguments.sh has the messages. */
static void bad_argument(int which)
{
    static char mine[64];
    static const size_t stride[1] = { 8 }, counts[2] = { 8, 2 };
    char *window = shared_window;
    void *none[1] = { NULL }, *there[1] = { window };
    uint64_t value = 0;
    hlrc_group_t group;
    hlrc_rwlock_t zeros;
    int node = 0, n = 0;

    memset(&zeros, 0, sizeof zeros);
#define CASE(call)       \
    if (which == n++) {  \
        (void)(call, 0); \
        return;          \
    }
    CASE(hlrc_lock_create(NULL))
    CASE(hlrc_cond_create(NULL))
    CASE(hlrc_atomic_create(NULL, 1))
    CASE(hlrc_rwlock_create(NULL))
    CASE(hlrc_group_create(NULL, 1, &group))
    CASE(hlrc_group_create(&node, 1, NULL))
    CASE(hlrc_stats_get(NULL))
    CASE(hlrc_broadcast(NULL, 1, 0))
    CASE(hlrc_reduce(NULL, &value, 1, HLRC_UINT64, HLRC_SUM))
    CASE(hlrc_reduce(&value, NULL, 1, HLRC_UINT64, HLRC_SUM))
    CASE(hlrc_word_fetch(hlrc_word_window(window, 0), HLRC_UINT64, HLRC_SUM, NULL, NULL,
                         HLRC_RELAXED))
    CASE(hlrc_word_compare(hlrc_word_window(window, 0), HLRC_UINT64, NULL, &value, HLRC_RELAXED))
    CASE(hlrc_word_compare(hlrc_word_window(window, 0), HLRC_UINT64, &value, NULL, HLRC_RELAXED))
    CASE(hlrc_word_fetch_nb(hlrc_word_window(window, 0), HLRC_UINT64, HLRC_SUM, NULL, NULL, NULL))
    CASE(hlrc_put(window, NULL, 8, 0))
    CASE(hlrc_get(NULL, window, 8, 0))
    CASE(hlrc_put_nb(window, NULL, 8, 0, NULL))
    CASE(hlrc_get_nb(NULL, window, 8, 0, NULL))
    CASE(hlrc_put((void *)(uintptr_t)shared, NULL, 8, HLRC_HOMES))
    CASE(hlrc_put_strided(window, stride, NULL, stride, counts, 1, 0))
    CASE(hlrc_put_strided(window, NULL, mine, stride, counts, 1, 0))
    CASE(hlrc_get_strided(mine, stride, window, NULL, counts, 1, 0))
    CASE(hlrc_get_strided(mine, stride, window, stride, NULL, 1, 0))
    CASE(hlrc_put_vector(there, NULL, 1, 8, 0))
    CASE(hlrc_get_vector(NULL, (const void *const *)there, 1, 8, 0))
    CASE(hlrc_get_vector(none, (const void *const *)there, 1, 8, 0))
    CASE(hlrc_acc(window, NULL, 1, HLRC_UINT64, HLRC_SUM, NULL, 0))
    CASE(hlrc_lock(70000))
    CASE(hlrc_unlock(70001))
    CASE(hlrc_trylock(69999))
    CASE(hlrc_cond_signal((hlrc_cond_t){ 0 }))
    CASE(hlrc_cond_broadcast((hlrc_cond_t){ 1 }))
    CASE(hlrc_atomic_load((hlrc_atomic_t){ 2 }))
    CASE(hlrc_atomic_destroy((hlrc_atomic_t){ 3 }))
    CASE(hlrc_rwlock_rdlock(zeros))
    CASE(hlrc_group_barrier((hlrc_group_t){ 5 }))
    CASE(hlrc_wait((hlrc_handle_t){ 77 }))
    /* what is allowed */
    CASE(hlrc_init(NULL, NULL) == -EALREADY ? 0 : (exit(90), 0))
    CASE((hlrc_free(NULL), hlrc_put(window, NULL, 0, 0), hlrc_get(NULL, window, 0, 0),
          hlrc_word_fetch(hlrc_word_window(window, 0), HLRC_UINT64, HLRC_NO_OP, NULL, &value,
                          HLRC_RELAXED),
          hlrc_window_free(NULL), hlrc_lock_destroy(5), hlrc_lock_for(5, -9), hlrc_unlock(5)))
    exit(91);
}

static const struct {
    const char *name;
    void (*act)(void);
    int forks;
} cases[] = {
    { "exec", run_true, 1 },      { "shell", run_shell, 0 },        { "exit", nothing, 1 },
    { "read", read_shared, 1 },   { "write", write_shared, 1 },     { "lock", call_lock, 1 },
    { "malloc", call_malloc, 1 }, { "finalize", call_finalize, 1 }, { "child-null", touch_null, 1 },
    { "null", touch_null, 0 },    { "raise", raise_segv, 0 },       { "own-null", touch_null, 0 },
};

static void act_on(const char *name)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (strcmp(cases[i].name, name) == 0) {
            if (cases[i].forks)
                in_child(cases[i].act);
            else
                cases[i].act();
            return;
        }
    if (strncmp(name, "bad-", 4) != 0)
        exit(96);
    bad_argument(atoi(name + 4));
}

int main(int argc, char **argv)
{
    wild = (volatile int *)16;
    if (argc < 2)
        return 95;
    if (strncmp(argv[1], "own-", 4) == 0)
        own_handler();
    if (hlrc_init(&argc, &argv) != 0)
        return 1;
    shared = hlrc_malloc_all(4096);
    shared_window = hlrc_window_create(4096);
    hlrc_barrier();
    if (hlrc_node_id() == 0)
        *shared = 5;
    hlrc_barrier();
    if (*shared != 5)
        return 94;
    if (hlrc_node_id() == hlrc_node_count() - 1)
        act_on(argv[1]);
    hlrc_barrier();
    if (*shared != 5)
        return 93;
    hlrc_barrier();
    if (hlrc_node_id() == 0)
        *shared = 8;
    hlrc_barrier();
    if (*shared != 8)
        return 92;
    printf("node %d: done\n", hlrc_node_id());
    hlrc_finalize();
    return 0;
}
