/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* shared.h - put and get on shared memory: HLRC_HOMES in place of a node. */
#ifndef HLRC_SHARED_H
#define HLRC_SHARED_H

#include <stddef.h>

#include "hlrc/rma/pieces.h"
#include "hlrc/rma/transfer.h"

/* Copies between shared memory and any other. Not within thread_enter; waits. */
void shared_copy(enum transfer_way way, void *there, void *local, size_t len);
void shared_copy_pieces(enum transfer_way way, struct pieces *p);

#endif
