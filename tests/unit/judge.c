/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reports that are made by hand, and what is concluded from them: that a job stands still only
 * where no thread of it can go on ([deadlock.two-rounds], [deadlock.in-transit],
 * deadlock_report.h), and what is said.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "hlrc/core/meeting.h"
#include "hlrc/report/deadlock_detect.h"
#include "tests/unit/unit.h"

#define NODES 12

/* A report as it travels, with room for some of each. */
static struct made {
    struct report head;
    struct report_wait waits[4];
    struct report_held held[4];
    struct report_meeting meetings[2];
} made[NODES];
static char packed[NODES][sizeof(struct made)];
static const struct report *reports[NODES];
static struct deadlock_detect_judge judge;
static char said[4096];

static const char *absent(void *ctx, int node)
{
    (void)ctx, (void)node;
    return "is absent";
}

static void setup(void)
{
    memset(made, 0, sizeof made);
    for (int n = 0; n < NODES; n++)
        made[n].head.still = 1;
    judge = (struct deadlock_detect_judge){ .nodes = 2, .reports = reports, .absent = absent };
    said[0] = '\0';
}

/* A thread of the node waits like this, the next of it. */
static struct report_wait *waits(int node, enum waits what, uint64_t object, int with)
{
    struct made *m = &made[node];
    struct report_wait *w = &m->waits[m->head.waits];
    *w = (struct report_wait){
        .thread = m->head.waits++, .what = (uint8_t)what, .node = with, .object = object, .ms = 1234
    };
    return w;
}

static void holds(int node, uint32_t lock, uint32_t thread)
{
    struct made *m = &made[node];
    m->held[m->head.held++] = (struct report_held){ lock, thread };
}

static void meets(int node, uint32_t group, uint64_t epoch, uint32_t round)
{
    struct made *m = &made[node];
    m->meetings[m->head.meetings++] = (struct report_meeting){ group, round, epoch };
}

static size_t append(char *to, size_t at, const void *from, size_t bytes)
{
    memcpy(to + at, from, bytes);
    return at + bytes;
}

static void pack(int node)
{
    struct made *m = &made[node];
    size_t at = sizeof m->head;
    m->head.node = (uint16_t)node;
    at = append(packed[node], at, m->waits, m->head.waits * sizeof m->waits[0]);
    at = append(packed[node], at, m->held, m->head.held * sizeof m->held[0]);
    at = append(packed[node], at, m->meetings, m->head.meetings * sizeof m->meetings[0]);
    m->head.bytes = (uint32_t)at;
    (void)append(packed[node], 0, &m->head, sizeof m->head);
    reports[node] = (const struct report *)(const void *)packed[node];
    assert_true(deadlock_report_whole(reports[node], at, node));
}

static bool stuck(void)
{
    for (int n = 0; n < judge.nodes; n++)
        pack(n);
    return deadlock_detect_stuck(&judge);
}

static const char *cause(void)
{
    static char line[512];
    assert_true(deadlock_detect_cause(&judge, stuck(), line, sizeof line));
    return line;
}

static void say(void *ctx, const char *line)
{
    (void)ctx;
    assert_true(strlen(said) + strlen(line) + 2 < sizeof said);
    strcat(strcat(said, line), "\n");
}

static const char *told(void)
{
    said[0] = '\0';
    deadlock_detect_tell(&judge, say);
    return said;
}

static void crossed_locks(void)
{
    holds(0, 1, 0);
    waits(0, WAITS_LOCK, 2, 0);
    holds(1, 2, 0);
    waits(1, WAITS_LOCK, 1, 0);
}

static void two_locks(void)
{
    crossed_locks();
    assert_true(stuck());
    assert_string_equal(cause(),
                        "node 0 waits for lock 2 held by node 1, which waits for lock 1 held by "
                        "node 0");
    assert_string_equal(told(), "node 0 thread 0 waits since 1.2 s for lock 2 held by node 1\n"
                                "node 1 thread 0 waits since 1.2 s for lock 1 held by node 0\n");
}

/* Any thread that may do something, known or not. */
static void who_is_not_still_may_go_on(void)
{
    crossed_locks();
    made[1].head.still = 0;
    assert_false(stuck());
    assert_string_equal(cause(), /* all the same a circle, of those who wait in it */
                        "node 0 waits for lock 2 held by node 1, which waits for lock 1 held by "
                        "node 0");
    reports[1] = NULL;
    assert_false(deadlock_detect_stuck(&judge));
    assert_string_equal(told(), "node 0 thread 0 waits since 1.2 s for lock 2\nnode 1 is absent\n");
}

