/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * locale_slot.h - locales of newlocale that threads of all nodes use. A locale refers to data that
 * the C library keeps, so each node has one for itself, at the same address.
 *
 * Invariants
 *   [locale.slot] A locale is a page at the same address on all nodes, which node 0 fills when it
 *       makes the locale. On other nodes it is inaccessible at first. The first access there
 *       faults, and the handler makes the locale by the names of its categories, which are in
 *       shared memory.
 *   - Two locales whose categories have the same names are one slot. A slot is never changed or
 *     freed, so no node keeps an earlier content.
 */
#ifndef COMPAT_LOCALE_SLOT_H
#define COMPAT_LOCALE_SLOT_H

#include <locale.h>
#include <stdbool.h>

/* The slot of this locale of the C library, which is freed if it is not needed. The locale "C",
 * which all nodes have, is returned as it is. By node 0. */
locale_t locale_slot_put(locale_t own);

bool locale_slot_has(locale_t locale);

/* The calling thread's locale, which all nodes have. */
locale_t locale_slot_current(void);

#endif
