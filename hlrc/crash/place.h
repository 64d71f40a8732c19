/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * place.h - describes an address that a program should not have accessed.
 *
 *   - Nothing here allocates, locks or waits, or touches the program's view of shared memory. It
 *     may still fault on damaged data: crash.c then continues without the description.
 *   - Of other nodes' addresses this node knows where their executables are loaded, exchanged at
 *     start (place_meet), and on the same machine all others, from /proc.
 */
#ifndef HLRC_PLACE_H
#define HLRC_PLACE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The address range of a node's executable. */
struct place_image {
    uint64_t start, end;
    int64_t pid;
};

struct place_image place_image(void); /* of this process */

/* Sets the images of all nodes, in their order; kept by reference. */
void place_meet(const struct place_image *images, int nodes, int node);

/* Shared space is no longer at engine.app: hlrc_finalize has unmapped it. */
void place_finalized(const void *start, size_t bytes);

/* Describes in words the access of a SIGSEGV or SIGBUS. */
void place_describe(int sig, siginfo_t *info, void *context, char *text, size_t len);

/* The interrupted instruction. */
uintptr_t place_instruction(const void *context);

/* True if the mapping allows the faulting access. Called before the one thread that reports is
 * chosen: also true while another thread is in this function. */
bool place_is_accessible(const siginfo_t *info, const void *context);

/* The address belongs to a frame of the interrupted stack, or would if the stack were larger. */
bool place_is_near_stack(const siginfo_t *info, void *context);

/* True if this process has code at the address. */
bool place_is_code(uintptr_t address);

#endif
