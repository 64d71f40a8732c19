/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * inherit.c - variables of libraries that each node has, as functions use them that no other node
 * performs: the functions of std::set_terminate and std::set_new_handler, the resource of
 * std::pmr::set_default_resource, the locale of std::locale::global, environ, the C library's
 * locale, stdin, stdout and stderr. A thread that begins gives its node the values that the
 * program has set last; to variables of the C library, the values that node 0 had when it last
 * created a thread. So does a thread of OpenMP at the begin of a region, with the values that node
 * 0 had then.
 */
#include "compat/process/inherit.h"

#include <dlfcn.h>
#include <hlrc.h>
#include <locale.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "compat/process/delegate.h"
#include "compat/process/zones.h"
#include "compat/start/heap.h"
#include "compat/start/lane.h"
#include "compat/start/numbers.h"
#include "compat/start/start.h"

#define LOCALE_BYTES 1024

typedef void inherit_fn(void); /* or what the pointer points to */
typedef inherit_fn *inherit_setter(inherit_fn *);

enum { INHERIT_TERMINATE, INHERIT_NEW, INHERIT_LOCALE, INHERIT_RESOURCE, INHERIT_KINDS };
static const char *const setters[] = { "_ZSt13set_terminatePFvvE", "_ZSt15set_new_handlerPFvvE",
                                       "_ZNSt6locale6globalERKS_",
                                       "_ZNSt3pmr20set_default_resourceEPNS_15memory_resourceE" };

/* A std::locale is a pointer to this; the caller passes memory for one that is returned. */
struct inherit_locale {
    int references;
};
typedef struct inherit_locale **inherit_locale_setter(struct inherit_locale **result,
                                                      struct inherit_locale *const *locale);
/* Other nodes' libraries count references to it, too, not atomically, so it is kept for good. */
#define REFERENCES_FOR_GOOD (1 << 24)

/* In shared memory; guarded by LOCK_DELEGATE. */
static struct inherit_value {
    uint64_t changes;
    inherit_fn *fn;
} * values;

struct inherit_variables {
    char **environment;
    FILE *streams[3];
    char locale[LOCALE_BYTES];
};
/* In shared memory; guarded by LOCK_DELEGATE. */
static struct inherit_shown {
    uint64_t changes; /* of `values`, too */
    bool any;         /* variables were shown */
    struct inherit_variables now;
} * shown;

static inherit_locale_setter *inherit_find_global(void)
{
    return (inherit_locale_setter *)(uintptr_t)dlsym(RTLD_NEXT, setters[INHERIT_LOCALE]);
}

/* The one before is not released: threads of this node may have references to it. */
static void inherit_locale_here(struct inherit_locale *locale)
{
    struct inherit_locale *before;
    inherit_locale_setter *set = inherit_find_global();
    if (set)
        (void)set(&before, &locale);
}

static inherit_fn *inherit_set_here(int kind, inherit_fn *fn)
{
    if (kind == INHERIT_LOCALE) {
        inherit_locale_here((struct inherit_locale *)(uintptr_t)fn);
        return NULL;
    }
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
    shown->changes++;
    hlrc_unlock(LOCK_DELEGATE);
}

static inherit_fn *inherit_set(int kind, inherit_fn *fn)
{
    struct inherit_change c = { kind, fn };
    if (start_sharing)
        lane_call(inherit_publish, &c);
    return inherit_set_here(kind, fn);
}

/* ---- variables of the C library ---- */

/* Of this node, as last shown or taken. */
static struct inherit_variables known;
static _Atomic uint64_t known_changes;                /* written under the lock */
static _Atomic uint64_t locale_changes, locale_known; /* of node 0 */

/* Under the lock. */
static void inherit_read_variables(struct inherit_variables *v, char **environment)
{
    const char *locale = setlocale(LC_ALL, NULL);
    memset(v, 0, sizeof *v);
    v->environment = environment;
    v->streams[0] = stdin;
    v->streams[1] = stdout;
    v->streams[2] = stderr;
    if (locale)
        memcpy(v->locale, locale, strnlen(locale, LOCALE_BYTES - 1));
}

void inherit_locale_changed(void)
{
    atomic_fetch_add(&locale_changes, 1);
}

/* Without the lock, and without the locale's names. If another thread shows them at this moment, it
 * shows the same: it has stored that before it stores `known`. */
