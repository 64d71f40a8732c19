/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * tls.h - the program's thread-local variables (threadprivate), as threads of other nodes see them.
 *
 * They are private. But copyin and copyprivate have the compiler pass their address to other
 * threads, which read from there before the next barrier. So a thread that passes addresses shows
 * its variables: they are copied to shared memory, and on other nodes from there to where they have
 * their address (LN2: nothing else is there).
 *
 * Invariants
 *   TV1  Behind the barrier that follows tls_show a thread that has called tls_see reads at any
 *        address in them what the thread that has shown them had there.
 *   TV2  Other nodes cannot write there: who tries dies of SIGSEGV, instead of writing in vain.
 */
#ifndef COMPAT_TLS_H
#define COMPAT_TLS_H

#include <stddef.h>

/* Made by one node, known to all: where the variables are shown. NULL: the program has none, or
 * this is a job of one node. */
void *tls_create(int lanes);
/* The others have it from that node. */
void tls_begin(void *shown, int lanes);

/* On the private stack. The calling lane shows its variables; sees those of a lane that has. */
void tls_show(void);
void tls_see(int lane);

#endif
