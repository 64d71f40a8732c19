/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * decisions - two nodes whose accesses lead to each decision of hlrc/policy about pages, without a
 * race: what tests/sim/decisions.sh traces. What one node reports to the other before the first
 * barrier of a step is there before the second, where alone homes migrate
 * [home-migration.full-barrier].
 */
#include <hlrc.h>
#include <stddef.h>
#include <string.h>

#define PAGE    4096u
#define RETAIN  4u /* pages of each part */
#define UPDATE  4u
#define MIGRATE 8u
#define WALK    96u
#define GROUP   64u
#define CLAIM   160u

static volatile unsigned char *retained, *updated, *migrating, *walked, *grouped, *claimed;
static int node;
static unsigned errors;

static volatile unsigned char *pages(unsigned count)
{
    return hlrc_malloc_all((size_t)count * PAGE);
}

static void step(void)
{
    hlrc_barrier_arrive();
    hlrc_barrier_depart();
    hlrc_barrier();
}

static void store(volatile unsigned char *at, unsigned page, unsigned value)
{
    at[page * PAGE] = (unsigned char)value;
}

static void load(volatile unsigned char *at, unsigned page, unsigned value)
{
    errors += at[page * PAGE] != (unsigned char)value;
}

/* Node 0 stores in each of ten intervals, then in none of 20, then again; node 1 has a copy. */
static void retain(unsigned now)
{
    for (unsigned p = 0; p < RETAIN && node == 0; p++)
        if (now < 10 || now > 30)
            store(retained, p, now);
    step();
    for (unsigned p = 0; p < RETAIN && node == 1 && now % 8 == 0; p++)
        load(retained, p, now < 10 ? now : now > 30 ? now : 9);
    step();
}

/* Node 0 stores; node 1 loads in twelve intervals, then in none of twelve, then again. */
static void update(unsigned now)
{
    for (unsigned p = 0; p < UPDATE && node == 0; p++)
        store(updated, p, now);
    step();
    for (unsigned p = 0; p < UPDATE && node == 1 && now / 12 % 2 == 0; p++)
        load(updated, p, now);
    step();
}

/* Node 0 is the home; node 1 changes whole pages, and node 0 loads half of them. */
static void migrate(unsigned now)
{
    for (unsigned p = 0; p < MIGRATE && node == 1; p++)
        memset((unsigned char *)(size_t)migrating + p * PAGE, (int)(now + 1), PAGE);
    step();
    for (unsigned p = 0; p < MIGRATE / 2 && node == 0; p++)
        load(migrating, 2 * p, now + 1);
    step();
}

/* Node 1 gets a copy of each page. A page that gets its first one while node 0 is on its way to a
 * barrier, after the second store, would be unshared in that interval or not. */
static void introduce(volatile unsigned char *at, unsigned count)
{
    for (unsigned p = 0; p < count && node == 0; p++)
        store(at, p, 255);
    step();
    for (unsigned p = 0; p < count && node == 1; p++)
        load(at, p, 255);
    step();
}

/* Node 1 walks up, down, and in steps through what node 0 has stored. */
static void walk(unsigned now)
{
    static const unsigned first[] = { 0, WALK - 1, 2 }, stride[] = { 1, -1u, 3 };

    for (unsigned p = 0; p < WALK && node == 0; p++)
        store(walked, p, now);
    step();
    for (unsigned i = 0, p = first[now % 3]; i < WALK / 3 && node == 1; i++, p += stride[now % 3])
        load(walked, p, now);
    step();
}

/* Node 1 loads the same pages in each interval, in an order that is no stream. */
static void group(unsigned now)
{
    for (unsigned p = 0; p < GROUP && node == 0; p++)
        store(grouped, p, now);
    step();
    for (unsigned i = 0; i < GROUP && node == 1; i++)
        load(grouped, i * 29 % GROUP, now);
    step();
}

int main(int argc, char **argv)
{
    if (hlrc_init(&argc, &argv) != 0 || hlrc_node_count() != 2)
        return 1;
    node = hlrc_node_id();
    retained = pages(RETAIN);
    updated = pages(UPDATE);
    migrating = pages(MIGRATE);
    walked = pages(WALK);
    grouped = pages(GROUP);
    claimed = pages(CLAIM);
    for (unsigned p = 0; p < MIGRATE && node == 0; p++)
        store(migrating, p, 0);
    for (unsigned p = 0; p < CLAIM && node == 0; p++)
        store(claimed, p, 1);
    step();
    for (unsigned i = 0; i < 36; i++)
        retain(i);
    for (unsigned i = 0; i < 36; i++)
        update(i);
    for (unsigned i = 0; i < 12; i++)
        migrate(i);
    introduce(walked, WALK);
    for (unsigned i = 0; i < 6; i++)
        walk(i);
    for (unsigned i = 0; i < 6; i++)
        group(i);
    hlrc_finalize();
    return errors != 0;
}
