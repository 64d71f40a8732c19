/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Black box: a thread that touches shared memory, or makes a call, has an alternate stack from then
 * on, on which an overflow of its own can be told of (altstack.h). One that has an alternate stack
 * keeps it, however small: page faults use no more of it than the system needs to deliver the
 * signal.
 */
#include "tests/litmus/litmus.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

LITMUS("altstack.h: alternate stacks", 2)

#define PAGES 200u
#define MARK  0x5a
#define LARGE ((size_t)64 << 10)

static volatile uint64_t *data;

static size_t alternate_size(void)
{
    stack_t now;
    expect(sigaltstack(NULL, &now) == 0, "sigaltstack");
    return now.ss_flags & SS_DISABLE ? 0 : now.ss_size;
}

/* Node 0 writes all pages, the last node reads and writes them, in an order that opens none
 * ahead. */
static void use(uint64_t from, uint64_t to, uint64_t k)
{
    for (uint64_t p = from; p < to; p++) {
        uint64_t at = p * 37 % PAGES;
        expect_word(data[at * PAGE_WORDS], k, "page %ju", (uintmax_t)at);
        data[at * PAGE_WORDS + 1] = k + at;
    }
}

#ifndef __SANITIZE_ADDRESS__
static void *by_fault(void *arg)
{
    expect(alternate_size() == 0, "a thread that is new to the library has an alternate stack");
    use(0, 20, 1);
    expect(alternate_size() >= LARGE, "no alternate stack after a fault");
    use(20, 40, 1);
    expect(alternate_size() >= LARGE, "no alternate stack after more faults");
    return arg;
}

static void *by_call(void *arg)
{
    hlrc_lock(1);
    hlrc_unlock(1);
    expect(alternate_size() >= LARGE, "no alternate stack after a call");
    use(40, 60, 1);
    expect(alternate_size() >= LARGE, "no alternate stack after a call and faults");
    return arg;
}

/* As much as the system says that a handler needs which does next to nothing. */
static void with_own(uint64_t from, uint64_t to, bool calls_first)
{
    size_t size = ((size_t)sysconf(_SC_MINSIGSTKSZ) + 2048 + 4095) & ~(size_t)4095;
    unsigned char *bytes =
        mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stack_t own = { .ss_sp = bytes + size, .ss_size = size };
    expect(bytes != MAP_FAILED && sigaltstack(&own, NULL) == 0, "an alternate stack");
    memset(bytes, MARK, size);
    for (int step = 0; step < 2; step++) {
        if (calls_first == (step == 0)) {
            hlrc_lock(1);
            hlrc_unlock(1);
        } else {
            use(from, to, 1);
        }
        expect_word(alternate_size(), size, "the size of the thread's own alternate stack");
    }
    for (size_t i = 0; i < size; i++)
        expect(bytes[i] == MARK, "a fault has written %zu bytes beyond the alternate stack",
               size - i);
}

static void *with_own_by_fault(void *arg)
{
    with_own(60, 130, false);
    return arg;
}

static void *with_own_by_call(void *arg)
{
    with_own(130, PAGES, true);
    return arg;
}

static void run_thread(void *(*act)(void *))
{
    pthread_t thread;
    expect(pthread_create(&thread, NULL, act, NULL) == 0, "a thread");
    pthread_join(thread, NULL);
}

#endif

void litmus_run(void)
{
    data = shared_words(PAGES * PAGE_WORDS);
    expect(alternate_size() > 0, "the main thread has no alternate stack");
    for (uint64_t p = 0; me == 0 && p < PAGES; p++)
        data[p * PAGE_WORDS] = 1;
    hlrc_barrier();
    if (me == nodes - 1) {
#ifdef __SANITIZE_ADDRESS__ /* which gives each thread an alternate stack, and needs more of one */
        use(0, PAGES, 1);
#else
        run_thread(by_fault);
        run_thread(by_call);
        run_thread(with_own_by_fault);
        run_thread(with_own_by_call);
#endif
    }
    hlrc_barrier();
    for (uint64_t p = 0; p < PAGES; p++)
        expect_word(data[p * PAGE_WORDS + 1], 1 + p, "what was written to page %ju", (uintmax_t)p);
}