/* [deadlock.two-rounds]: granted, and on its way. */
static void a_lock_that_nobody_holds_comes(void)
{
    waits(0, WAITS_LOCK, 2, 0);
    waits(1, WAITS_LOCK, 2, 0);
    assert_false(stuck());
    assert_string_equal(
        told(), "node 0 thread 0 waits since 1.2 s for lock 2, which no thread holds now\n"
                "node 1 thread 0 waits since 1.2 s for lock 2, which no thread holds now\n");
}

static void a_page_comes(void)
{
    holds(0, 1, 0);
    waits(0, WAITS_PAGE, 812, 1);
    waits(1, WAITS_LOCK, 1, 0);
    assert_false(stuck());
    assert_string_equal(told(), "node 0 thread 0 waits since 1.2 s for page 812 of home 1\n"
                                "node 1 thread 0 waits since 1.2 s for lock 1 held by node 0\n");
}

static void itself(void)
{
    judge.nodes = 1;
    holds(0, 5, 0);
    waits(0, WAITS_LOCK, 5, 0);
    assert_true(stuck());
    assert_string_equal(cause(), "node 0 waits for lock 5, which it holds itself");
    holds(0, 1024, 1);
    made[0].waits[0].object = 1024;
    assert_true(stuck());
    assert_string_equal(cause(), "node 0 waits for the lock of the shared heap held by a thread of "
                                 "node 0 that has ended");
}

static void a_barrier(void)
{
    holds(0, 3, 0);
    waits(0, WAITS_BARRIER, 12, 0);
    waits(1, WAITS_LOCK, 3, 0);
    made[0].head.arrivals = 13;
    made[1].head.arrivals = 12;
    made[0].head.call = MEETING_FINALIZE;
    assert_true(stuck());
    assert_string_equal(cause(), "node 0 waits at barrier 12 (hlrc_finalize) for node 1, which "
                                 "waits for lock 3 held by node 0");
    /* all have arrived: the release is on its way */
    made[1].head.arrivals = 13;
    assert_false(stuck());
    /* one that computes may arrive */
    made[1].head.arrivals = 12;
    made[1].head.still = 0;
    made[1].waits[0].what = WAITS_NOTHING;
    assert_false(stuck());
    assert_string_equal(told(),
                        "node 0 thread 0 waits since 1.2 s for barrier 12 (hlrc_finalize): node 1 "
                        "has not arrived; it computes, or waits outside HLRC\n"
                        "node 1 thread 0 computes, or waits outside HLRC\n");
    assert_false(deadlock_detect_cause(&judge, false, said, sizeof said));
}

static void many_are_missing(void)
{
    judge.nodes = NODES;
    waits(0, WAITS_BARRIER, 2, 0);
    made[0].head.arrivals = 3;
    for (int n = 1; n < NODES; n++)
        waits(n, WAITS_SIGNAL, 7, 0);
    assert_true(stuck());
    told();
    *strchr(said, '\n') = '\0';
    assert_string_equal(said, "node 0 thread 0 waits since 1.2 s for barrier 2: nodes 1, 2, 3, 4, "
                              "5, 6, 7, 8 and 3 more have not arrived; node 1 waits for a signal "
                              "of condition variable 7");
    assert_string_equal(cause(), "node 0 waits at barrier 2 for node 1, which waits for a signal "
                                 "of condition variable 7, which no thread is left to send");
}

/* [deadlock.in-transit]: counted where it begins and where it ends, which need not be the same
 * node. */
static void a_signal_is_under_way(void)
{
    waits(0, WAITS_SIGNAL, 1, 0);
    waits(1, WAITS_BARRIER, 2, 0);
    made[1].head.arrivals = 3;
    made[0].head.arrivals = 2;
    made[1].head.signals = 1;
    assert_false(stuck());
    made[0].head.signals = -1;
    assert_true(stuck());
}

/* Of three members, as barrier_pairs.c and group.c meet: node n waits for n - 1, then n - 2. */
static void pairs(void)
{
    judge.nodes = 3;
    holds(2, 5, 0);
    waits(0, WAITS_LOCK, 5, 0); /* has arrived, and not departed */
    waits(1, WAITS_BARRIER, 4, 0);
    waits(2, WAITS_BARRIER, 4, 0);
    for (int n = 0; n < 3; n++)
        made[n].head.arrivals = 5;
    meets(0, MEETING_OF_ALL, 4, 0);
    meets(1, MEETING_OF_ALL, 4, 1);
    meets(2, MEETING_OF_ALL, 4, 1);
    assert_true(stuck());
    assert_string_equal(cause(), "node 0 waits for lock 5 held by node 2, which waits at barrier 4 "
                                 "for the departure of node 0");
    made[0].meetings[0].round = 1; /* it has sent the round that node 2 waits for */
    assert_false(stuck());
    made[0].meetings[0] = (struct report_meeting){ MEETING_OF_ALL, 0, 5 }; /* all of them */
    assert_false(stuck());
    made[0].head.meetings = 0; /* left out */
    assert_false(stuck());
}

