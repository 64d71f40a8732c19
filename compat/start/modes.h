/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* modes.h - how a thread computes: rounding, exceptions that trap, and raised ones.
 * Natively a new thread has the modes of the thread that has created it. */
#ifndef COMPAT_MODES_H
#define COMPAT_MODES_H

#include <stdint.h>

struct modes {
    uint32_t vector;
    uint16_t x87;
};

static inline struct modes modes_get(void)
{
    struct modes m;
    __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(m.vector), "=m"(m.x87));
    return m;
}

static inline void modes_set(const struct modes *m)
{
    __asm__ volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(m->vector), "m"(m->x87));
}

#endif
