/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* call.h - check at the start of every public call: the state of the runtime. */
#ifndef HLRC_CALL_H
#define HLRC_CALL_H

enum call_state {
    CALL_BEFORE, /* hlrc_init has not returned */
    CALL_RUNNING,
    CALL_OVER,   /* after hlrc_finalize; permanent, since the launcher's socket is gone */
    CALL_FORKED, /* a child of a running node */
};

extern enum call_state call_now __attribute__((visibility("hidden")));

_Noreturn void call_refuse(const char *call);

/* Ends the program with one message if the runtime is not running, or runs in the parent of this
 * forked child. */
static inline void call_check(const char *call)
{
    if (call_now != CALL_RUNNING)
        call_refuse(call);
}

_Noreturn void call_refuse_null(const char *call, const char *argument);

/* Ends the program with one message if the argument is NULL. */
static inline void call_check_given(const char *call, const char *argument, const void *value)
{
    if (__builtin_expect(!value, 0))
        call_refuse_null(call, argument);
}

void call_set(enum call_state state); /* only by init.c, when no other thread is in a call */
static inline enum call_state call_get(void)
{
    return call_now;
}

#endif
