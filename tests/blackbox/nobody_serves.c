/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Black box: --protocol onesided [progress.no-handler]. With a node stopped another one takes and
 * frees the locks whose home it is, learns what it wrote, fetches its pages and brings diffs to
 * them. No message is sent, and no thread is there to serve any.
 */
#include "tests/litmus/litmus.h"

#include <dirent.h>
#include <string.h>

LITMUS("nobody serves", 2, 3)

#define LOCKS  6u /* of every home */
#define ROUNDS 5u

__attribute__((constructor)) static void choose_protocol(void)
{
    (void)setenv("LITMUS_PROTOCOLS", "onesided", 1);
}

static volatile uint64_t *word_of(volatile uint64_t *data, uint64_t lock)
{
    return data + lock * PAGE_WORDS;
}

static unsigned threads_here(void)
{
    unsigned n = 0;
    DIR *tasks = opendir("/proc/self/task");
    expect(tasks, "/proc/self/task");
    for (const struct dirent *e; (e = readdir(tasks));)
        n += e->d_name[0] != '.';
    (void)closedir(tasks);
    return n;
}

static void take_all(void)
{
    for (uint64_t l = 0; l < LOCKS; l++) {
        hlrc_lock((hlrc_lock_t)l);
        hlrc_unlock((hlrc_lock_t)l);
    }
}

/* Node 1, which then goes its own way: nothing of this is in a barrier. */
static void write_all(volatile uint64_t *data, uint64_t round)
{
    for (uint64_t l = 0; l < LOCKS; l++) {
        hlrc_lock((hlrc_lock_t)l);
        *word_of(data, l) = round * LOCKS + l;
        hlrc_unlock((hlrc_lock_t)l);
    }
}

/* Node 0, while node 1 is stopped. */
static void read_and_write_all(volatile uint64_t *data, uint64_t round)
{
    for (uint64_t l = 0; l < LOCKS; l++) {
        hlrc_lock((hlrc_lock_t)l);
        expect_word(*word_of(data, l), round * LOCKS + l, "the word of lock %ju", (uintmax_t)l);
        word_of(data, l)[1] = round;
        hlrc_unlock((hlrc_lock_t)l);
    }
}

static void check_answers(volatile uint64_t *data, uint64_t round)
{
    for (uint64_t l = 0; l < LOCKS; l++)
        expect_word(word_of(data, l)[1], round, "what node 0 wrote beside the word of lock %ju",
                    (uintmax_t)l);
}

void litmus_run(void)
{
    const char *fabric = getenv("HLRC_FABRIC");
    struct hlrc_stats s = { .size = sizeof s };
    volatile uint64_t *data = shared_words(LOCKS * PAGE_WORDS);
    hlrc_atomic_t written = shared_atomic();
    meet_pids();
    if (me == 0)
        place(data, (size_t)LOCKS * PAGE, 1);
    hlrc_barrier();
    take_all(); /* memory that an adapter does not know yet is made known by its owner */
    hlrc_barrier();
    if (!fabric || strncmp(fabric, "shm", 3) == 0) /* this one, and one that watches the launcher */
        expect(threads_here() <= 2, "%u threads, not two", threads_here());
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        if (me == 1) {
            write_all(data, round);
            hlrc_atomic_fetch_add(written, 1);
        } else if (me == 0) {
            await_atomic(written, round);
            stop_node(1);
            read_and_write_all(data, round);
            continue_node(1);
        }
        hlrc_barrier();
        check_answers(data, round);
        hlrc_barrier();
    }
    hlrc_stats_get(&s);
    expect_word(s.messages, 0, "messages");
    expect(s.handler_s <= 0, "a handler has run %g s", s.handler_s);
}
