/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* call.c - see call.h. */
#include "hlrc/call.h"

#include "base/diag.h"

static enum call_state now;

void call_set(enum call_state state)
{
    now = state;
}

enum call_state call_get(void)
{
    return now;
}

void call_check(const char *call)
{
    if (now == CALL_RUNNING)
        return;
    if (now == CALL_FORKED)
        diag_fatal(
            1, "%s in a forked child: after hlrc_init a child may only exec; fork before hlrc_init",
            call);
    diag_fatal(1, "%s %s; call hlrc_init first, and nothing after hlrc_finalize", call,
               now == CALL_OVER ? "after hlrc_finalize" : "before hlrc_init");
}