static bool inherit_is_shown(void)
{
    FILE *const *were = known.streams;
    bool same = environ == known.environment && stdin == were[0] && stdout == were[1] &&
                stderr == were[2] && atomic_load(&locale_changes) == atomic_load(&locale_known);
    atomic_thread_fence(memory_order_acquire);
    return same;
}

/* Node 0 has them: it performs the calls that change them. */
void inherit_show(void)
{
    static struct inherit_variables mine;
    if (start_away)
        return;
    zones_share_names();
    if (inherit_is_shown())
        return;
    uint64_t locale = atomic_load(&locale_changes);
    char **environment = start_shared_environment();
    hlrc_lock(LOCK_DELEGATE);
    inherit_read_variables(&mine, environment);
    if (memcmp(&mine, &known, sizeof mine) != 0) {
        bool current = known_changes == shown->changes;
        shown->now = mine;
        shown->any = true;
        shown->changes++;
        if (current) /* otherwise this node has to take functions */
            known_changes = shown->changes;
        atomic_thread_fence(memory_order_release); /* inherit_is_shown */
        known = mine;
    }
    locale_known = locale;
    hlrc_unlock(LOCK_DELEGATE);
}

/* Under the lock. */
static void inherit_take_variables(void)
{
    bool locale_differs = strcmp(known.locale, shown->now.locale) != 0;
    known = shown->now;
    environ = known.environment;
    stdin = known.streams[0];
    stdout = known.streams[1];
    stderr = known.streams[2];
    if (locale_differs)
        (void)setlocale(LC_ALL, known.locale);
}

/* Under the lock. */
static void inherit_take_functions(void)
{
    static uint64_t seen[INHERIT_KINDS]; /* of this node */
    for (int kind = 0; kind < INHERIT_KINDS; kind++)
        if (seen[kind] != values[kind].changes) {
            seen[kind] = values[kind].changes;
            (void)inherit_set_here(kind, values[kind].fn);
        }
}

void inherit_joined(void)
{
    if (!start_sharing || known_changes == shown->changes)
        return;
    hlrc_lock(LOCK_DELEGATE);
    inherit_take_functions();
    if (!start_away)
        known_changes = shown->changes;
    hlrc_unlock(LOCK_DELEGATE);
}

void inherit_begin(void)
{
    if (!start_sharing || known_changes == shown->changes)
        return;
    hlrc_lock(LOCK_DELEGATE);
    if (start_away && shown->any)
        inherit_take_variables();
    inherit_take_functions();
    known_changes = shown->changes;
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
SETTER(inherit_set_resource, "_ZNSt3pmr20set_default_resourceEPNS_15memory_resourceE",
       INHERIT_RESOURCE)

void inherit_keep_locale(void *locale)
{
    struct inherit_locale *l = locale;
    if (start_is_shared(l) && l->references < REFERENCES_FOR_GOOD)
        l->references += REFERENCES_FOR_GOOD;
}

/* std::locale::global */
struct inherit_locale **
inherit_set_global(struct inherit_locale **result,
                   struct inherit_locale *const *locale) __asm__("_ZNSt6locale6globalERKS_")
    __attribute__((visibility("default")));
struct inherit_locale **inherit_set_global(struct inherit_locale **result,
                                           struct inherit_locale *const *locale)
{
    struct inherit_change c = { INHERIT_LOCALE, (inherit_fn *)(uintptr_t)*locale };
    inherit_locale_setter *set = inherit_find_global();
    if (start_sharing)
        inherit_keep_locale(*locale);
    if (start_sharing)
        lane_call(inherit_publish, &c);
    return set(result, locale);
}

/* std::ios_base::xalloc. Numbers are of the job, so node 0 counts them. */
static int inherit_number_here(void)
{
    int (*xalloc)(void) = (int (*)(void))(uintptr_t)dlsym(RTLD_NEXT, "_ZNSt8ios_base6xallocEv");
    return xalloc();
}

int inherit_number(void) __asm__("_ZNSt8ios_base6xallocEv") __attribute__((visibility("default")));
int inherit_number(void)
{
    return start_away ? (int)DELEGATE(inherit_number_here, 0) : inherit_number_here();
}

static void inherit_prepare(void)
{
    if (start_sharing)
        values = start_shared_memory(INHERIT_KINDS * sizeof *values, "functions of libraries");
    if (start_sharing)
        shown = start_shared_memory(sizeof *shown, "variables of libraries");
}

__attribute__((constructor)) static void inherit_at_start(void)
{
    start_at_begin(inherit_prepare);
}
