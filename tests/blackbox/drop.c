/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Linked into an application with --wrap for hlrc_lock, hlrc_unlock and hlrc_barrier (dropped.sh):
 * the calls that one place of its source makes are none.
 *
 *   DROP=list     each place says, when it first calls, "drop: NAME OFFSET" on standard error
 *   DROP=OFFSET   the calls of that place return at once; so does the unlock that goes with a lock
 */
#include <hlrc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACES 256
#define LOCKS  64 /* not taken by a thread at a time */

extern const char __executable_start[];

void __real_hlrc_lock(hlrc_lock_t lock);
void __real_hlrc_unlock(hlrc_lock_t lock);
void __real_hlrc_barrier(void);
void __wrap_hlrc_lock(hlrc_lock_t lock);
void __wrap_hlrc_unlock(hlrc_lock_t lock);
void __wrap_hlrc_barrier(void);

static _Thread_local hlrc_lock_t untaken[LOCKS];
static _Thread_local int untaken_count;

static void list(const char *name, uintptr_t place)
{
    static uintptr_t places[PLACES];
    static int count;
    for (int i = 0; i < count; i++)
        if (places[i] == place)
            return;
    if (count < PLACES)
        places[count++] = place;
    fprintf(stderr, "drop: %s %#lx\n", name, (unsigned long)place);
}

static bool drops(const char *name, const void *caller)
{
    const char *what = getenv("DROP");
    uintptr_t place = (uintptr_t)caller - (uintptr_t)__executable_start;
    if (!what)
        return false;
    if (strcmp(what, "list") != 0)
        return strtoul(what, NULL, 0) == place;
    list(name, place);
    return false;
}

void __wrap_hlrc_lock(hlrc_lock_t lock)
{
    if (!drops("lock", __builtin_return_address(0)))
        __real_hlrc_lock(lock);
    else if (untaken_count < LOCKS)
        untaken[untaken_count++] = lock;
}

void __wrap_hlrc_unlock(hlrc_lock_t lock)
{
    for (int i = 0; i < untaken_count; i++)
        if (untaken[i] == lock) {
            untaken[i] = untaken[--untaken_count];
            return;
        }
    __real_hlrc_unlock(lock);
}

void __wrap_hlrc_barrier(void)
{
    if (!drops("barrier", __builtin_return_address(0)))
        __real_hlrc_barrier();
}
