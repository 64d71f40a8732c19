/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * inherit.c - variables of libraries that each node has, as functions use them that no other node
 * performs: the functions of std::set_terminate and std::set_new_handler. A thread that begins
 * gives its node the values that the program has set last.
 */
#include "compat/process/inherit.h"

#include <dlfcn.h>
#include <hlrc.h>
#include <stddef.h>
#include <stdint.h>

#include "compat/start/lane.h"
#include "compat/start/numbers.h"
#include "compat/start/start.h"

typedef void inherit_fn(void);
typedef inherit_fn *inherit_setter(inherit_fn *);

enum { INHERIT_TERMINATE, INHERIT_NEW, INHERIT_KINDS };
static const char *const setters[] = { "_ZSt13set_terminatePFvvE", "_ZSt15set_new_handlerPFvvE" };

/* In shared memory; guarded by LOCK_DELEGATE. */
static struct inherit_value {
    uint64_t changes;
    inherit_fn *fn;
} * values;

static inherit_fn *inherit_set_here(int kind, inherit_fn *fn)
{
    inherit_setter *set = (inherit_setter *)(uintptr_t)dlsym(RTLD_NEXT, setters[kind]);
    return set ? set(fn) : NULL;
}

struct inherit_change {
    int kind;
    inherit_fn *fn;
};

static void inherit_publish(void *arg)
{
    struct inherit_change c = *(struct inherit_change *)arg;
    hlrc_lock(LOCK_DELEGATE);
    values[c.kind].fn = c.fn;
    values[c.kind].changes++;
    hlrc_unlock(LOCK_DELEGATE);
}

static inherit_fn *inherit_set(int kind, inherit_fn *fn)
{
    struct inherit_change c = { kind, fn };
    if (start_sharing)
        lane_call(inherit_publish, &c);
    return inherit_set_here(kind, fn);
}

void inherit_begin(void)
{
    static uint64_t seen[INHERIT_KINDS]; /* of this node; guarded by LOCK_DELEGATE */
    hlrc_lock(LOCK_DELEGATE);
    for (int kind = 0; kind < INHERIT_KINDS; kind++)
        if (seen[kind] != values[kind].changes) {
            seen[kind] = values[kind].changes;
            (void)inherit_set_here(kind, values[kind].fn);
        }
    hlrc_unlock(LOCK_DELEGATE);
}

#define SETTER(name, mangled, kind)                                                           \
    inherit_fn *name(inherit_fn *fn) __asm__(mangled) __attribute__((visibility("default"))); \
    inherit_fn *name(inherit_fn *fn)                                                          \
    {                                                                                         \
        return inherit_set(kind, fn);                                                         \
    }
SETTER(inherit_set_terminate, "_ZSt13set_terminatePFvvE", INHERIT_TERMINATE)
SETTER(inherit_set_new_handler, "_ZSt15set_new_handlerPFvvE", INHERIT_NEW)

static void inherit_prepare(void)
{
    if (start_sharing)
        values = start_shared_memory(INHERIT_KINDS * sizeof *values, "functions of libraries");
}

__attribute__((constructor)) static void inherit_at_start(void)
{
    start_at_begin(inherit_prepare);
}
