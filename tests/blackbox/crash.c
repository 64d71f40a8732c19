/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ways to crash, one per run: crash.sh knows what is to be said of each. The last node does it;
 * the others wait in a barrier.
 *
 *   crash CASE
 *
 * It prints "at ADDRESS" for the address that the case is about, and "block ADDRESS" for the shared
 * block that it lies in.
 */
#include <hlrc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LARGE ((size_t)1 << 30) /* of words: touched at two places */

typedef void (*function)(void);

/* What the compiler shall not know. */
static volatile uintptr_t nowhere, zero;
static char constant_data[64] = "data";

static uintptr_t *shared; /* one page, from hlrc_malloc_all */
static char *second;      /* was given back */
static int me, nodes;

static void announce(const char *what, const void *address)
{
    printf("%s %p\n", what, address);
    fflush(stdout);
}

/* ---- what faults ---- */

__attribute__((noinline)) static void write_to(uintptr_t address)
{
    announce("at", (void *)address);
    *(volatile int *)address = 1; /* the line that writes */
}

__attribute__((noinline)) static void read_from(uintptr_t address)
{
    announce("at", (void *)address);
    (void)*(volatile int *)address;
}

__attribute__((noinline)) static void call(uintptr_t address)
{
    announce("at", (void *)address);
    ((function)address)(); /* the line that calls */
    announce("returned from", (void *)address);
}

__attribute__((noinline)) static int recurse(int depth)
{
    volatile char frame[1000];
    frame[depth % 1000] = 1;
    return zero ? depth : recurse(depth + 1) + frame[depth % 1000];
}

static void *recurse_in_thread(void *arg)
{
    *(volatile uintptr_t *)shared = 1; /* so that the library knows the thread */
    recurse(0);
    return arg;
}

static void *write_in_thread(void *arg)
{
    *(volatile uintptr_t *)shared = 1;
    write_to(16);
    return arg;
}

static void in_thread(void *(*act)(void *))
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, act, NULL) == 0)
        pthread_join(thread, NULL);
}

/* ---- cases ---- */

static void null_write(void)
{
    write_to(nowhere + 16);
}
static void null_read(void)
{
    read_from(nowhere + 8);
}
static void null_call(void)
{
    call(nowhere);
}
static void wild(void)
{
    read_from(0x123456789000);
}
static void no_address(void)
{
    read_from(0x4141414141414141);
}
static void read_only(void)
{
    write_to((uintptr_t) "a constant");
}
static void no_code(void)
{
    call((uintptr_t)malloc(100));
}
static void overflow(void)
{
    recurse(0);
}
static void overrun(void)
{
    char array[16];
    volatile char *at = array;
    for (size_t i = zero;; i += 64)
        at[i] = 1;
}
static void overflow_thread(void)
{
    in_thread(recurse_in_thread);
}
static void thread_write(void)
{
    in_thread(write_in_thread);
}

static void block(void)
{
    char *mine = hlrc_malloc(60);
    announce("block", mine);
    call((uintptr_t)mine + 16);
}
static void freed(void)
{
    char *mine = hlrc_malloc(60), *other = hlrc_malloc(60);
    hlrc_free(mine);
    announce("block", mine);
    call((uintptr_t)mine + 32);
    hlrc_free(other);
}
static void large(void)
{
    char *mine = hlrc_malloc(100000);
    announce("block", mine);
    call((uintptr_t)mine + 50000);
}
static void freed_large(void)
{
    char *mine = hlrc_malloc(100000);
    hlrc_free(mine);
    call((uintptr_t)mine + 50000);
}
static void block_all(void)
{
    announce("block", shared);
    call((uintptr_t)shared + 8);
}
static void freed_all(void)
{
    announce("block", second);
    call((uintptr_t)second + 5000);
}
static void tables(void)
{
    call(((uintptr_t)shared & ~(uintptr_t)0xffffffffff) + 4096);
}
static void unused(void)
{
    hlrc_free(hlrc_malloc(100000)); /* so that this node has looked at the heap */
    call((uintptr_t)shared + (4u << 20));
}
static void others_block(void)
{
    announce("block", (void *)shared[1]);
    call(shared[1] + 16);
}
static void beyond(void)
{
    read_from(((uintptr_t)shared & ~(uintptr_t)0xffffffffff) + (16u << 20) + 8192);
}
static void before(void)
{
    write_to(((uintptr_t)shared & ~(uintptr_t)0xffffffffff) - 4096);
}

static void others_function(void)
{
    call(shared[2]);
}
/* This node has something else there, as by chance. */
static void others_code(void)
{
    const size_t page = 4096;
    void *here = (void *)(shared[2] & ~(page - 1));
    if (mmap(here, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
             -1, 0) != here)
        exit(95);
    call(shared[2]);
}
static void others_data(void)
{
    read_from(shared[3]);
}
static void others_heap(void)
{
    read_from(shared[4]);
}

