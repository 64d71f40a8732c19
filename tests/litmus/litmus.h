/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Litmus programs: one per rule of the memory model, small enough that every value that is read can
 * be predicted.
 *
 * A program is its own test: started alone it runs itself under hlrcrun, for each protocol and
 * several numbers of nodes; `hlrcrun -n N --protocol P PROGRAM` runs one case, mpirun with
 * HLRC_PROTOCOL=P as well. It defines the three symbols below, is linked as a user's program,
 * and ends with status 1 and one line when a value is wrong.
 *
 * Environment: LITMUS_PROTOCOLS="async ardmar" and LITMUS_NODES="2 3" choose among the cases,
 * LITMUS_SECONDS limits each of them, LITMUS_STOP=1 ends with the first that fails. HLRC_* reaches
 * the jobs, HLRC_FABRIC for instance.
 */
#ifndef TESTS_LITMUS_LITMUS_H
#define TESTS_LITMUS_LITMUS_H

#include <hlrc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define PAGE           4096u
#define PAGE_WORDS     (PAGE / sizeof(uint64_t))
#define LITMUS_THREADS 8

/* Defined by the program: by LITMUS what it tests, and with how many nodes. */
extern const char litmus_rule[];
extern const int litmus_nodes[]; /* ends with 0 */
void litmus_run(void);
#define LITMUS(rule, ...)            \
    const char litmus_rule[] = rule; \
    const int litmus_nodes[] = { __VA_ARGS__, 0 };

/* A setting that the program's claims depend on, whatever the environment says: HLRC_HOT_PAGES=0 is
 * LITMUS_SET(HOT_PAGES, "0"). */
#define LITMUS_SET(option, value)                               \
    __attribute__((constructor)) static void set_##option(void) \
    {                                                           \
        (void)setenv("HLRC_" #option, value, 1);                \
    }

/* Set before litmus_run. */
extern int me, nodes;
extern bool async; /* the ASYNC protocol, not ARDMAR */

_Noreturn void litmus_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
#define expect(cond, ...)             \
    do {                              \
        if (!(cond))                  \
            litmus_fail(__VA_ARGS__); \
    } while (0)

/* expect that a word has this value; `what` is a format */
#define expect_word(word, value, ...) litmus_expect_word((word), (value), __VA_ARGS__)
void litmus_expect_word(uint64_t got, uint64_t want, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Shared memory on all nodes, or the end. Volatile: the programs are about loads and stores that
 * happen. */
volatile uint64_t *shared_words(uint64_t count);
volatile unsigned char *shared_bytes(uint64_t count);

/* The home of these bytes is `node` from now on. */
void place(volatile void *at, uint64_t len, int node);

/* Message passing by a lock: writes the word under it; or takes it again and again until the word
 * is at least `value`. */
void post(hlrc_lock_t lock, volatile uint64_t *word, uint64_t value);
void await(hlrc_lock_t lock, volatile uint64_t *word, uint64_t value);

/* Runs fn(i) in `count` threads of this node, i from 0, and waits for all. */
void in_threads(int count, void (*fn)(int));

/* Runs both at once, in threads of this node, and waits for both. */
void in_two_threads(void (*first)(void), void (*second)(void));

/* The figures of this node. */
struct hlrc_stats stats(void);

/* All nodes meet without the library noticing; of the threads of this node one takes part. */
void meet_outside(void);

/* Waits until all threads of a node sleep: nothing is under way there. */
void await_asleep(int node);
void await_rest(void); /* that of nodes 0 and 1, on both */

/* Stops a node, all its threads, and waits until it stands; and lets it go on, at once or in a
 * while. Node `me` itself is never stopped. meet_pids is collective, once, before any of these and
 * those above. */
void meet_pids(void);
void stop_node(int node);
void continue_node(int node);
void continue_node_after(int node, int milliseconds);
bool node_continued(void); /* whether continue_node_after has done its work */
void await_continued(void);

void sleep_ms(int milliseconds);

/* Waits until the atomic word, which orders no memory, is at least `value`. */
void await_atomic(hlrc_atomic_t word, uint64_t value);
hlrc_atomic_t shared_atomic(void); /* collective: a new word, 0, known to all */

#endif
