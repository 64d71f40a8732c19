/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * variables.h - variables that the C library and libm keep for the process, and programs read and
 * set, as signgam, optind and timezone. Programs of hlrcc define them (begin.c), so the libraries
 * use the program's, which is shared memory. As functions use them on any node, or node 0 performs
 * these functions, threads of all nodes see the same values.
 *
 * A definition by the program prevails. Variables that libraries use in HLRC's own threads, as
 * environ and stdout, are not among them: a library's access would be a page fault (inherit.c).
 */
#ifndef COMPAT_VARIABLES_H
#define COMPAT_VARIABLES_H

/* Called on each of several nodes before the program's data is shared: gives variables that the
 * library has set at start the same value on all nodes. */
void variables_before_sharing(void);
/* Called by node 0, after hlrc_init: sets them again. `share` copies a text to shared memory. */
void variables_set(char *(*share)(char *text));

#endif
