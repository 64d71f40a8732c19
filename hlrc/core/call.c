/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* call.c - see call.h. */
#include "hlrc/core/call.h"

#include "base/diag.h"

enum call_state call_now;

void call_set(enum call_state state)
{
    call_now = state;
}

void call_refuse(const char *call)
{
    if (call_now == CALL_FORKED)
        diag_fatal(
            1, "%s in a forked child: after hlrc_init a child may only exec; fork before hlrc_init",
            call);
    diag_fatal(1, "%s called %s; call hlrc_init first, and no HLRC function after hlrc_finalize",
               call, call_now == CALL_OVER ? "after hlrc_finalize" : "before hlrc_init");
}

void call_refuse_null(const char *call, const char *argument)
{
    call_check(call);
    diag_fatal(1, "%s: argument `%s` is NULL; pass an address", call, argument);
}
