/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stack.h - the calls that led to a crash, a line each.
 *
 * The frames are found by the compiler's unwinder. Functions come from the symbol tables of the
 * files, lines from addr2line, which runs as a process of its own where it is installed; without
 * it, or without debugging information, a frame has its function and how far into it, or its file
 * and the place there.
 *
 *   SK1  One thread at a time, after the line that says what happened, within SK_SECONDS of
 *        addr2line. Nothing here allocates or takes a lock.
 */
#ifndef HLRC_STACK_H
#define HLRC_STACK_H

#define SK_SECONDS 10

/* Finds the frames, from the interrupted one on. On the stack of the handler, below the frame that
 * the system made for it. */
void stack_capture(void *context);

/* Tells them, by diag_detail or, where the crash is not the program's end, diag_warn. */
void stack_tell(void (*say)(const char *fmt, ...));

#endif
