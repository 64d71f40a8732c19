/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Faults, without pages behind them: what page_access is called with, and what the program that
 * faulted notices, which is nothing. The invariants are those of hlrc/memory/fault.h.
 */
#include "hlrc/memory/fault.h"
#include "hlrc/core/engine.h"
#include "hlrc/memory/page.h"
#include "hlrc/probe/stats.h"
#include "hlrc/progress/thread.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#define PAGES          8u
#define PROGRAMS_ERRNO 4711 /* no error of the system */

static char *elsewhere; /* a page that is not shared */
/* calls of page_access; faults that went to the handler before ours */
static unsigned accesses, others;
static uint32_t last_page;
static bool last_write, segv_blocked, found_open;

static bool blocked(int sig)
{
    sigset_t set;

    pthread_sigmask(SIG_SETMASK, NULL, &set);
    return sigismember(&set, sig);
}

/* Leaves an errno behind, as waiting for another node does. */
bool __wrap_page_access(uint32_t page, bool write);
bool __wrap_page_access(uint32_t page, bool write)
{
    accesses++;
    last_page = page;
    last_write = write;
    segv_blocked = blocked(SIGSEGV);
    mprotect(engine.app + (size_t)page * PAGE_SIZE, PAGE_SIZE,
             PROT_READ | (write ? PROT_WRITE : 0));
    errno = ETIMEDOUT;
    return !found_open;
}

static void handler_before(int sig, siginfo_t *info, void *context)
{
    (void)context;
    others += sig == SIGSEGV && info->si_addr == elsewhere;
    mprotect(elsewhere, PAGE_SIZE, PROT_READ | PROT_WRITE);
    errno = ENOTTY;
}

static void *closed_pages(size_t count)
{
    void *p = mmap(NULL, count * PAGE_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_ptr_not_equal(p, MAP_FAILED);
    return p;
}

static void begin(void)
{
    engine.nodes = 2;
    engine.pages = PAGES;
    engine.app = closed_pages(PAGES);
    elsewhere = closed_pages(1);
    accesses = others = 0;
    found_open = false;
    memset(stats_counters, 0, sizeof stats_counters);
    engine.config.cache_size = 1 << 30; /* nothing is given back */
    assert_int_equal(thread_init(4), 0);
}

static void end(void)
{
    thread_end();
    munmap(engine.app, PAGES * PAGE_SIZE);
    munmap(elsewhere, PAGE_SIZE);
}

static struct sigaction found; /* cmocka's, which it sets before each test and after */

static void install(void)
{
    struct sigaction sa = { .sa_sigaction = handler_before, .sa_flags = SA_SIGINFO };

    assert_int_equal(sigaction(SIGSEGV, &sa, &found), 0);
    assert_int_equal(fault_install(NULL), 0);
}

static void uninstall(void)
{
    fault_remove();
    sigaction(SIGSEGV, &found, NULL);
}

/* Touches a byte; the errno that the program has afterwards. */
static int touch(char *byte, bool write)
{
    volatile char *at = byte;
    volatile int *program = &errno; /* or the compiler takes it that a load leaves errno alone */

    *program = PROGRAMS_ERRNO;
    if (write)
        *at = 1;
    else
        (void)*at;
    return *program;
}

/* ---- the tests ---- */

/* [thread.no-fault], and that a write is told from a read, on a closed page and on one that may be
 * read. */
static void a_fault_leaves_errno(void)
{
    static const bool write[] = { false, true, true, true, false, true };
    static const uint32_t page[] = { 0, 0, 3, PAGES - 1, 5, 5 };

    install();
    for (unsigned i = 0; i < sizeof page / sizeof page[0]; i++) {
        assert_int_equal(touch(engine.app + page[i] * PAGE_SIZE + 100 * i, write[i]),
                         PROGRAMS_ERRNO);
        assert_int_equal(accesses, i + 1);
        assert_int_equal(last_page, page[i]);
        assert_int_equal(last_write, write[i]);
        assert_true(segv_blocked);
        assert_false(blocked(SIGSEGV));
    }
    assert_int_equal(stats_counters[STAT_READ_FAULTS], 2);
    assert_int_equal(stats_counters[STAT_WRITE_FAULTS], 4);
    uninstall();
}

static void *fault_first(void *arg)
{
    intptr_t got = touch(arg, true);

    return (void *)got;
}

/* A thread's first fault takes a slot for it, inside the handler. */
static void a_new_thread_keeps_errno(void)
{
    install();
    for (uint32_t p = 0; p < PAGES; p++) {
        pthread_t thread;
        void *got;

        assert_int_equal(pthread_create(&thread, NULL, fault_first, engine.app + p * PAGE_SIZE), 0);
        assert_int_equal(pthread_join(thread, &got), 0);
        assert_int_equal((intptr_t)got, PROGRAMS_ERRNO);
    }
    assert_int_equal(accesses, PAGES);
    uninstall();
}

/* The program's own handler sees its fault; what it does to errno is hidden, too. */
static void a_fault_elsewhere_is_passed_on(void)
{
    install();
    assert_int_equal(touch(elsewhere, true), PROGRAMS_ERRNO);
    assert_int_equal(others, 1);
    assert_int_equal(accesses, 0);
    uninstall();
}

/* Where another thread was faster, the access is repeated and nothing counted. */
static void an_open_page_is_no_fault(void)
{
    install();
    found_open = true;
    assert_int_equal(touch(engine.app, false), PROGRAMS_ERRNO);
    assert_int_equal(accesses, 1);
    assert_int_equal(stats_counters[STAT_READ_FAULTS], 0);
    uninstall();
}

UNIT_MAIN(begin, end, TEST(a_fault_leaves_errno), TEST(a_new_thread_keeps_errno),
          TEST(a_fault_elsewhere_is_passed_on), TEST(an_open_page_is_no_fault))
