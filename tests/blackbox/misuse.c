/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a program can do to itself: the cases of fork.sh and segv.sh, one per run. Each ends with
 * "node N: done" when the job went on.
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
    exit(96);
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
