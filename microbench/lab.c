/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "microbench/lab.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/futex.h"
#include "base/spin.h"

#if defined(HAVE_LIBSIGSEGV)
#    include <sigsegv.h>
#endif

struct lab lab;

/* ---- Faults ---- */

/* Set only while no fault can happen. */
static lab_action on_fault;

/* Only async-signal-safe calls: this may be the handler. */
_Noreturn static void die_here(const char *line)
{
    ssize_t ignored = write(STDERR_FILENO, line, strlen(line));

    (void)ignored;
    _exit(1);
}

void lab_protect(size_t page, size_t count, int prot)
{
    if (mprotect(lab.app + lab_offset(page), count * BENCH_PAGE, prot) != 0)
        die_here("fault: mprotect of the application's view failed\n");
}

/* True if ADDRESS is in the region in use; its fault has then been handled. */
static bool dispatch(void *address)
{
    size_t offset = (size_t)((char *)address - (lab.app + lab_offset(0)));

    if (offset >= lab.pages * BENCH_PAGE)
        return false;
    on_fault(offset / BENCH_PAGE);
    return true;
}

#if defined(HAVE_LIBSIGSEGV)
static int from_libsigsegv(void *address, int serious)
{
    (void)serious;
    return dispatch(address);
}
#endif

static void from_kernel(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)context;
    if (!dispatch(info->si_addr))
        die_here("fault: a fault outside the memory under test\n");
}

static void install_plain(void)
{
    struct sigaction action = { .sa_sigaction = from_kernel, .sa_flags = SA_SIGINFO };

    sigfillset(&action.sa_mask);
    if (sigaction(SIGSEGV, &action, NULL) != 0)
        bench_fail(1, "cannot install a handler for SIGSEGV: %s", strerror(errno));
}

void lab_on_fault(lab_action action, bool plain)
{
    on_fault = action;
#if defined(HAVE_LIBSIGSEGV)
    if (!plain) {
        if (sigsegv_install_handler(from_libsigsegv) != 0)
            bench_fail(1, "libsigsegv does not install a handler on this system");
        return;
    }
    sigsegv_deinstall_handler();
#else
    (void)plain;
#endif
    install_plain();
}

/* ---- The other process ---- */

enum order { ORDER_WRITE, ORDER_LISTEN, ORDER_TURNS };

struct command {
    enum order order;
    size_t region;
    size_t count;
    uint64_t value;
};

static void other_write(const struct command *c)
{
    uint64_t *word = (uint64_t *)(void *)(lab.peer + c->region * lab.pages * BENCH_PAGE);

    for (size_t i = 0; i < c->count * BENCH_PAGE / sizeof(*word); i++)
        word[i] = c->value;
}

static void other_listen(uint32_t count)
{
    uint32_t seen = 0;

    while (seen < count) {
        futex_wait_shared(&lab.words->bell, seen, -1);
        uint32_t bell = atomic_load_explicit(&lab.words->bell, memory_order_acquire);
        if (bell == seen)
            continue;
        seen = bell;
        atomic_store_explicit(&lab.words->echo, seen, memory_order_release);
    }
}

/* The turns FIRST, FIRST + 2, ... */
static void take_turns(uint32_t first, uint32_t count, bool with_page)
{
    static uint64_t copy[BENCH_PAGE / sizeof(uint64_t)];

    for (uint32_t i = first; i < count; i += 2) {
        while (atomic_load_explicit(&lab.words->turn, memory_order_acquire) != i)
            spin_cpu_relax();
        if (with_page) {
            memcpy(copy, lab.peer, sizeof(copy));
            copy[0]++;
            memcpy(lab.peer, copy, sizeof(copy));
        }
        atomic_store_explicit(&lab.words->turn, i + 1, memory_order_release);
    }
}

/* Serves commands until the pipe closes. The pipe orders the sender's writes before its message
 * against the receiver's reads after it. */
_Noreturn static void other_main(int commands, int answers)
{
    struct command c;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    bench_pin(lab.core[1]);
    while (read(commands, &c, sizeof(c)) == (ssize_t)sizeof(c)) {
        if (c.order == ORDER_WRITE)
            other_write(&c);
        else if (c.order == ORDER_LISTEN)
            other_listen((uint32_t)c.count);
        else
            take_turns(1, (uint32_t)c.count, c.value != 0);
        if (write(answers, "", 1) != 1)
            break;
    }
    _exit(0);
}

static void order(struct command c)
{
    if (write(lab.command, &c, sizeof(c)) != (ssize_t)sizeof(c))
        bench_fail(1, "the other process has ended");
}

