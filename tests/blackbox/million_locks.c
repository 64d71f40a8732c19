/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Black box: two million locks and a million condition variables fit, made by one node, and cost
 * little memory. */
#include "tests/litmus/litmus.h"
#include "tests/proc_status.h"

#include <stdio.h>
#include <string.h>

LITMUS("millions of locks", 2, 16)

#define MILLION  1000000u
#define LOCKS    (2 * MILLION)
#define STRIDE   10007u
#define LIMIT_KB (256u * 1024) /* more than all of a node's tables need */

static hlrc_lock_t locks[LOCKS];
static hlrc_cond_t conds[MILLION];

static uint64_t resident_kb(void)
{
    long kib = proc_status_kib("VmRSS");
    expect(kib >= 0, "/proc/self/status");
    return (uint64_t)kib;
}

static void create(void)
{
    for (uint64_t i = 0; i < LOCKS; i++) {
        int rc = hlrc_lock_create(&locks[i]);
        expect(rc == 0, "hlrc_lock_create, number %ju: %s", (uintmax_t)i + 1, strerror(-rc));
        expect(i == 0 || locks[i] != locks[i - 1], "the same lock twice");
        if (i % 2)
            continue;
        rc = hlrc_cond_create(&conds[i / 2]);
        expect(rc == 0, "hlrc_cond_create, number %ju: %s", (uintmax_t)i / 2 + 1, strerror(-rc));
    }
}

void litmus_run(void)
{
    volatile uint64_t *sum = shared_words(1), *handles = shared_words(LOCKS / STRIDE + 1);
    memset(locks, 0xff, sizeof locks);
    memset(conds, 0xff, sizeof conds);
    uint64_t before = resident_kb();
    if (me == 0) {
        create();
        for (uint64_t i = 0; i < LOCKS; i += STRIDE)
            handles[i / STRIDE] = locks[i];
    }
    hlrc_barrier();
    for (uint64_t i = 0; i < LOCKS; i += STRIDE) {
        hlrc_lock((hlrc_lock_t)handles[i / STRIDE]);
        hlrc_unlock((hlrc_lock_t)handles[i / STRIDE]);
    }
    hlrc_lock((hlrc_lock_t)handles[0]);
    *sum += 1;
    hlrc_unlock((hlrc_lock_t)handles[0]);
    hlrc_barrier();
    expect_word(*sum, (uint64_t)nodes, "the sum under a created lock");
    uint64_t grown = resident_kb() - before;
    expect(grown < LIMIT_KB, "%ju KiB for these locks and condition variables", (uintmax_t)grown);
    for (uint64_t i = 0; me == 0 && i < LOCKS; i++) {
        hlrc_lock_destroy(locks[i]);
        if (i % 2 == 0)
            hlrc_cond_destroy(conds[i / 2]);
    }
    hlrc_barrier();
}
