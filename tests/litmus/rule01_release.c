/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 1, release. A release passes nothing on until every page that was dirty at its start is in a
 * published interval, those that other threads wrote included; no thread gets write access back
 * before the diff is captured.
 */
#include "tests/litmus/litmus.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

LITMUS("rule 1, release", 2, 3)

#define PAGES    32u
#define ROUNDS   15u
#define STEPS    60u
#define CLOSINGS 400u

/* the page that is written under the lock; all are sealed together, it is captured amid them */
#define RUN 24u

enum { LOCK_MESSAGE = 1, LOCK_DATA = 2, LOCK_NOISE = 10 };

static volatile uint64_t *data, *flag;
static uint64_t round_now;
static atomic_bool noise_ends;
static uint64_t sweeps; /* over the last page, so far */
static atomic_bool swept;

/* A thread that never calls the library writes; another one releases. */
static void write_pages(int thread)
{
    for (uint64_t p = (uint64_t)thread; p < PAGES; p += 2)
        data[p * PAGE_WORDS + round_now] = round_now;
}

static void other_threads(void)
{
    for (round_now = 1; round_now <= ROUNDS; round_now++) {
        if (me == 0) {
            in_threads(2, write_pages);
            post(LOCK_MESSAGE, flag, round_now);
        } else {
            await(LOCK_MESSAGE, flag, round_now);
            for (uint64_t p = 0; p < PAGES; p++)
                expect_word(data[p * PAGE_WORDS + round_now], round_now,
                            "page %ju, written by a thread that did not release", (uintmax_t)p);
        }
        hlrc_barrier();
    }
}

/* So that a page is written for longer than it takes to close an interval. */
static void dawdle(void)
{
    for (volatile int i = 0; i < 2000; i++)
        ;
}

/* Writes the whole page under a lock, while other threads of the node release all the time. */
static void steps_under_lock(volatile uint64_t *page)
{
    for (uint64_t k = 0; k < STEPS; k++) {
        hlrc_lock(LOCK_DATA);
        uint64_t before = page[0];
        for (uint64_t i = 0; i < PAGE_WORDS; i++) {
            expect_word(page[i], before, "word %ju of a page written as a whole under a lock",
                        (uintmax_t)i);
            page[i] = before + 1;
            if (i % 16 == 0)
                dawdle();
        }
        hlrc_unlock(LOCK_DATA);
    }
}

/* Each release closes an interval with that page in it, amid a run of pages. */
static void noise(int thread)
{
    for (uint64_t k = 1; !atomic_load(&noise_ends); k++) {
        hlrc_lock((hlrc_lock_t)(LOCK_NOISE + 2 * me + thread));
        for (uint64_t p = 0; p < PAGES; p++)
            if (p != RUN)
                data[p * PAGE_WORDS + 10 + 2 * (uint64_t)me + (uint64_t)thread] = k;
        hlrc_unlock((hlrc_lock_t)(LOCK_NOISE + 2 * me + thread));
        nanosleep(&(struct timespec){ 0, 20000 }, NULL);
    }
}

static void worker(int thread)
{
    if (thread == 0) {
        steps_under_lock(data + RUN * PAGE_WORDS);
        atomic_store(&noise_ends, true);
    } else {
        noise(thread);
    }
}

static void write_while_closing(void)
{
    hlrc_barrier();
    for (uint64_t i = 0; me == 0 && i < PAGES * PAGE_WORDS; i++)
        data[i] = 0;
    hlrc_barrier();
    in_threads(3, worker);
    hlrc_barrier();
    for (uint64_t i = 0; i < PAGE_WORDS; i++)
        expect_word(data[RUN * PAGE_WORDS + i], STEPS * (uint64_t)nodes, "word %ju in the end",
                    (uintmax_t)i);
}

/* One thread writes the last page without a pause; another one closes intervals with that page and
 * those before it. */
static void write_or_close(int thread)
{
    if (thread == 0) {
        for (sweeps = 1; !atomic_load(&noise_ends); sweeps++) {
            for (uint64_t i = 0; i < PAGE_WORDS; i++)
                data[(PAGES - 1) * PAGE_WORDS + i] = sweeps;
            atomic_store(&swept, true);
        }
        return;
    }
    while (!atomic_load(&swept))
        sleep_ms(0);
    for (uint64_t k = 1; k <= CLOSINGS; k++) {
        hlrc_lock(LOCK_NOISE);
        for (uint64_t p = 0; p < PAGES - 1; p++)
            data[p * PAGE_WORDS] = k;
        hlrc_unlock(LOCK_NOISE);
    }
    atomic_store(&noise_ends, true);
}

/* The page is hot soon, and stays writable while it is captured [page.retained-twin]: what is
 * written meanwhile must come with this closing or the next. */
static void write_without_pause(int writer)
{
    hlrc_barrier(); /* all have looked at the pages */
    atomic_store(&noise_ends, false);
    atomic_store(&swept, false);
    if (me == writer)
        in_threads(2, write_or_close);
    expect(hlrc_broadcast(&sweeps, sizeof sweeps, writer) == 0, "hlrc_broadcast");
    for (uint64_t i = 0; i < PAGE_WORDS; i++)
        expect_word(data[(PAGES - 1) * PAGE_WORDS + i], sweeps - 1,
                    "word %ju, written without a pause by node %d", (uintmax_t)i, writer);
}

void litmus_run(void)
{
    data = shared_words(PAGES * PAGE_WORDS);
    flag = shared_words(1);
    if (me == 0)
        place(data, PAGES * PAGE, nodes - 1); /* so that there are diffs */
    hlrc_barrier();
    other_threads();
    write_while_closing();
    write_without_pause(0);
    write_without_pause(nodes - 1); /* at the home */
}
