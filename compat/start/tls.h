/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * tls.h - the program's thread-local variables (threadprivate), as threads of other nodes see
 * them.
 *
 * They are private. But for copyin and copyprivate the compiler passes their addresses to other
 * threads, which read there before the next barrier. So a thread that passes addresses shows its
 * variables: they are copied to shared memory, and from there, on other nodes, to their own
 * addresses (nothing else lies there).
 *
 * Invariants
 *   - After the barrier that follows tls_show, a thread that has called tls_see reads at each of
 *     their addresses the value that the showing thread had there.
 *   [tls.fork-apart] No barrier separates the begin of a region, where threads see what thread 0
 *       showed at the fork, from thread 0's next tls_show. So it shows the two in different places.
 *   - Other nodes cannot write there: a thread that tries gets SIGSEGV instead of a lost write.
 */
#ifndef COMPAT_TLS_H
#define COMPAT_TLS_H

/* Creates the shared copies, on one node. NULL: the program has no such variables, or the job has
 * one node. */
void *tls_create(int lanes);
/* The other nodes get `shown` from that node. */
void tls_begin(void *shown, int lanes);

/* On the private stack. Shows the calling thread's variables; sees the ones shown by thread
 * `lane`. */
void tls_show(void);
void tls_see(int lane);
/* The same for thread 0 at a fork, and for the threads that begin the region. */
void tls_show_fork(void);
void tls_see_fork(void);

/* For threads that move between nodes (compat/openmp/gather.h). The calling thread copies its
 * variables from, to the shared copy, where a barrier is between the two. */
void tls_take(void);
void tls_give(void);
/* The calling thread, of another node, has its variables on this node at their own address. */
void tls_hold(void);

#endif
