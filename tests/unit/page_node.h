/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One node whose pages lie at another one, for the unit tests of pages: a protocol with scripted
 * answers, and no other node. This is node 0; node 1 is home of the pages, and writes them. The
 * test links with --wrap for the functions that page_node.c replaces.
 */
#ifndef TESTS_UNIT_PAGE_NODE_H
#define TESTS_UNIT_PAGE_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "hlrc/core/parts.h"

#define PAGES   2048u
#define SOME    64u /* that one test is about; two batches of a prefetch */
#define NO_PAGE UINT32_MAX

enum answer { COMPLETE, REFUSED, TOO_OLD };
enum { SPACE, CONTROL }; /* windows */

extern const struct protocol_pages scripted;
extern enum answer answer;           /* to prefetches; other fetches wait for what they need */
extern bool ready;                   /* whether prefetches have arrived */
extern unsigned prefetched, fetched; /* calls of fetch_start */
extern unsigned early;               /* of those, before all that is needed was known */
extern uint64_t home_version;        /* of all pages at the home, and what is in them */
/* a page that another thread acquires during its fetch; or NO_PAGE */
extern uint32_t acquired_meanwhile;
/* the intervals of both nodes that a copy has to have: what a fetch asks for */
extern uint64_t wanted[PAGES][2];
extern unsigned told[PAGES]; /* calls of progress_changed */
/* one whose move ends while a thread waits for that; or NO_PAGE */
extern uint32_t released_page;
extern unsigned waited; /* for that */
extern unsigned listed; /* calls of dirty_add */

/* Of each test. */
void begin_node(void);
void end_node(void);

/* The home's next interval, in which it has written these pages, is acquired. */
void acquire(uint32_t first, uint32_t count);
/* This node's next interval, in which it has written this page, is closed. */
void close_interval(uint32_t page, uint64_t interval);
/* Reads pages as the program does, after the faults of those that are closed. */
void expect_contents(uint32_t first, uint32_t count);

#endif