static void await_answer(void)
{
    char byte;

    if (read(lab.answer, &byte, 1) != 1)
        bench_fail(1, "the other process has ended");
}

void lab_other_writes(size_t count, uint64_t value)
{
    order((struct command){
        .order = ORDER_WRITE, .region = lab.region, .count = count, .value = value });
    await_answer();
}

void lab_other_listens(uint32_t count)
{
    atomic_store(&lab.words->bell, 0);
    atomic_store(&lab.words->echo, 0);
    order((struct command){ .order = ORDER_LISTEN, .count = count });
}

void lab_other_listened(void)
{
    await_answer();
}

void lab_turns(uint32_t count, bool with_page)
{
    atomic_store(&lab.words->turn, 0);
    order((struct command){ .order = ORDER_TURNS, .count = count, .value = with_page });
    take_turns(0, count, with_page);
    await_answer();
}

static void start_other(void)
{
    int commands[2], answers[2];

    if (pipe(commands) != 0 || pipe(answers) != 0)
        bench_fail(1, "pipe: %s", strerror(errno));
    lab.command = commands[1];
    lab.answer = answers[0];
    lab.other = fork();
    if (lab.other < 0)
        bench_fail(1, "fork: %s", strerror(errno));
    if (lab.other == 0) {
        close(commands[1]);
        close(answers[0]);
        other_main(commands[0], answers[1]);
    }
    close(commands[0]);
    close(answers[1]);
    /* The failing write reports that the other process has died. */
    signal(SIGPIPE, SIG_IGN);
}

/* ---- The second thread ---- */

#define GAP 1000 /* ns; a longer gap between two clock readings means the thread was preempted */

static atomic_bool second_stop, second_runs;
static _Atomic uint64_t second_lost;
static pthread_t second;

static void *second_main(void *arg)
{
    (void)arg;
    bench_pin(lab.core[1]);
    atomic_store(&second_runs, true);
    for (uint64_t last = bench_now(); !atomic_load_explicit(&second_stop, memory_order_relaxed);) {
        uint64_t now = bench_now();
        if (now - last > GAP)
            atomic_fetch_add_explicit(&second_lost, now - last, memory_order_relaxed);
        last = now;
    }
    return NULL;
}

uint64_t lab_second_lost(void)
{
    return atomic_load(&second_lost);
}

void lab_second_thread(bool run)
{
    if (!run) {
        atomic_store(&second_stop, true);
        pthread_join(second, NULL);
        return;
    }
    atomic_store(&second_stop, false);
    atomic_store(&second_runs, false);
    if (pthread_create(&second, NULL, second_main, NULL) != 0)
        bench_fail(1, "cannot start a second thread");
    while (!atomic_load(&second_runs))
        spin_cpu_relax();
}

/* ---- Set-up ---- */

static void *map(int fd, size_t size, int prot)
{
    int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE : MAP_SHARED;
    void *at = mmap(NULL, size, prot, flags, fd, 0);

    if (at == MAP_FAILED)
        bench_fail(1, "mmap of %zu bytes: %s; lower --pages or --rounds", size, strerror(errno));
    return at;
}

static int memory_object(const char *name, size_t size)
{
    int fd = memfd_create(name, MFD_CLOEXEC);

    if (fd < 0 || ftruncate(fd, (off_t)size) != 0)
        bench_fail(1, "memory object of %zu bytes: %s; lower --pages or --rounds", size,
                   strerror(errno));
    return fd;
}

void lab_open(size_t pages, size_t regions)
{
    size_t size = pages * regions * BENCH_PAGE;
    int own = memory_object("fault-own", size), peer = memory_object("fault-peer", size);
    int words = memory_object("fault-words", BENCH_PAGE);

    lab = (struct lab){ .pages = pages, .regions = regions };
    lab.cores = bench_cores(lab.core);
    bench_pin(lab.core[0]);
    lab.app = map(own, size, PROT_NONE);
    lab.fabric = map(own, size, PROT_READ | PROT_WRITE);
    lab.peer = map(peer, size, PROT_READ | PROT_WRITE);
    lab.twins = map(-1, pages * BENCH_PAGE, PROT_READ | PROT_WRITE);
    lab.words = map(words, BENCH_PAGE, PROT_READ | PROT_WRITE);
    start_other();
    close(own);
    close(peer);
    close(words);
}

void lab_close(void)
{
    close(lab.command);
    close(lab.answer);
    waitpid(lab.other, NULL, 0);
}
