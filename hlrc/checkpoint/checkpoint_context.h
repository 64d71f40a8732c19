/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * checkpoint_context.h - a thread's registers, and the system calls that exchange the memory of a
 * process for that of a saved one. Only for x86-64.
 */
#ifndef HLRC_CHECKPOINT_CONTEXT_H
#define HLRC_CHECKPOINT_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

/* The registers that a function preserves; rsp and rip are those after its return. */
struct checkpoint_context {
    uint64_t rbx, rbp, r12, r13, r14, r15, rsp, rip;
    uint32_t mxcsr, x87;
};

/* Returns 0; and 1 after checkpoint_context_load, in the same frame, which must still exist. */
int checkpoint_context_save(struct checkpoint_context *c) __attribute__((returns_twice));
_Noreturn void checkpoint_context_load(const struct checkpoint_context *c);

/* clone(2); the new thread continues at `c`. Returns its number, or a negative errno. */
long checkpoint_context_clone(const struct checkpoint_context *c, uint64_t flags, int *parent_tid,
                              void *child_tid, void *tls);

/* A system call. */
struct checkpoint_context_step {
    int64_t number;   /* CHECKPOINT_CONTEXT_LAST: no call, continues at args[0] */
    uint64_t args[6]; /* of the last: a context, and the address of checkpoint_context_load */
    uint64_t failure; /* text of the line for a failure, which ends the process, */
    uint64_t length;  /* and its length; 0: a failure is ignored */
};

#define CHECKPOINT_CONTEXT_LAST (-1)

/* Performs steps without a stack. Its code, which may be copied to any address, lies between: */
extern const char checkpoint_context_steps[], checkpoint_context_steps_end[];

/* Returns from a signal handler. */
void checkpoint_context_restorer(void);

#endif
