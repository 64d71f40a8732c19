/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * handles.h - handles of dlopen, which refer to memory of the node that has opened the library. A
 * thread of another node that uses one opens the library on its own node. For begin.c.
 */
#ifndef COMPAT_HANDLES_H
#define COMPAT_HANDLES_H

#include <stdbool.h>

#define HANDLES_PATH 512

/* The name that dlopen gets for `file`, perhaps in `room`: a relative one is in node 0's working
 * directory. */
const char *hlrc_handle_path(const char *file, char room[HANDLES_PATH]);

/* The calling thread has opened it, not NULL. */
void hlrc_handle_note(void *handle, int mode);

/* *handle becomes this node's. True: it was opened by another node only, and this node has to open
 * it by this path ("": the program), and to call hlrc_handle_opened. */
bool hlrc_handle_find(void **handle, char path[HANDLES_PATH], int *mode);
void hlrc_handle_opened(void *handle, void *here);

#endif
