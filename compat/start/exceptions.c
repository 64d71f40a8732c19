/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * exceptions.c - C++ exceptions that pass from thread to thread by std::exception_ptr, as with
 * std::future. These functions replace libstdc++'s in the whole process. Data layouts follow the
 * Itanium C++ ABI, preceded by libstdc++'s reference count.
 *
 * Invariants
 *   - An exception lies in shared memory. Only its own thread refers to it until that thread makes
 *     an exception_ptr of it; then references are counted under LOCK_EXCEPTIONS. The thread that
 *     drops the last one has seen all that other threads did with it.
 *   - A rethrow creates a dependent exception, which belongs to the rethrowing thread.
 */
#include "compat/start/exceptions.h"

#include <assert.h>
#include <dlfcn.h>
#include <hlrc.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "compat/start/heap.h"
#include "compat/start/lane.h"
#include "compat/start/numbers.h"
#include "compat/start/start.h"

#define NAMED(name) __asm__(name) __attribute__((visibility("default"), aligned(16)))
#define EXPORTED    __attribute__((visibility("default")))

/* The unwinder's header of an exception. */
struct exceptions_unwinding {
    _Alignas(16) uint64_t class;
    void (*cleanup)(int reason, struct exceptions_unwinding *u);
    uint64_t private[2];
};

struct exceptions_thrown {
    void *type; /* dependent exception: the object that it depends on */
    void (*destroy)(void *object);
    void (*unexpected)(void), (*terminate)(void);
    struct exceptions_thrown *next;
    int handlers, handler_switch;
    const void *action, *data;
    uintptr_t catch_temp;
    void *adjusted;
    struct exceptions_unwinding unwinding;
};
static_assert(sizeof(struct exceptions_thrown) == 112, "the size is that of libstdc++");

/* The object follows it. */
struct exceptions_primary {
    int references;
    int passed; /* an exception_ptr was made; padding in libstdc++ */
    uint64_t unused;
    struct exceptions_thrown e;
};
static_assert(sizeof(struct exceptions_primary) == 128, "the size is that of libstdc++");

struct exceptions_globals { /* per thread */
    void *caught;
    unsigned uncaught;
};

#define FOREIGN_CAUGHT 1                            /* _URC_FOREIGN_EXCEPTION_CAUGHT */
#define DEPENDENT      UINT64_C(0x474e5543432b2b01) /* "GNUCC++\1" */

typedef void *allocate_fn(size_t);
typedef void free_fn(void *);
typedef void *init_fn(void *, void *, void (*)(void *));
typedef void ref_fn(void **);
typedef void *void_fn(void);
typedef int raise_fn(struct exceptions_unwinding *);
#define RETHROW "_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE"
#define ADDREF  "_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv"
#define RELEASE "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv"

/* Looked up once. */
static void *exceptions_next(void **cached, const char *name)
{
    void *found = __atomic_load_n(cached, __ATOMIC_RELAXED);
    if (!found && !(found = dlsym(RTLD_NEXT, name)))
        found = dlsym(RTLD_DEFAULT, name);
    __atomic_store_n(cached, found, __ATOMIC_RELAXED);
    return found;
}
#define NEXT(type, name)                                   \
    __extension__({                                        \
        static void *cached;                               \
        (type *)(uintptr_t)exceptions_next(&cached, name); \
    })

static struct exceptions_primary *exceptions_primary_of(void *object)
{
    return (struct exceptions_primary *)object - 1;
}

/* ---- memory ---- */

allocate_fn exceptions_allocate_exception NAMED("__cxa_allocate_exception");
void *exceptions_allocate_exception(size_t size)
{
    struct exceptions_primary *p = NULL;
    if (start_sharing)
        p = heap_calloc(1, sizeof *p + size);
    return p ? p + 1 : NEXT(allocate_fn, "__cxa_allocate_exception")(size);
}

free_fn exceptions_free_exception NAMED("__cxa_free_exception");
void exceptions_free_exception(void *object)
{
    if (heap_is_shared(object))
        heap_free(exceptions_primary_of(object));
    else
        NEXT(free_fn, "__cxa_free_exception")(object);
}

/* ---- references ---- */

struct exceptions_change {
    struct exceptions_primary *p;
    int by, left;
};

