/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * place.h - what lies at an address that a program should not have used.
 *
 *   PL1  Nothing here allocates, locks or waits, and nothing touches the program's view of shared
 *        memory. It may fault all the same where something is damaged: crash.c goes on without it.
 *   PL2  Of another node's addresses this one knows where its executable lies, told at the start
 *        (place_meet), and on the same machine all others, from /proc.
 */
#ifndef HLRC_PLACE_H
#define HLRC_PLACE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Where a node's executable lies. */
struct place_image {
    uint64_t start, end;
    int64_t pid;
};

struct place_image place_image(void); /* of this process */

/* For all nodes, in their order; kept by reference. */
void place_meet(const struct place_image *images, int nodes, int node);

/* Shared space is at engine.app no more: hlrc_finalize has given it back. */
void place_finalized(const void *start, size_t bytes);

/* Says in words what a SIGSEGV or SIGBUS was about. */
void place_describe(int sig, siginfo_t *info, void *context, char *text, size_t len);

/* The instruction that was interrupted. */
uintptr_t place_instruction(const void *context);

/* Whether the mapping there allows what faulted. Before PL1's one thread is chosen: true where
 * another one asks at this moment. */
bool place_is_accessible(const siginfo_t *info, const void *context);

/* Whether this process has code at the address. */
bool place_is_code(uintptr_t address);

#endif
