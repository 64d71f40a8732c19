/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How large a space the nodes agree upon, without nodes: each of up to four is this process in
 * turn, on the machine, in the control group and with the limits that the test says. The invariants
 * are those of hlrc/size.h.
 */
#include "hlrc/size.h"
#include "base/config_memory.h"
#include "boot/boot.h"
#include "fabric/locality.h"
#include "hlrc/core/engine.h"
#include "tests/unit/unit.h"

#include <stdint.h>
#include <string.h>
#include <sys/resource.h>

#define NODES 4
#define MIB   (UINT64_C(1) << 20)
#define GIB   (UINT64_C(1) << 30)

static struct {
    const char *machine;
    uint64_t limit, group; /* group 0: of the machine */
    uint64_t promisable;
    rlim_t addresses, data, file;
} nodes[NODES];
static unsigned char offers[NODES][64];
static uint64_t agreed[NODES];

/* ---- what lies below ---- */

void __wrap_config_memory_whole(const char *root, struct config_memory_limit *limit);
void __wrap_config_memory_whole(const char *root, struct config_memory_limit *limit)
{
    assert_string_equal(root, "");
    *limit = (struct config_memory_limit){ .bytes = nodes[engine.node].limit,
                                           .what = "a limit",
                                           .group = nodes[engine.node].group };
}

uint64_t __wrap_config_memory_promisable(const char *root);
uint64_t __wrap_config_memory_promisable(const char *root)
{
    assert_string_equal(root, "");
    return nodes[engine.node].promisable;
}

void __wrap_locality_here(struct locality *out);
void __wrap_locality_here(struct locality *out)
{
    memset(out, 0, sizeof *out);
    strcpy(out->boot_id, nodes[engine.node].machine);
}

int __wrap_getrlimit(int which, struct rlimit *out);
int __wrap_getrlimit(int which, struct rlimit *out)
{
    rlim_t limit = which == RLIMIT_AS     ? nodes[engine.node].addresses
                   : which == RLIMIT_DATA ? nodes[engine.node].data
                                          : nodes[engine.node].file;

    assert_true(which == RLIMIT_AS || which == RLIMIT_DATA || which == RLIMIT_FSIZE);
    *out = (struct rlimit){ limit, RLIM_INFINITY };
    return 0;
}

/* Until all have spoken, those of before. */
int __wrap_boot_exchange(struct boot *boot, const void *mine, size_t len, void *all);
int __wrap_boot_exchange(struct boot *boot, const void *mine, size_t len, void *all)
{
    (void)boot;
    assert_true(len <= sizeof offers[0]);
    memcpy(offers[engine.node], mine, len);
    for (int n = 0; n < engine.nodes; n++)
        memcpy((char *)all + (size_t)n * len, offers[n], len);
    return 0;
}

/* ---- the nodes ---- */

static void on(int node, const char *machine, uint64_t limit, uint64_t group)
{
    nodes[node].machine = machine;
    nodes[node].limit = limit;
    nodes[node].group = group;
}

static void begin(void)
{
    memset(offers, 0, sizeof offers);
    engine.tokens = 16;
    engine.config.threads = 2;
    for (int n = 0; n < NODES; n++) {
        on(n, "this machine", 24 * GIB, 0);
        nodes[n].promisable = UINT64_MAX;
        nodes[n].addresses = nodes[n].data = nodes[n].file = RLIM_INFINITY;
    }
}

static int beside(int node, int count)
{
    int all = 0;

    for (int n = 0; n < count; n++)
        all += strcmp(nodes[n].machine, nodes[node].machine) == 0;
    return all;
}

/* The size that all of them come to. */
static uint64_t agree(int count)
{
    for (int round = 0; round < 2; round++)
        for (int n = 0; n < count; n++) {
            engine.node = n;
            engine.nodes = count;
            engine.neighbours = beside(n, count);
            engine.config.memory = 0;
            assert_int_equal(size_agree(), 0);
            agreed[n] = engine.config.memory;
        }
    for (int n = 1; n < count; n++)
        assert_true(agreed[n] == agreed[0]);
    return agreed[0];
}

/* ---- tests ---- */

static void given(void)
{
    engine.nodes = 1;
    engine.config.memory = 3 * MIB;
    assert_int_equal(size_agree(), 0);
    assert_true(engine.config.memory == 3 * MIB);
}

static void machines(void)
{
    assert_true(agree(1) == 24 * GIB);
    assert_true(agree(4) == 24 * GIB);
    on(1, "a small one", 8 * GIB, 0);
    on(3, "a small one", 8 * GIB, 0);
    assert_true(agree(4) == 32 * GIB);
    on(3, "an odd one", 8 * GIB + 4097, 0);
    assert_true(agree(4) == 40 * GIB + 4096);
}

static void groups(void)
{
    for (int n = 0; n < NODES; n++)
        on(n, "this machine", 600 * MIB, 17);
    assert_true(agree(4) == 600 * MIB);
    on(2, "this machine", 300 * MIB, 18);
    assert_true(agree(4) == 900 * MIB);
    on(3, "another one", 600 * MIB, 17); /* numbers are those of a machine */
    assert_true(agree(4) == 1500 * MIB);
    on(0, "this machine", MIB / 2, 19);
    on(1, "this machine", MIB / 2, 19);
    assert_true(agree(2) == MIB); /* never less */
}

/* Two views and the tables fit, whichever node it is that has the limit. */
static void limits(void)
{
    uint64_t all = agree(4), size;
    for (int n = 0; n < NODES; n++) {
        begin();
        nodes[n].addresses = GIB;
        size = agree(4);
        assert_in_range(size, MIB, GIB / 2);
        begin();
        nodes[n].file = 100 * MIB;
        size = agree(4);
        assert_in_range(size, 25 * MIB, 100 * MIB);
        begin();
        nodes[n].data = GIB; /* a twin of each page */
        size = agree(4);
        assert_in_range(size, GIB / 8, GIB);
        begin();
        nodes[n].promisable = 4 * GIB; /* for the four of them */
        size = agree(4);
        assert_in_range(size, GIB / 8, GIB);
    }
    begin();
    assert_true(agree(4) == all);
    nodes[3].addresses = 16 * MIB;
    assert_true(agree(4) == MIB);
}

UNIT_MAIN(begin, NULL, TEST(given), TEST(machines), TEST(groups), TEST(limits))
