/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* checkpoint_room.c - see checkpoint_room.h. */
#include "hlrc/checkpoint/checkpoint_room.h"

#include "base/headroom.h"

#define SPARE_PART 8
#define SPARE_MOST ((int64_t)2 << 30)

int64_t checkpoint_room(int64_t part, int64_t most)
{
    struct headroom h = headroom_now();
    int64_t spare = h.whole / part < most ? h.whole / part : most;
    if (h.left == INT64_MAX)
        return INT64_MAX;
    return h.left > spare ? h.left - spare : 0;
}

int64_t checkpoint_room_captured(void)
{
    return checkpoint_room(SPARE_PART, SPARE_MOST);
}
