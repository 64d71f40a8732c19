/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Handling page faults and system calls uses less than half of an alternate stack (altstack.h).
 * Each thread paints its alternate stack and that of its slot, which are the same without a
 * sanitizer. Then it does what takes most of them: faults that fetch pages, while other nodes send
 * diffs; faults that end an interval to make room; system calls on shared memory, which fault in
 * turn. What is not paint afterwards was used. A thread that has a smaller stack of its own, as the
 * address sanitizer gives to each, does the same.
 */
#include "hlrc/progress/altstack.h"

#include "hlrc/progress/thread.h"
#include "tests/litmus/litmus.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

LITMUS("altstack.h: depth of alternate stacks", 2, 3)

LITMUS_SET(CACHE_SIZE, "64K")
LITMUS_SET(SYSCALLS, "auto")

__attribute__((constructor)) static void choose_protocols(void)
{
    (void)setenv("LITMUS_PROTOCOLS", "async ardmar onesided", 0);
}

#define THREADS 3
#define ROUNDS  12u
#define PAGES   256u
#define PAINT   0xa5
#define SMALL   ((size_t)32 << 10)

static volatile uint64_t *data;
static size_t most, alternate_most; /* bytes used; under the lock */
static size_t bytes;                /* of the stack of a slot */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Not instrumented: the memory is the sanitizer's. */
__attribute__((no_sanitize("address"))) static void paint(const stack_t *s)
{
    volatile unsigned char *at = s->ss_sp;
    for (size_t i = 0; i < s->ss_size; i++)
        at[i] = PAINT;
}

__attribute__((no_sanitize("address"))) static size_t used(const stack_t *s)
{
    const volatile unsigned char *at = s->ss_sp;
    size_t clean = 0;
    while (clean < s->ss_size && at[clean] == PAINT)
        clean++;
    return s->ss_size - clean;
}

static void note(const stack_t *alternate, const stack_t *own)
{
    expect(used(alternate) > 0, "no fault was handled on an alternate stack");
    expect(used(alternate) <= alternate->ss_size / 2, "%zu of %zu bytes of an alternate stack",
           used(alternate), alternate->ss_size);
    pthread_mutex_lock(&lock);
    if (used(own) > most)
        most = used(own);
    if (used(alternate) > alternate_most)
        alternate_most = used(alternate);
    bytes = own->ss_size;
    pthread_mutex_unlock(&lock);
}

/* A word of its own in each page, of each thread of the job. */
static volatile uint64_t *word(uint64_t page, uint64_t slot)
{
    return &data[page % PAGES * PAGE_WORDS + 2 * slot];
}

static void calls(uint64_t slot, uint64_t round)
{
    int ends[2];
    expect(pipe(ends) == 0, "a pipe");
    for (uint64_t i = 0; i < 8; i++) {
        volatile uint64_t *from = word(i * 31 + round, slot), *to = word(i * 17 + round, slot) + 1;
        uint64_t value = *from;
        expect(write(ends[1], (const void *)(uintptr_t)from, 8) == 8, "write");
        expect(read(ends[0], (void *)(uintptr_t)to, 8) == 8, "read");
        expect_word(*to, value, "what a pipe brought to shared memory");
    }
    close(ends[0]);
    close(ends[1]);
}

/* A stack that is too small; `below` has as many bytes and is not to be used. */
__attribute__((unused)) static void take_small(stack_t *below)
{
    char *at = mmap(NULL, 2 * SMALL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stack_t small = { .ss_sp = at + SMALL, .ss_size = SMALL };
    expect(at != MAP_FAILED && sigaltstack(&small, NULL) == 0, "an alternate stack");
    *below = (stack_t){ .ss_sp = at, .ss_size = SMALL };
    paint(below);
}

static void work(int thread)
{
    stack_t alternate, own, below = { 0 };
    uint64_t slot = (uint64_t)(me * THREADS + thread);
#ifndef __SANITIZE_ADDRESS__ /* its runtime would free this stack */
    if (thread == 1)
        take_small(&below);
#endif
    hlrc_lock(1); /* from here on it has one */
    hlrc_unlock(1);
    expect(sigaltstack(NULL, &alternate) == 0 && !(alternate.ss_flags & SS_DISABLE),
           "no alternate stack");
    own = altstack_slot(thread_self()->index);
    paint(&alternate);
    paint(&own);
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        for (uint64_t i = 0; i < PAGES; i++) { /* in order, or not */
            uint64_t page = round % 2 ? i : i * 37;
            expect_word(*word(page, slot), round - 1, "page %ju", (uintmax_t)(page % PAGES));
            *word(page, slot) = round;
        }
        calls(slot, round);
        hlrc_lock(2);
        ++*word(round, 15);
        hlrc_unlock(2);
    }
    expect(used(&below) == 0, "%zu bytes below an alternate stack of %zu bytes", used(&below),
           SMALL);
    note(&alternate, &own);
}

void litmus_run(void)
{
    data = shared_words(PAGES * PAGE_WORDS);
    hlrc_barrier();
    in_threads(THREADS, work);
    hlrc_barrier();
    if (getenv("ALTSTACK_DEPTH"))
        fprintf(stderr, "node %d: %zu bytes of an alternate stack, %zu of %zu of a slot's\n", me,
                alternate_most, most, bytes);
    expect(most <= bytes / 2, "%zu of %zu bytes of the stack of a slot", most, bytes);
}
