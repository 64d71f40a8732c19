/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stack.h - the calls that led to a crash, a line each.
 *
 * The compiler's unwinder finds the frames. Functions come from the symbol tables of the files,
 * lines from addr2line, which runs as another process if it is installed. Without it, or without
 * debugging information, a frame is reported by its function and offset, or by its file and
 * offset.
 *
 *   - One thread at a time, after the line that describes the crash; addr2line takes at most
 *     SK_SECONDS. Nothing here allocates or takes a lock.
 */
#ifndef HLRC_STACK_H
#define HLRC_STACK_H

#define SK_SECONDS 10

/* Finds the frames, from the interrupted one on. Runs on the handler's stack, below the signal
 * frame. */
void stack_capture(void *context);

/* Reports them, by diag_detail or, if the crash does not end the program, diag_warn. */
void stack_tell(void (*say)(const char *fmt, ...));

#endif
