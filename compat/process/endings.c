/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* endings.c - the end of the program, by any thread: functions for it are called by node 0. */
#include <stdint.h>
#include <stdlib.h>

#include "compat/process/delegate.h"
#include "compat/process/here.h"
#include "compat/start/start.h"

void __wrap__exit(int status);
_Noreturn void __wrap_exit(int status);
_Noreturn void __wrap_quick_exit(int status);

/* Other threads run the program at this moment: the caller does, at least. */
static void endings_exit(int status)
{
    start_leaving = true;
    exit(status);
}

_Noreturn void __wrap_exit(int status)
{
    if (start_away)
        (void)DELEGATE(endings_exit, status);
    exit(status);
}

/* ---- quick_exit, which would end node 0 only ---- */

struct endings_function {
    void (*fn)(void);
    struct endings_function *next;
};
static struct endings_function *_Atomic quick; /* of node 0 */

HERE(int, at_quick_exit, (void (*fn)(void)), (fn), WORDS((long)fn))
{
    struct endings_function *f = malloc(sizeof *f);
    if (!f)
        return -1;
    f->fn = fn;
    f->next = quick;
    while (!__atomic_compare_exchange_n((struct endings_function **)&quick, &f->next, f, false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        ;
    return 0;
}

static void endings_quick_exit(int status)
{
    for (struct endings_function *f = quick; f; f = f->next)
        f->fn();
    __wrap__exit(status);
}

_Noreturn void __wrap_quick_exit(int status)
{
    if (start_away)
        (void)DELEGATE(endings_quick_exit, status);
    if (start_sharing)
        endings_quick_exit(status);
    quick_exit(status);
}
