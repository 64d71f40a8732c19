/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * inner.h - internals shared by the parts of ARMCI's interface.
 *
 * Invariants
 *   - Each process's part of an allocation has the size that it asked for: accesses at another
 *     process are checked against that process's size.
 *   - Each operation with a handle has one table entry, which ends when the handle, its process or
 *     all are waited for. A handle whose use is not its entry's is complete.
 *   - Only members take part in calls of a group. A message of a group carries the group's context,
 *     which no other group has, so concurrent calls of several groups do not mix.
 */
#ifndef COMPAT_ARMCI_INNER_H
#define COMPAT_ARMCI_INNER_H

#include <hlrc.h>
#include <stdbool.h>
#include <stdint.h>

#include "compat/armci/parmci.h"
#include "compat/fail.h"

#define HIDDEN __attribute__((visibility("hidden")))

/* Defines the first name of a call weakly, so that a program may define it as well, in a static
 * link too (parmci.h). */
#define PROFILED_AS(first, second) \
    extern __typeof__(second) first __attribute__((weak, alias(#second)));
#define PROFILED(name) PROFILED_AS(ARMCI_##name, PARMCI_##name)

/* Constant from ARMCI_Init to ARMCI_Finalize. */
struct armci_job {
    bool joined, left;
    int me, n;
    uint32_t *arrived; /* notifications from each process, in a window; NULL: no fabric for it */
};

extern struct armci_job armci_job HIDDEN;

void inner_armci_check(const char *call, int proc) HIDDEN;

/* Ends the job unless all these bytes belong to one ARMCI_Malloc at that process. */
void inner_armci_check_memory(const char *call, const void *at, size_t bytes, int proc) HIDDEN;

/* For an operation at this process: inner_armci_begin returns where to store HLRC's handle,
 * inner_armci_begun sets the program's. NULL: no handle is wanted, and a fence completes the
 * operation. */
hlrc_handle_t *inner_armci_begin(armci_hdl_t *handle, int proc, hlrc_handle_t *room) HIDDEN;
void inner_armci_begun(armci_hdl_t *handle, int proc, const hlrc_handle_t *room) HIDDEN;

/* ---- messages (mail.c) ---- */

#define CONTEXT_USER  UINT64_MAX       /* messages of the program */
#define CONTEXT_GROUP (UINT64_MAX - 1) /* invitations to new groups */
#define CONTEXT_SELF  (UINT64_MAX - 2) /* of no messages: memory of ARMCI_Memget */

void inner_armci_mail_start(void) HIDDEN;

/* Ends the job if there is no window for messages. */
void inner_armci_check_mail(const char *call) HIDDEN;

/* Messages of one context and tag arrive in order. A send does not wait for the receive of the same
 * message, only for space at the receiver, and takes in arriving messages until then. */
void inner_armci_send(uint64_t context, int tag, const void *data, size_t bytes, int to) HIDDEN;
/* Returns the size of the message; ends the job if it is larger than `most`. *from may be -1: any
 * process, and is then set. */
size_t inner_armci_receive(const char *call, uint64_t context, int tag, void *data, size_t most,
                           int *from) HIDDEN;

/* ---- groups (group.c) ---- */

/* Constant from creation to ARMCI_Group_free. */
struct armci_group {
    uint64_t context; /* 0: all processes */
    void *comm;       /* of Open MPI, or NULL */
    int size, me;
    int member[]; /* their processes, by rank */
};

/* Ends the job if it is no group, or the caller is not a member. */
const struct armci_group *inner_armci_group(const char *call, const ARMCI_Group *group) HIDDEN;
const struct armci_group *inner_armci_world(void) HIDDEN;
/* The caller only; its collectives send nothing. */
const struct armci_group *inner_armci_self(void) HIDDEN;

/* Barrier, and broadcast from the member of this rank. */
void inner_armci_meet(const struct armci_group *g) HIDDEN;
void inner_armci_spread(const struct armci_group *g, void *data, size_t bytes, int root) HIDDEN;
/* Combines `bytes` at `data` of all members, in order of ranks; all get the same. */
typedef void armci_combine(void *mine, const void *other, void *arg);
void inner_armci_combine(const struct armci_group *g, void *data, size_t bytes,
                         armci_combine *combine, void *arg) HIDDEN;

/* ---- communicators (comm.c) ---- */

/* Collective among the members; NULL: the program does not use Open MPI. */
void *inner_armci_comm_create(const struct armci_group *g) HIDDEN;
void inner_armci_comm_free(const struct armci_group *g) HIDDEN;

/* ---- memory of groups (heap.c) ---- */

void inner_armci_heap_start(void) HIDDEN;
bool inner_armci_heap_has(const void *at) HIDDEN;
/* Of an address in the heap: the bytes from there on that process `proc` allocated; 0: none. */
size_t inner_armci_heap_bytes(const void *at, int proc) HIDDEN;
int inner_armci_heap_take(const struct armci_group *g, void *ptr_arr[], size_t bytes) HIDDEN;
/* False: no block of the caller begins there. */
bool inner_armci_heap_return(const struct armci_group *g, void *ptr) HIDDEN;
/* Notes a block that process `proc` allocated in its inner_armci_self(); false: it does not lie in
 * the heap. */
bool inner_armci_heap_learn(const void *at, size_t bytes, int proc) HIDDEN;
void inner_armci_heap_forget(const void *at, int proc) HIDDEN;

#endif
