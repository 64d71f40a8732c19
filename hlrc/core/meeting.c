/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* meeting.c - see meeting.h. */
#include "hlrc/core/meeting.h"

#include <stdbool.h>

#include "base/diag.h"

static const char *const names[MEETING_CALLS] = {
#define X(call, name) [call] = name,
    MEETINGS(X)
#undef X
};

_Static_assert(MEETING_CALLS <= 1 << MEETING_BITS, "every call fits its bit-field");

const char *meeting_name(enum meeting call)
{
    return call < MEETING_CALLS ? names[call] : "an unknown call";
}

void meeting_refuse(int a, enum meeting of_a, int b, enum meeting of_b)
{
    bool turned = a > b; /* the same message from every node that detects it */
    diag_fatal(1,
               "%s() on node %d, but %s() on node %d; all nodes make the same collective calls in "
               "the same order",
               meeting_name(turned ? of_b : of_a), turned ? b : a,
               meeting_name(turned ? of_a : of_b), turned ? a : b);
}
