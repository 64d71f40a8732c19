/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* conformance_queue.h - what the tests of events and those of sleeping share. */
#ifndef TESTS_FABRIC_CONFORMANCE_QUEUE_H
#define TESTS_FABRIC_CONFORMANCE_QUEUE_H

#include "tests/fabric/conformance.h"

enum receiver { BUSY, URGENT, ALL, APP }; /* as whom, and for what, a node arms its queue */

/* Sends event number k: its data says who and which. */
void send_event(struct run *r, int peer, uint64_t k, bool urgent);
void expect_event(struct run *r, const struct fabric_event *ev, int from, uint64_t k);

bool arm_as(struct run *r, enum receiver as);
uint32_t ticket_as(struct run *r, enum receiver as);
void sleep_as(struct run *r, enum receiver as, uint32_t ticket, int64_t timeout_ns);

/* Nothing is pending: arming succeeds; where a hook heals, after some tries. Returns the ticket. */
uint32_t arm_idle(struct run *r, enum receiver as);

/* Takes event k of node `from`, which is pending. */
void take_event(struct run *r, int from, uint64_t k);

/* Sleeps without limit until there is an event, and takes it. */
void await_event(struct run *r, struct fabric_event *ev, enum receiver as, uint64_t *seed);

/* Waits until node 1 has counted so far. */
void await_armed(struct run *r, uint64_t count);

void delay(uint64_t *seed); /* 0 .. 1023 turns */

/* Waits for another node's count, on its heels. */
void await_shared(_Atomic uint64_t *word, uint64_t value);

#endif
