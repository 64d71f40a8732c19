/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * streams.h - format of the standard streams of C++ (std::cout and the like): flags, precision,
 * width, fill, exceptions, state and locale, which each node has. A thread that begins or is joined
 * gives its node what the others have set before.
 */
#ifndef COMPAT_STREAMS_H
#define COMPAT_STREAMS_H

/* Both on the private stack, without locks. Show: before a thread or a region begins, ends, or
 * moves away. Take: after a thread or a region has begun, or has been joined. */
void streams_show(void);
void streams_take(void);

#endif
