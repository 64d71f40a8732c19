/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * replay_system.h - what the HLRC of 2004 had and this library has not, part by part (`hlrc_sim
 * replay --as-2004`). Values come from papers, and none is fitted to a ratio of protocols:
 * [NP] Noronha and Panda, Designing High Performance DSM Systems using InfiniBand, 2004;
 * [BPG] Buntinas, Panda and Gropp, NIC-Based Atomic Operations on Myrinet/GM, 2002.
 *
 *   - A part changes options, the machine, or struct replay_system. An option of the command line
 *     takes precedence over the part's value.
 *   [replay-system.interrupts] The handler is a thread that sleeps whenever it has nothing to
 *       serve. A thread that waits serves nothing. Each message that finds the handler asleep
 *       wakes it, urgent or not. On a node with one CPU the program runs only while the handler
 *       does not.
 *   [replay-system.answer] After a request that it answers by a page the handler is busy for
 *       answer_ns more. The requester does not wait for that, but later requests do.
 *
 * Options of the paper's figure 3 that it leaves to later work (`--with`). Each is modelled in its
 * favour, so that a small effect is an upper bound:
 *   [replay-system.reads] A diff stays at its writer, which sends nothing. A node that fetches a
 *       page reads it from its home, and from each writer of a version that it needs the diff. The
 *       home gets diffs at no cost.
 *   [replay-system.multicast] Notices, and the message that ends a barrier, leave once for all.
 *   [replay-system.levels] Messages and requests up to REPLAY_SYSTEM_SMALL bytes wait on a link
 *       for their like only, never for pages or diffs.
 */
#ifndef SIM_REPLAY_SYSTEM_H
#define SIM_REPLAY_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/machine.h"
#include "sim/run_options.h"

struct replay_system {
    bool interrupts;    /* [replay-system.interrupts] */
    bool single_diffs;  /* each diff is a message */
    bool single_fetch;  /* a node has one page request in flight */
    uint64_t answer_ns; /* [replay-system.answer] */
    uint64_t notice_ns; /* to post each write of a notice; 0: post_ns */
    bool reads, multicast, levels;
};

#define REPLAY_SYSTEM_SMALL 512

/* X(name, source and meaning) */
#define REPLAY_SYSTEM_PARTS(X)                                                                   \
    X(eager, "diffs at each release [NP 4.1]")                                                   \
    X(fixed_homes, "homes do not migrate [NP 2.1]")                                              \
    X(interrupt, "a handler woken by an interrupt on the only CPU: 13.2 us, as blocking takes "  \
                 "longer than polling [BPG V.A]")                                                \
    X(invalidate, "no updates, no retained writable or unshared pages [NP 2.1, 4.2]")            \
    X(on_demand, "no readahead [NP 4.1]")                                                        \
    X(one_request, "one read or page request in flight [NP 4.2]")                                \
    X(posting, "a handler is busy for 24.64 us for each page, 6.7 us to post a notice [NP 5.2]") \
    X(single_diffs, "a message for each diff [NP 3]")

enum replay_system_part {
#define X(name, text) REPLAY_SYSTEM_##name,
    REPLAY_SYSTEM_PARTS(X)
#undef X
        REPLAY_SYSTEM_COUNT
};

/* X(name): of --with */
#define REPLAY_SYSTEM_IDEAS(X) X(reads) X(multicast) X(levels)

/* replay_system_ideas - sets those of a list with commas; ends the program with a line if one is
 * unknown */
void replay_system_ideas(struct replay_system *s, const char *list);

/* replay_system_parse - the parts of a list with commas, or of "all", as bits; ends the program
 * with a line if one is unknown */
unsigned replay_system_parse(const char *list);

/* replay_system_apply - changes the machine and those options that the command line does not
 * name; returns the rest, added to S */
struct replay_system replay_system_apply(unsigned parts, struct machine *m,
                                         struct run_options_choice *c, struct replay_system s);

#endif
