/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* wrap.h - POSIX thread calls under the names that programs of hlrcc call: __wrap_ and the C
 * library's name. */
#ifndef COMPAT_WRAP_H
#define COMPAT_WRAP_H

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>

#include "compat/start/start.h"

/* Begins the definition of a call; its body follows. Unless threads run on
 * several nodes the C library's function is called instead, with these arguments. */
#define WRAP(type, name, parameters, arguments) \
    WRAP_IF(start_sharing, type, name, parameters, arguments)
/* The same of a call that uses an object: also in a forked child. */
#define WRAP_OBJECT(type, name, parameters, arguments) \
    WRAP_IF(start_objects, type, name, parameters, arguments)
#define WRAP_IF(condition, type, name, parameters, arguments)      \
    type __wrap_##name parameters;                                 \
    static type wrap_##name parameters;                            \
    type __wrap_##name parameters                                  \
    {                                                              \
        return condition ? wrap_##name arguments : name arguments; \
    }                                                              \
    static type wrap_##name parameters

/* The definition of a call that has nothing to do on several nodes. */
#define WRAP_NOTHING(name, type)                      \
    WRAP_OBJECT(int, name, (type * object), (object)) \
    {                                                 \
        (void)object;                                 \
        return 0;                                     \
    }

/* The function of this name that another library has, looked up once. */
static inline void *wrap_next(void **found, const char *name)
{
    void *next = __atomic_load_n(found, __ATOMIC_RELAXED);
    if (!next)
        __atomic_store_n(found, next = dlsym(RTLD_NEXT, name), __ATOMIC_RELAXED);
    return next;
}

/* Begins the definition of a function that replaces the library's of this mangled name in the whole
 * process; its body follows. Unless `here` the library's function is called, which returns `type`
 * by `RETURN`, or nothing. In C++ a set lowest bit in a member function's address marks the number
 * of a virtual one, so they are aligned. */
#define REPLACE_BY(type, RETURN, name, mangled, here, parameters, arguments)                    \
    type name parameters __asm__(mangled) __attribute__((visibility("default"), aligned(16)));  \
    static type name##_here parameters;                                                         \
    type name parameters                                                                        \
    {                                                                                           \
        static __typeof__(&name) next;                                                          \
        if (here)                                                                               \
            RETURN name##_here arguments;                                                       \
        else                                                                                    \
            RETURN((__typeof__(&name))(uintptr_t)wrap_next((void **)&next, mangled)) arguments; \
    }                                                                                           \
    static type name##_here parameters
#define REPLACE(type, name, mangled, here, parameters, arguments) \
    REPLACE_BY(type, return, name, mangled, here, parameters, arguments)
#define REPLACE_VOID(name, mangled, here, parameters, arguments) \
    REPLACE_BY(void, , name, mangled, here, parameters, arguments)

pthread_t __wrap_pthread_self(void);
int __wrap_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex);
int __wrap_pthread_cond_signal(pthread_cond_t *cond);
int __wrap_pthread_cond_broadcast(pthread_cond_t *cond);

#endif