static void exceptions_change_locked(void *arg)
{
    struct exceptions_change *c = arg;
    struct exceptions_primary *p = c->p;
    hlrc_lock(LOCK_EXCEPTIONS);
    int left = p->references += c->by;
    p->passed = 1;
    hlrc_unlock(LOCK_EXCEPTIONS);
    c->left = left;
}

static int exceptions_change(struct exceptions_primary *p, int by)
{
    struct exceptions_change c = { p, by, 0 };
    if (start_sharing)
        lane_call(exceptions_change_locked, &c);
    else
        c.left = p->references += by;
    return c.left;
}

static void exceptions_drop(struct exceptions_primary *p)
{
    int left = p->passed ? exceptions_change(p, -1) : --p->references;
    if (left > 0)
        return;
    if (p->e.destroy)
        p->e.destroy(p + 1);
    exceptions_free_exception(p + 1);
}

/* Called after the last handler. */
static void exceptions_end_of_primary(int reason, struct exceptions_unwinding *u)
{
    struct exceptions_thrown *e =
        (void *)((char *)u - offsetof(struct exceptions_thrown, unwinding));
    if (reason > FOREIGN_CAUGHT)
        e->terminate();
    exceptions_drop((void *)((char *)e - offsetof(struct exceptions_primary, e)));
}

init_fn exceptions_init_exception NAMED("__cxa_init_primary_exception");
void *exceptions_init_exception(void *object, void *type, void (*destroy)(void *))
{
    struct exceptions_primary *p =
        NEXT(init_fn, "__cxa_init_primary_exception")(object, type, destroy);
    if (heap_is_shared(object))
        p->e.unwinding.cleanup = exceptions_end_of_primary;
    return p;
}

/* For an exception_ptr, which holds the object's address. */
ref_fn exceptions_pointer_made NAMED(ADDREF);
void exceptions_pointer_made(void **pointer)
{
    if (*pointer && heap_is_shared(*pointer))
        (void)exceptions_change(exceptions_primary_of(*pointer), 1);
    else
        NEXT(ref_fn, ADDREF)(pointer);
}

ref_fn exceptions_pointer_gone NAMED(RELEASE);
void exceptions_pointer_gone(void **pointer)
{
    if (*pointer && heap_is_shared(*pointer)) {
        exceptions_drop(exceptions_primary_of(*pointer));
        *pointer = NULL;
    } else {
        NEXT(ref_fn, RELEASE)(pointer);
    }
}

bool exceptions_are_under_way(void)
{
    void_fn *globals_of = NEXT(void_fn, "__cxa_get_globals");
    const struct exceptions_globals *globals = globals_of ? globals_of() : NULL;
    return globals && (globals->caught || globals->uncaught);
}

/* ---- rethrow ---- */

static void exceptions_end_of_dependent(int reason, struct exceptions_unwinding *u)
{
    struct exceptions_thrown *e =
        (void *)((char *)u - offsetof(struct exceptions_thrown, unwinding));
    void *object = e->type;
    if (reason > FOREIGN_CAUGHT)
        e->terminate();
    NEXT(free_fn, "__cxa_free_dependent_exception")(e);
    exceptions_drop(exceptions_primary_of(object));
}

ref_fn exceptions_throw_again NAMED(RETHROW);
void exceptions_throw_again(void **pointer)
{
    void *object = *pointer;
    if (!heap_is_shared(object)) {
        NEXT(ref_fn, RETHROW)(pointer);
        return;
    }
    struct exceptions_thrown *e = NEXT(void_fn, "__cxa_allocate_dependent_exception")();
    (void)exceptions_change(exceptions_primary_of(object), 1);
    e->type = object;
    e->unexpected = (void (*)(void))(uintptr_t)NEXT(void_fn, "_ZSt14get_unexpectedv")();
    e->terminate = (void (*)(void))(uintptr_t)NEXT(void_fn, "_ZSt13get_terminatev")();
    e->unwinding.class = DEPENDENT;
    e->unwinding.cleanup = exceptions_end_of_dependent;
    ((struct exceptions_globals *)NEXT(void_fn, "__cxa_get_globals")())->uncaught++;
    (void)NEXT(raise_fn, "_Unwind_RaiseException")(&e->unwinding);
    /* no handler: ends the program as libstdc++ does */
    (void)NEXT(allocate_fn, "__cxa_begin_catch")((size_t)&e->unwinding);
    e->terminate();
    start_fail("an unhandled exception");
}
