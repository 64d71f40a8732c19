/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * move.h - POSIX threads that move between nodes: the program's frames stay on the thread's shared
 * stack, and another system thread continues them on the other node.
 *
 *     node a                                        node b
 *     program calls pthread_mutex_lock              agent starts a thread for the entry
 *       registers -> shared stack                     variables, values <- shared memory
 *       variables, values -> shared memory            registers <- shared stack
 *       entry -> mailbox of b                       pthread_mutex_lock continues
 *     system thread ends
 *
 * Invariants
 *   [move.release] All that the thread has written is released, by the unlock of LOCK_THREADS that
 *       follows its last store, before the other node acquires it. From then on node a's thread
 *       runs on its private stack only, and accesses nothing of the program.
 *   [move.equal] All that its frames may point to has the same address on both nodes: shared
 *       memory, functions, thread-local variables, and the frames of the private stack below which
 *       the shared one hangs. The stack protector's value is one for all threads of the table.
 *   [move.bound] A thread does not move while it holds a mutex or spin lock, which belongs to its
 *       node, during an exception, or with a frame of another library. Programs that use functions
 *       whose state is in the C library's memory of one node, such as setjmp's, have no threads
 *       that move.
 *   - Main does not move.
 */
#ifndef COMPAT_MOVE_H
#define COMPAT_MOVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/stack_switch.h"

#if defined(__x86_64__) && !defined(STACK_SWITCH_BY_LIBC)
#    define MOVE_POSSIBLE 1
#else
#    define MOVE_POSSIBLE 0
#endif

/* At the start: the program imports this name. */
void move_look_at(const char *name);
/* Why threads of this program do not move, for messages; NULL: they do. */
const char *move_obstacle(void);
/* On every node, after the table is there. `forget`: the calling thread's entry is another node's
 * now. */
void move_begin(void (*forget)(void));

/* What the threads of this node shall do, as the agent has read from the table. */
enum move_where { MOVE_NOT, MOVE_TO_SPAN, MOVE_AROUND };
void move_set(enum move_where where, int span);

/* By the calling thread, when it begins to run this entry: what it runs on its shared stack. */
typedef void move_act(void *arg);
move_act *move_arrive(uint32_t entry, move_act *begins);
/* The thread ends. */
void move_end(void);

/* The calling thread is about to wait, perhaps: it moves if it shall. On the shared stack. */
extern bool move_may __attribute__((visibility("hidden")));
void move_now(void);
static inline void move_point(void)
{
    if (__builtin_expect(move_may, 0))
        move_now();
}

/* For a thread that is interrupted (interrupt.h). Shall threads with this home leave this node? */
bool move_is_misplaced(int home);
/* Shall and may the calling thread move? Its frames count from the code at `from` on; 0: from here.
 */
bool move_is_due(uintptr_t from);
/* What lies there goes with the thread, to the same address, when it moves next. */
void move_carry(void *at, size_t bytes);
/* Moves, if the other node has room. On the shared stack, after move_is_due. */
void move_leave(void);

#endif
