/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * random.c - random_number of Fortran. Each thread has a stream of numbers: at its first call the
 * library copies the process's state and advances that by 2^128 numbers. The process's state is
 * node 0's, and each node computes the numbers of its threads.
 *
 *     thread of node n                    a new thread of node 0
 *       random_number   -- its first call --> random_seed(get=state): a stream begins
 *       random_seed(put=state)    <-- state --
 *
 * Invariants
 *   [random.stream] A thread of another node has a stream of node 0 before it computes a number. If
 *       it sets the seed, it sets the process's as well.
 *   - The C library frees at a thread's end what the library allocates for the thread. So it is
 *     allocated on the private stack, where bind.c does not make it shared memory.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compat/process/delegate.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* the program's names for them */

#define STATE_WORDS 8 /* random_seed(size=) of libgfortran.so.5 */

/* An array of one dimension in libgfortran.so.5. */
struct random_array {
    void *base;
    size_t offset, element_bytes;
    int32_t version;
    signed char rank, type;
    int16_t attribute;
    long span, stride, from, to;
};

typedef void random_seed_fn(void *size, struct random_array *put, struct random_array *get);
#define LIBRARY(name) _gfortran_##name
extern random_seed_fn LIBRARY(random_seed_i4) __attribute__((weak)),
    LIBRARY(random_seed_i8) __attribute__((weak));
extern void LIBRARY(random_init)(int repeatable, int distinct, int image) __attribute__((weak));

enum random_change { RANDOM_NONE, RANDOM_PUT, RANDOM_RESEED, RANDOM_INIT };
struct random_request {
    enum random_change change;
    int how[3]; /* arguments of random_init */
    int32_t state[STATE_WORDS];
};

static _Thread_local bool begun; /* the thread has a stream */

static struct random_array random_describe(int32_t *state)
{
    return (struct random_array){ .base = state,
                                  .offset = (size_t)-1,
                                  .element_bytes = sizeof *state,
                                  .rank = 1,
                                  .type = 1, /* integer */
                                  .span = sizeof *state,
                                  .stride = 1,
                                  .from = 1,
                                  .to = STATE_WORDS };
}

/* Changes the seed, and gets the calling thread's state. Not on a shared stack. */
static void random_perform(void *arg)
{
    struct random_request *r = arg;
    struct random_array state = random_describe(r->state);
    if (r->change == RANDOM_PUT)
        LIBRARY(random_seed_i4)(NULL, &state, NULL);
    else if (r->change == RANDOM_RESEED)
        LIBRARY(random_seed_i4)(NULL, NULL, NULL);
    else if (r->change == RANDOM_INIT)
        LIBRARY(random_init)(r->how[0], r->how[1], r->how[2]);
    LIBRARY(random_seed_i4)(NULL, NULL, &state);
}

static void *random_body(void *request)
{
    random_perform(request);
    return NULL;
}

/* By node 0: its proxies have streams already. */
static long random_by_new_thread(struct random_request *shared)
{
    struct random_request r = *shared;
    pthread_t thread;
    int rc = pthread_create(&thread, NULL, random_body, &r);
    if (rc)
        start_fail("cannot start a thread for random_number of another node: %s; raise the limit "
                   "on processes (ulimit -u)",
                   strerror(rc));
    pthread_join(thread, NULL);
    *shared = r;
    return 0;
}

/* The same for a thread of any node. [random.stream] */
static void random_change(struct random_request *r)
{
    if (delegate_is_away()) {
        (void)DELEGATE(random_by_new_thread, (long)r);
        r->change = RANDOM_PUT;
    }
    lane_call(random_perform, r);
    begun = true;
}

static inline void random_begin(void)
{
    if (__builtin_expect(start_sharing && !begun, 0))
        random_change(&(struct random_request){ .change = RANDOM_NONE });
}

#define NUMBERS(name)                                        \
    extern void LIBRARY(name)(void *) __attribute__((weak)); \
    void __wrap__gfortran_##name(void *numbers)              \
    {                                                        \
        random_begin();                                      \
        LIBRARY(name)(numbers);                              \
    }
NUMBERS(random_r4)
NUMBERS(random_r8)
NUMBERS(random_r10)
NUMBERS(random_r16)
NUMBERS(arandom_r4)
NUMBERS(arandom_r8)
NUMBERS(arandom_r10)
NUMBERS(arandom_r16)

/* `seed` reads the arguments on this node. */
static void random_seed(random_seed_fn *seed, void *size, struct random_array *put,
                        struct random_array *get)
{
    struct random_request r = { .change = RANDOM_RESEED };
    if (!start_sharing) {
        seed(size, put, get);
        return;
    }
    if (size || put || get) {
        random_begin();
        seed(size, put, get);
    }
    if (size || get || (put && !start_away))
        return;
    if (put) {
        struct random_array state = random_describe(r.state);
        LIBRARY(random_seed_i4)(NULL, NULL, &state);
        r.change = RANDOM_PUT;
    }
    random_change(&r);
}

void __wrap__gfortran_random_seed_i4(void *size, struct random_array *put, struct random_array *get)
{
    random_seed(LIBRARY(random_seed_i4), size, put, get);
}

void __wrap__gfortran_random_seed_i8(void *size, struct random_array *put, struct random_array *get)
{
    random_seed(LIBRARY(random_seed_i8), size, put, get);
}

void __wrap__gfortran_random_init(int repeatable, int distinct, int image)
{
    if (start_sharing)
        random_change(
            &(struct random_request){ .change = RANDOM_INIT, { repeatable, distinct, image } });
    else
        LIBRARY(random_init)(repeatable, distinct, image);
}

/* ---- rand: one sequence, which is node 0's ---- */

extern float LIBRARY(rand)(const int *restart) __attribute__((weak));

static long random_old_bits(const int *restart)
{
    float number = LIBRARY(rand)(restart);
    int32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

float __wrap__gfortran_rand(const int *restart)
{
    if (!delegate_is_away())
        return LIBRARY(rand)(restart);
    int32_t bits = (int32_t)DELEGATE(random_old_bits, (long)restart);
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}
