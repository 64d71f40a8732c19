/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* modes.h - how a thread computes: rounding, exceptions that trap, and raised ones.
 * Natively a new thread has the modes of the thread that has created it. */
#ifndef COMPAT_MODES_H
#define COMPAT_MODES_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __x86_64__

#    define MODES_RAISED 0x3fu /* exceptions */

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

/* No thread has these. */
static inline bool modes_are_zero(const struct modes *m)
{
    return m->vector == 0 && m->x87 == 0;
}

static inline bool modes_differ(const struct modes *a, const struct modes *b)
{
    return a->vector != b->vector || a->x87 != b->x87;
}

/* Without the exceptions that were raised. */
static inline struct modes modes_lasting(void)
{
    struct modes m = modes_get();
    m.vector &= ~MODES_RAISED;
    return m;
}

#else /* aarch64 has raised exceptions in another register */

#    define MODES_THERE (UINT64_C(1) << 63) /* a bit that the register does not have */

struct modes {
    uint64_t control;
};

static inline struct modes modes_get(void)
{
    struct modes m;
    __asm__ volatile("mrs %0, fpcr" : "=r"(m.control));
    m.control |= MODES_THERE;
    return m;
}

static inline void modes_set(const struct modes *m)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(m->control & ~MODES_THERE));
}

static inline bool modes_are_zero(const struct modes *m)
{
    return m->control == 0;
}

static inline bool modes_differ(const struct modes *a, const struct modes *b)
{
    return a->control != b->control;
}

static inline struct modes modes_lasting(void)
{
    return modes_get();
}

#endif

#endif
