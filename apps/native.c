/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * native.c - see native.h.
 *
 * The arena is mapped before the fork, at one address for all, and is allocated in order: nodes
 * that make the same calls get the same addresses without communication. A node that exits early
 * ends the job: node 0 gets SIGCHLD and exits, and its death ends the others.
 */
#include "apps/native.h"

#include <errno.h>
#include <hlrc.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARENA     (UINT64_C(32) << 30) /* address space, not memory, until it is touched */
#define MAX_NODES 128
#define SPINS     20000 /* polls of a barrier before sleeping */

static struct meeting {
    _Atomic uint32_t round; /* futex word */
    _Atomic uint32_t arrived;
} * meeting; /* at the start of the arena */

static char *arena;
static size_t used;
static int node, nodes = 1;
static volatile sig_atomic_t ended; /* number of other nodes that have exited successfully */

void native_die(const char *format, ...)
{
    va_list args;

    fputs("native: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(1);
}

void *native_map(const char *what, size_t size)
{
    void *p =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (p == MAP_FAILED)
        native_die("no room for %s: %s", what, strerror(errno));
    return p;
}

void native_sleep(_Atomic uint32_t *word, uint32_t value)
{
    syscall(SYS_futex, word, FUTEX_WAIT, value, NULL, NULL, 0);
}

void native_wake(_Atomic uint32_t *word, int sleepers)
{
    syscall(SYS_futex, word, FUTEX_WAKE, sleepers, NULL, NULL, 0);
}

/* Async-signal-safe. */
static void on_child(int sig)
{
    static const char line[] = "native: a node has failed; ending the job\n";
    int status, before = errno;

    (void)sig;
    while (waitpid(-1, &status, WNOHANG) > 0) {
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            ssize_t written = write(STDERR_FILENO, line, sizeof(line) - 1);
            (void)written;
            _exit(1);
        }
        ended = ended + 1;
    }
    errno = before;
}

#ifdef SEQUENTIAL
#    define PROTOCOL "sequential"

static int count_nodes(void)
{
    return 1;
}
#else
#    define PROTOCOL "native"

static int count_nodes(void)
{
    const char *text = getenv("NATIVE_NODES");
    char *end;

    if (text == NULL || *text == '\0')
        return 1;
    long value = strtol(text, &end, 10);
    if (*end != '\0' || value < 1 || value > MAX_NODES)
        native_die("NATIVE_NODES=%s is not a number from 1 to %d", text, MAX_NODES);
    return (int)value;
}
#endif

/* As hlrcrun does: with at least as many cores as nodes, each node gets its own. */
static void bind_to_core(void)
{
    cpu_set_t all, mine;
    int skip = node;

    if (sched_getaffinity(0, sizeof(all), &all) != 0 || CPU_COUNT(&all) < nodes)
        return;
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &all) || skip-- > 0)
            continue;
        CPU_ZERO(&mine);
        CPU_SET(cpu, &mine);
        (void)sched_setaffinity(0, sizeof(mine), &mine);
        return;
    }
}

static void begin_child(int number, pid_t parent)
{
    node = number;
    signal(SIGCHLD, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != parent)
        _exit(1);
}

int hlrc_init(int *argc, char ***argv)
{
    pid_t parent = getpid();
    struct sigaction on_end = { .sa_handler = on_child, .sa_flags = SA_RESTART };

    (void)argc;
    (void)argv;
    nodes = count_nodes();
    setenv("HLRC_PROTOCOL", PROTOCOL, 1); /* as hlrcrun reports its protocol */
    arena = native_map("the arena", ARENA);
    native_sync_init();
    meeting = (struct meeting *)(void *)arena;
    used = 4096;
    sigaction(SIGCHLD, &on_end, NULL);
    for (int n = 1; n < nodes && node == 0; n++) {
        pid_t pid = fork();
        if (pid < 0)
            native_die("fork: %s", strerror(errno));
        if (pid == 0)
            begin_child(n, parent);
    }
    if (nodes > 1)
        bind_to_core();
    return 0;
}

/* Node 0 returns when all others have exited. */
void hlrc_finalize(void)
{
    sigset_t child, before;

    hlrc_barrier();
    if (node != 0)
        exit(0);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &before);
    while (ended < nodes - 1)
        sigsuspend(&before);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

int hlrc_node_id(void)
{
    return node;
}

int hlrc_node_count(void)
{
    return nodes;
}

/* Nothing is saved. */
int hlrc_protect(void *ptr, size_t len)
{
    (void)ptr, (void)len;
    return 0;
}

int hlrc_checkpoint(void)
{
    return 0;
}

int hlrc_checkpoint_any(void)
{
    return 0;
}

void hlrc_barrier(void)
{
    uint32_t round = atomic_load(&meeting->round);

    if (nodes == 1)
        return;
    if (atomic_fetch_add(&meeting->arrived, 1) + 1 == (uint32_t)nodes) {
        atomic_store(&meeting->arrived, 0);
        atomic_store(&meeting->round, round + 1);
        native_wake(&meeting->round, MAX_NODES);
        return;
    }
    for (int i = 0; i < SPINS && atomic_load(&meeting->round) == round; i++)
        ;
    while (atomic_load(&meeting->round) == round)
        native_sleep(&meeting->round, round);
}

/* Lives until the program ends. */
void *hlrc_malloc_all(size_t size)
{
    size_t rounded = (size + 4095) & ~(size_t)4095;

    if (rounded < size || rounded > ARENA - used)
        return NULL;
    void *at = arena + used;
    used += rounded;
    return at;
}
