/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Black box: a page fault leaves errno alone, though it waits for another node with system calls
 * that fail. The home of the page is stopped, so that the fault waits until somebody has let it go
 * on.
 */
#include "tests/litmus/litmus.h"

#include <errno.h>
#include <string.h>

LITMUS("errno", 3)

#define PROGRAMS_ERRNO 4711 /* no error of the system */
#define WAYS           5

static volatile uint64_t *page, *flag, *fresh;

/* Touches a word; the value before. */
static uint64_t touch(volatile uint64_t *word, bool write, const char *what)
{
    uint64_t before = 0;
    volatile int *program = &errno; /* or the compiler takes it that a load leaves errno alone */
    *program = PROGRAMS_ERRNO;
    if (write)
        *word = 1;
    else
        before = *word;
    int after = *program;
    expect(after == PROGRAMS_ERRNO, "%s changed errno to %d, %s", what, after, strerror(after));
    return before;
}

static void read_it(int thread)
{
    (void)thread;
    touch(page + 3, false, "a new thread's first fault");
}

/* Node 1 has acquired what node 0 wrote, whose diff lies before node 2. */
static void reader(int way)
{
    if (way == 1)
        page[100] = (uint64_t)way; /* dirty: what is fetched will be merged */
    await((hlrc_lock_t)nodes * 4 + 1, flag, (uint64_t)way + 1); /* a lock that node 1 manages */
    continue_node_after(2, 30);
    if (way == 4)
        in_threads(1, read_it);
    else if (way == 3)
        expect(hlrc_prefetch((void *)(uintptr_t)page, PAGE) == 0, "hlrc_prefetch");
    else if (way == 2)
        touch(page + 101, true, "a write fault");
    expect_word(touch(page + 3, false, "a read fault"), (uint64_t)way + 1,
                "what the writer wrote, way %d", way);
    await_continued();
}

static void remote(int way)
{
    expect_word(touch(page + 3, false, "a fault"), (uint64_t)way, "the word before");
    hlrc_barrier();
    if (me == 0) {
        /* the page is writable and its home known before the home stops */
        page[4] = (uint64_t)way + 1;
        stop_node(2);
        page[3] = (uint64_t)way + 1;
        post((hlrc_lock_t)nodes * 4 + 1, flag, (uint64_t)way + 1);
    } else if (me == 1) {
        reader(way);
    }
    hlrc_barrier();
}

static void first_fault(int thread)
{
    touch(fresh + (uint64_t)(3 * thread + me) * PAGE_WORDS, true,
          "a new thread's first fault, a write");
}

void litmus_run(void)
{
    meet_pids();
    page = shared_words(PAGE_WORDS);
    flag = shared_words(PAGE_WORDS);
    fresh = shared_words(LITMUS_THREADS * 3 * PAGE_WORDS);
    if (me == 2)
        place(page, PAGE, 2);
    if (me == 0)
        place(flag, PAGE, 0);
    hlrc_barrier();
    in_threads(LITMUS_THREADS, first_fault);
    for (uint64_t p = 0; p < 3; p++) {
        touch(fresh + p * PAGE_WORDS + 1, false, "a read of what others wrote");
        touch(fresh + p * PAGE_WORDS + 8 + (uint64_t)me, true, "a write to what others wrote");
    }
    hlrc_barrier();
    for (int way = 0; way < WAYS; way++)
        remote(way);
}
