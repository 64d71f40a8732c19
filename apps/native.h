/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * native.h - the functions of hlrc.h that the applications use, for processes that share
 * hardware-coherent memory, without HLRC. Internals shared by its parts.
 *
 * It shows the overhead of the DSM by comparison. Its nodes are processes of one machine, forked by
 * hlrc_init(), NATIVE_NODES of them (default 1). They share the same memory, kept coherent by the
 * caches. Errors for which HLRC ends a job end this one as well: a line, and status 1.
 *
 * Compiled with -DSEQUENTIAL there is one node, whatever NATIVE_NODES says: the baseline for
 * speedups. Its memory is mapped as on a node, shared and in small pages, so that programs differ
 * only in the runtime.
 */
#ifndef APPS_NATIVE_H
#define APPS_NATIVE_H

#include <stddef.h>
#include <stdint.h>

_Noreturn void native_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Memory that all nodes share, zero-filled, mapped before the nodes are forked. */
void *native_map(const char *what, size_t size);

/* Sleeps until the word is woken. Returns at once if the word has another value. May return
 * spuriously. */
void native_sleep(_Atomic uint32_t *word, uint32_t value);
void native_wake(_Atomic uint32_t *word, int sleepers);

/* Maps the locks and condition variables, before the nodes are forked. */
void native_sync_init(void);

#endif
