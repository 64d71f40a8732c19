/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* here.h - definition of calls that this library implements, and node 0 performs (delegate.h). */
#ifndef COMPAT_HERE_H
#define COMPAT_HERE_H

#include "compat/process/delegate.h"
#include "compat/start/start.h"

#define WORDS(...) __VA_ARGS__

/* Begins the definition of a call; its body, which node 0 executes, follows. In a job of one node
 * the C library's function is called instead, with `arguments`. */
#define HERE(type, name, parameters, arguments, words)                               \
    type __wrap_##name parameters;                                                   \
    static type here_##name parameters;                                              \
    type __wrap_##name parameters                                                    \
    {                                                                                \
        if (!start_sharing)                                                          \
            return name arguments;                                                   \
        if (delegate_is_away())                                                      \
            return (type)delegate_call(DELEGATE_FN(here_##name),                     \
                                       (const long[DELEGATE_WORDS]){ words }, NULL); \
        return here_##name arguments;                                                \
    }                                                                                \
    static type here_##name parameters

#endif
