/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* locales.c - newlocale and so on: node 0 makes locales, which all nodes have (locale_slot.h). What
 * libraries have made for themselves remains the C library's. */
#include <locale.h>

#include "compat/process/delegate.h"
#include "compat/process/locale_slot.h"
#include "compat/start/start.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* the program's names for them */

static bool locales_is_common(locale_t locale)
{
    return !locale || locale_slot_has(locale) || locale == newlocale(LC_ALL_MASK, "C", NULL);
}

/* By node 0. `base` is not changed: another locale may have the same slot. */
static locale_t locales_make(int mask, const char *name, locale_t base)
{
    locale_t from = base ? duplocale(base) : NULL;
    locale_t own = base && !from ? NULL : newlocale(mask, name, from);
    if (!own && from)
        freelocale(from);
    return locale_slot_put(own);
}

locale_t __wrap_newlocale(int mask, const char *name, locale_t base)
{
    if (!start_sharing || !locales_is_common(base))
        return newlocale(mask, name, base);
    return delegate_is_away() ? (locale_t)DELEGATE(locales_make, mask, (long)name, (long)base)
                              : locales_make(mask, name, base);
}

static locale_t locales_copy(locale_t locale)
{
    return locale_slot_put(duplocale(locale));
}

locale_t __wrap_duplocale(locale_t locale)
{
    if (!start_sharing || (locale != LC_GLOBAL_LOCALE && !locales_is_common(locale)))
        return duplocale(locale);
    if (locale != LC_GLOBAL_LOCALE)
        return locale;
    return delegate_is_away() ? (locale_t)DELEGATE(locales_copy, (long)locale)
                              : locales_copy(locale);
}

void __wrap_freelocale(locale_t locale)
{
    if (!locale_slot_has(locale))
        freelocale(locale);
}

locale_t __wrap___newlocale(int, const char *, locale_t) __attribute__((alias("__wrap_newlocale")));
locale_t __wrap___duplocale(locale_t) __attribute__((alias("__wrap_duplocale")));
void __wrap___freelocale(locale_t) __attribute__((alias("__wrap_freelocale")));