static void divide(void)
{
    announce("at", NULL);
    volatile int one = 1, none = (int)zero;
    printf("%d\n", one / none);
}
static void trap(void)
{
#if defined(__x86_64__)
    __asm__ volatile("ud2");
#else
    __asm__ volatile("udf #0");
#endif
}
static void behind_file(void)
{
    FILE *file = tmpfile();
    char *at =
        file ? mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0) : MAP_FAILED;
    if (at != MAP_FAILED)
        read_from((uintptr_t)at);
}
static void raise_it(void)
{
    raise(SIGSEGV);
}
static void sent(void)
{
    shared[5] = (uintptr_t)getpid();
    hlrc_barrier();
    for (;;)
        pause();
}
static void protect(void)
{
    *(volatile uintptr_t *)shared = 1;
    announce("block", shared);
    if (mprotect(shared, 4096, PROT_NONE) == 0)
        write_to((uintptr_t)shared);
}
static void own(int sig)
{
    static const char text[] = "own handler\n";
    (void)!write(1, text, sizeof text - 1);
    if (sig == SIGSEGV)
        _exit(3);
}
/* Page faults go on, and then comes one that is the program's own. */
static void fault_and_crash(void)
{
    for (size_t i = 0; i < 4000; i += 100)
        ((volatile char *)shared)[i] = 1; /* node 0 has written there */
    write_to(16);
}
static void late_handler(void)
{
    struct sigaction now;
    signal(SIGSEGV, own);
    if (sigaction(SIGSEGV, NULL, &now) == 0 && now.sa_handler == own)
        fault_and_crash();
}
static void late_default(void)
{
    struct sigaction act = { .sa_handler = own }, was;
    if (sigaction(SIGSEGV, &act, NULL) == 0 && signal(SIGSEGV, SIG_DFL) == own &&
        sigaction(SIGSEGV, NULL, &was) == 0 && was.sa_handler == SIG_DFL)
        fault_and_crash();
}
static void late_abort(void)
{
    signal(SIGABRT, own);
    abort();
}
/* For dumps.sh, which looks for the words in the dump. */
static void words(void)
{
    volatile uintptr_t *first = shared, *far = shared + LARGE / sizeof *shared;
    first[8] = 0x5ca1ab1e;
    far[8] = 0xdeadbea7;
    announce("block", shared);
    announce("far", (void *)(uintptr_t)far);
    write_to(16);
}
static void later(void)
{
}

static const struct {
    const char *name;
    void (*act)(void);
} cases[] = { { "null-write", null_write },
              { "null-read", null_read },
              { "null-call", null_call },
              { "wild", wild },
              { "no-address", no_address },
              { "read-only", read_only },
              { "no-code", no_code },
              { "overflow", overflow },
              { "overrun", overrun },
              { "overflow-thread", overflow_thread },
              { "thread", thread_write },
              { "block", block },
              { "freed", freed },
              { "large", large },
              { "freed-large", freed_large },
              { "all", block_all },
              { "freed-all", freed_all },
              { "tables", tables },
              { "unused", unused },
              { "others-block", others_block },
              { "beyond", beyond },
              { "before", before },
              { "others-function", others_function },
              { "others-code", others_code },
              { "others-data", others_data },
              { "others-heap", others_heap },
              { "divide", divide },
              { "trap", trap },
              { "behind-file", behind_file },
              { "abort", abort },
              { "raise", raise_it },
              { "sent", sent },
              { "protect", protect },
              { "late-handler", late_handler },
              { "late-default", late_default },
              { "late-abort", late_abort },
              { "words", words },
              { "finalized", later },
              { "finalized-null", later } };

static void act_on(const char *name)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (strcmp(cases[i].name, name) == 0) {
            cases[i].act();
            return;
        }
    exit(96);
}

/* What node 0 tells the others: addresses that mean nothing to them. */
static void tell(void)
{
    char *mine = hlrc_malloc(200);
    shared[1] = (uintptr_t)mine;
    shared[2] = (uintptr_t)recurse;
    shared[3] = (uintptr_t)constant_data;
    shared[4] = (uintptr_t)malloc(100);
}

static void run(const char *name)
{
    if (me == nodes - 1)
        act_on(name);
    hlrc_barrier();
    if (strcmp(name, "sent") == 0)
        kill((pid_t)shared[5], SIGSEGV);
    hlrc_barrier();
}

int main(int argc, char **argv)
{
    if (argc < 2 || hlrc_init(&argc, &argv) != 0)
        return 1;
    me = hlrc_node_id();
    nodes = hlrc_node_count();
    shared = hlrc_malloc_all(strcmp(argv[1], "words") == 0 ? 2 * LARGE : 4000);
    second = hlrc_malloc_all(9000);
    hlrc_free_all(second);
    if (me == 0)
        tell();
    hlrc_barrier();
    run(argv[1]);
    hlrc_finalize();
    if (me == nodes - 1 && strcmp(argv[1], "finalized") == 0)
        write_to((uintptr_t)shared + 8);
    if (me == nodes - 1 && strcmp(argv[1], "finalized-null") == 0)
        null_write();
    return 0;
}
