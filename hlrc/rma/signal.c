/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* signal.c - a put with a signal, and the wait for a word: hlrc_put_signal, hlrc_wait_until. */
#include <errno.h>
#include <hlrc.h>
#include <stdint.h>
#include <string.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "hlrc/core/call.h"
#include "hlrc/core/engine.h"
#include "hlrc/rma/window.h"
#include "hlrc/sync/combine.h"

/* Attempts of a wait before it yields, and before it naps. */
#define SPINS  2000u
#define YIELDS 4000u
#define NAP_NS 50000

int hlrc_put_signal(void *dst, const void *src, size_t len, uint64_t *signal, uint64_t value,
                    hlrc_op op, int node)
{
    call_check("hlrc_put_signal");
    if (op != HLRC_REPLACE && op != HLRC_SUM)
        return -EINVAL;
    if (window_offset("hlrc_put_signal", signal, sizeof *signal, node) % sizeof *signal != 0)
        return -EINVAL;
    if (len)
        hlrc_put(dst, src, len, node); /* complete when it returns: before the signal */
    return hlrc_word_fetch(hlrc_word_window(signal, node), HLRC_UINT64, op, &value, NULL,
                           HLRC_RELAXED);
}

/* A number of the same order: the sign bit of signed types is flipped. */
static uint64_t signal_number(hlrc_type type, const void *at)
{
    if (combine_bytes(type) == 4) {
        uint32_t v = __atomic_load_n((const uint32_t *)at, __ATOMIC_ACQUIRE);
        return type == HLRC_INT32 ? v ^ UINT32_C(1) << 31 : v;
    }
    uint64_t v = __atomic_load_n((const uint64_t *)at, __ATOMIC_ACQUIRE);
    return type == HLRC_INT64 ? v ^ UINT64_C(1) << 63 : v;
}

static bool signal_holds(uint64_t a, hlrc_cmp cmp, uint64_t b)
{
    switch (cmp) {
    case HLRC_EQ:
        return a == b;
    case HLRC_NE:
        return a != b;
    case HLRC_GT:
        return a > b;
    case HLRC_LE:
        return a <= b;
    case HLRC_LT:
        return a < b;
    case HLRC_GE:
        return a >= b;
    default:
        return false;
    }
}

/* 0, -EINVAL, or 1 for a word of shared memory. */
static int signal_check_word(const void *word, hlrc_type type, hlrc_cmp cmp)
{
    if (type > HLRC_UINT64 || cmp > HLRC_GE)
        return -EINVAL;
    size_t bytes = combine_bytes(type);
    if ((uintptr_t)word % bytes != 0)
        return -EINVAL;
    if (engine_in_space(word))
        return 1;
    (void)window_offset("hlrc_wait_until", word, bytes, engine.node);
    return 0;
}

int hlrc_wait_until(const void *word, hlrc_type type, hlrc_cmp cmp, const void *value,
                    int64_t timeout)
{
    call_check("hlrc_wait_until");
    call_check_given("hlrc_wait_until", "value", value);
    int shared = signal_check_word(word, type, cmp);
    if (shared < 0)
        return shared;
    uint64_t wanted = signal_number(type, value);
    int64_t end = clock_after(timeout);
    for (unsigned tries = 0;; tries++) {
        int rc = shared ? hlrc_acquire() : 0;
        if (rc < 0)
            return rc;
        if (signal_holds(signal_number(type, word), cmp, wanted))
            return 0;
        if (clock_ns() >= end)
            return -ETIMEDOUT;
        backoff_pause(tries, SPINS, YIELDS, NAP_NS);
    }
}
