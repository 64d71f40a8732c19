/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* checkpoint_room.h - memory that a checkpoint may use: some is left to the program. */
#ifndef HLRC_CHECKPOINT_ROOM_H
#define HLRC_CHECKPOINT_ROOM_H

#include <stdint.h>

/* Bytes beyond that part of the host's limit, or `most`. 0: there is no room. INT64_MAX: no limit
 * is known. */
int64_t checkpoint_room(int64_t part, int64_t most);
/* The same for memory that is used while a checkpoint is captured. */
int64_t checkpoint_room_captured(void);

#endif