static void groups(void)
{
    holds(0, 3, 0);
    waits(0, WAITS_GROUP, 64, 1);
    waits(1, WAITS_LOCK, 3, 0);
    meets(0, 64, 7, 0);
    meets(1, 64, 7, 0);
    assert_true(stuck());
    assert_string_equal(cause(), "node 0 waits at the barrier of group 64 for node 1, which waits "
                                 "for lock 3 held by node 0");
    made[1].meetings[0].epoch = 8; /* it has been there */
    assert_false(stuck());
    /* both are there: what they wait for is on its way */
    made[1].meetings[0].epoch = 7;
    made[1].waits[0] = (struct report_wait){ .what = WAITS_GROUP, .object = 64, .node = 0 };
    assert_false(stuck());
}

static void makers_of_a_group(void)
{
    struct report_wait *w = waits(0, WAITS_MEMBER, 0, 1),
                       *other = waits(1, WAITS_MEMBER, 0, 0); /* both invite */
    w->ms = 60000;
    /* what it wrote before may be under way [deadlock.in-transit] */
    other->ms = JUDGE_WORDS_MS - 1;
    assert_false(stuck());
    other->ms = JUDGE_WORDS_MS;
    assert_true(stuck());
    assert_string_equal(cause(), "node 0 waits for hlrc_group_create of node 1, which waits for "
                                 "hlrc_group_create of node 0");
    w->over = 1;
    assert_false(stuck());
    w->over = 0;
    w->what = WAITS_INVITATION; /* one invites the other */
    assert_false(stuck());
}

static void a_circle_within_a_node(void)
{
    judge.nodes = 1;
    holds(0, 1, 1);
    holds(0, 2, 2);
    waits(0, WAITS_SIGNAL, 0, 0);
    waits(0, WAITS_LOCK, 2, 0);
    waits(0, WAITS_LOCK, 1, 0);
    assert_true(stuck());
    assert_string_equal(cause(), "node 0 thread 1 waits for lock 2 held by node 0 thread 2, which "
                                 "waits for lock 1 held by node 0 thread 1");
    made[0].head.strangers = 1;
    made[0].head.still = 0;
    assert_false(stuck());
    assert_non_null(strstr(told(), "node 0 has 1 thread that has not used HLRC\n"));
}

/* What is no report, or that of another node. */
static void whole_or_not(void)
{
    crossed_locks();
    pack(0);
    const struct report *r = reports[0];
    assert_true(deadlock_report_whole(r, r->bytes, 0));
    assert_false(deadlock_report_whole(r, r->bytes, 1));
    assert_false(deadlock_report_whole(r, r->bytes - 8, 0));
    assert_false(deadlock_report_whole(r, r->bytes + 8, 0));
    ((struct report *)(void *)packed[0])->waits = 700;
    assert_false(deadlock_report_whole(r, r->bytes, 0));
}

/* A long circle ends in the middle of a word, not behind the line. */
static void a_line_is_long_enough(void)
{
    char line[100];
    judge.nodes = NODES;
    for (int n = 0; n < NODES; n++) {
        holds(n, (uint32_t)n, 0);
        waits(n, WAITS_LOCK, (uint64_t)((n + 1) % NODES), 0);
    }
    assert_true(stuck());
    memset(line, 'x', sizeof line);
    assert_true(deadlock_detect_cause(&judge, true, line, sizeof line - 1));
    assert_int_equal(strlen(line), sizeof line - 2);
    assert_int_equal(line[sizeof line - 1], 'x');
}

UNIT_MAIN(setup, NULL, TEST(two_locks), TEST(who_is_not_still_may_go_on),
          TEST(a_lock_that_nobody_holds_comes), TEST(a_page_comes), TEST(itself), TEST(a_barrier),
          TEST(many_are_missing), TEST(a_signal_is_under_way), TEST(pairs), TEST(groups),
          TEST(makers_of_a_group), TEST(a_circle_within_a_node), TEST(whole_or_not),
          TEST(a_line_is_long_enough))
